package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"

	"recado/internal/kernel/base"
)

// Backup writes a consistent copy of the database in a data folder to a new file, whether a server is using it or
// not: reads and writes go on.
func Backup(ctx context.Context, dir, path string) error {
	return copyDatabase(ctx, filepath.Join(dir, liteFile), path)
}

// Restore puts a backup into a data folder that has no database and that no server is using. The
// backup is checked first, from its first page to its last; its schema must be one of the migrations'.
func Restore(ctx context.Context, backupFile, dir string, migrations fs.FS) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("db: create the data folder: %w", err)
	}
	lock, err := lockFolder(dir)
	if err != nil {
		return err
	}
	defer lock.release()
	if err := RefuseData(dir); err != nil {
		return err
	}
	if err := CheckBackup(backupFile, migrations); err != nil {
		return err
	}
	if err := clearMoved(dir); err != nil {
		return err
	}
	return copyDatabase(ctx, backupFile, filepath.Join(dir, liteFile))
}

// RefuseData reports an error when a folder has a database already.
func RefuseData(dir string) error {
	target := filepath.Join(dir, liteFile)
	for _, file := range []string{target, target + "-wal"} {
		if _, err := os.Lstat(file); !errors.Is(err, os.ErrNotExist) {
			return base.Errorf(base.CodeInvalidRequest, "%s already exists. Restore to an empty data folder, or move the file away first.", file)
		}
	}
	return nil
}

// CheckBackup reads a backup from its first page to its last and reports an error when it is damaged, or when its schema
// is not one of the migrations'.
func CheckBackup(path string, migrations fs.FS) error {
	src, err := openCopy(path)
	if err != nil {
		return err
	}
	defer src.conn.Close()
	bad := func(why string) error {
		return base.Errorf(base.CodeInvalidRequest, "%s is not a usable backup: %s.", path, why)
	}
	if src.damage() != "" {
		return bad("it is damaged or not a database")
	}
	all, err := loadMigrations(migrations)
	if err != nil {
		return err
	}
	done, err := src.applied()
	if err != nil {
		return bad("it is not a database of Recado")
	}
	if _, err := pending(all, done); err != nil {
		return bad(err.Error())
	}
	return nil
}

// Damage reads a database file from its first page to its last and returns what is wrong with it, or "" when it is sound.
func Damage(path string) (string, error) {
	c, err := openReadOnly(path)
	if err != nil {
		return "", err
	}
	return c.damage(), c.conn.Close()
}

// damage returns the first fault that SQLite finds in the pages, the indexes and the constraints, or "".
func (c *liteConn) damage() string {
	verdict := ""
	err := c.query("PRAGMA integrity_check(1)", nil, func(r Row) error { verdict = r.Text(""); return nil })
	switch {
	case err != nil:
		return err.Error()
	case verdict == "ok":
		return ""
	}
	return verdict
}

// QueryFile runs a query on a SQLite database file, which a server may be using.
func QueryFile(path, sql string, each func(r Row) error) error {
	c, err := openReadOnly(path)
	if err != nil {
		return err
	}
	return errors.Join(c.query(sql, nil, each), c.conn.Close())
}

func openCopy(path string) (*liteConn, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, base.Errorf(base.CodeInvalidRequest, "%s cannot be read.", path)
	}
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return nil, fmt.Errorf("db: open %s: %w", path, err)
	}
	conn.SetBusyTimeout(liteBusy)
	return &liteConn{conn: conn, stmts: map[string]*prepared{}}, nil
}

// copyDatabase copies a snapshot of one database file into a new one, which appears under its name
// only when it is whole and on the disk.
func copyDatabase(ctx context.Context, from, to string) (err error) {
	if _, err := os.Lstat(to); !errors.Is(err, os.ErrNotExist) {
		return base.Errorf(base.CodeInvalidRequest, "%s already exists. Choose another name.", to)
	}
	src, err := openCopy(from)
	if err != nil {
		return err
	}
	defer src.conn.Close()
	file, err := os.CreateTemp(filepath.Dir(to), ".recado-copy-*")
	if err != nil {
		return fmt.Errorf("db: %w", err)
	}
	defer func() {
		_ = file.Close()
		if err != nil {
			for _, tail := range []string{"", "-wal", "-shm", "-journal"} {
				_ = os.Remove(file.Name() + tail)
			}
		}
	}()
	if err := copyPages(ctx, src, file.Name()); err != nil {
		return damaged(from, err)
	}
	if err := file.Sync(); err != nil {
		return fmt.Errorf("db: %w", err)
	}
	if err := os.Rename(file.Name(), to); err != nil {
		return fmt.Errorf("db: %w", err)
	}
	return syncFolder(filepath.Dir(to))
}

// copyPages copies in pieces, inside one read transaction: the snapshot stays, writers go on.
func copyPages(ctx context.Context, src *liteConn, to string) (err error) {
	dst, err := openCopy(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dst.conn.Close()) }()
	if err := src.run("BEGIN"); err != nil {
		return err
	}
	if err := src.query("SELECT count(*) FROM sqlite_schema", nil, func(Row) error { return nil }); err != nil {
		return err
	}
	backup, err := sqlite.NewBackup(dst.conn, "main", src.conn, "main")
	if err != nil {
		return fmt.Errorf("db: %w", err)
	}
	for more := true; more && err == nil; {
		if err = ctx.Err(); err == nil {
			more, err = backup.Step(4096)
		}
	}
	if err = errors.Join(err, backup.Close(), src.run("ROLLBACK")); err != nil {
		return fmt.Errorf("db: copy: %w", err)
	}
	return dst.run("PRAGMA journal_mode = DELETE") // one file, nothing beside it
}

func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("db: %w", err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
		return fmt.Errorf("db: %w", err)
	}
	return nil
}
