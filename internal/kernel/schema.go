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

// schemas are the steps of the schema: those of this version, and those that capabilities have registered.
var schemas = schemaFiles{sub(ownSchema, "schema")}

// RegisterSchema adds the steps of a capability to the schema: files named NNNN_name.sql. Steps are applied in the order of
// their numbers, and each number is used once. It is called at start-up, before a database is opened.
func RegisterSchema(files fs.FS) { schemas = append(schemas, files) }

func sub(files fs.FS, dir string) fs.FS {
	s, err := fs.Sub(files, dir)
	if err != nil {
		panic(err) // the folder is part of the binary
	}
	return s
}

// schemaFiles shows several folders as one.
type schemaFiles []fs.FS

// Open opens the first file of that name.
func (s schemaFiles) Open(name string) (fs.File, error) {
	for _, files := range s {
		f, err := files.Open(name)
		if !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// ReadDir lists the files of all folders.
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
