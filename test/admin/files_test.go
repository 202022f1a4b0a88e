// Package admin tests the recado command as administrators use it: as a separate process, with files on a real disk.
package admin

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"recado/test/binary"
	"recado/test/load"
	"recado/test/testkit"
)

func TestMain(m *testing.M) { binary.Main(m) }

// withUmask returns a command that runs Recado with a umask.
func withUmask(t *testing.T, umask string) string {
	t.Helper()
	script := filepath.Join(t.TempDir(), "recado")
	text := fmt.Sprintf("#!/bin/sh\numask %s\nexec %s \"$@\"\n", umask, binary.Path(t))
	testkit.Program(t, script, []byte(text))
	return script
}

func TestFilesAreReadableByTheirOwnerOnlyWhateverTheUmask(t *testing.T) {
	t.Parallel()
	for _, umask := range []string{"000", "022", "177"} {
		t.Run("umask "+umask, func(t *testing.T) {
			t.Parallel()
			parent := t.TempDir()
			dir := filepath.Join(parent, "data")
			p := binary.New(t, dir, "--demo")
			p.Path = withUmask(t, umask)
			p.Start()
			upload(t, p)
			backup := filepath.Join(parent, "copy.tar")
			command(t, p.Path, "backup", "--data", dir, backup)
			command(t, p.Path, "restore", "--data", filepath.Join(parent, "restored"), backup)
			checkModes(t, parent, parent)
			p.Stop()
			if strings.Contains(p.Log(), "chmod") {
				t.Errorf("the log warns about a folder that is private: %s", p.Log())
			}
		})
	}
	t.Run("in an existing folder that others can open, with a warning", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		p := binary.New(t, dir, "--demo")
		p.Path = withUmask(t, "000")
		p.Start()
		upload(t, p)
		checkModes(t, dir, dir)
		p.Stop()
		if !strings.Contains(p.Log(), `"mode":"0755"`) {
			t.Errorf("the log has no warning about a folder that others can open: %s", p.Log())
		}
	})
	t.Run("the mode of a database that an older version left readable is corrected", func(t *testing.T) {
		dir := t.TempDir()
		p := binary.Serve(t, dir)
		p.Kill() // leaves the write-ahead log behind
		for _, name := range []string{"recado.db", "recado.db-wal", "recado.db-shm"} {
			if err := os.Chmod(filepath.Join(dir, name), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		p.Start()
		checkModes(t, dir, dir)
	})
}

// checkModes checks that below a folder every file has mode 0600 and every folder 0700, with one exception.
func checkModes(t *testing.T, root, except string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == except {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return nil // removed meanwhile
		}
		want := fs.FileMode(0o600)
		if entry.IsDir() {
			want = 0o700
		} else {
			files++
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s: mode %04o, want %04o", path, got, want)
		}
		return nil
	})
	if err != nil || files < 5 {
		t.Errorf("found %d files: %v", files, err)
	}
}

func upload(t *testing.T, p *binary.Process) {
	t.Helper()
	form, kind := testkit.FileForm("note.txt", "hello")
	load.Must(t, load.Single(p.URL), load.NewRequest(p.Demo.Companies[0].APIKey, "POST", "/media", string(form), "Content-Type", kind))
}

func command(t *testing.T, path string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), path, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
}
