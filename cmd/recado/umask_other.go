//go:build !unix

package main

// keepPrivate does nothing because there is no umask.
func keepPrivate() {}
