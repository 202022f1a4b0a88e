package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
)

const (
	mostStolen  = 0.01 // part of the processors' time in a round that others may have
	mostRepeats = 4    // times as many rounds as asked for
)

// round is one turn of every contender.
type round struct {
	turns  []turn
	stolen float64 // the part of the processors' time that the host gave to other machines meanwhile
}

// needsQuiet reports whether too few of the rounds were undisturbed and there may be more of them. A virtual machine whose
// processors are taken away for 20 ms cannot tell how long a call takes: the p99 of such a round is that of the host.
func (b *bench) needsQuiet(rounds []round) bool {
	return len(rounds) < mostRepeats*b.rounds && len(undisturbed(rounds)) < b.rounds
}

func undisturbed(rounds []round) []round {
	return slices.DeleteFunc(slices.Clone(rounds), func(r round) bool { return r.stolen > mostStolen })
}

// counted gives the least disturbed rounds, as many as asked for. They are chosen by the time that others took and not
// by what was measured in them.
func (b *bench) counted(rounds []round) []round {
	if !b.quiet {
		return rounds
	}
	best := slices.Clone(rounds)
	slices.SortStableFunc(best, func(x, y round) int { return cmp.Compare(x.stolen, y.stolen) })
	for i, r := range best {
		counts := "counts"
		if i >= b.rounds {
			counts = "does not count"
		}
		fmt.Fprintf(os.Stderr, "  a round with %.1f %% of the processors' time taken by other machines %s: p99", 100*r.stolen, counts)
		for _, t := range r.turns {
			fmt.Fprintf(os.Stderr, " %s", milliseconds(t.result.Latency.Quantile(0.99)))
		}
		fmt.Fprintln(os.Stderr)
	}
	return best[:b.rounds]
}

// machineTimes are ticks of all processors since the start of the machine. They are zero where the system does not tell.
type machineTimes struct{ stolen, all float64 }

func readMachine() (t machineTimes) {
	data, err := os.ReadFile("/proc/stat")
	if err != nil {
		return machineTimes{}
	}
	var user, nice, system, idle, wait, irq, softirq float64
	_, err = fmt.Sscanf(string(data), "cpu %f %f %f %f %f %f %f %f", &user, &nice, &system, &idle, &wait, &irq, &softirq, &t.stolen)
	if err != nil {
		return machineTimes{}
	}
	t.all = user + nice + system + idle + wait + irq + softirq + t.stolen
	return t
}

func (t machineTimes) stolenSince(before machineTimes) float64 {
	if t.all == before.all {
		return 0
	}
	return (t.stolen - before.stolen) / (t.all - before.all)
}
