package bots_test

import (
	"strings"
	"testing"

	"governance.internal/functions/toolserver/guard/guardtest"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/tools/bots"
)

const slackBot = `import { App } from "@slack/bolt";
import { ask, extractSummary } from "./model";
const app = new App({});
app.message(async ({ message, say }) => {
  if (message.user !== process.env.OWNER) return;
  const timer = setTimeout(() => say("Thinking..."), 3000);
  await say(await ask({ system: "Accept people as they are." , input: message.text }));
  clearTimeout(timer);
  await extractSummary(message.text);
});
app.start();
`

func compliance(w *guardtest.World) *tool.Tool {
	return bots.CheckBotCompliance(w.Workspace, w.Now)
}

func TestBotsAreCountedAndMissingFilesFail(t *testing.T) {
	w := guardtest.New(t, map[string]string{
		"governance.yaml": "bots: {files: [{path: 'bots/*.ts'}, {path: bots/gone.py, platform: telegram}]}\n",
		"bots/slack.ts":   slackBot,
		"other.ts":        slackBot,
	})
	var answer bots.Compliance
	w.Call(compliance(w), `{}`, &answer)

	if answer.Status != "not_compliant" || answer.Bots != 2 || answer.Compliant != 1 || answer.Checks != 9 || answer.Passes != 4 || answer.Fails != 5 {
		t.Fatalf("%+v", answer)
	}
	gone, slack := answer.Results[0], answer.Results[1]
	if gone.Path != "bots/gone.py" || gone.Compliant || gone.Score != "0/5" || !strings.Contains(gone.Standards["1_thinking_message"].Detail, "not_found") {
		t.Errorf("%+v", gone)
	}
	if slack.File != "slack.ts" || slack.Platform != "slack" || slack.Score != "4/4" || len(slack.Standards) != 6 || !slack.Standards["2_typing_indicator"].NA {
		t.Errorf("%+v", slack)
	}
	w.Call(compliance(w), `{"bot":"./bots/slack.ts"}`, &answer)
	if answer.Bots != 1 || answer.Status != "compliant" {
		t.Errorf("one bot: %+v", answer)
	}
}

// D7: no file is read that the workspace file does not list.
func TestD7ABotThatIsNotListedIsRefused(t *testing.T) {
	w := guardtest.New(t, map[string]string{
		"governance.yaml": "bots: {files: [{path: 'bots/*.ts'}]}\n",
		"bots/slack.ts":   slackBot,
		"secret.ts":       "const password = 'hunter2';",
	})
	for _, path := range []string{"secret.ts", "/etc/passwd", "../x.ts", "bots/../secret.ts", "bots", "governance.yaml"} {
		e := w.Refused(compliance(w), `{"bot":"`+path+`"}`)
		if e.Code != "invalid_argument" || e.Field != "/bot" || strings.Contains(e.Message, "hunter2") {
			t.Errorf("%s: %+v", path, e)
		}
	}
	empty := guardtest.New(t, map[string]string{"a.ts": slackBot})
	if e := empty.Refused(compliance(empty), `{"bot":"a.ts"}`); e.Code != "invalid_argument" {
		t.Errorf("without a list: %+v", e)
	}
}

func TestNoBotIsNotChecked(t *testing.T) {
	w := guardtest.New(t, nil)
	var answer bots.Compliance
	w.Call(compliance(w), `{}`, &answer)
	if answer.Status != "not_checked" || len(answer.Skipped) != 1 || answer.Results == nil {
		t.Errorf("%+v", answer)
	}
	broken := guardtest.New(t, map[string]string{"governance.yaml": "bots: {files: [{}]}\n"})
	if e := broken.Refused(compliance(broken), `{}`); e.Code != "not_configured" {
		t.Errorf("%+v", e)
	}
}

// An entry of bots.standards replaces a rule by patterns over the code without comments.
func TestStandardsOfTheWorkspaceFile(t *testing.T) {
	w := guardtest.New(t, map[string]string{
		"governance.yaml": `bots:
  files: [{path: a.ts}]
  standards:
    - {id: 1_thinking_message, any_of: [{all_of: ['nope']}, {all_of: ['setTimeout', 'Thinking']}]}
    - {id: 3_owner_verification, any_of: [{all_of: ['only in a comment']}]}
    - {id: 6_session_summary, na: [Slack]}
`,
		"a.ts": slackBot + "// only in a comment\n",
	})
	var answer bots.Compliance
	w.Call(compliance(w), `{}`, &answer)
	s := answer.Results[0].Standards
	if v := s["1_thinking_message"]; !v.Passed() || v.Line != 6 {
		t.Errorf("%+v", v)
	}
	if !s["3_owner_verification"].Failed() || !s["6_session_summary"].NA || answer.Checks != 3 {
		t.Errorf("%+v", s)
	}
}
