package crash

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"recado/test/binary"
	"recado/test/kerneltest"
	"recado/test/load"
	"recado/test/testkit"
)

// The server is killed while it deletes old messages and their files.
func TestTheRetentionFinishesWheneverTheServerIsKilled(t *testing.T) {
	t.Parallel()
	kerneltest.EachURL(t, func(t *testing.T, url string) {
		s := &scheduler{database: url}
		var args []string
		if url != "" {
			args = []string{"--database-url", url}
		}
		s.Process = binary.Serve(t, t.TempDir(), args...)
		for round := range 2 {
			files := storedFiles(t, s.Dir)
			var conversations []string
			for n := range 5 {
				phone := fmt.Sprintf("+551195%d%06d", round+1, n)
				c := ""
				for range 6 {
					form, kind := testkit.FileForm("old.txt", "plain text")
					upload := load.NewRequest(s.Demo.Companies[0].APIKey, "POST", "/media", string(form), "Content-Type", kind)
					file := load.Must(t, load.Single(s.URL), upload)["id"].(string)
					in := s.call(t, "POST", "/channels/"+s.Demo.Companies[0].Channel+"/simulate", fmt.Sprintf(`{"from":%q,"text":"an old text","media_id":%q}`, phone, file))
					c = in["conversation"].(string)
				}
				s.call(t, "POST", "/conversations/"+c+"/attendance/close", "{}")
				conversations = append(conversations, c)
			}
			old := time.Now().AddDate(0, 0, -100).UnixMilli()
			kerneltest.Exec(t, s.Dir, s.database, fmt.Sprintf(`UPDATE messages SET created_at = %d`, old))
			kerneltest.Exec(t, s.Dir, s.database, fmt.Sprintf(`UPDATE media SET created_at = %d`, old))
			s.call(t, "PATCH", "/company/retention", `{"messages_days":30}`)
			select {
			case <-time.After(rand.N(150 * time.Millisecond)):
			case <-s.Ended():
				t.Fatal("the server exited before it was killed")
			}
			s.Kill()
			s.Start()
			testkit.Eventually(t, "nothing is left to delete", func() bool {
				p := s.call(t, "POST", "/company/retention/preview", "{}")
				return p["messages"] == 0.0 && p["notes"] == 0.0 && p["media"] == 0.0
			})
			for _, c := range conversations {
				if m := s.call(t, "GET", "/conversations/"+c+"/messages", "")["data"].([]any); len(m) != 0 {
					t.Errorf("got %d messages, want none", len(m))
				}
				if last := s.call(t, "GET", "/conversations/"+c, "")["last_message"]; last != nil {
					t.Errorf("got the last message %v, want none", last)
				}
			}
			if round > 0 { // the first round deletes files of the demo too
				testkit.Eventually(t, "the bytes of the files are deleted", func() bool { return storedFiles(t, s.Dir) <= files })
			}
		}
	})
}

// storedFiles returns the number of files in the media folder of a data folder.
func storedFiles(t *testing.T, dir string) (n int) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(dir, "media"), func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			n++
		}
		return nil // files disappear while they are counted
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
