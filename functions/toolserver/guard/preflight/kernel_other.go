//go:build !linux

package preflight

// kernelMounts: no fence stands on this system.
func kernelMounts() (mounts, bool) { return mounts{}, false }
