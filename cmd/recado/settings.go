package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

const (
	// defaultSettings is the settings file of the systemd unit.
	defaultSettings = "/etc/recado/recado.env"
	// defaultFolder is the data folder of the systemd unit.
	defaultFolder = "/var/lib/recado"

	configFlag = "config"
)

// installationCommands lists the commands that use an installation. Only they read its settings.
var installationCommands = []string{"serve", "company", "user", "key", "channel", "secret-key", "report", "backup", "restore", "move", "export", "import", "health"}

// placeFlags lists the flags for the location of the data.
var placeFlags = []string{"data", "database-url", "database-url-file"}

// readSettings returns the variables of the settings file, so that commands use the settings of the server. The default file is
// ignored if the command names another data folder or database. unread is a warning if the default file cannot be read.
func readSettings(p process) (variables []string, unread string, err error) {
	if !slices.Contains(installationCommands, p.command()) {
		return nil, "", nil
	}
	file, named := p.given(configFlag)
	if !named {
		file = p.settings
	}
	if file == "" {
		return nil, "", nil
	}
	text, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !named:
		return nil, "", nil
	case err != nil && !named:
		return nil, fmt.Sprintf("the settings in %s are not used, because the file cannot be read (%v): run the command as the user of the server, or as root", file, errors.Unwrap(err)), nil
	case err != nil:
		return nil, "", fmt.Errorf("--%s: %w", configFlag, err)
	}
	if variables, err = parseSettings(string(text)); err != nil {
		return nil, "", fmt.Errorf("%s: %w", file, err)
	}
	if !named && p.elsewhere(variables) {
		return nil, "", nil
	}
	return variables, "", nil
}

// elsewhere reports whether the command line or the environment names another location of the data than the settings.
func (p process) elsewhere(settings []string) bool {
	in := process{environ: append(slices.Clone(settings), variable("data")+"="+defaultFolder)}
	return slices.ContainsFunc(placeFlags, func(flag string) bool {
		value, given := p.given(flag)
		return given && filepath.Clean(value) != filepath.Clean(in.getenv(variable(flag)))
	})
}

// command returns the command on the command line, which --config may precede.
func (p process) command() string {
	args := p.args
	for len(args) > 0 && strings.HasPrefix(args[0], "--"+configFlag) {
		if !strings.Contains(args[0], "=") {
			args = args[1:]
		}
		args = args[min(1, len(args)):]
	}
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// given returns the value of a flag from the command line or the environment.
func (p process) given(flag string) (value string, given bool) {
	for i, arg := range p.args {
		if value, ok := strings.CutPrefix(arg, "--"+flag+"="); ok {
			return value, true
		}
		if arg == "--"+flag && i+1 < len(p.args) {
			return p.args[i+1], true
		}
	}
	value = p.getenv(variable(flag))
	return value, value != ""
}

// parseSettings parses the format of systemd's EnvironmentFile: lines NAME=value with optional quotes, and comments that begin
// with # or ;.
func parseSettings(text string) (variables []string, err error) {
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		name, value, found := strings.Cut(line, "=")
		if name = strings.TrimSpace(name); !found || name == "" || strings.ContainsAny(name, " \t") {
			return nil, fmt.Errorf("line %d is not of the form NAME=value", number) // the line may contain a secret
		}
		value = strings.TrimSpace(value)
		if n := len(value); n >= 2 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
			value = value[1 : n-1]
		}
		variables = append(variables, name+"="+value)
	}
	return variables, nil
}

const (
	variablePrefix = "RECADO_"
	debugVariable  = variablePrefix + "DEBUG"
)

// unknownVariables warns about variables that look like settings but do not exist, and suggests similar ones. It does not show
// values.
func unknownVariables(environ []string, commands *kong.Node) []string {
	known := map[string]bool{debugVariable: true}
	addVariables(known, commands)
	var warnings []string
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, variablePrefix) || known[name] {
			continue
		}
		warning := "the variable " + name + " is not a setting of Recado and has no effect"
		if near := nearest(name, known); near != "" {
			warning += "; did you mean " + near + "?"
		}
		warnings = append(warnings, warning)
	}
	slices.Sort(warnings)
	return warnings
}

