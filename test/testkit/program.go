package testkit

import (
	"os"
	"syscall"
	"testing"
)

// Program writes a file that can be run. No process is begun meanwhile: one that another goroutine begins would have the
// file open for writing for a moment, and running it would fail with "text file busy".
func Program(t testing.TB, path string, content []byte) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, content, 0o755); err != nil {
		t.Fatal(err)
	}
}
