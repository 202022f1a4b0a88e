package admin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"recado/internal/blob"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/vault"
)

// ImportOptions configure an import.
type ImportOptions struct {
	From string // a folder written by Export

	Dir         string     // the data folder
	DatabaseURL string     // the PostgreSQL database; "": SQLite in Dir
	Media       blob.Store // nil: the folder media in Dir
	SecretKey   string     // the keys of a setting; "": the key file of Dir, or that of the export
	Progress    func(db.MovedTable) error
}

// Imported is the result of an import.
type Imported struct {
	Manifest
	Tables     []db.MovedTable
	KeyMissing bool // the rows need a secret key, and neither the export nor the folder has one
}

// Import checks an export and copies it to an installation without rows, or resumes an interrupted import. If a check fails, nothing
// is changed: every file must have the hash from the manifest, the schema must be known, and the secret key must fit.
func Import(ctx context.Context, o ImportOptions) (out Imported, err error) {
	i := &importer{ImportOptions: o}
	if err := i.check(ctx); err != nil {
		return out, err
	}
	key, err := i.checkKey()
	if err != nil {
		return out, err
	}
	out = Imported{Manifest: i.manifest, KeyMissing: key == nil}
	out.Tables, err = db.Import(ctx, db.ImportOptions{
		To: db.Options{Dir: o.Dir, DatabaseURL: o.DatabaseURL}, Plan: exportPlan(), Schema: i.manifest.Schema, Mark: i.manifest.FeedPosition,
		Open: i.openTable, Progress: o.Progress,
		BeforeFinish: func() error {
			if err := i.copyMedia(ctx); err != nil {
				return err
			}
			if len(key) == 0 || o.SecretKey != "" {
				return nil
			}
			if err := os.MkdirAll(o.Dir, 0o700); err != nil {
				return fmt.Errorf("cannot create the data folder: %w", err)
			}
			return writeKey(o.Dir, key)
		},
	}, kernel.Embedded())
	return out, err
}

type importer struct {
	ImportOptions
	manifest Manifest
}

func (i *importer) bad(format string, args ...any) error {
	return kernel.Errorf(kernel.CodeInvalidRequest, "%s is not a usable export: %s.", i.From, fmt.Sprintf(format, args...))
}

// check reads the manifest and compares all files with their hashes.
func (i *importer) check(ctx context.Context) error {
	text, err := os.ReadFile(filepath.Join(i.From, manifestName))
	if err != nil {
		return i.bad("%s cannot be read: it is not a folder written by `recado export`, or the export was interrupted", manifestName)
	}
	if err := json.Unmarshal(text, &i.manifest); err != nil {
		return i.bad("%s is damaged", manifestName)
	}
	if i.manifest.Format != exportFormat {
		return i.bad("it has the format %d, but this version reads the format %d", i.manifest.Format, exportFormat)
	}
	for _, file := range i.manifest.Files {
		if err := i.checkHash(ctx, file); err != nil {
			return err
		}
	}
	disk, err := blob.ReadDisk(filepath.Join(i.From, mediaName))
	if err != nil {
		return i.bad("its folder %s cannot be read", mediaName)
	}
	defer func() { _ = disk.Close() }()
	return i.eachMedia(func(file StoredFile) error {
		state, err := checkFile(ctx, disk, file)
		if err == nil && state != fileWhole {
			err = i.bad("the media file %s is missing, or its SHA-256 hash does not match %s", file.ID, mediaList)
		}
		return err
	})
}

func (i *importer) checkHash(ctx context.Context, file ExportedFile) error {
	f, err := os.OpenInRoot(i.From, filepath.FromSlash(file.Name))
	if err != nil {
		return i.bad("%s is missing", file.Name)
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, blob.UntilDone(ctx, f)); err != nil {
		return fmt.Errorf("%s: %w", file.Name, err)
	}
	if hex.EncodeToString(sum.Sum(nil)) != file.SHA256 {
		return i.bad("the SHA-256 hash of %s does not match %s", file.Name, manifestName)
	}
	return nil
}

// path returns the path of a file of the export, which must be in the manifest.
func (i *importer) path(name string) (string, error) {
	if _, found := i.manifest.file(name); !found {
		return "", i.bad("%s is missing", name)
	}
	return filepath.Join(i.From, filepath.FromSlash(name)), nil
}

func (i *importer) openTable(table string) (io.ReadCloser, error) {
	path, err := i.path(tableFile(table))
	if err != nil {
		return nil, err
	}
	return os.Open(path)
}

func (i *importer) eachMedia(do func(file StoredFile) error) error {
	path, err := i.path(mediaList)
	if err != nil {
		return err
	}
	return eachLine(path, func(line ExportedMedia) error {
		sum, err := hex.DecodeString(line.SHA256)
		if err != nil {
			return i.bad("%s is damaged", mediaList)
		}
		return do(StoredFile{line.ID, line.Size, sum})
	})
}

// checkKey returns the keys that the server will use, or nil if none was found. It refuses keys that do not fit the export.
func (i *importer) checkKey() ([]byte, error) {
	if _, err := i.path(tableFile("secret_check")); err != nil {
		return nil, err
	}
	sealed, err := exportedCheck(i.From)
	if err != nil {
		return nil, err
	}
	key, err := findKey(i.Dir, i.SecretKey)
	if err != nil {
		return nil, err
	}
	if key == nil && i.manifest.SecretKey {
		if key, err = findKey(i.From, ""); err != nil {
			return nil, err
		}
	}
	switch {
	case key == nil && sealed == nil:
		return []byte{}, nil // nothing needs a key
	case key == nil:
		return nil, nil
	}
	if err := fits(key, sealed); err != nil {
		return nil, fmt.Errorf("%w: the configured key, or the %s in %s, belongs to another installation; nothing was changed", err, vault.FileName, i.Dir)
	}
	return key, nil
}

func (i *importer) copyMedia(ctx context.Context) (err error) {
	source, err := blob.ReadDisk(filepath.Join(i.From, mediaName))
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	target := i.Media
	if target == nil {
		disk, failed := blob.NewDisk(filepath.Join(i.Dir, mediaName))
		if failed != nil {
			return failed
		}
		defer func() { err = errors.Join(err, disk.Close()) }()
		target = disk
	}
	return i.eachMedia(func(file StoredFile) error {
		state, err := copyFile(ctx, source, target, file)
		if err == nil && state != fileWhole {
			err = i.bad("the media file %s has changed", file.ID)
		}
		return err
	})
}
