package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recado/test/testkit"
)

// withSettings runs a command on a machine that has a default file of settings.
func withSettings(t *testing.T, file string, environ []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), process{args: args, environ: environ, settings: file, stdin: strings.NewReader(""), stdout: &out, stderr: &errs})
	return code, out.String(), errs.String()
}

func TestCommandsReadTheSettingsOfTheServer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	file := filepath.Join(t.TempDir(), "recado.env")
	text := "# settings\n; more\n\nRECADO_PUBLIC_URL=\"https://desk.example.com\"\nRECADO_BASE_PATH='/desk'\n RECADO_DATA=" + dir + "\nRECADO_TRUSTED_PROXIES=127.0.0.1\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ok := func(out string, code int, stderr string) string {
		t.Helper()
		if code != 0 || strings.Contains(stderr, "WARN") {
			t.Fatalf("exit %d %s", code, stderr)
		}
		return strings.TrimSpace(out)
	}
	code, out, stderr := withSettings(t, file, nil, "company", "create", "Casa Clara")
	company := ok(out, code, stderr)
	code, out, stderr = withSettings(t, file, nil, "user", "create", "--company", company, "--name", "Ana", "--email", "ana@clara.example", "--role", "owner")
	ok(out, code, stderr)
	link := []string{"user", "reset-link", "--email", "ana@clara.example"}
	const want = "https://desk.example.com/desk/#/welcome?token="

	t.Run("in the default file", func(t *testing.T) {
		for name, args := range map[string][]string{"without a data folder": link, "with the data folder of the file": append(link, "--data", dir+"/")} {
			code, out, stderr := withSettings(t, file, nil, args...)
			if code != 0 || !strings.HasPrefix(out, want) {
				t.Errorf("%s: exit %d %s %s, want %s", name, code, out, stderr, want)
			}
		}
	})
	t.Run("in the file that --config or RECADO_CONFIG names", func(t *testing.T) {
		for _, c := range []struct {
			environ, args []string
		}{
			{nil, append(link, "--config", file)},
			{nil, append([]string{"--config=" + file}, link...)},
			{nil, append([]string{"--config", file}, link...)},
			{[]string{"RECADO_CONFIG=" + file}, link},
		} {
			code, out, stderr := withSettings(t, "", c.environ, c.args...)
			if code != 0 || !strings.HasPrefix(out, want) {
				t.Errorf("%v %v: exit %d %s %s, want %s", c.environ, c.args, code, out, stderr, want)
			}
		}
	})
	t.Run("and a flag or a variable wins", func(t *testing.T) {
		for _, c := range []struct {
			environ, args []string
		}{
			{nil, append(link, "--public-url", "https://other.example.com")},
			{[]string{"RECADO_PUBLIC_URL=https://other.example.com"}, link},
		} {
			if _, out, stderr := withSettings(t, file, c.environ, c.args...); !strings.HasPrefix(out, "https://other.example.com/desk/") {
				t.Errorf("%v %v: %s %s", c.environ, c.args, out, stderr)
			}
		}
	})
	t.Run("but not those of another installation", func(t *testing.T) {
		other := t.TempDir()
		code, _, stderr := withSettings(t, file, nil, "company", "create", "Casa Azul", "--data", other)
		ok("", code, stderr)
		_, out, stderr := withSettings(t, file, []string{"RECADO_DATA=" + other}, "company", "list")
		if !strings.Contains(out, "Casa Azul") || strings.Contains(out, "Casa Clara") {
			t.Errorf("companies: %s %s", out, stderr)
		}
	})
	t.Run("a file that cannot be read", func(t *testing.T) {
		folder := t.TempDir() // a folder cannot be read as a file, whoever runs the test
		code, _, stderr := withSettings(t, folder, nil, "company", "list", "--data", dir)
		if code != 0 || !strings.Contains(stderr, folder+" are not used") {
			t.Errorf("the default file: exit %d %s", code, stderr)
		}
		for _, named := range []string{folder, filepath.Join(folder, "none")} {
			code, _, stderr = withSettings(t, "", nil, "company", "list", "--data", dir, "--config", named)
			if code != 2 || !strings.Contains(stderr, "--config") || !strings.Contains(stderr, named) {
				t.Errorf("--config %s: exit %d %s", named, code, stderr)
			}
		}
		if code, _, stderr := withSettings(t, filepath.Join(folder, "none"), nil, "company", "list", "--data", dir); code != 0 || stderr != "" {
			t.Errorf("no default file: exit %d %s", code, stderr)
		}
	})
	t.Run("a line that is no setting", func(t *testing.T) {
		bad := filepath.Join(t.TempDir(), "bad.env")
		if err := os.WriteFile(bad, []byte("RECADO_ADDR=127.0.0.1:8080\nswordfish\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, stderr := withSettings(t, "", nil, "company", "list", "--config", bad)
		if code != 2 || !strings.Contains(stderr, "line 2") || strings.Contains(stderr, "swordfish") {
			t.Errorf("exit %d %s", code, stderr)
		}
	})
	t.Run("a name that is no setting is warned about", func(t *testing.T) {
		odd := filepath.Join(t.TempDir(), "odd.env")
		if err := os.WriteFile(odd, []byte("RECADO_DATA="+dir+"\nRECADO_PUBLICURL=x\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, stderr := withSettings(t, odd, nil, "company", "list")
		testkit.Contains(t, "stderr", stderr, "did you mean RECADO_PUBLIC_URL?")
	})
}

func TestATrustedProxyIsAnAddressOrANetwork(t *testing.T) {
	for text, want := range map[string]string{
		"127.0.0.1": "127.0.0.1/32", "::1": "::1/128", "10.0.0.0/8": "10.0.0.0/8", "::ffff:10.0.0.1": "10.0.0.1/32",
	} {
		var n network
		if err := n.UnmarshalText([]byte(text)); err != nil || n.String() != want {
			t.Errorf("%s: got %v, %v, want %s", text, n, err, want)
		}
	}
	for _, text := range []string{"proxy", "10.0.0.0/99", "10.0.0"} {
		code, _, stderr := recado(t, nil, "serve", "--trusted-proxies", text)
		if code != 2 || !strings.Contains(stderr, "neither an address such as 127.0.0.1 nor a network") || strings.Contains(stderr, "netip") {
			t.Errorf("%s: exit %d %s", text, code, stderr)
		}
	}
}
