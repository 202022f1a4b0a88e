package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// versionFlag prints the version and ignores the rest of the command line.
type versionFlag bool

// BeforeReset implements a kong hook that runs before commands are checked.
func (versionFlag) BeforeReset(app *kong.Kong) error {
	_, err := fmt.Fprintln(app.Stdout, "recado", version)
	app.Exit(0)
	return err
}

type versionCmd struct{}

func (versionCmd) Run(e *env) error {
	_, err := fmt.Fprintln(e.stdout, "recado", version)
	return err
}

type helpCmd struct {
	Command []string `arg:"" optional:"" help:"The command to show help for."`
}

func (c *helpCmd) Run(k *kong.Context) error {
	node, words := k.Model.Node, slices.Clone(c.Command)
	for i, word := range words {
		child := childOf(node, word)
		if child == nil {
			err := fmt.Sprintf("there is no command %q", strings.Join(words[:i+1], " "))
			if near := nearest(word, commandNames(node)); near != "" {
				err += fmt.Sprintf(", did you mean %q?", near)
			}
			return fmt.Errorf("%s (%w)", err, errUsage)
		}
		node = child
	}
	_, _ = k.Parse(append(words, "--help")) // prints the help and fails because there is no command
	return nil
}

// childOf returns the subcommand with a name.
func childOf(node *kong.Node, name string) *kong.Node {
	i := slices.IndexFunc(node.Children, func(child *kong.Node) bool { return child.Name == name && !child.Hidden })
	if i < 0 {
		return nil
	}
	return node.Children[i]
}

func commandNames(node *kong.Node) map[string]bool {
	names := map[string]bool{}
	for _, child := range node.Children {
		names[child.Name] = !child.Hidden
	}
	return names
}

// explain adds to a usage error which command has a flag, and how to get help.
func explain(err error, root *kong.Node) string {
	text, command := err.Error(), root
	if failed, ok := errors.AsType[*kong.ParseError](err); ok && failed.Context.Selected() != nil {
		command = failed.Context.Selected()
	}
	if name, unknown := strings.CutPrefix(text, "unknown flag --"); unknown && !strings.Contains(name, ",") {
		text += whereFlagBelongs(name, command, root)
	}
	return text + "\nTry: " + command.FullPath() + " --help"
}

// whereFlagBelongs names the commands that have a flag, or a flag of the command with a similar name.
func whereFlagBelongs(name string, command, root *kong.Node) string {
	var have []string
	_ = kong.Visit(root, func(node kong.Visitable, next kong.Next) error {
		if n, ok := node.(*kong.Node); ok && slices.ContainsFunc(n.Flags, func(f *kong.Flag) bool { return f.Name == name }) {
			have = append(have, n.FullPath())
		}
		return next(nil)
	})
	switch {
	case len(have) == 0:
		return similarFlag(name, command)
	case command == root:
		return ": flags come after the command, such as " + have[0] + " --" + name
	case len(have) > 3:
		return ": it is a flag of other commands, such as " + have[0]
	}
	return ": it is a flag of " + strings.Join(have, " and ")
}

func similarFlag(name string, command *kong.Node) string {
	known := map[string]bool{}
	for _, group := range command.AllFlags(true) {
		for _, flag := range group {
			known[flag.Name] = true
		}
	}
	near := nearest(name, known)
	if near == "" || len(near) < 8 { // short names differ too much
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", "--"+near)
}
