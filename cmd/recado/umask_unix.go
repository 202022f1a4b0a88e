//go:build unix

package main

import (
	"syscall"
)

// keepPrivate makes new files and folders accessible only to their owner.
func keepPrivate() { syscall.Umask(0o077) }
