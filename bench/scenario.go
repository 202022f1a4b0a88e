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

// scenario is one question that the program answers. Each group of them has a file of its own and a line here.
type scenario struct {
	name  string
	about string
	run   func(ctx context.Context, b *bench) error
}

var scenarios = []scenario{
	{"me", "GET /v1/me with authentication and limits, beside a bare handler", runMe},
	{"idle", "memory of an idle server", runIdle},
	{"send", "durable sends and inbound messages, beside the raw engine inserting messages", runSend},
	{"page", "pages of 50 messages, beside the raw engine and a bare handler", runPage},
	{"builds", "pages, lists, searches, sends, received messages and deliveries, beside another build (-other), which may be much older", runBuilds},
	{"reception", "receiving with a reception switched on, beside off", runReception},
	{"callback", "messages through WhatsApp's signed callback, one, 100 and 1,000 at a time", runCallback},
	{"talk", "pages, lists, searches and sends at 2,000,000 messages, beside 10,000", runTalk},
	{"inbox", "lists by status, counts and timelines at 200,000 conversations, beside 1,000, 300 of them open", runInbox},
	{"search", "searches in Brazilian names and sentences at 40,000 rows, beside 1,000 or another build (-other)", runSearch},
	{"messages", "searches in 2,000,000 messages; sends with and without the index of messages", runMessages},
	{"mixed", "60 % reads, 30 % sends and inbound messages, 10 % moves of cards", runMixed},
	{"nodes", "the same load on one, two and three servers of one PostgreSQL", runNodes},
	{"webhooks", "events on their way to receivers that verify them", runWebhooks},
	{"live", "from a customer's message to the live streams of 500 people; memory of 5,000 silent streams", runLive},
	{"app", "the browser app in Chromium: first load, 10,000 conversations, 10,000 messages, two browsers", runApp},
	{"cards", "pages of cards, and new ones, at 100,000 cards, beside 1,000", runCards},
	{"attendances", "the report and a page at 1,000,000 attendances, beside 10,000", runAttendances},
	{"neighbour", "one company's list and sends while others do everything expensive at once, beside alone", runNeighbour},
	{"groupcommit", "concurrent writers through the store, beside the raw engine in groups", runGroupCommit},
}

func names() string {
	var all []string
	for _, s := range scenarios {
		all = append(all, s.name)
	}
	return strings.Join(all, ", ")
}

// bench is what a scenario has at hand. What it opens through bench is closed when the scenario ends.
type bench struct {
	*settings
	engine   string
	scenario string
	report   *report
	closers  []func()

	quiet     bool            // rounds in which others took part of the machine are repeated
	arguments []string        // more of them for every server of the scenario
	metered   bool            // servers show their metrics
	profiled  map[string]bool // what was recorded already
}

func (b *bench) onClose(f func()) { b.closers = append(b.closers, f) }

func (b *bench) close() {
	for _, f := range slices.Backward(b.closers) {
		f()
	}
}

// folder makes a data folder that vanishes with the scenario.
func (b *bench) folder() (string, error) {
	dir, err := os.MkdirTemp(b.parent, "recado-bench-")
	if err != nil {
		return "", err
	}
	b.onClose(func() { os.RemoveAll(dir) })
	return dir, nil
}

// roundFunc does something over and over for that long.
type roundFunc = func(ctx context.Context, d time.Duration) (*load.Result, error)

// contender is one of the things that are compared. Memory and processor time are those of its
// process; without one they are left out.
type contender struct {
	name    string
	process *process
	round   roundFunc
}

// outcome is what a contender did in all of its rounds that count.
type outcome struct {
	name   string
	result load.Result
	rates  []float64       // one for each round
	p99s   []time.Duration // likewise
	memory int64           // the largest resident size seen in any round, in bytes
	cpu    time.Duration
}

// turn is what one contender did in one round.
type turn struct {
	result *load.Result
	memory int64
	cpu    time.Duration
}

// compare lets the contenders take turns, in alternating order, so that whatever else the machine is doing
// hits all of them alike. A turn before the first is not counted.
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
		err = fmt.Errorf("nothing succeeded: %w", cmp.Or(result.FirstError, context.DeadlineExceeded))
	}
	return t, err
}

// gather adds up what the contenders did in the counted rounds. Memory is that of all rounds.
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

// ratio is the median over the rounds of how fast o was against the other in the same round.
func (o *outcome) ratio(other *outcome) float64 {
	return medianRatio(o.rates, other.rates)
}

// slowness is the median over the rounds of the p99 of o against that of the other in the same round. A stall of the disk
// decides the p99 of the round it is in, and no other.
func (o *outcome) slowness(other *outcome) float64 {
	return medianRatio(o.p99s, other.p99s)
}

// medianRatio is the median of the ratios of one to the other.
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
