//go:build linux

package fence_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"governance.internal/functions/toolserver/guard/outside"
	"governance.internal/functions/toolserver/inspect/snapshot"
	"governance.internal/functions/toolserver/work/fence"
	"governance.internal/functions/toolserver/work/fence/fencetest"
)

// writers are ways to change, replace or remove a file or a folder; %[1]s is its name, %[2]s
// its folder.
var writers = []string{
	`echo x > %[1]s`, `echo x >> %[1]s`, `: > %[1]s`, `printf x | tee %[1]s`, `printf x | tee -a %[1]s`,
	`cp README.md %[1]s`, `cp -f README.md %[1]s`, `mv README.md %[1]s`, `mv -f %[1]s /tmp/away.$$`, `rm -rf %[1]s`, `unlink %[1]s`,
	`ln -sf README.md %[1]s`, `ln -f README.md %[1]s`, `sed -i 's/./x/' %[1]s`, `perl -pi -e 's/./x/' %[1]s`,
	`python3 -c "open('%[1]s','w').write('x')"`, `dd if=/dev/zero of=%[1]s bs=1 count=1 conv=notrunc`, `truncate -s 0 %[1]s`,
	`install -m 644 README.md %[1]s`, `touch x && mv -T x %[1]s`, `chmod 777 %[1]s; echo x > %[1]s`, `rsync -a README.md %[1]s 2>/dev/null || cat README.md > %[1]s`,
	`exec 9<>%[1]s; echo x >&9`, `cd %[2]s && echo x > $(basename %[1]s)`, `mv %[2]s moved.$$`, `rm -rf %[2]s`, `mv %[2]s a.$$ && mkdir -p %[2]s && echo x > %[1]s`,
	`find . -name "$(basename %[1]s)" -exec sh -c 'echo x > "$1"' _ {} \;`, `find %[1]s -delete`, `ln %[1]s other.$$ && echo x > other.$$`,
	`tar cf t.tar README.md && tar xf t.tar --transform "s#README.md#%[1]s#" --overwrite`, `git mv %[1]s gone 2>/dev/null; mv %[1]s gone`,
	`umount %[1]s; echo x > %[1]s`, `mount -o remount,rw,bind %[1]s; echo x > %[1]s`, `mount --bind README.md %[1]s && cat %[1]s && exit 1; true`,
	`unshare -Urm sh -c 'umount %[1]s; echo x > %[1]s'`, `unshare -Urm sh -c 'mount -o remount,rw,bind %[1]s; echo x > %[1]s'`,
	`setsid sh -c 'sleep 0.01; echo x > %[1]s' & wait`, `echo x > /proc/self/cwd/%[1]s`, `echo x > /proc/1/root$PWD/%[1]s`,
	`nohup sh -c 'echo x > %[1]s' >/dev/null 2>&1`, `awk 'BEGIN{print "x" > "%[1]s"}'`, `bash -c 'echo x >| %[1]s'`,
}

// hostile are all writers on all governed places.
func hostile() []string {
	var list []string
	for _, name := range governed {
		folder := "."
		if at := strings.LastIndexByte(name, '/'); at >= 0 {
			folder = name[:at]
		}
		for _, w := range writers {
			if folder == "." && strings.Contains(w, "%[2]s") {
				continue // the workspace itself is not governed
			}
			list = append(list, fmt.Sprintf(w, name, folder))
		}
	}
	return list
}

