package matrix

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/server"
	"recado/test/servertest"
	"recado/test/testkit"
)

// fixture is a server with two companies that must not see each other's data.
type fixture struct {
	w       *servertest.World
	a, b    *company
	mine    *talk // for requests that are refused and change nothing
	foreign *talk
	private *talk
	peek    func(query string) []string // reads ids from the database
	sqlite  bool
}

func each(t *testing.T, body func(t *testing.T, b *fixture)) {
	receiver := testkit.NewReceiver(t)
	var config server.Config
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		b := &fixture{w: w, a: newCompany(t, w, w.A, 1, receiver.URL), b: newCompany(t, w, w.B, 2, receiver.URL)}
		b.sqlite = config.DatabaseURL == ""
		b.peek = func(query string) []string { return ids(t, config, query) }
		b.private = b.a.privateTalk(t, "secret-of-a-private-channel", b.peek)
		b.foreign = b.b.talk(t, "secret-of-another-company")
		b.mine = b.a.talk(t, "mine")
		body(t, b)
	}, func(c *server.Config) {
		c.WhatsAppBaseURL = receiver.URL
		config = *c
	})
}

// receivePrivate stores a customer's message on the private channel.
func (b *fixture) receivePrivate(t *testing.T, phone, name string) {
	t.Helper()
	channel, _ := kernel.ParseID(b.private.ids["channel"])
	err := b.w.Desk.Talk.Receive(t.Context(), b.a.ID, channel, []provider.Incoming{{Message: &provider.IncomingMessage{
		ExternalID: "private." + kernel.NewID().String(), Type: provider.TypeText, Text: name,
		Customer: provider.Person{Phone: phone, WAID: phone[1:], UserID: "BR." + phone[1:], Name: name},
	}}})
	if err != nil {
		t.Fatal(err)
	}
}

// ids returns the ids that a query finds in the database.
func ids(t *testing.T, c server.Config, query string) (out []string) {
	t.Helper()
	keep := func(raw []byte) { out = append(out, kernel.ID(raw).String()) }
	if c.DatabaseURL == "" {
		conn, err := sqlite.OpenConn(c.DataDir+"/recado.db", sqlite.OpenReadWrite)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		err = sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			raw := make([]byte, 16)
			s.ColumnBytes(0, raw)
			keep(raw)
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	conn, err := pgx.Connect(context.Background(), c.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	rows, err := conn.Query(context.Background(), query)
	if err != nil {
		t.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[[16]byte])
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range found {
		keep(id[:])
	}
	return out
}
