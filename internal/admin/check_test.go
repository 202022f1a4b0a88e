package admin_test

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recado/internal/admin"
	"recado/internal/server"
	"recado/test/testkit"
)

// overwrite writes into pages of the database file, from the third on.
func overwrite(t *testing.T, dir string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, "recado.db"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	noise := bytes.Repeat([]byte{0xa5}, 2048)
	for at := int64(8 * 4096); err == nil && at < info.Size()-4096; at += 5 * 4096 {
		_, err = f.WriteAt(noise, at)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestABackupOfADamagedDatabaseFailsAndKeepsTheLastGoodFile(t *testing.T) {
	t.Parallel()
	i := install(t)
	folder := t.TempDir()
	o := admin.BackupOptions{Dir: i.dir, File: filepath.Join(folder, "recado.tar"), Replace: true}
	for range 2 { // the second replaces the first
		if _, err := admin.Backup(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	good, err := os.ReadFile(o.File)
	if err != nil {
		t.Fatal(err)
	}
	overwrite(t, i.dir)
	if _, err := admin.Backup(t.Context(), o); err == nil || !strings.Contains(err.Error(), "recado.db is damaged") || !strings.Contains(err.Error(), "restore") {
		t.Errorf("got %v, want an error that says that the database is damaged", err)
	}
	if _, err := admin.Backup(t.Context(), admin.BackupOptions{Dir: i.dir, File: filepath.Join(folder, "other.tar")}); err == nil {
		t.Error("a backup of a damaged database was written under another name")
	}
	kept, err := os.ReadFile(o.File)
	if err != nil || !bytes.Equal(kept, good) {
		t.Errorf("the last good file changed: %v", err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v; want the last good file alone", entries, err)
	}
	if _, err := admin.Check(t.Context(), o.File); err != nil {
		t.Errorf("the last good file: %v", err)
	}
}

func TestCheckReadsAnArchiveAsARestoreWould(t *testing.T) {
	t.Parallel()
	i := install(t)
	folder := t.TempDir()
	file := filepath.Join(folder, "recado.tar")
	serving(t, config(i.dir, ""), func(*server.Server) {
		if _, err := admin.Backup(t.Context(), admin.BackupOptions{Dir: i.dir, File: file}); err != nil {
			t.Fatal(err)
		}
	})
	info, err := admin.Check(t.Context(), file)
	if err != nil || info.Media < 2 || !info.SecretKey {
		t.Fatalf("got %+v, %v", info, err)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	damaged := t.TempDir()
	if err := os.CopyFS(damaged, os.DirFS(i.dir)); err != nil {
		t.Fatal(err)
	}
	overwrite(t, damaged)
	pages, err := os.ReadFile(filepath.Join(damaged, "recado.db"))
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(whole)
	flipped[100_000] ^= 1
	for name, c := range map[string]struct {
		content []byte
		says    string
	}{
		"a byte is changed":       {flipped, "SHA-256"},
		"it is cut off":           {whole[:len(whole)/2], "cannot be read"},
		"it is empty":             {nil, "truncated"},
		"the database is damaged": {repack(t, whole, func(name string, content []byte) []byte { return replaced(name, "recado.db", content, pages) }), "damaged"},
		"a media file is missing": {repack(t, whole, func(name string, content []byte) []byte { return replaced(name, "media/"+i.media, content, nil) }), "does not describe it"},
		"a media file is that of another": {repack(t, whole, func(name string, content []byte) []byte {
			return replaced(name, "media/"+i.media, content, []byte("x"))
		}), i.media},
		"the key does not fit": {repack(t, whole, func(name string, content []byte) []byte {
			return replaced(name, "secret.key", content, []byte("MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=\n"))
		}), "secret key does not match"},
		"the description counts other media":    {repack(t, whole, describeMore), "does not describe it"},
		"the description is of a later version": {repack(t, whole, laterFormat), "the format 99"},
		"the description is missing":            {repack(t, whole, func(name string, content []byte) []byte { return replaced(name, "recado-backup.json", content, nil) }), "the format 0"},
	} {
		t.Run(name, func(t *testing.T) {
			bad := filepath.Join(t.TempDir(), "bad.tar")
			if err := os.WriteFile(bad, c.content, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := admin.Check(t.Context(), bad); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want an error with %q", err, c.says)
			}
			if entries, err := os.ReadDir(filepath.Dir(bad)); err != nil || len(entries) != 1 {
				t.Errorf("the folder holds %v, %v; want the archive alone", entries, err)
			}
		})
	}
	t.Run("media that were damaged before the backup are named", func(t *testing.T) {
		i.damage(t, i.dir, "the text of a pile")
		again := filepath.Join(t.TempDir(), "again.tar")
		if _, err := admin.Backup(t.Context(), admin.BackupOptions{Dir: i.dir, File: again}); err != nil {
			t.Fatal(err)
		}
		info, err := admin.Check(t.Context(), again)
		if err != nil {
			t.Fatal(err)
		}
		testkit.Diff(t, "damaged files", idTexts(info), []string{i.media})
	})
}

func replaced(name, which string, content, by []byte) []byte {
	if name == which {
		return by
	}
	return content
}

func describe(content []byte, name string, value any) []byte {
	var info map[string]any
	if json.Unmarshal(content, &info) != nil {
		return content
	}
	info[name] = value
	content, _ = json.Marshal(info)
	return content
}

func describeMore(name string, content []byte) []byte {
	if name == "recado-backup.json" {
		return describe(content, "media", 1000)
	}
	return content
}

func laterFormat(name string, content []byte) []byte {
	if name == "recado-backup.json" {
		return describe(content, "format", 99)
	}
	return content
}

// repack writes an archive again with other files and their right hashes. A file without content is left out.
func repack(t *testing.T, archive []byte, change func(name string, content []byte) []byte) []byte {
	t.Helper()
	var out, sums bytes.Buffer
	w := tar.NewWriter(&out)
	add := func(name string, content []byte) {
		err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(content))})
		if err == nil {
			_, err = w.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for r := tar.NewReader(bytes.NewReader(archive)); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if content = change(header.Name, content); content == nil || header.Name == "SHA256SUMS" {
			continue
		}
		sum := sha256.Sum256(content)
		sums.WriteString(hex.EncodeToString(sum[:]) + "  " + header.Name + "\n")
		add(header.Name, content)
	}
	add("SHA256SUMS", sums.Bytes())
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
