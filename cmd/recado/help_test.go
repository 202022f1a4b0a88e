package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recado/test/testkit"
)

func TestTheVersionIsAFlagAndACommand(t *testing.T) {
	for _, args := range [][]string{{"--version"}, {"version"}} {
		code, out, stderr := recado(t, map[string]string{"RECADO_VERSION_FILE": "x"}, args...)
		if code != 0 || out != "recado "+version+"\n" {
			t.Errorf("%v: exit %d %q %s", args, code, out, stderr)
		}
	}
}

func TestHelpExplainsACommand(t *testing.T) {
	for words, want := range map[string]string{"": "Usage: recado <command>", "key": "Usage: recado key <command>", "key create": "--scopes"} {
		args := strings.Fields(words)
		code, out, stderr := recado(t, nil, append([]string{"help"}, args...)...)
		if code != 0 || !strings.Contains(out, want) || stderr != "" {
			t.Errorf("help %s: exit %d %s %s", words, code, out, stderr)
		}
		if _, flag, _ := recado(t, nil, append(args, "--help")...); flag != out {
			t.Errorf("help %s differs from --help: %s", words, flag)
		}
	}
	for words, want := range map[string]string{"chanel": `there is no command "chanel", did you mean "channel"?`, "key made": `there is no command "key made"`} {
		code, _, stderr := recado(t, nil, append([]string{"help"}, strings.Fields(words)...)...)
		if code != 2 || !strings.Contains(stderr, want) {
			t.Errorf("help %s: exit %d %s", words, code, stderr)
		}
	}
}

func TestAWrongFlagIsPointedToTheRightOne(t *testing.T) {
	for line, want := range map[string]string{
		"serve --databse-url x":                      `did you mean "--database-url"?`,
		"serve --dbase-url x":                        `did you mean "--database-url"?`,
		"company list --demo":                        "it is a flag of recado serve",
		"serve --company x":                          "it is a flag of other commands, such as recado user create",
		"--data x serve":                             "flags come after the command, such as recado serve --data",
		"serve --weather":                            "Try: recado serve --help",
		"key create --company x --name y":            "missing flags: --scopes",
		"key create --company x --name y --scopes=a": "Try: recado key create --help",
		"key list --limits x":                        "Try: recado key list --help",
	} {
		code, _, stderr := recado(t, nil, strings.Fields(line)...)
		if code != 2 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, want %q in %s", line, code, want, stderr)
		}
	}
}

func TestEveryListingHasAHeaderAndJSON(t *testing.T) {
	for _, leaf := range leaves(t) {
		if leaf.Name == "list" && !hasFlag(leaf, "json") {
			t.Errorf("recado %s has no --json", leaf.Path())
		}
	}
	eachInstallation(t, func(t *testing.T, i *installation) {
		company := i.ok("company", "create", "Casa Clara")
		person := i.ok("user", "create", "--company", company, "--name", "Ana", "--email", "ana@clara.example", "--role", "owner")
		i.ok("key", "create", "--company", company, "--name", "CRM", "--scopes", "read")
		channel := i.ok("channel", "add", "--company", company, "--name", "Box", "--provider", "sandbox", "--phone", "+5511912345678")
		list := func(args ...string) (out []map[string]any) {
			text := i.ok(append(args, "--json")...)
			if err := json.Unmarshal([]byte(text), &out); err != nil || out == nil {
				t.Fatalf("%v: %v: %s", args, err, text)
			}
			return out
		}
		for _, c := range []struct {
			args        []string
			name, value string
			header      string
		}{
			{[]string{"company", "list"}, "id", company, "ID NAME TIME ZONE"},
			{[]string{"user", "list"}, "id", person, "COMPANY COMPANY ID EMAIL NAME ROLE TWO-FACTOR ID"},
			{[]string{"key", "list", "--company", company}, "name", "CRM", "ID NAME ACTS AS STATUS"},
			{[]string{"channel", "list", "--company", company}, "id", strings.Fields(channel)[0], "ID NAME PHONE PROVIDER STATUS"},
		} {
			lines := strings.Split(i.ok(c.args...), "\n")
			testkit.Equal(t, "lines of "+strings.Join(c.args, " "), len(lines), 2)
			testkit.Equal(t, "header of "+strings.Join(c.args, " "), strings.Join(strings.Fields(lines[0]), " "), c.header)
			if got := list(c.args...); len(got) != 1 || got[0][c.name] != c.value {
				t.Errorf("%v: got %v, want one with %s %s", c.args, got, c.name, c.value)
			}
		}
		if got := list("channel", "notices", "--company", company, strings.Fields(channel)[0]); len(got) != 0 {
			t.Errorf("notices: got %v, want none", got)
		}
	})
}

