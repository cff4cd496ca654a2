package drift

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/fact"
)

// statedPort finds a port in a text; the last group that matched is the number.
var statedPort = regexp.MustCompile(`(?i)\bports?\b(?: number)?(?:\s*(?:is|=|:|to|on|at))?\s*[` + "`" + `*"']*([0-9]{2,5})\b|` +
	`(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):([0-9]{2,5})\b|` +
	`\b[A-Z_]*PORT\s*[=:]\s*["']?([0-9]{2,5})\b|` +
	`(?:--port|--listen)[ =]:?([0-9]{2,5})\b|` +
	`(?i)\blisten(?:s|ing)? (?:on|at)\s+[` + "`" + `*]*:?([0-9]{2,5})\b`)

// wellKnown are ports of services that many projects talk to and do not run: a document that
// names one does not speak of its own processes.
var wellKnown = []int{20, 21, 22, 23, 25, 53, 80, 110, 123, 143, 389, 443, 445, 465, 587, 636, 993, 995, 1433, 1521, 2181, 2375, 2376, 3306, 5432, 5672, 6379, 6443, 9092, 9200, 11211, 15672, 27017}

// portClaims are the places of a document that state a port. What a line must say follows
// from the one process that it names, or from the only port that is declared.
func (s *scan) portClaims(name string, lines []line) []fact.Claim {
	declared := s.declaredPorts()
	var claims []fact.Claim
	for _, l := range lines {
		if supposed.MatchString(l.text) {
			continue
		}
		for _, at := range portPlaces(l) {
			found := l.text[at[0]:at[1]]
			port, err := strconv.Atoi(found)
			if err != nil || port > 65535 {
				continue
			}
			if c, ok := s.portClaim(l, port, declared); ok {
				c.File, c.Line = name, l.number
				c.Start, c.End = l.start+at[0], l.start+at[1]
				c.Found = found
				c.Write = c.Expected
				claims = append(claims, c)
			}
		}
	}
	return claims
}

// portPlaces are the places of numbers in a line that are ports: by the words around them,
// or by the column of the table.
func portPlaces(l line) [][2]int {
	var places [][2]int
	for _, found := range statedPort.FindAllStringSubmatchIndex(l.text, -1) {
		for i := 2; i+1 < len(found); i += 2 {
			if found[i] >= 0 {
				places = append(places, [2]int{found[i], found[i+1]})
			}
		}
	}

	if len(places) > 0 {
		return places
	}
	return portCells(l)
}

// portCells are the places of ports in the columns of a table that are named so.
func portCells(l line) [][2]int {
	var places [][2]int
	for i, c := range cellsOf(l.text) {
		if i >= len(l.header) {
			break
		}
		if l.header[i] != "port" && l.header[i] != "ports" {
			continue
		}

		number := plainText(c.text)
		if isPort(number) {
			start := c.start + strings.Index(c.text, number)
			places = append(places, [2]int{start, start + len(number)})
		}
	}
	return places
}

// isPort reports whether a text has the two to five digits of a port.
func isPort(text string) bool {
	return len(text) >= 2 && len(text) <= 5 && isDigits(text)
}

func isDigits(text string) bool {
	return strings.Trim(text, "0123456789") == ""
}

// portClaim says what a port in a line must be. It is not ok if the line says nothing about
// a declared process.
func (s *scan) portClaim(l line, port int, declared []workspace.Port) (fact.Claim, bool) {
	c := fact.Claim{
		Kind:   fact.Port,
		Fact:   "port",
		Source: workspace.FileName,
	}
	named := s.processesIn(l.text)
	if len(named) == 1 {
		c.Fact = named[0]
		own := portsOf(declared, named[0])
		switch {
		case len(own) == 0:
			// judged below, by all declared ports
		case slices.Contains(own, port):
			c.Expected = strconv.Itoa(port)
			return c, true
		case slices.Contains(wellKnown, port):
			return c, false
		case len(own) == 1:
			c.Expected = strconv.Itoa(own[0])
			return c, true
		}
	}

	all := portsOf(declared, "")
	if slices.Contains(all, port) {
		c.Expected = strconv.Itoa(port)
		return c, true
	}
	if slices.Contains(wellKnown, port) {
		return c, false
	}
	if len(all) == 1 {
		c.Expected = strconv.Itoa(all[0])
		return c, true
	}

	c.Expected = "one of " + joinPorts(all)
	c.Fixed = "the line does not name exactly one process with one port"
	return c, true
}

// portsOf are the declared ports of a process, or all of them.
func portsOf(declared []workspace.Port, process string) []int {
	var list []int
	for _, p := range declared {
		if process == "" || p.Process == process {
			list = append(list, p.Port)
		}
	}
	return list
}

func joinPorts(ports []int) string {
	var texts []string
	for _, p := range ports {
		texts = append(texts, strconv.Itoa(p))
	}
	return strings.Join(texts, ", ")
}

// processesIn are the expected processes that a line names as words.
func (s *scan) processesIn(text string) []string {
	var names []string
	for _, p := range s.state.Config.Processes.Expected {
		pattern := `(?i)(^|[^\w-])` + regexp.QuoteMeta(p.Name) + `($|[^\w-])`
		if found, err := regexp.MatchString(pattern, text); err == nil && found {
			names = append(names, p.Name)
		}
	}
	return names
}

// statedCount finds how many processes a document says there are.
var statedCount = regexp.MustCompile(`(?i)\b([0-9]{1,3}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)((?: (?:managed|expected|running|background|supervised|long-running|main|separate))? processes)\b`)

var numberWords = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

// processClaims are the places that state the number of processes.
func (s *scan) processClaims(name string, lines []line) []fact.Claim {
	want := len(s.state.Config.Processes.Expected)
	var claims []fact.Claim
	for _, l := range lines {
		if supposed.MatchString(l.text) || bounded.MatchString(l.text) {
			continue
		}
		for _, at := range statedCount.FindAllStringSubmatchIndex(l.text, -1) {
			stated := l.text[at[2]:at[3]]
			c := fact.Claim{
				Kind:     fact.Process,
				Fact:     "processes",
				File:     name,
				Line:     l.number,
				Start:    l.start + at[2],
				End:      l.start + at[3],
				Found:    stated,
				Expected: strconv.Itoa(want),
				Source:   workspace.FileName,
			}
			c.Write = likeNumber(stated, want)
			if c.Write == stated {
				c.Expected = stated
			}
			claims = append(claims, c)
		}
	}
	return claims
}

// likeNumber writes a number as a word where the other one is a word.
func likeNumber(like string, n int) string {
	if isDigits(like) || n >= len(numberWords) {
		return strconv.Itoa(n)
	}
	word := numberWords[n]
	if strings.ToLower(like) != like {
		word = strings.ToUpper(word[:1]) + word[1:]
	}
	return word
}
