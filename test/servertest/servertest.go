// Package servertest starts real servers for tests, with a real database and HTTP on loopback, on both engines. Every
// response is checked against the OpenAPI document.
package servertest

import (
	"context"
	"net/http"
	"testing"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
	"recado/internal/server"
	"recado/internal/webhooks"
	"recado/test/kerneltest"
	"recado/test/testkit"
)

// World is a running server with two companies, each with an owner and a key with every scope.
type World struct {
	*server.Server
	A, B  *Company
	Clock *testkit.Clock // the clock of the server, unless EachLive is used

	checker *checker
}

// Company is a company of a World and a client with its key.
type Company struct {
	*Client
	ID    kernel.ID
	Owner people.Member
	Key   people.Key
}

// Option changes the configuration of a server before it starts.
type Option func(*server.Config)

// SettleFeed waits until the feed has every stored event. PostgreSQL holds events back while an older transaction writes.
func (w *World) SettleFeed(t testing.TB) {
	t.Helper()
	if w.Desk.Kernel.SingleNode() {
		return
	}
	testkit.Eventually(t, "no transaction holds the feed back", func() (none bool) {
		kerneltest.Read(t, w.Desk.Kernel.Store, func(tx *kernel.Tx) error {
			_, err := tx.One(`SELECT COUNT(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND backend_xid IS NOT NULL`, nil,
				func(r db.Row) { none = r.Int("n") == 0 })
			return err
		})
		return none
	})
}

// Each runs the test on both engines, each time with a new server.
func Each(t *testing.T, body func(t *testing.T, w *World), options ...Option) {
	t.Helper()
	kerneltest.EachURL(t, func(t *testing.T, url string) { body(t, Start(t, url, options...)) })
}

// EachEmpty runs the test on both engines, each time with a new server without companies.
func EachEmpty(t *testing.T, body func(t *testing.T, s *server.Server, visitor *Client, clock *testkit.Clock), options ...Option) {
	t.Helper()
	kerneltest.EachURL(t, func(t *testing.T, url string) {
		clock := testkit.NewClock()
		s := start(t, url, clock, options)
		body(t, s, &Client{base: s.URL + "/v1", checker: newChecker(t, s)}, clock)
	})
}

// EachLive is Each with the system clock.
func EachLive(t *testing.T, body func(t *testing.T, w *World), options ...Option) {
	t.Helper()
	Each(t, body, append(options, func(c *server.Config) { c.Now = nil })...)
}

// Start starts a server. An empty databaseURL means SQLite.
func Start(t testing.TB, databaseURL string, options ...Option) *World {
	t.Helper()
	w := &World{Clock: testkit.NewClock()}
	w.Server = start(t, databaseURL, w.Clock, options)
	w.checker = newChecker(t, w.Server)
	w.A = w.NewCompany(t, "Padaria Aurora")
	w.B = w.NewCompany(t, "Oficina Boreal")
	return w
}

// SecondNode starts another server on the same PostgreSQL database and returns its clients of companies A and B.
func (w *World) SecondNode(t *testing.T, databaseURL string, options ...Option) (a, b *Client) {
	t.Helper()
	s := start(t, databaseURL, w.Clock, options)
	return w.A.at(s.URL), w.B.at(s.URL)
}

func start(t testing.TB, databaseURL string, clock *testkit.Clock, options []Option) *server.Server {
	t.Helper()
	c := server.Config{
		Addr: "127.0.0.1:0", DataDir: t.TempDir(), DatabaseURL: databaseURL, Now: clock.Now,
		SecretKey:            "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
		Rate:                 kernel.Rate{PerSecond: 1_000_000, Burst: 1_000_000},
		WebhookAllowInsecure: true, WebhookTimeout: webhooks.WebhookTimeout, WebhookRetries: kernel.DefaultRetries, Brand: "Service",
		Passwords: people.PasswordCost{Memory: 64, Passes: 1}, // real costs would dominate many tests
	}
	for _, apply := range options {
		apply(&c)
	}
	if c.DatabaseURL == "" {
		kerneltest.Prepare(t, c.DataDir)
	}
	s, err := server.Start(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), testkit.Patience)
		defer cancel()
		http.DefaultClient.CloseIdleConnections()
		if err := s.Stop(ctx); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return s
}

// NewCompany creates a company with an owner and a key.
func (w *World) NewCompany(t testing.TB, name string) *Company {
	t.Helper()
	operator, owner := AddCompany(t, w.Desk, people.NewCompany{Name: name})
	out := &Company{ID: operator.Company.ID, Owner: owner}
	out.Key, out.Client = w.NewKey(t, out.ID, people.NewKey{Name: "everything", Scopes: kernel.NewScopeSet(kernel.AllScopes...)})
	return out
}

// NewMember adds a member to company A. See AddMember.
func (w *World) NewMember(t testing.TB, in people.NewUser) people.Member {
	t.Helper()
	m, _ := AddMember(t, w.Desk, kernel.Company{ID: w.A.ID}, in)
	return m
}

// NewMemberKey adds a member to company A and returns a client with a key of that member with every scope.
func (w *World) NewMemberKey(t testing.TB, in people.NewUser) (people.Member, *Client) {
	t.Helper()
	m := w.NewMember(t, in)
	_, c := w.NewKey(t, w.A.ID, people.NewKey{Name: m.Name, Scopes: kernel.EveryScope, User: &m.ID})
	return m, c
}

// NewKey creates a key of the company and a client with it.
func (w *World) NewKey(t testing.TB, company kernel.ID, in people.NewKey) (people.Key, *Client) {
	t.Helper()
	operator, err := w.Desk.People.Operator(context.Background(), company)
	if err != nil {
		t.Fatal(err)
	}
	key, secret, err := w.Desk.People.CreateKey(context.Background(), operator, in)
	if err != nil {
		t.Fatal(err)
	}
	return key, &Client{base: w.URL + "/v1", key: secret, checker: w.checker}
}
