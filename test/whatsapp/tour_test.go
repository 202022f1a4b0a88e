package whatsapp_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"recado/internal/channels/simulator"
	"recado/test/binary"
)

func TestTheTourOfTheGuideWorksWhenPasted(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join("..", "..", "docs", "whatsapp.md"))
	must(t, err)
	_, tour, found := strings.Cut(string(raw), "In a third one")
	if !found {
		t.Fatal("docs/whatsapp.md has no tour")
	}
	_, tour, _ = strings.Cut(tour, "```sh\n")
	tour, _, _ = strings.Cut(tour, "```")
	_, graph := startSimulator(t, simulator.Options{Window: "sync", Ladder: simulator.Ladder{Mode: "read"}})

	dir := t.TempDir()
	binary.Serve(t, filepath.Join(dir, "data"), "--whatsapp-base-url", graph)
	tour = strings.NewReplacer("http://127.0.0.1:8090", graph, "sleep 1\n", "sleep 5\n").Replace(tour) // the machine may be busy
	shell := exec.Command("bash", "-e", "-u", "-o", "pipefail", "-c", tour)
	shell.Dir = dir
	out, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{`"provider":"whatsapp"`, `"wa_id":"5511955550001"`, `"status":"read"`, `"ok":false`, `"token_rejected"`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the output of the tour does not contain %s:\n%s", want, out)
		}
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if last := lines[len(lines)-1]; !strings.Contains(last, "Quer reservar?") || !strings.Contains(last, `"status":"read"`) || strings.Contains(string(out), `"request_id"`) {
		t.Errorf("got this output, want no errors and a last line with the reply, read:\n%s", out)
	}
}
