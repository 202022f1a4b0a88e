package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// defaultSettings is the settings file of the systemd unit.
	defaultSettings = "/etc/recado/recado.env"
	// defaultFolder is the data folder of the systemd unit.
	defaultFolder = "/var/lib/recado"

	configFlag = "config"
)

// installationCommands lists the commands that use an installation. Only they read its settings.
var installationCommands = []string{"serve", "company", "user", "key", "channel", "secret-key", "report", "backup", "restore", "move", "health"}

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
		variables = append(variables, name+"="+unquoted(strings.TrimSpace(value)))
	}
	return variables, nil
}

// unquoted removes the quotes around a value.
func unquoted(value string) string {
	if n := len(value); n >= 2 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
		return value[1 : n-1]
	}
	return value
}
