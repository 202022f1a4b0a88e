package main

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"recado/test/chatwoot"
	"recado/test/testkit"
)

func TestImportChatwoot(t *testing.T) {
	from := testkit.Database(t, "")
	conn, err := pgx.Connect(t.Context(), from)
	if err != nil {
		t.Fatal(err)
	}
	_, err = conn.PgConn().Exec(t.Context(), chatwoot.Schema+`
		INSERT INTO accounts (name, created_at) VALUES ('Clara', '2024-01-01');
		INSERT INTO inboxes (account_id, name, channel_type) VALUES (1, 'Loja', 'Channel::Whatsapp'), (1, 'Mail', 'Channel::Email');
		INSERT INTO contacts (name, phone_number, account_id) VALUES ('Maria', '+5511987650001', 1);
		INSERT INTO conversations (account_id, inbox_id, contact_id, created_at, last_activity_at) VALUES (1, 1, 1, '2024-02-01', '2024-02-01');
		INSERT INTO messages (inbox_id, conversation_id, message_type, content, created_at) VALUES (1, 1, 0, 'Oi', '2024-02-01');`).ReadAll()
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	vars := map[string]string{"RECADO_DATA": t.TempDir(), "RECADO_FROM": from}
	ok := func(args ...string) string {
		t.Helper()
		code, out, stderr := recado(t, vars, args...)
		if code != 0 {
			t.Fatalf("%v: exit %d %s", args, code, stderr)
		}
		return out
	}
	company := strings.TrimSpace(ok("company", "create", "Casa Clara"))
	out := ok("channel", "add", "--company", company, "--name", "Box", "--provider", "sandbox", "--phone", "+5511912345678")
	channel, _, _ := strings.Cut(out, "\n")
	importing := []string{"import", "chatwoot", "--account", "1", "--channel", "1=" + channel}

	t.Run("a dry run says what there is", func(t *testing.T) {
		testkit.Contains(t, "output", ok(append(importing, "--dry-run")...), "         1 messages\n")
	})
	t.Run("the import is repeated without effect", func(t *testing.T) {
		first, second := ok(importing...), ok(importing...)
		for _, want := range []string{"contacts                 1 of 1\n", "         1 messages\n", "Left out: inbox 2  Mail (Email)\n"} {
			testkit.Contains(t, "output", first, want)
		}
		testkit.Contains(t, "output of the second run", second, "         0 messages\n")
	})
	t.Run("wrong values name the flag", func(t *testing.T) {
		for _, c := range []struct {
			code int
			says string
			args []string
		}{
			{2, "--from", append(importing, "--from", "mysql://x")},
			{2, "--channel", []string{"import", "chatwoot", "--account", "1", "--channel", "Loja=" + channel}},
			{2, "--channel", []string{"import", "chatwoot", "--account", "1", "--channel", "1=2"}},
			{1, "1  Loja (Whatsapp)", []string{"import", "chatwoot", "--account", "1", "--channel", "2=" + channel}},
			{1, "no inbox has a channel", []string{"import", "chatwoot", "--account", "1", "--channel", "1=none"}},
		} {
			code, _, stderr := recado(t, vars, c.args...)
			if code != c.code || !strings.Contains(stderr, c.says) {
				t.Errorf("%v: exit %d %s, want %d and %q", c.args, code, stderr, c.code, c.says)
			}
		}
	})
}
