package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"recado/internal/privacy"
	"recado/internal/vault"
	"recado/test/testkit"
)

const erasedPhone = "+5511987650123"

// running runs a server on the data while body runs.
func (i *installation) running(t *testing.T, what string, body func(t *testing.T, s *serving)) {
	t.Helper()
	t.Run(what, func(t *testing.T) {
		var args []string
		if url := i.vars["RECADO_DATABASE_URL"]; url != "" {
			args = []string{"--database-url", url}
		}
		s := serve(t, i.dir, args...)
		body(t, s)
	})
}

// receive makes a person write.
func receive(t *testing.T, s *serving) {
	t.Helper()
	c := s.demo.Companies[0]
	testkit.Equal(t, "the message of the person", s.call(t, "POST", "/channels/"+c.Channel+"/simulate", c.APIKey,
		fmt.Sprintf(`{"from":%q,"name":"Zyxwquark","text":"zyxwquark"}`, erasedPhone)), 201)
}

// eraseThem erases the person.
func eraseThem(t *testing.T, s *serving) {
	t.Helper()
	c := s.demo.Companies[0]
	var found struct {
		Data []struct{ ID string }
	}
	s.read(t, "/contacts?q=Zyxwquark", c.APIKey, &found)
	testkit.Equal(t, "contacts with the name", len(found.Data), 1)
	path := "/contacts/" + found.Data[0].ID
	testkit.Equal(t, "the erasure", s.call(t, "POST", path+"/erase", c.APIKey, fmt.Sprintf(`{"confirm_phone":%q,"reason":"request"}`, erasedPhone)), 202)
	testkit.Eventually(t, "the person is erased", func() bool {
		var jobs struct {
			Data []struct{ Status string }
		}
		s.read(t, "/jobs?kind="+privacy.KindErase, c.APIKey, &jobs)
		return jobs.Data[0].Status == "done"
	})
	testkit.Equal(t, "the contact", s.call(t, "GET", path, c.APIKey, ""), 404)
}

func TestTheListOfErasedPeopleFollowsTheSecretKey(t *testing.T) {
	eachInstallation(t, func(t *testing.T, i *installation) {
		i.running(t, "a person is erased", func(t *testing.T, s *serving) {
			receive(t, s)
			eraseThem(t, s)
		})
		list := filepath.Join(i.dir, privacy.ListFile)
		old, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		opens := func(after string) {
			t.Helper()
			var content struct {
				Key    []byte `json:"key"`
				People []any  `json:"people"`
			}
			text, err := os.ReadFile(list)
			if err == nil {
				err = json.Unmarshal(text, &content)
			}
			var keys *vault.Vault
			if err == nil {
				keys, err = vault.Load(i.dir)
			}
			if err == nil {
				_, err = keys.Open(content.Key, privacy.KeyOwner())
			}
			if err != nil || len(content.People) == 0 {
				t.Errorf("the list after %s: got %d people and %v", after, len(content.People), err)
			}
		}
		nothing := func(*testing.T, *serving) {}
		i.ok("secret-key", "rotate")
		opens("rotate")
		i.ok("secret-key", "retire")
		opens("retire")
		i.running(t, "after retire", nothing)

		write(t, list, string(old)) // from a copy, sealed with a retired key
		i.running(t, "with the list of an older key", func(t *testing.T, _ *serving) {
			testkit.Eventually(t, "the list is written again", func() bool {
				now, err := os.ReadFile(list)
				return err == nil && !bytes.Equal(now, old)
			})
		})
		opens("a start")

		i.removeKey()
		testkit.Contains(t, "the output of replace-lost", i.ok("secret-key", "replace-lost"), list+".lost")
		if _, err := os.Stat(list); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the list whose key is lost is still there: %v", err)
		}
		i.running(t, "after replace-lost", func(t *testing.T, s *serving) {
			receive(t, s)
			eraseThem(t, s)
		})
		opens("another erasure")
	})
}

func TestARestoreErasesThePeopleOfTheListAgain(t *testing.T) {
	i := &installation{t: t, dir: t.TempDir()}
	i.vars = map[string]string{"RECADO_DATA": i.dir}
	backup, export := filepath.Join(t.TempDir(), "recado.tar"), filepath.Join(t.TempDir(), "export")
	i.running(t, "before the backup", receive)
	i.ok("backup", backup)
	i.running(t, "after the backup", eraseThem)
	for _, end := range []string{"", "-wal", "-shm"} {
		_ = os.Remove(filepath.Join(i.dir, "recado.db"+end))
	}
	i.ok("restore", backup)
	i.ok("export", export)
	err := filepath.WalkDir(export, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		for _, trace := range []string{"zyxwquark", strings.TrimPrefix(erasedPhone, "+")} {
			if bytes.Contains(bytes.ToLower(text), []byte(trace)) {
				t.Errorf("%s contains %s", path, trace)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
