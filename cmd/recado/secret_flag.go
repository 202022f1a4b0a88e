package main

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

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
		if u, err := url.Parse(flag.Target.String()); (flag.Name == "database-url" || flag.Name == "to") && err == nil {
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
