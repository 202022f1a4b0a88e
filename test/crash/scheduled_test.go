package crash

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"recado/internal/model"
	"recado/internal/store/storetest"
	"recado/internal/testkit"
	"recado/test/binary"
)

// The server is killed in the second in which scheduled messages are due. RECADO_FULL=1 makes it fifty times.
func TestScheduledMessagesGoOutOnceWhateverTheMomentOfAKill(t *testing.T) {
	rounds := 3
	if os.Getenv("RECADO_FULL") != "" {
		rounds = 50
	}
	for engine, database := range map[string]func(t *testing.T) string{
		"sqlite":   func(*testing.T) string { return "" },
		"postgres": func(t *testing.T) string { return storetest.URL(t) },
	} {
		t.Run(engine, func(t *testing.T) {
			s := &scheduler{database: database(t)}
			var args []string
			if s.database != "" {
				args = []string{"--database-url", s.database}
			}
			s.Process = binary.Serve(t, t.TempDir(), args...)
			for n := range 4 {
				in := s.call(t, "POST", "/channels/"+s.Demo.Companies[0].Channel+"/simulate", fmt.Sprintf(`{"from":"+55119440%05d","text":"hello"}`, n))
				s.conversations = append(s.conversations, in["conversation"].(string))
			}
			for round := range rounds {
				s.round(t, round)
			}
		})
	}
}

// scheduler is a server with conversations in which messages are scheduled.
type scheduler struct {
	*binary.Process
	database      string
	conversations []string
}

// round schedules a message in every conversation, makes them due, kills the server at a moment within the next second and a
// half, starts it again, and looks that each went out once.
func (s *scheduler) round(t *testing.T, round int) {
	t.Helper()
	clients := map[string]string{} // by conversation
	for _, c := range s.conversations {
		clients[c] = model.NewID().String()
		s.call(t, "POST", "/conversations/"+c+"/scheduled", fmt.Sprintf(`{"client_id":%q,"send_at":%q,"text":"round %d"}`,
			clients[c], time.Now().Add(time.Hour).UTC().Format(time.RFC3339), round))
	}
	s.exec(t, fmt.Sprintf(`UPDATE scheduled_messages SET send_at = %d WHERE status = 'scheduled'`, time.Now().Add(200*time.Millisecond).UnixMilli()))
	select {
	case <-time.After(rand.N(1500 * time.Millisecond)):
	case <-s.Ended():
		t.Fatal("the server ended by itself")
	}
	s.Kill()
	s.Start()
	for c, client := range clients {
		var found map[string]any
		testkit.Eventually(t, "the message is sent", func() bool {
			for _, m := range s.call(t, "GET", "/conversations/"+c+"/scheduled?limit=100", "")["data"].([]any) {
				if m := m.(map[string]any); m["client_id"] == client {
					found = m
				}
			}
			return found["status"] != "scheduled"
		})
		if found["status"] != "sent" {
			t.Fatalf("round %d: got %v, want sent", round, found)
		}
		count := 0
		for _, m := range s.call(t, "GET", "/conversations/"+c+"/messages?limit=100", "")["data"].([]any) {
			if m.(map[string]any)["text"] == fmt.Sprintf("round %d", round) {
				count++
			}
		}
		if count != 1 {
			t.Errorf("round %d: got %d messages, want 1", round, count)
		}
	}
}

// call makes a call with the key of the demo and gives the answer.
func (s *scheduler) call(t *testing.T, method, path, body string) map[string]any {
	t.Helper()
	r, err := http.NewRequest(method, s.URL+"/v1"+path, bytes.NewBufferString(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.Demo.Companies[0].APIKey)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 300 {
		t.Fatalf("%s %s: %d %s %v", method, path, resp.StatusCode, raw, err)
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// exec changes the database beside the running server.
func (s *scheduler) exec(t *testing.T, statement string) {
	t.Helper()
	if s.database == "" {
		conn, err := sqlite.OpenConn(s.Dir+"/recado.db", sqlite.OpenReadWrite)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		conn.SetBlockOnBusy()
		if err := sqlitex.ExecuteTransient(conn, statement, nil); err != nil {
			t.Fatal(err)
		}
		return
	}
	conn, err := pgx.Connect(context.Background(), s.database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	if _, err := conn.Exec(context.Background(), statement); err != nil {
		t.Fatal(err)
	}
}
