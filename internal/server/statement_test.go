package server

import (
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"recado/internal/channels"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
	"recado/internal/talk"
	"recado/test/kerneltest"
)

// A statement more in one of these calls, or a round trip, is paid by every message: raise a figure only for something that
// is worth it, after a look at bench/README.md.
func TestMessagesAndPagesTakeFewStatementsOnPostgreSQL(t *testing.T) {
	log, address := recordStatements(t, kerneltest.URL(t))
	d := New(Options{Store: kerneltest.Open(t, db.Options{DatabaseURL: address, MaxConns: 1})}) // each statement is prepared once
	company, err := d.People.CreateCompany(t.Context(), people.NewCompany{Name: "Padaria", Rules: people.DefaultRules})
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.People.CreateUser(t.Context(), company.ID, people.NewUser{Name: "Ana", Email: "ana@padaria.example", Role: kernel.RoleOwner, AccessProfile: kernel.AccessAll})
	if err != nil {
		t.Fatal(err)
	}
	a, err := d.People.Operator(t.Context(), company.ID)
	if err != nil {
		t.Fatal(err)
	}
	channel, err := d.Channels.CreateChannel(t.Context(), a, channels.NewChannel{Name: "Sandbox", Phone: "+551132345678", Provider: channels.ProviderSandbox})
	if err != nil {
		t.Fatal(err)
	}
	from, text := "+5511990000001", "Bom dia"
	var conversation kernel.ID
	receive := func() error {
		m, err := d.Talk.Simulate(t.Context(), a, channel.ID, talk.Simulation{From: &from, Text: &text})
		if err == nil {
			conversation = m.Conversation
		}
		return err
	}
	send := func() error {
		_, _, err := d.Talk.SendMessage(t.Context(), a, conversation, talk.NewMessage{ClientID: kernel.NewID(), Text: &text})
		return err
	}
	page := func() error {
		_, err := d.Talk.Messages(t.Context(), a, conversation, talk.MessageQuery{Limit: 50})
		return err
	}
	for _, call := range []struct {
		name               string
		do                 func() error
		statements, rounds int // with BEGIN and COMMIT
	}{
		{"a received message", receive, 13, 5},
		{"a sent message", send, 10, 3},
		{"a page", page, 1, 1},
	} {
		var got [][]string
		for range 3 { // the first one opens an attendance and prepares the statements
			log.take()
			if err := call.do(); err != nil {
				t.Fatal(err)
			}
			got = log.take()
		}
		all := slices.Concat(got...)
		if len(all) != call.statements || len(got) != call.rounds {
			t.Errorf("%s: got %d statements in %d round trips, want %d in %d:\n%s", call.name, len(all), len(got), call.statements, call.rounds, show(got))
		}
	}
}

func show(rounds [][]string) string {
	var b strings.Builder
	for _, statements := range rounds {
		for _, s := range statements {
			b.WriteString("  " + s)
		}
		b.WriteString("  |\n")
	}
	return b.String()
}

// statementLog is what connections through it asked PostgreSQL for, without notifications to other nodes.
type statementLog struct {
	mu     sync.Mutex
	rounds [][]string // the beginnings of the statements of each round trip
}

// take gives what was asked for since the last call.
func (l *statementLog) take() [][]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.rounds
	l.rounds = nil
	return taken
}

// recordStatements gives the address of a database through which every statement is noted.
func recordStatements(t *testing.T, database string) (*statementLog, string) {
	t.Helper()
	address, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	log, server := &statementLog{}, address.Host
	address.Host = listener.Addr().String()
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			behind, err := net.Dial("tcp", server)
			if err != nil {
				_ = client.Close()
				continue
			}
			go func() {
				_, _ = io.Copy(client, behind)
				_ = client.Close()
			}()
			go func() {
				log.forward(client, behind)
				_ = behind.Close()
			}()
		}
	}()
	return log, address.String()
}

// forward copies what a client of PostgreSQL's protocol sends, until it ends, and notes the statements.
func (l *statementLog) forward(from io.Reader, to io.Writer) {
	prepared, round := map[string]string{}, []string(nil)
	for first := true; ; first = false {
		head := make([]byte, 5)
		if first { // the first message has no letter
			head = head[1:]
		}
		if _, err := io.ReadFull(from, head); err != nil {
			return
		}
		body := make([]byte, binary.BigEndian.Uint32(head[len(head)-4:])-4)
		if _, err := io.ReadFull(from, body); err != nil {
			return
		}
		if !first {
			texts := strings.SplitN(string(body), "\x00", 3)
			switch head[0] {
			case 'P': // a name and its statement
				prepared[texts[0]] = texts[1]
			case 'B': // a portal and the name of its statement
				if sql := strings.Join(strings.Fields(prepared[texts[1]]), " "); !strings.Contains(sql, "pg_notify") && !strings.Contains(sql, "set_config") {
					round = append(round, sql[:min(len(sql), 70)])
				}
			case 'S': // the end of a round trip
				if len(round) > 0 {
					l.mu.Lock()
					l.rounds = append(l.rounds, round)
					l.mu.Unlock()
				}
				round = nil
			}
		}
		if _, err := to.Write(append(head, body...)); err != nil {
			return
		}
	}
}