// ordinary are commands of a working day; each must succeed.
var ordinary = strings.Split(strings.TrimSpace(`
cat config/prod.yaml
echo y > config/dev.yaml
echo y >> README.md
mkdir build && echo x > build/out.txt
cp src/core.go build.go
mv src/free.go src/renamed.go
rm README.md
mkdir -p a/b/c && touch a/b/c/d && rm -rf a
sed -i 's/1/2/' config/dev.yaml
ls -laR . > /dev/null
find . -type f | wc -l
grep -r prod . > /dev/null
tar czf /tmp/fence-test.$$.tgz . && rm /tmp/fence-test.$$.tgz
python3 -c "open('src/new.py','w').write('x')"
bash run.sh
sort data/a.csv > data/sorted.csv
ln -s README.md link.md
ln README.md hard.md
chmod +x run.sh && ./run.sh
echo note >> ~/notes.txt
mkdir -p ~/.cache/tool && echo x > ~/.cache/tool/state
mktemp > /dev/null
mktemp -d > /dev/null
cat /etc/hostname > /dev/null
id -u
env | sort > /dev/null
ps > /dev/null
sleep 0.01 & wait
(cd src && ls) > /dev/null
date > stamp.txt
head -c 100 /dev/urandom > random.bin
diff README.md README.md
git init -q sub && cd sub && git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m x
git hash-object README.md > /dev/null
mv data renamed && mv renamed data
cp -r src copy && rm -rf copy
perl -e 'print 1' > /dev/null
awk '{print}' README.md > /dev/null
xargs -n1 echo < README.md > /dev/null
test -r keys/a.pem
`), "\n")

// readers are ways to read any file, governed or not.
var readers = []string{
	`cat %[1]s`, `head -n 1 %[1]s`, `wc -c < %[1]s`, `grep -c . %[1]s`, `md5sum %[1]s`, `stat %[1]s`, `cp %[1]s copied.$$`, `diff %[1]s %[1]s`, `sort %[1]s`, `python3 -c "open('%[1]s').read()"`,
}

// free are files that a command may change.
var free = []string{"config/dev.yaml", "src/free.go", "README.md", "data/a.csv", "run.sh"}

// usual are the writers that name only the file, and so must work on a free one.
var usual = writers[:15]

// working are the ordinary commands: those of the list, all readers on all files, and the usual
// writers on the free ones.
func working() []string {
	list := slices.Clone(ordinary)
	for name := range files {
		for _, r := range readers {
			list = append(list, fmt.Sprintf(r, name))
		}
	}
	for _, name := range free {
		for _, w := range usual {
			from := strings.ReplaceAll(w, "README.md", "spare.txt")
			list = append(list, fmt.Sprintf(from, name))
		}
		list = append(list, fmt.Sprintf("cp %[1]s /tmp/fence.$$ && mv /tmp/fence.$$ %[1]s", name))
	}
	return list
}

// stands reports whether a fence can stand on this machine. Where none can, the answer must say
// so, and nothing may have been run.
func stands(t *testing.T) bool {
	t.Helper()
	folder, home := project(t)
	got := run(t, folder, home, "echo ran")
	if got.status == 0 && strings.Contains(got.output, "read-only") {
		return true
	}
	if got.status != 125 || strings.Contains(got.output, "\nran") || !strings.Contains(got.output, "no fence can stand here") {
		t.Fatalf("status %d: %s", got.status, got.output)
	}
	if fencetest.Possible() {
		t.Fatalf("a fence could stand here: %s", got.output)
	}
	return false
}

func TestHostileCommandsChangeNoGovernedByte(t *testing.T) {
	if !stands(t) {
		return // stands has checked that the answer says so
	}
	commands := hostile()
	folder, home := project(t)
	for _, command := range commands {
		got := run(t, folder, home, command)
		if list := changed(folder); len(list) > 0 || got.status == 125 {
			t.Errorf("%s: changed %v\n%s", command, list, got.output)
			folder, home = project(t)
		}
	}
	t.Logf("%d hostile commands", len(commands))
}

// At most one ordinary command in a hundred may fail.
func TestOrdinaryCommandsWork(t *testing.T) {
	if !stands(t) {
		return
	}
	broken := 0
	commands := working()
	for _, command := range commands {
		folder, home := project(t)
		if got := run(t, folder, home, command); got.status != 0 {
			broken++
			t.Logf("%s: status %d\n%s", command, got.status, got.output)
		}
	}

	t.Logf("%d of %d ordinary commands broken", broken, len(commands))
	if 100*broken > len(commands) {
		t.Errorf("%d of %d ordinary commands are broken", broken, len(commands))
	}
}

