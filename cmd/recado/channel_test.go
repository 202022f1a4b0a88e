package main

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"recado/internal/channels/simulator"
	"recado/test/testkit"
)

func TestChannelCommands(t *testing.T) {
	sim := simulator.New(simulator.Options{})
	graph := testkit.Serve(t, sim)
	t.Cleanup(sim.Close)
	dir := t.TempDir()
	vars := map[string]string{
		"RECADO_DATA": dir, "RECADO_WHATSAPP_BASE_URL": graph,
		"RECADO_TOKEN": simulator.DefaultToken, "RECADO_APP_SECRET": simulator.DefaultAppSecret,
	}
	ok := func(args ...string) string {
		t.Helper()
		code, out, stderr := recado(t, vars, args...)
		if code != 0 {
			t.Fatalf("want code == 0; got %+v, %+v, %+v", args, code, stderr)
		}
		return out
	}
	company := strings.TrimSpace(ok("company", "create", "Casa Clara"))
	ok("user", "create", "--company", company, "--name", "Ana", "--email", "ana@clara.example", "--role", "owner")

	t.Run("a number is connected, and what Meta's dashboard asks for is printed", func(t *testing.T) {
		out := ok("channel", "add", "--company", company, "--name", "Front desk", "--private",
			"--phone-number-id", simulator.DefaultNumberID, "--waba-id", simulator.DefaultWABAID, "--verify-token", "chosen")
		id, _, _ := strings.Cut(out, "\n")
		for _, want := range []string{"+" + simulator.DefaultBusinessPhone, "/channels/" + id + "/whatsapp", "chosen", "--public-url"} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is not in %s", want, out)
			}
		}
		if list := ok("channel", "list", "--company", company); !strings.Contains(list, id) || !strings.Contains(list, "connected, private") {
			t.Errorf(`ok("channel", "list", "--company", company): want strings.Contains(list, id) and strings.Contains(list, "connected, private"); got %+v`, list)
		}
		if test := ok("channel", "test", "--company", company, id); !strings.Contains(test, "CONNECTED") {
			t.Errorf(`ok("channel", "test", "--company", company, id): want strings.Contains(test, "CONNECTED"); got %+v`, test)
		}
		if notices := ok("channel", "notices", "--company", company, id); notices != "" {
			t.Errorf(`ok("channel", "notices", "--company", company, id): want notices == ""; got %+v`, notices)
		}
		ok("channel", "disconnect", "--company", company, id)
		if list := ok("channel", "list", "--company", company); !strings.Contains(list, "disconnected") {
			t.Errorf(`ok("channel", "list", "--company", company): want strings.Contains(list, "disconnected"); got %+v`, list)
		}
		ok("channel", "connect", "--company", company, id)
		here := testkit.NewReceiver(t)
		here.Answer(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.FormValue("hub.challenge")) })
		if err := sim.SetNumberStatus("", "PENDING"); err != nil {
			t.Fatal(err)
		}
		for range 2 { // also when it was connected already
			if out := ok("channel", "connect", "--company", company, "--public-url", here.URL, id); !strings.Contains(out, "number is PENDING") {
				t.Errorf("no warning: %s", out)
			}
		}
	})
	t.Run("what Meta refuses is said in its words", func(t *testing.T) {
		vars := map[string]string{"RECADO_DATA": dir, "RECADO_WHATSAPP_BASE_URL": graph}
		code, _, stderr := recado(t, vars, "channel", "add", "--company", company, "--name", "x",
			"--phone-number-id", simulator.DefaultNumberID, "--waba-id", simulator.DefaultWABAID, "--token", "wrong", "--app-secret", "x")
		testkit.Equal(t, "code", code, 1)
		testkit.Contains(t, "stderr", stderr, "access token")
	})
	t.Run("what is missing or does not fit exits 2", func(t *testing.T) {
		for _, args := range [][]string{
			{"channel", "add", "--company", company, "--name", "x"},
			{"channel", "add", "--company", company, "--name", "x", "--provider", "sandbox", "--token", "x"},
			{"channel", "test", "--company", company, "7"},
			{"channel", "notices", "--company", company, company, "--limit=0"},
			{"channel", "list", "--company", company, "--whatsapp-base-url", "graph.example"},
		} {
			if code, _, stderr := recado(t, map[string]string{"RECADO_DATA": dir}, args...); code != 2 {
				t.Errorf("%v: exit %d %s", args, code, stderr)
			}
		}
	})
	t.Run("a sandbox needs a phone", func(t *testing.T) {
		vars := map[string]string{"RECADO_DATA": dir}
		code, out, stderr := recado(t, vars, "channel", "add", "--company", company, "--name", "Box", "--provider", "sandbox", "--phone", "+5511912345678")
		if code != 0 || strings.Contains(out, "verify") {
			t.Fatalf(`want code == 0 and !strings.Contains(out, "verify"); got %+v, %+v, %+v`, code, out, stderr)
		}
	})
}
