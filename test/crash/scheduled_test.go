package crash

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/test/binary"
	"recado/test/kerneltest"
	"recado/test/load"
	"recado/test/testkit"
)

// The server is killed around the time at which scheduled messages are due, with RECADO_FULL=1 fifty times.
func TestScheduledMessagesAreSentOnceWheneverTheServerIsKilled(t *testing.T) {
	t.Parallel()
	rounds := 3
	if os.Getenv("RECADO_FULL") != "" {
		rounds = 50
	}
	kerneltest.EachURL(t, func(t *testing.T, url string) {
		s := &scheduler{database: url}
		var args []string
		if url != "" {
			args = []string{"--database-url", url}
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

// scheduler is a server with conversations in which messages are scheduled.
type scheduler struct {
	*binary.Process
	database      string
	conversations []string
}

// round schedules a message in every conversation, makes them due, kills the server within the next 1.5 seconds, restarts
// it, and checks that each message was sent once.
func (s *scheduler) round(t *testing.T, round int) {
	t.Helper()
	clients := map[string]string{} // by conversation
	for _, c := range s.conversations {
		clients[c] = kernel.NewID().String()
		s.call(t, "POST", "/conversations/"+c+"/scheduled", fmt.Sprintf(`{"client_id":%q,"send_at":%q,"text":"round %d"}`,
			clients[c], time.Now().Add(time.Hour).UTC().Format(time.RFC3339), round))
	}
	kerneltest.Exec(t, s.Dir, s.database, fmt.Sprintf(`UPDATE scheduled_messages SET send_at = %d WHERE status = 'scheduled'`, time.Now().Add(200*time.Millisecond).UnixMilli()))
	select {
	case <-time.After(rand.N(1500 * time.Millisecond)):
	case <-s.Ended():
		t.Fatal("the server exited before it was killed")
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

// call sends a request with the demo's key and returns the response.
func (s *scheduler) call(t *testing.T, method, path, body string) map[string]any {
	t.Helper()
	return load.Must(t, load.Single(s.URL), load.NewRequest(s.Demo.Companies[0].APIKey, method, path, body))
}
