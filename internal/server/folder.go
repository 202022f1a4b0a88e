package server

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"recado/internal/blob"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/vault"
)

// openFolder creates the data folder, or checks that it exists if Existing is set. A server warns if other users have access.
func openFolder(c Config, shared bool) error {
	switch {
	case c.Existing && c.DatabaseURL != "":
		return nil // only the key in the folder is needed
	case c.Existing:
		if err := FindData(c.DataDir); err != nil {
			return err
		}
		return refuseLostDatabase(c)
	}
	if err := refuseLostDatabase(c); err != nil {
		return err
	}
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return fmt.Errorf("cannot create the data folder: %w", err)
	}
	if shared {
		return nil
	}
	for _, folder := range []string{c.DataDir, filepath.Join(c.DataDir, mediaFolder)} {
		info, err := os.Stat(folder)
		if err == nil && info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
			c.Logger.Warn("other users of this machine may enter the data folder; run chmod 700 on it",
				slog.String("folder", folder), slog.String("mode", fmt.Sprintf("%04o", info.Mode().Perm())))
		}
	}
	return nil
}

// minFree is the disk space that the server needs to be ready.
const minFree = 1 << 20

// storageDir returns the folder with the data, or "" if all data is in PostgreSQL and S3.
func (s *Server) storageDir() string {
	if s.config.DatabaseURL != "" && s.config.S3 != nil {
		return ""
	}
	return s.config.DataDir
}

// checkStorage returns an error if the data disk is full.
func (s *Server) checkStorage() error {
	dir := s.storageDir()
	if dir == "" {
		return nil
	}
	free, err := blob.Free(dir)
	switch {
	case err != nil:
		s.config.Logger.Warn("cannot read the free space of the data folder", slog.Any("error", err))
		return &kernel.Error{
			Code: kernel.CodeUnavailable, RetryAfter: time.Second,
			Message: "The data folder cannot be read. Check the disk of the server.",
		}
	case free < minFree:
		return kernel.StorageFull()
	}
	return nil
}

// FindData returns an error if a folder does not contain a SQLite database of Recado.
func FindData(dir string) error {
	_, err := os.Stat(filepath.Join(dir, db.DatabaseFile))
	if errors.Is(err, fs.ErrNotExist) {
		return noData(dir)
	}
	return err
}

// refuseLostDatabase returns an error if the database of a folder is missing or empty although other files of an installation
// exist.
func refuseLostDatabase(c Config) error {
	if c.DatabaseURL != "" {
		return nil
	}
	path := filepath.Join(c.DataDir, db.DatabaseFile)
	state := "is empty"
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		state = "is missing"
	case err != nil || info.Size() > 0:
		return err
	}
	media := filepath.Join(c.DataDir, mediaFolder)
	if !holdsFiles(media) {
		_, noMedia := os.Stat(media)
		_, noKey := os.Stat(filepath.Join(c.DataDir, vault.FileName))
		if noMedia != nil || noKey != nil {
			return nil
		}
	}
	return fmt.Errorf("%s %s, but the media and secret.key of an installation are next to it. Restore a backup: move the empty file away, if there is one, and run `recado restore FILE --data %s`. "+
		"If the data is in PostgreSQL, pass --database-url. For a new installation choose another --data, or move everything out of this folder", path, state, c.DataDir)
}

// holdsFiles reports whether a folder or one of its subfolders contains a file.
func holdsFiles(dir string) bool {
	found := false
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found
}

func noData(dir string) error {
	return fmt.Errorf("there is no Recado data in %s: check --data; `recado serve` and `recado company create` create a new data folder", dir)
}
