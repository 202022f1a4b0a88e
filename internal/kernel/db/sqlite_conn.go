package db

import (
	"errors"
	"fmt"
	"math"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"recado/internal/kernel/base"
)

const (
	liteBusy = 10 * time.Second
	liteMmap = math.MaxInt32 &^ 0xffff // the maximum of SQLite
)

// liteConn is a connection with its prepared statements by text.
type liteConn struct {
	conn  *sqlite.Conn
	stmts map[string]*prepared
}

// openFile opens a database file.
func openFile(path string, flags sqlite.OpenFlags) (*liteConn, error) {
	conn, err := sqlite.OpenConn(path, flags)
	if err != nil {
		return nil, fmt.Errorf("db: open %s: %w", path, err)
	}
	conn.SetBusyTimeout(liteBusy)
	return &liteConn{conn: conn, stmts: map[string]*prepared{}}, nil
}

// openLite opens the database of a server.
func openLite(path string, writes bool) (*liteConn, error) {
	flags := sqlite.OpenReadWrite
	if writes {
		flags |= sqlite.OpenCreate
	}
	c, err := openFile(path, flags)
	if err != nil {
		return nil, err
	}
	settings := []string{"PRAGMA foreign_keys = ON", "PRAGMA temp_store = MEMORY"}
	if writes {
		// Most pages of the writer are in its cache or in the log. Mapping the file is not faster, and all pages that were ever
		// used would count as memory of the server.
		// secure_delete overwrites deleted content: a person who was erased must not be in the free space of the file.
		settings = append(settings, "PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA secure_delete = ON",
			"PRAGMA cache_size = -16000", "PRAGMA journal_size_limit = 67108864", "PRAGMA analysis_limit = 400")
	} else {
		settings = append(settings, fmt.Sprintf("PRAGMA mmap_size = %d", liteMmap), "PRAGMA cache_size = -2000", "PRAGMA query_only = ON")
	}
	for _, s := range settings {
		if err := sqlitex.ExecuteTransient(c.conn, s, nil); err != nil {
			_ = c.conn.Close()
			return nil, fmt.Errorf("db: open %s: %s: %w", path, s, err)
		}
	}
	return c, nil
}

func (c *liteConn) pending(all []migration) ([]migration, error) {
	if err := c.run(createMigrations); err != nil {
		return nil, err
	}
	done, err := c.applied()
	if err != nil {
		return nil, err
	}
	return pending(all, done)
}

func (c *liteConn) migrate(m migration, now time.Time) (err error) {
	if err := c.run("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() {
		if err != nil && !c.conn.AutocommitEnabled() {
			err = errors.Join(err, c.run("ROLLBACK"))
		}
	}()
	if err := sqlitex.ExecuteScript(c.conn, forEngine(m.text, true), nil); err != nil {
		return err
	}
	if _, err := c.exec(insertMigration, []any{m.version, m.name, now, m.checksum}); err != nil {
		return err
	}
	return c.run("COMMIT")
}

// damaged adds instructions to the error for a damaged database file. It returns other errors unchanged.
func damaged(file string, err error) error {
	if err == nil {
		return nil
	}
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultCorrupt, sqlite.ResultNotADB:
		return fmt.Errorf("%s is damaged (%w): stop the server, move the damaged files away, and restore the latest backup with `recado restore`; `recado backup --check FILE` reports whether a backup is good", file, err)
	}
	return err
}

// liteError adds the codes for temporary failures and for a full disk.
func liteError(err error) error {
	if err == nil {
		return nil
	}
	code := sqlite.ErrCode(err)
	if code == sqlite.ResultFull || code == sqlite.ResultIOErrSHMSize { // the index of the log grows too
		return fmt.Errorf("%w (%w)", base.StorageFull(), err)
	}
	switch code.ToPrimary() {
	case sqlite.ResultBusy, sqlite.ResultIOErr, sqlite.ResultNoMem, sqlite.ResultReadOnly:
		return fmt.Errorf("%w (%w)", &base.Error{
			Code: base.CodeUnavailable, Message: "The database cannot be written at the moment. Try again.", RetryAfter: 2 * time.Second,
		}, err)
	}
	return damaged("the database", err)
}
