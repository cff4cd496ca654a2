package workspace

import "time"

// Config is the content of governance.yaml, version 1. Every member is optional.
// The tag doc is the description in the published schema; a section with the tag unread is
// accepted and not in the schema, because nothing reads it yet. Paths are slash-separated
// and relative to the root of the workspace; patterns are those of package policy.
type Config struct {
	Version     int                  `yaml:"version" doc:"Version of this format." min:"1" max:"1"`
	Project     Project              `yaml:"project" doc:"What is governed."`
	Untouchable []Glob               `yaml:"untouchable" doc:"Files that no agent changes, ever."`
	Protected   []Glob               `yaml:"protected" doc:"Files that an agent changes only with the approval of a person."`
	Allow       []Glob               `yaml:"allow" doc:"Exceptions from protected. They never lift untouchable."`
	Ignore      []Glob               `yaml:"ignore" doc:"Files that scans leave out. The guard does not."`
	Mode        string               `yaml:"mode" enum:"enforce,observe" doc:"observe writes down what would be refused and lets it pass; enforce if not set."`
	Agents      map[string]AgentRule `yaml:"agents" doc:"Rules for types of agents, by the type that an agent gives its subagents."`
	Checks      []Check              `yaml:"checks" doc:"What must have run after the last edit before an agent stops."`
	Rules       Rules                `yaml:"rules" doc:"The rules of the framework."`
	Session     Session              `yaml:"session" doc:"Files through which sessions hand over."`
	Versions    []Fact               `yaml:"versions" doc:"Version numbers and the places that repeat them."`
	Counts      []Fact               `yaml:"counts" doc:"Numbers of things and the places that state them."`
	RolesSource *Source              `yaml:"roles_source" doc:"The list of members."`
	Members     Members              `yaml:"members" doc:"Places that repeat the members."`
	Processes   Processes            `yaml:"processes" doc:"Processes that should run."`
	Ports       Ports                `yaml:"ports" doc:"Ports that should be open."`
	Website     Website              `yaml:"website" doc:"The pages of the project."`
	Platforms   Platforms            `yaml:"platforms" doc:"Features of members by platform."`
	Docs        []Document           `yaml:"docs" doc:"Documents that must stay true."`
	Bots        Bots                 `yaml:"bots" doc:"Bots and the standards they keep."`
	Archive     Archive              `yaml:"archive" doc:"Where old files go."`
	Snapshot    Snapshot             `yaml:"snapshot" doc:"What a snapshot holds, and when one is taken."`
	Usage       Usage                `yaml:"usage" doc:"Records of tokens used, and when to warn."`
	Discovery   Discovery            `yaml:"discovery" doc:"Sources of briefings."`
	Security    Security             `yaml:"security" doc:"Settings of the security audit."`
	PrePublish  PrePublish           `yaml:"pre_publish" doc:"Settings of the audit before publishing."`
	Propagation Propagation          `yaml:"propagation" doc:"Whether tools that write may write."`
	Dispatch    DispatchRule         `yaml:"dispatch" doc:"Agents in the background."`
	Limits      Limits               `yaml:"limits" doc:"Bounds of every scan."`
}

// Project names what is governed.
type Project struct {
	Name string `yaml:"name" max:"200"`
	Root string `yaml:"root" max:"1024" doc:"Folder that is governed; only . is supported."`
}

// Observe is the mode in which nothing is refused that only lists forbid.
const Observe = "observe"

// AgentRule is what holds for a type of agents besides the lists.
type AgentRule struct {
	ReadOnly bool `yaml:"read_only" doc:"Agents of this type change nothing."`
}

// Check is a command that must have succeeded after the last edit.
type Check struct {
	Name     string  `yaml:"name" required:"true" max:"100"`
	Command  string  `yaml:"command" max:"1000" doc:"The command, word for word. Wrappers such as env and timeout, redirections and what stands before && may be added."`
	Pattern  Pattern `yaml:"pattern" doc:"Regular expression (RE2) for the words of the command, joined by spaces, instead of command."`
	Paths    []Glob  `yaml:"paths" doc:"Files whose edits the check is for; all files if not set."`
	MinTests int     `yaml:"min_tests" min:"0" max:"1000000" doc:"Tests that the output must tell of."`
}

