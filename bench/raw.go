package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"recado/bench/load"
	"recado/internal/kernel"
)

// freshDatabase creates an empty database that is dropped after the scenario, and returns its URL.
func (b *bench) freshDatabase(ctx context.Context) (string, error) {
	address, err := url.Parse(b.postgres)
	if err != nil {
		return "", fmt.Errorf("RECADO_TEST_POSTGRES: %w", err)
	}
	admin, err := pgx.Connect(ctx, b.postgres)
	if err != nil {
		return "", err
	}
	name := fmt.Sprintf("recado_bench_%d_%d", os.Getpid(), time.Now().UnixNano())
	if _, err := admin.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		return "", err
	}
	b.onClose(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if _, err := admin.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
		}
		admin.Close(ctx)
	})
	address.Path = "/" + name
	return address.String(), nil
}

// queryInt reads one number from the database of a server, which may be running.
func (b *bench) queryInt(ctx context.Context, at location, query string) (n int64, err error) {
	if at.database != "" {
		conn, err := pgx.Connect(ctx, at.database)
		if err != nil {
			return 0, err
		}
		defer conn.Close(ctx)
		err = conn.QueryRow(ctx, query).Scan(&n)
		return n, err
	}
	conn, err := sqlite.OpenConn(filepath.Join(at.folder, "recado.db"), sqlite.OpenReadWrite)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	conn.SetBlockOnBusy()
	err = sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{ResultFunc: func(row *sqlite.Stmt) error {
		n = row.ColumnInt64(0)
		return nil
	}})
	return n, err
}

// rawInserts inserts rows with the raw engine into tables that the store has created: on SQLite -conns rows per
// transaction, on PostgreSQL one statement per row on -conns connections.
func (b *bench) rawInserts(
	ctx context.Context, company kernel.ID, noun, insert string, row func(n int64) []any,
) (contender, error) {
	s, at, err := b.openStore(ctx, company)
	if err != nil {
		return contender{}, err
	}
	if err := s.Close(); err != nil {
		return contender{}, err
	}
	if at.database != "" {
		return b.rawPostgres(ctx, at, noun, insert, row)
	}
	return b.rawSQLite(at, noun, insert, row)
}

var errNotWritten = errors.New("the raw engine wrote no row: it exists already")

// rawSQLite opens a connection for each round, because all connections of the process share one page cache.
func (b *bench) rawSQLite(at location, noun, insert string, row func(n int64) []any) (contender, error) {
	written := int64(0)
	round := func(ctx context.Context, d time.Duration) (*load.Result, error) {
		conn, err := openRaw(at)
		if err != nil {
			return nil, err
		}
		defer conn.Close()
		statement, err := conn.Prepare(insert)
		if err != nil {
			return nil, err
		}
		return load.Repeat(ctx, 1, d, b.conns, func(context.Context, int) (err error) {
			end, err := sqlitex.ImmediateTransaction(conn)
			if err != nil {
				return err
			}
			defer end(&err)
			for range b.conns {
				written++
				if err := insertRow(statement, row(written)); err != nil {
					return err
				}
				if conn.Changes() != 1 {
					return errNotWritten
				}
			}
			return nil
		})
	}
	return contender{name: fmt.Sprintf("raw engine, %d %s a commit", b.conns, noun), round: round}, nil
}

func insertRow(insert *sqlite.Stmt, row []any) error {
	for i, value := range row {
		switch v := value.(type) {
		case nil:
			insert.BindNull(i + 1)
		case kernel.ID:
			insert.BindBytes(i+1, v[:])
		case string:
			insert.BindText(i+1, v)
		case int64:
			insert.BindInt64(i+1, v)
		case bool:
			insert.BindBool(i+1, v)
		default:
			panic(fmt.Sprintf("bench: unsupported type %T", value))
		}
	}
	if _, err := insert.Step(); err != nil {
		return err
	}
	return insert.Reset()
}

func (b *bench) rawPostgres(ctx context.Context, at location, noun, insert string, row func(n int64) []any) (contender, error) {
	pool, err := b.rawPool(ctx, at)
	if err != nil {
		return contender{}, err
	}
	var written atomic.Int64
	write := func(ctx context.Context, _ int) error {
		done, err := pool.Exec(ctx, insert, forPostgres(row(written.Add(1)))...)
		if err == nil && done.RowsAffected() != 1 {
			err = errNotWritten
		}
		return err
	}
	return contender{name: fmt.Sprintf("raw engine, %d writers of %s", b.conns, noun), round: repeating(b.conns, write)}, nil
}

// rawConn is openRaw, closed after the scenario.
func (b *bench) rawConn(at location) (*sqlite.Conn, error) {
	conn, err := openRaw(at)
	if err == nil {
		b.onClose(func() { conn.Close() })
	}
	return conn, err
}

// openRaw opens SQLite without the store, with the same durability.
func openRaw(at location) (*sqlite.Conn, error) {
	conn, err := sqlite.OpenConn(filepath.Join(at.folder, "recado.db"), sqlite.OpenReadWrite)
	if err != nil {
		return nil, err
	}
	for _, setting := range []string{"journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "cache_size = -16000"} {
		if err := sqlitex.ExecuteTransient(conn, "PRAGMA "+setting, nil); err != nil {
			conn.Close()
			return nil, err
		}
	}
	return conn, nil
}

// rawPool connects to PostgreSQL without the store.
func (b *bench) rawPool(ctx context.Context, at location) (*pgxpool.Pool, error) {
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
