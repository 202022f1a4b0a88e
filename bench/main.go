// Command bench compares the speed of the server with references measured in the same run: a bare HTTP handler that
// returns the same bytes, and the raw database engine with the same rows.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout)
	stop()
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// settings are the command-line flags.
type settings struct {
	engines  []string
	chosen   *regexp.Regexp
	total    time.Duration // of all rounds of a contender
	rounds   int
	conns    int
	binary   string
	other    string
	messages int // of each build at the start of the scenario builds
	parent   string
	strict   bool
	profiles string // folder
	postgres string
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	if len(args) > 0 {
		switch args[0] {
		case "bare":
			return serveBare(ctx, stdin, stdout)
		case "soak":
			return runSoak(ctx, args[1:], stdout)
		case "move":
			return runMove(ctx, args[1:], stdout)
		case "chatwoot":
			return runChatwoot(ctx, args[1:], stdout)
		}
	}
	settings, out, err := parse(args)
	if err != nil {
		return err
	}
	report := newReport(append([]string{"bench"}, args...))
	for _, engine := range settings.engines {
		for _, scenario := range scenarios {
			if !settings.chosen.MatchString(scenario.name) {
				continue
			}
			fmt.Fprintf(os.Stderr, "%s on %s: %s\n", scenario.name, engine, scenario.about)
			b := &bench{settings: settings, engine: engine, scenario: scenario.name, report: report}
			err := scenario.run(ctx, b)
			b.close()
			if err != nil {
				return fmt.Errorf("%s on %s: %w", scenario.name, engine, err)
			}
		}
	}
	if len(report.rows) == 0 {
		return fmt.Errorf("no scenario has that name; there are: %s", names())
	}
	text := report.String()
	fmt.Fprint(stdout, text)
	if out != "" {
		if err := os.WriteFile(out, []byte(text), 0o644); err != nil {
			return err
		}
	}
	if missed := report.missed(); settings.strict && len(missed) > 0 {
		return fmt.Errorf("goals missed: %s", strings.Join(missed, ", "))
	}
	return nil
}

func parse(args []string) (*settings, string, error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	engine := flags.String("engine", "sqlite", "sqlite, postgres or both")
	chosen := flags.String("run", ".*", "run the scenarios whose whole name matches this regular expression: "+names())
	seconds := flags.Float64("seconds", 9, "total duration of all rounds of each contender")
	rounds := flags.Int("rounds", 3, "number of rounds")
	conns := flags.Int("conns", 64, "concurrent connections or writers")
	binary := flags.String("binary", "bin/recado", "the server to measure")
	other := flags.String("other", "", "another build for the scenarios builds and search; search needs the same schema")
	messages := flags.Int("messages", 6_000, "messages of each build at the start of the scenario builds")
	parent := flags.String("dir", "/var/tmp", "parent of the data folders; a disk, not a memory file system")
	strict := flags.Bool("strict", false, "fail when a goal is missed")
	profiles := flags.String("profile", "", "folder for CPU and allocation profiles of the servers; they cost a little speed")
	out := flags.String("out", "", "also write the report to this file")
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: bench [flags], bench soak [flags], bench move [flags], bench chatwoot [flags]; RECADO_TEST_POSTGRES is the server")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return nil, "", err
	}

	s := &settings{
		rounds: *rounds, conns: *conns, binary: *binary, other: *other, messages: *messages, parent: *parent, strict: *strict,
		profiles: *profiles, total: time.Duration(*seconds * float64(time.Second)),
	}
	var err error
	if s.engines, s.postgres, err = chooseEngines(*engine); err != nil {
		return nil, "", err
	}
	if flags.NArg() > 0 {
		return nil, "", fmt.Errorf("unknown argument %q", flags.Arg(0))
	}
	if s.total <= 0 || s.rounds <= 0 || s.conns <= 0 {
		return nil, "", errors.New("-seconds, -rounds and -conns must be above zero")
	}
	if s.chosen, err = regexp.Compile("^(?:" + *chosen + ")$"); err != nil {
		return nil, "", fmt.Errorf("-run: %w", err)
	}
	return s, *out, nil
}

// chooseEngines parses the flag -engine and returns the URL of PostgreSQL if it is used.
func chooseEngines(flag string) (engines []string, postgres string, err error) {
	switch flag {
	case "sqlite", "postgres":
		engines = []string{flag}
	case "both":
		engines = []string{"sqlite", "postgres"}
	default:
		return nil, "", fmt.Errorf("-engine must be sqlite, postgres or both, not %q", flag)
	}
	postgres = os.Getenv("RECADO_TEST_POSTGRES")
	if flag != "sqlite" && postgres == "" {
		return nil, "", errors.New("RECADO_TEST_POSTGRES is not set; scripts/with-postgres --durable sets it")
	}
	return engines, postgres, nil
}
