package risks

const (
	can  = `(?:may|can|is entitled to|has the right to|shall be entitled to|reserves? the right to|is free to)`
	must = `(?:shall|will|must|agrees? to|is required to|has to|undertakes? to)`
)

var disputeRules = []rule{
	{"arbitration", []string{
		`\b(?:resolve|settle|decide|bring|submit)\b[^.]{0,60}\b(?:through|by|to|before|with) (?:an? |the )?(?:\w+ )?arbitrat`,
		`\bagrees? to (?:[a-z]+ ){0,2}arbitration\b|\bindividual arbitration\b`,
		`\bpanel of (?:\w+ )?arbitrators\b`,
		`\b(?:settled|resolved|decided|determined|submitted|referred|heard)\b[^.]{0,80}\barbitrat(?:ion|ors?)\b`,
		`\b(?:binding|final|mandatory|compulsory) arbitration\b`,
		`\barbitrators?\b[^.]{0,60}\b(?:decides?|final|binding|award)\b`,
		`\b(?:must|shall|will|agree to) (?:be )?arbitrated?\b`,
		`\bdecided by (?:a |one |a single |three )?(?:private |neutral |sole )?(?:arbitrator|arbiter)s?\b`,
		`\bprivate (?:judge|referee|decision-maker)\b[^.]{0,60}\binstead of (?:a )?court`,
	}, []string{
		`\b(?:not|nothing|no party|neither party)\b[^.]{0,40}\b(?:required|obliged|bound|have) to (?:submit to )?arbitrat`,
		`\bno arbitration\b|\bshall not be (?:subject to|settled by) arbitration\b|\bexcluded from arbitration\b`,
	}},
	{"class_action_waiver", []string{
		`\b(?:not|never|nobody|no one|cannot)\b[^.]{0,60}\b(?:be (?:combined|consolidated|joined)|on behalf of (?:a |any )?(?:group|class|others)|join(?:tly)? with others|together with (?:the claims of )?others|as a group)\b`,
		`\bclass[- ](?:actions?|wide|arbitration|proceeding)[^.]{0,80}\b(?:waive|not permitted|not allowed|prohibited|give up|barred)`,
		`\b(?:waives?|give up|relinquish|forgo|not|no|without|neither)\b[^.]{0,120}\b(?:class[- ]action|class or representative|collective|representative (?:action|proceeding|capacity)|member of a class|class member|class proceeding|consolidated)`,
		`\bonly (?:in|on) (?:your|its|his|her|their|an?) (?:own|individual) (?:name|behalf|capacity)\b`,
		`\bindividual(?:ly)? (?:basis|claims?) only\b|\bon an individual basis\b[^.]{0,40}\bnot\b|\bjoin (?:your |its |a )?(?:claim|case)s? (?:with|to)\b[^.]{0,40}\bothers?\b`,
	}, []string{`\bnothing\b[^.]{0,60}\b(?:waive|limit|prevent)`, `\bmay (?:still )?(?:join|bring|take part in) a class`, `\bdo(?:es)? not (?:waive|give up)\b`}},
	{"jury_waiver", []string{
		`\b(?:waives?|waiving|waiver|give up|gives up|relinquish\w*|forgoes?|no right to)\b[^.]{0,100}\b(?:jury|jurors?)\b`,
		`\bjury\b[^.]{0,60}\b(?:waived|is given up|excluded)\b`,
		`\b(?:judge|court) (?:alone|without a jury)\b|\bwithout a jury\b`,
	}, []string{`\bnothing\b[^.]{0,60}\b(?:limits?|waives?)\b`, `\bdo(?:es)? not (?:waive|give up)\b|\bno (?:party|one) waives\b`}},
	{"governing_law", []string{
		`\b[a-z]+ law (?:shall |will |alone )?(?:applies|apply|governs?|controls?|decides)\b`,
		`\bsubject to (?:and \w+ )?(?:the )?laws? of\b`,
		`\b(?:under|according to|by) the laws? of (?:the )?(?:state|province|commonwealth|republic|kingdom|[a-z]+) (?:of )?[a-z]+\b[^.]{0,40}\b(?:read|decided|judged|understood)\b`,
		`\b(?:governed|construed|interpreted)\b[^.]{0,120}\b(?:laws?|legislation)\b`,
		`\blaws? of [^.]{2,60}\b(?:applies|apply|governs?|controls?)\b`,
		`\b(?:english|german|swiss|french|dutch|irish|california|texas|delaware|new york|\w+(?:ish|ian|ese)) law (?:shall |will )?(?:applies|apply|governs?)\b`,
		`\bgoverning law\b`,
	}, []string{`\bcompl(?:y|ies|iance) with (?:all )?(?:applicable )?laws?\b`}},
	{"venue_foreign", []string{
		`\b(?:exclusive|sole)(?:ly)?\b[^.]{0,40}\b(?:jurisdiction|venue|forum|competen)[^.]{0,100}\b(?:` + foreignPlaces + `)\b`,
		`\b(?:courts?|tribunals?) (?:of|in|at|located in|sitting in) (?:the )?(?:city of )?(?:` + foreignPlaces + `)\b`,
		`\b(?:` + foreignPlaces + `)\b[^.]{0,60}\b(?:courts?|tribunals?)\b[^.]{0,60}\b(?:exclusive|jurisdiction|only)\b`,
		`\b(?:sue|brought|bring|filed?|heard|litigated)\b[^.]{0,50}\bonly in\b`,
	}, nil},
}

const foreignPlaces = `singapore|england|london|hong kong|ireland|dublin|cyprus|luxembourg|switzerland|zurich|geneva|germany|berlin|munich|france|paris|netherlands|amsterdam|israel|india|mumbai|china|beijing|shanghai|japan|tokyo|australia|sydney|canada|toronto|bermuda|cayman islands|british virgin islands|malta|estonia|panama|dubai|mauritius|vienna|austria|sweden|stockholm`
