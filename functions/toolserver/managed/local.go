package managed

// Local are the providers of this machine, except the supervisor. Former remembers what
// a halt stopped.
func Local(dir string, former *Former) map[string]Provider {
	return map[string]Provider{
		"procfs": Procfs{dir},
	}
}
