package scan

// Names of the dimensions, in the order of every answer.
const (
	Attribution        = "attribution"
	AuditChain         = "audit_chain"
	ProtectedFiles     = "protected_files"
	PreflightGates     = "preflight_gates"
	SessionHandoff     = "session_handoff"
	HumanApprovalGates = "human_approval_gates"
	EgressControl      = "egress_control"
	HonestDisclosure   = "honest_disclosure"
	MemoryGovernance   = "memory_governance"
)

// form is how the words of a frame make a claim.
type form int

const (
	// control: the anchor is the control; a negation denies it.
	control form = iota

	// plain: the words together are the claim, whatever is negated among them.
	plain

	// ban: the anchor is what must not happen; its negation is the claim.
	ban

	// automatic: a control without an actor, such as "each price is first compared"; the claim
	// does not hold when a person is near, who would be the one who checks.
	automatic

	// hint: the words speak of the dimension, and what they claim is not understood.
	hint

	// open: the words together say that the control is missing.
	open
)

// frame is a group of classes that together speak of a dimension. Classes are separated by "|".
type frame struct {
	form   form
	anchor string
	with   []string // each must stand near the anchor
	within int      // words between the anchor and each of them

	// not are classes that must not stand in the line.
	not string

	// firm says that a denial of the anchor is beyond doubt.
	firm bool

	// object says that the first of with is the object of the anchor: behind it, or before
	// its passive.
	object bool
}

// topic is one dimension: by which words it is known, and what makes it strong.
type topic struct {
	name   string
	weight int
	frames []frame

	// names is the class of the names that lists and brochures use.
	names string

	// harm are the verbs whose negation protects.
	harm string

	// mechanism is the class of words that name an enforcing mechanism by themselves.
	mechanism string

	// checks is the class of words that name a check of the mechanism by themselves.
	checks string

	// keepsUndoing says that to remove and to drop is what the control does.
	keepsUndoing bool

	// named is the level of a statement that only names the control.
	named int
}

