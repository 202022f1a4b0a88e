package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"
)

// DatabaseFile is the name of the SQLite database in a data folder.
const DatabaseFile = "recado.db"

const (
	liteReaders  = 16
	walLarge     = 64 << 20 // checkpoint even under load
	walSmall     = 1 << 20  // no checkpoint when idle
	optimizeEach = time.Hour
)

// sqliteEngine is a database in a file, with one writer and several readers.
type sqliteEngine struct {
	path   string
	now    func() time.Time
	logger *slog.Logger
	lock   *folderLock // nil when shared
	writer *writer

	slots chan struct{} // one for each reader in use
	mu    sync.Mutex
	free  []*liteConn // the most recently used one, whose cache is warm, is last
	ended bool

	checked   time.Time // when the size of the log was last checked
	optimized time.Time
}

func openSQLite(ctx context.Context, o Options, migrations fs.FS) (_ *sqliteEngine, err error) {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("db: create the data folder: %w", err)
	}
	e := &sqliteEngine{
		path: filepath.Join(o.Dir, DatabaseFile), now: o.Now, logger: o.Logger,
		slots: make(chan struct{}, liteReaders), optimized: time.Now(),
	}
	defer func() {
		if err != nil {
			err = damaged(e.path, err)
			e.lock.release()
		}
	}()
	e.lock, err = lockFolder(o.Dir)
	if err != nil && !o.Shared {
		return nil, err
	}
	if err := refuseMoved(o.Dir); err != nil {
		return nil, err
	}
	if err := e.keepPrivate(); err != nil {
		return nil, err
	}
	c, err := openLite(e.path, true)
	if err != nil {
		return nil, err
	}
	if err := c.refuseUnfinished(); err != nil {
		_ = c.conn.Close()
		return nil, fmt.Errorf("db: %s: %w", e.path, err)
	}
	if err := e.prepare(ctx, c, migrations); err != nil {
		_ = c.conn.Close()
		return nil, err
	}
	if o.Shared {
		e.lock.release()
		e.lock = nil
	}
	e.writer = newWriter(c, o.Now, func() { e.tidy(c, false) }, func() { e.tidy(c, true) })
	return e, nil
}

func (e *sqliteEngine) prepare(ctx context.Context, c *liteConn, migrations fs.FS) error {
	if sqlite.VersionNumber < 3_051_003 { // 3.7.0 to 3.51.2 can corrupt a database in WAL mode
		return fmt.Errorf("db: the program was built with SQLite %s, but needs 3.51.3 or later", sqlite.Version)
	}
	all, err := loadMigrations(migrations)
	if err != nil {
		return err
	}
	steps, err := c.pending(all)
	if err != nil {
		return fmt.Errorf("db: %s: %w", e.path, err)
	}
	if len(steps) > 0 && e.lock == nil {
		return fmt.Errorf("db: %s: a running server uses an older schema; restart it with this version first", e.path)
	}
	for _, m := range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.migrate(m, e.now()); err != nil {
			return fmt.Errorf("db: schema step %04d: %w", m.version, err)
		}
	}
	return nil
}

func (e *sqliteEngine) write(ctx context.Context, fn func(tx *Tx) error) ([]func(), error) {
	return e.writer.write(ctx, fn)
}

func (e *sqliteEngine) read(ctx context.Context, single bool, fn func(tx *Tx) error) error {
	c, err := e.reader(ctx)
	if err != nil {
		return err
	}
	defer e.giveBack(c) // also if fn ends its goroutine
	if !single {
		if err := c.run("BEGIN"); err != nil {
			return liteError(err)
		}
	}
	tx := newTx(&liteReader{liteConn: c, ctx: ctx}, e.now(), true)
	tx.single = single
	return liteError(tx.run(fn))
}

// reader returns a free connection or a new one. It waits while all are in use.
func (e *sqliteEngine) reader(ctx context.Context) (*liteConn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case e.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	e.mu.Lock()
	ended := e.ended
	var c *liteConn
	if n := len(e.free); n > 0 {
		c, e.free = e.free[n-1], e.free[:n-1]
	}
	e.mu.Unlock()
	if c != nil && !ended {
		return c, nil
	}
	err := errClosed
	if !ended {
		c, err = openLite(e.path, false)
	}
	if err != nil {
		<-e.slots
		return nil, liteError(err)
	}
	return c, nil
}

