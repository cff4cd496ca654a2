package risks

var liabilityRules = []rule{
	{"liability_cap", []string{
		`\b(?:liab(?:ility|le)|responsib(?:ility|le)|damages|recover\w*|owe)\b[^.]{0,160}\b(?:limited to|not exceed|exceeds?|no more than|not more than|at most|capped at|greater than|in excess of|maximum of|up to|not be greater|the most)\b`,
		`\b(?:maximum|aggregate|total|entire|overall)\b[^.]{0,40}\bliability\b[^.]{0,80}(?:\$|€|£|\bfees?\b|\bamounts?\b|\bprice\b|\bdollars\b|\bsum\b)`,
		`\b(?:the )?most (?:that )?(?:we|it|either party|you|\w+) (?:can|will|may|would) (?:ever )?(?:owe|recover|pay|be liable)`,
		`\b(?:limit|cap)(?:ed|s)?\b[^.]{0,40}\bliability\b[^.]{0,40}\b(?:to|at)\b[^.]{0,40}(?:\$|€|£|\bfees\b|\bprice\b|#|\d)`,
	}, []string{`\binsurance\b|\bcoverage\b|\bpolicy limits\b`, `\bnot (?:limited|capped)\b[^.]{0,20}$`, `\bincluding,? but not limited to\b[^.]{0,200}$`}},
	{"uncapped_liability", []string{
		`\b(?:liability|liable|responsible|damages)\b[^.]{0,60}\b(?:unlimited|without (?:any )?limit(?:ation)?(?: in amount)?|not (?:be )?(?:limited|capped)|uncapped|no (?:limit|cap))\b`,
		`\bunlimited liability\b|\bwithout limit\b[^.]{0,40}\bliab`,
		`\b(?:except|excluding|other than|save|apart from|exception)\b[^.]{0,160}\b(?:indemnif|indemnit|confidential|gross negligence|wil+ful|fraud|infringement|data breach)\w*[^.]{0,160}\b(?:liability|liable|limit|exceed|cap)`,
		`\b(?:limitations?|limits?|cap|exclusions?)\b[^.]{0,80}\b(?:do(?:es)? not|shall not|will not|not) apply\b`,
		`\bliability\b[^.]{0,80}\bexceed[^.]{0,160}\b(?:except|other than|excluding|save)\b`,
	}, []string{`\blaw (?:does not|doesn't) (?:let|allow|permit)\b|\bcannot (?:be )?(?:lawfully )?(?:limit|exclude)|\b(?:prohibited|not permitted) by (?:applicable )?law\b|\b(?:required|mandatory) (?:by )?law\b|\bcannot be (?:limited|excluded)\b|\bmay not (?:be )?(?:limit|exclude)\w* (?:by|under) law`}},
	{"blanket_release", []string{
		`\breleas\w*\b[^.]{0,120}\b(?:all|any and all|every|any)\b[^.]{0,60}\b(?:claims?|liabilit|demands|causes of action|suits)`,
		`\b(?:waive|give up|discharge)s?\b[^.]{0,60}\b(?:all|every|any and all) (?:claims|rights to sue|causes of action|rights (?:of action|against))`,
		`\b(?:claims?)\b[^.]{0,60}\bknown (?:or|and) unknown\b`,
	}, []string{`\bnot\b[^.]{0,20}\breleas`, `\bdoes not\b`}},
	{"indemnity", []string{
		`\b(?:indemnif(?:y|ies)|hold[^.]{0,40}harmless|holds? harmless|keep[^.]{0,30}indemnified)\b`,
		`\b(?:reimburse|compensate|make good|cover|make[^.]{0,20}whole)s?\b[^.]{0,60}\b(?:all|any|every|against)\b[^.]{0,60}\b(?:loss|losses|claims?|damages?|liabilit|legal costs|attorney)`,
		`\bindemnity\b[^.]{0,60}\b(?:from|by|to)\b`,
	}, []string{
		`\b(?:neither|no) party\b[^.]{0,40}\bindemnif`,
		`\bnot\b[^.]{0,20}\b(?:obliged|required|have|be) to indemnif|\bno (?:duty|obligation)\b[^.]{0,20}\bindemnif|\b(?:shall|will|must|does) not (?:have to )?indemnif`,
		`\b(?:except|excluding|save)\b[^.]{0,60}\bindemnif\w*\b[^.]{0,80}\b(?:liability|exceed)`,
	}},
}