var topics = []topic{
	{
		name:      Attribution,
		weight:    10,
		names:     "name_attribution",
		harm:      "bypass",
		mechanism: "identity_mech",
		named:     1,
		frames: []frame{
			{form: control, anchor: "identity", with: []string{"label"}, within: 10},
			{form: control, anchor: "own_identity", with: []string{"agent|decider|person|label"}, within: 8},
			{form: control, anchor: "credential", with: []string{"own_word"}, within: 2},
			{form: control, firm: true, anchor: "trace_to", with: []string{"agent|decider|person|identity|action"}, within: 10},
			{form: control, anchor: "signs_as", with: []string{"version"}, within: 6},
			{form: control, anchor: "origin_question", with: []string{"see_verb|agent"}, within: 8},
			{form: control, anchor: "which_one", with: []string{"see_verb"}, within: 8},
			{form: control, anchor: "version_word", with: []string{"label", "agent|decider|action|activity"}, within: 8},
			{form: control, anchor: "cannot_tell", with: []string{"identity|agent"}, within: 8},
			{form: open, anchor: "shared_identity"},
			{form: hint, anchor: "version_word", with: []string{"agent"}, within: 6},
		},
	},
	{
		name:      AuditChain,
		weight:    15,
		names:     "name_audit_chain",
		harm:      "alter|bypass",
		mechanism: "tamper",
		checks:    "chain_check",
		named:     2,
		frames: []frame{
			{form: control, firm: true, anchor: "log_strong_name"},
			{form: control, firm: true, anchor: "record_verb", with: []string{"action|activity"}, within: 8, not: "next_run|handoff_name"},
			{form: control, anchor: "store_verb", with: []string{"log_place|log_sink"}, within: 8, not: "handoff_name|next"},
			{form: control, anchor: "save_verb", with: []string{"activity"}, within: 5, not: "handoff_name|memory"},
			{form: control, anchor: "tamper", with: []string{"log_name|activity|log_sink"}, within: 10},
			{form: ban, anchor: "alter", with: []string{"log_name"}, within: 8},
			{form: control, anchor: "look_up", with: []string{"log_place|log_sink"}, within: 5},
			{form: open, anchor: "no_log"},
			{form: hint, anchor: "record_verb"},
		},
	},
	{
		name:      ProtectedFiles,
		weight:    12,
		names:     "name_protected_files",
		harm:      "write_verb|alter|bypass",
		mechanism: "protect_mech",
		named:     1,
		frames: []frame{
			{form: control, firm: true, anchor: "protect", with: []string{"file"}, within: 8},
			{form: ban, anchor: "write_verb", with: []string{"file"}, within: 8, object: true},
			{form: plain, anchor: "leave", with: []string{"file", "alone"}, within: 6},
			{form: plain, anchor: "keep_from", with: []string{"write_verb", "file"}, within: 8},
			{form: control, anchor: "block", with: []string{"write_verb", "file"}, within: 10},
			{form: open, anchor: "has_write"},
			{form: open, anchor: "any_file", with: []string{"write_verb|agent"}, within: 8},
		},
	},
	{
		name:      PreflightGates,
		weight:    12,
		names:     "name_preflight_gates",
		harm:      "bypass|undo",
		mechanism: "block",
		named:     1,
		frames: []frame{
			{form: control, anchor: "checker", with: []string{"before|first", "effect|check_verb"}, within: 10, not: "handoff_name"},
			{form: control, anchor: "auto_check"},
			{form: control, anchor: "checker", with: []string{"block", "effect|action|check_verb"}, within: 10},
			{form: automatic, anchor: "block", with: []string{"first", "effect|send_verb"}, within: 6, not: "net_strong|own_word"},
			{form: automatic, anchor: "block", with: []string{"limit_phrase", "effect|action"}, within: 10, not: "net_strong"},
			{form: automatic, anchor: "machine_check", with: []string{"first", "effect|action"}, within: 10, not: "handoff_name"},
			{form: hint, anchor: "machine_check", with: []string{"first"}, within: 6},
		},
	},
	{
		name:   SessionHandoff,
		weight: 8,
		names:  "name_session_handoff",
		harm:   "bypass|undo",
		named:  1,
		frames: []frame{
			{form: control, firm: true, anchor: "handoff_name"},
			{form: control, anchor: "note", with: []string{"next"}, within: 14, not: "tamper"},
			{form: control, anchor: "note", with: []string{"next_run"}, within: 14, not: "tamper"},
			{form: open, anchor: "blank_start"},
			{form: hint, anchor: "next_run", with: []string{"know_verb|note"}, within: 6},
		},
	},
	{
		name:      HumanApprovalGates,
		weight:    14,
		names:     "name_human_approval_gates",
		harm:      "bypass",
		mechanism: "approve_mech",
		named:     2,
		frames: []frame{
			{form: control, firm: true, anchor: "approve_strong", with: []string{"decider|need|effect|action|send_verb|write_verb"}, within: 10},
			{form: control, anchor: "approve", with: []string{"decider", "need|send_verb"}, within: 8},
			{form: control, anchor: "token_of_person", with: []string{"decider", "need"}, within: 6},
			{form: control, anchor: "review_verb", with: []string{"decider", "send_verb|approve"}, within: 10},
			{form: control, anchor: "ask_verb", with: []string{"decider", "approve|first"}, within: 6},
			{form: control, anchor: "only_word", with: []string{"decider", "send_verb|effect"}, within: 7},
			{form: control, anchor: "role_noun", with: []string{"need"}, within: 5},
			{form: hint, anchor: "approve", with: []string{"decider"}, within: 4},
		},
	},
	{
		name:         EgressControl,
		weight:       11,
		names:        "name_egress_control",
		harm:         "reach_verb|bypass|way_out",
		mechanism:    "net_mech",
		keepsUndoing: true,
		named:        1,
		frames: []frame{
			{form: control, firm: true, anchor: "restrict", with: []string{"net"}, within: 8},
			{form: control, anchor: "net_mech", with: []string{"net|reach_verb|only_to|named_place|restrict"}, within: 10},
			{form: plain, anchor: "no_net"},
			{form: plain, anchor: "only_to", with: []string{"reach_verb|net_strong|permit", "named_place|net"}, within: 8},
			{form: ban, anchor: "reach_verb", with: []string{"net_strong|net_place"}, within: 6},
			{form: ban, anchor: "net_access"},
			{form: open, anchor: "open_net", with: []string{"net|reach_verb"}, within: 8},
			{form: hint, anchor: "net_strong", not: "reach_verb"},
			{form: hint, anchor: "net_mech", with: []string{"agent"}, within: 8},
		},
	},
	{
		name:   HonestDisclosure,
		weight: 8,
		names:  "name_honest_disclosure",
		harm:   "bypass",
		named:  1,
		frames: []frame{
			{form: control, firm: true, anchor: "tell", with: []string{"machine"}, within: 14},
			{form: control, anchor: "tell", with: []string{"limits"}, within: 8},
			{form: control, anchor: "see_word", with: []string{"recipient", "machine"}, within: 6},
			{form: open, anchor: "pretend", with: []string{"recipient|decider"}, within: 6},
		},
	},
	{
		name:         MemoryGovernance,
		weight:       10,
		names:        "name_memory_governance",
		harm:         "bypass",
		mechanism:    "memory_mech",
		keepsUndoing: true,
		named:        1,
		frames: []frame{
			{form: control, firm: true, anchor: "memory", with: []string{"govern"}, within: 12},
			{form: plain, anchor: "keep_verb", with: []string{"kept_thing", "duration"}, within: 12, not: "not_memory"},
			{form: plain, anchor: "keep_verb", with: []string{"limit_word", "kept_thing"}, within: 6, not: "not_memory"},
			{form: plain, anchor: "memory", with: []string{"only_word"}, within: 2},
			{form: plain, anchor: "keep_verb", with: []string{"only_to", "kept_thing|govern"}, within: 6},
			{form: ban, anchor: "keep_verb", with: []string{"kept_thing"}, within: 6, not: "not_memory"},
			{form: control, anchor: "erase_verb", with: []string{"stored_thing", "duration|after_word"}, within: 8, not: "not_memory"},
			{form: plain, anchor: "no_memory", with: []string{"between|memory"}, within: 8},
			{form: open, anchor: "unmanaged", with: []string{"memory|kept_thing"}, within: 10},
			{form: hint, anchor: "memory_core"},
			{form: hint, anchor: "erase_verb", with: []string{"kept_thing"}, within: 4, not: "not_memory|file"},
		},
	},
}
