package risks

const (
	anyReason = `(?:for any reason|for any or no reason|without cause|for convenience|at its convenience|for no reason|at any time|in its (?:sole |absolute )?discretion|at will|with or without cause|without (?:giving )?(?:a |any )?reason|whenever it (?:likes|wishes|wants))`
	endIt     = `(?:terminate|terminates|cancel|cancels|end|ends|close|suspend)`
	bothSides = `\b(?:either|each|both|any) part(?:y|ies)\b|\beither (?:of (?:them|us)|side)\b|\b(?:the parties|both) may\b|\bmutual(?:ly)?\b|\blandlord or (?:the )?tenant\b|\b(?:employer|company) or (?:the )?employee\b|\b(?:client|company|customer) or (?:the )?(?:contractor|consultant|provider)\b|\byou or we\b|\bwe or you\b|\bboth of us\b`
)

var endingRules = []rule{
	{"termination_convenience_one_sided", []string{
		`\b(?:may|can|free to|right to)\b[^.]{0,40}\b(?:terminate|cancel|end|close|dismiss|fire|stop|suspend|withdraw|let [^.]{0,12} go)\b[^.]{0,80}\b(?:whenever|on any day|for no reason|without (?:telling|saying|giving|stating|having)|any reason|no reason|at any moment|as it (?:likes|pleases|sees fit)|at will|in (?:its|our) (?:sole )?discretion|without cause)\b`,
		`\b` + can + `\b[^.]{0,60}\b` + endIt + `\b[^.]{0,100}\b` + anyReason + `\b`,
		`\b` + anyReason + `\b[^.]{0,60}\b` + can + `\b[^.]{0,40}\b` + endIt + `\b`,
		`\b` + can + `\b[^.]{0,40}\b` + anyReason + `\b[^.]{0,40}\b` + endIt + `\b`,
		`\b(?:only|solely) the (\w+) (?:may|can) (?:terminate|cancel|end)\b`,
		`\b(?:terminable|terminated) at (?:the )?(?:will|option|convenience) of (?:the )?\w+\b`,
	}, []string{bothSides, `\bif\b[^.]{0,60}\b(?:breach|default|fails)`, `\bmaterial(?:ly)? breach`, `\bnot\b[^.]{0,10}\b(?:terminate|cancel)\b[^.]{0,30}\b(?:for convenience|without cause)`, `\bwithdraw consent\b`, `\b(?:close|end|cancel) (?:your|the) account\b[^.]{0,30}\bat any time\b.*\bwe\b.*\bsame\b`}},
	{"survival_unlimited", []string{
		`\b(?:no end date|no expir|for all time|as long as [^.]{0,20}lives?|outlives?|life ?long|for life|eternal|ever after)\w*`,
		`\b(?:surviv|remain in (?:force|effect)|continue|bind|last|endure|stay)\w*\b[^.]{0,100}\b(?:indefinitely|forever|in perpetuity|perpetually|without (?:any )?(?:time )?limit|for all time|without end|for ever|never (?:ends?|expires?))\b`,
		`\b(?:indefinitely|forever|in perpetuity|perpetually|without (?:time )?limit)\b[^.]{0,60}\b(?:surviv|after (?:the )?(?:end|termination|expir))`,
		`\bnever (?:ends?|expires?|lapses?)\b[^.]{0,60}|\bno (?:time )?limit (?:in time)?\b[^.]{0,40}\bconfidential`,
	}, []string{`\b(?:while|until|as long as|so long as)\b[^.]{0,60}\b(?:public|trade secret|secret)`}},
	{"short_claim_period", []string{
		`\b(?:claims?|suits?|actions?|complaints?|proceedings?|disputes?|lawsuits?)\b[^.]{0,100}\b(?:within|no later than|not later than|before)\b[^.]{0,40}\b(?:days?|weeks?|months?|(?:one|1|\(1\)) years?|hours?)\b[^.]{0,120}\b(?:barred|waived|lost|lapse|extinguish|forfeit|invalid|excluded|expires?|or it|or be|deemed)`,
		`\b(?:barred|waived|lost|forfeited|extinguished)\b[^.]{0,60}\b(?:unless|if not)\b[^.]{0,60}\bwithin\b`,
		`\bno (?:claim|action|suit|lawsuit)\b[^.]{0,80}\b(?:more than|after|later than)\b[^.]{0,40}\b(?:days|weeks|months|one|year)\b`,
		`\b(?:must|shall) (?:be )?(?:sue|file|filed|bring|brought|commence|commenced|start|started)\b[^.]{0,60}\bwithin\b[^.]{0,30}\b(?:days?|weeks?|months?|one year)\b`,
	}, []string{`\bindemnif`, `\bresponse\b`}},
}

