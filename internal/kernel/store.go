package kernel

import (
	"context"
	"errors"
	"io/fs"
	"math"

	"recado/internal/kernel/db"
	"recado/internal/limits"
)

// Embedded returns the steps of the schema.
func Embedded() fs.FS { return schemas }

// Store is one open database with the desk's schema. All methods may be called from many goroutines.
type Store struct {
	db     *db.DB
	reads  *limits.Concurrency[ID]
	writes *limits.Concurrency[ID]

	hooks      Hooks
	feedOffset int64 // see readFeedOffset
}

// Open opens the database and brings its schema up to date; see db.Open.
func Open(ctx context.Context, o db.Options) (*Store, error) {
	return openWith(ctx, o, Embedded())
}

func openWith(ctx context.Context, o db.Options, migrations fs.FS) (*Store, error) {
	opened, err := db.Open(ctx, o, migrations)
	if err != nil {
		return nil, err
	}
	s := &Store{db: opened, reads: share(opened.Readers())}
	if s.writes = s.reads; opened.SingleNode() { // where reads and writes do not share their connections
		s.writes = share(opened.Writers())
		return s, nil
	}
	if err := s.alignFeed(ctx); err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return s, nil
}

// SchemaHash names the schema of this version: another set of migrations has another hash.
func SchemaHash() string { return db.SchemaHash(Embedded()) }

// Backup writes a consistent copy of the database in a data folder to a new file; see db.Backup.
func Backup(ctx context.Context, dir, path string) error { return db.Backup(ctx, dir, path) }

// Restore puts a backup into a data folder that has no database; see db.Restore.
func Restore(ctx context.Context, backupFile, dir string) error {
	return db.Restore(ctx, backupFile, dir, Embedded())
}

// RefuseData reports an error when a folder has a database already.
func RefuseData(dir string) error { return db.RefuseData(dir) }

// CheckBackup reports why a file is no backup that this version can restore; see db.CheckBackup.
func CheckBackup(path string) error { return db.CheckBackup(path, Embedded()) }

// Damage returns what is wrong with a database file, or "" when it is sound; see db.Damage.
func Damage(path string) (string, error) { return db.Damage(path) }

// UndoMove makes a database usable again that Move has marked as moved; see db.UndoMove.
func UndoMove(ctx context.Context, o db.Options) (target string, err error) {
	return db.UndoMove(ctx, o)
}

// Close finishes the writes that were accepted and closes the database.
func (s *Store) Close() error { return s.db.Close() }

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// SingleNode reports whether this is the only process that can work on the database.
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
		tx := &Tx{Now: on.Now, On: on, hooks: &s.hooks, FeedOffset: s.feedOffset}
		err := fn(tx)
		for _, end := range tx.ending {
			if err == nil {
				err = end()
			}
		}
		return err
	})
}

// SetHooks says whom transactions call. It is called before the first one.
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
	return read(ctx, func(on *db.Tx) error { return fn(&Tx{Now: on.Now, On: on, hooks: &s.hooks, FeedOffset: s.feedOffset}) })
}

// companyKey is that of the company in a context.
type companyKey struct{}

// ForCompany names the company for which Read, ReadOne and Write are called with the context. One company uses at most three
// quarters of the connections at once, so that another always finds a free one; its further calls wait in order. Calls for no
// company are not limited. A call within a call would wait for itself.
func ForCompany(ctx context.Context, company ID) context.Context {
	return context.WithValue(ctx, companyKey{}, company)
}

// share returns the limit of a company on so many connections.
func share(of int) *limits.Concurrency[ID] {
	return limits.NewConcurrency[ID](int64(max(1, of*3/4)), math.MaxInt64)
}

// slot waits for a slot of the context's company, if it names one.
func (s *Store) slot(ctx context.Context, limiter *limits.Concurrency[ID]) (release func(), err error) {
	company, ok := ctx.Value(companyKey{}).(ID)
	if !ok {
		return func() {}, nil
	}
	return limiter.Acquire(ctx, company)
}
