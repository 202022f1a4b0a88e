package api_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"recado/test/servertest"
	"recado/test/testkit"
)

// These texts begin like responses of net/http itself.
const (
	fakeExpectation = "HTTP/1.1 417 "
	fakeRefusal     = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"
)

// shifted repeats a text up to a size, starting at one of its bytes. Over all shifts, the text begins once at every offset.
func shifted(text string, shift, size int) string {
	return strings.Repeat(text, size/len(text)+2)[shift : shift+size]
}

func TestFilesThatLookLikeResponsesArriveUnchanged(t *testing.T) {
	w := servertest.Start(t, "")
	for _, fake := range []string{fakeExpectation, fakeRefusal} {
		for shift := range fake {
			content := []byte("Notes of today\n" + shifted(fake, shift, 80_000))
			media := w.A.Upload(t, "notes.txt", content).OK(201).ID()
			link, err := url.Parse(w.A.Get(t, "/media/"+media+"/url").OK(200).Text("url"))
			if err != nil {
				t.Fatal(err)
			}
			file := testkit.WireRequest{Method: "GET", Path: link.RequestURI()}
			me := wireCall(w.A, "GET", "/me", "")
			for i, a := range testkit.Exchange(t, w.Addr(), shift%2 == 0, me, file, file, me) {
				if a.Status != 200 || (i == 1 || i == 2) && !bytes.Equal(a.Body, content) {
					t.Fatalf("shift %d of %.12q, response %d: got status %d and %d bytes, want 200 and the file unchanged", shift, fake, i, a.Status, len(a.Body))
				}
			}
		}
	}
	t.Run("even at the end of the first copied block", func(t *testing.T) {
		content := []byte(strings.Repeat("a", 32768) + fakeExpectation + strings.Repeat("b", 300))
		media := w.A.Upload(t, "block.txt", content).OK(201).ID()
		link, _ := url.Parse(w.A.Get(t, "/media/"+media+"/url").OK(200).Text("url"))
		responses := testkit.Exchange(t, w.Addr(), false, testkit.WireRequest{Method: "GET", Path: link.RequestURI()})
		if !bytes.Equal(responses[0].Body, content) {
			t.Fatalf("got %d bytes, want the %d of the file unchanged", len(responses[0].Body), len(content))
		}
	})
}

func TestMessagesThatLookLikeResponsesArriveUnchanged(t *testing.T) {
	w := servertest.Start(t, "")
	channel := sandbox(t, w)
	for _, fake := range []string{fakeExpectation, fakeRefusal} {
		for shift := range fake {
			text := shifted(fake, shift, 4096)
			phone := phoneNumber(len(fake)*1000 + shift)
			body, _ := json.Marshal(map[string]any{"from": phone, "text": text})
			stored := w.A.Post(t, simulatePath(channel), string(body)).OK(201)
			list := wireCall(w.A, "GET", "/conversations/"+stored.Text("conversation")+"/messages", "")
			one := wireCall(w.A, "GET", "/messages/"+stored.ID(), "")
			responses := testkit.Exchange(t, w.Addr(), shift%2 == 0, list, one, list)
			for i, want := range []string{`{"data":[` + string(stored.Raw) + `],`, string(stored.Raw), `{"data":[` + string(stored.Raw) + `],`} {
				if got := string(responses[i].Body); !strings.HasPrefix(got, want) {
					t.Fatalf("shift %d of %.12q, response %d:\n got %.300s\nwant %.300s", shift, fake, i, got, want)
				}
			}
		}
	}
	testkit.Exchange(t, w.Addr(), true, wireCall(w.A, "GET", "/conversations?limit=100", ""), wireCall(w.A, "GET", "/events?limit=100", ""), wireCall(w.A, "GET", "/contacts?limit=100", ""))
}

func TestEventsThatLookLikeResponsesArriveUnchanged(t *testing.T) {
	w := servertest.Start(t, "")
	channel := sandbox(t, w)
	conn := testkit.Dial(t, w.Addr())
	defer func() { _ = conn.Close() }()
	if _, err := conn.Write(wireCall(w.A, "GET", "/events/stream", "").Bytes("stream", false)); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(conn)
	for line := "-"; line != ""; {
		var err error
		if line, err = testkit.ReadLine(reader); err != nil {
			t.Fatal(err)
		}
	}
	missing := map[string]bool{}
	for shift := range fakeExpectation {
		text := shifted(fakeExpectation, shift, 4096)
		missing[text] = true
		w.A.Post(t, simulatePath(channel), fmt.Sprintf(`{"from":%q,"text":%q}`, phoneNumber(shift), text)).OK(201)
	}
	events := bufio.NewScanner(reader)
	events.Buffer(nil, 1<<20)
	for len(missing) > 0 && events.Scan() {
		data, isData := strings.CutPrefix(events.Text(), "data: ")
		var event struct {
			Data struct{ Message struct{ Text string } }
		}
		if isData {
			if err := json.Unmarshal([]byte(data), &event); err != nil {
				t.Fatalf("the event %q is not JSON: %v", data, err)
			}
			delete(missing, event.Data.Message.Text)
		}
	}
	if len(missing) > 0 {
		t.Fatalf("%d messages are missing in the stream: %v", len(missing), events.Err())
	}
}
