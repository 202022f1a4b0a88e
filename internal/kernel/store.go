package kernel

import (
	"context"
	"errors"
	"io/fs"
	"math"

	"recado/internal/kernel/db"
	"recado/internal/limits"
)

// Embedded returns the migrations.
func Embedded() fs.FS { return schemas }

// Store is an open database with the schema of the program. It is safe for concurrent use.
type Store struct {
	*db.DB
	reads  *limits.Concurrency[ID]
	writes *limits.Concurrency[ID]

	hooks      Hooks
	feedOffset int64 // see readFeedOffset
}

// Open opens the database and applies the migrations; see db.Open.
func Open(ctx context.Context, o db.Options) (*Store, error) {
	opened, err := db.Open(ctx, o, Embedded())
	if err != nil {
		return nil, err
	}
	s := &Store{DB: opened, reads: share(opened.Readers())}
	if s.writes = s.reads; opened.SingleNode() { // SQLite has separate connections for reads and writes
		s.writes = share(opened.Writers())
		return s, nil
	}
	if err := s.alignFeed(ctx); err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return s, nil
}

// SchemaHash returns a hash of the migrations.
func SchemaHash() string { return db.SchemaHash(Embedded()) }

// Restore copies a backup to a data directory without a database; see db.Restore.
func Restore(ctx context.Context, backupFile, dir string) error {
	return db.Restore(ctx, backupFile, dir, Embedded())
}

// CheckBackup returns an error if this version cannot restore a backup; see db.CheckBackup.
func CheckBackup(path string) error { return db.CheckBackup(path, Embedded()) }

// Write runs fn in a transaction that is durable when Write returns nil; see db.DB.Write.
func (s *Store) Write(ctx context.Context, fn func(tx *Tx) error) error {
	release, err := s.slot(ctx, s.writes)
	if err != nil {
		return err
	}
	defer release()
	return s.DB.Write(ctx, func(on *db.Tx) error {
		tx := s.newTx(on)
		tx.caller = CallerOf(ctx)
		err := fn(tx)
		for _, end := range tx.ending {
			if err == nil {
				err = end()
			}
		}
		return err
	})
}

// SetHooks sets the hooks of transactions. Call it before the first transaction.
func (s *Store) SetHooks(h Hooks) { s.hooks = h }

// Read runs fn on one consistent snapshot; see db.DB.Read.
func (s *Store) Read(ctx context.Context, fn func(tx *Tx) error) error {
	return s.read(ctx, s.DB.Read, fn)
}

// ReadOne is Read for a fn that runs a single statement; see db.DB.ReadOne.
func (s *Store) ReadOne(ctx context.Context, fn func(tx *Tx) error) error {
	return s.read(ctx, s.DB.ReadOne, fn)
}

func (s *Store) read(ctx context.Context, read func(context.Context, func(*db.Tx) error) error, fn func(tx *Tx) error) error {
	release, err := s.slot(ctx, s.reads)
	if err != nil {
		return err
	}
	defer release()
	return read(ctx, func(on *db.Tx) error { return fn(s.newTx(on)) })
}

func (s *Store) newTx(on *db.Tx) *Tx {
	return &Tx{Tx: on, hooks: &s.hooks, FeedOffset: s.feedOffset}
}

// companyKey is the context key of the company.
type companyKey struct{}

// ForCompany returns a context for Read, ReadOne and Write of a company. A company uses at most three quarters of the
// connections at once; further calls wait. Calls without a company are not limited. Do not nest calls: the inner one might
// wait for the outer one.
func ForCompany(ctx context.Context, company ID) context.Context {
	return context.WithValue(ctx, companyKey{}, company)
}

func share(connections int) *limits.Concurrency[ID] {
	return limits.NewConcurrency[ID](int64(max(1, connections*3/4)), math.MaxInt64)
}

// slot waits for a slot of the context's company, if there is one.
func (s *Store) slot(ctx context.Context, limiter *limits.Concurrency[ID]) (release func(), err error) {
	company, ok := ctx.Value(companyKey{}).(ID)
	if !ok {
		return func() {}, nil
	}
	return limiter.Acquire(ctx, company)
}
