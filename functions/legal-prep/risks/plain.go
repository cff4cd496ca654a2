package risks

import (
	"fmt"
	"strings"
)

// Word groups of plain language.
const (
	outsiders = `anyone|anybody|others?|outsiders?|outside|third part(?:y|ies)|strangers?|other (?:people|persons|firms)|competitors?|the (?:public|press)`
	knowledge = `information|what|everything|anything|recipes?|drawings?|software|(?:price |customer )?lists?|plans?|figures|documents?|papers?|files?|know-?how|details|designs?|methods?|books|terms|content|materials?|samples?|contract`
	people    = `(?:customers?|users?|members?|people|others|tenants?|workers?|employees?|consumers?|passengers?|claimants?|persons?|subscribers?|buyers?|borrowers?)`
	anyTime   = `whenever|at any (?:time|moment|point)|any (?:time|day)|from one day to the next|as (?:we|it|he|she|they) (?:sees?|thinks?|likes?|wants?|pleases?|chooses?)|sees? fit|at (?:our|its|his|her|their) (?:own )?(?:choice|will|pleasure|option)`
	noReason  = anyTime + `|no reason|any reason|any cause|or none|without (?:a |any |giving |stating |telling )?(?:reason|cause|explanation|grounds|why)|need not (?:say|tell|explain|give)`
	all       = `all|every|any|each|everything|whole|entire|full|complete|remaining|rest`
	atOnce    = `at once|immediately|right away|straight away|on the spot|the same day|on demand|forthwith|now`
	writings  = `terms|conditions|rules|agreement|contract|polic(?:y|ies)|handbook|regulations?|guidelines|page|provisions`
	prices    = `prices?|price list|list|fees?|rates?|rents?|charges?|dues|tariffs?|premiums?|contributions?|subscriptions?|interest`
)

// near joins groups of words that follow each other in one thought, with at most so many
// characters between two of them.
func near(gap int, groups ...string) string {
	var parts []string
	for _, g := range groups {
		parts = append(parts, `\b(?:`+g+`)\b`)
	}
	return strings.Join(parts, fmt.Sprintf(`[^.]{0,%d}`, gap))
}

