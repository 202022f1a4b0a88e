package main

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"recado/internal/kernel"
)

const (
	fillAtOnce  = 20_000 // rows per transaction
	fillWriters = 4      // on PostgreSQL
)

// fill inserts n rows into a table directly, while the server is stopped. row is called in order and returns ids, texts,
// numbers, booleans and nil.
func (at location) fill(ctx context.Context, table string, columns []string, n int, row func(i int) []any) error {
	if at.database == "" {
		return at.fillSQLite(ctx, table, columns, n, row)
	}
	writers, ctx := errgroup.WithContext(ctx)
	batches := make(chan [][]any)
	writers.Go(func() error {
		defer close(batches)
		for from := 0; from < n; from += fillAtOnce {
			var batch [][]any
			for i := from; i < min(n, from+fillAtOnce); i++ {
				batch = append(batch, forPostgres(row(i)))
			}
			select {
			case batches <- batch:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	for range fillWriters {
		writers.Go(func() error {
			conn, err := pgx.Connect(ctx, at.database)
			if err != nil {
				return err
			}
			defer conn.Close(context.WithoutCancel(ctx))
			for batch := range batches {
				if _, err := conn.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromRows(batch)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return writers.Wait()
}

// forPostgres converts ids to the type of the driver.
func forPostgres(row []any) []any {
	for i, value := range row {
		if id, ok := value.(kernel.ID); ok {
			row[i] = [16]byte(id)
		}
	}
	return row
}

func (at location) fillSQLite(ctx context.Context, table string, columns []string, n int, row func(i int) []any) (err error) {
	conn, err := openRaw(at)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	conn.SetInterrupt(ctx.Done())
	insert, err := conn.Prepare("INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES (?" +
		strings.Repeat(", ?", len(columns)-1) + ")")
	if err != nil {
		return err
	}
	for from := 0; from < n; from += fillAtOnce {
		if err := insertBatch(conn, insert, from, min(n, from+fillAtOnce), row); err != nil {
			return err
		}
	}
	return nil
}

func insertBatch(conn *sqlite.Conn, insert *sqlite.Stmt, from, to int, row func(i int) []any) (err error) {
	end, err := sqlitex.ImmediateTransaction(conn)
	if err != nil {
		return err
	}
	defer end(&err)
	for i := from; i < to; i++ {
		if err := insertRow(insert, row(i)); err != nil {
			return err
		}
	}
	return nil
}
