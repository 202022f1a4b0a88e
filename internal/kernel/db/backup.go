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

// Backup writes a consistent copy of the database in a data folder to a new file. A server may be using the database.
func Backup(ctx context.Context, dir, path string) error {
	return copyDatabase(ctx, filepath.Join(dir, DatabaseFile), path)
}

// Restore copies a backup to a data folder without a database. It checks the backup first; see CheckBackup.
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
	file := filepath.Join(dir, DatabaseFile)
	if err := copyDatabase(ctx, backupFile, file); err != nil {
		return err
	}
	// The first connection turns on the write-ahead log. `recado export` cannot do it beside its snapshot.
	c, err := openLite(file, true)
	if err != nil {
		return err
	}
	return c.conn.Close()
}

// RefuseData returns an error if a folder contains a database.
func RefuseData(dir string) error {
	target := filepath.Join(dir, DatabaseFile)
	for _, file := range []string{target, target + "-wal"} {
		if _, err := os.Lstat(file); !errors.Is(err, os.ErrNotExist) {
			return base.Errorf(base.CodeInvalidRequest, "%s already exists. Restore to an empty data folder, or move the file away first.", file)
		}
	}
	return nil
}

// CheckBackup reads the whole backup. It returns an error if the backup is damaged or its schema is not one of the migrations.
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

// Damage reads a whole database file and describes its damage, or returns "".
func Damage(path string) (string, error) {
	c, err := openFile(path, sqlite.OpenReadOnly)
	if err != nil {
		return "", err
	}
	return c.damage(), c.conn.Close()
}

// damage describes the first damage of the pages, the indexes and the constraints, or returns "".
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
	c, err := openFile(path, sqlite.OpenReadOnly)
	if err != nil {
		return err
	}
	return errors.Join(c.query(sql, nil, each), c.conn.Close())
}

func openCopy(path string) (*liteConn, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, base.Errorf(base.CodeInvalidRequest, "%s cannot be read.", path)
	}
	return openFile(path, sqlite.OpenReadWrite)
}

// copyDatabase copies a snapshot of a database file. The new file gets its name when it is complete and durable.
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

// copyPages copies in steps in one read transaction, so that it does not block writers.
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
	return dst.run("PRAGMA journal_mode = DELETE") // a single file
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
