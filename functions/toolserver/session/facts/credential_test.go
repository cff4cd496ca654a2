package facts

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Tokens are put together at run time so that no file of the repository holds one.
var (
	token  = "ghp_" + strings.Repeat("aB3dE6gH9", 4)
	plain  = "Zk39fjQw02mVbx81"
	phrase = "correct-horse-battery"
)

func TestACredentialIsNeverStored(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		secrets []string
		tells   []string
	}{
		"a token":          {token, []string{token}, []string{"github", `ends in "` + token[len(token)-4:] + `"`, digestOf(token)}},
		"a token in text":  {"the key is " + token + " for CI", []string{token}, []string{digestOf(token)}},
		"a password":       {plain, []string{plain}, []string{"secret", `"bx81"`, digestOf(plain)}},
		"a pair":           {"DB_PASSWORD=" + plain, []string{plain}, []string{"secret"}},
		"a pair in lines":  {"user: bob\npassword: " + plain + "\n", []string{plain}, nil},
		"a phrase":         {phrase, []string{phrase}, []string{digestOf(phrase)}},
		"a number":         {"4821", []string{"4821"}, []string{"credential: secret"}},
		"a short password": {"hunter2", []string{"hunter2"}, []string{"credential: secret"}},
		"with blanks":      {" \t" + plain + "\n", []string{plain}, []string{digestOf(plain)}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"governance.yaml": "session: {sinks: {credential: \"creds/{slug}.md\"}}\n"})
			leaking := c.secrets[0]
			kept := w.keep(Note{
				Category: Credential,
				Title:    "Router " + leaking + ".",
				Content:  c.content,
				Source:   "pasted:" + leaking,
				Tags:     []string{leaking, "ci"},
			})

			for _, part := range c.tells {
				if !strings.Contains(kept.Fact.Content, part) {
					t.Errorf("%q does not tell %q", kept.Fact.Content, part)
				}
			}
			everywhere := w.everything()
			for _, secret := range append(c.secrets, strings.TrimSpace(c.content)) {
				if at := strings.Index(everywhere, secret); at >= 0 {
					t.Errorf("stored: %q", everywhere[max(0, at-60):at+len(secret)])
				}
			}
			if !strings.HasPrefix(kept.Fact.Title, "Router (credential)") || kept.Sink == "" {
				t.Errorf("%+v", kept)
			}
		})
	}
}

func digestOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return "sha256 " + hex.EncodeToString(sum[:])[:12]
}

// everything is all that is in the workspace and in the chain, without the workspace file.
func (w *world) everything() string {
	w.Helper()
	var all strings.Builder
	err := filepath.WalkDir(w.dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		all.WriteString(name + "\n" + string(text) + "\n")
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	for _, detail := range w.recorded {
		for name, value := range detail {
			text, _ := value.(string)
			all.WriteString(name + text + "\n")
		}
	}
	return all.String()
}

// A title may use the words of the content that are words of a language.
func TestPlainWordsOfACredentialStay(t *testing.T) {
	w := newWorld(t, nil)
	kept := w.keep(Note{
		Category: Credential,
		Title:    "GitHub token of the CI",
		Content:  "GitHub token: " + token,
	})
	if kept.Fact.Title != "GitHub token of the CI" || kept.Sink != "" || kept.Fact.Processed {
		t.Errorf("%+v", kept.Fact)
	}
}

// A credential that was kept is told apart by its digest; without one they look alike.
func TestWhichCredentialsAreTheSame(t *testing.T) {
	w := newWorld(t, nil)
	keep := func(content string) string {
		return w.keep(Note{
			Category: Credential,
			Title:    "x",
			Content:  content,
		}).Status
	}
	if first, again, other := keep(plain), keep(plain), keep(plain+"x"); first != Persisted || again != Duplicate || other != Persisted {
		t.Errorf("%s %s %s", first, again, other)
	}
	if first, again := keep("4821"), keep("1234"); first != Persisted || again != Persisted {
		t.Errorf("%s %s", first, again)
	}
}

func TestSecretsInOtherCategoriesAreMasked(t *testing.T) {
	w := newWorld(t, nil)
	note := decision("use " + token)
	note.Content = "set api_key=" + plain + "\nand " + token
	note.Source = "curl -H " + token
	note.Tags = []string{"password=" + plain}
	kept := w.keep(note)

	everywhere := w.everything()
	if strings.Contains(everywhere, token) || strings.Contains(everywhere, plain) || !strings.Contains(kept.Fact.Content, "masked") {
		t.Errorf("%s", everywhere)
	}
}

func TestThePlaceOfTheWorkspaceIsNotKept(t *testing.T) {
	w := newWorld(t, nil)
	note := decision("moved " + w.dir)
	note.Content = "to " + w.dir + "/x"
	kept := w.keep(note)
	if strings.Contains(kept.Fact.Title+kept.Fact.Content+w.read(kept.Sink)+w.read(today), w.dir) {
		t.Errorf("%+v", kept.Fact)
	}
}
