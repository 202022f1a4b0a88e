package blob_test

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"recado/internal/blob"
	"recado/internal/kernel"
)

func TestDisk(t *testing.T) {
	t.Run("old unfinished files are removed at the next start, recent ones stay", func(t *testing.T) {
		dir := t.TempDir()
		open := func() *blob.Disk {
			d, err := blob.NewDisk(dir)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { d.Close() })
			return d
		}
		open()
		old, young := filepath.Join(dir, "unfinished", "old"), filepath.Join(dir, "unfinished", "young")
		for _, name := range []string{old, young} {
			if err := os.WriteFile(name, []byte("half"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		yesterday := time.Now().Add(-24 * time.Hour)
		if err := os.Chtimes(old, yesterday, yesterday); err != nil {
			t.Fatal(err)
		}
		open()
		if _, err := os.Stat(old); !os.IsNotExist(err) {
			t.Errorf("still there: %v", err)
		}
		if _, err := os.Stat(young); err != nil {
			t.Error(err)
		}
	})

	t.Run("files survive a restart and are readable only by their owner", func(t *testing.T) {
		dir, id := filepath.Join(t.TempDir(), "deep", "media"), kernel.NewID()
		d, err := blob.NewDisk(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Put(t.Context(), id, strings.NewReader("x"), 10); err != nil {
			t.Fatal(err)
		}
		d.Close()
		if d, err = blob.NewDisk(dir); err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		f, _, err := d.Open(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		info, err := f.(*os.File).Stat()
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode: got %v, %v, want 0600", info.Mode(), err)
		}
	})

	t.Run("a link out of the folder is not followed", func(t *testing.T) {
		dir, outside, id := t.TempDir(), t.TempDir(), kernel.NewID()
		d, err := blob.NewDisk(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		name := id.String()
		if err := os.WriteFile(filepath.Join(outside, name), []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(outside, filepath.Join(dir, name[len(name)-2:])); err != nil {
			t.Fatal(err)
		}
		if _, _, err := d.Open(t.Context(), id); err == nil {
			t.Error("opened a file outside")
		}
		if _, err := d.Put(t.Context(), id, strings.NewReader("x"), 10); err == nil {
			t.Error("wrote a file outside")
		}
		if err := d.Delete(t.Context(), id); err == nil {
			t.Error("deleted a file outside")
		}
		if b, err := os.ReadFile(filepath.Join(outside, name)); err != nil || string(b) != "secret" {
			t.Errorf("file outside: got %q, %v, want secret", b, err)
		}
	})

	t.Run("a large file is stored with little memory", func(t *testing.T) {
		d, err := blob.NewDisk(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		const size = 32 << 20
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		info, err := d.Put(t.Context(), kernel.NewID(), io.LimitReader(endless{}, size), size)
		runtime.ReadMemStats(&after)
		if err != nil || info.Size != size {
			t.Errorf("size: got %d, %v, want %d", info.Size, err, size)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
			t.Errorf("%d bytes were allocated", used)
		}
	})
}
