// Package store keeps the desk's data: every SQL statement, one file per noun. It knows rows and
// transactions; it holds no rules of the desk.
package store

import (
	"context"
	"embed"
	"io/fs"
	"math"

	"recado/internal/db"
	"recado/internal/model"
	"recado/internal/slots"
)

// Steps are applied in the order of their numbers. There is no step 0003: none was ever released under that number.
//
//go:embed migrations
var migrationFiles embed.FS

func embedded() fs.FS {
	sub, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		panic(err) // the folder is part of the binary
	}
	return sub
}

// Options say where the data is.
type Options = db.Options

// Store is one open database with the desk's schema. All methods may be called from many goroutines.
type Store struct {
	db    *db.DB
	slots *slots.Limiter[model.ID] // of reads
}

// Open opens the database and brings its schema up to date; see db.Open.
func Open(ctx context.Context, o Options) (*Store, error) {
	return open(ctx, o, embedded())
}

func open(ctx context.Context, o Options, migrations fs.FS) (*Store, error) {
	opened, err := db.Open(ctx, o, migrations)
	if err != nil {
		return nil, err
	}
	return &Store{db: opened, slots: newReadSlots(opened.Readers())}, nil
}

// SchemaHash names the schema of this version: another set of migrations has another hash.
func SchemaHash() string { return db.SchemaHash(embedded()) }

// DatabaseFile is the name of the SQLite database in a data folder.
const DatabaseFile = db.DatabaseFile

// Backup writes a consistent copy of the database in a data folder to a new file; see db.Backup.
func Backup(ctx context.Context, dir, path string) error { return db.Backup(ctx, dir, path) }

// Restore puts a backup into a data folder that has no database; see db.Restore.
func Restore(ctx context.Context, backupFile, dir string) error {
	return db.Restore(ctx, backupFile, dir, embedded())
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

// Write runs fn in a transaction that is durable when Write returns nil; see db.DB.Write. What fn added
// to the report is written at its end.
func (s *Store) Write(ctx context.Context, fn func(tx *Tx) error) error {
	return s.db.Write(ctx, func(on *db.Tx) error {
		tx := &Tx{Now: on.Now, on: on}
		if err := fn(tx); err != nil {
			return err
		}
		return tx.writeReport()
	})
}

// Read runs fn on one consistent snapshot; see db.DB.Read.
func (s *Store) Read(ctx context.Context, fn func(tx *Tx) error) error {
	return s.read(ctx, s.db.Read, fn)
}

// ReadOne is Read for a fn that runs a single statement; see db.DB.ReadOne.
func (s *Store) ReadOne(ctx context.Context, fn func(tx *Tx) error) error {
	return s.read(ctx, s.db.ReadOne, fn)
}

func (s *Store) read(ctx context.Context, read func(context.Context, func(*db.Tx) error) error, fn func(tx *Tx) error) error {
	release, err := s.readSlot(ctx)
	if err != nil {
		return err
	}
	defer release()
	return read(ctx, func(on *db.Tx) error { return fn(&Tx{Now: on.Now, on: on}) })
}

// companyKey is that of the company in a context.
type companyKey struct{}

// ForCompany says for whom Read and ReadOne are called with the context. Of the connections that read, one company
// has at most half at a time; its further reads wait in their order. Reads for no company are not limited. A read
// within a read would wait for itself.
func ForCompany(ctx context.Context, company model.ID) context.Context {
	return context.WithValue(ctx, companyKey{}, company)
}

// newReadSlots gives each company half of the connections.
func newReadSlots(connections int) *slots.Limiter[model.ID] {
	return slots.New[model.ID](int64(max(1, connections/2)), math.MaxInt64)
}

// readSlot waits for a slot of the context's company, if it names one.
func (s *Store) readSlot(ctx context.Context) (release func(), err error) {
	company, ok := ctx.Value(companyKey{}).(model.ID)
	if !ok {
		return func() {}, nil
	}
	return s.slots.Acquire(ctx, company)
}
