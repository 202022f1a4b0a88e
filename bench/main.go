// Command bench measures the server beside reference points taken in the same run: a bare HTTP handler
// that returns the same bytes, and the raw engine doing the same rows. It judges speed, never correctness.
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

// settings are what the command line decides.
type settings struct {
	engines  []string
	chosen   *regexp.Regexp
	total    time.Duration // for each contender of a scenario, all rounds together
	rounds   int
	conns    int
	binary   string
	other    string
	messages int // that builds begins with
	parent   string
	strict   bool
	profiles string // folder
	postgres string
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	if len(args) > 0 && args[0] == "bare" {
		return serveBare(ctx, stdin, stdout)
	}
	if len(args) > 0 && args[0] == "soak" {
		return runSoak(ctx, args[1:], stdout)
	}
	if len(args) > 0 && args[0] == "move" {
		return runMove(ctx, args[1:], stdout)
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
		return fmt.Errorf("no scenario is called that; there are: %s", names())
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
	seconds := flags.Float64("seconds", 9, "how long each contender of a scenario runs, all rounds together")
	rounds := flags.Int("rounds", 3, "how many turns the contenders take")
	conns := flags.Int("conns", 64, "concurrent connections or writers")
	binary := flags.String("binary", "bin/recado", "the server to measure")
	other := flags.String("other", "", "another build: builds measures it beside this one; search, on a copy of the data, which needs the same schema")
	messages := flags.Int("messages", 6_000, "how many messages each build has when builds begins")
	parent := flags.String("dir", "/var/tmp", "where data folders are made; a disk, not a memory file system")
	strict := flags.Bool("strict", false, "fail when a goal is missed")
	profiles := flags.String("profile", "", "write processor and allocation profiles of the servers to this folder; figures suffer a little")
	out := flags.String("out", "", "write the report to this file too")
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: bench [flags], bench soak [flags], bench move [flags]    (PostgreSQL is found through RECADO_TEST_POSTGRES)")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return nil, "", err
	}

	s := &settings{
		rounds: *rounds, conns: *conns, binary: *binary, other: *other, messages: *messages, parent: *parent, strict: *strict, profiles: *profiles,
		total: time.Duration(*seconds * float64(time.Second)),
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

// chooseEngines reads the flag of that name, and where PostgreSQL is if it takes part.
func chooseEngines(flag string) (engines []string, postgres string, err error) {
	switch flag {
	case "sqlite", "postgres":
		engines = []string{flag}
	case "both":
		engines = []string{"sqlite", "postgres"}
	default:
		return nil, "", fmt.Errorf("-engine is sqlite, postgres or both, not %q", flag)
	}
	postgres = os.Getenv("RECADO_TEST_POSTGRES")
	if flag != "sqlite" && postgres == "" {
		return nil, "", errors.New("RECADO_TEST_POSTGRES is not set; scripts/with-postgres --durable sets it")
	}
	return engines, postgres, nil
}
