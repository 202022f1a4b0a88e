package main

import (
	"fmt"
	"path/filepath"

	"recado/internal/admin"
	"recado/internal/blob"
	"recado/internal/server"
	"recado/internal/vault"
)

// exportFlags are the flags of export and import.
type exportFlags struct {
	databaseFlags
	S3 s3Flags `embed:"" prefix:"s3-" group:"Media in S3 (default: the data folder):"`
}

// media returns the bucket of the installation, or nil.
func (f exportFlags) media(e *env) (blob.Store, error) {
	if _, err := f.config(e); err != nil { // checks the flags
		return nil, err
	}
	options, err := f.S3.options()
	if err != nil || options == nil {
		return nil, err
	}
	return blob.NewS3(e.ctx, *options)
}

type exportCmd struct {
	exportFlags
	Dir           string `arg:"" help:"Folder to create."`
	Company       string `help:"Id of the only company to export; default: all companies." placeholder:"UUID"`
	WithSecretKey bool   `name:"with-secret-key" noenv:"" help:"Include the secret key, which opens the stored secrets of all companies of this installation."`
}

func (c *exportCmd) Run(e *env) error {
	company, err := optionalID("--company", c.Company)
	if err != nil {
		return err
	}
	o := admin.ExportOptions{
		Dir: c.Data, DatabaseURL: c.DatabaseURL, SecretKey: c.SecretKey, WithSecretKey: c.WithSecretKey, To: c.Dir, Version: version,
	}
	if !company.IsZero() {
		o.Company = new(company)
	}
	if c.DatabaseURL == "" {
		if err := server.FindData(c.Data); err != nil {
			return err
		}
	}
	if o.Media, err = c.media(e); err != nil {
		return err
	}
	report := &moveReport{env: e}
	o.Progress = report.table
	m, err := admin.Export(e.ctx, o)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s contains %d files with %d rows, and %d media files", c.Dir, len(m.Files), rowsOf(m), m.Media)
	if m.SecretKey {
		text += ", and the secret key: store it where only you can read it"
	}
	if m.MissingMedia > 0 {
		text += fmt.Sprintf(". %d media files were not found: they are in S3, or were already missing", m.MissingMedia)
	}
	if _, err := fmt.Fprintln(e.stdout, text+"."); err != nil {
		return err
	}
	return e.warnDamaged(m.DamagedMedia, "It was not exported")
}

func rowsOf(m admin.Manifest) (rows int64) {
	for _, file := range m.Files {
		rows += file.Rows
	}
	return rows
}

type importCmd struct {
	Dir importDirCmd `cmd:"" default:"withargs" help:"Import a folder written by recado export into an empty installation (default)."`

	Chatwoot importChatwootCmd `cmd:"" help:"Import an account of Chatwoot; the server may be running. Run it again to add what is new."`
}

type importDirCmd struct {
	exportFlags
	Dir string `arg:"" help:"Folder written by recado export."`
}

func (c *importDirCmd) Run(e *env) error {
	media, err := c.media(e)
	if err != nil {
		return err
	}
	report := &moveReport{env: e}
	done, err := admin.Import(e.ctx, admin.ImportOptions{
		From: c.Dir, Dir: c.Data, DatabaseURL: c.DatabaseURL, Media: media, SecretKey: c.SecretKey, Progress: report.table,
	})
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%d rows in %d tables were imported and verified; %d media files are in place.", report.rows, len(done.Tables), done.Media)
	if done.KeyMissing {
		text += fmt.Sprintf(" Before starting the server, copy the %s of the original installation to %s, or run `recado secret-key replace-lost`.",
			vault.FileName, filepath.Join(c.Data, vault.FileName))
	}
	return printed(e, text+" The search index is rebuilt in the background. Do not run the original installation at the same time: pending messages would be sent twice.", nil)
}
