package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recado/internal/channels/simulator"
	"recado/test/kerneltest"
	"recado/test/testkit"
)

func TestSecretKeyCommands(t *testing.T) {
	sim := simulator.New(simulator.Options{})
	graph := testkit.Serve(t, sim)
	t.Cleanup(sim.Close)
	kerneltest.EachURL(t, func(t *testing.T, url string) {
		dir := t.TempDir()
		vars := map[string]string{
			"RECADO_DATA": dir, "RECADO_DATABASE_URL": url, "RECADO_WHATSAPP_BASE_URL": graph,
			"RECADO_TOKEN": simulator.DefaultToken, "RECADO_APP_SECRET": simulator.DefaultAppSecret,
		}
		ok := func(args ...string) string {
			t.Helper()
			code, out, stderr := recado(t, vars, args...)
			if code != 0 {
				t.Fatalf("want code == 0; got %+v, %+v, %+v", args, code, stderr)
			}
			return strings.TrimSpace(out)
		}
		keys := func() []string {
			t.Helper()
			text, err := os.ReadFile(filepath.Join(dir, "secret.key"))
			if err != nil {
				t.Fatal(err)
			}
			return strings.Fields(string(text))
		}
		sim.Reset()
		company := ok("company", "create", "Casa Clara")
		ok("user", "create", "--company", company, "--name", "Ana", "--email", "ana@clara.example", "--role", "owner")
		id, _, _ := strings.Cut(ok("channel", "add", "--company", company, "--name", "Front desk",
			"--phone-number-id", simulator.DefaultNumberID, "--waba-id", simulator.DefaultWABAID), "\n")
		first := keys()

		if out := ok("secret-key", "rotate"); !strings.Contains(out, "1 secrets") {
			t.Errorf(`ok("secret-key", "rotate"): want strings.Contains(out, "1 secrets"); got %+v`, out)
		}
		if now := keys(); len(now) != 2 || now[1] != first[0] {
			t.Fatal("the old key stays behind the new one")
		}
		ok("secret-key", "retire")
		if now := keys(); len(now) != 1 || now[0] == first[0] {
			t.Fatal("the new key is the only one")
		}
		if test := ok("channel", "test", "--company", company, id); !strings.Contains(test, "CONNECTED") {
			t.Errorf(`ok("channel", "test", "--company", company, id): want strings.Contains(test, "CONNECTED"); got %+v`, test)
		}

		t.Run("keys in the setting are not touched", func(t *testing.T) {
			vars["RECADO_SECRET_KEY"] = first[0] + "," + keys()[0]
			if code, _, stderr := recado(t, vars, "secret-key", "rotate"); code != 1 || !strings.Contains(stderr, "environment") {
				t.Errorf(`want code == 1 and strings.Contains(stderr, "environment"); got %+v, %+v`, code, stderr)
			}
			ok("secret-key", "retire")
			vars["RECADO_SECRET_KEY"] = first[0]
			if test := ok("channel", "test", "--company", company, id); !strings.Contains(test, "CONNECTED") {
				t.Errorf(`ok("channel", "test", "--company", company, id): want strings.Contains(test, "CONNECTED"); got %+v`, test)
			}
		})
		if text, err := os.ReadFile(filepath.Join(dir, "recado.db")); err == nil && bytes.Contains(text, []byte(simulator.DefaultToken)) {
			t.Error("the token stands in the database")
		}
	})
}
