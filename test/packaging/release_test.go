package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recado/internal/testkit"
)

// ofMake reports whether a variable of the environment comes from a make that runs the tests, and would change the one that a test runs.
func ofMake(pair string) bool {
	name, _, _ := strings.Cut(pair, "=")
	return slices.Contains([]string{"VERSION", "MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES"}, name)
}

func TestTheVersionOfAReleaseIsItsTag(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join("..", "..", "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "Makefile"), string(makefile))
	run := func(name string, args ...string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), name, args...)
		c.Dir = dir
		c.Env = append(slices.DeleteFunc(os.Environ(), ofMake), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v %s", name, args, err, out)
		}
		return string(out)
	}
	commit := func() {
		t.Helper()
		run("git", "-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "-q", "--allow-empty", "-m", "a change")
	}
	run("git", "init", "-q")
	run("git", "add", "Makefile")
	commit()
	hash := strings.TrimSpace(run("git", "rev-parse", "--short", "HEAD"))
	testkit.Contains(t, "without a tag", run("make", "-n", "release"), "-version '"+hash+"'")
	run("git", "tag", "v9.8.7")
	testkit.Contains(t, "of a tag", run("make", "-n", "release"), "-version 'v9.8.7'")
	commit()
	testkit.Contains(t, "after a tag", run("make", "-n", "release"), "-version 'v9.8.7-1-g")
	writeFile(t, filepath.Join(dir, "Makefile"), string(makefile)+"\n")
	testkit.Contains(t, "with a change that is not committed", run("make", "-n", "release"), "-dirty'")
	testkit.Contains(t, "of the build", run("make", "-n", "build", "VERSION=v9.8.7"), "-X main.version=v9.8.7'")
}
