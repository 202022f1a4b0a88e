package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"recado/test/chatwoot"
)

// chatwootRows fills a database of Chatwoot: 20 messages per conversation and two conversations per contact. The number of
// messages is $messages.
const chatwootRows = `
INSERT INTO accounts (name, created_at) VALUES ('Bench', '2022-01-01');
INSERT INTO users (name, email) SELECT 'Agent ' || n, 'agent' || n || '@bench.example' FROM generate_series(1, 20) n;
INSERT INTO account_users (account_id, user_id) SELECT 1, n FROM generate_series(1, 20) n;
INSERT INTO inboxes (account_id, name, channel_type) VALUES (1, 'WhatsApp', 'Channel::Whatsapp');
INSERT INTO contacts (name, phone_number, account_id) SELECT 'Customer ' || n, '+551198' || 1000000 + n, 1 FROM generate_series(1, $messages / 40) n;
INSERT INTO conversations (account_id, inbox_id, status, assignee_id, contact_id, created_at, last_activity_at, first_reply_created_at)
	SELECT 1, 1, CASE WHEN n > $messages / 20 - 200 THEN 0 ELSE 1 END, 1 + n % 20, 1 + n % ($messages / 40),
		timestamp '2022-01-01' + n * interval '20 minutes', timestamp '2022-01-02' + n * interval '20 minutes', timestamp '2022-01-01' + n * interval '20 minutes'
	FROM generate_series(1, $messages / 20) n;
INSERT INTO messages (inbox_id, conversation_id, message_type, content, created_at, status, source_id, sender_type, sender_id)
	SELECT 1, 1 + n / 20, n % 2, 'Message ' || n || ' about an order, with a text of a usual length for a chat', timestamp '2022-01-01' + n * interval '1 minute',
		2, 'wamid.' || n, CASE n % 2 WHEN 1 THEN 'User' ELSE 'Contact' END, 1 + n % 20
	FROM generate_series(0, $messages - 1) n;
ANALYZE;`

// runChatwoot fills a database of Chatwoot and imports it into SQLite with a new process of the program. It prints the duration
// and the peak memory of the import, and of a second one that finds nothing new.
func runChatwoot(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("bench chatwoot", flag.ContinueOnError)
	messages := flags.Int("messages", 1_000_000, "messages to import; twenty per conversation")
	binary := flags.String("binary", "bin/recado", "the program to measure")
	parent := flags.String("dir", "/var/tmp", "parent of the data folder; a disk, not a memory file system")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *messages < 4000 || flags.NArg() > 0 {
		return errors.New("-messages must be at least 4000, and there must be no other arguments")
	}
	_, postgres, err := chooseEngines("both")
	if err != nil {
		return err
	}
	b := &bench{settings: &settings{binary: *binary, parent: *parent, postgres: postgres}, engine: "sqlite", scenario: "chatwoot"}
	defer b.close()
	source, err := b.freshDatabase(ctx)
	if err != nil {
		return err
	}
	if err := fillChatwoot(ctx, source, *messages); err != nil {
		return err
	}
	at, err := b.newLocation(ctx)
	if err != nil {
		return err
	}
	s, err := b.serve(ctx, at)
	if err != nil {
		return err
	}
	s.stop()
	for _, what := range []string{"import", "second import"} {
		run := exec.CommandContext(ctx, *binary, "import", "chatwoot", "--data", at.folder, "--from", source, "--account", "1",
			"--channel", "1="+s.demo.Companies[0].Channel)
		run.Stdout, run.Stderr = os.Stderr, os.Stderr
		started := time.Now()
		if err := run.Run(); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		took := time.Since(started)
		fmt.Fprintf(stdout, "%s of %d messages: %v, %.0f a second", what, *messages, took.Round(100*time.Millisecond), float64(*messages)/took.Seconds())
		if usage, ok := run.ProcessState.SysUsage().(*syscall.Rusage); ok {
			fmt.Fprintf(stdout, ", at most %d MiB of memory", usage.Maxrss/1024)
		}
		fmt.Fprintln(stdout)
	}
	return nil
}

func fillChatwoot(ctx context.Context, url string, messages int) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	sql := os.Expand(chatwoot.Schema+chatwootRows, func(string) string { return fmt.Sprint(messages) })
	_, err = conn.PgConn().Exec(ctx, sql).ReadAll()
	return err
}
