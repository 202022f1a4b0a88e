package admin

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"recado/internal/blob"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// movePlan does not copy the search index, which the server rebuilds in the background.
var movePlan = db.MovePlan{
	Skip:     []string{"schema_migrations", "conversation_search", "contact_search", "card_search", "message_search", "messages_unindexed"},
	Reset:    "unindexed",
	Order:    map[string][]string{"events": {"position", "id"}},
	Counter:  map[string]string{"events": "position"},
	Identity: "secret_check",
	Mark:     kernel.FeedMark,
	Finish: func(d db.Dialect, mark int64) []string {
		return append(kernel.ContinueFeed(d, mark), `
			INSERT /* all companies: the whole database */ INTO messages_unindexed (company, id)
			SELECT company, id
			FROM messages
			WHERE text IS NOT NULL`)
	},
}

// StoredFile is a stored file of a message or a job.
type StoredFile struct {
	ID     kernel.ID
	Size   int64
	SHA256 []byte // nil: not known
}

// StoredFiles lists the stored files of a SQLite database. A server may be using it.
func StoredFiles(path string) (files []StoredFile, err error) {
	for _, table := range fileTables {
		query := `SELECT /* all companies: the whole database */ id, size, sha256 FROM ` + table + ` WHERE stored ORDER BY id`
		err = db.QueryFile(path, query, func(r db.Row) error {
			files = append(files, StoredFile{r.ID("id"), r.Int("size"), r.Bytes("sha256")})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// SecretCheckOf returns the value that shows whether the secret key of a SQLite database is right, or nil if there is none.
func SecretCheckOf(path string) (sealed []byte, err error) {
	exists := false
	err = db.QueryFile(path, `SELECT name FROM sqlite_schema WHERE name = 'secret_check'`, func(db.Row) error { exists = true; return nil })
	if err == nil && exists {
		err = db.QueryFile(path, `SELECT sealed FROM secret_check`, func(r db.Row) error { sealed = r.Bytes("sealed"); return nil })
	}
	return sealed, err
}

// MoveOptions configure a move.
type MoveOptions struct {
	Dir         string // the data folder of the installation
	DatabaseURL string // its PostgreSQL database; "": SQLite in Dir
	SecretKey   string // the keys of a setting; "": the key file of Dir

	ToURL string // the PostgreSQL database to move to, or
	ToDir string // the data folder to move to

	Batch    int
	Progress func(db.MovedTable) error
}

// Moved is the result of a move.
type Moved struct {
	Tables       []db.MovedTable
	Media        int // files in the new folder
	MissingMedia int // files that are in the database only: lost, or in S3

	// DamagedMedia lists files whose hash differs from the database. They are not copied.
	DamagedMedia []kernel.ID
	KeyMissing   bool
}

// Move moves an installation from one engine to the other, or resumes an interrupted move. In a move to PostgreSQL, the media and
// the secret key stay in the data folder, which remains in use; in a move to SQLite, they are copied to the new folder. At the
// end the source is marked as moved, and is not changed otherwise.
func Move(ctx context.Context, o MoveOptions) (out Moved, err error) {
	out.Tables, err = db.Move(ctx, db.MoveOptions{
		From: db.Options{Dir: o.Dir, DatabaseURL: o.DatabaseURL}, To: db.Options{Dir: o.ToDir, DatabaseURL: o.ToURL},
		Batch: o.Batch, Progress: o.Progress, Plan: movePlan,
		BeforeFinish: func() error { return o.moveFiles(ctx, &out) },
	}, kernel.Embedded())
	return out, err
}

// moveFiles copies and checks the media and the secret key.
func (o MoveOptions) moveFiles(ctx context.Context, out *Moved) error {
	database := filepath.Join(o.Dir, db.DatabaseFile) // the SQLite database of the two
	if o.ToDir != "" {
		database = filepath.Join(o.ToDir, db.DatabaseFile)
	}
	files, err := StoredFiles(database)
	if err != nil {
		return err
	}
	if err := o.moveMedia(ctx, files, out); err != nil {
		return err
	}
	sealed, err := SecretCheckOf(database)
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
		return fmt.Errorf("%w: pass the key of this installation with --secret-key, or copy it to %s", err, o.Dir)
	}
	if o.ToDir != "" {
		return writeKey(o.ToDir, key)
	}
	return nil
}

// moveMedia copies files that the new folder does not have, and checks their size and hash.
func (o MoveOptions) moveMedia(ctx context.Context, files []StoredFile, out *Moved) error {
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
		state, err := copyFile(ctx, source, target, file)
		if err != nil {
			return fmt.Errorf("media %s: %w", file.ID, err)
		}
		switch state {
		case fileWhole:
			out.Media++
		case fileMissing:
			out.MissingMedia++
		case fileDamaged:
			out.DamagedMedia = append(out.DamagedMedia, file.ID)
		}
	}
	return nil
}

type fileState int

const (
	fileWhole fileState = iota
	fileMissing
	fileDamaged
)

// copyFile copies a file unless the target has it. It removes a damaged copy.
func copyFile(ctx context.Context, source, target blob.Store, file StoredFile) (fileState, error) {
	state, err := checkFile(ctx, target, file)
	if err != nil || state == fileWhole || source == target {
		return state, err
	}
	if state == fileDamaged {
		if err := target.Delete(ctx, file.ID); err != nil {
			return state, err
		}
	}
	r, _, err := source.Open(ctx, file.ID)
	if errors.Is(err, blob.ErrNotFound) {
		return fileMissing, nil
	}
	if err != nil {
		return state, err
	}
	info, err := target.Put(ctx, file.ID, r, file.Size)
	err = errors.Join(err, r.Close())
	switch {
	case errors.Is(err, blob.ErrTooLarge):
		return fileDamaged, nil
	case err != nil:
		return state, err
	case !matches(file, info.Size, info.SHA256[:]):
		return fileDamaged, target.Delete(ctx, file.ID)
	}
	return fileWhole, nil
}

// checkFile compares a file with the database.
func checkFile(ctx context.Context, store blob.Store, file StoredFile) (fileState, error) {
	r, _, err := store.Open(ctx, file.ID)
	if errors.Is(err, blob.ErrNotFound) {
		return fileMissing, nil
	}
	if err != nil {
		return fileMissing, err
	}
	sum := sha256.New()
	size, err := io.Copy(sum, blob.UntilDone(ctx, r))
	if err = errors.Join(err, r.Close()); err != nil {
		return fileDamaged, err
	}
	if !matches(file, size, sum.Sum(nil)) {
		return fileDamaged, nil
	}
	return fileWhole, nil
}

func matches(file StoredFile, size int64, sum []byte) bool {
	return size == file.Size && (file.SHA256 == nil || bytes.Equal(sum, file.SHA256))
}