func (e *sqliteEngine) giveBack(c *liteConn) {
	if !c.conn.AutocommitEnabled() {
		if err := c.run("ROLLBACK"); err != nil {
			e.logger.Warn("cannot end a read transaction; closing its connection", "error", err)
			_ = c.conn.Close()
			<-e.slots
			return
		}
	}
	e.mu.Lock()
	e.free = append(e.free, c)
	e.mu.Unlock()
	<-e.slots
}

func (e *sqliteEngine) ping(ctx context.Context) error {
	return e.read(ctx, true, func(tx *Tx) error {
		return tx.Query("SELECT 1", nil, func(Row) error { return nil })
	})
}

func (e *sqliteEngine) close() error {
	e.mu.Lock()
	if e.ended {
		e.mu.Unlock()
		return nil
	}
	e.ended = true
	e.mu.Unlock()
	e.writer.close()
	for range liteReaders { // wait for running reads
		e.slots <- struct{}{}
	}
	var all error
	for _, c := range e.free {
		all = errors.Join(all, c.conn.Close())
	}
	e.free = nil
	for range liteReaders { // later reads get errClosed
		<-e.slots
	}
	_ = e.writer.c.run("PRAGMA optimize")
	all = errors.Join(all, e.writer.c.conn.Close())
	e.lock.release()
	return all
}

// tidy runs a checkpoint of the write-ahead log: when idle, so that the log is small at the next start, and under load if
// readers have prevented its reuse.
func (e *sqliteEngine) tidy(c *liteConn, idle bool) {
	now := time.Now()
	if !idle && now.Sub(e.checked) < time.Second {
		return
	}
	e.checked = now
	info, err := os.Stat(e.path + "-wal")
	if err != nil {
		return
	}
	mode := ""
	switch {
	case idle && info.Size() > walSmall:
		mode = "PRAGMA wal_checkpoint(TRUNCATE)"
	case !idle && info.Size() > walLarge:
		mode = "PRAGMA wal_checkpoint(RESTART)"
	}
	if mode != "" {
		c.conn.SetBusyTimeout(100 * time.Millisecond)
		if err := c.run(mode); err != nil {
			e.logger.Warn("cannot run a checkpoint of the write-ahead log; retrying", "error", err)
		}
		c.conn.SetBusyTimeout(liteBusy)
	}
	if idle && now.Sub(e.optimized) > optimizeEach {
		e.optimized = now
		_ = c.run("PRAGMA optimize") // only statistics
	}
}

// emptyLog uses a connection of its own, because the writer's is in a transaction most of the time.
func (e *sqliteEngine) emptyLog(ctx context.Context) error {
	c, err := openFile(e.path, sqlite.OpenReadWrite)
	if err != nil {
		return err
	}
	defer func() { _ = c.conn.Close() }()
	for range emptyTries {
		if err := c.run("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
			return liteError(err)
		}
		info, err := os.Stat(e.path + "-wal")
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil // others write all the time; the log is overwritten soon
}

// emptyTries is how often emptyLog tries to empty the log. Each try waits for readers and writers.
const emptyTries = 5

// keepPrivate creates the database file with access for its owner only, before SQLite creates it with the default mode. SQLite
// creates the files beside it with the same mode. Existing files become private too.
//
// An existing file is not opened, because closing it would release the locks of this process on it.
func (e *sqliteEngine) keepPrivate() error {
	f, err := os.OpenFile(e.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case err == nil:
		if err := f.Close(); err != nil {
			return fmt.Errorf("db: create the database: %w", err)
		}
	case !errors.Is(err, fs.ErrExist):
		return fmt.Errorf("db: create the database: %w", err)
	}
	for _, tail := range []string{"", "-wal", "-shm"} {
		info, err := os.Stat(e.path + tail)
		if err != nil || info.Mode().Perm()&0o077 == 0 {
			continue
		}
		if err := os.Chmod(e.path+tail, 0o600); err != nil {
			e.logger.Warn("other users of this machine may read the database", "file", e.path+tail, "error", err)
		}
	}
	return nil
}
