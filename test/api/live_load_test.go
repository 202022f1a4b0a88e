package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"recado/internal/server"
	"recado/test/kerneltest"
	"recado/test/servertest"
	"recado/test/testkit"
)

// eventID returns the id of the event in a stream message.
func eventID(t *testing.T, m sse) string {
	t.Helper()
	var e struct{ ID string }
	if err := json.Unmarshal([]byte(m.Data), &e); err != nil {
		t.Fatal(err)
	}
	return e.ID
}

// writeConcurrently sends messages of customers through several nodes concurrently. It closes the returned channel when all are sent.
func writeConcurrently(t *testing.T, nodes []*servertest.Client, channel string, messages int) <-chan struct{} {
	var writers sync.WaitGroup
	for worker := range 8 {
		writers.Go(func() {
			for i := range messages / 8 {
				c := nodes[i%len(nodes)]
				body := fmt.Sprintf(`{"from":"+55119876%05d","text":"message %d"}`, worker, i)
				r, err := http.NewRequest("POST", c.Base()+simulatePath(channel), strings.NewReader(body))
				if err != nil {
					t.Error(err)
					return
				}
				c.Sign(r)
				r.Header.Set("Content-Type", "application/json")
				resp, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Error(err)
					return
				}
				_ = resp.Body.Close()
				if resp.StatusCode != 201 {
					t.Errorf("got status %d, want 201", resp.StatusCode)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() {
		writers.Wait()
		close(done)
	}()
	return done
}

// feedIDs returns the ids of all events in the company's feed.
func feedIDs(t *testing.T, c *servertest.Client) (ids []string) {
	t.Helper()
	for after := ""; ; {
		path := "/events?limit=100"
		if after != "" {
			path += "&after=" + after
		}
		page := c.Get(t, path).OK(200)
		for _, e := range page.List() {
			ids = append(ids, e.(map[string]any)["id"].(string))
		}
		if after = page.Text("next_cursor"); after == "" {
			return ids
		}
	}
}

// followResuming follows the live stream on every node in turn, reconnecting after breakOff events, until the message "the
// last" arrives. It returns the ids of the events in the order of their arrival.
func followResuming(t *testing.T, c *servertest.Client, nodes []*servertest.Client, cursor string, breakOff int) (ids []string) {
	t.Helper()
	for turn := 0; ; turn++ {
		messages, stop := c.On(nodes[turn%len(nodes)]).Follow(t, "/live", "Last-Event-ID", cursor)
		for n := 0; n < breakOff; {
			m, open := testkit.Receive(t, "an event of the stream", messages)
			if !open {
				break // the server may not have noticed that earlier streams ended, and then ends the oldest one
			}
			if m.Event == "" || m.ID == "" {
				continue
			}
			if m.Event == "reset" {
				t.Fatal("the cursor of the last event caused a reset")
			}
			cursor = m.ID
			ids = append(ids, eventID(t, m))
			if m.Event == "message.received" && strings.Contains(m.Data, `"text":"the last"`) {
				stop()
				return ids
			}
			n++
		}
		stop()
	}
}

// testResuming checks that followers who reconnect during concurrent writes get every event once.
func testResuming(t *testing.T, w *servertest.World, nodes []*servertest.Client) {
	channel := sandbox(t, w)
	ana, _ := signedIn(t, w, "Ana")
	before := len(feedIDs(t, w.A.Client))
	messages, stop := ana.Follow(t, "/live")
	cursor := (<-messages).ID
	stop()
	done := writeConcurrently(t, nodes, channel, 160)
	got := make([][]string, 4)
	var followers sync.WaitGroup
	for i := range got {
		followers.Go(func() { got[i] = followResuming(t, ana, nodes, cursor, 7+5*i) })
	}
	<-done
	customerWritesText(t, w.A.Client, channel, "+5511987659999", "the last")
	followers.Wait()
	want := feedIDs(t, w.A.Client)[before:]
	for i, ids := range got {
		if len(ids) == 0 || strings.Join(ids, " ") != strings.Join(want[:min(len(ids), len(want))], " ") {
			t.Errorf("follower %d: got %d events, want the %d of the feed in the same order", i, len(ids), len(want))
		}
	}
}

func TestResumedStreamsNeitherLoseNorRepeatEvents(t *testing.T) {
	servertest.EachLive(t, func(t *testing.T, w *servertest.World) { testResuming(t, w, []*servertest.Client{w.A.Client}) })
	t.Run("on two nodes", func(t *testing.T) {
		address := kerneltest.URL(t)
		now := func(c *server.Config) { c.Now = nil }
		w := servertest.Start(t, address, now)
		second, _ := w.SecondNode(t, address, now)
		testResuming(t, w, []*servertest.Client{w.A.Client, second})
	})
}

func TestASlowReaderIsDisconnectedAndDelaysNoOther(t *testing.T) {
	servertest.EachLive(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		ana, _ := signedIn(t, w, "Ana")
		bia, _ := signedIn(t, w, "Bia")
		slow := openSlowly(t, ana, "/live")
		quick, _ := openLive(t, bia)
		// This is more than the buffers of a connection and the queue of a stream can hold.
		const count = 300
		text := "a" + strings.Repeat("\u0001", 4095)
		for range count {
			customerWritesText(t, w.A.Client, channel, "+5511987650001", text)
			await(t, quick, "message.received") // the other stream is not delayed
		}
		_ = slow.SetReadDeadline(time.Now().Add(20 * time.Second))
		got, err := io.Copy(io.Discard, slow)
		if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
			t.Fatalf("the slow reader is still connected after %d bytes", got)
		}
		if all := int64(count) * 50_000; got == 0 || got > all {
			t.Fatalf("the slow reader got %d bytes, want more than none and at most %d", got, all)
		}
	})
}

// openSlowly opens a stream and reads nothing from it.
func openSlowly(t *testing.T, c *servertest.Client, path string) net.Conn {
	t.Helper()
	r, err := http.NewRequest("GET", c.Base()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", r.URL.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	c.Sign(r)
	if err := r.Write(conn); err != nil {
		t.Fatal(err)
	}
	return conn
}

func TestALiveStreamEndsWithItsServer(t *testing.T) {
	servertest.EachLive(t, func(t *testing.T, w *servertest.World) {
		ana, _ := signedIn(t, w, "Ana")
		messages, _ := openLive(t, ana)
		if err := w.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := waitForEnd(t, messages); got != "" {
			t.Errorf("last session signal: got %s, want none because the client shall reconnect", got)
		}
	})
}
