package admin

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"recado/internal/blob"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/vault"
)

// Names of files in an export.
const (
	manifestName = "manifest.json"
	tablesName   = "tables"
	mediaList    = "media.ndjson" // one ExportedMedia per line
)

// exportFormat is the version of the format of exports.
const exportFormat = 1

// LeftOut lists the tables that are not exported, with the reason.
var LeftOut = map[string]string{
	"schema_migrations":   "the manifest has the version of the schema",
	"conversation_search": "the search index is rebuilt",
	"contact_search":      "as conversation_search",
	"card_search":         "as conversation_search",
	"message_search":      "as conversation_search",
	"messages_unindexed":  "as conversation_search",
	"sessions":            "people sign in again",
	"push_subscriptions":  "they end with the session",
	"pushes":              "they end with the session",
	"setup_tokens":        "an import has a company already",
	"sign_in_failures":    "they expire within a day",
	"lanes":               "they expire within seconds",
}

// exportPlan is movePlan with the tables in LeftOut.
func exportPlan() db.MovePlan {
	plan := movePlan
	plan.Skip = nil
	for name := range LeftOut {
		plan.Skip = append(plan.Skip, name)
	}
	return plan
}

// Manifest describes an export.
type Manifest struct {
	Format       int            `json:"format"`
	Version      string         `json:"version"` // of the program that wrote it
	Schema       int64          `json:"schema"`
	CreatedAt    time.Time      `json:"created_at"`
	Company      *kernel.ID     `json:"company"` // null: all companies
	SecretKey    bool           `json:"secret_key"`
	FeedPosition int64          `json:"feed_position"`
	Media        int            `json:"media"`
	MissingMedia int            `json:"missing_media"`           // files in the database that are lost
	DamagedMedia []kernel.ID    `json:"damaged_media,omitempty"` // files whose hash differs from the database, which are not exported
	Files        []ExportedFile `json:"files"`                   // all files except the manifest and those in media
}

