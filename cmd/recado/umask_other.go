//go:build !unix

package main

// keepPrivate does nothing where there is no umask: the access of a folder decides.
func keepPrivate() {}
