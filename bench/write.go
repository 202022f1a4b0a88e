package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"recado/bench/load"
	"recado/internal/model"
	"recado/internal/store"
)

// leastOfRaw is the share of the raw engine's rate that writers through the store must reach.
const leastOfRaw = 0.60

// pooled is how many connections to PostgreSQL both contenders have: the store's own default.
const pooled = 16

// The row that everybody writes: a label, with its unique name and its reference to a company.
const insertLabel = `INSERT INTO labels (id, company, name, folded, color, created_at) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`

// runGroupCommit lets many writers at once each commit a row through the store, and beside it the engine alone:
// SQLite one transaction for as many rows as there are writers, PostgreSQL a statement for each row on as many connections.
func runGroupCommit(ctx context.Context, b *bench) error {
	company := model.NewID()
	ours, err := b.storeWriters(ctx, company)
	if err != nil {
		return err
	}
	raw, err := b.rawWriters(ctx, company)
	if err != nil {
		return err
	}
	outcomes, err := b.compare(ctx, ours, raw)
	if err != nil {
		return err
	}
	b.add(leastOfRaw, outcomes[0], outcomes[1])
	return nil
}

func (b *bench) storeWriters(ctx context.Context, company model.ID) (contender, error) {
	s, _, err := b.openStore(ctx, company)
	if err != nil {
		return contender{}, err
	}
	b.onClose(func() { s.Close() })
	write := func(ctx context.Context, _ int) error {
		label := newLabel()
		return s.Write(ctx, func(tx *store.Tx) error {
			inserted, err := tx.InsertLabel(company, label)
			if err == nil && !inserted {
				err = errTaken
			}
			return err
		})
	}
	return contender{
		name: fmt.Sprintf("%d writers through the store", b.conns),
		round: func(ctx context.Context, d time.Duration) (*load.Result, error) {
			return load.Repeat(ctx, b.conns, d, 1, write)
		},
	}, nil
}

// rawWriters use tables that the store has made and then closed, so that both write to the same indexes.
func (b *bench) rawWriters(ctx context.Context, company model.ID) (contender, error) {
	s, at, err := b.openStore(ctx, company)
	if err != nil {
		return contender{}, err
	}
	if err := s.Close(); err != nil {
		return contender{}, err
	}
	if b.engine == "sqlite" {
		return b.rawSQLite(at, company)
	}
	return b.rawPostgres(ctx, at, company)
}

func (b *bench) rawSQLite(at place, company model.ID) (contender, error) {
	conn, err := b.rawConn(at)
	if err != nil {
		return contender{}, err
	}
	insert, err := conn.Prepare(insertLabel)
	if err != nil {
		return contender{}, err
	}
	group := func(context.Context, int) (err error) {
		end, err := sqlitex.ImmediateTransaction(conn)
		if err != nil {
			return err
		}
		defer end(&err)
		for range b.conns {
			label := newLabel()
			insert.BindBytes(1, label.ID[:])
			insert.BindBytes(2, company[:])
			insert.BindText(3, label.Name)
			insert.BindText(4, model.Fold(label.Name))
			insert.BindText(5, label.Color)
			insert.BindInt64(6, time.Now().UnixMilli())
			if _, err := insert.Step(); err != nil {
				return err
			}
			if conn.Changes() != 1 {
				return errTaken
			}
			if err := insert.Reset(); err != nil {
				return err
			}
		}
		return nil
	}
	return contender{
		name: fmt.Sprintf("raw engine, %d rows a commit", b.conns),
		round: func(ctx context.Context, d time.Duration) (*load.Result, error) {
			return load.Repeat(ctx, 1, d, b.conns, group)
		},
	}, nil
}

func (b *bench) rawPostgres(ctx context.Context, at place, company model.ID) (contender, error) {
	pool, err := b.rawPool(ctx, at)
	if err != nil {
		return contender{}, err
	}
	insert := func(ctx context.Context, _ int) error {
		label := newLabel()
		done, err := pool.Exec(ctx, insertLabel,
			[16]byte(label.ID), [16]byte(company), label.Name, model.Fold(label.Name), label.Color, time.Now().UnixMilli())
		if err == nil && done.RowsAffected() != 1 {
			err = errTaken
		}
		return err
	}
	return contender{
		name: fmt.Sprintf("raw engine, %d writers", b.conns),
		round: func(ctx context.Context, d time.Duration) (*load.Result, error) {
			return load.Repeat(ctx, b.conns, d, 1, insert)
		},
	}, nil
}

// rawConn is SQLite without anything of ours, as durable as the store makes it.
func (b *bench) rawConn(at place) (*sqlite.Conn, error) {
	conn, err := sqlite.OpenConn(filepath.Join(at.folder, "recado.db"), sqlite.OpenReadWrite)
	if err != nil {
		return nil, err
	}
	b.onClose(func() { conn.Close() })
	for _, setting := range []string{"journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "cache_size = -8000"} {
		if err := sqlitex.ExecuteTransient(conn, "PRAGMA "+setting, nil); err != nil {
			return nil, err
		}
	}
	return conn, nil
}

// rawPool is PostgreSQL without anything of ours.
func (b *bench) rawPool(ctx context.Context, at place) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(at.database)
	if err != nil {
		return nil, err
	}
	config.MaxConns = pooled
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	b.onClose(pool.Close)
	return pool, nil
}

// openStore opens a store on a fresh place with one company in it.
func (b *bench) openStore(ctx context.Context, company model.ID) (*store.Store, place, error) {
	at, err := b.place(ctx)
	if err != nil {
		return nil, at, err
	}
	options := store.Options{Dir: at.folder, MaxConns: pooled}
	if at.database != "" {
		options = store.Options{DatabaseURL: at.database, MaxConns: pooled}
	}
	s, err := store.Open(ctx, options)
	if err != nil {
		return nil, at, err
	}
	err = s.Write(ctx, func(tx *store.Tx) error {
		tx.InsertCompany(model.Company{ID: company, Name: "Bench", Timezone: "UTC"}, model.AttendanceRules{Mode: "liberal"})
		return nil
	})
	return s, at, err
}

var errTaken = fmt.Errorf("a label of that name exists already")

func newLabel() model.Label {
	id := model.NewID()
	return model.Label{ID: id, Name: id.String(), Color: "#2e7d32"}
}
