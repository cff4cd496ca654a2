package scan

import (
	"cmp"
	"slices"
)

// Gap is a dimension that costs many points.
type Gap struct {
	Dimension string `json:"dimension"`
	Severity  string `json:"severity"` // high, medium or low
	Why       string `json:"why"`
}

// Fix says what to do about a gap.
type Fix struct {
	Dimension string `json:"dimension"`
	Action    string `json:"action"`
	Tool      string `json:"tool"` // tool of the MCP server that helps
}

// Offer is something that this service offers.
type Offer struct {
	Method string `json:"method,omitempty"`
	Path   string `json:"path,omitempty"`
	Price  string `json:"price,omitempty"`
	About  string `json:"about"`
}

// Prescription points to what comes after the scan.
type Prescription struct {
	Lint          Offer `json:"lint"`
	Verification  Offer `json:"verification"`
	Certification Offer `json:"certification"`
	Operator      Offer `json:"operator"`
}

func prescribe() Prescription {
	return Prescription{
		Lint: Offer{
			Method: "POST", Path: "/x402/audit-mcp", Price: "0.05 USD",
			About: "8-check lint of your MCP client configuration with a machine-verifiable result",
		},
		Verification: Offer{
			Method: "GET", Path: "/x402/verify-audit", Price: "0.005 USD",
			About: "Verification of a hash-chained audit trail, with a signed checkpoint",
		},
		Certification: Offer{
			About: "A scan of real evidence: governance scan -workspace DIR reads the chain, the hook and the policy instead of a description",
		},
		Operator: Offer{
			Method: "GET", Path: "/.well-known/agent-card.json", Price: "free",
			About: "Who runs this service and how to reach them",
		},
	}
}

// advice holds the words about one dimension.
type advice struct {
	why    string    // what happens without the control
	next   [4]string // the sentence that would raise the level, from each level
	action string
	tool   string
}

var advices = map[string]advice{
	Attribution: {
		why: "After an incident nobody can tell which agent, version or person acted.",
		next: [4]string{
			"We can tell for each action which agent, version or person took it.",
			"Each action is recorded with the id of the agent and the person who started it.",
			"Each agent has a credential of its own, and the gateway rejects calls without it.",
			"A test sends calls without an identity every night and expects each to be rejected.",
		},
		action: "Give each agent a credential of its own and write its id into every record.",
		tool:   "worklog",
	},
	AuditChain: {
		why: "What the agent did can be disputed, lost or rewritten.",
		next: [4]string{
			"Every tool call and decision of the agent is logged.",
			"Every tool call is written to a log that is kept today.",
			"The log is append-only: each record holds the hash of the one before.",
			"A job recomputes the whole chain every night and raises an alarm on a mismatch.",
		},
		action: "Write every action to a hash-chained log and let a job verify it.",
		tool:   "verify_audit_chain",
	},
	ProtectedFiles: {
		why: "The agent can change the files that define its own limits.",
		next: [4]string{
			"The agent is told which files it must not change.",
			"The agent must not change the configuration and the rules, and keeps to it today.",
			"The protected folders are mounted read-only for the agent's user.",
			"A test tries to change each protected file as the agent and expects an error.",
		},
		action: "List the untouchable paths and let a hook or the file system refuse writes to them.",
		tool:   "preflight_check",
	},
	PreflightGates: {
		why: "A bad action takes effect before anything has looked at it.",
		next: [4]string{
			"A script checks each action before it takes effect.",
			"An automatic check runs before each action today.",
			"A hook checks each action and blocks what breaks the policy; the agent cannot skip it.",
			"Known bad actions are fed to the gate in every build, and the build fails if one passes.",
		},
		action: "Put an automatic check in front of each effect and let it block.",
		tool:   "preflight_check",
	},
	SessionHandoff: {
		why: "Each session forgets what the last one decided and repeats its mistakes.",
		next: [4]string{
			"At the end of a session the agent writes a summary for the next one.",
			"The next session starts by reading the handoff file of the last one.",
			"A session cannot end before the handoff file is complete; the wrapper refuses.",
			"A check compares each handoff with the work done and reports what is missing.",
		},
		action: "Let each session write a handoff file that the next one must read.",
		tool:   "session_handoff",
	},
	HumanApprovalGates: {
		why: "Irreversible actions happen although no person agreed to them.",
		next: [4]string{
			"A person approves each irreversible action before it happens.",
			"An operator approves deployments and payments before they are made, today.",
			"The credentials for the action are released only after a person has approved it.",
			"An auditor tries each month to get an action through without an approval.",
		},
		action: "Withhold the permission for irreversible actions until a person has approved them.",
		tool:   "preflight_check",
	},
	EgressControl: {
		why: "Data can leave to any host, by mistake or by injection.",
		next: [4]string{
			"The agent may send data to a short list of hosts only.",
			"The agent talks only to the hosts on the list, today.",
			"A firewall denies outbound traffic by default and allows the listed hosts.",
			"A canary tries to reach forbidden hosts every week, and an alarm is raised when one answers.",
		},
		action: "Deny outbound traffic by default and allow the hosts that the work needs.",
		tool:   "security_audit",
	},
	HonestDisclosure: {
		why: "Recipients take the agent for a person and its guesses for facts.",
		next: [4]string{
			"Recipients are told that they deal with a machine and what it does not know.",
			"Each message says today that it was written by software and may be wrong.",
			"The mail gateway adds the notice to each message; the agent cannot leave it out.",
			"A test reads a sample of messages each week and fails when the notice is missing.",
		},
		action: "State in each message that a machine wrote it and how sure it is, by a template that the agent cannot change.",
		tool:   "bot_compliance_check",
	},
	MemoryGovernance: {
		why: "Old, wrong or planted memories steer the agent, and nobody notices.",
		next: [4]string{
			"It is defined what the agent remembers, who may write it, and for how long.",
			"Memories are kept for thirty days and then deleted, today.",
			"The store refuses memories outside the schema and deletes them when they expire.",
			"A job checks every week that no memory is older than allowed and reports what it finds.",
		},
		action: "Define what may be remembered, by whom, and for how long, and let the store enforce it.",
		tool:   "session_persist",
	},
}

