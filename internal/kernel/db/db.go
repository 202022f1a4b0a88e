// Package db runs transactions on SQLite or PostgreSQL behind one type. It also contains migrations, group commit, notifications
// between nodes, backups and moves between the engines. It does not depend on the tables.
package db

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"time"
)

// Options contain the place of the data. DatabaseURL takes precedence over Dir.
type Options struct {
	Dir         string           // SQLite: the folder of recado.db and the lock file
	DatabaseURL string           // postgres://...: PostgreSQL instead
	Now         func() time.Time // default time.Now
	Logger      *slog.Logger     // default slog.Default
	MaxConns    int              // PostgreSQL pool; default 16

	// Shared opens a SQLite data folder that a server may be using, for short administrative work. It takes no lock, and fails if
	// the schema has another version while a server is running.
	Shared bool
}

// DB is an open database. It is safe for concurrent use.
type DB struct {
	engine engine
	lite   *sqliteEngine   // nil on PostgreSQL
	pg     *postgresEngine // nil on SQLite
}

// engine runs transactions on one kind of database. write returns the functions to call after the commit.
type engine interface {
	write(ctx context.Context, fn func(tx *Tx) error) (after []func(), err error)
	read(ctx context.Context, single bool, fn func(tx *Tx) error) error
	ping(ctx context.Context) error
	close() error
}

// Open opens the database and applies the missing migrations. It refuses servers that could lose data.
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

// Close finishes pending writes and closes the database.
func (d *DB) Close() error { return d.engine.close() }

// Ping returns an error if the database does not respond.
func (d *DB) Ping(ctx context.Context) error { return d.engine.ping(ctx) }

// EmptyLog moves the content of SQLite's write-ahead log to the database and empties the log, so that no file contains what was
// deleted. It waits for running reads. On PostgreSQL it does nothing: VACUUM frees the space of deleted rows.
func (d *DB) EmptyLog(ctx context.Context) error {
	if d.lite == nil {
		return nil
	}
	return d.lite.emptyLog(ctx)
}

// SingleNode reports whether no other process can use the database: true for SQLite, false for PostgreSQL.
func (d *DB) SingleNode() bool { return d.lite != nil }

// Readers returns the number of reads that can run at once.
func (d *DB) Readers() int {
	if d.pg != nil {
		return int(d.pg.pool.Config().MaxConns)
	}
	return liteReaders
}

// Writers returns the number of writes that can run at once, on separate connections or in one group.
func (d *DB) Writers() int {
	if d.pg != nil {
		return int(d.pg.pool.Config().MaxConns)
	}
	return maxGroup
}

// Write runs fn in a transaction. The transaction is durable when Write returns nil, and has no effect if it returns an error
// with another code than "uncertain". An error or a panic of fn, or a failed statement even if fn ignored it, rolls it back.
//
// If ctx ends before fn has started, fn does not run. Once it has started, the caller gets its result. On PostgreSQL fn may run
// more than once (after a serialization failure, a deadlock or a lost connection), so it must not have other effects; use
// AfterCommit for those. fn must not call Write or Read.
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

// Read runs fn on a consistent snapshot. fn cannot change anything. On PostgreSQL it may run more than once after a lost
// connection.
func (d *DB) Read(ctx context.Context, fn func(tx *Tx) error) error {
	return d.engine.read(ctx, false, fn)
}

// ReadOne is Read for a fn that runs a single statement. It saves two round trips to PostgreSQL. A second statement fails.
func (d *DB) ReadOne(ctx context.Context, fn func(tx *Tx) error) error {
	return d.engine.read(ctx, true, fn)
}
