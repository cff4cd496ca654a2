package risks

var liabilityRules = []rule{
	{"liability_cap", []string{
		`\b(?:not|never|no case|no event)\b[^.]{0,60}\b(?:pay|owe|answer for|be charged|recover)\b[^.]{0,20}\b(?:more than|above|over|beyond|in excess)\b[^.]{0,120}\b(?:liab|damage|loss|claim|cause)`,
		`\b(?:losses|damages?|claims?|compensation)\b[^.]{0,60}\b(?:capped|limited|restricted) (?:at|to)\b`,
		`\b(?:ceiling|cap|upper limit|maximum)\b[^.]{0,30}\b(?:is|of|equals?|at)\b[^.]{0,60}(?:\$|€|£|\bfees\b|\bprice\b)`,
		`\b(?:liab(?:ility|le)|responsib(?:ility|le)|damages|recover\w*|owe)\b[^.]{0,160}\b(?:limited to|not exceed|exceeds?|no more than|not more than|at most|capped at|greater than|in excess of|maximum of|up to|not be greater|the most)\b`,
		`\b(?:maximum|aggregate|total|entire|overall)\b[^.]{0,40}\bliability\b[^.]{0,80}(?:\$|€|£|\bfees?\b|\bamounts?\b|\bprice\b|\bdollars\b|\bsum\b)`,
		`\b(?:the )?most (?:that )?(?:we|it|either party|you|\w+) (?:can|will|may|would) (?:ever )?(?:owe|recover|pay|be liable)`,
		`\b(?:limit|cap)(?:ed|s)?\b[^.]{0,40}\bliability\b[^.]{0,40}\b(?:to|at)\b[^.]{0,40}(?:\$|€|£|\bfees\b|\bprice\b|#|\d)`,
	}, []string{`\binsurance\b|\bcoverage\b|\bpolicy limits\b`, `\bnot (?:limited|capped)\b[^.]{0,20}$`, `\bincluding,? but not limited to\b[^.]{0,200}$`}},
	{"uncapped_liability", []string{
		`\b(?:no|without(?: any| a)?) (?:ceiling|cap|upper limit|maximum|limit)\b[^.]{0,80}\b(?:pay|owe|liab|damage|loss|responsib|answer)`,
		`\b(?:answers?|liable|pays?|responsible) (?:in full )?(?:for )?(?:all|every|any)\b[^.]{0,60}\b(?:whatever|regardless of|no matter)\b[^.]{0,20}\b(?:the )?(?:amount|sum|size)`,
		`\b(?:this|the|that|such) (?:limit|cap|limitation|ceiling|maximum)\b[^.]{0,40}\b(?:not|never)\b[^.]{0,30}\b(?:apply|cover|extend|protect|hold|count)`,
		`\b(?:liability|liable|responsible|damages)\b[^.]{0,60}\b(?:unlimited|without (?:any )?limit(?:ation)?(?: in amount)?|not (?:be )?(?:limited|capped)|uncapped|no (?:limit|cap))\b`,
		`\bunlimited liability\b|\bwithout limit\b[^.]{0,40}\bliab`,
		`\b(?:except|excluding|other than|save|apart from|exception)\b[^.]{0,160}\b(?:indemnif|indemnit|confidential|gross negligence|wil+ful|fraud|infringement|data breach)\w*[^.]{0,160}\b(?:liability|liable|limit|exceed|cap)`,
		`\b(?:limitations?|limits?|cap|exclusions?)\b[^.]{0,80}\b(?:do(?:es)? not|shall not|will not|not) apply\b`,
		`\bliability\b[^.]{0,80}\bexceed[^.]{0,160}\b(?:except|other than|excluding|save)\b`,
	}, []string{`\blaw (?:does not|doesn't) (?:let|allow|permit)\b|\bcannot (?:be )?(?:lawfully )?(?:limit|exclude)|\b(?:prohibited|not permitted) by (?:applicable )?law\b|\b(?:required|mandatory) (?:by )?law\b|\bcannot be (?:limited|excluded)\b|\bmay not (?:be )?(?:limit|exclude)\w* (?:by|under) law`}},
	{"blanket_release", []string{
		`\b(?:gives? up|waives?|releases?|abandons?|renounces?|surrenders?|drops?)\b[^.]{0,30}\b(?:every|all|any(?: and all)?)\b[^.]{0,20}\b(?:claims?|rights? to sue|lawsuits?|actions?)\b`,
		`\breleas\w*\b[^.]{0,120}\b(?:all|any and all|every|any)\b[^.]{0,60}\b(?:claims?|liabilit|demands|causes of action|suits)`,
		`\b(?:waive|give up|discharge)s?\b[^.]{0,60}\b(?:all|every|any and all) (?:claims|rights to sue|causes of action|rights (?:of action|against))`,
		`\b(?:claims?)\b[^.]{0,60}\bknown (?:or|and) unknown\b`,
	}, []string{`\bnot\b[^.]{0,20}\breleas`, `\bdoes not\b`}},
	{"indemnity", []string{
		`\b(?:defend|protect|cover)s?\b[^.]{0,60}\b(?:against|from)\b[^.]{0,60}\b(?:lawsuits?|claims?|suits?|loss|losses|demands|liabilit)`,
		`\bpays?\b[^.]{0,40}\b(?:all|any|every)\b[^.]{0,40}\b(?:losses|damages|costs|fines|fees)\b[^.]{0,60}\b(?:that|which|suffers?|incurs?|because|arising|caused)`,
		`\b(?:bears?|takes? on|assumes?)\b[^.]{0,40}\b(?:all|every|any)\b[^.]{0,30}\b(?:loss|losses|claims|liabilit\w*|damage)\b`,
		`\b(?:indemnif(?:y|ies)|hold[^.]{0,40}harmless|holds? harmless|keep[^.]{0,30}indemnified)\b`,
		`\b(?:reimburse|compensate|make good|cover|make[^.]{0,20}whole)s?\b[^.]{0,60}\b(?:all|any|every|against)\b[^.]{0,60}\b(?:loss|losses|claims?|damages?|liabilit|legal costs|attorney)`,
		`\bindemnity\b[^.]{0,60}\b(?:from|by|to)\b`,
	}, []string{
		`\b(?:neither|no) party\b[^.]{0,40}\bindemnif`,
		`\bnot\b[^.]{0,20}\b(?:obliged|required|have|be) to indemnif|\bno (?:duty|obligation)\b[^.]{0,20}\bindemnif|\b(?:shall|will|must|does) not (?:have to )?indemnif`,
		`\b(?:except|excluding|save)\b[^.]{0,60}\bindemnif\w*\b[^.]{0,80}\b(?:liability|exceed)`,
	}},
}
