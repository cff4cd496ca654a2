package lint

// The score multiplies, it does not average: every broken code of every server takes a share of
// what is left, so a clean server beside a broken one changes nothing and one more finding never
// raises the result. Integers with floor keep it the same on every platform.
const (
	fullScore  = 1_000_000
	perPoint   = fullScore / 100
	errorLimit = 59 // with any error, whatever the rest looks like
)

// keep is what remains of 1000 parts after a finding of this severity.
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

// score needs findings sorted by server and code: for each pair the gravest severity counts once.
func score(findings []Finding) int {
	rest, worst := fullScore, Severity("")
	for i := 0; i < len(findings); {
		gravest := findings[i].Severity
		j := i + 1
		for ; j < len(findings) && findings[j].Server == findings[i].Server && findings[j].Code == findings[i].Code; j++ {
			if findings[j].Severity.rank() > gravest.rank() {
				gravest = findings[j].Severity
			}
		}
		rest = rest * gravest.keep() / 1000
		if gravest.rank() > worst.rank() {
			worst = gravest
		}
		i = j
	}
	if worst == Error {
		return min(rest/perPoint, errorLimit)
	}
	return rest / perPoint
}
