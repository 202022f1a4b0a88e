package main

import (
	"testing"

	"recado/bench/load"
	"recado/test/testkit"
)

func TestDisturbedRoundsAreRepeatedAndNotCounted(t *testing.T) {
	disturbed := func(stolen ...float64) (rounds []round) {
		for _, part := range stolen {
			rounds = append(rounds, round{turns: []turn{{result: &load.Result{}}}, stolen: part})
		}
		return rounds
	}
	b := &bench{settings: &settings{rounds: 2}, quiet: true}
	for _, c := range []struct {
		name   string
		stolen []float64
		more   bool
		counts []float64
	}{
		{"quiet from the start", []float64{0, 0.01}, false, []float64{0, 0.01}},
		{"one disturbed", []float64{0.2, 0}, true, []float64{0, 0.2}},
		{"one repeated", []float64{0.2, 0, 0.005}, false, []float64{0, 0.005}},
		{"never quiet", []float64{0.2, 0.3, 0.2, 0.1, 0.3, 0.3, 0.3, 0.4}, false, []float64{0.1, 0.2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rounds := disturbed(c.stolen...)
			testkit.Equal(t, "needs more rounds", b.needsQuiet(rounds), c.more)
			for i, r := range b.counted(rounds) {
				testkit.Equal(t, "stolen time of a counted round", r.stolen, c.counts[i])
			}
		})
	}
	before, after := machineTimes{stolen: 10, all: 1000}, machineTimes{stolen: 15, all: 1100}
	testkit.Equal(t, "stolen part of the time", after.stolenSince(before), 0.05)
	testkit.Equal(t, "stolen part if unknown", machineTimes{}.stolenSince(machineTimes{}), 0.0)
}
