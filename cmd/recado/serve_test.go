package main

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"recado/test/testkit"
)

// logLine finds a line of the log by its message and gives its attributes.
func logLine(log, message string) map[string]string {
	for line := range strings.Lines(log) {
		var attrs map[string]string
		if json.Unmarshal([]byte(line), &attrs) == nil && attrs["msg"] == message {
			return attrs
		}
	}
	return nil
}

func TestServeTellsItsAddressesAndShowsProfilesOnlyWhereAsked(t *testing.T) {
	var out, log testkit.Output
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan int, 1)
	go func() {
		done <- run(ctx, process{args: []string{
			"serve", "--data", t.TempDir(), "--addr", "127.0.0.1:0", "--public-url", "https://desk.example", "--base-path", "/help",
			"--metrics-addr", "127.0.0.1:0", "--debug-addr", "127.0.0.1:0",
		}, stdout: &out, stderr: &log})
	}()
	t.Cleanup(func() {
		stop()
		if code := <-done; code != 0 {
			t.Errorf("serve exited with %d", code)
		}
	})
	testkit.Eventually(t, "the log line serving", func() bool { return logLine(log.String(), "serving") != nil })

	status := func(address string) int {
		resp, err := http.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	serving := logLine(log.String(), "serving")
	if serving["public_url"] != "https://desk.example/help" {
		t.Errorf("public_url is %q", serving["public_url"])
	}
	if got := status("http://" + serving["address"] + "/help/healthz"); got != 200 {
		t.Errorf("at %s: %d", serving["address"], got)
	}
	metrics := logLine(log.String(), "metrics")["address"]
	if got := status(metrics); got != 200 {
		t.Errorf("status(metrics): want got == 200; got %+v, %+v", metrics, got)
	}
	if got := status(strings.TrimSuffix(metrics, "/metrics") + "/debug/pprof/"); got != 404 {
		t.Errorf("profiles at the address of the metrics: %d", got)
	}
	profiles := logLine(log.String(), "profiles")["address"]
	for _, page := range []string{"", "heap", "goroutine"} {
		if got := status(profiles + page); got != 200 {
			t.Errorf("status(profiles + page): want got == 200; got %+v, %+v, %+v", profiles, page, got)
		}
	}
}