// addVariables adds the variables of all flags.
func addVariables(known map[string]bool, node *kong.Node) {
	for _, flag := range node.Flags {
		if flag.Name != "help" && !flag.Tag.Has("noenv") {
			known[variable(flag.Name)] = true
		}
	}
	for _, child := range node.Children {
		addVariables(known, child)
	}
}

// nearest returns the most similar known name, or "" if there is none.
func nearest(name string, known map[string]bool) string {
	best, least := "", 4
	for candidate := range known {
		if d := distance(name, candidate); d < least || d == least && candidate < best {
			best, least = candidate, d
		}
	}
	if least > 3 {
		return ""
	}
	return best
}

// distance returns the edit distance of two names.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}

// maxSecretFile is the maximum size of a file with a secret.
const maxSecretFile = 64 << 10

// fileSuffix is the suffix of flags that name a file with the value of a secret flag.
const fileSuffix = "-file"

// exposedSecrets warns about secrets on the command line, which all users of the machine can see. A database URL is a secret only
// if it contains a password.
func exposedSecrets(args []string, flags []*kong.Flag) []string {
	var warnings []string
	for _, flag := range flags {
		if !flag.Tag.Has("secret") || !onCommandLine(args, flag.Name) {
			continue
		}
		if u, err := url.Parse(flag.Target.String()); slices.Contains([]string{"database-url", "from", "to"}, flag.Name) && err == nil {
			if _, has := u.User.Password(); !has {
				continue
			}
		}
		warnings = append(warnings, fmt.Sprintf("--%[1]s is visible in the process list: set it as %[2]s, or in a file with --%[1]s%[3]s", flag.Name, variable(flag.Name), fileSuffix))
	}
	return warnings
}

// readSecrets sets the secret flags whose value is in a file. The command line takes precedence over variables.
func readSecrets(p process, flags []*kong.Flag) error {
	for _, flag := range flags {
		i := slices.IndexFunc(flags, func(f *kong.Flag) bool { return f.Name == flag.Name+fileSuffix })
		if !flag.Tag.Has("secret") || i < 0 || flags[i].Target.String() == "" {
			continue
		}
		given, file := onCommandLine(p.args, flag.Name), onCommandLine(p.args, flags[i].Name)
		switch {
		case flag.Target.String() == "" || file && !given:
		case given && !file:
			continue // the flag takes precedence over the variable
		default:
			return fmt.Errorf("--%[1]s and --%[1]s%[2]s cannot be combined (%[3]w)", flag.Name, fileSuffix, errUsage)
		}
		value, err := readSecretFile(flags[i].Target.String(), p.stdin)
		if err != nil {
			return fmt.Errorf("--%s: %w", flags[i].Name, err)
		}
		flag.Target.SetString(value)
	}
	return nil
}

// readSecretFile returns the content of a file, or of the standard input for "-", without the trailing newline.
func readSecretFile(name string, stdin io.Reader) (string, error) {
	source := stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return "", err
		}
		defer func() { _ = f.Close() }()
		source = f
	}
	content, err := io.ReadAll(io.LimitReader(source, maxSecretFile+1))
	switch value := strings.TrimRight(string(content), "\r\n"); {
	case err != nil:
		return "", err
	case value == "":
		return "", errors.New("it is empty")
	case len(content) > maxSecretFile:
		return "", errors.New("it is longer than any secret")
	default:
		return value, nil
	}
}

// onCommandLine reports whether the arguments contain a flag.
func onCommandLine(args []string, name string) bool {
	return slices.ContainsFunc(args, func(arg string) bool { return arg == "--"+name || strings.HasPrefix(arg, "--"+name+"=") })
}