// Rules configures the rules of the framework.
type Rules struct {
	StepBackEvery int         `yaml:"step_back_every" min:"1" max:"1000" doc:"Messages between two reflections; 4 if not set."`
	HandoffEvery  int         `yaml:"handoff_every" min:"1" max:"1000" doc:"Messages between two handoffs; 4 if not set."`
	HandoffMaxAge Duration    `yaml:"handoff_max_age" doc:"Age from which a handoff is stale; 10m if not set."`
	Disabled      []string    `yaml:"disabled" doc:"Ids of rules that do not apply here."`
	Extra         []ExtraRule `yaml:"extra" doc:"Rules of this project."`
}

// ExtraRule is a rule of the project.
type ExtraRule struct {
	ID          string `yaml:"id" required:"true" max:"64"`
	Name        string `yaml:"name" max:"200"`
	Rule        string `yaml:"rule" required:"true" max:"2000"`
	Trigger     string `yaml:"trigger" max:"2000"`
	Enforcement string `yaml:"enforcement" max:"2000"`
	Prevents    string `yaml:"prevents" max:"2000"`
}

// Session names the files of a session.
type Session struct {
	Handoff  string `yaml:"handoff" max:"1024" doc:"SESSION_HANDOFF.md if not set."`
	Worklog  string `yaml:"worklog" max:"1024" doc:"WORKLOG.md if not set."`
	FactsDir string `yaml:"facts_dir" max:"1024" doc:"Folder of the facts, one file for each day; .governance/facts if not set."`
	Sinks    Sinks  `yaml:"sinks" doc:"File of each category to which its facts are added; none for no file. {slug} is made of the title, {date} is the day."`
}

// Sinks are the files for people to which facts are added, by category.
type Sinks struct {
	Research     string `yaml:"research" max:"1024" doc:"research/{slug}.md if not set."`
	Decision     string `yaml:"decision" max:"1024" doc:"decisions/{date}.md if not set."`
	Confirmation string `yaml:"confirmation" max:"1024" doc:"confirmations/{date}.md if not set."`
	Credential   string `yaml:"credential" max:"1024" doc:"Says where a credential is, never what it is; none if not set."`
	Contact      string `yaml:"contact" max:"1024" doc:"contacts.md if not set."`
	Deadline     string `yaml:"deadline" max:"1024" doc:"deadlines.md if not set."`
	Partner      string `yaml:"partner" max:"1024" doc:"partners.md if not set."`
	APIResult    string `yaml:"api_result" max:"1024" doc:"research/{slug}.md if not set."`
}

// NoSink stands for the file of a category whose facts are added to none.
const NoSink = "none"

// Fact is a value with one source and places that repeat it.
type Fact struct {
	Name    string   `yaml:"name" required:"true" max:"200"`
	Source  Source   `yaml:"source" required:"true"`
	Targets []Target `yaml:"targets"`
}

// Source is where a value is right by definition.
type Source struct {
	Builtin string   `yaml:"builtin" doc:"A figure of this server, such as mcp_tools."`
	File    string   `yaml:"file" max:"1024"`
	Pointer string   `yaml:"pointer" max:"1024" doc:"JSON pointer (RFC 6901) to the value in JSON, YAML or TOML; of a list it is the length."`
	Pattern Pattern  `yaml:"pattern" doc:"Regular expression (RE2) for any other file; its first group is the value."`
	Glob    Glob     `yaml:"glob" doc:"The number of files that match."`
	List    string   `yaml:"list" max:"1024" doc:"JSON pointer to a list."`
	ID      string   `yaml:"id" max:"200" doc:"Field that identifies an item of the list."`
	Fields  []string `yaml:"fields"`
}

// Target is a place that repeats a value.
type Target struct {
	Files   []Glob  `yaml:"files" required:"true"`
	Pattern Pattern `yaml:"pattern" required:"true" doc:"Regular expression (RE2); its first group is the value."`
}

// Members are the places that repeat the members.
type Members struct {
	Targets []MemberTarget `yaml:"targets"`
}

