package hook

import "strings"

// Diff shows what changes in a text, line by line: - is gone, + is new. Unchanged
// lines are left out.
func (c Change) Diff() string {
	before := strings.SplitAfter(c.Before, "\n")
	after := strings.SplitAfter(c.After, "\n")
	// common[i][j] is how many lines before[i:] and after[j:] share, in order.
	common := make([][]int, len(before)+1)
	for i := range common {
		common[i] = make([]int, len(after)+1)
	}

	for i := len(before) - 1; i >= 0; i-- {
		for j := len(after) - 1; j >= 0; j-- {
			if common[i][j] = max(common[i+1][j], common[i][j+1]); before[i] == after[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}

	var b strings.Builder
	i, j := 0, 0
	for i < len(before) || j < len(after) {
		switch {
		case i < len(before) && j < len(after) && before[i] == after[j]:
			i, j = i+1, j+1
		case j == len(after) || i < len(before) && common[i+1][j] >= common[i][j+1]:
			show(&b, "-", before[i])
			i++
		default:
			show(&b, "+", after[j])
			j++
		}
	}

	return b.String()
}

func show(b *strings.Builder, sign, line string) {
	if line != "" {
		b.WriteString(sign + strings.TrimSuffix(line, "\n") + "\n")
	}
}
