package admin

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recado/internal/blob"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/vault"
)

// maxText limits the small files of an archive. The sums have about 110 bytes per file.
const maxText = 1 << 30

// RestoreOptions configure a restore.
type RestoreOptions struct {
	File      string // an archive, or the copy of a database that older versions wrote
	Dir       string // a data folder without a database
	SecretKey string // the keys of a setting; "": that of the archive or the folder
}

// Restored is the result of a restore.
type Restored struct {
	Info
	KeyMissing bool // the database needs a secret key, and neither the archive nor the folder has one
}

// Restore checks a backup and copies it to a data folder without a database. If a check fails, the folder is not changed: every
// file must have the hash from the archive, the database must be undamaged and have a known schema, and the secret key
// must fit.
func Restore(ctx context.Context, o RestoreOptions) (Restored, error) {
	isDatabase, err := isSQLite(o.File)
	if err != nil {
		return Restored{}, kernel.Errorf(kernel.CodeInvalidRequest, "The backup cannot be read: %v.", err)
	}
	if isDatabase {
		return restoreDatabase(ctx, o)
	}
	if err := db.RefuseData(o.Dir); err != nil {
		return Restored{}, err
	}
	_, err = os.Stat(o.Dir)
	created := errors.Is(err, os.ErrNotExist)
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return Restored{}, fmt.Errorf("cannot create the data folder: %w", err)
	}
	temp, err := os.MkdirTemp(o.Dir, ".recado-restore-")
	if err != nil {
		return Restored{}, err
	}
	r := &restore{RestoreOptions: o, archive: archive{file: o.File, temp: temp}}
	done, err := r.run(ctx)
	if cleared := os.RemoveAll(temp); err == nil {
		err = cleared
	}
	if err != nil && created {
		_ = os.Remove(o.Dir) // fails if it is not empty
	}
	return done, err
}

func isSQLite(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }()
	const magic = "SQLite format 3\x00"
	head := make([]byte, len(magic))
	n, err := io.ReadFull(f, head)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = nil
	}
	return string(head[:n]) == magic, err
}

// restoreDatabase restores the copy of a database.
func restoreDatabase(ctx context.Context, o RestoreOptions) (Restored, error) {
	sealed, err := SecretCheckOf(o.File)
	if err != nil {
		sealed = nil // kernel.Restore reports damage
	}
	key, err := findKey(o.Dir, o.SecretKey)
	if err == nil && key != nil {
		err = fits(key, sealed)
	}
	if err != nil {
		return Restored{}, err
	}
	return Restored{KeyMissing: key == nil}, kernel.Restore(ctx, o.File, o.Dir)
}

type restore struct {
	archive
	RestoreOptions
}

// archive reads a backup.
type archive struct {
	file string
	temp string // the folder for a copy of the database
	info Info
	key  []byte
	sums map[string]string // actual hashes by name
	list []byte            // the list of hashes
}

func (r *restore) run(ctx context.Context) (Restored, error) {
	if err := r.readAll(ctx); err != nil {
		return Restored{}, err
	}
	key, err := r.checkKey()
	if err != nil {
		return Restored{}, err
	}
	disk, err := blob.NewDisk(filepath.Join(r.Dir, mediaName))
	if err != nil {
		return Restored{}, err
	}
	err = r.each(ctx, func(name string, content io.Reader) error {
		id, ok := mediaID(name)
		if !ok {
			return nil
		}
		_, err := disk.Put(ctx, id, content, 1<<62)
		return err
	})
	if err = errors.Join(err, disk.Close()); err != nil {
		return Restored{}, err
	}
	if r.key != nil {
		if err := writeKey(r.Dir, r.key); err != nil {
			return Restored{}, err
		}
	}
	// The database comes last, so that an interrupted restore can be repeated.
	return Restored{Info: r.info, KeyMissing: key == nil}, kernel.Restore(ctx, filepath.Join(r.temp, db.DatabaseFile), r.Dir)
}

// readAll reads and checks the archive.
func (r *archive) readAll(ctx context.Context) error {
	r.sums = map[string]string{}
	if err := r.each(ctx, r.read); err != nil {
		return err
	}
	return r.check()
}

// each calls do for each file of the archive.
func (r *archive) each(ctx context.Context, do func(name string, content io.Reader) error) error {
	f, err := os.Open(r.file)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	files := tar.NewReader(blob.UntilDone(ctx, f))
	for {
		header, err := files.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return r.bad("it is damaged, truncated or not a Recado archive")
		case header.Typeflag != tar.TypeReg:
			return r.bad("it contains %s, which is not a file", header.Name)
		}
		if err := do(header.Name, files); err != nil {
			return err
		}
	}
}

func (r *archive) bad(format string, args ...any) error {
	return kernel.Errorf(kernel.CodeInvalidRequest, "%s is not a usable backup: %s.", r.file, fmt.Sprintf(format, args...))
}

// read computes the hash of a file and keeps its content if it is needed.
func (r *archive) read(name string, content io.Reader) error {
	if _, twice := r.sums[name]; twice || r.list != nil {
		return r.bad("it contains %s twice or after its end", name)
	}
	sum := sha256.New()
	hashed := io.TeeReader(content, sum)
	err := r.keep(name, hashed)
	if err == nil {
		_, err = io.Copy(io.Discard, hashed)
	}
	if err != nil {
		if _, known := errors.AsType[*kernel.Error](err); known {
			return err
		}
		return r.bad("%s cannot be read: %v", name, err)
	}
	r.sums[name] = hex.EncodeToString(sum.Sum(nil))
	return nil
}

