package risks

var housingAndLoanRules = []rule{
	{"personal_guarantee", []string{
		`\b(?:individual(?:ly)?|personal(?:ly)?|own (?:property|pocket|money|assets|house|savings))\b[^.]{0,80}\b(?:debts?|pay|rent|owes?|loan|obligations?)\b`,
		`\b(?:founder|owner|director|partner|member|shareholder|spouse|parent|co-?signer|signatory)s?\b[^.]{0,80}\b(?:own (?:pocket|property|money|assets)|individually|personally)\b`,
		`\bpersonal(?:ly)?\b[^.]{0,60}\b(?:guarant|liable|responsible|surety|answer)`,
		`\bguarant(?:ees?|ors?|y)\b[^.]{0,80}\b(?:personally|individually|own (?:assets|property|pocket|money)|as an individual|unconditionally)`,
		`\b(?:owner|director|officer|shareholder|member|principal|spouse|parent|president|founder|signer|undersigned)s?\b[^.]{0,80}\b(?:guarantees?|jointly and severally|stands? (?:surety|good)|answers? (?:with|for)|pay[^.]{0,30}(?:himself|herself|themselves|own))\b`,
	}, []string{`\bno (?:officer|director|shareholder|member|owner|person|personal)\b`, `\bnot\b[^.]{0,30}\b(?:personally|guarantee)`, `\bwithout personal\b`, `\bguarantees? that the (?:goods|products|work)`}},
	{"confession_of_judgment", []string{
		`\bconfess(?:es|ion)?\b[^.]{0,60}\bjudgm?ent`, `\bcognovit\b`, `\bwarrant of attorney\b`,
		`\b(?:judgm?ent)\b[^.]{0,80}\b(?:entered|taken|obtained)\b[^.]{0,60}\b(?:without (?:notice|a hearing|trial|process|any))`,
		`\bauthoriz\w*\b[^.]{0,80}\b(?:attorney|lawyer|lender)\b[^.]{0,80}\b(?:judgm?ent|admit)`,
		`\bconsents? to\b[^.]{0,40}\b(?:entry of )?judgm?ent\b[^.]{0,60}\bwithout\b`,
	}, []string{`\bno confession\b|\bnot (?:authorize|permit|allow)\b`}},
	{"acceleration", []string{
		`\b(?:owe|pay|repay|due|payable)\b[^.]{0,40}\b(?:full|whole|entire|all|complete|total|remaining)\b[^.]{0,40}\b(?:balance|loan|debt|amount|rest|sum|instal?lments)?\b[^.]{0,30}\b(?:immediately|at once|right away|on the spot|straight away|same day|now)\b`,
		`\b(?:all|every) (?:remaining |future |other )?(?:payments?|instal?lments?|amounts?|sums?)\b[^.]{0,30}\b(?:fall|become|are|is)\b[^.]{0,10}\bdue\b`,
		`\baccelerat`,
		`\b(?:whole|entire|full|all|remaining|outstanding|unpaid)\b[^.]{0,80}\b(?:balance|amount|principal|sum|loan|debt|rent|instal?lments|payments)\b[^.]{0,80}\b(?:due|payable)\b[^.]{0,40}\b(?:at once|immediately|on demand|forthwith|right away|without notice|straight away)\b`,
		`\b(?:immediately|at once) (?:become )?due\b`,
		`\b(?:demand|call|declare|require)s?\b[^.]{0,60}\b(?:full|entire|whole|all|immediate)\b[^.]{0,40}\b(?:repayment|payment|balance|amount|due|loan)`,
	}, []string{`\bvest(?:ing|ed)?\b|\bshares\b|\boptions\b`, `\bnot (?:be )?accelerat|\bmay not\b[^.]{0,40}\b(?:accelerate|demand|call)`}},
	{"cross_collateral", []string{
		`\b(?:security|collateral|secures?|pledge|pawn|stands?)\b[^.]{0,80}\b(?:any|all|every|each) (?:other )?(?:money|debts?|loans?|sums?|amounts?|obligations?|credits?)\b[^.]{0,60}\b(?:owe|future|later|now|today|other|ever)`,
		`\b(?:secures?|collateral|security|lien|mortgage|pledged?)\b[^.]{0,120}\b(?:all|any|every)\b[^.]{0,20}\b(?:other|future|present)\b[^.]{0,30}\b(?:debt|obligation|loan|indebtedness|amount|liabilit)`,
		`\bcross-?collateral`,
		`\b(?:secures?|security for|collateral for)\b[^.]{0,80}\b(?:now or (?:later|hereafter|in (?:the )?future)|present (?:and|or) future|existing (?:and|or) future|every debt|all debts|any debt)`,
	}, []string{`\bonly (?:this|the) (?:loan|note)\b|\bsecures only\b|\bnot secure\b|\bno other (?:debt|loan)\b`}},
	{"self_help_remedy", []string{
		`\b(?:may|can|will)\b[^.]{0,40}\b(?:switch off|shut off|cut off|turn off|cut|disconnect|stop)\b[^.]{0,40}\b(?:water|power|heat|electricity|gas|utilities)\b`,
		`\b(?:may|can|will)\b[^.]{0,60}\b(?:put|throw|move|carry|sell|dispose of|take|keep|tow)\b[^.]{0,40}\b(?:your|the tenant\'s|tenant\'s|his|her|borrower\'s) (?:things|belongings|furniture|goods|property|car|possessions)\b`,
		`\b(?:without|before)\b[^.]{0,30}\b(?:court|judicial|legal (?:process|proceedings|action)|going to court|court order|judge)\b`,
		`\b(?:change|replace) the locks\b|\block (?:the )?(?:tenant|lessee|you|occupant)?\s?out\b|\block-?out\b`,
		`\b(?:may|can|right to)\b[^.]{0,60}\b(?:shut off|cut off|disconnect)\b[^.]{0,40}\b(?:utilit|water|power|electric|heat)`,
		`\b(?:may|can|right to)\b[^.]{0,80}\b(?:repossess|seize|remove|take possession|take back)\b[^.]{0,80}\b(?:belongings|property|equipment|vehicle|collateral|goods|car|possessions)`,
		`\bself-?help\b`,
	}, []string{`\bonly (?:by|through|with|after)\b[^.]{0,30}\b(?:court|order|judgment|law)`, `\b(?:not|never|no)\b[^.]{0,20}\b(?:change the locks|self-?help|lock|shut off|repossess|remove)`, `\bsettled? without\b|\bdisputes?\b`}},
	{"entry_without_notice", []string{
		`\b(?:come|walk|go|step) (?:in|into|inside)\b[^.]{0,60}\b(?:whenever|any ?time|without|at will|unannounced|day or night|at any)\b`,
		`\b(?:enter|access|inspect|come (?:in|into)|visit)\w*\b[^.]{0,80}\b(?:without (?:any |prior |advance |giving )?(?:notice|warning|announc|asking|consent|permission|telling)|unannounced|at any (?:time|hour)|whenever|day or night|at all times)\b`,
		`\b(?:without (?:any |prior |advance )?(?:notice|warning)|unannounced|at any (?:time|hour)|whenever)\b[^.]{0,60}\b(?:enter|inspect|access to the (?:premises|apartment|flat|unit|home|house|room))\b`,
		`\bno notice\b[^.]{0,40}\b(?:to enter|before entry|entry|required)`,
	}, []string{`\b(?:not|never)\b[^.]{0,20}\benter`, `\bafter (?:giving )?[^.]{0,30}\bnotice\b`, `\benter(?:s|ed|ing)? into\b`, `\b(?:website|service|account|books|records|system)\b`}},
}
