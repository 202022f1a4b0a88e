// Package docs tests the documents: the operations, error codes, commands, flags and links in them exist, and their shell
// commands and samples work.
package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"recado/test/binary"
	"recado/test/servertest"
)

func TestMain(m *testing.M) { binary.Main(m) }

// documents returns the text of each document by its path from the root.
func documents(t *testing.T) map[string]string {
	t.Helper()
	root := filepath.Join("..", "..")
	paths, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("got the documents %v, %v, want some", paths, err)
	}
	out := map[string]string{}
	for _, path := range append(paths, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md"), filepath.Join(root, "bench", "README.md")) {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name, _ := filepath.Rel(root, path)
		out[filepath.ToSlash(name)] = string(raw)
	}
	return out
}

var (
	operations = regexp.MustCompile("`((?:GET|POST|PUT|PATCH|DELETE)(?:\\|(?:GET|POST|PUT|PATCH|DELETE))*) (/[^` ?]*)")
	variables  = regexp.MustCompile(`\{[^}]*\}|<[^>]*>`)
)

func TestTheOperationsInTheDocumentsExist(t *testing.T) {
	w := servertest.Start(t, "")
	known := map[string]bool{"GET /healthz": true, "GET /readyz": true, "GET /metrics": true, "GET /docs/": true}
	for _, r := range w.API.Routes() {
		known[r.Method+" "+variables.ReplaceAllString(r.Path, "{}")] = true
	}
	for name, text := range documents(t) {
		for _, m := range operations.FindAllStringSubmatch(text, -1) {
			path := variables.ReplaceAllString(strings.TrimPrefix(m[2], "/v1"), "{}")
			for method := range strings.SplitSeq(m[1], "|") {
				if !known[method+" "+path] && !strings.Contains(path, "…") && !strings.Contains(path, "...") {
					t.Errorf("%s names %s %s, which does not exist", name, method, m[2])
				}
			}
		}
	}
}

var errorRow = regexp.MustCompile("(?m)^\\| ?(?:4|5)[0-9]{2}[^|]*\\| ((?:`[a-z_]+`(?:, )?)+)")

func TestTheErrorCodesInTheDocumentsAreInTheOpenAPIDocument(t *testing.T) {
	w := servertest.Start(t, "")
	document := string(w.A.Get(t, "/openapi.json").OK(200).Raw)
	codes := regexp.MustCompile("`([a-z]+(?:_[a-z]+)*)`")
	for name, text := range documents(t) {
		for _, row := range errorRow.FindAllStringSubmatch(text, -1) {
			for _, code := range codes.FindAllStringSubmatch(row[1], -1) {
				if !strings.Contains(document, code[0]) && code[1] != "method_not_allowed" { // not the code of any operation
					t.Errorf("%s names the error code %s, which no operation documents", name, code[1])
				}
			}
		}
	}
}

var commandLine = regexp.MustCompile("(?m)^(?:sudo )?(?:[A-Z_]+=\\S+ )*(?:bin/)?recado ([a-z][a-z-]*(?: [a-z][a-z-]*)?)([^\n]*)$")

func TestTheCommandsAndFlagsInTheDocumentsExist(t *testing.T) {
	program := binary.Path(t)
	help := map[string]string{}
	helpOf := func(command string) string {
		if _, ok := help[command]; !ok {
			out, err := exec.Command(program, append(strings.Fields(command), "--help")...).CombinedOutput()
			if err != nil {
				out = nil
			}
			help[command] = string(out)
		}
		return help[command]
	}
	flags := regexp.MustCompile(`--[a-z][a-z0-9-]*`)
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```")
	found := 0
	for name, text := range documents(t) {
		for _, block := range blocks.FindAllStringSubmatch(text, -1) {
			script := strings.ReplaceAll(block[1], "\\\n", " ")
			for _, m := range commandLine.FindAllStringSubmatch(script, -1) {
				found++
				command, rest := m[1], m[2]
				if words := strings.Fields(command); len(words) == 2 && helpOf(command) == "" {
					command, rest = words[0], " "+words[1]+rest
				}
				if !strings.Contains(helpOf(command), "Usage: recado "+command) {
					t.Errorf("%s names the command recado %s, which does not exist", name, command)
					continue
				}
				for _, flag := range flags.FindAllString(rest, -1) {
					if !strings.Contains(helpOf(command), flag) {
						t.Errorf("%s calls recado %s with %s, which is not one of its flags", name, command, flag)
					}
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("got %d commands in the documents, want at least 10", found)
	}
}

var links = regexp.MustCompile(`\]\(([^)#: ]+)(?:#([^)]*))?\)`)

func TestTheLinksInTheDocumentsWork(t *testing.T) {
	all := documents(t)
	for name, text := range all {
		for _, m := range links.FindAllStringSubmatch(text, -1) {
			path := filepath.Join(filepath.Dir(name), m[1])
			if _, err := os.Stat(filepath.Join("..", "..", path)); err != nil {
				t.Errorf("%s links to %s, which does not exist", name, m[1])
				continue
			}
			if m[2] != "" && !slices.Contains(anchors(all[path]), m[2]) {
				t.Errorf("%s links to %s#%s, which is not a heading", name, m[1], m[2])
			}
		}
	}
}

// anchors returns the anchors of a document's headings.
func anchors(text string) (out []string) {
	drop := regexp.MustCompile(`[^a-z0-9 _-]`)
	for line := range strings.Lines(text) {
		if title, ok := strings.CutPrefix(line, "#"); ok {
			title = drop.ReplaceAllString(strings.ToLower(strings.TrimSpace(strings.TrimLeft(title, "#"))), "")
			out = append(out, strings.ReplaceAll(title, " ", "-"))
		}
	}
	return out
}
