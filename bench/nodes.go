package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"recado/bench/load"
)

// mostNodes is how many servers share one PostgreSQL at most.
const mostNodes = 3

// runNodes puts the same mixed load on one, two and three servers of one database, and tells who used the processors:
// where more nodes bring nothing, that says why.
func runNodes(ctx context.Context, b *bench) error {
	if b.engine == "sqlite" {
		fmt.Fprintln(os.Stderr, "  left out: on SQLite there is one server")
		return nil
	}
	first, err := b.serveTalk(ctx, littleTalk)
	if err != nil {
		return err
	}
	mix, err := first.mix(ctx, max(b.conns, mostNodes))
	if err != nil {
		return err
	}
	servers := []*servedBy{first.servedBy}
	for len(servers) < mostNodes {
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
	spent := make([]spending, mostNodes)
	for n := range servers {
		contenders = append(contenders, contender{name: fmt.Sprintf("mixed load on %d node(s)", n+1), round: func(ctx context.Context, d time.Duration) (*load.Result, error) {
			before := look(servers, database)
			result, err := b.driveAll(ctx, servers[:n+1], mix, d)
			if result != nil {
				spent[n].add(look(servers, database), before, result.Requests)
			}
			return result, err
		}})
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
		b.complain(&o)
	}
	return nil
}

// driveAll divides the connections among the servers.
func (b *bench) driveAll(ctx context.Context, servers []*servedBy, mix *mix, d time.Duration) (*load.Result, error) {
	each := max(1, b.conns/len(servers))
	results, errs := make([]*load.Result, len(servers)), make([]error, len(servers))
	var running sync.WaitGroup
	for k, s := range servers {
		running.Go(func() {
			results[k], errs[k] = load.Run(ctx, load.Plan{Address: s.address, Connections: each, Duration: d, Request: func(worker, i int, r *load.Request) {
				mix.request(k*each+worker, i+k*1_000_000, r)
			}})
		})
	}
	running.Wait()
	whole := &load.Result{}
	for k, result := range results {
		if errs[k] != nil {
			return nil, errs[k]
		}
		whole.Add(result)
		whole.Elapsed = max(result.Elapsed, whole.Elapsed-result.Elapsed) // side by side, not one after another
	}
	return whole, nil
}

// spending is processor time by who used it, and the requests it went for.
type spending struct {
	servers, database, load time.Duration
	busy, idle              time.Duration // of all cores
	requests                int
}

func look(servers []*servedBy, database int) (s spending) {
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
	s.busy, s.idle = machineTime()
	return s
}

func (s *spending) add(after, before spending, requests int) {
	s.servers += after.servers - before.servers
	s.database += after.database - before.database
	s.load += after.load - before.load
	s.busy += after.busy - before.busy
	s.idle += after.idle - before.idle
	s.requests += requests
}

func (s *spending) String() string {
	each := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(max(1, s.requests)) }
	return fmt.Sprintf("servers %.0f, PostgreSQL %.0f, load %.0f µs", each(s.servers), each(s.database), each(s.load))
}

func (s *spending) busyShare() float64 {
	return float64(s.busy) / float64(max(1, s.busy+s.idle))
}

// postmaster is the process that all of PostgreSQL's processes are children of. Zero: it is not on this machine.
func postmaster(ctx context.Context, at place) (int, error) {
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

// familyTime is the processor time of a process and of all its children, those that have ended included.
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

// machineTime is how long all cores have worked and waited since the machine was started.
func machineTime() (busy, idle time.Duration) {
	content, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, 0
	}
	line, _, _ := strings.Cut(string(content), "\n")
	fields := strings.Fields(line)
	for i, field := range fields[min(1, len(fields)):min(9, len(fields))] { // what follows is counted in these already
		ticks, _ := strconv.ParseInt(field, 10, 64)
		if i == 3 || i == 4 { // idle, and waiting for a disk
			idle += time.Duration(ticks) * 10 * time.Millisecond
		} else {
			busy += time.Duration(ticks) * 10 * time.Millisecond
		}
	}
	return busy, idle
}
