// Package house tests rules of the code that a compiler does not check: which package may import which, and
// that each has a package comment. It reads sources and tests no behaviour.
package house

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// packages lists each package under internal with the packages of this module that it may import; tests of a
// package may import more. cmd and server wire everything together, and bench and test use all of it, so these
// are free.
var packages = map[string][]string{
	"internal/rank": {},
	// One idea each, usable elsewhere.
	"internal/phone":     {},
	"internal/fold":      {},
	"internal/filetype":  {},
	"internal/quantile":  {},
	"internal/jsonenc":   {},
	"internal/signature": {},

	"internal/model":        {"internal/jsonenc", "internal/quantile"},
	"internal/cursor":       {"internal/model"},
	"internal/hours":        {"internal/model"},
	"internal/reception":    {"internal/fold", "internal/model"},
	"internal/distribution": {"internal/model"},
	"internal/slots":        {},
	"internal/totp":         {},
	"internal/mediainfo":    {},
	"internal/lookup":       {},
	"internal/buckets":      {},
	"internal/emoji":        {},
	"internal/voice":        {},

	"internal/password": {"internal/slots", "internal/model"},

	"internal/db": {"internal/model"},
	// The text index: it knows tables by the names that the store gives it, and no list.
	"internal/store/search": {"internal/fold", "internal/phone", "internal/db", "internal/model"},
	"internal/store":        {"internal/fold", "internal/phone", "internal/quantile", "internal/store/search", "internal/db", "internal/slots", "internal/model"},
	"internal/blob":         {"internal/model"},
	"internal/guard":        {"internal/model"},
	"internal/retry":        {"internal/blob", "internal/model"},
	"internal/vault":        {"internal/model"},
	"internal/whatsapp":     {"internal/phone", "internal/model"},

	// The machine for background work knows no noun but the id.
	"internal/jobs": {"internal/model"},

	// Real databases for tests. No package lists them, so nothing that ships can come to depend on them.
	"internal/store/storetest":      {"internal/store", "internal/testkit"},
	"internal/desk/desktest":        {"internal/desk", "internal/model"},
	"internal/testkit":              {},
	"internal/testkit/withpostgres": {"internal/testkit"},

	// The simulator stands in for the provider: it knows the wire format and nothing of the desk.
	"internal/whatsapp/simulator": {"internal/whatsapp", "internal/model"},

	// What makes a verb idempotent, and what seals secrets again: both know the tables that they need and no verb.
	"internal/once":      {"internal/store", "internal/model"},
	"internal/secretkey": {"internal/signature", "internal/store", "internal/vault", "internal/model"},

	// Whole installations: backup, restore and the move to the other engine.
	"internal/transfer": {"internal/db", "internal/store", "internal/blob", "internal/secretkey", "internal/vault", "internal/model"},

	// The verbs. Nothing above them reaches past them to the store.
	"internal/desk": {"internal/jsonenc", "internal/cursor", "internal/hours", "internal/reception", "internal/distribution", "internal/filetype", "internal/fold", "internal/phone", "internal/quantile", "internal/signature", "internal/rank", "internal/lookup", "internal/retry", "internal/once", "internal/secretkey", "internal/store", "internal/blob", "internal/guard", "internal/vault", "internal/password", "internal/totp", "internal/mediainfo", "internal/emoji", "internal/voice", "internal/slots", "internal/model"},

	// The demo is made through the verbs, like everything else.
	"internal/demo": {"internal/desk", "internal/model"},

	// HTTP without the desk: connections and answers, the reading of requests, the site that browsers see, the document.
	"internal/wire":    {},
	"internal/input":   {"internal/model"},
	"internal/site":    {"internal/model"},
	"internal/openapi": {},
	"internal/guides":  {"internal/openapi"},

	"internal/live": {"internal/desk", "internal/model"},
	"internal/api":  {"internal/wire", "internal/input", "internal/site", "internal/openapi", "internal/buckets", "internal/desk", "internal/once", "internal/live", "internal/whatsapp", "internal/slots", "internal/model"},
	// Tools for assistants: each call becomes a request to the API.
	"internal/mcp": {"internal/api", "internal/desk", "internal/input", "internal/openapi", "internal/model"},
	// The browser app's files and nothing else; what the app does goes through the API.
	"internal/web": {},

	"internal/work": {"internal/phone", "internal/desk", "internal/jobs", "internal/model", "internal/guard", "internal/whatsapp"},
}

