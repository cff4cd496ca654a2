package framework_test

import (
	"strings"
	"testing"

	"governance.internal/functions/toolserver/framework"
)

// diff is a unified diff of one file.
func diff(file, lines string) string {
	return "--- a/" + file + "\n+++ b/" + file + "\n@@ -1,3 +1,3 @@\n" + lines
}

func TestOnlyPlainDataIsData(t *testing.T) {
	for change, want := range map[string]string{
		// texts for people
		diff("README.md", "-We are open til five.\n+We are open until five.\n"):                                                 "DATA",
		diff("web/a.html", " <p>\n-Opne daily\n+Open daily\n </p>\n"):                                                           "DATA",
		diff("web/a.html", "-<img src=\"a.png\" alt=\"a dog\">\n+<img src=\"a.png\" alt=\"a cat\">\n"):                          "DATA",
		diff("main.go", " func f() {\n-\tfmt.Println(\"Wellcome to the shop\")\n+\tfmt.Println(\"Welcome to the shop\")\n }\n"): "DATA",
		diff("main.go", "-// Add ads two numbers.\n+// Add adds two numbers.\n func Add(a, b int) int\n"):                       "DATA",
		diff("a.py", "-print('Good mornin all')\n+print('Good morning all')\n"):                                                 "DATA",
		diff("a.ts", "-show(\"Please wait a momnt\") // x\n+show(\"Please wait a moment\") // y\n"):                             "DATA",
		diff("team.json", "-  \"name\": \"Ana\",\n+  \"name\": \"Anna\",\n"):                                                    "DATA",
		diff("a.css", "-  color: #fff;\n+  color: #eee;\n"):                                                                     "DATA",
		"correct a typo in the headline":                                                                                        "DATA",

		diff("a.sh", " set -e\n-echo \"Wellcome to the shop\"\n+echo \"Welcome to the shop\"\n ls\n"):          "DATA",
		diff("a.sh", "-# runs al tests\n+# runs all tests\n go test ./...\n"):                                  "DATA",
		diff("a.yaml", "-description: \"We are open til five\"\n+description: \"We are open until five\"\n"):   "DATA",
		diff("a.ts", "-const page = { title: \"Our old shop\" }\n+const page = { title: \"Our new shop\" }\n"): "DATA",
		diff("main.go", "-\tfmt.Fprintf(w, \"Good mornin all\")\n+\tfmt.Fprintf(w, \"Good morning all\")\n"):   "DATA",

		// texts of unknown use
		diff("a.sh", "-rm \"my old file\"\n+rm \"my new file\"\n"):                                                                    "LOGIC",
		diff("a.sh", "-ssh box 'do it now'\n+ssh box 'do it twice'\n"):                                                                "LOGIC",
		diff("a.sh", "-echo \"one more $x\"\n+echo \"one more $y\"\n"):                                                                "LOGIC",
		diff("a.sh", "-echo \"a line here\" > a\n+echo \"a line here\" > b\n"):                                                        "LOGIC",
		diff("a.sh", "-echo 'one more line' | sh\n+echo 'two more lines'; sh\n"):                                                      "LOGIC",
		diff("a.sh", "-echo 'rm all files' | sh\n+echo 'rm no files' | sh\n"):                                                         "LOGIC",
		diff("a.sh", "-x=$(echo 'all my files')\n+x=$(echo 'all your files')\n"):                                                      "LOGIC",
		diff("a.sh", "-echo 'all my files' > list\n+echo 'all your files' > list\n"):                                                  "LOGIC",
		diff("a.sh", "-f() { echo 'all my files'; }; f | sh\n+f() { echo 'all your files'; }; f | sh\n"):                              "LOGIC",
		diff("a.sh", "-if true; then\n+if false; then\n"):                                                                             "LOGIC",
		diff("a.py", "-os.remove('my old file')\n+os.remove('my new file')\n"):                                                        "LOGIC",
		diff("main.go", "-\tos.Remove(\"my old file\")\n+\tos.Remove(\"my new file\")\n"):                                             "LOGIC",
		diff("a.ts", "-run(\"the first job\", show)\n+run(\"the second job\", show)\n"):                                               "LOGIC",
		diff("a.ts", "-const title = x\n-if (who === \"the boss here\") {}\n+const title = x\n+if (who === \"the guest here\") {}\n"): "LOGIC",
		diff("team.json", "-  \"command\": \"ls a\",\n+  \"command\": \"rm a\",\n"):                                                   "LOGIC",
		diff("team.json", "-  \"isAdmin\": 0,\n+  \"isAdmin\": 1,\n"):                                                                 "LOGIC",

		// control flow, names, keys
		diff("main.go", "-\tif a > 5 {\n+\tif a > 6 {\n"):                                             "LOGIC",
		diff("main.go", "-\tif name == \"the admin\" {\n+\tif name == \"the user\" {\n"):              "LOGIC",
		diff("main.go", "-\tcase \"two words\":\n+\tcase \"three words\":\n"):                         "LOGIC",
		diff("main.go", "-func a() {}\n+func b() {}\n"):                                               "LOGIC",
		diff("main.go", "-//go:build linux\n+//go:build windows\n"):                                   "LOGIC",
		diff("main.go", "-\tprompt := \"Be nice to people\"\n+\tprompt := \"Be rude to people\"\n"):   "LOGIC",
		diff("main.go", "-\tx := `a b`\n+\tx := `a c`\n"):                                             "LOGIC",
		diff("main.go", "-\texec(\"rm one file\")\n+\texec(\"rm all files\")\n"):                      "LOGIC",
		diff("a.py", "-    return x\n+  return x\n"):                                                  "LOGIC",
		diff("a.py", "-x = 1  # noqa\n+x = 1\n"):                                                      "LOGIC",
		diff("a.py", "-print('Good day')\n+print('Good day'); drop()\n"):                              "LOGIC",
		diff("a.ts", "-if (a === 'x y') {\n+if (a === 'x z') {\n"):                                    "LOGIC",
		diff("a.yaml", "-replicas: 1\n+replicas: 2\n"):                                                "LOGIC",
		diff("team.json", "-  \"name\": \"Ana\",\n+  \"nom\": \"Ana\",\n"):                            "LOGIC",
		diff("team.json", "-  \"timeout\": 5,\n+  \"timeout\": 6,\n"):                                 "LOGIC",
		diff("package.json", "-  \"description\": \"A a\",\n+  \"description\": \"A b\",\n"):          "LOGIC",
		diff("CLAUDE.md", "-Ask before you delete.\n+Delete without asking.\n"):                       "LOGIC",
		diff("prompts/system.md", "-a\n+b\n"):                                                         "LOGIC",
		diff("web/a.html", "-<a href=\"/a\">x</a>\n+<a href=\"/b\">x</a>\n"):                          "LOGIC",
		diff("web/a.html", " <script>\n-pay(1)\n+pay(2)\n </script>\n"):                               "LOGIC",
		diff("web/a.html", "-<p>a</p>\n+<p>a<img src=x onerror=steal()></p>\n"):                       "LOGIC",
		diff("a.css", "-  display: block;\n+  display: none;\n"):                                      "LOGIC",
		diff("a.css", "-  color: red;\n+  background: url(https://x);\n"):                             "LOGIC",
		diff("data.bin", "-a b\n+a c\n"):                                                              "LOGIC",
		"diff --git a/a.md b/a.md\nold mode 100644\nnew mode 100755\n" + diff("a.md", "-a b\n+a c\n"): "LOGIC",
		diff("README.md", "-a b\n+a c\n") + diff("main.go", "-x := 1\n+x := 2\n"):                     "LOGIC",
		diff("main.go", "-x := 1\n+x := 2\n") + diff("README.md", "-a b\n+a c\n"):                     "LOGIC",
		"--- /dev/null\n+++ b/notes.md\n@@ -0,0 +1 @@\n+hello there\n":                                "LOGIC",
		"make the login faster": "LOGIC",
		"rename a function":     "LOGIC",
	} {
		got := framework.Classify(change)
		if got.Kind != want || got.MayProceed != (want == "DATA") || len(got.Evidence) == 0 {
			t.Errorf("%s\nis %s, want %s: %v", change, got.Kind, want, got.Evidence)
		}
	}
}

func TestTheReasonsQuoteNoSecret(t *testing.T) {
	const secret = "ghp_a8Kx93mQzP2vLw7RtY5uJ1nB6cD4eF0gH3iS"
	for _, file := range []string{"a.json", "main.go", "a.py", "a.sh", "a.yaml", "a.css", ""} {
		change := "-token = \"x\"\n+token = \"" + secret + "\"\n"
		if file != "" {
			change = diff(file, change)
		}
		if got := strings.Join(framework.Classify(change).Evidence, " "); strings.Contains(got, secret) {
			t.Errorf("%s: %s", file, got)
		}
	}
}

func FuzzClassify(f *testing.F) {
	for _, file := range []string{"a.go", "a.py", "a.sh", "a.html", "a.css", "a.json", "a.md"} {
		f.Add(diff(file, "-a \"b c\" // d\n+a 'b c' # d\n"))
	}
	f.Fuzz(func(t *testing.T, change string) {
		if got := framework.Classify(change); got.MayProceed != (got.Kind == "DATA") {
			t.Errorf("%q: %+v", change, got)
		}
	})
}
