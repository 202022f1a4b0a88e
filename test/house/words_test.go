package house

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// banned are words that had several meanings here, or none that a reader knows, with the word to use instead.
var banned = map[string]string{
	"crew": "load", "clerk": "worker", "clerks": "workers", "hire": "add a member", "hired": "added",
	"office": "fixture", "offices": "fixtures", "town": "fixture", "bend": "mutate",
	"door": "API, listener", "doors": "APIs, listeners",
	"intake": "inbound batch", "introduce": "resolve people", "spelled": "normalized",
	"lane": "lease, worker", "lanes": "leases, workers",
	"bell": "signal", "bells": "signals",
	"hearing": "callback activity", "habits": "callback stats",
	"troubled": "backing off", "landed": "finished",
	"glance": "first pass", "wordly": "isWordRune",
	"whoever": "the caller, the node, the transaction", "whomever": "the person, the caller",
	"nobody": "no member, no caller, without a responsible person", "somebody": "a person, another caller",
	"everybody": "all members, every caller", "anybody": "every member, any caller",
}

// allowed are the places where a banned word cannot be avoided: each entry is a path or the beginning of one.
var allowed = map[string][]string{
	// The name of a released SQL table and of a released metric.
	"lanes": {
		"internal/store/lease.go", "internal/store/send.go", "internal/store/delivery.go", "docs/scaling.md", "docs/operating.md",
		"internal/work/deliver_metrics.go", "internal/work/retain_test.go",
	},
	// The name of a product: file formats of Microsoft Office.
	"office": {"internal/filetype/"},
	// The name of a user account of Unix.
	"nobody": {"internal/testkit/cluster.go"},
}

// phrases are groups of words that were riddles or metaphors here, with what to write instead. Case does not matter.
var phrases = map[string]string{
	"told by the bytes": "detected from the bytes",
	"shown this once":   "only in this answer",
	"so many-th":        "with the given number",
	"lives on for":      "stays valid for",
	"on our side":       "the server",
	"messages flow":     "it sends and receives messages",
}

func TestNoBannedWords(t *testing.T) {
	needed := map[string]bool{} // the entries of allowed that were met
	for _, name := range textFiles(t) {
		if strings.HasPrefix(name, "test/house/") {
			continue
		}
		raw, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		number := 0
		for line := range strings.Lines(string(raw)) {
			number++
			for _, word := range words(line) {
				instead, found := banned[word]
				if !found {
					continue
				}
				if entry, ok := allowedBy(word, name); ok {
					needed[word+" "+entry] = true
				} else {
					t.Errorf("%s:%d: %q is banned, write: %s", name, number, word, instead)
				}
			}
			lower := strings.ToLower(line)
			for phrase, instead := range phrases {
				if strings.Contains(lower, phrase) {
					t.Errorf("%s:%d: %q is banned, write: %s", name, number, phrase, instead)
				}
			}
		}
	}
	for word, entries := range allowed {
		for _, entry := range entries {
			if !needed[word+" "+entry] {
				t.Errorf("%q is not used in %s any more: remove the exception", word, entry)
			}
		}
	}
}

// allowedBy gives the entry that allows a word in a file.
func allowedBy(word, name string) (entry string, ok bool) {
	i := slices.IndexFunc(allowed[word], func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	if i < 0 {
		return "", false
	}
	return allowed[word][i], true
}

// words splits a line into words in lower case; an identifier counts as the words that it is made of.
func words(line string) (all []string) {
	from, runes := 0, []rune(line)
	cut := func(to int) {
		if to > from {
			all = append(all, strings.ToLower(string(runes[from:to])))
		}
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r):
			cut(i)
			from = i + 1
		case unicode.IsUpper(r) && i > from && unicode.IsLower(runes[i-1]):
			cut(i)
			from = i
		}
	}
	cut(len(runes))
	return all
}

func TestWordsOfALine(t *testing.T) {
	got := words("// newHTTPDoor opens the back-door, doorstep.")
	want := []string{"new", "httpdoor", "opens", "the", "back", "door", "doorstep"}
	if !slices.Equal(got, want) {
		t.Errorf("words: got %q, want %q", got, want)
	}
}

// textFiles lists the Go sources and documents that people read.
func textFiles(t *testing.T) (names []string) {
	t.Helper()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != root && (strings.HasPrefix(entry.Name(), ".") || slices.Contains([]string{"testdata", "data", "bin", "web", "node_modules"}, entry.Name())) {
				return filepath.SkipDir
			}
			return nil
		}
		if extension := filepath.Ext(name); extension == ".go" || extension == ".md" {
			relative, err := filepath.Rel(root, name)
			names = append(names, filepath.ToSlash(relative))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
