package preflight_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/policy"
)

// changes are ways to change the file PATH, which is untouchable.
var changes = []string{
	"rm PATH", "rm -f -- PATH", "echo x > PATH", "echo x >> PATH", "echo x | tee PATH", "cp src/a.go PATH", "mv src/a.go PATH", "mv PATH src/b.go", "ln -sf /dev/null PATH",
	"install -m 644 src/a.go PATH", "dd if=/dev/null of=PATH", "truncate -s 0 PATH", "sed -i s/x/y/ PATH", "sed -Ei.bak s/x/y/ PATH", "perl -pi -e s/x/y/ PATH", "chmod 000 PATH", "chmod -w PATH", "touch PATH",
	"shred -u PATH", "unlink PATH", "sort -o PATH src/a.go", "curl -so PATH http://localhost", "wget -qO PATH http://localhost", "tar -cf PATH src", "git checkout HEAD -- PATH", "git restore PATH",
	"git rm -q PATH", "rsync src/a.go PATH", "find PATH -delete", "find src -name a.go -exec cp {} PATH \\;", "echo src/a.go | xargs -I{} cp {} PATH", "ed -s PATH", "vim -es +wq PATH", "gzip PATH", "sponge PATH", "someprogram PATH",
	"gcc -o PATH a.c", "yq -i . PATH", "patch PATH x.diff", "split -b 1 src/a.go PATH", "tee -a src/c PATH < src/a.go", ": > PATH", "openssl rand -out PATH 1", "docker cp c:/x PATH", "rename s/a/b/ PATH",
}

// spellings are names of one file for a shell in the root of the project.
var spellings = []string{
	"infra/prod/main.tf", "./infra/prod/main.tf", "infra//prod/./main.tf", "src/../infra/prod/main.tf", "'infra/prod/main.tf'", `"infra"/prod/'main.tf'`, `infra\/prod/main\.tf`, `in""fra/prod/main.tf`,
	`$'infra/pro\x64/main.tf'`, "infr?/prod/main.tf", "infra/*/main.t[f]", "{infra/prod/main.tf,}", "src/soft/main.tf", "in\\\nfra/prod/main.tf", "infra/prod/{main,vars}.tf", "${NONE:-infra/prod/main.tf}",
	"$(echo infra/prod/main.tf)", "`echo infra/prod/main.tf`", "infra/prod/new.tf", "keys/server.pem",
}

