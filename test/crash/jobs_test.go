package crash

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"time"

	"recado/test/binary"
	"recado/test/kerneltest"
	"recado/test/load"
	"recado/test/testkit"
)

// The server is killed three times while it imports contacts.
func TestContactsAreImportedOnceWheneverTheServerIsKilled(t *testing.T) {
	t.Parallel()
	kerneltest.EachURL(t, func(t *testing.T, database string) {
		s := serveJobs(t, database)
		const lines = 3000
		table := "name;phone\n"
		for n := range lines {
			table += fmt.Sprintf("Person %d;+55119612%05d\n", n, n)
		}
		s.upload(t, url.Values{"kind": {"contacts"}}, "contacts.csv", table)
		done := 0.0
		for range 3 {
			s.killWhen(t, "the import makes progress or has ended", func() bool {
				job := s.call(t, "GET", "/jobs/"+s.job, "")
				before := done
				done = job["progress"].(map[string]any)["done"].(float64)
				return done > before || job["status"] != "running"
			})
		}
		result := s.end(t)
		if result["created"] != float64(lines) || result["updated"] != 0.0 || result["skipped"] != 0.0 {
			t.Errorf("got %v, want %d created", result, lines)
		}
		r := load.NewRequest(s.Demo.Companies[0].APIKey, "GET", "/contacts", nil, "Accept", "text/csv")
		exported, ok := load.Single(s.URL).Call(r)
		if !ok || exported.Status != 200 {
			t.Fatalf("the export: got %d %s", exported.Status, exported.Body)
		}
		for n := range lines {
			if got := strings.Count(string(exported.Body), fmt.Sprintf("+55119612%05d", n)); got != 1 {
				t.Fatalf("line %d: got %d contacts, want 1", n, got)
			}
		}
	})
}

// The server is killed three times while it erases a person.
func TestAnErasureFinishesWheneverTheServerIsKilled(t *testing.T) {
	t.Parallel()
	kerneltest.EachURL(t, func(t *testing.T, database string) {
		s := serveJobs(t, database)
		const phone = "+5511961200001"
		var chat strings.Builder
		for n := range 5000 {
			fmt.Fprintf(&chat, "12/03/2024 14:%02d - Ana: zyxwquark %d\n", n*60/5000, n)
		}
		s.upload(t, url.Values{"kind": {"chat"}, "channel": {s.Demo.Companies[0].Channel}, "phone": {phone}, "me": {"Loja"}}, "chat.txt", chat.String())
		imported := s.end(t)
		if imported["created"] != 5000.0 {
			t.Fatalf("the chat: got %v", imported)
		}
		contact, conversation := imported["contact"].(string), imported["conversation"].(string)
		s.job = s.call(t, "POST", "/contacts/"+contact+"/erase", fmt.Sprintf(`{"confirm_phone":%q,"reason":"request"}`, phone))["id"].(string)
		get := load.NewRequest(s.Demo.Companies[0].APIKey, "GET", "/contacts/"+contact, nil)
		for range 3 {
			s.killWhen(t, "the contact is gone", func() bool {
				a, ok := load.Single(s.URL).Call(get)
				return ok && a.Status == 404
			})
		}
		if result := s.end(t); result["messages"] != 5000.0 || result["conversations"] != 1.0 {
			t.Errorf("got %v, want 5000 messages in a conversation", result)
		}
		if a, ok := load.Single(s.URL).Call(get); !ok || a.Status != 404 {
			t.Errorf("the contact: got %d %s, want 404", a.Status, a.Body)
		}
		if m := s.call(t, "GET", "/conversations/"+conversation+"/messages", "")["data"].([]any); len(m) != 0 {
			t.Errorf("got %d messages, want none", len(m))
		}
		if found := s.call(t, "GET", "/messages?q=zyxwquark", ""); strings.Contains(fmt.Sprint(found), "zyxwquark") {
			t.Errorf("the search: got %v, want nothing", found)
		}
	})
}

// jobServer is a server with a job.
type jobServer struct {
	scheduler
	job string
}

func serveJobs(t *testing.T, database string) *jobServer {
	t.Helper()
	var args []string
	if database != "" {
		args = []string{"--database-url", database}
	}
	return &jobServer{scheduler: scheduler{Process: binary.Serve(t, t.TempDir(), args...), database: database}}
}

// upload starts an import.
func (s *jobServer) upload(t *testing.T, fields url.Values, name, content string) {
	t.Helper()
	form, kind := testkit.Form(fields, name, content)
	r := load.NewRequest(s.Demo.Companies[0].APIKey, "POST", "/imports", string(form), "Content-Type", kind)
	s.job = load.Must(t, load.Single(s.URL), r)["id"].(string)
}

// killWhen kills the server up to 100 milliseconds after a condition holds, and starts it again.
func (s *jobServer) killWhen(t *testing.T, what string, holds func() bool) {
	t.Helper()
	testkit.Eventually(t, what, holds)
	select {
	case <-time.After(rand.N(100 * time.Millisecond)):
	case <-s.Ended():
		t.Fatal("the server exited before it was killed")
	}
	s.Kill()
	kerneltest.Exec(t, s.Dir, s.database, `UPDATE lanes SET lease_until = 0`) // otherwise the job continues when the lease has expired
	s.Start()
}

// end waits for the end of the job and returns its result.
func (s *jobServer) end(t *testing.T) map[string]any {
	t.Helper()
	var job map[string]any
	testkit.Eventually(t, "the job has ended", func() bool {
		job = s.call(t, "GET", "/jobs/"+s.job, "")
		return job["status"] != "running"
	})
	if job["status"] != "done" {
		t.Fatalf("got %v, want done", job)
	}
	return job["result"].(map[string]any)
}
