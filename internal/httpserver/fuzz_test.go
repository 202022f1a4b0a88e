package httpserver

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzCheckJSON holds the strict reader against the standard one: whatever it accepts is one valid
// JSON value without NUL, and no deeper than allowed.
func FuzzCheckJSON(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"a":1}`, `{"a":1,"a":2}`, `null`, `[]`, `{"a":"\u0000"}`, `{"a":"\ud800"}`, "{\"a\":\"\xff\"}", `{}{}`, ` {} `, `{"a":[[[[]]]]}`,
		strings.Repeat("[", 40) + strings.Repeat("]", 40), `{"a":`, ``, `1e999`, `"x"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if checkJSON(data) != nil {
			return
		}
		if !json.Valid(data) || !utf8.Valid(data) {
			t.Fatalf("accepted %q", data)
		}
		var v any
		if err := json.Unmarshal(data, &v); err != nil && !strings.Contains(err.Error(), "cannot unmarshal number") {
			t.Fatalf("accepted %q: %v", data, err)
		}
		if depth, nul := shape(v, 1); depth > maxDepth+1 || nul {
			t.Fatalf("accepted %q: depth %d, NUL %v", data, depth, nul)
		}
	})
}

// shape gives how deep a value nests and whether any text in it holds NUL.
func shape(v any, depth int) (deepest int, nul bool) {
	deepest = depth
	visit := func(child any) {
		d, n := shape(child, depth+1)
		deepest, nul = max(deepest, d), nul || n
	}
	switch v := v.(type) {
	case string:
		return depth, strings.ContainsRune(v, 0)
	case []any:
		for _, child := range v {
			visit(child)
		}
	case map[string]any:
		for name, child := range v {
			nul = nul || strings.ContainsRune(name, 0)
			visit(child)
		}
	}
	return deepest, nul
}

// FuzzCheckQuery: what the strict check lets through, the standard parser reads whole and the same.
func FuzzCheckQuery(f *testing.F) {
	for _, seed := range []string{"limit=10", "limit=%zz", "limit=1;offset=2", "limit=+10", "limit=%2B10", "q=%00", "q=a&q=b", "x=1", "=", "&", "q=", "limit=", "q=a%20b&limit=5"} {
		f.Add(seed)
	}
	known := map[string]bool{"q": false, "limit": true, "offset": true}
	f.Fuzz(func(t *testing.T, raw string) {
		if checkQuery(raw, known, nil) != nil {
			return
		}
		values, err := url.ParseQuery(raw)
		if err != nil {
			t.Fatalf("accepted %q: %v", raw, err)
		}
		for name, given := range values {
			isNumber, ok := known[name]
			if !ok || len(given) != 1 || strings.ContainsRune(given[0], 0) || isNumber && strings.HasPrefix(given[0], "+") {
				t.Fatalf("accepted %q: %v", raw, values)
			}
		}
	})
}
