package lint

// The score is a product, not an average: every secret and every other broken code of a server takes
// a share of the rest. A clean server beside a broken one changes nothing, and one more finding never
// raises the result. An error keeps the score below that of any document without one.
// Integers with floor, in a fixed order, keep it the same on every platform.
const (
	fullScore  = 1_000_000
	perPoint   = fullScore / 100
	errorLimit = 59 // max score with an error
	warnFloor  = 60 // min score without one
)

// keep returns the share, in thousandths, that remains after a finding of this severity.
func (s Severity) keep() int {
	switch s {
	case Error:
		return 700
	case Warn:
		return 920
	case Info:
		return 985
	}
	return 1000
}

// score counts each literal secret, and otherwise the highest severity of each code of each server.
func (r *report) score() int {
	type slot struct {
		server *server
		code   string
		secret *place
	}

	gravest := map[slot]Severity{}
	for _, e := range r.entries {
		at := slot{e.server, e.rule.Code, e.secret}
		if e.severity.rank() > gravest[at].rank() {
			gravest[at] = e.severity
		}
	}

	count := map[Severity]int{}
	for _, severity := range gravest {
		count[severity]++
	}

	rest := fullScore
	for _, severity := range []Severity{Error, Warn, Info} {
		for range count[severity] {
			rest = rest * severity.keep() / 1000
		}
	}

	if count[Error] > 0 {
		return min(rest/perPoint, errorLimit)
	}
	return max(rest/perPoint, warnFloor)
}
