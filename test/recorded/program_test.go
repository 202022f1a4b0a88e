package recorded

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// section is a titled part of requests.txt.
type section struct {
	title    string
	newer    bool
	requests []request
}

// request is one line of requests.txt.
type request struct {
	line                       int
	text                       string // the line without directives for the recorder
	caller, method, path, body string
	until, name                string
	headers                    [][2]string
}

// lines matches the parts of a request line.
var (
	lines   = regexp.MustCompile(`^(?:([a-z][a-z0-9.-]*): )?([A-Z]+) (\S+)((?: \([A-Za-z-]+: [^)]*\))*)(.*)$`)
	headers = regexp.MustCompile(`\(([A-Za-z-]+): ([^)]*)\)`)
	naming  = regexp.MustCompile(` => ([a-z][a-z0-9.-]*)$`)
	waiting = regexp.MustCompile(` until ([a-z0-9_.]+=\S+)$`)
)

// program reads requests.txt.
func program(t *testing.T) (out []*section) {
	t.Helper()
	raw, err := os.ReadFile("testdata/requests.txt")
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(raw), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if title, ok := strings.CutPrefix(line, "== "); ok {
			title, newer := strings.CutSuffix(title, " (newer)")
			out = append(out, &section{title: title, newer: newer})
			continue
		}
		q, err := parse(line)
		if err != nil || len(out) == 0 {
			t.Fatalf("requests.txt, line %d: %v: %s", i+1, err, line)
		}
		q.line = i + 1
		s := out[len(out)-1]
		s.requests = append(s.requests, q)
	}
	return out
}

func parse(line string) (q request, err error) {
	if m := naming.FindStringSubmatch(line); m != nil {
		q.name, line = m[1], strings.TrimSuffix(line, m[0])
	}
	if m := waiting.FindStringSubmatch(line); m != nil {
		q.until, line = m[1], strings.TrimSuffix(line, m[0])
	}
	m := lines.FindStringSubmatch(line)
	if m == nil {
		return q, fmt.Errorf("not a request")
	}
	q.text, q.caller, q.method, q.path, q.body = line, m[1], m[2], m[3], strings.TrimSpace(m[5])
	for _, h := range headers.FindAllStringSubmatch(m[4], -1) {
		q.headers = append(q.headers, [2]string{h[1], h[2]})
	}
	return q, nil
}
