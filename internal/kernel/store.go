package kernel

import (
	"context"
	"errors"
	"io/fs"

	"recado/internal/kernel/db"
	"recado/internal/slots"
)

// Embedded returns the steps of the schema.
func Embedded() fs.FS { return schemas }

// Store is one open database with the desk's schema. All methods may be called from many goroutines.
type Store struct {
	db     *db.DB
	reads  *slots.Limiter[ID]
	writes *slots.Limiter[ID]

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
	s := &Store{db: opened, reads: half(opened.Readers())}
	if s.writes = s.reads; opened.SingleNode() { // where reads and writes do not share their connections
		s.writes = half(opened.Writers())
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

// ForCompany says for whom Read, ReadOne and Write are called with the context. Of the connections, or on SQLite of the
// connections that read and of the places in a group of writes, one company has at most half at a time while others are
// active, and all but a quarter while it is active alone, so that another always finds free ones; its further calls wait in
// their order. Calls for no company are not limited. A call within a call would wait for itself.
func ForCompany(ctx context.Context, company ID) context.Context {
	return context.WithValue(ctx, companyKey{}, company)
}

// half gives each company half of what there is while several are active, and three quarters to one that is active alone.
func half(of int) *slots.Limiter[ID] {
	return slots.NewShared[ID](int64(max(1, of/2)), int64(of*3/4))
}

// slot waits for a slot of the context's company, if it names one.
func (s *Store) slot(ctx context.Context, limiter *slots.Limiter[ID]) (release func(), err error) {
	company, ok := ctx.Value(companyKey{}).(ID)
	if !ok {
		return func() {}, nil
	}
	return limiter.Acquire(ctx, company)
}
