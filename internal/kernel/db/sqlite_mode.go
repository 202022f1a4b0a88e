package db

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// keepPrivate creates the database file for its owner alone before SQLite would create it for others too. SQLite
// gives the files beside it the same mode. Files of an older version lose the access of others.
//
// A file that exists is not opened: closing it would drop the locks that this process holds on it.
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
