// Package house tests rules that the compiler does not check, such as which package may import which, and that every
// package has a comment. It only reads source files.
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

// packages lists each package under internal with the packages of this module that it may import. Tests may import more.
// cmd and server wire everything together, and bench and test use everything, so they may import any package.
var packages = map[string][]string{
	// Libraries with a single purpose.
	"internal/fold":     {},
	"internal/media":    {},
	"internal/phone":    {},
	"internal/limits":   {},
	"internal/quantile": {},
	"internal/rank":     {},

	// The kernel and its parts.
	"internal/kernel/base": {},
	"internal/kernel/db":   {"internal/kernel/base"},
	"internal/vault":       {"internal/kernel/base"},
	"internal/kernel":      {"internal/kernel/base", "internal/kernel/db", "internal/limits", "internal/vault"},

	// Tools for the capabilities, without nouns.
	"internal/blob":       {"internal/kernel"},
	"internal/guard":      {"internal/kernel"},
	"internal/httpserver": {"internal/kernel", "internal/limits"},
	"internal/jobs":       {"internal/kernel"},
	"internal/search":     {"internal/fold", "internal/kernel", "internal/kernel/db", "internal/phone"},

	// The capabilities: people, then channels, then talk, then those that observe it.
	"internal/people":             capability("internal/limits"),
	"internal/channels/provider":  {"internal/kernel"},
	"internal/channels/whatsapp":  {"internal/channels/provider", "internal/kernel", "internal/phone"},
	"internal/channels/linked":    {"internal/blob", "internal/channels", "internal/channels/provider", "internal/channels/whatsapp", "internal/kernel", "internal/kernel/db", "internal/media", "internal/phone"},
	"internal/channels/simulator": {}, // it replaces the provider, so it knows only the wire format
	"internal/channels":           capability("internal/channels/provider", "internal/channels/whatsapp", "internal/people", "internal/phone"),
	"internal/fields":             capability("internal/people", "internal/phone"),
	"internal/tasks":              capability("internal/blob", "internal/people"),
	"internal/talk":               capability("internal/blob", "internal/channels", "internal/channels/provider", "internal/fields", "internal/media", "internal/people", "internal/phone", "internal/search", "internal/limits"),
	"internal/imports":            capability("internal/blob", "internal/channels", "internal/channels/provider", "internal/fields", "internal/media", "internal/people", "internal/phone", "internal/talk", "internal/tasks"),
	"internal/reception":          capability("internal/channels", "internal/channels/provider", "internal/people", "internal/talk"),
	"internal/reasons":            capability("internal/people", "internal/talk"),
	"internal/survey":             capability("internal/channels", "internal/channels/provider", "internal/people", "internal/talk"),
	"internal/push":               capability("internal/channels/provider", "internal/guard", "internal/limits", "internal/people", "internal/talk"),
	"internal/sla":                capability("internal/channels", "internal/people", "internal/reception", "internal/talk"),
	"internal/boards":             capability("internal/channels", "internal/fields", "internal/people", "internal/rank", "internal/search", "internal/talk"),
	"internal/privacy":            capability("internal/channels", "internal/channels/provider", "internal/fields", "internal/people", "internal/phone", "internal/talk", "internal/tasks", "internal/vault"),
	"internal/reports":            capability("internal/channels", "internal/fields", "internal/people", "internal/quantile", "internal/talk"),
	"internal/costs":              capability("internal/people", "internal/phone", "internal/reports", "internal/talk"),
	// Who may see an event depends on its conversation or card.
	"internal/webhooks": capability("internal/boards", "internal/guard", "internal/people", "internal/limits", "internal/talk"),

	"internal/live": {"internal/httpserver", "internal/kernel", "internal/limits", "internal/people", "internal/webhooks"},

	"internal/chatwoot": {
		"internal/channels", "internal/channels/provider", "internal/fields", "internal/fold", "internal/kernel", "internal/people", "internal/phone", "internal/talk",
	},

	// Administration of a whole installation. The demo is created by calling verbs.
	"internal/admin": {
		"internal/blob", "internal/boards", "internal/channels", "internal/channels/provider", "internal/costs", "internal/fields", "internal/kernel", "internal/kernel/db",
		"internal/people", "internal/reasons", "internal/reception", "internal/server", "internal/talk", "internal/vault",
	},
}

// capability returns the imports allowed to every capability, and more.
func capability(more ...string) []string {
	return append(more, "internal/fold", "internal/httpserver", "internal/jobs", "internal/kernel", "internal/kernel/db")
}

// free lists the folders whose packages may import any package.
var free = []string{"cmd", "bench", "test", "internal/server"}

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
				t.Errorf("%s is missing from the list of packages in this file", pkg)
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
			if !strings.HasPrefix(name, "testkit/") && !bytes.Contains(text, []byte(name)) {
				t.Errorf("docs/architecture.md does not mention %s", name)
			}
		}
	})

	t.Run("no package imports database/sql", func(t *testing.T) {
		for _, file := range files {
			if slices.Contains(file.imports, "database/sql") {
				t.Errorf("%s imports database/sql, want internal/kernel/db", file.path)
			}
		}
	})

	t.Run("every package has a package comment", func(t *testing.T) {
		for pkg, members := range byPackage(files) {
			if !slices.ContainsFunc(members, func(file source) bool { return file.doc != "" }) {
				t.Errorf("%s has no package comment", pkg)
			}
		}
	})

	t.Run("the list of packages has no cycle", func(t *testing.T) {
		var visit func(pkg string, above []string)
		visit = func(pkg string, above []string) {
			if slices.Contains(above, pkg) {
				t.Fatalf("got the cycle %s", strings.Join(append(above, pkg), " -> "))
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
	return slices.ContainsFunc(free, func(above string) bool { return pkg == above || strings.HasPrefix(pkg, above+"/") })
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

// sources returns every Go file of the module, regardless of build constraints. It reads the files itself instead of
// running go list, because only files that the test process opens invalidate cached test results.
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
		t.Fatalf("got %d files under %s, want more: this test reads the wrong folder", len(files), root)
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
