package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestATerminalIsAskedForThePasswordTwiceAndShowsNothing(t *testing.T) {
	dir := t.TempDir()
	vars := map[string]string{"RECADO_DATA": dir}
	_, company, _ := recado(t, vars, "company", "create", "Casa Clara")
	company = strings.TrimSpace(company)
	if code, _, stderr := recado(t, vars, "user", "create", "--company", company, "--name", "Ana", "--email", "ana@clara.example"); code != 0 {
		t.Fatal(stderr)
	}
	set := []string{"user", "set-password", "--company", company, "--email", "ana@clara.example"}
	for typed, want := range map[string]int{"fourth password\nfourth password\n": 0, "fourth password\nfifth password\n": 1} {
		before := passwordHash(t, dir)
		keyboard, terminal := openTerminal(t)
		if _, err := io.WriteString(keyboard, typed); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), process{args: set, environ: []string{"RECADO_DATA=" + dir}, stdin: terminal, stdout: &stdout, stderr: &stderr})
		if code != want || !strings.Contains(stderr.String(), "New password: \nRepeat the password: \n") || strings.Contains(stdout.String()+stderr.String(), "fourth") {
			t.Errorf("exit %d, want %d: %s%s", code, want, stdout.String(), stderr.String())
		}
		if changed := passwordHash(t, dir) != before; changed != (want == 0) {
			t.Errorf("changed: %v", changed)
		}
	}
}

// openTerminal gives both ends of a pseudo-terminal: what is written to the keyboard is read from the terminal.
func openTerminal(t *testing.T) (keyboard, terminal *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { _ = keyboard.Close() })
	if err := unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = terminal.Close() })
	return keyboard, terminal
}
