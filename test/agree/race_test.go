//go:build race

package agree

// A history takes ten times as long with the race detector, so it runs fewer of them. `make test` runs all of them
// again without it.
func init() { raceDetector = true }
