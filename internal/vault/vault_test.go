package vault

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"recado/internal/kernel/base"
)

func TestSealing(t *testing.T) {
	v := open(t, t.TempDir())
	company, row := base.NewID(), base.NewID()

	t.Run("what was sealed opens with the same ids", func(t *testing.T) {
		for _, plain := range []string{"", "whsec_abc", strings.Repeat("long ", 10_000)} {
			sealed := v.Seal([]byte(plain), company, row)
			if got, err := v.Open(sealed, company, row); err != nil || string(got) != plain {
				t.Errorf("%.20q came back as %.20q, %v", plain, got, err)
			}
		}
	})

	t.Run("it opens for no other company, row or order", func(t *testing.T) {
		sealed := v.Seal([]byte("secret"), company, row)
		for _, bind := range [][]base.ID{{}, {company}, {row}, {row, company}, {company, base.NewID()}, {base.NewID(), row}, {company, row, row}} {
			if _, err := v.Open(sealed, bind...); !errors.Is(err, ErrNotAuthentic) {
				t.Errorf("bound to %v: %v", bind, err)
			}
		}
	})

	t.Run("any change of any byte is noticed, and any cut", func(t *testing.T) {
		sealed := v.Seal([]byte("secret"), company, row)
		for i := range sealed {
			changed := bytes.Clone(sealed)
			changed[i] ^= 1
			if _, err := v.Open(changed, company, row); err == nil {
				t.Errorf("byte %d", i)
			}
			if _, err := v.Open(sealed[:i], company, row); err == nil {
				t.Errorf("cut to %d bytes", i)
			}
		}
	})

	t.Run("the same secret never looks the same twice, nor shows through", func(t *testing.T) {
		a, b := v.Seal([]byte("whsec_abcdef"), row), v.Seal([]byte("whsec_abcdef"), row)
		if bytes.Equal(a, b) || bytes.Contains(a, []byte("whsec")) {
			t.Errorf(`want !bytes.Equal(a, b) and !bytes.Contains(a, []byte("whsec")); got %+v, %+v`, a, b)
		}
	})

	t.Run("a vault in a log line shows nothing", func(t *testing.T) {
		if got := fmt.Sprintf("%v %+v %#v %s", v, v, v, v); got != "vault vault vault vault" {
			t.Errorf(`fmt.Sprintf("%%v %%+v %%#v %%s", v, v, v, v): want got == "vault vault vault vault"; got %+v`, got)
		}
	})
}

func TestKeyFile(t *testing.T) {
	t.Run("it is made once, for its owner alone", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "new", "data")
		first := open(t, dir)
		info, err := os.Stat(filepath.Join(dir, FileName))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("want err == nil and info.Mode().Perm() == 0o600; got %+v, %+v", info.Mode(), err)
		}
		second := open(t, dir)
		if got, err := second.Open(first.Seal([]byte("x"))); err != nil || string(got) != "x" {
			t.Errorf(`want err == nil and got == "x"; got %+v, %+v`, got, err)
		}
		if files, _ := os.ReadDir(dir); len(files) != 1 {
			t.Errorf("left behind: %v", files)
		}
	})

	t.Run("of many that start at once all have the same key", func(t *testing.T) {
		dir := t.TempDir()
		vaults := make([]*Vault, 16)
		var wg sync.WaitGroup
		for i := range vaults {
			wg.Go(func() {
				v, err := Open(dir)
				if err != nil {
					t.Error(err)
				}
				vaults[i] = v
			})
		}
		wg.Wait()
		if t.Failed() {
			return
		}
		sealed := vaults[0].Seal([]byte("x"))
		for _, v := range vaults {
			if _, err := v.Open(sealed); err != nil || v.Derive("x") != vaults[0].Derive("x") {
				t.Error(err)
			}
		}
	})

	t.Run("one that others may read is refused, with the remedy", func(t *testing.T) {
		for _, mode := range []os.FileMode{0o644, 0o640, 0o604, 0o620, 0o666} {
			dir := t.TempDir()
			open(t, dir)
			path := filepath.Join(dir, FileName)
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "chmod 600 "+path) {
				t.Errorf(`want err != nil and strings.Contains(err.Error(), "chmod 600 "+path); got %+v, %+v`, mode, err)
			}
		}
	})

	t.Run("a damaged one is refused without showing a key", func(t *testing.T) {
		good := line('k')
		for _, content := range []string{"", "\n\n", "short", good[:40], good + "\nnonsense", good + good, "!" + good} {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, FileName), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(dir); err == nil || strings.Contains(err.Error(), good[:20]) {
				t.Errorf("want err != nil and !strings.Contains(err.Error(), good[:20]); got %+v, %+v", content, err)
			}
		}
	})

	t.Run("a key of another installation opens nothing", func(t *testing.T) {
		sealed := open(t, t.TempDir()).Seal([]byte("x"))
		if _, err := open(t, t.TempDir()).Open(sealed); err == nil {
			t.Error("opened")
		}
	})
}