func (r *archive) keep(name string, content io.Reader) (err error) {
	switch name {
	case db.DatabaseFile:
		f, err := os.OpenFile(filepath.Join(r.temp, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, content)
		return errors.Join(err, f.Close())
	case vault.FileName:
		r.key, err = io.ReadAll(io.LimitReader(content, maxText))
	case sumsName:
		r.list, err = io.ReadAll(io.LimitReader(content, maxText))
	case infoName:
		var text []byte
		if text, err = io.ReadAll(io.LimitReader(content, maxText)); err == nil {
			err = json.Unmarshal(text, &r.info)
		}
	default:
		if _, ok := mediaID(name); !ok {
			return r.bad("it contains %s, which this version does not support", name)
		}
	}
	return err
}

// mediaID parses the name of a media file.
func mediaID(name string) (id kernel.ID, ok bool) {
	rest, found := strings.CutPrefix(name, mediaName+"/")
	if !found {
		return id, false
	}
	return kernel.ParseID(rest)
}

// check compares the files with the list of hashes, and checks the database.
func (r *archive) check() error {
	switch {
	case r.list == nil:
		return r.bad("it is truncated or not a Recado archive")
	case r.info.Format != format:
		return r.bad("it has the format %d, but this version reads the format %d", r.info.Format, format)
	}
	left := maps.Clone(r.sums)
	delete(left, sumsName)
	for line := range bytes.Lines(r.list) {
		want, name, found := strings.Cut(strings.TrimSpace(string(line)), "  ")
		if got, there := left[name]; !found || !there || got != want {
			return r.bad("%s is missing, or its SHA-256 hash does not match the archive", name)
		}
		delete(left, name)
	}
	for name := range left {
		return r.bad("%s is not in its list of hashes", name)
	}
	database := filepath.Join(r.temp, db.DatabaseFile)
	if _, err := os.Stat(database); err != nil {
		return r.bad("it contains no database")
	}
	return kernel.CheckBackup(database)
}

// checkKey returns the keys that the server will use. It refuses keys that do not fit the database.
func (r *restore) checkKey() ([]byte, error) {
	sealed, err := SecretCheckOf(filepath.Join(r.temp, db.DatabaseFile))
	if err != nil {
		return nil, err
	}
	there, err := findKey(r.Dir, r.SecretKey)
	if err != nil {
		return nil, err
	}
	if there == nil {
		there = r.key
	}
	if there == nil {
		if sealed == nil {
			there = []byte{} // nothing needs a key
		}
		return there, nil
	}
	if err := fits(there, sealed); err != nil {
		return nil, fmt.Errorf("%w: the configured key, or the %s in %s, belongs to another installation; nothing was changed", err, vault.FileName, r.Dir)
	}
	return there, nil
}

// writeKey creates a key file unless there is one.
func writeKey(dir string, key []byte) error {
	path := filepath.Join(dir, vault.FileName)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil // checkKey has checked it
	}
	if err != nil {
		return err
	}
	_, err = f.Write(key)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// Check reads a backup without restoring it. It returns an error if a restore would refuse the backup, or if the media files do
// not match the database and the description of the archive.
func Check(ctx context.Context, file string) (info Info, err error) {
	isDatabase, err := isSQLite(file)
	if err != nil {
		return info, kernel.Errorf(kernel.CodeInvalidRequest, "The backup cannot be read: %v.", err)
	}
	if isDatabase { // a copy of a database
		return info, kernel.CheckBackup(file)
	}
	temp, err := os.MkdirTemp(filepath.Dir(file), ".recado-check-")
	if err != nil { // the folder may be read-only
		temp, err = os.MkdirTemp("", "recado-check-")
	}
	if err != nil {
		return info, err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	r := &archive{file: file, temp: temp}
	if err := r.readAll(ctx); err != nil {
		return info, err
	}
	if err := r.checkMedia(); err != nil {
		return info, err
	}
	if r.key != nil {
		sealed, err := SecretCheckOf(filepath.Join(temp, db.DatabaseFile))
		if err != nil {
			return info, err
		}
		if err := fits(r.key, sealed); err != nil {
			return info, r.bad("its secret key does not match its database")
		}
	}
	return r.info, nil
}

// checkMedia compares the media files with the database and the description of the archive.
func (r *archive) checkMedia() error {
	files, err := StoredFiles(filepath.Join(r.temp, db.DatabaseFile))
	if err != nil {
		return err
	}
	found, missing := 0, 0
	for _, file := range files {
		got, there := r.sums[mediaName+"/"+file.ID.String()]
		if !there {
			missing++
			continue
		}
		found++
		damaged := file.SHA256 != nil && got != hex.EncodeToString(file.SHA256)
		if damaged && !slices.Contains(r.info.DamagedMedia, file.ID) {
			return r.bad("the SHA-256 hash of the media file %s does not match the database", file.ID)
		}
	}
	if found != r.info.Media || missing != r.info.MissingMedia || r.info.SecretKey != (r.key != nil) {
		return r.bad("%s does not describe it: %d media files are there and %d are missing", infoName, found, missing)
	}
	return nil
}
