package kernel

import (
	"embed"
	"errors"
	"io/fs"
	"slices"
	"strings"
)

//go:embed schema
var ownSchema embed.FS

// schemas contains the migrations of the kernel and of the capabilities.
var schemas = schemaFiles{sub(ownSchema, "schema")}

// RegisterSchema adds the migrations of a capability: files named NNNN_name.sql. They are applied in the order of
// their numbers, which must be unique. Call it at start-up, before a database is opened.
func RegisterSchema(files fs.FS) { schemas = append(schemas, files) }

func sub(files fs.FS, dir string) fs.FS {
	s, err := fs.Sub(files, dir)
	if err != nil {
		panic(err) // the directory is embedded
	}
	return s
}

// schemaFiles merges several directories.
type schemaFiles []fs.FS

// Open opens the first file with the name.
func (s schemaFiles) Open(name string) (fs.File, error) {
	for _, files := range s {
		f, err := files.Open(name)
		if !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// ReadDir lists the files of all directories.
func (s schemaFiles) ReadDir(name string) (all []fs.DirEntry, err error) {
	for _, files := range s {
		entries, err := fs.ReadDir(files, name)
		if err != nil {
			return nil, err
		}
		all = append(all, entries...)
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return all, nil
}

// GlobalTables lists the tables whose rows belong to no company, with the reason. Every other table has a column company,
// and its keys begin with it.
var GlobalTables = map[string]string{
	"companies":         "the companies themselves",
	"schema_migrations": "the migrations that were applied",
	"setup_tokens":      "creates the first company",
	"sign_in_failures":  "counted before it is known who signs in",
	"lanes":             "which node works for what, over all companies",
	"secret_check":      "the installation has one secret key",
	"push_key":          "the installation has one key pair for Web Push",
	"erasure_key":       "the installation has one key for the hashes of erased people",
}

// GlobalKeys lists the unique keys that do not begin with the company, by table and first column, with the reason.
var GlobalKeys = map[string]string{
	"channels.phone_number_id": "a phone number is connected once in an installation, and callbacks name it without the company",
	"conversation_search.num":  "SQLite's full-text index numbers its entries over the whole database",
	"contact_search.num":       "as conversation_search.num",
	"card_search.num":          "as conversation_search.num",
	"events.position":          "SQLite numbers events in the order of commits, over all companies",
}
