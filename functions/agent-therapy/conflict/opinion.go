package conflict

import "governance.internal/functions/agent-therapy/contrast"

// Bounds of what the network adds to a score. A pair that it cannot turn is not shown to it.
const (
	opinionShare = 800  // thousandths of what the network says
	mostOpinion  = 4800 // in either direction
)

// opinion returns what the network adds to the score of a pair. From one that a rule found it takes no more than
// the trust in the rule.
func opinion(reader *contrast.Reader, a, b *saying, trusted int) int {
	odds := contrast.Embedded().Disagreement(a.read(reader), b.read(reader))
	vote := max(-mostOpinion, min(odds*opinionShare/1000, mostOpinion))
	if trusted > 0 {
		return max(vote, -trusted)
	}
	return vote
}

// read returns a saying as the network reads it.
func (s *saying) read(reader *contrast.Reader) *contrast.Sentence {
	if s.sentence == nil {
		s.sentence = reader.Read(s.statement.Text)
	}
	return s.sentence
}
