//go:build !linux

package preflight

// kernelMounts: no fence stands on this system.
func kernelMounts(string) (mounts, bool) { return mounts{}, false }
