package workspace

// NoProvider is the provider of a process that this service neither looks at nor stops.
const NoProvider = "none"

// Providers are the names that a workspace file may give to what runs a process.
var Providers = []struct {
	Name   string
	Remote bool // runs processes on other machines
}{
	{Name: NoProvider},
	{Name: "supervised"},
	{Name: "procfs"},
	{Name: "systemd"},
	{Name: "pm2"},
	{Name: "docker"},
	{Name: "ecs", Remote: true},
	{Name: "lambda", Remote: true},
}

func providerNames() []string {
	var names []string
	for _, p := range Providers {
		names = append(names, p.Name)
	}
	return names
}

// IsRemote reports whether a provider runs its processes on other machines.
func IsRemote(provider string) bool {
	for _, p := range Providers {
		if p.Name == provider {
			return p.Remote
		}
	}
	return false
}
