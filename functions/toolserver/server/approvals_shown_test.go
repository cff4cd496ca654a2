package server_test

import (
	"strings"
	"testing"
)

// A person who decides in the console or by HTTP sees the whole command, its files and its
// digest; the chain records them, too.
func TestACommandIsShownBeforeItIsGranted(t *testing.T) {
	r, _ := asking(t)
	structured[struct{}](r, "request_approval", `{"agent":"builder","command":"echo x > go.mod\n# \u202e tidy; python3 -c 'x'","reason":"why"}`)
	_, list := r.send("GET", "/approvals", "")
	var newest map[string]any
	for _, one := range list["approvals"].([]any) {
		if asked := one.(map[string]any); asked["operation"] == "command" {
			newest = asked
		}
	}
	if newest["command"] != "echo x > go.mod\n# ⟨U+202E⟩ tidy; python3 -c 'x'" {
		t.Errorf("%v", newest)
	}
	if files := newest["files"].([]any); len(files) != 1 || files[0] != "go.mod" {
		t.Errorf("%v", files)
	}
	if digest, _ := newest["digest"].(string); len(digest) != 64 {
		t.Errorf("%v", newest["digest"])
	}
	recorded := strings.Join(r.recorded("APPROVAL_REQUESTED"), "")
	for _, want := range []string{"echo x > go.mod", newest["digest"].(string), `"files":["go.mod"]`} {
		if !strings.Contains(recorded, want) {
			t.Errorf("the chain says nothing of %s: %s", want, recorded)
		}
	}
}