func TestSecretsOfTheHomeDirectoryAreNotSeen(t *testing.T) {
	if !stands(t) {
		return
	}
	folder, home := project(t)
	got := run(t, folder, home, `cat ~/.ssh/id_ed25519; ls -A ~/.ssh; echo x >> ~/.bashrc`)
	if strings.Contains(got.output, "a private key") || strings.Contains(got.output, "id_ed25519\n") {
		t.Errorf("a secret is seen: %s", got.output)
	}
}

func TestNothingOutsideIsWritten(t *testing.T) {
	if !stands(t) {
		return
	}
	folder, home := project(t)
	got := run(t, folder, home, `touch /etc/fence-test /usr/fence-test /fence-test; ls /etc/fence-test /usr/fence-test /fence-test 2>/dev/null`)
	if strings.Contains(got.output, "\n/etc/fence-test") || strings.Contains(got.output, "\n/fence-test") {
		t.Errorf("%s", got.output)
	}
}

func TestTheStatusIsTheProgramsOwn(t *testing.T) {
	if !stands(t) {
		return
	}
	folder, home := project(t)
	for command, want := range map[string]int{"exit 0": 0, "exit 7": 7, "kill -TERM $$": 143, "kill -KILL $$": 137} {
		if got := run(t, folder, home, command); got.status != want {
			t.Errorf("%s: status %d, want %d: %s", command, got.status, want, got.output)
		}
	}
}

func TestOfflineHasOnlyItsLoopback(t *testing.T) {
	if !stands(t) {
		return
	}
	folder, home := project(t)
	got := run(t, folder, home, `cat /proc/net/dev`, "-network", "none")
	if got.status != 0 || strings.Contains(got.output, "eth0") || !strings.Contains(got.output, "lo:") || !strings.Contains(got.output, "network none") {
		t.Errorf("status %d: %s", got.status, got.output)
	}
}

func TestWrongUsageIsSaid(t *testing.T) {
	folder, home := project(t)
	t.Chdir(folder)
	t.Setenv("HOME", home)
	for _, args := range [][]string{{}, {"--"}, {"-network", "some", "--", "true"}, {"-nework", "none", "--", "true"}} {
		var out strings.Builder
		if status := fence.Main(t.Context(), "/proc/self/exe", outside.Of(snapshot.BeforeCommand), args, nil, &out, &out); status != 2 || !strings.Contains(out.String(), "governance run: ") {
			t.Errorf("%q: status %d: %s", args, status, out.String())
		}
	}
}

// Where no fence can stand the answer says so, and nothing was run unless that was wanted.
func TestWithoutAFenceNothingRunsUnasked(t *testing.T) {
	t.Setenv(fence.Setting, "off")
	folder, home := project(t)
	got := run(t, folder, home, "touch ran")
	if got.status != 125 || !strings.Contains(got.output, "no fence can stand here") || !strings.Contains(got.output, "-unfenced") {
		t.Errorf("status %d: %s", got.status, got.output)
	}
	if _, err := os.Stat(filepath.Join(folder, "ran")); err == nil {
		t.Error("the program was started")
	}
}

// The first process keeps capabilities, so what is behind the fence must not reach into it.
func TestTheFirstProcessCannotBeReached(t *testing.T) {
	if !stands(t) {
		return
	}
	folder, home := project(t)
	for _, command := range []string{
		`exec 9<>/proc/1/mem`, `cat /proc/1/environ`, `cat /proc/1/fd/0`, `readlink /proc/1/fd/5`, `ls /proc/1/root/`, `nsenter -t 1 -m true`,
		`python3 -c "import ctypes; c=ctypes.CDLL(None,use_errno=True); exit(0 if c.ptrace(16,1,0,0)==0 else 1)"`,
		`kill -9 1; test ! -d /proc/1`,
	} {
		if got := run(t, folder, home, command); got.status == 0 || got.status == 137 {
			t.Errorf("%s: status %d: %s", command, got.status, got.output)
		}
	}
}

