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

// MoveDatabaseOptions name the databases of a move and who is told of its progress.
type MoveDatabaseOptions struct {
	From, To db.Options
	Batch    int                       // rows in one transaction; 0: the default
	Progress func(db.MovedTable) error // nil: no caller is told

	// BeforeFinish runs when all rows are there and verified. After an error the move can be resumed.
	BeforeFinish func() error
}

// MoveDatabase copies everything from one engine to the other; see db.Move. What search has indexed is not copied: the
// server indexes all texts again in the background.
func MoveDatabase(ctx context.Context, o MoveDatabaseOptions) ([]db.MovedTable, error) {
	return db.Move(ctx, db.MoveOptions{From: o.From, To: o.To, Batch: o.Batch, Progress: o.Progress, BeforeFinish: o.BeforeFinish, Plan: movePlan}, kernel.Embedded())
}

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

// StoredFile is a file that the media table says is stored.
type StoredFile struct {
	ID     kernel.ID
	Size   int64
	SHA256 []byte // nil: not known
}

// StoredFiles lists the stored files that a SQLite database names. A server may be using it.
func StoredFiles(path string) (files []StoredFile, err error) {
	err = db.QueryFile(path, `SELECT /* all companies: the whole database */ id, size, sha256 FROM media WHERE stored ORDER BY id`, func(r db.Row) error {
		files = append(files, StoredFile{r.ID(0), r.Int(1), r.Bytes(2)})
		return nil
	})
	return files, err
}

// SecretCheckOf gives the value by which the secret key of a SQLite database is checked, or nil when it has none.
func SecretCheckOf(path string) (sealed []byte, err error) {
	there := false
	err = db.QueryFile(path, `SELECT 1 FROM sqlite_schema WHERE name = 'secret_check'`, func(db.Row) error { there = true; return nil })
	if err == nil && there {
		err = db.QueryFile(path, `SELECT sealed FROM secret_check`, func(r db.Row) error { sealed = r.Bytes(0); return nil })
	}
	return sealed, err
}

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

	// DamagedMedia are the files that do not have the hash that the database says. They are not copied.
	DamagedMedia []kernel.ID
	KeyMissing   bool
}

// Move moves an installation from one engine to the other, or goes on with a move that was cut off. On the way to
// PostgreSQL media and the secret key stay in the data folder, which the installation goes on using; on the way to SQLite
// they are copied to the new folder. At the end the source is marked as moved, and nothing else of it is changed.
func Move(ctx context.Context, o MoveOptions) (out Moved, err error) {
	out.Tables, err = MoveDatabase(ctx, MoveDatabaseOptions{
		From:  db.Options{Dir: o.Dir, DatabaseURL: o.DatabaseURL},
		To:    db.Options{Dir: o.ToDir, DatabaseURL: o.ToURL},
		Batch: o.Batch, Progress: o.Progress,
		BeforeFinish: func() error { return o.moveFiles(ctx, &out) },
	})
	return out, err
}

// moveFiles copies and checks what an installation has beside its database.
func (o MoveOptions) moveFiles(ctx context.Context, out *Moved) error {
	database := filepath.Join(o.Dir, db.DatabaseFile) // that of the two which is SQLite
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
		return fmt.Errorf("%w: give the key of this installation with --secret-key, or put it into %s", err, o.Dir)
	}
	if o.ToDir != "" {
		return writeKey(o.ToDir, key)
	}
	return nil
}

// moveMedia copies the files that the new folder does not have, and compares each with its size and hash.
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

// fileState is what a folder has of a file.
type fileState int

const (
	fileWhole fileState = iota
	fileMissing
	fileDamaged
)

// copyFile copies a file unless the target has it. A damaged one does not stay in a target of its own.
func copyFile(ctx context.Context, source, target *blob.Disk, file StoredFile) (fileState, error) {
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

// checkFile reads a file and compares it with what the database says.
func checkFile(ctx context.Context, disk *blob.Disk, file StoredFile) (fileState, error) {
	r, _, err := disk.Open(ctx, file.ID)
	if errors.Is(err, blob.ErrNotFound) {
		return fileMissing, nil
	}
	if err != nil {
		return fileMissing, err
	}
	sum := sha256.New()
	size, err := io.Copy(sum, untilDone(ctx, r))
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

// UndoMove makes a source usable again that Move has marked as moved, and returns the target of that move.
func UndoMove(ctx context.Context, o MoveOptions) (target string, err error) {
	return kernel.UndoMove(ctx, db.Options{Dir: o.Dir, DatabaseURL: o.DatabaseURL})
}
