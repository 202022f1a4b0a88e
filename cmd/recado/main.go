// Command recado runs the server and its administrative commands. This package only parses flags and connects packages.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/mattn/go-isatty"

	"recado/internal/kernel"
)

// version is the version of the release. Builds may override it.
var version = "0.1.0"

func main() {
	keepPrivate()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, process{
		args: os.Args[1:], environ: os.Environ(), settings: defaultSettings, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
	}))
}

// process is the environment of the process.
type process struct {
	args           []string
	environ        []string
	settings       string // the default settings file; "": none
	stdin          io.Reader
	stdout, stderr io.Writer
}

// getenv returns an environment variable, or "".
func (p process) getenv(name string) string {
	for _, pair := range p.environ {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}

// cli contains all commands.
type cli struct {
	Serve            serveCmd      `cmd:"" help:"Run the server."`
	Company          companyCmd    `cmd:"" help:"Create and list companies."`
	User             userCmd       `cmd:"" help:"Create and list team members, and restore their access."`
	Key              keyCmd        `cmd:"" help:"Create, list and revoke API keys."`
	Channel          channelCmd    `cmd:"" help:"List, connect, test and disconnect WhatsApp numbers."`
	SecretKey        secretCmd     `cmd:"" name:"secret-key" help:"Manage the key that encrypts stored secrets."`
	Report           reportCmd     `cmd:"" help:"Rebuild the manager report."`
	Backup           backupCmd     `cmd:"" help:"Write the database, media and secret key of a SQLite installation to one archive; the server may be running."`
	Restore          restoreCmd    `cmd:"" help:"Check a backup and restore it to a data folder without a database."`
	Move             moveCmd       `cmd:"" help:"Move an installation from SQLite to PostgreSQL or back, while the server is stopped."`
	Export           exportCmd     `cmd:"" help:"Write everything as NDJSON and media to a folder; the server may be running."`
	Import           importCmd     `cmd:"" help:"Import from a folder written by export, or from another system."`
	Listen           listenCmd     `cmd:"" help:"Receive webhook deliveries, verify their signatures and print them."`
	SimulateWhatsApp simulateCmd   `cmd:"" name:"simulate-whatsapp" help:"Run a simulated WhatsApp Cloud API that sends nothing, for testing."`
	Health           healthCmd     `cmd:"" help:"Check whether a server is ready; exits with status 0 if it is."`
	Completion       completionCmd `cmd:"" help:"Print a shell completion script."`
	CompleteWords    completeCmd   `cmd:"" name:"complete-words" hidden:"" help:"Print the possible next words, for completion scripts."`
	Help             helpCmd       `cmd:"" help:"Show help for a command."`
	Version          versionCmd    `cmd:"" help:"Print the version."`

	Config string `help:"File with the settings of the installation, one RECADO_SOME_FLAG=value per line; default: /etc/recado/recado.env, if it exists." placeholder:"FILE"`

	VersionFlag versionFlag `name:"version" noenv:"" help:"Print the version."`
}

// env is the environment of a command.
type env struct {
	ctx    context.Context
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	log    *slog.Logger
	getenv func(string) string
}

// errUsage marks a usage error, with exit code 2.
var errUsage = errors.New("usage")

// run runs a command and returns the exit code.
func run(ctx context.Context, p process) int {
	settings, unread, err := readSettings(p)
	if err != nil {
		_, _ = fmt.Fprintln(p.stderr, "recado:", err)
		return 2
	}
	p.environ = append(slices.Clone(p.environ), settings...) // environment variables come first and take precedence
	var c cli
	exited, code := false, 0
	parser, err := kong.New(&c,
		kong.Name("recado"),
		kong.Description("A self-hosted WhatsApp customer-service desk: one binary, one API. Every flag --some-flag can also be set as RECADO_SOME_FLAG in the environment. Set secrets there or in a file given with --some-flag-file (- for standard input), because flags are visible in the process list."),
		kong.Writers(p.stdout, p.stderr),
		kong.Exit(func(status int) { exited, code = true, status }),
		kong.Resolvers(environment(p.getenv)),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	if err != nil {
		_, _ = fmt.Fprintln(p.stderr, "recado:", err)
		return 1
	}
	command, err := parser.Parse(p.args)
	if exited { // --help
		return code
	}
	if err != nil {
		_, _ = fmt.Fprintf(p.stderr, "recado: %s\n", explain(err, parser.Model.Node))
		return 2
	}
	e := &env{ctx: ctx, stdin: p.stdin, stdout: p.stdout, stderr: p.stderr, log: newLogger(p.stderr, p.getenv), getenv: p.getenv}
	if unread != "" {
		e.log.Warn(unread)
	}
	for _, warning := range slices.Concat(unknownVariables(p.environ, parser.Model.Node), exposedSecrets(p.args, command.Flags())) {
		e.log.Warn(warning)
	}
	if err = readSecrets(p, command.Flags()); err == nil {
		err = terminalError(command.Run(e))
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errUsage):
		text := strings.TrimSuffix(err.Error(), " ("+errUsage.Error()+")")
		_, _ = fmt.Fprintf(p.stderr, "recado: %s\nTry: recado %s --help\n", text, command.Selected().Path())
		return 2
	default:
		_, _ = fmt.Fprintln(p.stderr, "recado:", err)
		return 1
	}
}

// terminalError converts an error of the desk for the terminal, without the code and the field names of the API. Invalid values
// are usage errors, but credentials that WhatsApp refuses are not.
func terminalError(err error) error {
	known, ok := errors.AsType[*kernel.Error](err)
	if !ok {
		return err
	}
	text := strings.Replace(err.Error(), string(known.Code)+": ", "", 1)
	if known.Code != kernel.CodeInvalidRequest || len(known.Fields) == 0 {
		return errors.New(text)
	}
	text = strings.ReplaceAll(text, "body.", "")
	if strings.HasPrefix(known.Fields[0].Field, "body.credentials") {
		return errors.New(text)
	}
	return fmt.Errorf("%s (%w)", text, errUsage)
}

// environment sets flags such as --some-flag from RECADO_SOME_FLAG. The command line takes precedence. Flags with another meaning
// for the server are marked noenv.
func environment(getenv func(string) string) kong.Resolver {
	return kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		if value := getenv(variable(flag.Name)); value != "" && !flag.Tag.Has("noenv") {
			return value, nil
		}
		return nil, nil
	})
}

// variable returns the environment variable of a flag.
func variable(flag string) string {
	return variablePrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// newLogger returns a logger that writes text or JSON.
func newLogger(w io.Writer, getenv func(string) string) *slog.Logger {
	options := &slog.HandlerOptions{Level: slog.LevelInfo}
	if getenv(debugVariable) != "" {
		options.Level = slog.LevelDebug
	}
	if f, ok := w.(*os.File); ok && isatty.IsTerminal(f.Fd()) {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}