var generalRules = []rule{
	{"unilateral_change_of_terms", []string{
		`\b(?:can|may|free to|reserves?)\b[^.]{0,40}\b(?:rewrite|change|alter|modify|revise|replace|amend|adapt|update)\b[^.]{0,80}\b(?:whenever|at any time|sees? fit|discretion|from time to time|without (?:your|notice|asking)|as (?:it|we) (?:like|please|wish)|unilaterally)\b`,
		`\b(?:may|can|right to|entitled to|reserves?|discretion)\b[^.]{0,60}\b(?:change|modify|amend|update|revise|alter|replace|vary)\b[^.]{0,60}\b(?:terms?|conditions?|agreement|policy|policies|rules|contract|handbook|this (?:document|lease)|provisions?|these)\b`,
		`\b(?:terms?|conditions?|agreement|policy|rules)\b[^.]{0,40}\b(?:may|can) be (?:changed|modified|amended|updated|revised)\b[^.]{0,60}\b(?:us|by the|at any time|without|sole|discretion|posting)\b`,
		`\bcontinued use\b[^.]{0,60}\b(?:accept|agree|consent|mean)`,
		`\bwe\b[^.]{0,20}\b(?:change|update|revise) (?:these|the|our) (?:terms|rules|conditions)\b[^.]{0,40}\b(?:from time to time|at any time|whenever)`,
	}, []string{
		`\b(?:only|solely)\b[^.]{0,40}\b(?:written|writing|signed|mutual|agreement|both)\b`,
		`\b(?:change|increase|adjust|raise|modify|revise) (?:our |its |the |these )?(?:subscription |monthly )?(?:prices?|fees?|rates?|charges?|rent)\b`,
		`\b(?:may|can|shall) not\b[^.]{0,60}\b(?:change|modify|amend|update|be (?:changed|modified|amended))`,
		`\bsigned by (?:both|each|all|the parties)\b|\bboth parties\b|\bmutual\b|\b(?:written|prior|your) consent\b[^.]{0,40}\bbefore\b|\bwith (?:your|the other party's) consent\b|\bask for your consent\b`,
	}},
	{"incorporated_url_terms", []string{
		`\brules (?:found|published|posted|available) (?:at|on|online)\b`,
		`\b(?:subject to|incorporat\w+|bound by|governed by|comply with|agree to|accept|part of|apply|applies|accordance with|set (?:out|forth))\b[^.]{0,120}(?:https?://|www[.,]|\bwebsite\b|\bonline\b|\bweb page\b|\bposted at\b|\burl\b)`,
		`(?:https?://|www[.,])\S+[^.]{0,100}\b(?:incorporat|part of this|form part|are binding|apply|amended from time to time|updated)\b`,
	}, []string{`\bcontact\b|\bquestions can\b`, `\bposting (?:a |the )?(?:new|revised|updated)\b`, `\bwebsite (?:development|design)\b`, `\bby posting\b`}},
	{"entire_agreement", []string{
		`\b(?:nothing|no promise|no statement)\b[^.]{0,60}\b(?:before|earlier|outside|elsewhere)\b[^.]{0,40}\b(?:counts?|binds?|valid|part)`,
		`\bonly (?:this|the present) (?:paper|document|contract|agreement|text)\b[^.]{0,20}\b(?:counts?|binds?|applies|does)?`,
		`\b(?:contains|states|is|sets out) everything (?:that )?(?:we|the parties|they)?\b[^.]{0,20}\bagreed?\b`,
		`\b(?:entire|whole|complete|full|final) (?:and (?:exclusive|complete|entire) )?(?:agreement|understanding|contract|statement|expression)\b`,
		`\b(?:supersedes?|replaces?|overrides?)\b[^.]{0,60}\b(?:prior|earlier|previous|all other|oral)\b`,
		`\bno (?:other|oral) (?:promises|agreements|understandings|representations)\b`,
	}, []string{`\bnot the (?:entire|whole|complete)\b`}},
	{"severability", []string{
		`\b(?:void|invalid|unenforceable|illegal|not (?:valid|enforceable)|struck down|fails?)\b[^.]{0,100}\b(?:others?|rest|remain\w*)\b[^.]{0,40}\b(?:stays?|stands?|remain|in force|valid|binding|effective|unaffected|continues?|appl)`,
		`\b(?:invalid|unenforceable|illegal|void|not valid|struck)\b[^.]{0,160}\b(?:remain|remainder|rest|remaining|other (?:provisions|parts|terms|clauses)|not affect|continue|stand|unaffected)\b`,
		`\bseverab(?:le|ility)\b`,
		`\b(?:rest|remainder|remaining provisions)\b[^.]{0,80}\b(?:invalid|unenforceable|illegal|void)\b`,
	}, []string{`\bwhole agreement (?:is|becomes) (?:void|invalid)\b`, `\bnot severable\b`}},
	{"force_majeure", []string{
		`\b(?:earthquake|pandemic|epidemic|hurricane|flood|war|riot|strike|storm|natural disaster|power failure|government order)s?\b[^.]{0,120}\b(?:excused?|not (?:be )?(?:liable|responsible|in breach)|impossible|suspend|relieved|need not|delay|extended)`,
		`\bforce majeure\b`,
		`\b(?:beyond|outside)\b[^.]{0,30}\bcontrol\b`,
		`\bacts? of (?:god|nature)\b`,
		`\b(?:excused|not (?:be )?(?:liable|responsible)|no liability|suspended)\b[^.]{0,100}\b(?:flood|war|strike|earthquake|storm|epidemic|pandemic|natural disaster|fire|riot)s?\b`,
	}, []string{`\bforce majeure (?:does not|shall not|is not)\b|\bno force majeure\b`}},
	{"data_protection", []string{
		`\b(?:records?|tracks?|collects?|stores?|follows?|logs?|shares?|sells?)\b[^.]{0,60}\b(?:where you are|whom you call|your (?:location|messages|calls|contacts|health|habits|face|voice)|what you (?:do|read|watch|buy))`,
		`\b(?:customers?|employees?|users?|patients?)\'? (?:data|details|records)\b`,
		`\bpersonal(?:ly identifiable)? (?:data|information)\b`,
		`\b(?:gdpr|ccpa|data (?:protection|processing)|privacy (?:policy|law|notice))\b`,
		`\b(?:share|sell|collect|use|disclose|process)\w*\b[^.]{0,60}\byour\b[^.]{0,60}\b(?:data|information|email|location|browsing|contacts|name)\b`,
		`\b(?:data subjects?|data breach|personal details|health records|patient records|email addresses|browsing history)\b`,
	}, nil},
	{"confidentiality", []string{
		`\b(?:stays?|remains?|kept?) between (?:us|the parties)\b`,
		`\b(?:promise of|duty of|oath of) (?:silence|secrecy)\b`,
		`\bto (?:nobody|no one)\b|\bnot (?:share|talk|speak|discuss)\b[^.]{0,60}\b(?:information|anyone|others|third|outside|terms)`,
		`\bconfidential(?:ity|ly)?\b`,
		`\b(?:not|never|neither|no)\b[^.]{0,40}\b(?:disclose|reveal|divulge|publish|tell|pass on)\w*\b`,
		`\b(?:keep|kept|hold|held|treat|remain)s?\b[^.]{0,60}\b(?:secret|secrecy|in confidence|private)\b`,
		`\btrade secrets?\b|\bnon-?disclosure\b|\bproprietary information\b|\bsecrecy\b`,
	}, []string{`\bnot (?:be )?(?:deemed |considered )?confidential\b|\bno (?:duty|obligation) of confiden|\bexcept for breach of confidentiality\b`}},
}
