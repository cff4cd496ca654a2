package framework

var entries = []entry{
	{Rule{
		ID: "dispatch_dont_do", Name: "DISPATCH DONT DO",
		Rule:        "Hand long work to a separate agent and stay available; do not do it inside the conversation.",
		Trigger:     "A task needs more than a few steps, many files, or longer than a person waits for an answer.",
		Enforcement: "Dispatched agents run in the background, at most two at once, with their own log; the conversation only starts and reads them.",
		Prevents:    "An agent that is deep in one task, forgets what it was asked and cannot be reached.",
		EnforcedBy:  []string{"dispatch_to_llm"},
	}, Detail{
		Implementation: []string{"Write the task so that a reader without this conversation can do it.", "Start it in the background and note its id.", "Read the result when it is there, and check it before passing it on."},
		Signs:          []string{"Many edits without an answer to the person in between.", "The same file is read again and again in one conversation."},
	}},
	{Rule{
		ID: "untouchable", Name: "UNTOUCHABLE",
		Rule:        "Files on the untouchable list are never changed by an agent, by no way and for no reason.",
		Trigger:     "Any write, rename, removal or change of permissions, by a tool or by a command.",
		Enforcement: "Where the hook is installed it refuses before each edit and command; the watcher of the server compares recorded hashes and reports what went around it.",
		Prevents:    "Lost credentials, broken production settings, and an agent that lifts its own limits.",
		EnforcedBy:  []string{"preflight_check", "drift_audit"},
	}, Detail{
		Implementation: []string{"Keep the list in the workspace file, with patterns.", "Check the real path: links, letter case and parent folders count.", "Refuse when the list cannot be read."},
		Signs:          []string{"A command that writes where the editor was refused.", "A copy of an untouchable file with another name."},
		Violations:     []string{"BLOCKED_UNTOUCHABLE"},
	}},
	{Rule{
		ID: "write_progress", Name: "WRITE PROGRESS",
		Rule:        "Write down what was done while it is being done, where the next session finds it.",
		Trigger:     "After each finished step, and before anything that may end the session.",
		Enforcement: "The worklog tool only appends, and reports when older entries are not as they were.",
		Prevents:    "Work that is done twice, or contradicted, because it was not written down.",
		EnforcedBy:  []string{"worklog", "session_close"},
	}, Detail{
		Implementation: []string{"One entry a step: what, which files, what state.", "Append; never rewrite what stands there.", "Facts and decisions go to the place for facts."},
		Signs:          []string{"Changed files that no entry names.", "An entry that was written hours after the change."},
	}},
	{Rule{
		ID: "step_back", Name: "STEP BACK",
		Rule:        "At fixed intervals stop and ask whether this is still the right work, from the task up to the goal.",
		Trigger:     "Every few messages (four unless the workspace says otherwise), and after two failed attempts at the same thing.",
		Enforcement: "step_back_check asks seven questions and says from the count of messages whether it is due; calling it is left to the agent.",
		Prevents:    "Perfect work on the wrong thing.",
		EnforcedBy:  []string{"step_back_check"},
	}, Detail{
		Implementation: []string{"Answer each level in one sentence: task, file, component, system, user, goal, whether to continue.", "Compare with the objective in the handoff.", "Say it when the answer is to stop."},
		Signs:          []string{"The fourth edit of one file for one small effect.", "Changed files that have nothing to do with the objective."},
	}},
	{Rule{
		ID: "delegate_and_return", Name: "DELEGATE AND RETURN",
		Rule:        "The one who hands work on stays responsible: come back to it, check the result and report it.",
		Trigger:     "A task was dispatched or given to another agent or person.",
		Enforcement: "Dispatches are listed with their state and their log; coming back to them is left to the agent.",
		Prevents:    "Results that are never read, and background agents that are never stopped.",
		EnforcedBy:  []string{"dispatch_to_llm", "session_close"},
	}, Detail{
		Implementation: []string{"Note what was handed on, to whom and what is expected.", "Look at the result itself, not at the claim about it.", "Report what was found, failures too."},
		Signs:          []string{"A finished dispatch whose log was never read.", "A report that repeats the words of the other agent."},
	}},
	{Rule{
		ID: "ask_before_touching", Name: "ASK BEFORE TOUCHING",
		Rule:        "Protected files are changed only after a person approved this change.",
		Trigger:     "A change of a file on the protected list, or of anything that counts as LOGIC.",
		Enforcement: "Where the hook is installed it refuses until an approval of a person covers the file; preflight_check answers PROTECTED. Approvals end by themselves.",
		Prevents:    "Changes that are correct in themselves and unwanted.",
		EnforcedBy:  []string{"preflight_check", "request_approval"},
	}, Detail{
		Implementation: []string{"Show the change, not a description of it.", "Ask once, with all files of the change.", "Do not take silence for a yes."},
		Signs:          []string{"An approval that was asked for after the change.", "A small change that grew after it was approved."},
		Violations:     []string{"BLOCKED_PROTECTED", "UNAPPROVED_LOGIC_CHANGE"},
	}},
	{Rule{
		ID: "hand_off", Name: "HAND OFF",
		Rule:        "Leave the work so that another session can continue it without asking.",
		Trigger:     "Every few messages, before the context runs out, and at the end of a session.",
		Enforcement: "The handoff file has fixed headings and an age limit; an old or unfilled one is reported.",
		Prevents:    "A new session that begins from nothing and repeats old mistakes.",
		EnforcedBy:  []string{"session_handoff", "session_close"},
	}, Detail{
		Implementation: []string{"Five headings: what just happened, state of the system, next steps, files changed, what people must do.", "Concrete names and numbers, no placeholders.", "Replace the old handoff; history belongs into the worklog."},
		Signs:          []string{"A heading without content.", "A handoff that is older than the last change."},
		Violations:     []string{"STALE_HANDOFF"},
	}},
	{Rule{
		ID: "permission_protocol", Name: "PERMISSION PROTOCOL",
		Rule:        "DATA changes may proceed; LOGIC changes need the approval of a person; what is unclear is LOGIC.",
		Trigger:     "Every change, before it is made.",
		Enforcement: "guardrail_rules classifies a change and gives its reasons; anything but plain data counts as LOGIC.",
		Prevents:    "Behaviour that changes under the name of a small correction.",
		EnforcedBy:  []string{"guardrail_rules"},
	}, Detail{
		Implementation: []string{"Classify the change itself, not the intention.", "One line of LOGIC makes the whole change LOGIC.", "Record DATA changes all the same."},
		Signs:          []string{"A correction of a text that also changes a condition.", "A value that was data becomes a switch."},
		Violations:     []string{"RULE_BREACH"},
	}},
	{Rule{
		ID: "confirm_destructive_intent", Name: "CONFIRM DESTRUCTIVE INTENT",
		Rule:        "Before deleting, overwriting or stopping, repeat what exactly will be gone and what was excluded, and wait for a yes.",
		Trigger:     "A request that removes, overwrites, resets, stops or sends something that cannot be taken back.",
		Enforcement: "The annotations of the tools name those that may destroy; whether a client asks before it calls them is up to the client.",
		Prevents:    "Clearing away more than was meant, above all what a person had asked to spare.",
		EnforcedBy:  []string{"preflight_check", "check_archive_safety"},
	}, Detail{
		Implementation: []string{"List what will be gone by name and number.", "Read the exclusions of the request (skip, except, but not) and list them, too.", "Take a snapshot first where one is possible."},
		Signs:          []string{"A pattern with a star in a command that removes.", "An exclusion of the request that the plan does not repeat."},
	}},
}
