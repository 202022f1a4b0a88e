package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recado/internal/admin"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/privacy"
	"recado/internal/server"
	"recado/internal/vault"
)

type backupCmd struct {
	databaseFlags
	File             string `arg:"" help:"Archive to write, such as recado.tar, or a folder, in which the archive is named after the current time."`
	WithoutSecretKey bool   `name:"without-secret-key" noenv:"" help:"Do not include the secret key; store it elsewhere."`
	Replace          bool   `noenv:"" help:"Replace an existing archive once the new one is complete."`
	Keep             int    `noenv:"" help:"Write to a folder and keep only this many of the newest archives in it." placeholder:"N"`
	Check            bool   `noenv:"" help:"Do not write a backup; read an archive and report whether it can be restored."`
}

func (c *backupCmd) Run(e *env) error {
	switch {
	case c.Check && (c.Replace || c.WithoutSecretKey || c.Keep != 0):
		return fmt.Errorf("--check cannot be combined with other flags (%w)", errUsage)
	case c.Keep < 0:
		return fmt.Errorf("--keep must be at least 1 (%w)", errUsage)
	case c.Check:
		return c.check(e)
	}
	if c.DatabaseURL != "" {
		return errors.New("recado backup supports only SQLite: back up PostgreSQL with pg_dump, and the media and secret.key by copying the data folder; or write everything as text with `recado export`")
	}
	if err := server.FindData(c.Data); err != nil {
		return err
	}
	file, err := c.target()
	if err != nil {
		return err
	}
	info, err := admin.Backup(e.ctx, admin.BackupOptions{
		Dir: c.Data, File: file, Replace: c.Replace || file != c.File, SecretKey: c.SecretKey, WithoutSecretKey: c.WithoutSecretKey, Version: version,
	})
	if err != nil {
		return err
	}
	if err := c.rotate(); err != nil {
		return err
	}
	return e.describeBackup(file, info)
}

// The names of archives in a folder sort by time.
const (
	archivePrefix = "recado-"
	archiveSuffix = ".tar"
	archiveTime   = "20060102T150405Z"
)

// target returns the path of the archive to write. It creates the folder for archives if necessary.
func (c *backupCmd) target() (string, error) {
	if c.Keep > 0 {
		if err := os.MkdirAll(c.File, 0o700); err != nil {
			return "", fmt.Errorf("--keep needs a folder to write to: %w", err)
		}
	}
	if info, err := os.Stat(c.File); err != nil || !info.IsDir() {
		return c.File, nil
	}
	return filepath.Join(c.File, archivePrefix+time.Now().UTC().Format(archiveTime)+archiveSuffix), nil
}

