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

// eventID reads the id of an event of the feed.
func eventID(t *testing.T, m sse) string {
	t.Helper()
	var e struct{ ID string }
	if err := json.Unmarshal([]byte(m.Data), &e); err != nil {
		t.Fatal(err)
	}
	return e.ID
}

// busy has customers write through several nodes at once and ends the returned channel afterwards.
func busy(t *testing.T, nodes []*servertest.Client, channel string, messages int) <-chan struct{} {
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
					t.Errorf("status %d", resp.StatusCode)
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

// feedIDs gives the ids of all events in the company's feed.
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

// followResuming follows the company and breaks off again and again, on every node in turn, until an event says that
// it is the last. It gives the ids of the events in the order of their arrival.
func followResuming(t *testing.T, c *servertest.Client, nodes []*servertest.Client, cursor string, breakOff int) (ids []string) {
	t.Helper()
	for turn := 0; ; turn++ {
		messages, stop := c.On(nodes[turn%len(nodes)]).Follow(t, "/live", "Last-Event-ID", cursor)
		for n := 0; n < breakOff; {
			m, open := testkit.Receive(t, "an event of the stream", messages)
			if !open {
				break // the oldest stream of a person ends when there are too many, before the server has noticed that others ended
			}
			if m.Event == "" || m.ID == "" {
				continue
			}
			if m.Event == "reset" {
				t.Fatal("the cursor of the last event gave reset")
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

func testResuming(t *testing.T, w *servertest.World, nodes []*servertest.Client) {
	channel := sandbox(t, w)
	ana, _ := signedIn(t, w, "Ana")
	before := len(feedIDs(t, w.A.Client))
	messages, stop := ana.Follow(t, "/live")
	cursor := (<-messages).ID
	stop()
	done := busy(t, nodes, channel, 160)
	got := make([][]string, 4)
	var followers sync.WaitGroup
	for i := range got {
		followers.Go(func() { got[i] = followResuming(t, ana, nodes, cursor, 7+5*i) })
	}
	<-done
	write(t, w.A.Client, channel, "+5511987659999", "the last")
	followers.Wait()
	want := feedIDs(t, w.A.Client)[before:]
	for i, ids := range got {
		if len(ids) == 0 || strings.Join(ids, " ") != strings.Join(want[:min(len(ids), len(want))], " ") {
			t.Errorf("follower %d got %d events, not those of the feed in its order without loss or repeat (%d)", i, len(ids), len(want))
		}
	}
}

func TestResumedStreamsLoseNothingAndRepeatNothing(t *testing.T) {
	servertest.EachLive(t, func(t *testing.T, w *servertest.World) { testResuming(t, w, []*servertest.Client{w.A.Client}) })
	t.Run("on two nodes", func(t *testing.T) {
		address := kerneltest.URL(t)
		now := func(c *server.Config) { c.Now = nil }
		w := servertest.Start(t, address, now)
		second, _ := w.SecondNode(t, address, now)
		testResuming(t, w, []*servertest.Client{w.A.Client, second})
	})
}

func TestASlowReaderIsCutOffAndDelaysNoOther(t *testing.T) {
	servertest.EachLive(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		ana, _ := signedIn(t, w, "Ana")
		bia, _ := signedIn(t, w, "Bia")
		slow := openSlowly(t, ana, "/live")
		quick, _ := live(t, bia)
		// More than the buffers of a connection and the queue of a stream hold.
		const count = 300
		text := "a" + strings.Repeat("\u0001", 4095)
		for range count {
			write(t, w.A.Client, channel, "+5511987650001", text)
			await(t, quick, "message.received") // others get theirs meanwhile
		}
		_ = slow.SetReadDeadline(time.Now().Add(20 * time.Second))
		got, err := io.Copy(io.Discard, slow)
		if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
			t.Fatalf("the slow reader still has its connection, and got %d bytes", got)
		}
		if all := int64(count) * 50_000; got == 0 || got > all {
			t.Fatalf("the slow reader got %d bytes of %d", got, all)
		}
	})
}

// openSlowly opens a stream and reads nothing of it.
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
		messages, _ := live(t, ana)
		if err := w.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := ends(t, messages); got != "" {
			t.Errorf("the stream ended with session %s; the client is to come back by itself", got)
		}
	})
}
