package processes

import "time"

// Found is a process that this server did not start.
type Found struct {
	Identity Identity
	Argv     []string
	Dir      string // "" if it cannot be read
}

// Usage is what a process takes.
type Usage struct {
	Uptime  time.Duration
	Memory  int64 // resident bytes
	Stopped bool  // by a signal or a debugger
}