func TestRotation(t *testing.T) {
	t.Run("what was sealed before still opens, what is sealed after needs the new key", func(t *testing.T) {
		dir := t.TempDir()
		v := open(t, dir)
		row := base.NewID()
		before, signing := v.Seal([]byte("old"), row), v.Derive("cursors")
		for range 3 {
			if v.Stale(before) {
				t.Error("stale before the rotation")
			}
			if err := v.Rotate(); err != nil {
				t.Fatal(err)
			}
			after := v.Seal([]byte("new"), row)
			if !v.Stale(before) || v.Stale(after) {
				t.Error("the older value should be stale, the newer one not")
			}
			for name, each := range map[string]*Vault{"same": v, "reopened": open(t, dir)} {
				if got, err := each.Open(before, row); err != nil || string(got) == "" {
					t.Errorf(`want err == nil and got != ""; got %+v, %+v, %+v`, name, got, err)
				}
				if got, err := each.Open(after, row); err != nil || string(got) != "new" {
					t.Errorf(`want err == nil and got == "new"; got %+v, %+v, %+v`, name, got, err)
				}
				if each.Derive("cursors") != signing {
					t.Errorf("%s: a rotation changed a derived key", name)
				}
			}
			before = after
		}
		if files, _ := os.ReadDir(dir); len(files) != 1 {
			t.Errorf("left behind: %v", files)
		}
	})

	t.Run("another process sees the new key without a restart", func(t *testing.T) {
		dir := t.TempDir()
		server, command := open(t, dir), open(t, dir)
		if err := command.Rotate(); err != nil {
			t.Fatal(err)
		}
		if got, err := server.Open(command.Seal([]byte("x"))); err != nil || string(got) != "x" {
			t.Errorf(`want err == nil and got == "x"; got %+v, %+v`, got, err)
		}
	})

	t.Run("two at once lose no key", func(t *testing.T) {
		dir := t.TempDir()
		v := open(t, dir)
		var mu sync.Mutex
		sealed := [][]byte{v.Seal([]byte("x"))}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				each, err := Open(dir)
				if err != nil {
					t.Error(err)
					return
				}
				if each.Rotate() == nil {
					mu.Lock()
					sealed = append(sealed, each.Seal([]byte("x")))
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		last := open(t, dir)
		for i, s := range sealed {
			if _, err := last.Open(s); err != nil {
				t.Errorf("value %d of %d: %v", i, len(sealed), err)
			}
		}
		if len(sealed) < 2 {
			t.Error("no rotation succeeded")
		}
	})

	t.Run("a key that was dropped says so", func(t *testing.T) {
		dir := t.TempDir()
		v := open(t, dir)
		sealed := v.Seal([]byte("x"))
		if err := v.Rotate(); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, FileName)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		newest, _, _ := strings.Cut(string(content), "\n")
		if err := os.WriteFile(path, []byte(newest+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := open(t, dir).Open(sealed); !errors.Is(err, ErrKeyMissing) {
			t.Error(err)
		}
	})
}

func TestFromEnv(t *testing.T) {
	t.Run("nodes with the same setting share their secrets", func(t *testing.T) {
		a, err := FromEnv(line('a'))
		if err != nil {
			t.Fatal(err)
		}
		b, err := FromEnv(" " + line('b') + ", " + line('a') + "\n")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := b.Open(a.Seal([]byte("x"))); err != nil || string(got) != "x" {
			t.Errorf(`want err == nil and got == "x"; got %+v, %+v`, got, err)
		}
		if _, err := a.Open(b.Seal([]byte("x"))); !errors.Is(err, ErrKeyMissing) {
			t.Error(err)
		}
		if a.Derive("links") != b.Derive("links") || a.Derive("links") == a.Derive("cursors") {
			t.Error("derived keys come from the last key and differ by purpose")
		}
		if err := a.Rotate(); !errors.Is(err, ErrNoFile) {
			t.Error(err)
		}
	})

	t.Run("an empty or malformed setting is refused", func(t *testing.T) {
		for _, value := range []string{"", "  ", "hunter2", line('a') + ",x"} {
			if _, err := FromEnv(value); err == nil {
				t.Errorf("%q was taken", value)
			}
		}
	})
}

func TestFormatStaysReadable(t *testing.T) {
	// Sealed by the first version of this format; it must open for ever.
	sealed, err := base64.StdEncoding.DecodeString(sealedOnce)
	if err != nil {
		t.Fatal(err)
	}
	v, err := FromEnv(line('a'))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := v.Open(sealed, base.ID{1}, base.ID{2}); err != nil || string(got) != "recado" {
		t.Errorf(`want err == nil and got == "recado"; got %+v, %+v`, got, err)
	}
}

const sealedOnce = "AV7IplJvs8mk7R9hCqCeY9VTtC1bFcCi22XGPiZ2bJS3NKU0"

func open(t *testing.T, dir string) *Vault {
	t.Helper()
	v, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func line(b byte) string {
	return base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{b}, 32))
}

func TestAValueOfAnOlderKeyWithTheSameNumberIsStale(t *testing.T) {
	older, newer := newKey(), newKey()
	for newer.number != older.number {
		newer = newKey()
	}
	setting := func(keys ...key) *Vault {
		v := &Vault{}
		v.ring.Store(&keys)
		return v
	}
	sealed := setting(older).Seal([]byte("x"))
	if !setting(newer, older).Stale(sealed) {
		t.Error("a value of the older key would be lost with it")
	}
	if setting(older).Stale(sealed) {
		t.Error("a value of the only key counts as stale")
	}
}
