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
	// defaultSettings is the file of settings that the unit of systemd gives the server.
	defaultSettings = "/etc/recado/recado.env"
	// defaultFolder is the data folder of the unit.
	defaultFolder = "/var/lib/recado"

	configFlag = "config"
)

// installationCommands work on an installation or ask its server. Only they read its settings.
var installationCommands = []string{"serve", "company", "user", "key", "channel", "secret-key", "report", "backup", "restore", "move", "health"}

// placeFlags say where the data of an installation are.
var placeFlags = []string{"data", "database-url", "database-url-file"}

// readSettings returns the variables of the settings file, so that a command works with the settings of the server. The default
// file is not used for another installation: when the command names a data folder or a database that are not those of the file.
// Where the default file exists and cannot be read, unread says so.
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

// elsewhere reports whether the command line or the environment names another place of the data than the settings do.
func (p process) elsewhere(settings []string) bool {
	in := process{environ: append(slices.Clone(settings), variable("data")+"="+defaultFolder)}
	return slices.ContainsFunc(placeFlags, func(flag string) bool {
		value, given := p.given(flag)
		return given && filepath.Clean(value) != filepath.Clean(in.getenv(variable(flag)))
	})
}

// command returns the first word of the command line, which is a command unless --config comes before it.
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

// given returns the value of a flag on the command line, or else of its variable in the environment.
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

// parseSettings reads the form of systemd's EnvironmentFile: a NAME=value a line, comments that begin with # or ;, and quotes
// around a value.
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
			return nil, fmt.Errorf("line %d is not of the form NAME=value", number) // the line may hold a secret
		}
		variables = append(variables, name+"="+unquoted(strings.TrimSpace(value)))
	}
	return variables, nil
}

// unquoted takes the quotes away that surround a value.
func unquoted(value string) string {
	if n := len(value); n >= 2 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
		return value[1 : n-1]
	}
	return value
}
