package projectscan

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"

	"governance.internal/functions/toolserver/guard/workspace"
)

// Priorities of a recommendation.
const (
	High   = "high"
	Medium = "medium"
	Low    = "low"
)

var priorities = []string{High, Medium, Low}

// Recommendation is a tool of this server that helps here.
type Recommendation struct {
	Tool     string `json:"tool"`
	Priority string `json:"priority"`
	Reason   string `json:"reason"`
	Evidence string `json:"evidence"` // a file or a setting, "" if it helps everywhere
}

// Files that call for a tool.
var (
	secretFile    = regexp.MustCompile(`(^|/)(\.env(\.[a-z]+)?|[^/]+\.(pem|key|p12|pfx)|id_rsa[^/]*|credentials\.json)$`)
	exampleFile   = regexp.MustCompile(`\.(example|sample|template)$`)
	page          = regexp.MustCompile(`\.html?$`)
	readme        = regexp.MustCompile(`^(README(\.[a-z]+)?|docs/.*\.md)$`)
	migration     = regexp.MustCompile(`(^|/)migrations?/`)
	packageOfNode = regexp.MustCompile(`^package\.json$`)
)

// advice judges whether a tool helps a project.
type advice struct {
	tool  string
	judge func(*Project) (Recommendation, bool)
}

// Recommend says which of the offered tools help here, the most important first.
func (p *Project) Recommend(offered func(tool string) bool) []Recommendation {
	list := []Recommendation{}
	for _, a := range advices {
		r, helps := a.judge(p)
		if !helps || !offered(a.tool) {
			continue
		}

		r.Tool = a.tool
		list = append(list, r)
	}

	slices.SortStableFunc(list, func(a, b Recommendation) int {
		return cmp.Compare(slices.Index(priorities, a.Priority), slices.Index(priorities, b.Priority))
	})
	return list
}

// always recommends a tool to every project.
func always(priority, reason string) func(*Project) (Recommendation, bool) {
	return func(*Project) (Recommendation, bool) {
		return Recommendation{
			Priority: priority,
			Reason:   reason,
		}, true
	}
}

// where recommends a tool to projects that have a file.
func where(name *regexp.Regexp, priority, reason string) func(*Project) (Recommendation, bool) {
	return func(p *Project) (Recommendation, bool) {
		file := p.has(name)
		return Recommendation{
			Priority: priority,
			Reason:   reason,
			Evidence: file,
		}, file != ""
	}
}

// configured recommends a tool to projects whose workspace file describes something.
func configured(section string, count func(workspace.Config) int, priority, reason string) func(*Project) (Recommendation, bool) {
	return func(p *Project) (Recommendation, bool) {
		is := p.Governance.Configured && count(p.Governance.config) > 0
		return Recommendation{
			Priority: priority,
			Reason:   reason,
			Evidence: workspace.FileName + ": " + section,
		}, is
	}
}

// advices are in the order in which equal priorities are listed.
var advices = []advice{
	{"preflight_check", preflight},
	{"lint_mcp_config", servers},
	{"security_audit", secrets},
	{"session_handoff", always(High, "The next session reads where this one stopped.")},
	{"drift_audit", where(readme, Medium, "Documents name files, commands and versions that may be gone.")},
	{"auto_propagate", configured("versions, counts, members", facts, Medium, "Versions, counts and members are written from their source.")},
	{"fix_doc_drift", configured("docs", func(c workspace.Config) int { return len(c.Docs) }, Medium, "Documents are to stay true.")},
	{"check_dependencies", configured("processes", processes, Medium, "Managed processes need files that must not vanish.")},
	{"get_health_status", configured("processes", processes, Medium, "Managed processes are watched.")},
	{"test_deployment", configured("processes", processes, Medium, "A file is checked before a process is started with it.")},
	{"bot_compliance_check", configured("bots", func(c workspace.Config) int { return len(c.Bots.Files) }, Medium, "Bots are to keep standards.")},
	{"usage_report", configured("usage", func(c workspace.Config) int { return len(c.Usage.Sources) }, Medium, "Tokens are recorded.")},
	{"page_health", where(page, Medium, "Pages may have dead links and missing parts.")},
	{"check_page_changes", where(page, Low, "Pages are public, so their changes are looked at.")},
	{"create_snapshot", where(migration, Medium, "Migrations change what a commit does not bring back.")},
	{"pre_publish_audit", where(packageOfNode, Medium, "A package is published with all files that it does not leave out.")},
	{"accountability_check", tested},
	{"worklog", always(Medium, "Each finished step is noted for those who come later.")},
	{"session_persist", always(Medium, "Decisions and deadlines outlive the session.")},
	{"step_back_check", always(Low, "Long sessions lose their objective.")},
	{"verify_audit_chain", always(Low, "The trail of what agents did is proved, not assumed.")},
}

func preflight(p *Project) (Recommendation, bool) {
	governed := len(p.Governance.Untouchable) + len(p.Governance.Protected)
	r := Recommendation{
		Priority: High,
		Reason:   "No list says which files agents may not change: write one with governance init.",
	}
	if governed > 0 {
		r.Reason = fmt.Sprintf("%d patterns name files that agents may not change freely.", governed)
		r.Evidence = workspace.FileName
	}
	return r, true
}

func servers(p *Project) (Recommendation, bool) {
	if len(p.Servers) == 0 {
		return Recommendation{}, false
	}

	worst := slices.MinFunc(p.Servers, func(a, b Servers) int { return cmp.Compare(a.Score, b.Score) })
	r := Recommendation{
		Priority: Medium,
		Reason:   "MCP servers are configured; check them after every change.",
		Evidence: worst.Path,
	}

	if worst.Errors+worst.Warns > 0 {
		r.Priority = High
		r.Reason = "The lint finds errors or warnings in the configuration of MCP servers."
	}
	return r, true
}

func secrets(p *Project) (Recommendation, bool) {
	r := Recommendation{
		Priority: Medium,
		Reason:   "Secrets get into code unnoticed.",
	}
	for _, file := range p.files {
		if secretFile.MatchString(file) && !exampleFile.MatchString(file) {
			r.Priority = High
			r.Reason = "There are files that hold secrets by their names."
			r.Evidence = file
			break
		}
	}
	return r, true
}

func tested(p *Project) (Recommendation, bool) {
	return Recommendation{
		Priority: Medium,
		Reason:   "There are tests, which can be weakened or skipped instead of passed.",
		Evidence: fmt.Sprintf("%d test files", p.Tests.Files),
	}, p.Tests.Files > 0
}

func facts(c workspace.Config) int {
	return len(c.Versions) + len(c.Counts) + len(c.Members.Targets)
}

func processes(c workspace.Config) int {
	return len(c.Processes.Expected)
}
