// Package store keeps the desk's data: every SQL statement, one file per noun. It knows rows and
// transactions; it holds no rules of the desk.
package store

import (
	"context"
	"embed"
	"errors"
	"io/fs"

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
	db     *db.DB
	reads  *slots.Limiter[model.ID]
	writes *slots.Limiter[model.ID]

	feedOffset int64 // see readFeedOffset
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
func SchemaHash() string { return db.SchemaHash(embedded()) }

// DatabaseFile is the name of the SQLite database in a data folder.
const DatabaseFile = db.DatabaseFile

// Backup writes a consistent copy of the database in a data folder to a new file; see db.Backup.
func Backup(ctx context.Context, dir, path string) error { return db.Backup(ctx, dir, path) }

// Restore puts a backup into a data folder that has no database; see db.Restore.
func Restore(ctx context.Context, backupFile, dir string) error {
	return db.Restore(ctx, backupFile, dir, embedded())
}

// RefuseData reports an error when a folder has a database already.
func RefuseData(dir string) error { return db.RefuseData(dir) }

// CheckBackup reports why a file is no backup that this version can restore; see db.CheckBackup.
func CheckBackup(path string) error { return db.CheckBackup(path, embedded()) }

// Damage returns what is wrong with a database file, or "" when it is sound; see db.Damage.
func Damage(path string) (string, error) { return db.Damage(path) }

// UndoMove makes a database usable again that Move has marked as moved; see db.UndoMove.
func UndoMove(ctx context.Context, o Options) (target string, err error) { return db.UndoMove(ctx, o) }

// MoveOptions name the databases of a move and who is told of its progress.
type MoveOptions struct {
	From, To Options
	Batch    int                       // rows in one transaction; 0: the default
	Progress func(db.MovedTable) error // nil: no caller is told

	// BeforeFinish runs when all rows are there and verified. After an error the move can be resumed.
	BeforeFinish func() error
}

// Move copies everything from one engine to the other; see db.Move. What search has indexed is not copied: the
// server indexes all texts again in the background.
func Move(ctx context.Context, o MoveOptions) ([]db.MovedTable, error) {
	return db.Move(ctx, db.MoveOptions{From: o.From, To: o.To, Batch: o.Batch, Progress: o.Progress, BeforeFinish: o.BeforeFinish, Plan: movePlan}, embedded())
}

var movePlan = db.MovePlan{
	Skip:     []string{"schema_migrations", "conversation_search", "contact_search", "card_search", "message_search", "messages_unindexed"},
	Reset:    "unindexed",
	Order:    map[string][]string{"events": {"position", "id"}},
	Counter:  map[string]string{"events": "position"},
	Identity: "secret_check",
	Mark:     feedMark,
	Finish: func(d db.Dialect, mark int64) []string {
		return append(continueFeed(d, mark), `
			INSERT INTO messages_unindexed (company, id)
			SELECT company, id
			FROM messages
			WHERE text IS NOT NULL`)
	},
}

// StoredFile is a file that the media table says is stored.
type StoredFile struct {
	ID     model.ID
	Size   int64
	SHA256 []byte // nil: not known
}

// StoredFiles lists the stored files that a SQLite database names. A server may be using it.
func StoredFiles(path string) (files []StoredFile, err error) {
	err = db.QueryFile(path, `SELECT id, size, sha256 FROM media WHERE stored ORDER BY id`, func(r Row) error {
		files = append(files, StoredFile{r.ID(0), r.Int(1), r.Bytes(2)})
		return nil
	})
	return files, err
}

// SecretCheckOf gives the value by which the secret key of a SQLite database is checked, or nil when it has none.
func SecretCheckOf(path string) (sealed []byte, err error) {
	there := false
	err = db.QueryFile(path, `SELECT 1 FROM sqlite_schema WHERE name = 'secret_check'`, func(Row) error { there = true; return nil })
	if err == nil && there {
		err = db.QueryFile(path, `SELECT sealed FROM secret_check`, func(r Row) error { sealed = r.Bytes(0); return nil })
	}
	return sealed, err
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
	release, err := s.slot(ctx, s.writes)
	if err != nil {
		return err
	}
	defer release()
	return s.db.Write(ctx, func(on *db.Tx) error {
		tx := &Tx{Now: on.Now, on: on, feedOffset: s.feedOffset}
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
	release, err := s.slot(ctx, s.reads)
	if err != nil {
		return err
	}
	defer release()
	return read(ctx, func(on *db.Tx) error { return fn(&Tx{Now: on.Now, on: on, feedOffset: s.feedOffset}) })
}

// companyKey is that of the company in a context.
type companyKey struct{}

// ForCompany says for whom Read, ReadOne and Write are called with the context. Of the connections, or on SQLite of the
// connections that read and of the places in a group of writes, one company has at most half at a time while others are
// active, and all but a quarter while it is active alone, so that another always finds free ones; its further calls wait in
// their order. Calls for no company are not limited. A call within a call would wait for itself.
func ForCompany(ctx context.Context, company model.ID) context.Context {
	return context.WithValue(ctx, companyKey{}, company)
}

// half gives each company half of what there is while several are active, and three quarters to one that is active alone.
func half(of int) *slots.Limiter[model.ID] {
	return slots.NewShared[model.ID](int64(max(1, of/2)), int64(of*3/4))
}

// slot waits for a slot of the context's company, if it names one.
func (s *Store) slot(ctx context.Context, limiter *slots.Limiter[model.ID]) (release func(), err error) {
	company, ok := ctx.Value(companyKey{}).(model.ID)
	if !ok {
		return func() {}, nil
	}
	return limiter.Acquire(ctx, company)
}
