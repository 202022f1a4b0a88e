package server

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"

	"recado/internal/store"
)

// openFolder makes the data folder, or with Existing only finds it. A server warns of one that others may enter.
func openFolder(c Config, shared bool) error {
	switch {
	case c.Existing && c.DatabaseURL != "":
		return nil // the key is all that is needed of the folder
	case c.Existing:
		return FindData(c.DataDir)
	}
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return fmt.Errorf("the data folder cannot be made: %w", err)
	}
	if shared {
		return nil
	}
	for _, folder := range []string{c.DataDir, filepath.Join(c.DataDir, mediaFolder)} {
		warnOfOpenFolder(c.Logger, folder)
	}
	return nil
}

// FindData reports an error when a folder holds no SQLite database of Recado.
func FindData(dir string) error {
	_, err := os.Stat(filepath.Join(dir, store.DatabaseFile))
	if errors.Is(err, fs.ErrNotExist) {
		return noData(dir)
	}
	return err
}

func noData(dir string) error {
	return fmt.Errorf("there is no Recado data in %s: check --data; `recado serve` and `recado company create` make a new data folder", dir)
}

func warnOfOpenFolder(log *slog.Logger, folder string) {
	info, err := os.Stat(folder)
	if err != nil || info.Mode().Perm()&0o077 == 0 || runtime.GOOS == "windows" {
		return
	}
	log.Warn("other users of this machine may enter the data folder; run chmod 700 on it",
		slog.String("folder", folder), slog.String("mode", fmt.Sprintf("%04o", info.Mode().Perm())))
}