func TestCompletionKnowsCommandsFlagsAndValues(t *testing.T) {
	words := func(line ...string) []string {
		code, out, stderr := recado(t, nil, append([]string{"complete-words", "--"}, line...)...)
		testkit.Equal(t, "exit of "+strings.Join(line, " "), code, 0)
		testkit.Equal(t, "errors", stderr, "")
		return strings.Fields(out)
	}
	for _, c := range []struct{ line, want []string }{
		{[]string{"ke"}, []string{"key"}},
		{[]string{"key", ""}, []string{"create", "list", "revoke"}},
		{[]string{"key", "list", "--j"}, []string{"--json"}},
		{[]string{"user", "create", "--role", "a"}, []string{"admin", "agent"}},
		{[]string{"user", "create", "--role", "agent", "--acc"}, []string{"--access"}},
		{[]string{"completion", ""}, []string{"bash", "fish", "zsh"}},
		{[]string{"serve", "--data", ""}, nil},
		{[]string{"--ver"}, []string{"--version"}},
	} {
		if got := words(c.line...); !slices.Equal(got, c.want) {
			t.Errorf("%q: got %v, want %v", c.line, got, c.want)
		}
	}
	if all := words(""); slices.Contains(all, "complete-words") || !slices.Contains(all, "serve") {
		t.Errorf("commands: %v", all)
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if code, out, _ := recado(t, nil, "completion", shell); code != 0 || !strings.Contains(out, "complete-words") {
			t.Errorf("%s: exit %d %s", shell, code, out)
		}
	}
	if code, _, _ := recado(t, nil, "completion", "csh"); code != 2 {
		t.Errorf("an unknown shell: exit %d", code)
	}
}

// TestTheScriptsOfZshAndFishComplete plays the shells that are installed, as TestTheScriptOfBashCompletes does.
func TestTheScriptsOfZshAndFishComplete(t *testing.T) {
	dir := t.TempDir()
	testkit.Program(t, filepath.Join(dir, "recado"), []byte("#!/bin/sh\nfor last; do :; done; printf '%s\\n' \"$last-of-$#\"\n"))
	for shell, play := range map[string]string{
		"zsh":  "compdef() { print -r -- \"$*\"; }\ncompadd() { print -r -- \"$2\"; }\nsource ./script\nwords=(recado key create --na) CURRENT=4\n_recado\n",
		"fish": "source ./script\ncomplete -C 'recado key create --na'\n",
	} {
		t.Run(shell, func(t *testing.T) {
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skip("there is no " + shell)
			}
			_, script, _ := recado(t, nil, "completion", shell)
			if err := os.WriteFile(filepath.Join(dir, "script"), []byte(script), 0o600); err != nil {
				t.Fatal(err)
			}
			command := exec.Command(path, "-c", play)
			command.Dir, command.Env = dir, []string{"PATH=" + dir + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + dir}
			out, err := command.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "--na-of-5\n") { // complete-words -- key create --na
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// TestTheScriptOfBashCompletes sources the script and plays the shell. The program is one that prints its arguments.
func TestTheScriptOfBashCompletes(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	_, script, _ := recado(t, nil, "completion", "bash")
	dir := t.TempDir()
	testkit.Program(t, filepath.Join(dir, "recado"), []byte("#!/bin/sh\nprintf '%s\\n' \"$@\"\n"))
	play := script + `
COMP_WORDS=(recado key create "--na") COMP_CWORD=3
_recado
printf '%s|' "${COMPREPLY[@]}"
complete -p recado
`
	command := exec.Command(bash, "-c", play)
	command.Env = []string{"PATH=" + dir + string(os.PathListSeparator) + os.Getenv("PATH")}
	out, err := command.CombinedOutput()
	if want := "complete-words|--|key|create|--na|complete -o default -F _recado recado\n"; err != nil || string(out) != want {
		t.Errorf("got %s, want %s: %v", out, want, err)
	}
}
