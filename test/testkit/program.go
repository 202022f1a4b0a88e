package testkit

import (
	"os"
	"syscall"
	"testing"
)

// Program writes an executable file. No process is started meanwhile: a child that inherits the open file would make
// execution fail with "text file busy".
func Program(t testing.TB, path string, content []byte) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, content, 0o755); err != nil {
		t.Fatal(err)
	}
}
