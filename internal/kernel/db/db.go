// Package db runs transactions on SQLite or on PostgreSQL behind one type: open, migrate, group commit, rows,
// notifications between nodes, backup. It knows no table.
package db

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"time"
)

// Options say where the data is. DatabaseURL, when set, wins over Dir.
type Options struct {
	Dir         string           // SQLite: the folder that holds recado.db and the lock file
	DatabaseURL string           // postgres://...: PostgreSQL instead
	Now         func() time.Time // default time.Now
	Logger      *slog.Logger     // default slog.Default
	MaxConns    int              // PostgreSQL pool; default 16

	// Shared opens a SQLite data folder that a server may be using, for short administrative work.
	// It takes no lock, and refuses a schema of another version while a server is running.
	Shared bool
}

// DB is one open database. All methods may be called from many goroutines.
type DB struct {
	engine engine
	lite   *sqliteEngine   // nil on PostgreSQL
	pg     *postgresEngine // nil on SQLite
}

// An engine runs transactions on one kind of database. It gives back what the transaction asked to
// run after the commit.
type engine interface {
	write(ctx context.Context, fn func(tx *Tx) error) (after []func(), err error)
	read(ctx context.Context, single bool, fn func(tx *Tx) error) error
	ping(ctx context.Context) error
	close() error
}

// Open opens the database, refuses engine versions that lose data, and applies the migrations that are
// missing.
func Open(ctx context.Context, o Options, migrations fs.FS) (*DB, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.MaxConns <= 0 {
		o.MaxConns = 16
	}
	switch {
	case o.DatabaseURL != "":
		pg, err := openPostgres(ctx, o, migrations)
		if err != nil {
			return nil, err
		}
		return &DB{engine: pg, pg: pg}, nil
	case o.Dir != "":
		lite, err := openSQLite(ctx, o, migrations)
		if err != nil {
			return nil, err
		}
		return &DB{engine: lite, lite: lite}, nil
	}
	return nil, errors.New("db: a data folder or a database URL is required")
}

// Close finishes the writes that were accepted and closes the database.
func (d *DB) Close() error { return d.engine.close() }

// Ping reports whether the database answers.
func (d *DB) Ping(ctx context.Context) error { return d.engine.ping(ctx) }

// SingleNode reports whether this is the only process that can work on the database: true for SQLite,
// false for PostgreSQL.
func (d *DB) SingleNode() bool { return d.lite != nil }

// Readers is how many reads can run at the same time.
func (d *DB) Readers() int {
	if d.pg != nil {
		return int(d.pg.pool.Config().MaxConns)
	}
	return liteReaders
}

// Writers is how many writes can be under way at the same time: on connections of their own, or in one group.
func (d *DB) Writers() int {
	if d.pg != nil {
		return int(d.pg.pool.Config().MaxConns)
	}
	return maxGroup
}

// Write runs fn in a transaction that is durable when Write returns nil, and has left nothing behind
// when it returns any error but one of code "uncertain". An error or a panic of fn, or a failed
// statement even if fn ignored it, rolls back.
//
// A context that ends before fn has started keeps it from starting. Once fn has started the caller
// gets the true outcome. On PostgreSQL fn may run more than once (after a serialization failure, a
// deadlock or a lost connection), so it must leave no effects outside tx; what must happen once goes
// to AfterCommit. fn must not call Write or Read.
func (d *DB) Write(ctx context.Context, fn func(tx *Tx) error) error {
	after, err := d.engine.write(ctx, fn)
	if err != nil {
		return err
	}
	for _, f := range after {
		f()
	}
	return nil
}

// Read runs fn on one consistent snapshot, which nothing in fn can change. On PostgreSQL fn may run
// more than once after a lost connection.
func (d *DB) Read(ctx context.Context, fn func(tx *Tx) error) error {
	return d.engine.read(ctx, false, fn)
}

// ReadOne is Read for a fn that runs a single statement, which is a snapshot by itself: it saves
// PostgreSQL two round trips. A second statement fails.
func (d *DB) ReadOne(ctx context.Context, fn func(tx *Tx) error) error {
	return d.engine.read(ctx, true, fn)
}
