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
	db     *db.DB
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
	s := &Store{db: opened, reads: share(opened.Readers())}
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

// Backup writes a consistent copy of the database in a data directory to a new file; see db.Backup.
func Backup(ctx context.Context, dir, path string) error { return db.Backup(ctx, dir, path) }

// Restore copies a backup to a data directory without a database; see db.Restore.
func Restore(ctx context.Context, backupFile, dir string) error {
	return db.Restore(ctx, backupFile, dir, Embedded())
}

// RefuseData returns an error if a directory contains a database.
func RefuseData(dir string) error { return db.RefuseData(dir) }

// CheckBackup returns an error if this version cannot restore a backup; see db.CheckBackup.
func CheckBackup(path string) error { return db.CheckBackup(path, Embedded()) }

// Damage describes the damage of a database file, or returns ""; see db.Damage.
func Damage(path string) (string, error) { return db.Damage(path) }

// UndoMove makes a database usable again that a move has marked as moved; see db.UndoMove.
func UndoMove(ctx context.Context, o db.Options) (target string, err error) {
	return db.UndoMove(ctx, o)
}

// Close finishes pending writes and closes the database.
func (s *Store) Close() error { return s.db.Close() }

// Ping returns an error if the database does not respond.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// SingleNode reports whether no other process can use the database.
func (s *Store) SingleNode() bool { return s.db.SingleNode() }

// Notify sends a notification to the other nodes; see db.DB.Notify.
func (s *Store) Notify(channel, payload string) { s.db.Notify(channel, payload) }

// Listen calls on for every notification on the channel until ctx ends; see db.DB.Listen.
func (s *Store) Listen(ctx context.Context, channel string, on func(payload string)) {
	s.db.Listen(ctx, channel, on)
}

// Write runs fn in a transaction that is durable when Write returns nil; see db.DB.Write.
func (s *Store) Write(ctx context.Context, fn func(tx *Tx) error) error {
	release, err := s.slot(ctx, s.writes)
	if err != nil {
		return err
	}
	defer release()
	return s.db.Write(ctx, func(on *db.Tx) error {
		tx := s.newTx(on)
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
	return s.read(ctx, s.db.Read, fn)
}

// ReadOne is Read for a fn that runs a single statement; see db.DB.ReadOne.
func (s *Store) ReadOne(ctx context.Context, fn func(tx *Tx) error) error {
	return s.read(ctx, s.db.ReadOne, fn)
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
	return &Tx{Now: on.Now, On: on, hooks: &s.hooks, FeedOffset: s.feedOffset}
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
