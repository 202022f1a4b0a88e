package servertest

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// answersVariable names the folder for the JSON responses of tests, so that another program can compare them with the
// OpenAPI document of their server. Each process stores both: answers-N.jsonl and answers-N.json. See `make api-answers`.
const answersVariable = "RECADO_TEST_ANSWERS"

// recorder writes the first response of each shape to a file of this process.
type recorder struct {
	mu   sync.Mutex
	file *os.File
	seen map[string]bool
}

// newRecorder returns nil if there is no folder.
func newRecorder(t testing.TB, document string) *recorder {
	t.Helper()
	folder := os.Getenv(answersVariable)
	if folder == "" {
		return nil
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	file, err := os.CreateTemp(folder, "answers-*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	// The server of this process may have capabilities that others lack.
	if err := os.WriteFile(strings.TrimSuffix(file.Name(), "l"), []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	return &recorder{file: file, seen: map[string]bool{}}
}

// answer is a response, a line of the file.
type answer struct {
	Method string          `json:"method"`
	Path   string          `json:"path"` // path of the operation in the document
	Status string          `json:"status"`
	Type   string          `json:"type"`
	Body   json.RawMessage `json:"body"`
}

// record writes a response whose decoded body is value.
func (r *recorder) record(a answer, value any) error {
	if r == nil {
		return nil
	}
	var key strings.Builder
	fmt.Fprintf(&key, "%s %s %s %s ", a.Method, a.Path, a.Status, a.Type)
	appendShape(&key, value)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen[key.String()] {
		return nil
	}
	r.seen[key.String()] = true
	line, err := json.Marshal(a)
	if err == nil {
		_, err = r.file.Write(append(line, '\n'))
	}
	return err
}

// word matches values of enumerations.
var word = regexp.MustCompile(`^[a-z][a-z_.:]{0,30}$`)

// appendShape writes the names and types of a value, including the properties of numbers and words that a schema may
// restrict. A list has the distinct shapes of its entries.
func appendShape(b *strings.Builder, value any) {
	switch value := value.(type) {
	case map[string]any:
		b.WriteByte('{')
		for _, name := range slices.Sorted(maps.Keys(value)) {
			b.WriteString(name + ":")
			appendShape(b, value[name])
		}
		b.WriteByte('}')
	case []any:
		shapes := map[string]bool{}
		for _, entry := range value {
			var shape strings.Builder
			appendShape(&shape, entry)
			shapes[shape.String()] = true
		}
		b.WriteString("[" + strings.Join(slices.Sorted(maps.Keys(shapes)), "") + "]")
	case json.Number:
		fmt.Fprintf(b, "%t%t,", strings.HasPrefix(value.String(), "-"), strings.ContainsAny(value.String(), ".eE"))
	case string:
		if word.MatchString(value) {
			b.WriteString(value)
		}
		b.WriteByte('"')
	default:
		fmt.Fprintf(b, "%T,", value)
	}
}
