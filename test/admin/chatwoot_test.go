package admin

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"recado/test/binary"
	"recado/test/chatwoot"
	"recado/test/testkit"
)

func TestAKilledImportFromChatwootContinuesBesideTheServer(t *testing.T) {
	t.Parallel()
	from := testkit.Database(t, "")
	conn, err := pgx.Connect(t.Context(), from)
	if err != nil {
		t.Fatal(err)
	}
	_, err = conn.PgConn().Exec(t.Context(), chatwoot.Schema+`
		INSERT INTO accounts (name, created_at) VALUES ('Clara', '2024-01-01');
		INSERT INTO inboxes (account_id, name, channel_type) VALUES (1, 'Loja', 'Channel::Whatsapp');
		INSERT INTO contacts (name, phone_number, account_id) SELECT 'P' || n, '+551198' || 7000000 + n, 1 FROM generate_series(1, 700) n;
		INSERT INTO conversations (account_id, inbox_id, contact_id, created_at, last_activity_at)
			SELECT 1, 1, n, timestamp '2024-02-01' + n * interval '1 hour', '2024-04-01' FROM generate_series(1, 700) n;
		INSERT INTO messages (inbox_id, conversation_id, message_type, content, created_at)
			SELECT 1, 1 + n / 30, 0, 'text ' || n, timestamp '2024-03-01' + n * interval '1 second' FROM generate_series(0, 20999) n;`).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	p := binary.Serve(t, filepath.Join(t.TempDir(), "data"))
	args := []string{"import", "chatwoot", "--data", p.Dir, "--from", from, "--account", "1", "--channel", "1=" + p.Demo.Companies[1].Channel}
	killed := exec.CommandContext(t.Context(), p.Path, args...)
	out, err := killed.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	for text := bufio.NewScanner(out); text.Scan() && !strings.Contains(text.Text(), "messages"); {
	}
	_ = killed.Process.Kill()
	if killed.Wait() == nil {
		t.Fatal("the import ended before it was killed")
	}
	run := func(want string) {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), p.Path, args...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Fatalf("got %v %s, want %q", err, out, want)
		}
	}
	run("conversations          700 of 700, ")
	run("         0 messages\n")
	for _, number := range []string{"7000001", "7000350", "7000700"} {
		var conversations, messages struct {
			Data []struct{ ID string }
		}
		get(t, p, "/conversations?q="+number, &conversations)
		testkit.Equal(t, "conversations with "+number, len(conversations.Data), 1)
		get(t, p, "/conversations/"+conversations.Data[0].ID+"/messages?limit=100", &messages)
		testkit.Equal(t, "messages of "+number, len(messages.Data), 30)
	}
}

func get(t *testing.T, p *binary.Process, path string, into any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", p.URL+"/v1"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+p.Demo.Companies[1].APIKey)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil || resp.StatusCode != 200 {
		t.Fatalf("%s: %d %v", path, resp.StatusCode, err)
	}
}