// rotate removes the oldest archives of the folder. Files with other names stay.
func (c *backupCmd) rotate() error {
	if c.Keep == 0 {
		return nil
	}
	entries, err := os.ReadDir(c.File) // sorted by name
	if err != nil {
		return err
	}
	entries = slices.DeleteFunc(entries, func(entry os.DirEntry) bool {
		name, prefixed := strings.CutPrefix(entry.Name(), archivePrefix)
		name, suffixed := strings.CutSuffix(name, archiveSuffix)
		_, err := time.Parse(archiveTime, name)
		return !prefixed || !suffixed || err != nil || !entry.Type().IsRegular()
	})
	for _, entry := range entries[:max(0, len(entries)-c.Keep)] {
		if err := os.Remove(filepath.Join(c.File, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

// check checks that an archive can be restored.
func (c *backupCmd) check(e *env) error {
	info, err := admin.Check(e.ctx, c.File)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(e.stdout, "%s can be restored: the hash of every file matches, and every page of the database was read.\n", c.File); err != nil || info.Format == 0 {
		return err
	}
	return e.describeBackup(c.File, info)
}

// describeBackup prints the content of an archive.
func (e *env) describeBackup(file string, info admin.Info) error {
	text := fmt.Sprintf("%s contains the database and %d media files", file, info.Media)
	if info.SecretKey {
		text += ", and the secret key: store it where only you can read it"
	}
	if info.MissingMedia > 0 {
		text += fmt.Sprintf(". %d media files are not in the data folder: they are in S3, or were already missing", info.MissingMedia)
	}
	if _, err := fmt.Fprintln(e.stdout, text+"."); err != nil {
		return err
	}
	return e.warnDamaged(info.DamagedMedia, "It was archived unchanged")
}

// warnDamaged lists the media files whose hash differs from the database.
func (e *env) warnDamaged(files []kernel.ID, outcome string) error {
	for _, file := range files {
		if _, err := fmt.Fprintf(e.stderr, "recado: warning: the media file %s is damaged: its SHA-256 hash does not match the database. %s.\n", file, outcome); err != nil {
			return err
		}
	}
	return nil
}

type restoreCmd struct {
	databaseFlags
	S3   s3Flags `embed:"" prefix:"s3-" group:"Media in S3, as passed to recado serve (default: the data folder):"`
	File string  `arg:"" help:"Archive written by recado backup."`
}

func (c *restoreCmd) Run(e *env) error {
	if c.DatabaseURL != "" {
		return errors.New("recado restore supports only SQLite: restore PostgreSQL with pg_restore")
	}
	done, err := admin.Restore(e.ctx, admin.RestoreOptions{File: c.File, Dir: c.Data, SecretKey: c.SecretKey})
	if err != nil {
		return err
	}
	if !done.KeyMissing {
		if err := c.eraseAgain(e); err != nil {
			return fmt.Errorf("the backup was restored, but not everybody in the list of erased people was erased again; the server tries it again when it starts: %w", err)
		}
	}
	text := fmt.Sprintf("The database and %d media files were restored to %s.", done.Media, c.Data)
	if done.KeyMissing {
		text += fmt.Sprintf(" Before starting the server, copy the %s of the original installation to %s.", vault.FileName, filepath.Join(c.Data, vault.FileName))
	}
	if _, err = fmt.Fprintln(e.stdout, text); err != nil {
		return err
	}
	return e.warnDamaged(done.DamagedMedia, "It was already damaged when the backup was made")
}

// eraseAgain erases the people who were erased after the backup.
func (c *restoreCmd) eraseAgain(e *env) error {
	if _, err := os.Stat(filepath.Join(c.Data, privacy.ListFile)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	config, err := c.config(e)
	if err != nil {
		return err
	}
	config.Existing, config.Media = true, true
	if config.S3, err = c.S3.options(); err != nil {
		return err
	}
	return withConfig(e, config, func(ctx context.Context, d *server.Desk) error { return d.Privacy.ApplyList(ctx) })
}

type moveCmd struct {
	databaseFlags
	To string `secret:"" help:"Destination: postgres://… for an empty PostgreSQL database, or a data folder for SQLite." placeholder:"URL|DIR"`

	ToFile string `name:"to-file" help:"File that contains the URL to move to." placeholder:"FILE"`
	Undo   bool   `noenv:"" help:"Make the source of an earlier move usable again by removing the mark that blocks servers and commands."`
}

func (c *moveCmd) Run(e *env) error {
	if _, err := c.config(e); err != nil { // checks the flags
		return err
	}
	if c.Undo {
		return c.undo(e)
	}
	if c.To == "" {
		return fmt.Errorf("--to is missing: a postgres://… address, or a data folder (%w)", errUsage)
	}
	o := admin.MoveOptions{Dir: c.Data, DatabaseURL: c.DatabaseURL, SecretKey: c.SecretKey}
	if strings.HasPrefix(c.To, "postgres://") || strings.HasPrefix(c.To, "postgresql://") {
		o.ToURL = c.To
	} else {
		o.ToDir = c.To
	}
	if (o.DatabaseURL == "") == (o.ToURL == "") {
		return fmt.Errorf("only moves from SQLite to PostgreSQL (--to postgres://…) or back (--database-url postgres://… --to DIR) are supported (%w)", errUsage)
	}
	if o.DatabaseURL == "" {
		if err := server.FindData(c.Data); err != nil {
			return err
		}
	}
	report := &moveReport{env: e}
	o.Progress = report.table
	moved, err := admin.Move(e.ctx, o)
	if err != nil {
		return err
	}
	return report.end(o, moved)
}

// undo makes the source of a move usable again.
func (c *moveCmd) undo(e *env) error {
	if c.To != "" {
		return fmt.Errorf("--undo cannot be combined with --to (%w)", errUsage)
	}
	if c.DatabaseURL == "" {
		if err := server.FindData(c.Data); err != nil {
			return err
		}
	}
	target, err := db.UndoMove(e.ctx, db.Options{Dir: c.Data, DatabaseURL: c.DatabaseURL})
	return printed(e, "This installation can be used again, in the state before it was moved to "+target+
		". Do not start a server there again: pending messages would be sent twice.", err)
}

// moveReport prints the progress of a move: a line when a table is complete or verified, and one per second in between.
type moveReport struct {
	*env
	last time.Time
	rows int64
}

func (r *moveReport) table(t db.MovedTable) (err error) {
	switch {
	case t.Verified:
		_, err = fmt.Fprintf(r.stdout, "verified  %-22s %10d rows  %s\n", t.Name, t.Rows, t.Hash)
		r.rows += t.Rows
	case t.Complete:
		_, err = fmt.Fprintf(r.stdout, "copied    %-22s %10d rows\n", t.Name, t.Rows)
	case time.Since(r.last) > time.Second:
		_, err = fmt.Fprintf(r.stdout, "copying   %-22s %10d rows\n", t.Name, t.Rows)
		r.last = time.Now()
	}
	return err
}

func (r *moveReport) end(o admin.MoveOptions, moved admin.Moved) error {
	text := fmt.Sprintf("%d rows in %d tables were moved and verified; %d media files are in place.", r.rows, len(moved.Tables), moved.Media)
	outcome := "It was left unchanged"
	if o.ToDir != "" {
		outcome = "It was not copied"
	}
	if err := r.warnDamaged(moved.DamagedMedia, outcome); err != nil {
		return err
	}
	if moved.MissingMedia > 0 {
		text += fmt.Sprintf(" %d media files are not in %s: they are in S3, or were already missing.", moved.MissingMedia, o.Dir)
	}
	if o.ToURL != "" {
		text += fmt.Sprintf(" Start the server with --database-url and --data %s, which still contains the media and %s.", o.Dir, vault.FileName)
	} else {
		text += fmt.Sprintf(" Start the server with --data %s.", o.ToDir)
	}
	if moved.KeyMissing {
		text += fmt.Sprintf(" It needs the %s of this installation, which was not found in %s.", vault.FileName, o.Dir)
	}
	_, err := fmt.Fprintln(r.stdout, text+" The search index is rebuilt in the background. The source is marked as moved and otherwise unchanged: servers and commands refuse to use it until you run `recado move --undo`.")
	return err
}
