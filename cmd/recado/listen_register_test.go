package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"recado/test/testkit"
)

// listening is a `recado listen` that runs until the test stops it.
type listening struct {
	out  testkit.Output
	stop context.CancelFunc
	done chan int
	errs bytes.Buffer // read after the end
}

func listen(t *testing.T, args ...string) *listening {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	l := &listening{stop: stop, done: make(chan int, 1)}
	environ := []string{}
	for len(args) > 0 && strings.HasPrefix(args[0], "RECADO_") {
		environ, args = append(environ, args[0]), args[1:]
	}
	go func() {
		l.done <- run(ctx, process{args: append([]string{"listen", "--addr", "127.0.0.1:0"}, args...), environ: environ, stdout: &l.out, stderr: &l.errs})
	}()
	t.Cleanup(stop)
	return l
}

// end stops the command as Ctrl+C does.
func (l *listening) end(t *testing.T) {
	t.Helper()
	l.stop()
	if code := <-l.done; code != 0 {
		t.Errorf("listen exited with %d: %s", code, l.errs.String())
	}
}

func (l *listening) says(t *testing.T, text string) {
	t.Helper()
	testkit.Eventually(t, "listen says "+text, func() bool {
		select {
		case code := <-l.done:
			t.Fatalf("listen exited with %d: %s", code, l.errs.String())
		default:
		}
		return strings.Contains(l.out.String(), text)
	})
}

func (s *serving) webhooks(t *testing.T, key string) int {
	t.Helper()
	var list struct{ Data []json.RawMessage }
	s.read(t, "/integrations/webhooks", key, &list)
	return len(list.Data)
}

func TestListenRegistersAWebhookAndRemovesItAtTheEnd(t *testing.T) {
	s := serve(t, t.TempDir(), "--webhook-allow-insecure")
	key := s.demo.Companies[0].APIKey
	before := s.webhooks(t, key)
	l := listen(t, "RECADO_KEY="+key, "--server", s.base, "--status", "503")
	l.says(t, "Listening for deliveries on http://127.0.0.1:")
	testkit.Equal(t, "webhooks while it listens", s.webhooks(t, key), before+1)
	testkit.Equal(t, "status", s.call(t, "POST", "/labels", key, `{"name":"x"}`), 201)
	l.says(t, "webhook.test")
	if strings.Contains(l.out.String(), "REFUSED") || !strings.Contains(l.out.String(), "  verified\n") {
		t.Errorf("deliveries are not verified: %s", l.out.String())
	}
	l.end(t)
	testkit.Equal(t, "webhooks after the end", s.webhooks(t, key), before)
	testkit.Contains(t, "output", l.out.String(), "The webhook was removed.")
}

func TestListenFollowsTheStreamWhereTheServerCannotReachIt(t *testing.T) {
	s := serve(t, t.TempDir()) // takes no http addresses
	company := s.demo.Companies[0]
	before := s.webhooks(t, company.APIKey)
	l := listen(t, "RECADO_KEY="+company.APIKey, "--server", s.base+"/", "--events", "message.received,message.sent")
	l.says(t, "Reading the event stream instead: ")
	testkit.Eventually(t, "an event of the stream is printed", func() bool {
		s.call(t, "POST", "/channels/"+company.Channel+"/simulate", company.APIKey, `{"from":"+5511912345678","text":"Oi"}`)
		return strings.Contains(l.out.String(), "message.received  from the stream\n{")
	})
	l.end(t)
	testkit.Equal(t, "webhooks", s.webhooks(t, company.APIKey), before)

	wrong := listen(t, "RECADO_KEY=rcd_wrong", "--server", s.base)
	if code := <-wrong.done; code != 1 || !strings.Contains(wrong.errs.String(), "not a valid API key") {
		t.Errorf("a wrong key: exit %d %s", code, wrong.errs.String())
	}
	for _, args := range [][]string{{"--key", "x", "--secret", "whsec_x"}, {"--events", "message.received"}, {"--url", "http://x/"}} {
		if code, _, _ := recado(t, nil, append([]string{"listen"}, args...)...); code != 2 {
			t.Errorf("%v: exit %d, want 2", args, code)
		}
	}
}
