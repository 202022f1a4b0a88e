package api_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"recado/test/servertest"
	"recado/test/testkit"
)

func TestMalformedHTTPGetsAnErrorObjectOnAnyRequest(t *testing.T) {
	w := servertest.Start(t, "")
	me := string(wireCall(w.A, "GET", "/me", "").Bytes("me", false))
	label := func(n int) string {
		return string(wireCall(w.A, "POST", "/labels", fmt.Sprintf(`{"name":"label %d"}`, n)).Bytes("label", false))
	}
	for i, c := range []struct {
		refused string
		status  int
	}{
		{"GET / HTTP/1.1\r\nHost: x\r\nX-Big: " + strings.Repeat("a", 64<<10) + "\r\n\r\n", 431},
		{"NONSENSE\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n", 400},
		{"GET / HTTP/3.7\r\nHost: x\r\n\r\n", 505},
		{"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", 501},
		{"GET / HTTP/1.1\r\nHost: x\r\nExpect: the best\r\n\r\n", 417},
	} {
		for before, requests := range []string{"", me, me + label(2*i) + me + label(2*i+1)} {
			t.Run(fmt.Sprintf("%d after %d", c.status, before), func(t *testing.T) {
				conn := testkit.Dial(t, w.Addr())
				defer func() { _ = conn.Close() }()
				if _, err := io.WriteString(conn, requests+c.refused); err != nil {
					t.Fatal(err)
				}
				reader := bufio.NewReader(conn)
				for range strings.Count(requests, " HTTP/1.1\r\n") {
					if a, err := testkit.ReadAnswer(reader, "GET"); err != nil || a.Status >= 300 {
						t.Fatalf("a valid request before it: got %d %s and error %v, want a success", a.Status, a.Body, err)
					}
				}
				a, err := testkit.ReadAnswer(reader, "GET")
				if err != nil {
					t.Fatal(err)
				}
				var e struct {
					Code, Message string
					RequestID     string `json:"request_id"`
				}
				if err := json.Unmarshal(a.Body, &e); err != nil {
					t.Fatalf("the body %q is not JSON: %v", a.Body, err)
				}
				if a.Status != c.status || e.Code != "invalid_request" || e.Message == "" || a.Header.Get("Content-Type") != "application/json" ||
					a.Header.Get("X-Request-Id") != e.RequestID || a.Header.Get("Connection") != "close" {
					t.Errorf("got %d %v %s, want %d invalid_request as JSON with a message, its X-Request-Id and Connection: close", a.Status, a.Header, a.Body, c.status)
				}
				if rest, _ := io.ReadAll(reader); len(rest) > 0 {
					t.Errorf("got %q after the response, want nothing", rest)
				}
			})
		}
	}
}

// sendAll sends a complete request before it reads the response, as simple clients do.
func sendAll(t *testing.T, w *servertest.World, head string, size int, chunked bool) (testkit.WireAnswer, error) {
	t.Helper()
	conn := testkit.Dial(t, w.Addr())
	defer func() { _ = conn.Close() }()
	out := bufio.NewWriterSize(conn, 64<<10)
	piece := strings.Repeat("x", 32<<10)
	if chunked {
		head += "Transfer-Encoding: chunked\r\n\r\n"
	} else {
		head += fmt.Sprintf("Content-Length: %d\r\n\r\n", size)
	}
	_, _ = out.WriteString(head)
	for sent := 0; sent < size; sent += len(piece) {
		if chunked {
			fmt.Fprintf(out, "%x\r\n%s\r\n", len(piece), piece)
		} else {
			_, _ = out.WriteString(piece)
		}
	}
	if chunked {
		_, _ = out.WriteString("0\r\n\r\n")
	}
	if err := out.Flush(); err != nil {
		return testkit.WireAnswer{}, fmt.Errorf("sending the body: %w", err)
	}
	return testkit.ReadAnswer(bufio.NewReader(conn), "POST")
}

func TestAnOversizedBodyGetsAResponseAndNotAReset(t *testing.T) {
	w := servertest.Start(t, "")
	const size = 20 << 20
	channel := withRandomIDs("/{id}")
	json := "Content-Type: application/json\r\nAuthorization: Bearer " + w.A.Secret() + "\r\n"
	for name, c := range map[string]struct {
		head   string
		status int
	}{
		"a JSON body":                  {"POST /v1/labels HTTP/1.1\r\nHost: x\r\n" + json, 413},
		"an operation without a body":  {"POST /v1/conversations" + withRandomIDs("/{id}") + "/read HTTP/1.1\r\nHost: x\r\n" + json, 413},
		"an unknown parameter":         {"POST /v1/labels?x=1 HTTP/1.1\r\nHost: x\r\n" + json, 413},
		"no content type":              {"POST /v1/labels HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + w.A.Secret() + "\r\n", 413},
		"an unknown address":           {"POST /v1/nothing HTTP/1.1\r\nHost: x\r\n", 404},
		"no key":                       {"POST /v1/labels HTTP/1.1\r\nHost: x\r\n", 401},
		"an upload that is not a form": {"POST /v1/media HTTP/1.1\r\nHost: x\r\n" + json, 400},
		"a WhatsApp callback":          {"POST /channels" + channel + "/whatsapp HTTP/1.1\r\nHost: x\r\nX-Hub-Signature-256: sha256=" + strings.Repeat("ab", 32) + "\r\n", 413},
	} {
		for _, chunked := range []bool{false, true} {
			if chunked && name == "a WhatsApp callback" {
				continue // an unknown channel is refused before the body is read
			}
			t.Run(fmt.Sprintf("%s, chunked %v", name, chunked), func(t *testing.T) {
				a, err := sendAll(t, w, c.head, size, chunked)
				if err != nil {
					t.Fatalf("got the error %v, want a response", err)
				}
				testkit.Equal(t, "status", a.Status, c.status)
				testkit.Equal(t, "header Connection", a.Header.Get("Connection"), "close")
			})
		}
	}
	t.Run("a client that sends Expect: 100-continue gets the refusal first", func(t *testing.T) {
		conn := testkit.Dial(t, w.Addr())
		defer func() { _ = conn.Close() }()
		fmt.Fprintf(conn, "POST /v1/labels HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", size)
		if a, err := testkit.ReadAnswer(bufio.NewReader(conn), "POST"); err != nil || a.Status != http.StatusUnauthorized {
			t.Fatalf("got %d %s and error %v, want 401", a.Status, a.Body, err)
		}
	})
	t.Run("an unread small body leaves the connection open", func(t *testing.T) {
		refused := wireCall(w.A, "POST", "/labels", `{"name":"`+strings.Repeat("x", 100<<10)+`"}`)
		responses := testkit.Exchange(t, w.Addr(), false, refused, refused, wireCall(w.A, "GET", "/me", ""))
		testkit.Equal(t, "statuses", [3]int{responses[0].Status, responses[1].Status, responses[2].Status}, [3]int{413, 413, 200})
	})
}
