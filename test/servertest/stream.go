package servertest

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"

	"recado/test/testkit"
)

// StreamMessage is one message of an event stream.
type StreamMessage struct{ ID, Event, Data string }

// Follow opens an event stream and returns a channel of its messages, which is closed when the stream ends: with the
// test or when stop is called. Headers are name, value, name, value.
func (c *Client) Follow(t *testing.T, path string, headers ...string) (messages <-chan StreamMessage, stop context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Sign(r)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Equal(t, "status of the stream", resp.StatusCode, 200)
	testkit.Equal(t, "header Content-Type", resp.Header.Get("Content-Type"), "text/event-stream")
	out := make(chan StreamMessage, 1000)
	go func() {
		defer close(out)
		defer func() { _ = resp.Body.Close() }()
		var m StreamMessage
		lines := bufio.NewScanner(resp.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "id":
				m.ID = value
			case "event":
				m.Event = value
			case "data":
				m.Data = value
			case "":
				if lines.Text() == "" {
					out <- m
					m = StreamMessage{}
				}
			}
		}
	}()
	return out, cancel
}