// MemberTarget is a place that names members.
type MemberTarget struct {
	File      string            `yaml:"file" required:"true" max:"1024"`
	Format    string            `yaml:"format" enum:"json,yaml,text"`
	List      string            `yaml:"list" max:"1024"`
	ID        string            `yaml:"id" max:"200"`
	Contains  string            `yaml:"contains" max:"2000"`
	Fields    map[string]string `yaml:"fields"`
	OnMissing string            `yaml:"on_missing" enum:"add,flag"`
	OnExtra   string            `yaml:"on_extra" enum:"flag"`
}

// Processes are those that should run.
type Processes struct {
	Provider string    `yaml:"provider" enum:"@providers" doc:"Provider of processes that name none."`
	Expected []Process `yaml:"expected"`
}

// Process is one that should run. The kill switch stops it.
type Process struct {
	Name         string   `yaml:"name" required:"true" max:"200"`
	Provider     string   `yaml:"provider" enum:"@providers" doc:"Who runs it."`
	Target       string   `yaml:"target" max:"500" doc:"Its name there: unit, container, cluster/service or function; the name if not set."`
	Command      []string `yaml:"command" doc:"Of a supervised one: program and arguments, without a shell."`
	Env          []string `yaml:"env" doc:"Names of variables that a supervised one inherits."`
	Match        Match    `yaml:"match" doc:"How procfs finds it."`
	Script       string   `yaml:"script" max:"1024" doc:"The file that it begins with."`
	Requires     []Glob   `yaml:"requires"`
	Ports        []int    `yaml:"ports" doc:"1 to 65535."`
	Stop         []string `yaml:"stop" doc:"Program and arguments, without a shell, which stop it besides."`
	Critical     bool     `yaml:"critical"`
	MaxRestarts1 int      `yaml:"max_restarts_1h" min:"0" doc:"From this many on it is a crash loop; 5 if not set."`
}

// Match finds processes that meet all that is set, and at least one member.
type Match struct {
	Cmd     Pattern `yaml:"cmd" doc:"Regular expression for the command line."`
	Dir     string  `yaml:"dir" max:"4096" doc:"Working directory."`
	PIDFile string  `yaml:"pid_file" max:"4096" doc:"File with the number."`
}

// Ports are those that should be open.
type Ports struct {
	Range    []int  `yaml:"range" doc:"First and last port."`
	Expected []Port `yaml:"expected"`
}

// Port is one that should be open.
type Port struct {
	Port    int    `yaml:"port" required:"true" min:"1" max:"65535"`
	Process string `yaml:"process" max:"200"`
	Bind    string `yaml:"bind" enum:"loopback,any"`
}

// Website is the pages of the project.
type Website struct {
	Root         string         `yaml:"root" max:"1024"`
	Pages        []Glob         `yaml:"pages"`
	Exclude      []Glob         `yaml:"exclude"`
	BaseURL      string         `yaml:"base_url" max:"2000"`
	Sitemap      string         `yaml:"sitemap" max:"1024"`
	Index        []string       `yaml:"index"`
	Placeholders []string       `yaml:"placeholders"`
	Require      WebRequirement `yaml:"require"`
	Routes       []string       `yaml:"routes"`
	Live         Live           `yaml:"live"`
}

// WebRequirement is what every page must have; what is not set is required.
type WebRequirement struct {
	OG        *bool `yaml:"og"`
	Favicon   *bool `yaml:"favicon"`
	MobileNav *bool `yaml:"mobile_nav"`
}

// Live allows requests to the network.
type Live struct {
	Enabled    bool     `yaml:"enabled"`
	AllowHosts []string `yaml:"allow_hosts"`
}

// Platforms are features of members by platform.
type Platforms struct {
	Features map[string]Pattern `yaml:"features"`
	Entries  []Platform         `yaml:"entries"`
}

// Platform is a member on a platform.
type Platform struct {
	Member   string   `yaml:"member" max:"200"`
	Platform string   `yaml:"platform" max:"200"`
	File     string   `yaml:"file" max:"1024"`
	Features []string `yaml:"features"`
}

