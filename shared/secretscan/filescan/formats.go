package filescan

import (
	"encoding/base64"
	"encoding/json"
	"regexp"
	"strings"

	"governance.internal/shared/secretscan"
)

// jsonString is a string of JSON.
var jsonString = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"`)

// notebook reads the cells of a notebook: code and outputs inside of JSON strings.
func (s *scanner) notebook() {
	for _, at := range jsonString.FindAllStringIndex(s.text, -1) {
		var line string
		if err := json.Unmarshal([]byte(s.text[at[0]:at[1]]), &line); err != nil {
			continue
		}

		inner := &scanner{
			text: line,
			kind: code,
		}
		inner.keyed(line, 0, code)
		for _, f := range inner.found {
			f.Start, f.End = at[0]+1, at[1]-1
			s.add(f)
		}
	}
}

// encodedKey is a PEM block in base64, as kubeconfig files have it.
var encodedKey = regexp.MustCompile(`LS0tLS1CRUdJTi[A-Za-z0-9+/=]{40,}`)

// encodedKeys finds private keys that stand in base64.
func (s *scanner) encodedKeys() {
	for _, at := range encodedKey.FindAllStringIndex(s.text, -1) {
		text := strings.TrimRight(s.text[at[0]:at[1]], "=")
		decoded, err := base64.RawStdEncoding.DecodeString(text)
		if err != nil || !strings.Contains(string(decoded[:min(len(decoded), 64)]), "PRIVATE KEY") {
			continue
		}
		s.add(Finding{
			Rule:     secretscan.PrivateKey,
			Severity: Error,
			Start:    at[0],
			End:      at[1],
		})
	}
}

// registryLogin is the login of a registry as docker keeps it.
var registryLogin = regexp.MustCompile(`"auth"\s*:\s*"([A-Za-z0-9+/]{8,}={0,2})"`)

// registryLogins finds USER:PASSWORD in base64.
func (s *scanner) registryLogins() {
	for _, at := range registryLogin.FindAllStringSubmatchIndex(s.text, -1) {
		decoded, err := base64.StdEncoding.DecodeString(s.text[at[2]:at[3]])
		if err != nil || !strings.Contains(string(decoded), ":") || isExampleLogin(s.text[at[2]:at[3]]) {
			continue
		}
		s.add(Finding{
			Rule:     RuleKeyed,
			Severity: Error,
			Name:     "auth",
			Start:    at[2],
			End:      at[3],
		})
	}
}

// passwordFile is a line of .pgpass: host, port, database, user and password.
var passwordFile = regexp.MustCompile(`(?m)^[^\s:#]+:(?:\d+|\*):[^\s:]+:[^\s:]+:(\S+)\s*$`)

// passwordLines finds the passwords of a file .pgpass.
func (s *scanner) passwordLines() {
	for _, at := range passwordFile.FindAllStringSubmatchIndex(s.text, -1) {
		if !isRealPassword(s.text[at[2]:at[3]]) {
			continue
		}
		s.add(Finding{
			Rule:     RuleKeyed,
			Severity: Error,
			Name:     "password",
			Start:    at[2],
			End:      at[3],
		})
	}
}

var (
	kindSecret = regexp.MustCompile(`(?m)^kind:\s*["']?Secret["']?\s*$`)
	dataBlock  = regexp.MustCompile(`(?m)^(data|stringData):[ \t]*\r?$`)
	dataEntry  = regexp.MustCompile(`^[ \t]+["']?([\w.-]+)["']?:[ \t]*["']?([^\s"'#]+)["']?`)
)

// kubernetes reads the values of a Secret: those under data are in base64.
func (s *scanner) kubernetes() {
	offset := 0
	for document := range strings.SplitSeq(s.text, "\n---") {
		if kindSecret.MatchString(document) {
			for _, block := range dataBlock.FindAllStringSubmatchIndex(document, -1) {
				encoded := document[block[2]:block[3]] == "data"
				s.dataEntries(document, offset, block[1], encoded)
			}
		}
		offset += len(document) + len("\n---")
	}
}

// dataEntries reads the indented lines after a place.
func (s *scanner) dataEntries(document string, offset, from int, encoded bool) {
	at := from + 1
	for line := range strings.SplitAfterSeq(document[min(at, len(document)):], "\n") {
		trimmed := strings.TrimSpace(line)
		isIndented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
		if trimmed != "" && !isIndented {
			return
		}
		if entry := dataEntry.FindStringSubmatchIndex(line); entry != nil {
			s.dataEntry(line, offset+at, entry, encoded)
		}
		at += len(line)
	}
}

func (s *scanner) dataEntry(line string, offset int, entry []int, encoded bool) {
	name := line[entry[2]:entry[3]]
	text := line[entry[4]:entry[5]]
	if encoded {
		decoded, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return
		}
		text = strings.TrimSpace(string(decoded))
	}

	shaped := len(secretscan.Scan(text)) > 0
	named := secretscan.SecretName(name) && isRealPassword(text)
	if !shaped && !named {
		return
	}
	s.add(Finding{
		Rule:     RuleSealed,
		Severity: Error,
		Name:     name,
		Start:    offset + entry[4],
		End:      offset + entry[5],
	})
}
