package db

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"zombiezen.com/go/sqlite"

	"recado/internal/kernel/base"
	"recado/test/testkit"
)

const (
	benchWriters = 64
	benchInsert  = "INSERT INTO things (id, n, at, other) VALUES ($1, $2, $3, $4)"
)

// BenchmarkGroupedInserts compares 64 writers through the store with the bare library inserting the
// same rows on one connection, 64 to a transaction, equally durable.
func BenchmarkGroupedInserts(b *testing.B) {
	b.Run("raw", func(b *testing.B) {
		c, err := openLite(filepath.Join(b.TempDir(), "raw.db"), true)
		if err != nil {
			b.Fatal(err)
		}
		defer c.conn.Close()
		all, err := loadMigrations(scratchFS())
		if err != nil {
			b.Fatal(err)
		}
		if err := c.run(createMigrations); err != nil {
			b.Fatal(err)
		}
		if err := c.migrate(all[0], benchTime); err != nil {
			b.Fatal(err)
		}
		begin, insert, commit := c.conn.Prep("BEGIN IMMEDIATE"), c.conn.Prep(numbered(benchInsert)), c.conn.Prep("COMMIT")
		step := func(stmt *sqlite.Stmt) {
			if _, err := stmt.Step(); err != nil {
				b.Fatal(err)
			}
			if err := stmt.Reset(); err != nil {
				b.Fatal(err)
			}
		}
		b.ResetTimer()
		for i := range b.N {
			if i%benchWriters == 0 {
				step(begin)
			}
			id := base.NewID()
			insert.BindBytes(1, id[:])
			insert.BindInt64(2, int64(i))
			insert.BindInt64(3, benchTime.UnixMilli())
			insert.BindBytes(4, id[:])
			step(insert)
			if i%benchWriters == benchWriters-1 || i == b.N-1 {
				step(commit)
			}
		}
		rate(b)
	})
	for name, o := range map[string]func() Options{
		"sqlite":   func() Options { return Options{Dir: b.TempDir()} },
		"postgres": func() Options { return Options{DatabaseURL: testkit.Database(b, "")} },
	} {
		b.Run(name, func(b *testing.B) {
			s := opened(b, o())
			b.ResetTimer()
			var next atomic.Int64
			var all sync.WaitGroup
			for range benchWriters {
				all.Go(func() {
					for {
						i := next.Add(1)
						if i > int64(b.N) {
							return
						}
						id := base.NewID()
						err := s.Write(context.Background(), func(tx *Tx) error {
							_, err := tx.Exec(benchInsert, id, i, tx.Now, id)
							return err
						})
						if err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			all.Wait()
			rate(b)
		})
	}
}

// BenchmarkReadOne reads a row by its id from four goroutines.
func BenchmarkReadOne(b *testing.B) {
	for name, o := range map[string]func() Options{
		"sqlite":   func() Options { return Options{Dir: b.TempDir()} },
		"postgres": func() Options { return Options{DatabaseURL: testkit.Database(b, "")} },
	} {
		for kind, read := range map[string]func(*DB, context.Context, func(*Tx) error) error{"one": (*DB).ReadOne, "snapshot": (*DB).Read} {
			b.Run(name+"/"+kind, func(b *testing.B) {
				s := opened(b, o())
				b.SetParallelism(2)
				b.RunParallel(func(p *testing.PB) {
					for p.Next() {
						err := read(s, context.Background(), func(tx *Tx) error {
							_, err := tx.One("SELECT n FROM counters WHERE id = $1", []any{1}, func(r Row) { _ = r.Int("") })
							return err
						})
						if err != nil {
							b.Error(err)
							return
						}
					}
				})
				rate(b)
			})
		}
	}
}

var benchTime = base.NewID().Time()

func rate(b *testing.B) {
	b.Helper()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "per_s")
}
