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
)

// DatabaseFile is the name of the SQLite database in a data folder.
const DatabaseFile = "recado.db"

const (
	liteFile     = DatabaseFile
	liteReaders  = 16
	walLarge     = 64 << 20 // folded back even under load
	walSmall     = 1 << 20  // left alone when idle
	optimizeEach = time.Hour
)

// sqliteEngine is a database in one file: one writer, several readers, a lock against a second server.
type sqliteEngine struct {
	path   string
	now    func() time.Time
	logger *slog.Logger
	lock   *folderLock // nil when shared
	writer *writer

	slots chan struct{} // one for every reader in use
	mu    sync.Mutex
	free  []*liteConn // the most recently used last: its cache is warm
	ended bool

	checked   time.Time // last look at a large log
	optimized time.Time
}

func openSQLite(ctx context.Context, o Options, migrations fs.FS) (_ *sqliteEngine, err error) {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("db: create the data folder: %w", err)
	}
	e := &sqliteEngine{
		path: filepath.Join(o.Dir, liteFile), now: o.Now, logger: o.Logger,
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
	if err := e.checkVersion(c); err != nil {
		return err
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

// checkVersion refuses the versions of the library that can corrupt a database in WAL mode: 3.7.0 to
// 3.51.2.
func (e *sqliteEngine) checkVersion(c *liteConn) error {
	version := ""
	if err := c.query("SELECT sqlite_version()", nil, func(r Row) error { version = r.Text(""); return nil }); err != nil {
		return fmt.Errorf("db: ask for the SQLite version: %w", err)
	}
	if !goodSQLite(version) {
		return fmt.Errorf("db: this binary contains SQLite %s, which can corrupt data; 3.51.3 or newer is required", version)
	}
	return nil
}

func goodSQLite(version string) bool {
	var major, minor, patch int
	if n, _ := fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &patch); n < 3 {
		return false
	}
	return major*1_000_000+minor*1_000+patch >= 3_051_003
}

func (e *sqliteEngine) write(ctx context.Context, fn func(tx *Tx) error) ([]func(), error) {
	return e.writer.write(ctx, fn)
}

func (e *sqliteEngine) read(ctx context.Context, single bool, fn func(tx *Tx) error) error {
	c, err := e.reader(ctx)
	if err != nil {
		return err
	}
	defer e.giveBack(c) // also when fn ends its goroutine
	if !single {
		if err := c.run("BEGIN"); err != nil {
			return liteError(err)
		}
	}
	tx := newTx(&liteReader{liteConn: c, ctx: ctx}, e.now(), true)
	tx.single = single
	return liteError(tx.run(fn))
}

// reader takes a free connection, or opens one while there are fewer than the most allowed.
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
			e.logger.Warn("closing a read connection that does not end its transaction", "error", err)
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
	for range liteReaders { // wait for reads under way
		e.slots <- struct{}{}
	}
	var all error
	for _, c := range e.free {
		all = errors.Join(all, c.conn.Close())
	}
	e.free = nil
	for range liteReaders { // later ones learn that it is closed
		<-e.slots
	}
	_ = e.writer.c.run("PRAGMA optimize")
	all = errors.Join(all, e.writer.c.conn.Close())
	e.lock.release()
	return all
}

// tidy folds the write-ahead log back into the database: in idle time, so that the next start and
// the disk find it small, and under load when steady readers have kept it from being reused.
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
			e.logger.Warn("the write-ahead log could not be folded back; it is tried again", "error", err)
		}
		c.conn.SetBusyTimeout(liteBusy)
	}
	if idle && now.Sub(e.optimized) > optimizeEach {
		e.optimized = now
		_ = c.run("PRAGMA optimize") // statistics only: plans stay good enough without
	}
}
