// Package web holds the built browser app. The sources are beside this file; `make web` builds dist from
// them, and dist is committed, so that the binary needs Go alone.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Files returns the built app, index.html at its root.
func Files() (fs.FS, error) { return fs.Sub(dist, "dist") }
