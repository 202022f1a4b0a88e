// Package admin backs up, restores, moves, exports and imports whole installations, and fills an empty one with the demo.
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
	"os"
	"path/filepath"
	"time"

	"recado/internal/blob"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/server"
	"recado/internal/vault"
)

// Names of files in an archive. The sums come last and list all other files in the format of sha256sum.
const (
	infoName  = "recado-backup.json"
	sumsName  = "SHA256SUMS"
	mediaName = "media"
)

// format is the version of the archive format.
const format = 1

// Info describes an archive.
type Info struct {
	Format       int       `json:"format"`
	Version      string    `json:"version"` // of the program that wrote it
	CreatedAt    time.Time `json:"created_at"`
	SecretKey    bool      `json:"secret_key"`    // whether the archive contains it
	Media        int       `json:"media"`         // files in the archive
	MissingMedia int       `json:"missing_media"` // files in the database that the data folder does not have

	// DamagedMedia lists files in the archive whose hash differs from the database.
	DamagedMedia []kernel.ID `json:"damaged_media,omitempty"`
}

// BackupOptions configure a backup.
type BackupOptions struct {
	Dir              string // the data folder
	File             string // the archive to write
	Replace          bool   // replace an existing archive when the new one is complete
	SecretKey        string // the keys of a setting; "": the key file of the folder
	WithoutSecretKey bool
	Version          string
}

// Backup writes the database, the media and the secret key of a data folder to an archive. A server may be using the folder. A
// damaged database is refused. The archive appears when it is complete.
func Backup(ctx context.Context, o BackupOptions) (info Info, err error) {
	if there, err := os.Lstat(o.File); err == nil && !(o.Replace && there.Mode().IsRegular()) {
		return info, kernel.Errorf(kernel.CodeInvalidRequest, "%s already exists. Choose another name, or replace it with --replace.", o.File)
	}
	temp, err := os.MkdirTemp(filepath.Dir(o.File), ".recado-backup-")
	if err != nil {
		return info, err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	snapshot := filepath.Join(temp, db.DatabaseFile)
	if err := db.Backup(ctx, o.Dir, snapshot); err != nil {
		return info, err
	}
	damage, err := db.Damage(snapshot)
	if err != nil {
		return info, err
	}
	if damage != "" { // it could not be restored
		return info, kernel.Errorf(kernel.CodeInvalidRequest, "%s is damaged (%s). "+
			"No backup was written, and earlier backups are unchanged. Check the latest with `recado backup --check FILE` and restore it with `recado restore`.",
			filepath.Join(o.Dir, db.DatabaseFile), damage)
	}
	key, err := o.key(snapshot)
	if err != nil {
		return info, err
	}
	part := filepath.Join(temp, "archive")
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return info, err
	}
	w := &archiveWriter{tar: tar.NewWriter(f), at: time.Now().UTC().Truncate(time.Second)}
	info = Info{Format: format, Version: o.Version, CreatedAt: w.at, SecretKey: key != nil}
	if err = w.all(ctx, o.Dir, snapshot, key, &info); err == nil {
		err = errors.Join(w.tar.Close(), f.Sync())
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return info, err
	}
	if o.Replace || os.Link(part, o.File) != nil { // unlike a rename, a link replaces nothing
		if err := os.Rename(part, o.File); err != nil {
			return info, err
		}
	}
	return info, vault.SyncDir(filepath.Dir(o.File))
}

// key returns the content of the key file for the archive, or nil. It refuses a key that does not fit the database.
func (o BackupOptions) key(snapshot string) ([]byte, error) {
	if o.WithoutSecretKey {
		return nil, nil
	}
	sealed, err := SecretCheckOf(snapshot)
	if err != nil {
		return nil, err
	}
	key, err := findKey(o.Dir, o.SecretKey)
	switch {
	case err != nil:
		return nil, err
	case key == nil && sealed == nil:
		return nil, nil // nothing is sealed yet
	case key == nil:
		return nil, fmt.Errorf("there is no %s in %s: pass the key with --secret-key, or omit it with --without-secret-key", vault.FileName, o.Dir)
	}
	return key, fits(key, sealed)
}

