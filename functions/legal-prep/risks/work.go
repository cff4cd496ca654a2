package risks

var workRules = []rule{
	{"non_compete", []string{
		`\b(?:not|never)\b[^.]{0,40}\b(?:open|start|run|set up|operate|found|own|launch|work (?:in|for|at)|join|take a job|teach|practi[cs]e)\b[^.]{0,80}\b(?:salon|bakery|shop|store|business|restaurant|clinic|studio|school|gym|practice|firm|company|agency|cafe|industry|trade|market|field)\b`,
		`\b(?:not|never|neither|refrain|no)\b[^.]{0,120}\b(?:compete|competes|competing|competitor|competitors|competitive|rival|rivals|same (?:line of )?(?:business|trade)|similar (?:business|services|products))\b`,
		`\bnon-?compet`,
		`\bnot\b[^.]{0,60}\b(?:work for|be employed by|join|own|open|operate|engage in)\b[^.]{0,80}\b(?:business|compan|firm|practice|industry|shop|store)\w*\b[^.]{0,60}\b(?:similar|same|like|compet|miles|kilomet)`,
	}, []string{
		`\b(?:may|can|is free to|nothing)\b[^.]{0,60}\b(?:work for|compete|prevents?|own)\b[^.]{0,40}\b(?:a competitor|competitors|competing|with|from)`,
		`\bproducts compete\b|\bcompetitive (?:salary|price|bid|pricing)\b`,
		`\bdoes not (?:prevent|restrict|prohibit)\b|\bnot (?:be )?(?:prevented|prohibited|restricted) from\b|\bno non-compete\b`,
		`\bdisclose\b[^.]{0,40}\bcompetitor`,
	}},
	{"broad_ip_assignment", []string{
		`\b(?:everything|anything|whatever|all (?:that )?)\b[^.]{0,60}\b(?:write|draw|invent|create|make|design|develop|produce|compose|conceive|build)\w*\b[^.]{0,100}\b(?:ours|belongs?|property|owned?|mine|theirs)\b`,
		`\b(?:transfers?|assigns?|gives?|hands? over|sells?)\b[^.]{0,60}\b(?:copyright|patent|rights?|title|ownership|inventions?)\b[^.]{0,30}\b(?:in|to|of) (?:all|any|every|each|everything)\b`,
		`\b(?:all|any|every)\b[^.]{0,40}\b(?:inventions?|works?|ideas?|creations?|discover(?:y|ies)|developments?|intellectual property|deliverables|materials|copyrights?)\b[^.]{0,160}\b(?:belongs?|property of|owned by|assign|vests?|transfer)`,
		`\b(?:assigns?|transfers?|conveys?)\b[^.]{0,60}\b(?:all|entire|every)\b[^.]{0,60}\b(?:right|title|interest|rights|intellectual property|inventions?|copyright|work)s?\b`,
		`\bworks? (?:made )?for hire\b`,
		`\b(?:whether or not|even if|regardless of whether|including)\b[^.]{0,60}\b(?:related to|connected with|own time|working hours|outside)\b`,
	}, []string{
		`\b(?:keeps?|retains?|remains?)\b[^.]{0,60}\b(?:all|its|own|his|her) (?:rights?|ownership|copyright|title)`,
		`\bnot (?:assign|transfer)|\bno assignment of\b|\bonly (?:a |the )?licen[cs]e\b|\bconsent\b`,
		`\bdebts?\b|\bcollateral\b|\brents\b|\bobligations\b`,
	}},
	{"prior_works_taken", []string{
		`\b(?:also|including|even|and)\b[^.]{0,60}\b(?:recorded|made|written|created|developed|invented|existing|drawn|conceived|composed)\b[^.]{0,20}\b(?:before|earlier|prior|previously|already|in the past)\b`,
		`\b(?:before|prior to|pre-?existing|existed before|previously|earlier|background)\b[^.]{0,120}\b(?:assign|belongs?|property of|transfer|owned by|vest)`,
		`\b(?:assign|belongs?|property of|transfers?|owned by|vest)\w*\b[^.]{0,160}\b(?:before|prior to|pre-?existing|existed before|previously|past)\b`,
	}, []string{
		`\b(?:keeps?|retains?|remains?|stay|excluded|excludes?|except)\b|\bnot (?:be )?(?:assign|transfer|includ|apply|belong|own)`,
		`\bprior (?:written )?(?:notice|consent)\b`,
		`\bbefore (?:the )?(?:end|payment|\d)|\bclaims?\b|\bassign this\b|\bdebt\b|\bprior to (?:the )?(?:assignment|transfer|closing)`,
	}},
	{"exclusivity", []string{
		`\b(?:only|sole) (?:one|person|company|firm|provider|seller|agent|supplier|partner|photographer)\b[^.]{0,40}\b(?:permitted|allowed|who|that|entitled|to)\b`,
		`\b(?:not|never|no)\b[^.]{0,30}\b(?:stock|sell|carry|offer|promote|use|wear|endorse|buy|serve|advertise)\b[^.]{0,40}\b(?:any other|another|other|competing|rival)\b`,
		`\bsole (?:source|supplier|provider|distributor|agent)\b|\b(?:all|100%|entire) (?:of )?(?:its|their|the \w+\'s) (?:needs|requirements|demand|output)\b`,
		`\b(?:sole and exclusive|exclusive)\b[^.]{0,60}\b(?:rights?|licen[cs]e|distribut|suppl|agent|agency|dealer|provider|representative|territor|basis|engage|vendor|manufactur)`,
		`\b(?:only|exclusively|solely)\b[^.]{0,60}\b(?:from|through|with|for)\b[^.]{0,80}\b(?:no other|nobody else|no one else|any other|other (?:source|supplier|client|person))`,
		`\b(?:exclusively|only) (?:purchase|buy|sell|work|use|deal|source|through|from|for)\b|\b(?:purchase|buy|source|obtain)s?\b[^.]{0,60}\b(?:exclusively|only) (?:from|through)\b`,
		`\b(?:not|neither|nor|no)\b[^.]{0,60}\b(?:appoint|engage|buy from|purchase from|sell to|use|hire|supply|deal with|list)\b[^.]{0,60}\b(?:any other|another|anyone else|other) (?:\w+ )?(?:distributor|supplier|agent|dealer|source|provider|vendor|broker|customer|person|seller|buyer|client)`,
		`\bwork for (?:nobody|no one|no other)\b`,
	}, []string{`\bnon-?exclusive`, `\bnot exclusive\b`, `\bexclusive (?:remed|jurisdiction|venue|property)\w*`, `\bnot (?:be )?required to (?:buy|purchase)\b`}},
	{"misclassification", []string{
		`\b(?:self-?employed|independent|contractor|freelance)\w*\b[^.]{0,160}\b(?:uniform|shifts?|dispatcher|roster|timetable|working hours|set hours|every (?:week)?day|permission|fixed (?:hours|place|salary)|nobody else|no one else|anybody else|company rules|report(?:s)? (?:daily|to (?:the|a) (?:manager|supervisor)))\b`,
		`\b(?:contractor|consultant|freelancer|driver|courier|stylist|provider|worker)\b[^.]{0,160}\b(?:fixed hours|from nine|nine to five|\w+ to \w+ (?:each|every) day|hours (?:set|fixed|determined|assigned)|schedule (?:set|fixed|assigned)|under the (?:direction|supervision|control)|uniform|as (?:the )?(?:company|client|manager)[^.]{0,20} directs|every working day|full[- ]time|supervis(?:or|ion)|clock in|may work for (?:nobody|no one)|permission before|at the (?:company|client)'s office)\b`,
		`\b(?:independent contractor|not an employee|no employee|self-employed)\b[^.]{0,200}\b(?:hours|supervis|direct(?:ion|s)|uniform|exclusively|full[- ]time|schedule|manager|only for)\b`,
	}, []string{
		`\bdecides? (?:how|when|where|its own)|\bown (?:hours|schedule|methods|tools)\b|\bfree to\b|\bmay (?:also )?(?:serve|work for) other`,
		`\bnot (?:be )?(?:subject to|under) (?:the )?(?:direction|supervision|control)|\bwithout (?:the )?supervision\b|\bno (?:fixed|set) hours\b|\bcontrols? (?:the|its) (?:manner|hours)`,
	}},
}
