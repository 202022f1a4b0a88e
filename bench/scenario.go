package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"recado/bench/load"
)

// scenario is one benchmark.
type scenario struct {
	name  string
	about string
	run   func(ctx context.Context, b *bench) error
}

var scenarios = []scenario{
	{"me", "GET /v1/me with authentication and limits, compared with a bare handler", runMe},
	{"idle", "memory of an idle server", runIdle},
	{"send", "durable sends and inbound messages, compared with inserts into the raw engine", runSend},
	{"page", "pages of 50 messages, compared with the raw engine and a bare handler", runPage},
	{"builds", "pages, lists, searches, sends, inbound messages and deliveries, compared with another build (-other)", runBuilds},
	{"reception", "inbound messages with and without a reception", runReception},
	{"callback", "signed WhatsApp callbacks with 1, 100 and 1,000 messages", runCallback},
	{"talk", "pages, lists, searches and sends at 2,000,000 messages, compared with 10,000", runTalk},
	{"inbox", "lists by status, counts and timelines at 200,000 conversations, compared with 1,000, both with 300 open", runInbox},
	{"search", "searches in Brazilian names and sentences at 40,000 rows, compared with 1,000 or another build (-other)", runSearch},
	{"messages", "searches in 2,000,000 messages; sends with and without the message index", runMessages},
	{"mixed", "60 % reads, 30 % sends and inbound messages, 10 % card moves", runMixed},
	{"nodes", "the same load on one, two and three servers with one PostgreSQL", runNodes},
	{"webhooks", "delivery of events to webhooks", runWebhooks},
	{"live", "latency from an inbound message to 500 live streams; memory of 5,000 idle streams", runLive},
	{"app", "the browser app in Chromium: first load, 10,000 conversations, 10,000 messages, two browsers", runApp},
	{"cards", "pages of cards and new cards at 100,000 cards, compared with 1,000", runCards},
	{"attendances", "the report and a page at 1,000,000 attendances, compared with 10,000", runAttendances},
	{"contacts", "the import of 100,000 contacts from a table", runContacts},
	{"sla", "the search for due service levels every second, with 100,000 open cases", runLevels},
	{"neighbour", "a list and sends of one company while others are expensive, compared with alone", runNeighbour},
	{"groupcommit", "concurrent writers through the store, compared with grouped inserts into the raw engine", runGroupCommit},
}

func names() string {
	var all []string
	for _, s := range scenarios {
		all = append(all, s.name)
	}
	return strings.Join(all, ", ")
}

// bench is the environment of a scenario. It closes everything that was opened when the scenario ends.
type bench struct {
	*settings
	engine   string
	scenario string
	report   *report
	closers  []func()

	quiet     bool            // repeat rounds that other machines disturbed
	arguments []string        // additional arguments of every server
	metered   bool            // servers expose metrics
	profiled  map[string]bool // profiles that exist
}

func (b *bench) onClose(f func()) { b.closers = append(b.closers, f) }

func (b *bench) close() {
	for _, f := range slices.Backward(b.closers) {
		f()
	}
}

// folder creates a data folder that is removed after the scenario.
func (b *bench) folder() (string, error) {
	dir, err := os.MkdirTemp(b.parent, "recado-bench-")
	if err != nil {
		return "", err
	}
	b.onClose(func() { os.RemoveAll(dir) })
	return dir, nil
}

// roundFunc runs a load for some time.
type roundFunc = func(ctx context.Context, d time.Duration) (*load.Result, error)

// contender is one side of a comparison. Without a process, memory and CPU time are not reported.
type contender struct {
	name    string
	process *process
	round   roundFunc
}

// outcome is the result of a contender in all counted rounds.
type outcome struct {
	name   string
	result load.Result
	rates  []float64       // by round
	p99s   []time.Duration // by round
	memory int64           // largest resident size in any round, in bytes
	cpu    time.Duration
}

// turn is the result of a contender in one round.
type turn struct {
	result *load.Result
	memory int64
	cpu    time.Duration
}

// compare runs the contenders in turns and alternating order, so that other load on the machine affects all of them. A
// warm-up turn is not counted.
func (b *bench) compare(ctx context.Context, contenders ...contender) ([]outcome, error) {
	d := b.total / time.Duration(b.rounds)
	for _, c := range contenders {
		if _, err := c.round(ctx, d/4); err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
	}
	var rounds []round
	for n := 0; n < b.rounds || b.quiet && b.needsQuiet(rounds); n++ {
		r := round{turns: make([]turn, len(contenders))}
		before := readMachine()
		for i := range contenders {
			if n%2 == 1 {
				i = len(contenders) - 1 - i
			}
			c, recorded := contenders[i], b.profiling(ctx, contenders[i].process, contenders[i].name, d)
			var err error
			r.turns[i], err = c.turn(ctx, d)
			if err = errors.Join(err, recorded()); err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
		}
		r.stolen = readMachine().stolenSince(before)
		rounds = append(rounds, r)
	}
	return gather(contenders, rounds, b.counted(rounds)), nil
}

func (c contender) turn(ctx context.Context, d time.Duration) (turn, error) {
	before := c.process.cpuTime()
	stop := c.process.watchMemory()
	result, err := c.round(ctx, d)
	t := turn{result, stop(), c.process.cpuTime() - before}
	if err == nil && result.Requests == 0 {
		err = fmt.Errorf("no request succeeded: %w", cmp.Or(result.FirstError, context.DeadlineExceeded))
	}
	return t, err
}

// gather sums up the counted rounds. Memory is the maximum of all rounds.
func gather(contenders []contender, all, counted []round) []outcome {
	outcomes := make([]outcome, len(contenders))
	for i := range outcomes {
		o := &outcomes[i]
		o.name = contenders[i].name
		for _, r := range all {
			o.memory = max(o.memory, r.turns[i].memory)
		}
		for _, r := range counted {
			t := r.turns[i]
			o.cpu += t.cpu
			o.rates = append(o.rates, t.result.Rate())
			o.p99s = append(o.p99s, t.result.Latency.Quantile(0.99))
			o.result.Add(t.result)
		}
	}
	return outcomes
}

// ratio returns the median over the rounds of the rate of o divided by that of other.
func (o *outcome) ratio(other *outcome) float64 { return medianRatio(o.rates, other.rates) }

// slowness returns the median over the rounds of the p99 of o divided by that of other. A disk stall affects only the
// p99 of its round.
func (o *outcome) slowness(other *outcome) float64 { return medianRatio(o.p99s, other.p99s) }

func medianRatio[N float64 | time.Duration](one, other []N) float64 {
	ratios := make([]float64, len(one))
	for i := range one {
		ratios[i] = float64(one[i]) / float64(other[i])
	}
	slices.Sort(ratios)
	middle := len(ratios) / 2
	if len(ratios)%2 == 0 {
		return (ratios[middle-1] + ratios[middle]) / 2
	}
	return ratios[middle]
}
