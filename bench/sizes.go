package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"

	"recado/bench/load"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/server"
)

const minOfSmall = 1 / 1.5 // rate with much data compared with little

// requestFunc sets the i-th request of a worker.
type requestFunc = func(worker, i int, r *load.Request)

// get requests the same path every time.
func (s *testServer) get(path string) requestFunc {
	return func(_, _ int, r *load.Request) {
		r.Path = path
		r.Set("Authorization", s.bearer())
	}
}

// compareServers compares two servers, the first with much data and the second with little.
func (b *bench) compareServers(
	ctx context.Context, least float64, what string, servers [2]*testServer, ask func(i int) requestFunc,
) error {
	var contenders []contender
	for i, s := range servers {
		contenders = append(contenders, contender{what + " of " + s.size, s.process, b.drive(s.address, ask(i))})
	}
	outcomes, err := b.compare(ctx, contenders...)
	if err != nil {
		return err
	}
	b.add(least, outcomes[0], outcomes[1])
	return nil
}

// serveOn starts a server on data that create wrote while it was stopped.
func (b *bench) serveOn(ctx context.Context, size string, create func(at location, c company) error) (*testServer, error) {
	at, err := b.newLocation(ctx)
	if err != nil {
		return nil, err
	}
	first, err := b.serve(ctx, at)
	if err != nil {
		return nil, err
	}
	first.stop()
	started := time.Now()
	if err := create(at, first.demo.Companies[0]); err != nil {
		return nil, err
	}
	if err := at.tidy(ctx); err != nil {
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "  created %s in %v\n", size, time.Since(started).Round(time.Second))
	s, err := b.serve(ctx, at)
	if err == nil {
		s.size = size
	}
	return s, err
}

// tidy runs VACUUM on PostgreSQL, which would otherwise happen during a measurement.
func (at location) tidy(ctx context.Context) error {
	if at.database == "" {
		return nil
	}
	conn, err := pgx.Connect(ctx, at.database)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, "VACUUM ANALYZE")
	return err
}

// onStore calls do with the store, while the server is stopped.
func (at location) onStore(ctx context.Context, do func(ctx context.Context, s *kernel.Store) error) error {
	s, err := at.open(ctx)
	if err != nil {
		return err
	}
	return errors.Join(do(ctx, s), s.Close())
}

func (at location) open(ctx context.Context) (*kernel.Store, error) {
	options := db.Options{DatabaseURL: at.database, MaxConns: pooled}
	if at.database == "" {
		options.Dir = at.folder
	}
	return kernel.Open(ctx, options)
}

// indexAll adds everything to the search index.
func indexAll(ctx context.Context, d *server.Desk) error { return d.Talk.IndexSearch(ctx) }
