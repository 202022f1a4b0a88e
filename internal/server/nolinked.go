//go:build nolinked

package server

import "recado/internal/channels"

// newLinked is nil: this build cannot link numbers.
var newLinked func(*Server) channels.Linked
