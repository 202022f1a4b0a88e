package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"recado/internal/blob"
	"recado/internal/db"
	"recado/internal/store"
)

// MoveOptions say what is moved to where.
type MoveOptions struct {
	Dir         string // the data folder of the installation
	DatabaseURL string // its PostgreSQL database; "": SQLite in Dir
	SecretKey   string // the keys of a setting; "": the key file of Dir

	ToURL string // the PostgreSQL database to move to, or
	ToDir string // the data folder to move to

	Batch    int
	Progress func(db.MovedTable) error
}

// Moved tells what a move has done.
type Moved struct {
	Tables       []db.MovedTable
	Media        int // files that the database names and the folder of the new installation has
	MissingMedia int // files that the database names and the folder does not have: lost before, or in S3
	KeyMissing   bool
}

// Move moves an installation from one engine to the other, or goes on with a move that was cut off. On the way to
// PostgreSQL media and the secret key stay in the data folder, which the installation goes on using; on the way to SQLite
// they are copied to the new folder. The source is not changed.
func Move(ctx context.Context, o MoveOptions) (out Moved, err error) {
	out.Tables, err = store.Move(ctx, store.MoveOptions{
		From:  store.Options{Dir: o.Dir, DatabaseURL: o.DatabaseURL},
		To:    store.Options{Dir: o.ToDir, DatabaseURL: o.ToURL},
		Batch: o.Batch, Progress: o.Progress,
		BeforeFinish: func() error { return o.moveFiles(ctx, &out) },
	})
	return out, err
}

// moveFiles copies and checks what an installation has beside its database.
func (o MoveOptions) moveFiles(ctx context.Context, out *Moved) error {
	database := filepath.Join(o.Dir, store.DatabaseFile) // that of the two which is SQLite
	if o.ToDir != "" {
		database = filepath.Join(o.ToDir, store.DatabaseFile)
	}
	files, err := store.StoredFiles(database)
	if err != nil {
		return err
	}
	if err := o.moveMedia(ctx, files, out); err != nil {
		return err
	}
	sealed, err := store.SecretCheckOf(database)
	if err != nil {
		return err
	}
	key, err := findKey(o.Dir, o.SecretKey)
	switch {
	case err != nil:
		return err
	case key == nil:
		out.KeyMissing = sealed != nil
		return nil
	}
	if err := fits(key, sealed); err != nil {
		return fmt.Errorf("%w: give the key of this installation with --secret-key, or put it into %s", err, o.Dir)
	}
	if o.ToDir != "" {
		return writeKey(o.ToDir, key)
	}
	return nil
}

// moveMedia copies the files that the new folder does not have, and compares each with its hash.
func (o MoveOptions) moveMedia(ctx context.Context, files []store.StoredFile, out *Moved) error {
	source, err := blob.ReadDisk(filepath.Join(o.Dir, mediaName))
	if errors.Is(err, os.ErrNotExist) {
		out.MissingMedia = len(files)
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	target := source
	if o.ToDir != "" {
		if target, err = blob.NewDisk(filepath.Join(o.ToDir, mediaName)); err != nil {
			return err
		}
		defer func() { _ = target.Close() }()
	}
	for _, file := range files {
		there, err := copyFile(ctx, source, target, file)
		switch {
		case err != nil:
			return fmt.Errorf("media %s: %w", file.ID, err)
		case there:
			out.Media++
		default:
			out.MissingMedia++
		}
	}
	return nil
}

// copyFile copies a file unless it is there already, which it is as a whole or not at all. It reports whether there is one.
func copyFile(ctx context.Context, source, target *blob.Disk, file store.StoredFile) (bool, error) {
	r, size, err := target.Open(ctx, file.ID)
	if err == nil {
		if err = r.Close(); err == nil && size != file.Size {
			err = fmt.Errorf("it has %d bytes, the database says %d", size, file.Size)
		}
		return true, err
	}
	if !errors.Is(err, blob.ErrNotFound) || source == target {
		return false, ignoreMissing(err)
	}
	r, _, err = source.Open(ctx, file.ID)
	if err != nil {
		return false, ignoreMissing(err)
	}
	info, err := target.Put(ctx, file.ID, r, file.Size)
	if err = errors.Join(err, r.Close()); err != nil {
		return false, err
	}
	if file.SHA256 != nil && !bytes.Equal(info.SHA256[:], file.SHA256) {
		return false, fmt.Errorf("the file is damaged: its SHA-256 is %x, the database says %x", info.SHA256, file.SHA256)
	}
	return true, nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, blob.ErrNotFound) {
		return nil
	}
	return err
}
