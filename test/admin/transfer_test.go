package admin

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"recado/test/binary"
	"recado/test/testkit"
)

func TestAKilledMoveResumesWithTheSameCommand(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	p := binary.Serve(t, dir)
	p.Stop()
	url := testkit.Database(t, "")
	args := []string{"move", "--data", dir, "--to", url}
	for _, lines := range []int{1, 12} {
		killed := exec.CommandContext(t.Context(), p.Path, args...)
		out, err := killed.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := killed.Start(); err != nil {
			t.Fatal(err)
		}
		for text := bufio.NewScanner(out); lines > 0 && text.Scan(); lines-- {
		}
		_ = killed.Process.Kill()
		if killed.Wait() == nil {
			t.Fatal("the move ended before it was killed")
		}
	}
	out, err := exec.CommandContext(t.Context(), p.Path, args...).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "were moved and verified") {
		t.Fatalf("resuming the move: %v %s", err, out)
	}
	moved := binary.New(t, dir, "--database-url", url)
	moved.Start()
	moved.Stop()
}
