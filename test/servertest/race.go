//go:build race

package servertest

func init() { underRace = true }
