package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"recado/bench/load"
)

const maxNodes = 3

// runNodes measures the same mixed load on one, two and three servers of one database, and the CPU time of servers,
// PostgreSQL and load.
func runNodes(ctx context.Context, b *bench) error {
	if b.engine == "sqlite" {
		fmt.Fprintln(os.Stderr, "  skipped: SQLite has only one server")
		return nil
	}
	first, err := b.serveTalk(ctx, smallTalk)
	if err != nil {
		return err
	}
	mix, err := first.mix(ctx, max(b.conns, maxNodes))
	if err != nil {
		return err
	}
	servers := []*testServer{first.testServer}
	for len(servers) < maxNodes {
		s, err := b.serve(ctx, first.at)
		if err != nil {
			return err
		}
		servers = append(servers, s)
	}
	database, err := postmaster(ctx, first.at)
	if err != nil {
		return err
	}
	var contenders []contender
	spent := make([]spending, maxNodes)
	for n := range servers {
		round := spent[n].measure(servers, database, func(ctx context.Context, d time.Duration) (*load.Result, error) {
			return b.driveAll(ctx, servers[:n+1], mix, d)
		})
		contenders = append(contenders, contender{name: fmt.Sprintf("mixed load on %d node(s)", n+1), round: round})
	}
	outcomes, err := b.compare(ctx, contenders...)
	if err != nil {
		return err
	}
	for n, o := range outcomes {
		line := b.row(&o)
		line.cpu = spent[n].String()
		line.compared = fmt.Sprintf("%.2f of 1 node; cores %.0f %% busy", o.ratio(&outcomes[0]), 100*spent[n].busyShare())
		b.report.rows = append(b.report.rows, line)
		b.logErrors(&o)
	}
	return nil
}

// driveAll divides the connections among the servers.
func (b *bench) driveAll(ctx context.Context, servers []*testServer, mix *mix, d time.Duration) (*load.Result, error) {
	each := max(1, b.conns/len(servers))
	results, errs := make([]*load.Result, len(servers)), make([]error, len(servers))
	var running sync.WaitGroup
	for k, s := range servers {
		running.Go(func() {
			results[k], errs[k] = load.Run(ctx, load.Plan{
				Address: s.address, Connections: each, Duration: d,
				Request: func(worker, i int, r *load.Request) { mix.request(k*each+worker, i+k*1_000_000, r) },
			})
		})
	}
	running.Wait()
	whole := &load.Result{}
	for k, result := range results {
		if errs[k] != nil {
			return nil, errs[k]
		}
		whole.Add(result)
		whole.Elapsed = max(result.Elapsed, whole.Elapsed-result.Elapsed) // they run in parallel
	}
	return whole, nil
}

// spending is CPU time by user and the number of requests.
type spending struct {
	servers, database, load time.Duration
	machine                 machineTimes
	requests                int
}

// measure adds the CPU time of each round to s.
func (s *spending) measure(servers []*testServer, database int, round roundFunc) roundFunc {
	return func(ctx context.Context, d time.Duration) (*load.Result, error) {
		before := readSpending(servers, database)
		result, err := round(ctx, d)
		if result != nil {
			s.add(readSpending(servers, database), before, result.Requests)
		}
		return result, err
	}
}

func readSpending(servers []*testServer, database int) (s spending) {
	for _, server := range servers {
		s.servers += server.cpuTime()
	}
	if database > 0 {
		s.database = familyTime(database)
	}
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err == nil {
		s.load = time.Duration(own.Utime.Nano() + own.Stime.Nano())
	}
	s.machine = readMachine()
	return s
}

func (s *spending) add(after, before spending, requests int) {
	s.servers += after.servers - before.servers
	s.database += after.database - before.database
	s.load += after.load - before.load
	s.machine.idle += after.machine.idle - before.machine.idle
	s.machine.all += after.machine.all - before.machine.all
	s.requests += requests
}

func (s *spending) String() string {
	each := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(max(1, s.requests)) }
	return fmt.Sprintf("servers %.0f, PostgreSQL %.0f, load %.0f µs", each(s.servers), each(s.database), each(s.load))
}

func (s *spending) busyShare() float64 {
	return 1 - s.machine.idle/max(1, s.machine.all)
}

// postmaster returns the parent of all processes of PostgreSQL, or 0 if it is not on this machine.
func postmaster(ctx context.Context, at location) (int, error) {
	conn, err := pgx.Connect(ctx, at.database)
	if err != nil {
		return 0, err
	}
	defer conn.Close(ctx)
	var backend int
	if err := conn.QueryRow(ctx, "SELECT pg_backend_pid()").Scan(&backend); err != nil {
		return 0, err
	}
	return statOf(backend).parent, nil
}

// familyTime returns the CPU time of a process and all its children, including ended ones.
func familyTime(parent int) time.Duration {
	family := statOf(parent)
	total := family.own + family.reaped
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil {
			if s := statOf(pid); s.parent == parent {
				total += s.own
			}
		}
	}
	return total
}