// Document is one that must stay true.
type Document struct {
	Path    string   `yaml:"path" required:"true" max:"1024"`
	WarnAge Duration `yaml:"warn_age"`
	MaxAge  Duration `yaml:"max_age"`
	Check   []string `yaml:"check" enum:"paths,ports,processes,commands,cron"`
}

// Bots are the bots and their standards.
type Bots struct {
	Files     []Bot      `yaml:"files"`
	Standards []Standard `yaml:"standards"`
}

// Bot is the source of one bot.
type Bot struct {
	Path     Glob   `yaml:"path" required:"true" doc:"A file, or a pattern of files."`
	Platform string `yaml:"platform" max:"200" doc:"telegram, discord, slack, whatsapp, matrix or another; if not set, what the imports tell."`
}

// Standard overrides one of the six standards.
type Standard struct {
	ID    string     `yaml:"id" required:"true" max:"64" doc:"Such as 1_thinking_message."`
	AnyOf []Patterns `yaml:"any_of" doc:"One of these must be found in the code without its comments."`
	NA    []string   `yaml:"na" doc:"Platforms to which it does not apply."`
}

// Patterns must all be found.
type Patterns struct {
	AllOf []Pattern `yaml:"all_of"`
}

// Archive says where old files go.
type Archive struct {
	Dir     string   `yaml:"dir" max:"1024"`
	Backups []string `yaml:"backups"`
}

// Snapshot says what a snapshot holds.
type Snapshot struct {
	Include  []Glob   `yaml:"include" doc:"Files that belong to it; all if not set."`
	Exclude  []Glob   `yaml:"exclude"`
	Keep     int      `yaml:"keep" min:"1" max:"1000" doc:"How many are kept; 10 if not set."`
	MaxBytes Size     `yaml:"max_bytes" doc:"Of all files together; 2GiB if not set."`
	Before   []string `yaml:"before" enum:"destructive" doc:"Before which commands of agents a snapshot is taken."`
}

// Usage says where tokens are recorded and when to warn.
type Usage struct {
	Sources           []UsageSource `yaml:"sources"`
	WarnTokensDay     int           `yaml:"warn_tokens_day" min:"1"`
	CriticalTokensDay int           `yaml:"critical_tokens_day" min:"1"`
	WarnTokensCall    int           `yaml:"warn_tokens_call" min:"1"`
}

// UsageSource is a file of records.
type UsageSource struct {
	File Glob `yaml:"file" required:"true"`
}

// Discovery configures briefings.
type Discovery struct {
	Dir        string          `yaml:"dir" max:"1024" doc:"Folder of Markdown files whose list items are the news; .governance/briefings if not set."`
	Feeds      []string        `yaml:"feeds" doc:"Addresses (https) of RSS and Atom feeds. No other host is ever asked."`
	Rules      []DiscoveryRule `yaml:"rules" doc:"The first one that matches an item decides."`
	StaleAfter Duration        `yaml:"stale_after" doc:"Age from which the newest file is stale; 48h if not set."`
}

// DiscoveryRule tags an item.
type DiscoveryRule struct {
	Tag      string  `yaml:"tag" required:"true" enum:"USE NOW,WATCH,OPPORTUNITY,THREAT"`
	Category string  `yaml:"category" max:"200"`
	Match    Pattern `yaml:"match" required:"true"`
}

// Security configures the security audit.
type Security struct {
	SecretAllow []SecretException `yaml:"secret_allow"`
	Modes       map[string]string `yaml:"modes" doc:"Permissions that files of a pattern must have, such as 0600."`
	Endpoints   []SecuredEndpoint `yaml:"endpoints" doc:"Endpoints of the project, each with whether it is throttled."`
}

// SecuredEndpoint is an endpoint of the project.
type SecuredEndpoint struct {
	Path     string `yaml:"path" required:"true" max:"1024"`
	File     string `yaml:"file" max:"1024" doc:"Where it is implemented."`
	Throttle bool   `yaml:"throttle" doc:"Whether its rate is limited."`
}

// SecretException accepts one finding.
type SecretException struct {
	Fingerprint string `yaml:"fingerprint" required:"true" max:"128"`
	Reason      string `yaml:"reason" required:"true" max:"2000"`
	Expires     string `yaml:"expires" required:"true" max:"10" doc:"A date, as 2027-01-31."`
}

