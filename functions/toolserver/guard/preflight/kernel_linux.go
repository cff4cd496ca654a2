package preflight

import (
	"bufio"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// kernelMounts are the mounts of a process, a number or self. ok is false if it could change them: it has
// the capability for it, or could get it from another program.
func kernelMounts(process string) (found mounts, ok bool) {
	var at unix.Statfs_t
	isKernel := unix.Statfs("/proc", &at) == nil && at.Type == unix.PROC_SUPER_MAGIC
	if !isKernel || !isConfined(process) {
		return found, false
	}

	file, err := os.Open("/proc/" + process + "/mountinfo")
	if err != nil {
		return found, false
	}
	defer file.Close()

	found = mounts{map[string]bool{}, map[string]bool{}}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 6 {
			return found, false
		}
		point := unescapeMount(fields[4])
		found.points[point] = true
		found.readOnly[point] = slices.Contains(strings.Split(fields[5], ","), "ro") // the upper of two mounts comes last
	}
	return found, lines.Err() == nil
}

// isConfined reports whether a process has no right over mounts and can gain none.
func isConfined(process string) bool {
	text, err := os.ReadFile("/proc/" + process + "/status")
	if err != nil {
		return false
	}
	status := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		status[name] = strings.TrimSpace(value)
	}

	for _, set := range []string{"CapEff", "CapPrm", "CapBnd"} {
		bits, err := strconv.ParseUint(status[set], 16, 64)
		if err != nil || bits&(1<<unix.CAP_SYS_ADMIN) != 0 {
			return false
		}
	}
	return status["NoNewPrivs"] == "1"
}

// unescapeMount writes out the characters that the kernel writes as numbers: blanks and backslashes.
func unescapeMount(point string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(point)
}
