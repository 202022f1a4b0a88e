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

// leastOfSmall is the part of the rate with little data that must be left with much.
const leastOfSmall = 1 / 1.5

// asking writes the i-th request of a worker.
type asking = func(worker, i int, r *load.Request)

// get asks for one path over and over.
func (s *servedBy) get(path string) asking {
	return func(_, _ int, r *load.Request) {
		r.Path = path
		r.Set("Authorization", s.bearer())
	}
}

// contrast asks the same of two servers, of which the first has much data and the second little.
func (b *bench) contrast(ctx context.Context, least float64, what string, servers [2]*servedBy, ask func(i int) asking) error {
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

// serveOn is a server on data that were made up while it was stopped.
func (b *bench) serveOn(ctx context.Context, size string, makeUp func(at place, c company) error) (*servedBy, error) {
	at, err := b.place(ctx)
	if err != nil {
		return nil, err
	}
	first, err := b.serve(ctx, at)
	if err != nil {
		return nil, err
	}
	first.stop()
	started := time.Now()
	if err := makeUp(at, first.demo.Companies[0]); err != nil {
		return nil, err
	}
	if err := at.tidy(ctx); err != nil {
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "  made %s in %v\n", size, time.Since(started).Round(time.Second))
	s, err := b.serve(ctx, at)
	if err == nil {
		s.size = size
	}
	return s, err
}

// tidy does what PostgreSQL does by itself within minutes, and would otherwise do while something is measured.
func (at place) tidy(ctx context.Context) error {
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

// onStore opens the store of a place whose server has stopped, for as long as do takes.
func (at place) onStore(ctx context.Context, do func(ctx context.Context, s *kernel.Store) error) error {
	s, err := at.open(ctx)
	if err != nil {
		return err
	}
	return errors.Join(do(ctx, s), s.Close())
}

func (at place) open(ctx context.Context) (*kernel.Store, error) {
	if at.database != "" {
		return kernel.Open(ctx, db.Options{DatabaseURL: at.database, MaxConns: pooled})
	}
	return kernel.Open(ctx, db.Options{Dir: at.folder, MaxConns: pooled})
}

// indexAll makes everything known to the search, as the server does within seconds.
func indexAll(ctx context.Context, d *server.Desk) error { return d.Talk.IndexSearch(ctx) }
