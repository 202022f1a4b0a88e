//go:build unix

package main

import (
	"syscall"
)

// keepPrivate makes new files and folders for their owner alone, whatever the umask was.
func keepPrivate() { syscall.Umask(0o077) }