// next returns the sentence that would raise the level of a finding.
func next(f finding) string {
	if f.level >= Checked {
		return ""
	}
	return advices[f.topic.name].next[f.level]
}

// mostGaps is how many gaps an answer names.
const mostGaps = 3

// addGaps names the dimensions that cost the most points. reason says why each level is what
// it is.
func (r *Result) addGaps(findings []finding, reason func(finding) string) {
	r.Gaps, r.Fixes = []Gap{}, []Fix{}
	order := slices.Clone(findings)
	slices.SortStableFunc(order, func(a, b finding) int {
		return cmp.Compare(lost(b), lost(a))
	})

	for _, f := range order[:mostGaps] {
		if lost(f) == 0 {
			break
		}
		about := advices[f.topic.name]
		r.Gaps = append(r.Gaps, Gap{
			Dimension: f.topic.name,
			Severity:  severity(f.level),
			Why:       reason(f) + about.why,
		})
		r.Fixes = append(r.Fixes, Fix{
			Dimension: f.topic.name,
			Action:    about.action,
			Tool:      about.tool,
		})
	}
}

// lost are the quarters of points that a dimension costs.
func lost(f finding) int { return f.topic.weight * (Checked - f.level) }

func severity(level int) string {
	switch level {
	case Absent:
		return "high"
	case Named:
		return "medium"
	}
	return "low"
}

// reasonOfText says why the level of a description is what it is.
func reasonOfText(f finding) string {
	switch {
	case f.contradicted:
		return "The text contradicts itself: one sentence claims the control, another denies it. "
	case f.level == Absent && len(f.evidence) > 0:
		return "The text denies the control. "
	case f.level == Absent:
		return "The text does not speak of it. "
	case f.level == Named:
		return "The control is only named, planned or doubted. "
	case f.level == Stated:
		return "It is stated, and nothing is said to enforce it. "
	}
	return "It is enforced, and nothing is said to check the enforcement. "
}
