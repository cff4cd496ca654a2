package scan

import "governance.internal/shared/textkit"

// Fact is something that was found in a workspace and that stands for a level of a dimension.
type Fact struct {
	Dimension string
	Level     int
	Found     string // one sentence
}

// FromFacts judges a workspace by what was found in it. The best fact of a dimension counts.
func FromFacts(facts []Fact) *Result {
	findings := make([]finding, len(topics))
	found := map[string][]string{}
	for i := range topics {
		findings[i].topic = &topics[i]
	}

	for _, fact := range facts {
		found[fact.Dimension] = append(found[fact.Dimension], fact.Found)
		for i := range findings {
			if findings[i].topic.name == fact.Dimension {
				findings[i].level = max(findings[i].level, fact.Level)
			}
		}
	}

	result := &Result{
		Score:        score(findings),
		Dimensions:   dimensions(textkit.New(""), findings),
		Prescription: prescribe(),
	}
	for i := range result.Dimensions {
		result.Dimensions[i].Found = found[result.Dimensions[i].Name]
	}
	result.addGaps(findings, reasonOfFacts)
	return result
}

// reasonOfFacts says why the level of a workspace is what it is.
func reasonOfFacts(f finding) string {
	switch f.level {
	case Absent:
		return "Nothing in the workspace shows the control. "
	case Named:
		return "What the workspace has is broken or empty. "
	case Stated:
		return "The workspace has it, and nothing enforces it. "
	}
	return "It is enforced, and nothing shows that the enforcement is checked. "
}