// PrePublish configures the audit before publishing.
type PrePublish struct {
	Include   []Glob   `yaml:"include"`
	DenyTerms []string `yaml:"deny_terms"`
	Allow     []string `yaml:"allow"`
}

// Propagation reports whether tools that write may write.
type Propagation struct {
	Mode string `yaml:"mode" enum:"apply,preview"`
}

// DispatchRule configures agents in the background.
type DispatchRule struct {
	Enabled       bool     `yaml:"enabled"`
	Runner        string   `yaml:"runner" enum:"@runners" doc:"exec runs command, loop the agent of this server, the others a known agent. If not set: exec with a command, else loop with LLM_API, else the first known agent on PATH."`
	Command       []string `yaml:"command" doc:"Program and arguments, without a shell; {task}, {task_file} and {max_turns} are filled in."`
	MaxConcurrent int      `yaml:"max_concurrent" min:"1" max:"2"`
	MinFreeMB     int      `yaml:"min_free_mb" min:"500"`
	Timeout       Duration `yaml:"timeout"`
	MaxTokens     int      `yaml:"max_tokens" min:"1000" max:"100000000" doc:"Tokens that one task of the loop may cost; 500000 if not set."`
	Env           []string `yaml:"env" doc:"Names of variables that the agent inherits."`
	Fence         string   `yaml:"fence" enum:"auto,required,off" doc:"Fence of the kernel around agents: auto where one can stand, required to start no agent without one, off for none; auto if not set."`
	Network       string   `yaml:"network" doc:"Network of fenced agents: open, none, or allow:HOST,HOST:PORT,*.HOST; open if not set. Without a fence a limited one starts no agent."`
}

// Limits bound every scan.
type Limits struct {
	MaxFileBytes Size     `yaml:"max_file_bytes" doc:"2MiB if not set."`
	MaxFiles     int      `yaml:"max_files" min:"1" max:"1000000" doc:"20000 if not set."`
	MaxFindings  int      `yaml:"max_findings" min:"1" max:"10000" doc:"500 if not set."`
	ToolTimeout  Duration `yaml:"tool_timeout" doc:"20s if not set."`
}

// withDefaults fills unset fields whose default is not the zero value.
func (c Config) withDefaults() Config {
	c.Version = 1
	setDefault(&c.Rules.StepBackEvery, 4)
	setDefault(&c.Rules.HandoffEvery, 4)
	setDefault(&c.Rules.HandoffMaxAge, Duration(10*time.Minute))
	setDefault(&c.Session.Handoff, "SESSION_HANDOFF.md")
	setDefault(&c.Session.Worklog, "WORKLOG.md")
	setDefault(&c.Session.FactsDir, StateDir+"/facts")
	c.Session.Sinks.setDefaults()
	setDefault(&c.Discovery.Dir, StateDir+"/briefings")
	setDefault(&c.Discovery.StaleAfter, Duration(48*time.Hour))
	setDefault(&c.Archive.Dir, "archive")
	setDefault(&c.Processes.Provider, NoProvider)
	setDefault(&c.Propagation.Mode, "apply")
	setDefault(&c.Limits.MaxFileBytes, 2<<20)
	setDefault(&c.Limits.MaxFiles, 20000)
	setDefault(&c.Limits.MaxFindings, 500)
	setDefault(&c.Limits.ToolTimeout, Duration(20*time.Second))

	if len(c.Archive.Backups) == 0 {
		c.Archive.Backups = []string{"backups", "archive"}
	}

	return c
}

func (s *Sinks) setDefaults() {
	setDefault(&s.Research, "research/{slug}.md")
	setDefault(&s.Decision, "decisions/{date}.md")
	setDefault(&s.Confirmation, "confirmations/{date}.md")
	setDefault(&s.Credential, NoSink)
	setDefault(&s.Contact, "contacts.md")
	setDefault(&s.Deadline, "deadlines.md")
	setDefault(&s.Partner, "partners.md")
	setDefault(&s.APIResult, "research/{slug}.md")
}

func setDefault[T comparable](at *T, value T) {
	var zero T
	if *at == zero {
		*at = value
	}
}