func single(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// disguises are commands that run another one, or look like something else.
var disguises = []func(command string) string{
	func(c string) string { return c },
	func(c string) string { return "true && " + c },
	func(c string) string { return "ls; " + c + " # tidy up" },
	func(c string) string { return "(" + c + "\n)" },
	func(c string) string { return "{ " + c + "\n}" },
	func(c string) string { return "if true; then\n" + c + "\nfi" },
	func(c string) string { return "while true; do\n" + c + "\nbreak; done" },
	func(c string) string { return "for i in 1 2; do\n" + c + "\ndone" },
	func(c string) string { return "case a in a)\n" + c + "\n;; esac" },
	func(c string) string { return "f() {\n" + c + "\n}; f" },
	func(c string) string { return "x=$(\n" + c + "\n)" },
	func(c string) string { return "cat <(\n" + c + "\n)" },
	func(c string) string { return "ls > >(\n" + c + "\n)" },
	func(c string) string { return "bash -c " + single(c) },
	func(c string) string { return "sh -ec " + single(c) + " name" },
	func(c string) string { return "sudo -n bash -c " + single(c) },
	func(c string) string { return "env A=1 timeout -k 1 5 nice -n 5 sh -c " + single(c) },
	func(c string) string { return "eval " + single(c) },
	func(c string) string { return "trap -- " + single(c) + " EXIT" },
	func(c string) string { return "echo " + single(c) + " | sh" },
	func(c string) string { return "printf %s " + single(c) + " | sudo bash -s" },
	func(c string) string { return "bash <<< " + single(c) },
	func(c string) string { return "bash <<'END'\n" + c + "\nEND" },
	func(c string) string { return "cat > t.sh <<'END'\n" + c + "\nEND\nsh t.sh" },
	func(c string) string { return "echo " + single(c) + " > t.sh; chmod +x t.sh; ./t.sh" },
	func(c string) string { return "bash <(echo " + single(c) + ")" },
	func(c string) string { return ". <(echo " + single(c) + ")" },
	func(c string) string { return "watch " + single(c) },
	func(c string) string { return "script -qc " + single(c) + " /dev/null" },
	func(c string) string { return "xargs -0 sh -c " + single(c) },
	func(c string) string { return "find . -maxdepth 0 -exec sh -c " + single(c) + " \\;" },
	func(c string) string { return "git -c alias.z=" + single("!"+c) + " z" },
	func(c string) string { return "GIT_EDITOR=" + single(c) + " git commit" },
	func(c string) string { return "BASH_ENV=<(echo " + single(c) + ") bash -c true" },
	func(c string) string { return "python3 -c " + single("import os; os.system("+fmt.Sprintf("%q", c)+")") },
	func(c string) string { return "perl -e " + single("system("+fmt.Sprintf("%q", c)+")") },
	func(c string) string { return "awk " + single("BEGIN{system("+fmt.Sprintf("%q", c)+")}") },
	func(c string) string { return "make --eval=" + single("x:;"+c) + " x" },
	func(c string) string { return "flock /tmp/x -c " + single(c) },
	func(c string) string { return "nohup setsid stdbuf -oL sh -c " + single(c) + " > /dev/null 2>&1 &" },
	func(c string) string { return "tmux new -d " + single(c) },
	func(c string) string { return "ssh localhost " + single(c) },
	func(c string) string { return "npx -y shx sh -c " + single(c) },
	func(c string) string { return strings.ReplaceAll(c, "\n", "\r\n") + "\r\n" },
	func(c string) string { return "\t\n\n" + c },
	func(c string) string { return "time -p " + c },
	func(c string) string { return "! " + c },
	func(c string) string { return "coproc {\n" + c + "\n}" },
	func(c string) string { return "[[ -z $(\n" + c + "\n) ]]" },
	func(c string) string { return "declare x=$(\n" + c + "\n)" },
	func(c string) string { return "cd src && cd .. && " + c },
	func(c string) string { return "pushd src; popd; " + c },
	func(c string) string { return "shopt -s extglob nullglob; " + c },
	func(c string) string { return "alias q=" + single(c) + "; q" },
}

// refused says that a hook would not let the command through.
func refused(t *testing.T, decision policy.Decision) bool {
	t.Helper()
	return decision == policy.Blocked || decision == policy.Protected
}

// found are disguises that passed once.
var found = []string{
	`awk 'BEGIN{system("echo '\''shred -u src/soft/main.tf'\'' > t.sh; chmod +x t.sh; ./t.sh\r\n")}'`,
	`awk 'BEGIN{system("\162m src/soft/main.tf")}'`,
	`awk 'BEGIN{system("\x72m src/soft/ma\151n.tf")}'`,
	`awk 'BEGIN{print "x" > "src\/soft/ma\151n.tf"}'`,
	`python3 -c 'import os; os.system("\x72m src/soft/main.tf")'`,
	`python3 -c 'import os; os.system("\162m src/soft/main.tf")'`,
	`perl -e 'system("\x72m src/soft/main.tf")'`,
	`perl -e 'system("\162m src/soft/main.tf")'`,
	`ruby -e 'system("\x72m src/soft/main.tf")'`,
	`node -e 'require("child_process").execSync("\x72m src/soft/main.tf")'`,
	`printf '\162m src/soft/main.tf' | sh`,
	"bash <<'END'\nawk 'BEGIN{system(\"perl -pi -e s/x/y/ in\\\\\\nfra/prod/main.tf\")}'\nEND",
	"bash <<E\\ND\nawk 'BEGIN{system(\"perl -pi -e s/x/y/ in\\\\\\nfra/prod/main.tf\")}'\nEND",
}

// However a forbidden change is spelled and disguised, it does not pass.
func TestNoDisguiseOfAForbiddenChangePasses(t *testing.T) {
	w := project(t)
	tried, missed := 0, 0
	try := func(command string) {
		if strings.Contains(command, "of=inf") && strings.ContainsAny(command, "?[") { // a pattern in of= is none
			return
		}
		tried++
		if report := decide(w, command); !refused(t, report.Decision) {
			missed++
			t.Errorf("%s: %s, writes %v", command, report.Decision, report.Writes)
		}
	}
	for _, change := range changes {
		for _, spelling := range spellings {
			try(strings.ReplaceAll(change, "PATH", spelling))
		}
		for _, disguise := range disguises {
			try(disguise(strings.ReplaceAll(change, "PATH", spellings[0])))
		}
	}
	for _, command := range found {
		try(command)
	}

	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	for range 600 {
		command := strings.ReplaceAll(changes[random.IntN(len(changes))], "PATH", spellings[random.IntN(len(spellings))])
		for range 1 + random.IntN(3) {
			command = disguises[random.IntN(len(disguises))](command)
		}
		try(command)
	}
	t.Logf("seed %d: %d commands tried, %d passed", seed, tried, missed)
}
