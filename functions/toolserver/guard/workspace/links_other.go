//go:build !unix

package workspace

import "io/fs"

// links returns 1: the number of links is unknown on this system.
func links(fs.FileInfo) uint64 { return 1 }