// free are the beginnings of the paths that may import every package.
var free = []string{"cmd/", "bench", "test/", "internal/server"}

func TestTheHouse(t *testing.T) {
	files := sources(t)

	t.Run("imports run downwards", func(t *testing.T) {
		for _, file := range files {
			if file.test {
				continue
			}
			for _, imported := range file.imports {
				if ours, ok := strings.CutPrefix(imported, "recado/"); ok && !mayImport(file.pkg, ours) {
					t.Errorf("%s imports %s, which the list of packages in this file does not allow", file.path, ours)
				}
			}
		}
	})

	t.Run("every package is listed", func(t *testing.T) {
		for pkg := range byPackage(files) {
			if _, known := packages[pkg]; !known && !isFree(pkg) && strings.HasPrefix(pkg, "internal/") {
				t.Errorf("%s is not in the list of packages", pkg)
			}
		}
	})

	t.Run("docs/architecture.md names every package", func(t *testing.T) {
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", "architecture.md"))
		if err != nil {
			t.Fatal(err)
		}
		for pkg := range packages {
			name := strings.TrimPrefix(pkg, "internal/")
			if !strings.HasPrefix(name, "testkit/") && !strings.HasSuffix(name, "storetest") && !strings.HasSuffix(name, "desktest") && !bytes.Contains(text, []byte(name)) {
				t.Errorf("docs/architecture.md does not mention %s", name)
			}
		}
	})

	t.Run("no package imports database/sql", func(t *testing.T) {
		for _, file := range files {
			if slices.Contains(file.imports, "database/sql") {
				t.Errorf("%s imports database/sql; the store has a transaction type of its own", file.path)
			}
		}
	})

	t.Run("every package says in a sentence what it is", func(t *testing.T) {
		for pkg, members := range byPackage(files) {
			if !slices.ContainsFunc(members, func(file source) bool { return file.doc != "" }) {
				t.Errorf("%s has no package comment", pkg)
			}
		}
	})

	t.Run("the list has no cycle", func(t *testing.T) {
		var visit func(pkg string, above []string)
		visit = func(pkg string, above []string) {
			if slices.Contains(above, pkg) {
				t.Fatalf("cycle: %s", strings.Join(append(above, pkg), " -> "))
			}
			for _, below := range packages[pkg] {
				visit(below, append(slices.Clone(above), pkg))
			}
		}
		for _, pkg := range slices.Sorted(maps.Keys(packages)) {
			visit(pkg, nil)
		}
	})
}

func mayImport(from, to string) bool {
	return isFree(from) || slices.Contains(packages[from], to)
}

func isFree(pkg string) bool {
	return slices.ContainsFunc(free, func(prefix string) bool { return strings.HasPrefix(pkg, prefix) })
}

type source struct {
	path    string
	pkg     string
	test    bool
	doc     string
	imports []string
}

func byPackage(files []source) map[string][]source {
	grouped := map[string][]source{}
	for _, file := range files {
		grouped[file.pkg] = append(grouped[file.pkg], file)
	}
	return grouped
}

// sources reads every Go file of the module, whatever its build constraints. It parses them here rather
// than asking the go command, because only what this process opens itself invalidates a cached result.
func sources(t *testing.T) []source {
	t.Helper()
	root := filepath.Join("..", "..")
	var files []source
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != root && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata" || entry.Name() == "data" || entry.Name() == "bin" || entry.Name() == "node_modules"):
			return filepath.SkipDir
		case entry.IsDir() || filepath.Ext(name) != ".go":
			return nil
		}
		relative, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		file, err := read(name, filepath.ToSlash(relative))
		if err != nil {
			return err
		}
		files = append(files, file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 2 {
		t.Fatalf("found only %d files under %s: this test is in the wrong folder", len(files), root)
	}
	return files
}

func read(name, relative string) (source, error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return source{}, err
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), name, content, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return source{}, err
	}
	file := source{
		path: relative,
		pkg:  path.Dir(relative),
		test: strings.HasSuffix(relative, "_test.go"),
		doc:  parsed.Doc.Text(),
	}
	for _, spec := range parsed.Imports {
		file.imports = append(file.imports, unquote(spec))
	}
	return file, nil
}

func unquote(spec *ast.ImportSpec) string {
	text, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value
	}
	return text
}
