package pages

// ProbeThrough asks through any transport.
var ProbeThrough = overTransport

// StylePlaces are the places of the addresses in a style sheet.
func StylePlaces(text string) []int {
	var places []int
	for _, a := range readStyle(text).addresses {
		places = append(places, a.at)
	}
	return places
}

// CodeLines are the lines of what was found in a script.
func CodeLines(text string, body bool) []int {
	c := readCode(text, body)
	lines := []int{1}
	for _, a := range c.asks {
		lines = append(lines, a.line)
	}
	for _, p := range []problem{c.problem, c.module} {
		if p.line != 0 {
			lines = append(lines, p.line)
		}
	}
	return lines
}
