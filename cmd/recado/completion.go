package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

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