// A file that a person or git replaces from outside is held again, though the kernel takes the
// mount away with the old file.
func TestAReplacedFileIsHeldAgain(t *testing.T) {
	if !stands(t) {
		return
	}
	folder, home := project(t)
	go func() {
		for range 3000 {
			if _, err := os.Stat(filepath.Join(folder, "ready")); err == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		fresh := filepath.Join(folder, "fresh")
		_ = os.WriteFile(fresh, []byte("by a person\n"), 0o600) // the command waits for it
		_ = os.Rename(fresh, filepath.Join(folder, "config/prod.yaml"))
		_ = os.WriteFile(filepath.Join(folder, "replaced"), nil, 0o600)
	}()

	got := run(t, folder, home, `touch ready
		until [ -e replaced ]; do sleep 0.01; done
		cat config/prod.yaml
		for i in $(seq 1000); do (: >> config/prod.yaml) 2>/dev/null || exit 0; sleep 0.01; done
		exit 1`)
	if got.status != 0 || !strings.Contains(got.output, "by a person") {
		t.Errorf("status %d: %s", got.status, got.output)
	}
}

// Nothing can be put in the place of the folders above what is held, in the home directory and
// above the project either.
func TestNoFolderAboveIsReplaced(t *testing.T) {
	if !stands(t) {
		return
	}
	folder, home := project(t)
	write(t, filepath.Join(home, ".claude/settings.json"), "{}")
	write(t, filepath.Join(home, ".config/git/config"), "[core]")
	got := run(t, folder, home, `for f in "$PWD" "$PWD/config" "$PWD/keys" ~ ~/.claude ~/.config ~/.config/git ~/.ssh "$(dirname "$PWD")"; do
		cp -r "$f" /tmp/copy.$$ 2>/dev/null; mv "$f" "$f.away" 2>/dev/null && echo "moved $f"; rmdir "$f" 2>/dev/null && echo "removed $f"
	done; rm -rf /tmp/copy.$$; mkdir other && mv other renamed && rmdir renamed`)
	if strings.Contains(got.output, "moved") || strings.Contains(got.output, "removed") || got.status != 0 {
		t.Errorf("status %d: %s", got.status, got.output)
	}
}

// Settings of the kernel and disks hold outside the fence, too, and root may change them in any
// namespace.
func TestTheKernelAndDisksAreClosed(t *testing.T) {
	if !stands(t) {
		return
	}
	folder, home := project(t)
	got := run(t, folder, home, `for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sysrq-trigger /sys/kernel/uevent_helper; do
		(: >> $f) 2>/dev/null && echo "open: $f"
	done
	for f in /dev/*; do [ -b "$f" ] && echo "open: $f"; done
		cat /proc/sys/kernel/ostype; echo y > /dev/null`)
	if strings.Contains(got.output, "open:") || got.status != 0 || !strings.Contains(got.output, "Linux") {
		t.Errorf("status %d: %s", got.status, got.output)
	}
}

// A governed symbolic link can be neither replaced nor removed, and files can be linked between
// folders that hold governed ones.
func TestGovernedLinksAreHeld(t *testing.T) {
	if !stands(t) {
		return
	}
	folder, home := project(t)
	write(t, filepath.Join(folder, "governance.yaml"), rules+"  - current\n  - gone\n")
	for name, to := range map[string]string{"current": "config/dev.yaml", "gone": "nowhere"} {
		if err := os.Symlink(to, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	got := run(t, folder, home, `rm current gone; mv current x; ln -sfn data current; ln -sf README.md gone; mv -T README.md gone; ln README.md data/linked`)
	for name, want := range map[string]string{"current": "config/dev.yaml", "gone": "nowhere"} {
		if to, err := os.Readlink(filepath.Join(folder, name)); to != want || err != nil {
			t.Errorf("%s leads to %q, %v: %s", name, to, err, got.output)
		}
	}
	if got.status != 0 {
		t.Errorf("linking fails: %s", got.output)
	}
}
