package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
)

const (
	maxStolen  = 0.01 // part of the CPU time of a round that other machines may take
	maxRepeats = 4    // times the requested number of rounds
)

// round is one turn of every contender.
type round struct {
	turns  []turn
	stolen float64 // part of the CPU time that the host gave to other machines
}

// needsQuiet reports whether another round is necessary because too few were undisturbed. On a virtual machine whose CPUs
// are taken away for 20 ms, the p99 of a round is that of the host.
func (b *bench) needsQuiet(rounds []round) bool {
	return len(rounds) < maxRepeats*b.rounds && len(undisturbed(rounds)) < b.rounds
}

func undisturbed(rounds []round) []round {
	return slices.DeleteFunc(slices.Clone(rounds), func(r round) bool { return r.stolen > maxStolen })
}

// counted returns the least disturbed rounds, as many as requested. The choice does not depend on the results.
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
		fmt.Fprintf(os.Stderr, "  a round with %.1f %% of the CPU time taken by other machines %s: p99", 100*r.stolen, counts)
		for _, t := range r.turns {
			fmt.Fprintf(os.Stderr, " %s", milliseconds(t.result.Latency.Quantile(0.99)))
		}
		fmt.Fprintln(os.Stderr)
	}
	return best[:b.rounds]
}

// machineTimes are ticks of all CPUs since boot, or zero if they are unknown.
type machineTimes struct{ idle, stolen, all float64 }

func readMachine() (t machineTimes) {
	data, err := os.ReadFile("/proc/stat")
	if err != nil {
		return machineTimes{}
	}
	var user, nice, system, idle, wait, irq, softirq float64
	_, err = fmt.Sscanf(string(data), "cpu %f %f %f %f %f %f %f %f",
		&user, &nice, &system, &idle, &wait, &irq, &softirq, &t.stolen)
	if err != nil {
		return machineTimes{}
	}
	t.idle = idle + wait
	t.all = user + nice + system + t.idle + irq + softirq + t.stolen
	return t
}

func (t machineTimes) stolenSince(before machineTimes) float64 {
	if t.all == before.all {
		return 0
	}
	return (t.stolen - before.stolen) / (t.all - before.all)
}
