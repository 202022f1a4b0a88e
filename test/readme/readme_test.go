// Package readme runs the examples for newcomers in a shell: the tour in docs/api.md and the example in docs/assistants.md.
package readme

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"recado/test/binary"
)

func TestMain(m *testing.M) { binary.Main(m) }

func TestTheTourWorksWhenPasted(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("..", "..", "docs", "api.md"))
	if err != nil {
		t.Fatal(err)
	}
	before, after, found := strings.Cut(string(raw), "## A five-minute tour")
	if !found {
		t.Fatal("docs/api.md has no tour")
	}
	tour := firstBlock(before) + firstBlock(after)

	dir := t.TempDir()
	binary.Serve(t, filepath.Join(dir, "data"))
	shell := exec.Command("bash", "-e", "-u", "-o", "pipefail", "-c", tour)
	shell.Dir = dir
	out, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, `"request_id"`) || strings.HasPrefix(line, "<") {
			t.Errorf("got an error response in the tour: %s", line)
		}
	}
	for _, want := range []string{`"protocol":"ATD-`, `"status":"sent"`, `"close_reason":"answered"`, `"title":"Call Lia back"`, `"type":"kanban.card.created"`, `"by_day":`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the output of the tour does not contain %s:\n%s", want, out)
		}
	}
}

// firstBlock returns the first block of shell commands in a text.
func firstBlock(text string) string {
	_, block, _ := strings.Cut(text, "```sh\n")
	block, _, _ = strings.Cut(block, "```")
	return block
}

func TestTheExampleForAssistantsWorksWhenPasted(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("..", "..", "docs", "assistants.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(raw), "```sh\n")
	example, _, found := strings.Cut(example, "```")
	if !found {
		t.Fatal("docs/assistants.md has no example")
	}
	dir := t.TempDir()
	binary.Serve(t, filepath.Join(dir, "data"))
	shell := exec.Command("bash", "-e", "-u", "-o", "pipefail", "-c", example)
	shell.Dir = dir
	shell.Env = append(os.Environ(), "PATH="+filepath.Dir(binary.Path(t))+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{`"name":"send_message"`, `"destructiveHint":true`, `Vocês abrem hoje?`, `"updated_at"`, `"status":"`, `"code":"insufficient_scope"`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the output of the example does not contain %s:\n%s", want, out)
		}
	}
	if n := strings.Count(string(out), `"isError":true`); n != 1 {
		t.Errorf("got %d refused calls, want only the last:\n%s", n, out)
	}
}
