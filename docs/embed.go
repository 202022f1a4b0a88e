// Package docs holds the guides, which the binary serves as pages.
package docs

import (
	"embed"
)

// Files are the guides as they are in this folder.
//
//go:embed *.md
var Files embed.FS
