package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"recado/bench/load"
	"recado/internal/channels/simulator"
	"recado/internal/kernel"
	"recado/internal/talk"
)

// soak is a long, steady load on one engine. It shows whether memory, goroutines, files, queues or latencies grow over
// time. It takes much longer than a scenario.
type soak struct {
	*bench
	rate    float64       // requests a second, all kinds together
	window  time.Duration // of a line of the report
	lines   int
	resting time.Duration
	settles time.Duration // limit for goroutines and files to return to the initial level

	sim      *simulator.Simulator
	server   *talkServer
	receiver *receiver
	kinds    []*kind

	rest    sample // after a first window, which fills caches and pools, and a rest
	minutes []minute
	end     ending
}

// minute is the result of one window.
type minute struct {
	result  load.Result
	samples []sample
	cpu     time.Duration
}

// ending is the state after the load.
type ending struct {
	drained     time.Duration // until the queues were empty
	settled     time.Duration // until goroutines and files were at the initial level
	last        sample
	accepted    int // messages that the simulated WhatsApp received
	followed    int // events that readers of the stream received
	deliveries  int
	unverified  int
	complaints  int // warnings and errors in the log
	firstInLog  string
	announced   int // events message.sent at the webhook
	leftWaiting string
	deadlocks   int64 // of PostgreSQL; each delays a request by a second
}

const drainLimit = 2 * time.Minute

func runSoak(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("bench soak", flag.ContinueOnError)
	engine := flags.String("engine", "sqlite", "sqlite, postgres or both")
	minutes := flags.Float64("minutes", 20, "duration of the load on each engine")
	rate := flags.Float64("rate", 500, "requests a second; it should leave headroom")
	binary := flags.String("binary", "bin/recado", "the server to measure")
	parent := flags.String("dir", "/var/tmp", "parent of the data folders; a disk, not a memory file system")
	rest := flags.Duration("rest", 35*time.Second, "rest before goroutines and files are counted; idle connections live for 30s")
	settles := flags.Duration("settle", 3*time.Minute,
		"limit for goroutines and files to return to the initial level; idle connections are closed after two minutes")
	out := flags.String("out", "bench", "folder for soak-sqlite.txt and soak-postgres.txt")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *minutes <= 0 || *rate <= 0 || flags.NArg() > 0 {
		return errors.New("-minutes and -rate must be above zero, and there must be no other arguments")
	}
	engines, postgres, err := chooseEngines(*engine)
	if err != nil {
		return err
	}
	total := time.Duration(*minutes * float64(time.Minute))
	var failed []string
	for _, name := range engines {
		s := &soak{
			bench: &bench{
				settings: &settings{binary: *binary, parent: *parent, postgres: postgres},
				engine:   name, scenario: "soak", metered: true,
			},
			rate: *rate, window: min(time.Minute, total/20), resting: *rest, settles: *settles,
		}
		s.lines = int(total / s.window)
		started := time.Now()
		err := s.run(ctx)
		s.close()
		if err != nil {
			return fmt.Errorf("soak on %s: %w", name, err)
		}
		text, misses := s.report(started, args)
		fmt.Fprintln(stdout, text)
		if err := os.WriteFile(filepath.Join(*out, "soak-"+name+".txt"), []byte(text), 0o644); err != nil {
			return err
		}
		for _, miss := range misses {
			failed = append(failed, name+": "+miss)
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("the soak failed: %s", strings.Join(failed, "; "))
	}
	return nil
}

func (k *soak) run(ctx context.Context) error {
	if err := k.prepare(ctx); err != nil {
		return err
	}
	if _, err := k.load(ctx); err != nil {
		return err
	}
	for _, kind := range k.kinds {
		kind.first, kind.whole = kind.whole, load.Result{}
	}
	err := k.drain(ctx)
	if err != nil {
		return err
	}
	if k.rest, err = k.settle(ctx, sample{}, k.resting); err != nil {
		return err
	}
	for n := range k.lines {
		m, err := k.load(ctx)
		if err != nil {
			return fmt.Errorf("minute %d: %w", n+1, err)
		}
		k.minutes = append(k.minutes, m)
		fmt.Fprintf(os.Stderr, "  %d of %d: %d requests, %d errors, p99 %v\n", n+1, k.lines,
			m.result.Requests, m.result.Errors, m.result.Latency.Quantile(0.99).Round(time.Microsecond))
	}
	return k.finish(ctx)
}

// prepare starts WhatsApp, the server and the webhook receiver.
func (k *soak) prepare(ctx context.Context) (err error) {
	if k.sim, err = k.graph(); err != nil {
		return err
	}
	if k.server, err = k.serveTalk(ctx, smallTalk); err != nil {
		return err
	}
	k.receiver = newReceiver()
	address, err := k.listen(k.receiver)
	if err != nil {
		return err
	}
	if k.kinds, err = k.mixture(ctx); err != nil {
		return err
	}
	if err := k.receiver.subscribe(ctx, k.server.testServer, address, "/", kernel.AllEvents...); err != nil {
		return err
	}
	return k.drain(ctx)
}

// finish waits until the queues are empty and the server is idle, and records the final state.
func (k *soak) finish(ctx context.Context) error {
	started := time.Now()
	if err := k.drain(ctx); err != nil {
		k.end.leftWaiting = err.Error()
	}
	k.end.drained = time.Since(started)
	started = time.Now()
	var err error
	if k.end.last, err = k.settle(ctx, k.rest, k.settles); err != nil {
		return err
	}
	k.end.settled = time.Since(started)
	k.end.accepted = len(k.sim.Ledger(""))
	if k.engine == "postgres" {
		const deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
		if k.end.deadlocks, err = k.queryInt(ctx, k.server.at, deadlocks); err != nil {
			return err
		}
	}
	k.receiver.mu.Lock()
	defer k.receiver.mu.Unlock()
	k.end.deliveries, k.end.unverified = int(k.receiver.count.Load()), k.receiver.wrong
	k.end.announced = k.receiver.types[talk.EventMessageSent]
	return k.readLog()
}

// drain waits until all queues are empty and WhatsApp has reported every status.
func (k *soak) drain(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, drainLimit)
	defer cancel()
	if err := k.sim.Drain(limited); err != nil {
		return err
	}
	for {
		now, err := k.sample(ctx)
		if err != nil {
			return err
		}
		if now.waiting() == 0 {
			return nil
		}
		if err := pause(limited, 200*time.Millisecond); err != nil {
			return fmt.Errorf("%d deliveries, %d sends and %d search texts are left after %v",
				now.due, now.sends, now.search, drainLimit)
		}
	}
}

// settle samples the server once a second until it has no more goroutines and files than before, or the limit is
// reached, and returns the last sample.
func (k *soak) settle(ctx context.Context, before sample, most time.Duration) (now sample, err error) {
	for end := time.Now().Add(most); ; {
		if now, err = k.sample(ctx); err != nil {
			return now, err
		}
		if now.goroutines <= before.goroutines+levelCount && now.files <= before.files+levelCount || time.Now().After(end) {
			return now, nil
		}
		if err = pause(ctx, time.Second); err != nil {
			return now, err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
