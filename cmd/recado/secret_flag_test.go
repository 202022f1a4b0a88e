package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestUnknownVariables(t *testing.T) {
	dir := t.TempDir()
	code, _, stderr := recado(t, map[string]string{
		"RECADO_DATA": dir, "RECADO_DEBUG": "1", "RECADO_TOKEN_FILE": "/nowhere", "RECADO_DATBASE_URL": "postgres://secret", "RECADO_WEATHER": "fair",
	}, "company", "create", "Casa Clara")
	if code != 0 {
		t.Fatal(stderr)
	}
	for _, want := range []string{"RECADO_DATBASE_URL is not a setting of Recado and has no effect; did you mean RECADO_DATABASE_URL?", "RECADO_WEATHER is not a setting of Recado and has no effect\""} {
		if !strings.Contains(stderr, want) {
			t.Errorf("%q is not in %s", want, stderr)
		}
	}
	if strings.Contains(stderr, "RECADO_DEBUG") || strings.Contains(stderr, "TOKEN_FILE") || strings.Contains(stderr, "postgres://secret") {
		t.Errorf("a known variable or a value is named: %s", stderr)
	}
}

func TestSecrets(t *testing.T) {
	dir := t.TempDir()
	const key = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte(key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	wrong := filepath.Join(t.TempDir(), "wrong")
	if err := os.WriteFile(wrong, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := recado(t, map[string]string{"RECADO_SECRET_KEY": key}, "company", "create", "Casa Clara", "--data", dir); code != 0 || stderr != "" {
		t.Fatalf(`want code == 0 and stderr == ""; got %+v, %+v`, code, stderr)
	}
	for name, c := range map[string]struct {
		code  int
		says  string
		stdin string
		vars  map[string]string
		args  []string
	}{
		"from a file":                            {args: []string{"--secret-key-file", file}},
		"from a file that a variable names":      {vars: map[string]string{"RECADO_SECRET_KEY_FILE": file}},
		"from the standard input":                {stdin: key + "\r\n", args: []string{"--secret-key-file=-"}},
		"as a flag, with a warning":              {args: []string{"--secret-key", key}, says: "--secret-key is visible in the process list"},
		"a file on the command line wins":        {vars: map[string]string{"RECADO_SECRET_KEY": "x"}, args: []string{"--secret-key-file", file}},
		"a flag wins over a variable":            {vars: map[string]string{"RECADO_SECRET_KEY_FILE": "/nowhere"}, args: []string{"--secret-key", key}, says: "visible"},
		"a flag and a file are too much":         {code: 2, says: "cannot be combined", args: []string{"--secret-key", key, "--secret-key-file", file}},
		"two variables are too much":             {code: 2, says: "cannot be combined", vars: map[string]string{"RECADO_SECRET_KEY": key, "RECADO_SECRET_KEY_FILE": file}},
		"a file that does not exist":             {code: 1, says: "--secret-key-file", args: []string{"--secret-key-file", "/nowhere"}},
		"an empty standard input":                {code: 1, says: "empty", args: []string{"--secret-key-file=-"}},
		"a file with something else":             {code: 2, says: "--secret-key", args: []string{"--secret-key-file", wrong}},
		"a database URL with a password":         {code: 1, says: "--database-url is visible", args: []string{"--database-url", "postgres://a:b@127.0.0.1:1/x"}},
		"a password of the S3 service is no key": {code: 2, says: "unknown flag", args: []string{"--s3-secret-key", "x"}},
	} {
		t.Run(name, func(t *testing.T) {
			code, _, stderr := recadoReading(t, c.stdin, c.vars, append([]string{"company", "list", "--data", dir}, c.args...)...)
			if code != c.code || !strings.Contains(stderr, c.says) || c.says == "" && stderr != "" || strings.Contains(stderr, key) {
				t.Errorf("exit %d, want %d: %s", code, c.code, stderr)
			}
		})
	}
	t.Run("a database URL without a password is no secret", func(t *testing.T) {
		_, _, stderr := recado(t, nil, "company", "list", "--database-url", "postgres://a@127.0.0.1:1/x")
		if strings.Contains(stderr, "visible") {
			t.Error(stderr)
		}
		for from, warned := range map[string]bool{"postgres://a@127.0.0.1:1/x": false, "postgres://a:b@127.0.0.1:1/x": true} {
			_, _, stderr := recado(t, nil, "import", "chatwoot", "--data", dir, "--from", from, "--account", "1", "--channel", "1=2")
			if strings.Contains(stderr, "--from is visible") != warned {
				t.Errorf("import chatwoot --from %s: %s", from, stderr)
			}
		}
	})
	t.Run("every secret flag has a file flag", func(t *testing.T) {
		for command, flags := range map[string][]string{
			"serve": {"database-url", "secret-key", "s3-secret-key"}, "listen": {"secret"}, "channel add": {"token", "app-secret"}, "channel connect": {"token", "app-secret"},
		} {
			_, help, _ := recado(t, nil, append(strings.Fields(command), "--help")...)
			for _, flag := range flags {
				if !strings.Contains(help, "--"+flag+"-file=FILE") {
					t.Errorf("%s has no --%s-file", command, flag)
				}
			}
		}
	})
	t.Run("an unusable secret for listen names its flag", func(t *testing.T) {
		code, _, stderr := recadoReading(t, "nonsense", nil, "listen", "--secret-file=-")
		if code != 2 || !strings.Contains(stderr, "--secret must be") {
			t.Errorf("exit %d %s", code, stderr)
		}
	})
}