// findKey returns the keys of a setting or of the key file of a folder, or nil.
func findKey(dir, setting string) ([]byte, error) {
	if setting != "" {
		return []byte(setting + "\n"), nil
	}
	key, err := os.ReadFile(filepath.Join(dir, vault.FileName))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return key, err
}

// fits returns an error if the keys do not open the check value of a database, which may be nil.
func fits(key, sealed []byte) error {
	v, err := vault.FromEnv(string(key))
	if err != nil {
		return err
	}
	if sealed != nil && !server.OpensSecretCheck(v, sealed) {
		return server.ErrWrongSecretKey
	}
	return nil
}

// archiveWriter writes the files of an archive and collects their hashes.
type archiveWriter struct {
	tar  *tar.Writer
	at   time.Time
	sums bytes.Buffer
}

func (w *archiveWriter) all(ctx context.Context, dir, snapshot string, key []byte, info *Info) error {
	files, err := StoredFiles(snapshot)
	if err != nil {
		return err
	}
	if err := w.file(ctx, db.DatabaseFile, snapshot); err != nil {
		return err
	}
	if key != nil {
		if err := w.bytes(vault.FileName, key); err != nil {
			return err
		}
	}
	if err := w.media(ctx, dir, files, info); err != nil {
		return err
	}
	text, err := json.MarshalIndent(info, "", "  ")
	if err != nil {
		return err
	}
	if err := w.bytes(infoName, append(text, '\n')); err != nil {
		return err
	}
	return w.bytes(sumsName, bytes.Clone(w.sums.Bytes()))
}

// media adds the files in the folder. A file may have been deleted since the snapshot, or be in S3.
func (w *archiveWriter) media(ctx context.Context, dir string, files []StoredFile, info *Info) error {
	disk, err := blob.ReadDisk(filepath.Join(dir, mediaName))
	if errors.Is(err, os.ErrNotExist) {
		info.MissingMedia = len(files)
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = disk.Close() }()
	for _, file := range files {
		r, size, err := disk.Open(ctx, file.ID)
		if errors.Is(err, blob.ErrNotFound) {
			info.MissingMedia++
			continue
		}
		if err != nil {
			return err
		}
		sum, err := w.copy(ctx, mediaName+"/"+file.ID.String(), r, size)
		if err = errors.Join(err, r.Close()); err != nil {
			return err
		}
		info.Media++
		if !matches(file, size, sum) {
			info.DamagedMedia = append(info.DamagedMedia, file.ID)
		}
	}
	return nil
}

func (w *archiveWriter) file(ctx context.Context, name, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil {
		_, err = w.copy(ctx, name, f, info.Size())
	}
	return errors.Join(err, f.Close())
}

func (w *archiveWriter) bytes(name string, content []byte) error {
	_, err := w.copy(context.Background(), name, bytes.NewReader(content), int64(len(content)))
	return err
}

// copy adds a file and returns its hash.
func (w *archiveWriter) copy(ctx context.Context, name string, r io.Reader, size int64) ([]byte, error) {
	header := &tar.Header{Name: name, Mode: 0o600, Size: size, ModTime: w.at, Format: tar.FormatPAX}
	if err := w.tar.WriteHeader(header); err != nil {
		return nil, fmt.Errorf("backup of %s: %w", name, err)
	}
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(w.tar, sum), blob.UntilDone(ctx, io.LimitReader(r, size))); err != nil {
		return nil, fmt.Errorf("backup of %s: %w", name, err)
	}
	got := sum.Sum(nil)
	if name != sumsName {
		fmt.Fprintf(&w.sums, "%s  %s\n", hex.EncodeToString(got), name)
	}
	return got, nil
}
