package managed

import (
	"os"
	"strings"
)

// Local are the providers of this machine, except the supervisor. Former remembers what
// a halt stopped.
func Local(dir string, former *Former) map[string]Provider {
	return map[string]Provider{
		"procfs":  Procfs{dir},
		"systemd": Systemd{former},
		"pm2":     PM2{former},
		"docker":  Docker{dockerSocket(os.Getenv("DOCKER_HOST")), former},
	}
}

// dockerSocket is where the engine listens: what DOCKER_HOST says, or the usual place.
// An engine on another machine is not stopped from here.
func dockerSocket(host string) string {
	if path, ok := strings.CutPrefix(host, "unix://"); ok {
		return path
	}
	return "/var/run/docker.sock"
}
