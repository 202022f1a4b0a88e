// Package recorded compares the responses of the API, byte for byte, with those in testdata/answers.txt. A refactoring must
// not change any of them.
package recorded

import (
	"flag"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"recado/internal/channels/simulator"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/server"
	"recado/test/servertest"
	"recado/test/testkit"
)

var update = flag.Bool("update", false, "rewrite testdata/answers.txt")

const golden = "testdata/answers.txt"

// firstScopes are the scopes of the first release, so that older builds can be compared.
var firstScopes = []kernel.Scope{
	people.ScopeConversationsRead, people.ScopeConversationsWrite, people.ScopeMessagesRead, people.ScopeMessagesSend, people.ScopeMediaWrite,
	people.ScopeContactsRead, people.ScopeContactsWrite, people.ScopeAttendancesRead, people.ScopeAttendancesWrite, people.ScopeTeamRead,
	people.ScopeReportsRead, people.ScopeWebhooksManage, people.ScopeRead, people.ScopeWrite, people.ScopeLabelsWrite, people.ScopeTeamManage,
	people.ScopeChannelsManage, people.ScopeCompanyManage, people.ScopeKeysManage, people.ScopeAuditRead, people.ScopeDataManage,
}

func TestResponsesAreAsRecorded(t *testing.T) {
	var to target
	sections := program(t)
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		to.url = w.URL
		to.owner, to.foreign = newCompany(t, w, "Padaria Aurora"), newCompany(t, w, "Oficina Boreal")
		r := newRecorder(t, to)
		got := r.run(sections)
		if *update {
			if err := os.WriteFile(golden, []byte(got.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			*update = false // the other engine is compared with the new file
			return
		}
		differences := compare(readAnswers(t), got)
		for _, d := range differences {
			t.Error(d)
		}
		if len(differences) > 0 {
			t.Errorf("%d of %d responses differ. If that is intended, run go test ./test/recorded -update", len(differences), len(got))
		}
		t.Run("every operation has a recorded response", func(t *testing.T) {
			for _, route := range w.API.Routes() {
				if !r.covers(route.Method, route.Path) {
					t.Errorf("requests.txt has no request for %s %s", route.Method, route.Path)
				}
			}
		})
	}, func(c *server.Config) {
		start := time.Now()
		now := func() time.Time { return noon.Add(time.Since(start)) }
		c.Now, c.BasePath = now, ""
		to = newTarget(t, now)
		c.WhatsAppBaseURL = to.simulator
	})
}

// newCompany creates a company with an owner and returns a key of the owner.
func newCompany(t *testing.T, w *servertest.World, name string) (key string) {
	t.Helper()
	operator, _ := servertest.AddCompany(t, w.Desk, people.NewCompany{Name: name})
	_, client := w.NewKey(t, operator.Company.ID, people.NewKey{Name: "CRM", Scopes: kernel.NewScopeSet(firstScopes...)})
	return client.Secret()
}

// noon is the time of the first request, so that all requests are on the same day.
var noon = time.Date(2026, 3, 10, 15, 0, 0, 0, time.UTC)

// newTarget starts the simulated WhatsApp and the webhook receiver that a server needs.
func newTarget(t *testing.T, now func() time.Time) target {
	t.Helper()
	sim := simulator.New(simulator.Options{Now: now})
	graph := testkit.Serve(t, sim)
	t.Cleanup(sim.Close)
	receiver := testkit.NewReceiver(t)
	receiver.Answer(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/fail" {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	zone, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		t.Fatal(err)
	}
	return target{simulator: graph, receiver: receiver.URL, today: now().In(zone)}
}

// answers are the formatted requests and responses, in order.
type answers []string

// run sends the requests of the sections and returns the responses.
func (r *recorder) run(sections []*section) (out answers) {
	for _, s := range sections {
		for _, q := range s.requests {
			if text := r.send(q); text != "" {
				out = append(out, text)
			}
		}
	}
	return out
}

// covers reports whether an operation was called.
func (r *recorder) covers(method, pattern string) bool {
	want := strings.Split(pattern, "/")
	for _, q := range r.called {
		path, _, _ := strings.Cut(q.path, "?")
		got := strings.Split(path, "/")
		same := q.method == method && len(got) == len(want)
		for i := 0; same && i < len(got); i++ {
			same = got[i] == want[i] || strings.HasPrefix(want[i], "{")
		}
		if same {
			return true
		}
	}
	return false
}

func (a answers) String() string {
	return "# Written by go test ./test/recorded -update; see requests.txt.\n\n" + strings.Join(a, "\n")
}

func readAnswers(t *testing.T) answers {
	t.Helper()
	raw, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(raw), "\n\n")
	out := strings.Split(text, "\n\n")
	for i := range out {
		out[i] = strings.TrimRight(out[i], "\n") + "\n"
	}
	return out
}

// compare describes the responses that differ.
func compare(want, got answers) (differences []string) {
	for i := range max(len(want), len(got)) {
		var w, g string
		if i < len(want) {
			w = want[i]
		}
		if i < len(got) {
			g = got[i]
		}
		if w != g {
			first, _, _ := strings.Cut(g+w, "\n")
			differences = append(differences, first+"\n"+lineDiff(strings.Split(w, "\n"), strings.Split(g, "\n")))
		}
	}
	return differences
}

// lineDiff returns the lines from the first to the last difference.
func lineDiff(want, got []string) string {
	for len(want) > 0 && len(got) > 0 && want[0] == got[0] {
		want, got = want[1:], got[1:]
	}
	for len(want) > 0 && len(got) > 0 && want[len(want)-1] == got[len(got)-1] {
		want, got = want[:len(want)-1], got[:len(got)-1]
	}
	var b strings.Builder
	for _, line := range want {
		b.WriteString("want " + line + "\n")
	}
	for _, line := range got {
		b.WriteString("got  " + line + "\n")
	}
	return b.String()
}