// ExportedFile is a file of an export.
type ExportedFile struct {
	Name   string `json:"name"`
	Rows   int64  `json:"rows"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// ExportedMedia is a line of the list of media files.
type ExportedMedia struct {
	ID     kernel.ID `json:"id"`
	Size   int64     `json:"size"`
	SHA256 string    `json:"sha256"`
}

// ExportOptions configure an export.
type ExportOptions struct {
	Dir           string     // the data folder
	DatabaseURL   string     // the PostgreSQL database; "": SQLite in Dir
	Media         blob.Store // nil: the folder media in Dir
	SecretKey     string     // the keys of a setting; "": the key file of Dir
	WithSecretKey bool
	Company       *kernel.ID // nil: all companies

	To       string // a folder that does not exist or is empty
	Version  string
	Progress func(db.MovedTable) error
}

// Export writes all rows as NDJSON, and the media, to a folder. Servers may be using the installation: the rows are those of one
// moment. The folder appears when it is complete.
func Export(ctx context.Context, o ExportOptions) (m Manifest, err error) {
	if entries, err := os.ReadDir(o.To); len(entries) > 0 || err != nil && !errors.Is(err, os.ErrNotExist) {
		return m, kernel.Errorf(kernel.CodeInvalidRequest, "%s already exists and is not an empty folder. Choose another name.", o.To)
	}
	to := filepath.Clean(o.To)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return m, err
	}
	temp, err := os.MkdirTemp(filepath.Dir(to), ".recado-export-")
	if err != nil {
		return m, err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	e := &exporter{ExportOptions: o, temp: temp}
	e.m = Manifest{Format: exportFormat, Version: o.Version, CreatedAt: time.Now().UTC().Truncate(time.Second), Company: o.Company}
	if err := e.run(ctx); err != nil {
		return m, err
	}
	if err := os.Remove(to); err != nil && !errors.Is(err, os.ErrNotExist) {
		return m, err
	}
	if err := os.Rename(temp, to); err != nil {
		return m, err
	}
	return e.m, vault.SyncDir(filepath.Dir(to))
}

type exporter struct {
	ExportOptions
	m    Manifest
	temp string
}

func (e *exporter) run(ctx context.Context) error {
	if err := os.Mkdir(filepath.Join(e.temp, tablesName), 0o700); err != nil {
		return err
	}
	if err := e.tables(ctx); err != nil {
		return err
	}
	if err := e.key(); err != nil {
		return err
	}
	if err := e.media(ctx); err != nil {
		return err
	}
	text, err := json.MarshalIndent(e.m, "", "  ")
	if err != nil {
		return err
	}
	return e.file(manifestName, func(w io.Writer) (int64, error) { _, err := w.Write(append(text, '\n')); return 1, err })
}

// tables writes the rows of all tables in one snapshot.
func (e *exporter) tables(ctx context.Context) (err error) {
	from, err := db.OpenExport(ctx, db.Options{Dir: e.Dir, DatabaseURL: e.DatabaseURL}, exportPlan(), "companies", e.Company, kernel.Embedded())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close(ctx)) }()
	e.m.Schema, e.m.FeedPosition = from.Schema, from.Mark
	if err := e.audit(ctx); err != nil {
		return err
	}
	for _, table := range from.Tables {
		err := e.file(tableFile(table), func(w io.Writer) (int64, error) {
			return from.Write(ctx, table, w, func(rows int64) error { return e.report(db.MovedTable{Name: table, Rows: rows}) })
		})
		if err != nil {
			return fmt.Errorf("export %s: %w", table, err)
		}
		rows := e.m.Files[len(e.m.Files)-1].Rows
		if err := e.report(db.MovedTable{Name: table, Rows: rows, Complete: true}); err != nil {
			return err
		}
	}
	return nil
}

// audit records the export in the audit of each company. The schema is the latest, so that nothing else is changed.
func (e *exporter) audit(ctx context.Context) (err error) {
	store, err := kernel.Open(ctx, db.Options{Dir: e.Dir, DatabaseURL: e.DatabaseURL, Shared: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return store.Write(ctx, func(tx *kernel.Tx) error {
		companies, err := kernel.Rows(tx, `SELECT /* all companies: the operator exports them */ id, name FROM companies ORDER BY id`, nil, func(r db.Row) kernel.Ref {
			return kernel.Ref{ID: r.ID("id"), Name: r.Text("name")}
		})
		if e.Company != nil {
			companies = slices.DeleteFunc(companies, func(c kernel.Ref) bool { return c.ID != *e.Company })
			if err == nil && len(companies) == 0 {
				err = kernel.Errorf(kernel.CodeNotFound, "There is no company %s.", e.Company)
			}
		}
		for _, c := range companies {
			tx.Audit(nil, kernel.AuditEntry{
				Action: "company.exported", Company: c.ID, Actor: kernel.AuditOperator(), Subject: kernel.NewAuditSubject("company", c.ID, c.Name),
				Changes: []kernel.AuditChange{{Field: "with_secret_key", To: e.WithSecretKey}},
			})
		}
		return err
	})
}

func (e *exporter) report(t db.MovedTable) error {
	if e.Progress == nil {
		return nil
	}
	return e.Progress(t)
}

func tableFile(table string) string { return tablesName + "/" + table + ".ndjson" }

// file writes a file of the export and adds it to the manifest. write returns the number of lines.
func (e *exporter) file(name string, write func(w io.Writer) (int64, error)) error {
	f, err := os.OpenFile(filepath.Join(e.temp, filepath.FromSlash(name)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	counter := &hashWriter{w: f, sum: sha256.New()}
	buffer := bufio.NewWriterSize(counter, 1<<20)
	rows, err := write(buffer)
	if err == nil {
		err = buffer.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	e.m.Files = append(e.m.Files, ExportedFile{Name: name, Rows: rows, Size: counter.size, SHA256: hex.EncodeToString(counter.sum.Sum(nil))})
	return errors.Join(err, f.Close())
}

// hashWriter counts and hashes what it writes.
type hashWriter struct {
	w    io.Writer
	sum  hash.Hash
	size int64
}

func (h *hashWriter) Write(p []byte) (int, error) {
	n, err := h.w.Write(p)
	h.sum.Write(p[:n])
	h.size += int64(n)
	return n, err
}

// key adds the secret key if it was asked for.
func (e *exporter) key() error {
	if !e.WithSecretKey {
		return nil
	}
	sealed, err := exportedCheck(e.temp)
	if err != nil {
		return err
	}
	key, err := findKey(e.Dir, e.SecretKey)
	if err != nil {
		return err
	}
	if key == nil {
		return fmt.Errorf("there is no %s in %s: pass the key with --secret-key", vault.FileName, e.Dir)
	}
	if err := fits(key, sealed); err != nil {
		return err
	}
	e.m.SecretKey = true
	return e.file(vault.FileName, func(w io.Writer) (int64, error) {
		_, err := w.Write(key)
		return int64(bytes.Count(key, []byte("\n"))), err
	})
}

// exportedCheck returns the value of an export that shows whether a secret key is right, or nil.
func exportedCheck(dir string) (sealed []byte, err error) {
	err = eachLine(filepath.Join(dir, filepath.FromSlash(tableFile("secret_check"))), func(line struct{ Sealed db.Bytes }) error {
		sealed = line.Sealed
		return nil
	})
	return sealed, err
}

// eachLine decodes the lines of a file.
func eachLine[T any](path string, do func(line T) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	lines := json.NewDecoder(bufio.NewReader(f))
	for {
		var line T
		if err := lines.Decode(&line); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := do(line); err != nil {
			return err
		}
	}
}

// media copies the files that the exported rows refer to.
func (e *exporter) media(ctx context.Context) (err error) {
	source := e.Media
	if source == nil {
		disk, err := blob.ReadDisk(filepath.Join(e.Dir, mediaName))
		switch {
		case err == nil:
			defer func() { _ = disk.Close() }()
			source = disk
		case !errors.Is(err, os.ErrNotExist):
			return err
		}
	}
	target, err := blob.NewDisk(filepath.Join(e.temp, mediaName))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	return e.file(mediaList, func(w io.Writer) (int64, error) {
		for _, table := range fileTables {
			err := eachLine(filepath.Join(e.temp, filepath.FromSlash(tableFile(table))), func(line storedLine) error {
				if !line.Stored {
					return nil
				}
				return e.copyMedia(ctx, w, source, target, StoredFile{line.ID, line.Size, line.SHA256})
			})
			if err != nil {
				return 0, err
			}
		}
		return int64(e.m.Media), nil
	})
}

// fileTables lists the tables of stored files.
var fileTables = []string{"media", "job_files"}

// storedLine is a line of one of the fileTables.
type storedLine struct {
	ID     kernel.ID
	Size   int64
	SHA256 db.Bytes
	Stored bool
}

// copyMedia copies a file and adds it to the list.
func (e *exporter) copyMedia(ctx context.Context, w io.Writer, source blob.Store, target *blob.Disk, file StoredFile) error {
	if source == nil {
		e.m.MissingMedia++
		return nil
	}
	r, _, err := source.Open(ctx, file.ID)
	if errors.Is(err, blob.ErrNotFound) {
		e.m.MissingMedia++
		return nil
	}
	if err != nil {
		return fmt.Errorf("media %s: %w", file.ID, err)
	}
	info, err := target.Put(ctx, file.ID, r, file.Size)
	err = errors.Join(err, r.Close())
	switch {
	case errors.Is(err, blob.ErrTooLarge), err == nil && !matches(file, info.Size, info.SHA256[:]):
		e.m.DamagedMedia = append(e.m.DamagedMedia, file.ID)
		return target.Delete(ctx, file.ID)
	case err != nil:
		return fmt.Errorf("media %s: %w", file.ID, err)
	}
	e.m.Media++
	line, err := json.Marshal(ExportedMedia{file.ID, info.Size, hex.EncodeToString(info.SHA256[:])})
	if err == nil {
		_, err = w.Write(append(line, '\n'))
	}
	return err
}

// file returns the entry of a file.
func (m Manifest) file(name string) (ExportedFile, bool) {
	i := slices.IndexFunc(m.Files, func(f ExportedFile) bool { return f.Name == name })
	if i < 0 {
		return ExportedFile{}, false
	}
	return m.Files[i], true
}
