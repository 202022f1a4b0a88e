//go:build race

package agree

// The race detector makes a history ten times dearer: it gets a part of them, and `make test` runs all
// of them again without it.
func init() { raceDetector = true }
