package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/mattn/go-isatty"

	"recado/internal/chatwoot"
	"recado/internal/kernel"
	"recado/internal/server"
)

type importChatwootCmd struct {
	databaseFlags
	S3 s3Flags `embed:"" prefix:"s3-" group:"Media in S3, as passed to recado serve (default: the data folder):"`

	From    string            `secret:"" help:"URL of Chatwoot's PostgreSQL database. It is only read." placeholder:"URL"`
	Account int64             `noenv:"" required:"" help:"Id of the account in Chatwoot." placeholder:"N"`
	Channel map[string]string `noenv:"" required:"" help:"The channel that the conversations of an inbox become part of, by their ids; none leaves the inbox out. Once for each inbox." placeholder:"INBOX=CHANNEL"`
	Media   string            `noenv:"" help:"Chatwoot's storage folder, or a copy of its bucket. Without it files are marked as missing; a later run can add them." placeholder:"DIR"`
	DryRun  bool              `name:"dry-run" noenv:"" help:"Change nothing; print what the account has."`

	FromFile string `name:"from-file" help:"File that contains the URL." placeholder:"FILE"`
}

func (c *importChatwootCmd) Run(e *env) error {
	config, err := c.config(e)
	if err != nil {
		return err
	}
	if config.S3, err = c.S3.options(); err != nil {
		return err
	}
	if !strings.HasPrefix(c.From, "postgres://") && !strings.HasPrefix(c.From, "postgresql://") {
		return fmt.Errorf("--from must be the postgres://… address of Chatwoot's database (%w)", errUsage)
	}
	inboxes, err := c.inboxes()
	if err != nil {
		return err
	}
	config.Existing, config.Media = true, true
	return withConfig(e, config, func(ctx context.Context, d *server.Desk) error {
		bar := &progressBar{w: e.stdout, terminal: isTerminal(e.stdout)}
		started := time.Now()
		result, err := chatwoot.Import(ctx, chatwoot.Options{
			People: d.People, Channels: d.Channels, Talk: d.Talk, From: c.From, Account: c.Account, Media: c.Media, Inboxes: inboxes, DryRun: c.DryRun,
			Progress: bar.show,
		})
		bar.end()
		if err == nil && result.Attendances+result.Updated > 0 && !c.DryRun {
			err = d.Reports.RebuildReport(ctx, result.Company)
		}
		if ctx.Err() != nil {
			return fmt.Errorf("the import was stopped; run the same command again to continue")
		}
		if err != nil {
			return err
		}
		return c.report(e.stdout, &result, time.Since(started))
	})
}

// inboxes parses the values of --channel.
func (c *importChatwootCmd) inboxes() (map[int64]kernel.ID, error) {
	inboxes := map[int64]kernel.ID{}
	for inbox, channel := range c.Channel {
		id, err := strconv.ParseInt(inbox, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("--channel: %q is not the id of an inbox (%w)", inbox, errUsage)
		}
		inboxes[id] = kernel.ID{}
		if channel != "none" {
			if inboxes[id], err = parseID("--channel", channel); err != nil {
				return nil, err
			}
		}
	}
	return inboxes, nil
}

func (c *importChatwootCmd) report(w io.Writer, r *chatwoot.Result, took time.Duration) error {
	var b strings.Builder
	if c.DryRun {
		b.WriteString("The account has, with what was imported before:\n")
	} else {
		fmt.Fprintf(&b, "Imported in %s:\n", took.Round(time.Second))
	}
	for _, line := range []struct {
		n    int64
		what string
	}{
		{r.People, "people"},
		{r.Sectors, "teams as sectors"},
		{r.Labels, "labels"},
		{r.Replies, "canned responses as replies"},
		{r.Contacts, "contacts"},
		{r.Attendances, "conversations as attendances"},
		{r.Messages, "messages"},
		{r.Notes, "notes"},
		{r.Files, "files"},
	} {
		fmt.Fprintf(&b, "%10d %s\n", line.n, line.what)
	}
	for _, line := range []struct {
		n    int64
		what string
	}{
		{r.Updated, "attendances of an earlier import were updated"},
		{r.NoPhone, "contacts without a phone number were left out"},
		{r.LeftOut, "conversations with them or with erased people were left out"},
		{r.MissingFiles, "files are missing; run the command again with --media to add them"},
	} {
		if line.n > 0 {
			fmt.Fprintf(&b, "%10d %s\n", line.n, line.what)
		}
	}
	for _, inbox := range r.OtherInboxes {
		fmt.Fprintf(&b, "Left out: inbox %s\n", inbox)
	}
	for _, problem := range r.Problems {
		fmt.Fprintf(&b, "Not imported: %s\n", problem)
	}
	if more := r.ProblemsTotal - int64(len(r.Problems)); more > 0 {
		fmt.Fprintf(&b, "Not imported: %d more\n", more)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// progressBar shows the progress of an import: a bar on a terminal, otherwise lines, at most one every five seconds in a phase.
type progressBar struct {
	w        io.Writer
	terminal bool
	phase    string
	shown    time.Time
	began    time.Time
}

const barWidth = 30

func (b *progressBar) show(p chatwoot.Progress) {
	now := time.Now()
	if p.Phase != b.phase {
		b.end()
		b.phase, b.began, b.shown = p.Phase, now, time.Time{}
	}
	last := p.Done >= p.Total
	pause := 5 * time.Second
	if b.terminal {
		pause = 100 * time.Millisecond
	}
	if now.Sub(b.shown) < pause && !last {
		return
	}
	b.shown = now
	line := fmt.Sprintf("%-16s %9d of %d", p.Phase, p.Done, p.Total)
	if p.Messages > 0 {
		line += fmt.Sprintf(", %d messages", p.Messages)
	}
	if !b.terminal {
		_, _ = fmt.Fprintln(b.w, line)
		return
	}
	filled := barWidth
	if p.Total > 0 {
		filled = int(min(p.Done, p.Total) * barWidth / p.Total)
	}
	if left := now.Sub(b.began); p.Done > 0 && !last {
		left = time.Duration(float64(left) * float64(p.Total-p.Done) / float64(p.Done))
		line += fmt.Sprintf(", %s left", left.Round(time.Second))
	}
	_, _ = fmt.Fprintf(b.w, "\r\x1b[K[%s%s] %s", strings.Repeat("#", filled), strings.Repeat("-", barWidth-filled), line)
}

// end ends the line of a bar.
func (b *progressBar) end() {
	if b.terminal && b.phase != "" {
		_, _ = fmt.Fprintln(b.w)
	}
	b.phase = ""
}
