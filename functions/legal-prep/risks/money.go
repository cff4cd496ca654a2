package risks

var moneyRules = []rule{
	{"payment_terms", []string{
		`\b(?:half|part|rest|balance|remainder|deposit|percent|%) [^.]{0,40}\b(?:due|payable|paid) (?:on|upon|at|when|by|within)\b`,
		`\bpay (?:by|before|within|on) (?:the )?\w+`,
		`\b(?:pay|pays|paid|payable|due|remit|settle)\b[^.]{0,60}\b(?:within|no later than|by the|on the|upon|before|in advance|each month|monthly|every month|net)\b`,
		`\binvoices?\b[^.]{0,60}\b(?:due|payable|paid|pay)\b`,
		`\bpay(?:s|able)?\b[^.]{0,60}\b(?:invoice|per month|a month|per hour|an hour|instal?lments?|salary|rent|fees?)\b`,
		`\b(?:rent|fee|price|salary|instal?lment|purchase price)\b[^.]{0,50}\b(?:is|are|shall be|will be) (?:due|payable|paid)\b`,
		`\bnet[ -](?:15|30|45|60|90)\b`,
	}, []string{`\bno (?:interest|fee|payment|charge)\b`, `\bnot (?:be )?(?:paid|payable|due)\b`, `\btotal liability\b|\baggregate liability\b`}},
	{"late_fee", []string{
		`\bnot (?:been )?paid (?:on time|when due|by)\b[^.]{0,80}\b(?:grow|increase|bear|rise|attract|accrue|cost)`,
		`\b(?:after (?:that|this)|later|afterwards)\b[^.]{0,40}\b(?:add|charge)\b[^.]{0,20}(?:\$|€|£|\bfee\b|\bcharge\b|%)`,
		`\blate (?:payments?|rent)\b[^.]{0,50}\b(?:cost|fee|charge|interest|\$)`,
		`\b(?:late|overdue|unpaid|past[- ]due|outstanding|delinquent|delayed)\b[^.]{0,100}\b(?:interest|charge|fee|penalty|surcharge)\b[^.]{0,60}(?:%|percent|per cent|\$|#|\d|per month|per day|maximum)`,
		`\b(?:late|default)[- ](?:fee|charge|interest|payment fee|payment charge|penalty)\b`,
		`\b(?:interest|surcharge|fee) (?:of|at)\b[^.]{0,80}\b(?:late|overdue|past due|unpaid|until paid|delay)`,
		`\bif\b[^.]{0,60}\bnot (?:paid|received)\b[^.]{0,80}\b(?:owes?|pays?|charged?|added|interest)\b`,
	}, []string{`\bno (?:interest|late fee|late charge|charge|penalty)\b`, `\bwithout (?:interest|penalty|a late)`}},
	{"unilateral_price_change", []string{
		`\b(?:free to|may|can|whenever)\b[^.]{0,60}\b(?:set|charge|introduce|demand|ask)\b[^.]{0,30}\b(?:different|higher|new|other)\b[^.]{0,20}\b(?:fees?|prices?|rates?|rent|charges?|amounts?)\b`,
		`\b(?:prices?|fees?|rates?|rent)\b[^.]{0,60}\b(?:from time to time|as we see fit|at our discretion|whenever)\b[^.]{0,20}`,
		`\b(?:may|can|right to|entitled to|discretion)\b[^.]{0,60}\b(?:increase|raise|change|adjust|modify|revise|amend|set new|alter)\b[^.]{0,40}\b(?:prices?|fees?|rates?|charges?|rent|premiums?|interest rate|tariffs?)\b`,
		`\b(?:prices?|fees?|rates?|charges?|rent)\b[^.]{0,40}\b(?:may|can) be (?:increased|raised|changed|adjusted|revised|modified)\b`,
		`\b(?:prices?|fees?|rates?|charges?|rent)\b[^.]{0,30}\b(?:are |is )?(?:subject to change|may (?:change|go up|rise))\b`,
	}, []string{
		`\b(?:index|cpi|inflation|formula|published rate|prime rate|benchmark|libor|sofr)\b`,
		`\b(?:may|can|shall|will) not\b[^.]{0,40}\b(?:increase|raise|change|adjust)`,
		`\bmutual(?:ly)?\b|\bwith (?:the )?(?:prior )?(?:written )?(?:consent|agreement)\b|\bboth parties\b|\bparties (?:may )?agree\b`,
		`\b(?:tenant|customer|client|buyer|employee|you) (?:may|can) (?:change|adjust)`,
	}},
	{"auto_renewal", []string{
		`\b(?:rolls? over|roll into|renews?|is renewed|extends?|continues?|goes on|starts? again|prolong(?:s|ed)?)\b[^.]{0,120}\b(?:if you do not|if (?:neither|no) (?:party|side|one)|unless|if (?:the )?\w+ (?:does|do) not|until (?:you )?cancel)`,
		`\b(?:if|unless)\b[^.]{0,60}\b(?:cancel|object|notice|stop|nothing)\w*\b[^.]{0,60}\b(?:rolls? over|renews?|is renewed|continues|is extended|begins|starts)\b`,
		`\b(?:automatically|shall|will)\b[^.]{0,60}\b(?:renew|renews|renewed|extend|extends|extended|roll over)\b[^.]{0,160}\b(?:unless|until|successive|additional|further|period|term)\b`,
		`\b(?:renews|extends|rolls over|is renewed|is extended|renew)\b[^.]{0,40}\b(?:automatically|itself|by itself)\b`,
		`\b(?:automatic(?:ally)?|auto)[- ](?:renew|extend)`,
		`\bunless\b[^.]{0,80}\b(?:cancel|notice|objects?|opts? out|terminat)[^.]{0,80}\b(?:renew|continue|extend|charged|another|next|further)`,
		`\b(?:continues?|another|further|new) (?:for )?(?:a |an |another )?(?:further |new |additional )?(?:year|term|month|period)\b[^.]{0,60}\bunless\b`,
	}, []string{
		`\b(?:not|never)\b[^.]{0,20}\b(?:renew|extend|be renewed|be extended|roll over)`,
		`\bno automatic renewal\b`,
		`\bonly (?:by|if|with)\b[^.]{0,40}\b(?:signed|written|agreement|agree)`,
	}},
	{"liquidated_damages", []string{
		`\b(?:cancellation|exit|break|termination|withdrawal|no-show|departure)[- ](?:fee|charge|penalty|payment|sum)\b`,
		`\b(?:fixed|agreed|flat|lump) (?:sum|amount|penalty)\b[^.]{0,60}`,
		`\b(?:leaves?|quits?|ends?|cancels?)\b[^.]{0,60}\b(?:early|before)\b[^.]{0,80}\b(?:fee|penalty|owes?|pays?|forfeits?)\b`,
		`\b(?:each|every) (?:breach|violation|day of delay)\b[^.]{0,60}\b(?:owes?|pays?|forfeits?|fine)\b`,
		`\bliquidated damages\b`,
		`\b(?:early[- ](?:termination|cancellation|exit|withdrawal)|termination|cancellation|break)[- ](?:fee|charge|penalty|payment)\b`,
		`\b(?:pay|forfeit|owe)s?\b[^.]{0,60}(?:\$|€|£|percent|%|\bsum\b)[^.]{0,60}\b(?:for each|per|every) (?:day|week|breach|violation)\b[^.]{0,60}\b(?:delay|late|breach)?`,
		`\bfor (?:each|every) (?:day|week|breach|violation)\b[^.]{0,80}\b(?:pay|owe|forfeit)`,
		`\bcontractual penalty\b|\bagreed (?:sum|damages)\b|\bgenuine pre-estimate\b`,
	}, []string{`\bno (?:liquidated damages|early termination fee|cancellation fee|penalty)\b`, `\bwithout (?:any )?(?:liquidated damages|penalty|fee)\b`}},
}
