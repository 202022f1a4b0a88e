package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// runMove creates an installation on SQLite, moves it to PostgreSQL and back with `recado move`, backs it up and restores
// it. It prints the duration of each step.
func runMove(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("bench move", flag.ContinueOnError)
	messages := flags.Int("messages", 2_000_000, "messages to move; ten per conversation")
	binary := flags.String("binary", "bin/recado", "the program to measure")
	parent := flags.String("dir", "/var/tmp", "parent of the data folders; a disk, not a memory file system")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *messages < 10 || flags.NArg() > 0 {
		return errors.New("-messages must be at least 10, and there must be no other arguments")
	}
	_, postgres, err := chooseEngines("both")
	if err != nil {
		return err
	}
	b := &bench{
		settings: &settings{binary: *binary, parent: *parent, postgres: postgres}, engine: "sqlite", scenario: "move",
	}
	defer b.close()
	size := talkSize{conversations: *messages / 10, messages: *messages}
	at, err := b.makeInstallation(ctx, size)
	if err != nil {
		return err
	}
	database, err := b.freshDatabase(ctx)
	if err != nil {
		return err
	}
	back, err := b.folder()
	if err != nil {
		return err
	}
	archive, restored := filepath.Join(back, "backup.tar"), filepath.Join(back, "restored")
	for _, step := range []struct {
		what string
		args []string
	}{
		{"move to PostgreSQL", []string{"move", "--data", at.folder, "--to", database}},
		{"move to SQLite", []string{
			"move", "--data", at.folder, "--database-url", database, "--to", filepath.Join(back, "moved"),
		}},
		{"backup", []string{"backup", "--data", at.folder, archive}},
		{"restore", []string{"restore", "--data", restored, archive}},
	} {
		run := exec.CommandContext(ctx, *binary, step.args...)
		run.Stdout, run.Stderr = os.Stderr, os.Stderr
		started := time.Now()
		if err := run.Run(); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
		fmt.Fprintf(stdout, "%s of %s: %v\n", step.what, size, time.Since(started).Round(100*time.Millisecond))
	}
	return nil
}

// makeInstallation creates a data folder with that many messages, without a running server.
func (b *bench) makeInstallation(ctx context.Context, size talkSize) (location, error) {
	at, err := b.newLocation(ctx)
	if err != nil {
		return at, err
	}
	s, err := b.serve(ctx, at)
	if err != nil {
		return at, err
	}
	s.stop()
	w := newTalkWriter(s.demo.Companies[0], size)
	if err := at.onStore(ctx, w.conversations); err != nil {
		return at, err
	}
	return at, at.fill(ctx, "messages", messageColumns, size.messages, w.message)
}