// plainRules find what is said without the usual legal words.
var plainRules = []rule{
	{"confidentiality", []string{
		near(70, `not|never|nobody|no one|neither`, `pass|passes|hand|hands|give|gives|show|shows|share|lets?|repeat|mention|leak|copy|tell|tells`, knowledge, outsiders),
		near(70, knowledge, `not|never|nobody|no one|neither`, `pass|passes|handed|given|shown|shared|repeat|repeated|mention|mentioned|leak|leaked|leaves?|told`, outsiders),
		near(80, `not|never|nobody|no one|neither`, `lets?|allows?`, outsiders, `see|read|look|copy|use|know`),
		near(80, knowledge, `stays?|remains?`, `with (?:you|us|him|her|them|the)|between|among|inside|in (?:the|this) (?:room|house)`),
		near(30, `keeps?|kept`, `to (?:yourself|yourselves|himself|herself|itself|themselves|ourselves)`),
		near(60, `duty|promise|obligation`, `silence|discretion|secrecy`),
	}, []string{`\bnot (?:be )?(?:deemed |considered )?confidential\b`}},
	{"data_protection", []string{
		near(80, `stores?|keeps?|records?|collects?|shares?|saves?|process(?:es)?|handles?|passes?|deletes?|scans?|logs?|holds?|uses?`, `home addresses|(?:tele)?phone numbers?|birth(?:days?|dates?)|dates? of birth|e-?mail addresses|fingerprints?|faces|passports?|health|medical|identifiable (?:individuals|persons|people)|social security|whereabouts`),
		near(20, `data|information|records?|details`, `about|on|of|concerning`, `individuals|identifiable|living persons?|children|patients?|pupils?|your (?:customers|staff|guests)|natural persons?`),
	}, nil},
	{"arbitration", []string{
		near(120, `disputes?|claims?|quarrels?|differences|disagreements?|controvers(?:y|ies)|conflicts?`, `arbitrators?|arbitration|arbitral|tribunal of|umpire|american arbitration|court of arbitration`),
		near(60, `arbitral`, `tribunal|award|institution|rules|seat`),
	}, []string{`\bno arbitration\b|\bnot\b[^.]{0,40}\barbitrat`}},
	{"class_action_waiver", []string{
		near(80, `not|no|never|cannot|waives?|only alone`, `lawsuits?|claims?|proceedings?|case|actions?|suits?|court`, `(?:for|of|by|with|behalf of|together with) (?:many|several|other|all|multiple|a group of|more than one) `+people),
		near(60, `(?:claims?|cases?|complaints?) of (?:several|many|different|multiple|other) `+people, `not|never|cannot`, `one|single|same|together|joined|combined|heard`),
		near(60, `not|no|never|cannot`, `act|sue|claim|speak|appear`, `for others|for other `+people+`|on behalf of others`),
	}, []string{`\bmay (?:still )?(?:join|bring|take part)`}},
	{"payment_terms", []string{
		near(60, `wages?|salar(?:y|ies)|rent|fees?|price|commissions?|royalt(?:y|ies)|instal?lments?|invoices?|bills?|deposit|balance|amounts?|remuneration|honorarium|dues`, `paid|payable|due|transferred|credited|remitted|settled|falls? due|deducted|collected`, `on|within|by|every|each|monthly|weekly|yearly|quarterly|after|before|upon|when|at the (?:end|start|beginning)|in advance`),
		near(60, `bills?|invoices?|pays?|transfers?|remits?`, `every|each|within|monthly|weekly|quarterly|in advance|at the (?:end|start|beginning)`, `months?|weeks?|days?|quarters?|years?|delivery|signing`),
	}, []string{`\bno (?:interest|fee|payment|charge)\b|\bnot (?:be )?(?:paid|payable|due)\b|\bliab`}},
	{"late_fee", []string{
		near(60, `pays? (?:after|late|later|too late)|paid (?:after|late|later|too late)|pay late|behind with|in arrears|payment is late|miss(?:es)? the (?:date|deadline)`, `owes?|adds?|added|another|extra|more|fee|charge[sd]?|interest|costs?`),
		near(60, `(?:each|every|per) (?:day|week|month) (?:of delay|late|overdue|behind)`, `adds?|added|charge[sd]?|extra|interest`, `bills?|payments?|rent|invoices?|amounts?|sums?|balance|percent|%`),
		near(60, `interest|surcharge|extra charge|reminder fee|dunning fee|penalty fee`, `late|overdue|not paid|unpaid|delayed|arrears|after the due date`),
		near(60, `arrears|overdue|late payments?`, `interest|extra|surcharge|reminder fee`),
	}, []string{`\b(?:no|never|not|without)\b[^.]{0,40}\b(?:interest|late fee|charge|extra|penalty|surcharge)\b`}},
	{"unilateral_change_of_terms", []string{
		near(60, `rewrites?|changes?|updates?|revises?|edits?|adapts?|alters?|replaces?|modif(?:y|ies)|amends?|redraw`, writings, anyTime+`|without (?:asking|your|the|any|prior|first)|alone`),
		near(60, anyTime, `rewrite|change|update|revise|edit|adapt|alter|replace|modify|amend`, writings),
		near(60, `using|use|stay(?:ing)?|continu(?:e|ing)|log(?:ging)? in|open(?:ing)? the app`, `means?|counts? as|is taken as|shows?|amounts? to`, `agree|agreed|accept|accepted|acceptance|consent`),
		near(50, `(?:newest|latest|current|most recent) (?:version|edition|text)`, `counts?|applies|apply|binds?|binding|governs|controls|decides`),
		near(60, `can|may|right to`, `alter|change|vary|redefine|reassign|move`, `duties|place of work|working hours|tasks|handbook|job|role`, `without|at any time|at will|alone|as it`),
	}, []string{
		`\b(?:both|each) (?:of us|part(?:y|ies)|sides?)\b|\bsignatures? of\b|\bsigned by\b|\bmutual`,
		`\b(?:may|can|shall|will) not\b[^.]{0,60}\b(?:change|modify|amend|update|alter)`, `\bask(?:s|ed)? for your consent\b|\byou (?:may|can) (?:reject|refuse|object)`,
	}},
	{"unilateral_price_change", []string{
		near(40, `may|can|right to|free to|entitled to|able to`, `put up|raise|increase|set|fix|adjust|change|revise|review|lift`, prices),
		near(60, `at whatever|whatever|any`, `rate|price|fee|amount`, `we (?:then|now|later)|it (?:then|later)|then|from time to time`),
		near(40, `what(?:ever)? (?:our|the|its) price list says`),
	}, []string{
		`\b(?:index|cpi|inflation|formula|published (?:rate|index)|prime rate|benchmark)\b`, `\b(?:may|can|shall|will) not\b`,
		`\b(?:mutual\w*|both|agree|consent)\b`, `\b(?:tenant|customer|client|buyer|employee|you) (?:may|can) (?:change|adjust|set)`,
	}},
	{"auto_renewal", []string{
		near(120, `go(?:es)? on|carr(?:y|ies) on|keeps? (?:running|going|billing|charging)|runs? on|continues?|prolonged|extended|renews?|renewed|switch(?:es)? to|turns? into|converts? to|rolls?|starts? (?:anew|again)`, `unless|until (?:you|one|either|a party|someone)|without (?:a )?(?:notice|cancellation|word)|if (?:nobody|no one|neither|you (?:do not|say nothing))|by itself|each time|of its own accord`),
		near(100, `without|unless|absent|lacking|if (?:nobody|no one|neither)`, `notice|cancels?|cancelled|cancellation|writes?|tells?|objects?|objection|word`, `prolonged|extended|renews?|renewed|goes on|continues|runs on|another (?:year|term|period|month)|starts`),
	}, []string{`\b(?:not|never)\b[^.]{0,20}\b(?:renew|extend|prolong|roll over)`, `\bif (?:we )?both\b|\bby agreement\b|\bonly (?:by|if|with)\b`}},
	{"liability_cap", []string{
		near(60, `the most|at most|no more than|never more than|not more than`, `pay|pays|owe|owes|recover|claim|receive|answer for|liable`, `\$|€|£|paid|fees?|price|premium|value|months|year|order`),
		near(50, `responsib(?:le|ility)|liab(?:le|ility)|compensation|damages`, `ends? at|stops? at|goes? up to|goes? no further than|is capped|no higher than|does not go beyond`),
		near(60, `pays?|owes?|liable|answers?|responsible`, `never|not|no`, `more than|beyond|above|over`, `paid|fees?|price|premium|value|order|twelve months`),
	}, []string{`\binsurance\b|\bcoverage\b|\bdeductible\b`}},
	{"uncapped_liability", []string{
		near(40, `liable|answers?|responsible|pays?|reimburses?|compensates?`, all+`|in full|fully`, `whatever (?:its|the) (?:amount|size|sum)|however (?:high|large|great|much)|regardless of (?:the |its )?(?:amount|size)|without (?:any )?(?:upper )?(?:limit|cap|ceiling)`),
		near(40, `in full|fully|entirely|unlimited`, `without|no`, `upper limit|limit|cap|ceiling|maximum`),
	}, []string{`\blaw (?:does not|forbids|prohibits)|\bforbids such a limit\b`}},
	{"termination_convenience_one_sided", []string{
		near(60, `can|may|free to|right to|entitled to`, `end|stop|close|terminate|cancel|leave|dismiss|expel|drop|walk away|withdraw|asks? [^.]{0,20}to leave|send [^.]{0,20}away|let [^.]{0,12} go`, noReason),
		near(60, noReason, `can|may|free to|entitled to`, `end|stop|close|terminate|cancel|dismiss|expel|drop|walk away`),
	}, []string{bothSides, `\b(?:each|either|both|any) of us\b|\bboth (?:sides|parties)\b`, `\bif\b[^.]{0,60}\b(?:breach|default|fails|do not pay|does not pay)`, `\b(?:may|can) not\b|\bcannot\b`}},
	{"non_compete", []string{
		near(60, `after (?:leaving|the end|this contract|she leaves|he leaves|termination|employment)|for (?:a|one|two|three|five) years?|for (?:six|twelve|\d+) months|again`, `not|never|no`, `cook|teach|work|drive|coach|train|sell|treat|perform|consult|practi[cs]e|run|open|take part in|operate|found|serve|join`, `another|others?|rival|compet\w+|same (?:line|trade|field|kind|business)|similar|elsewhere|nearby|within`),
		near(40, `never again|not again|never`, `run|runs|open|opens|take part in|operate|found|own|work in`, `(?:a |another )?(?:bakery|shop|store|business|restaurant|clinic|studio|school|gym|practice|firm|company|agency|salon|farm|hotel|bar)`),
		near(40, `works?|teach(?:es)?|cooks?|coach(?:es)?|trains?|plays?|performs?|drives?|consults?`, `in|for|at|with`, `no other (?:studio|firm|company|club|school|restaurant|clinic|team|agency|gym|salon|practice)`),
	}, []string{`\bfree to work\b|\bmay (?:also )?work for\b`}},
	{"personal_guarantee", []string{
		near(60, `in (?:his|her|their|my|your|its) own name|as a private person|privately|personally|with (?:his|her|their|my|your) own (?:property|money|house|assets|savings)`, `answers?|stands?|owes?|pays?|liable|signs?|responsible|debts?|rent|loan`),
		near(60, `signs?|stands?|answers?|vouch(?:es)?`, `in (?:his|her|their|my|your) own name|personally|private(?:ly)?|own (?:property|money|house|assets|savings)`),
	}, []string{`\bno (?:officer|director|shareholder|member|owner|person|personal)\b|\bnot\b[^.]{0,30}\bpersonally\b`}},
	{"confession_of_judgment", []string{
		near(60, `enters?|entry of|takes?|obtains?|gets?|allows?|authori[sz]es?`, `judgm?ent`, `no|without`, `notice|trial|hearing|process|lawsuit`),
		near(60, `admits?|acknowledges?|concedes?|confess(?:es)?`, `debt|claim|guilt|judgm?ent`, `court|hearing|without`),
	}, []string{`\bno confession\b|\bnot (?:authori[sz]e|permit|allow)\b`}},
	{"broad_ip_assignment", []string{
		near(80, `whatever|everything|anything|all (?:that|which|the)`, `thinks? up|invents?|creates?|makes?|writes?|designs?|develops?|produces?|comes? up with|draws?|builds?|composes?`, `belongs?|property|owned|ours|goes to|passes? to|is the company's`),
		near(40, `hands? over|gives? up|transfers?|assigns?|cedes?`, `all`, `rights?`, `everything|anything|all|whatever`),
	}, []string{`\bkeeps?\b|\bretains?\b|\bonly (?:a |the )?licen[cs]e\b`}},
	{"prior_works_taken", []string{
		near(80, `before|earlier|already|previous(?:ly)?|in the past`, `becomes?|passes?|pass|goes?|turns? into|falls? to`, `property|to the|client's?|studio|company|ours`),
		near(80, `becomes?|passes?|pass|goes?`, `property|to the|client|studio|company|ours`, `before|earlier|already|previous(?:ly)?`),
	}, []string{`\b(?:keeps?|retains?|stays?|remains?|except)\b|\bclaims?\b|\bnotice\b|\bdebt\b|\bpay(?:s|ment)?\b|\brent\b|\bdays?\b`}},
	{"exclusivity", []string{
		near(80, `buys?|sells?|orders?|gets?|works?|sources?|deals?|supplies|teach(?:es)?|performs?|publish(?:es)?|ships?|orders`, `from|to|for|with|in|at|through`, `nobody else|no one else|no other|nowhere else`),
		near(30, `the only (?:one|person|company|agent|dealer|seller|shop|firm|supplier|distributor)`, `may|can|is allowed|sells?|has the right|who|that|entitled`),
		near(60, `no (?:other|further|second) (?:agent|dealer|seller|shop|firm|supplier|distributor|publisher|studio|club)`, `may|can|is|will|gets?|has`),
	}, []string{`\bnon-?exclusive|\bnot exclusive\b`}},
	{"liquidated_damages", []string{
		near(60, `for (?:every|each) (?:day|week|month|case|breach|violation|hour)`, `pays?|owes?|forfeits?|loses?|deducts?`, `whatever the|regardless|without proof|no proof|whether or not|even if|as agreed|flat|fixed`),
		near(60, `flat|fixed|lump|agreed|set`, `sum|amount|compensation|penalty|payment`, `as (?:agreed )?(?:compensation|damages)|for (?:leaving|breaking|ending|cancelling|every|each|any)|if`),
		near(60, `costs? (?:you|him|her|them|the)|owes?|pays?|forfeits?`, `flat|fixed|lump|agreed`, `sum|compensation|penalty|amount`),
	}, []string{`\bno (?:penalty|fee|charge)\b|\bmust prove\b|\bwithout (?:any )?(?:penalty|fee)\b`}},
	{"governing_law", []string{
		near(10, `\w+(?:ish|ian|ese|man|ench|iss|dutch|ek) law|the law of \w+|law of (?:the )?\w+`, `counts?|rules|decides|is decisive|is used|governs?|applies|apply|controls?`),
		near(60, `judged|decided|answered|read|interpreted|understood|construed|follows?`, `under|by|according to|in line with`, `laws?|rules in force|legal order`),
	}, []string{`\bcompl(?:y|ies|iance)\b|\bobeys?\b|\bobserves?\b|\brequired by\b|\bdefined by\b`}},
	{"venue_foreign", []string{
		near(60, `courts?|tribunals?|judges?`, `of|in|at|sitting in`, foreignPlaces+`|`+furtherPlaces),
		near(60, `sue|sued|court|lawsuits?|claims?|litigat\w+|trial`, `only|nowhere else|exclusively`),
		near(60, foreignPlaces+`|`+furtherPlaces, `courts?|tribunals?|is the (?:place|venue|forum)`),
	}, []string{`\bonly after\b|\bonly (?:if|when|by|with|for|the|a)\b|\bconsumer's home\b|\bwhere you live\b|\bmay only\b`}},
	{"survival_unlimited", []string{
		near(60, `dut(?:y|ies)|obligations?|clauses?|sections?|promise|secrecy|silence|confidentiality|paragraphs?|provisions?`, `never ends?|never lapses?|never expires?|for ?ever|for all time|without end|eternally|in perpetuity|indefinitely|for life|beyond (?:the )?(?:grave|death)`),
	}, []string{`\b(?:while|until|as long as|so long as)\b[^.]{0,60}\b(?:public|secret|known)`, `\bnot (?:for ever|forever|indefinitely)\b`}},
	{"incorporated_url_terms", []string{
		near(60, `rules|terms|polic(?:y|ies)|conditions|guidelines|price list|handbook|code of conduct`, `on|at|under|found|posted|published|available`, `our site|our website|website|online|https?://\S+|www\S+|\S+,(?:com|org|net|io|example|eu|de|co)\S*`, `part of|binding|apply|applies|belongs?|forms?|update|change|also|read`),
		near(80, `subject to|bound by|part of|governed by|in addition`, `rules|terms|polic(?:y|ies)|conditions|guidelines|price list|handbook`, `https?://\S+|www\S+|online|our (?:web)?site`),
	}, []string{`\bcontact\b|\bposting (?:a |the )?(?:new|revised|updated)\b`}},
	{"entire_agreement", []string{
		near(60, `nothing|no word|no promise|no letter|none of what`, `said|written|promised|agreed|discussed`, `before|earlier|outside|elsewhere|previously`, `counts?|binds?|valid|matters?|holds?`),
		near(40, `everything|all`, `that|the parties|we|they|both`, `settled|agreed|arranged|decided`, `with each other|between|and|,|here|is in|replaces?`),
		near(40, `contains?|holds?|is|are|states?`, `everything|all`, `(?:that )?(?:the parties|we|they|both sides)`, `agreed|settled|arranged`),
		near(60, `replaces?|takes? the place of|cancels?`, `earlier|previous|prior|former|older`, `letters?|talks?|agreements?|promises|drafts|e-?mails|arrangements|contracts?|understandings?`),
	}, nil},
	{"severability", []string{
		near(60, `void|invalid|unenforceable|illegal|unlawful|null`, `not|never`, `take|takes|affect|affects|harm|touch|infect|impair|carry|bring|spoil|drag`),
		near(80, `void|invalid|unenforceable|illegal|unlawful|struck out|falls? away`, `rest|others?|remainder|remaining|everything else`, `valid|in force|binding|good|effective|stands?|stays?|applies|apply|holds?`),
	}, []string{`\bnot severable\b|\bwhole (?:agreement|contract) (?:is|becomes)\b`}},
	{"misclassification", []string{
		near(160, `contractor|self-?employed|freelanc\w+|independent|not an employee|no employee`, `uniform|hours (?:we|it|the \w+) sets?|from \w+ to \w+|every (?:week|working )?day|our (?:tools|instructions|rules)|instructions of|shift (?:leader|plan)|not (?:work|drive|deliver) for (?:anyone|anybody|others)|reports? to`),
	}, []string{`\bdecides? (?:how|when|where)\b|\bown (?:hours|schedule|methods|tools)\b|\bfree to\b`}},
	{"blanket_release", []string{
		near(40, `give up|gives up|waives?|lets? \w+(?: \w+)? off|lets? off|drops?|abandons?|renounces?`, `all|every|any`, `demands?|claims?|liabilit(?:y|ies)|rights? to (?:sue|damages|compensation)`),
		near(60, `claims?|demands?|liability`, `of (?:any|every) (?:kind|sort|nature)`, `known|unknown|future|now|released?|waived?`),
		near(40, `no claims?|never sue|not sue|not to sue|cannot sue`, `even if|whatever|any (?:reason|injury|cause)|carelessness|negligence|fault`),
	}, []string{`\bnot\b[^.]{0,20}\breleas|\bdoes not\b`}},
	{"acceleration", []string{
		near(80, `miss(?:es|ed|ing)?|defaults?|late|fails?|unpaid|behind|skips?|does not pay|do not pay`, `whole|entire|full|all|remaining|everything|rest`, atOnce+`|falls? due|becomes? due|due`),
		near(40, `calls? in`, `full|whole|entire|remaining|all|loan|debt|balance`),
	}, []string{`\bvest(?:ing|ed)?\b|\bshares\b`, `\bmay not\b|\bcannot\b`}},
	{"cross_collateral", []string{
		near(60, `collateral|security|securit(?:y|ies)|pledge[ds]?|secures?|lien|mortgage|stands? for|covers?`, `(?:all|every|any)(?: of)?(?: your| its| the borrower's| his| her)? (?:other )?(?:obligations?|debts?|loans?|liabilit(?:y|ies)|indebtedness)`, `to us|with us|to the (?:bank|lender)|with the (?:bank|lender)|or will|now|future|later|ever|whatever`),
	}, []string{`\bunder this (?:agreement|note|loan|contract)\b|\bonly\b|\bnot secure\b`}},
	{"self_help_remedy", []string{
		near(80, `without|with no`, `court|judge|order|judicial`, `fetch|takes?|removes?|collects?|seizes?|evicts?|repossess|picks? up|tows?|empties|clears?`),
		near(80, `fetch|takes?|removes?|collects?|seizes?|evicts?|repossess|picks? up|tows?|puts?`, `without|with no`, `court|judge|judicial|court order`),
	}, []string{`\b(?:not|never|no|only by)\b[^.]{0,30}\b(?:court|evict|remove|seize)`}},
	{"entry_without_notice", []string{
		near(60, `access|enters?|comes? in|visits?|goes? in|looks? in|lets? (?:himself|herself|itself|themselves) in|inspects?|walks? in`, `(?:flat|apartment|house|home|rooms?|premises|unit|dwelling|studio|office)?`, `at all (?:hours|times)|announced or not|whenever|unannounced|day and night|any (?:time|hour)|without (?:a |any |prior )?(?:notice|warning|word|asking|telling|ringing)`),
	}, []string{`\bnot\b[^.]{0,20}\benter|\bafter (?:giving |telling )`, `\b(?:website|service|account|books|records|system|site|data|software|platform)\b|\benters? into\b`}},
	{"short_claim_period", []string{
		near(60, `complaints?|claims?|objections?|defects|reports?|lawsuits?|actions?`, `days?|weeks?|months?|hours?`, `after|later`, `not (?:be )?(?:heard|accepted|considered|valid|admitted)|no longer|too late|lost|excluded|rejected|ignored|refused`),
		near(60, `complaints?|claims?|objections?|defects|reports?|lawsuits?|actions?`, `after|later than|past|beyond`, `days?|weeks?|months?|hours?`, `not|no longer|too late|lost|excluded|rejected|ignored|refused|void`),
		near(80, `complaints?|claims?|objections?|lawsuits?|sue|actions?|complain`, `within|in|inside`, `days?|weeks?|months?|hours?`, `or (?:it|they|the|you|be)|otherwise|else|after that|lost`),
	}, []string{`\bindemnif`, `\bresponse\b|\bresponds?\b|\banswers?\b|\binsurer\b`}},
	{"one_sided_other", []string{
		near(60, `books|records|decision|judgment|word|finding|opinion|calculation`, `alone`, `decides?|counts?|binds?|binding|final|proves?`),
		near(80, `cannot|may not|can not`, `dispute|contest|challenge|question|appeal`, `them|it|this|decision|calculation|amount|that`),
		near(60, `can|may`, `hand|assign|transfer|pass`, `contract|agreement|rights?`, `cannot|may not|can not`),
	}, []string{bothSides}},
	{"indemnity", []string{
		near(100, `if (?:anybody|anyone|somebody|someone|a third (?:party|person)|any third party|others)`, `sues?|claims?|complains?|demands?`, `pays?|bears?|covers?|answers?|takes? care`),
		near(30, `makes?`, `\w+ whole`, `for|against|of`),
		near(60, `keeps?|holds?`, `(?:the other|\w+) (?:free|clear|harmless)`, `from|of`),
		near(60, `reimburses?|compensates?|refunds?|makes? good`, `for all|for every|for any|all|every|whatever`, `loss(?:es)?|damages?|claims?|costs?|harm`),
		near(60, `bears?`, `its costs?|the costs?|all costs?|all losses`, `keeps?|free|third`),
	}, []string{`\b(?:neither|no) party\b[^.]{0,40}\bindemnif|\binsurer\b|\bown insurance\b`}},
	{"force_majeure", []string{
		near(100, `earthquakes?|epidemics?|pandemics?|hurricanes?|floods?|wars?|riots?|strikes?|storms?|fires?|natural disasters?|power (?:cuts?|failures?)|outages?|blackouts?|government orders?|lockouts?|embargo(?:es)?|quarantine`, `excuse[sd]?|not (?:be )?(?:liable|responsible|late)|no breach|impossible|suspend\w*|releases?d?|need not|keeps? (?:us|it|them)|prevents?|extended|as long as|not breach\w*`),
		near(100, `excused?|not (?:be )?(?:liable|responsible)|no (?:party|breach|liability)|not (?:a )?breach\w*|releases?d?|need not|suspended`, `earthquakes?|epidemics?|pandemics?|hurricanes?|floods?|wars?|riots?|strikes?|storms?|fires?|natural disasters?|power (?:cuts?|failures?)|outages?|acts of god`),
		near(30, `outside`, `influence|power|reach|control`),
	}, []string{`\bforce majeure (?:does not|shall not|is not)\b|\binsur`}},
}

// furtherPlaces are more places abroad, for readers in the United States and elsewhere.
const furtherPlaces = `nicosia|limassol|denmark|copenhagen|norway|oslo|finland|helsinki|spain|madrid|barcelona|portugal|lisbon|italy|milan|rome|greece|athens|poland|warsaw|prague|hungary|budapest|romania|bucharest|bulgaria|sofia|turkey|istanbul|russia|moscow|ukraine|kyiv|brazil|argentina|chile|mexico city|colombia|seychelles|belize|jersey|guernsey|isle of man|gibraltar|liechtenstein|monaco|latvia|riga|lithuania|vilnius|iceland|new zealand|auckland|south africa|nigeria|lagos|kenya|nairobi|egypt|cairo|abu dhabi|qatar|korea|seoul|taiwan|thailand|bangkok|vietnam|indonesia|jakarta|malaysia|kuala lumpur|philippines|manila|pakistan|scotland|edinburgh|belgium|brussels|frankfurt|hamburg|lugano|basel`
