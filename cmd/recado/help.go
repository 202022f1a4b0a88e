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
	return printed(e, "recado "+version, nil)
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
			names := map[string]bool{}
			for _, child := range node.Children {
				names[child.Name] = !child.Hidden
			}
			if near := nearest(word, names); near != "" {
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

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints a script that calls this program for completions, so that it is never outdated.
func (c *completionCmd) Run(e *env) error {
	_, err := fmt.Fprint(e.stdout, completions[c.Shell])
	return err
}

// completions contains the scripts. If there are no completions, the shell offers file names.
var completions = map[string]string{
	"bash": `# Load it with: source <(recado completion bash)
_recado() {
  local IFS=$'\n'
  COMPREPLY=($("${COMP_WORDS[0]}" complete-words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _recado recado
`,
	"zsh": `#compdef recado
# Load it with: source <(recado completion zsh)
_recado() {
  local -a found
  found=("${(@f)$("${words[1]}" complete-words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "${found[1]}" ]]; then
    compadd -- "${found[@]}"
  else
    _files
  fi
}
if [[ "${funcstack[1]}" == _recado ]]; then # loaded from fpath by the first completion
  _recado
else
  compdef _recado recado
fi
`,
	"fish": `# Load it with: recado completion fish | source
function __recado_words
  set -l words (commandline -opc)
  recado complete-words -- $words[2..-1] "$(commandline -ct)" 2>/dev/null
end
complete -c recado -f -n 'test -n "$(__recado_words)"' -a '(__recado_words)'
`,
}

// completeCmd is called by the scripts.
type completeCmd struct {
	Words []string `arg:"" optional:"" help:"Words of the command line after the program name."`
}

func (c *completeCmd) Run(e *env, k *kong.Context) error {
	for _, word := range complete(k.Model.Node, c.Words) {
		if _, err := fmt.Fprintln(e.stdout, word); err != nil {
			return err
		}
	}
	return nil
}

// complete returns the completions of the last word.
func complete(node *kong.Node, words []string) (found []string) {
	if len(words) == 0 {
		words = []string{""}
	}
	last := words[len(words)-1]
	add := func(candidates ...string) {
		for _, candidate := range candidates {
			if strings.HasPrefix(candidate, last) {
				found = append(found, candidate)
			}
		}
	}
	positional := 0
	var waiting *kong.Flag // for its value
	for _, word := range words[:len(words)-1] {
		child := childOf(node, word)
		switch {
		case waiting != nil:
			waiting = nil
		case strings.HasPrefix(word, "-"):
			waiting = flagWithValue(node, word)
		case child != nil:
			node = child
		default:
			positional++
		}
	}
	switch {
	case waiting != nil:
		add(enumOf(waiting.Value)...)
	case strings.HasPrefix(last, "-"):
		for _, group := range node.AllFlags(true) {
			for _, flag := range group {
				add("--" + flag.Name)
			}
		}
	default:
		for _, child := range node.Children {
			if !child.Hidden {
				add(child.Name)
			}
		}
		if positional < len(node.Positional) {
			add(enumOf(node.Positional[positional])...)
		}
	}
	slices.Sort(found)
	return found
}

// flagWithValue returns the flag of a word if its value is the next word, and nil otherwise.
func flagWithValue(node *kong.Node, word string) *kong.Flag {
	for _, group := range node.AllFlags(false) {
		for _, flag := range group {
			if word == "--"+flag.Name && !flag.IsBool() {
				return flag
			}
		}
	}
	return nil
}

func enumOf(v *kong.Value) []string {
	if v.Enum == "" {
		return nil
	}
	return strings.Split(v.Enum, ",")
}
