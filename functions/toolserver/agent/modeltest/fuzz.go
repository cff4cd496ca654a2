package modeltest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/tools/txtar"

	"governance.internal/functions/toolserver/agent/chat"
)

// Conversation is what is sent back.
type Conversation = chat.Request

// Fuzz fuzzes the reading of answers, beginning with those of all scripts of a format. An
// answer that is taken must make a next request; what the request is must marshal.
func Fuzz(f *testing.F, api string, parse func([]byte) (chat.Answer, error), request func(Conversation) any) {
	_, file, _, _ := runtime.Caller(0)
	names, err := filepath.Glob(filepath.Join(filepath.Dir(file), "testdata", "*."+api+".txtar"))
	if err != nil || len(names) == 0 {
		f.Fatalf("no scripts of %s: %v", api, err)
	}

	taken := 0
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, part := range txtar.Parse(text).Files {
			if _, err := parse(part.Data); err == nil {
				taken++
			}
			f.Add(part.Data)
		}
	}

	if taken < len(names) {
		f.Fatalf("only %d answers of the scripts are taken", taken)
	}

	f.Fuzz(func(t *testing.T, body []byte) {
		answer, err := parse(body)
		if err != nil {
			return
		}

		if answer.Input < 0 ||
			answer.Output < 0 ||
			answer.Stop == "" ||
			answer.Message.Role != chat.Assistant ||
			answer.Stop == chat.CallsTools && len(answer.Message.Calls) == 0 {
			t.Fatalf("%+v", answer)
		}

		if answer.Stop != chat.CallsTools {
			return
		}
		results := make([]chat.Result, len(answer.Message.Calls))
		for i, c := range answer.Message.Calls {
			results[i] = chat.Result{ID: c.ID, Text: "x"}
		}

		next := request(Conversation{
			System:    "s",
			MaxTokens: 1,
			Messages: []chat.Message{
				{Role: chat.User, Text: "t"}, answer.Message, {Role: chat.User, Results: results},
			},
		})
		if problem, failed := next.(error); failed {
			t.Fatalf("%q cannot be sent back: %v", body, problem)
		}

		if _, err := json.Marshal(next); err != nil {
			t.Fatalf("%q cannot be sent back: %v", body, err)
		}
	})
}
