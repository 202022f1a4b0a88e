package api_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"recado/internal/kernel"
	"recado/test/servertest"
)

// rawResponse sends a request with an Accept-Encoding and returns the response as it was sent.
func rawResponse(t *testing.T, c *servertest.Client, method, path, body, acceptEncoding string, headers ...string) (*http.Response, []byte) {
	t.Helper()
	r, err := http.NewRequest(method, c.Base()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	c.Sign(r)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept-Encoding", acceptEncoding) // the client does not decode the body when this is set
	return sendRaw(t, r, headers...)
}

func TestResponsesOverAKibibyteAreCompressed(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		for n := range 12 {
			customerWrites(t, w, channel, phoneNumber(n))
		}
		plain, want := rawResponse(t, w.A.Client, "GET", "/conversations", "", "identity")
		if plain.Header.Get("Content-Encoding") != "" || plain.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("headers of an uncompressed response: got %v, want no Content-Encoding and Vary: Accept-Encoding", plain.Header)
		}
		for acceptEncoding, encoding := range map[string]string{
			"gzip": "gzip", "gzip, deflate, br, zstd": "zstd", "zstd;q=0, GZIP;q=0.5": "gzip", "br": "", "gzip;q=0": "", "*": "",
		} {
			t.Run("Accept-Encoding "+acceptEncoding, func(t *testing.T) {
				resp, raw := rawResponse(t, w.A.Client, "GET", "/conversations", "", acceptEncoding)
				if got := resp.Header.Get("Content-Encoding"); got != encoding {
					t.Fatalf("Content-Encoding: got %q, want %q", got, encoding)
				}
				if got := resp.Header.Get("Content-Length"); got != strconv.Itoa(len(raw)) {
					t.Errorf("Content-Length: got %s, want %d", got, len(raw))
				}
				if encoding != "" && len(raw) > len(want)/2 {
					t.Errorf("got %d bytes, want at most half of %d", len(raw), len(want))
				}
				if got := decompress(t, encoding, raw); !bytes.Equal(got, want) {
					t.Errorf("got %s, want %s", got, want)
				}
			})
		}
		resp, raw := rawResponse(t, w.A.Client, "HEAD", "/conversations", "", "gzip")
		if resp.StatusCode == 200 && (len(raw) != 0 || resp.Header.Get("Content-Encoding") != "gzip") {
			t.Errorf("HEAD: got %d bytes and %v, want no body and Content-Encoding: gzip", len(raw), resp.Header)
		}
	})
}

func TestSmallResponsesFilesAndSecretsAreNotCompressed(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		file := w.A.Upload(t, "note.txt", bytes.Repeat([]byte("plain text "), 1000)).OK(201).ID()
		board := newBoard(t, w.A.Client)
		card := board.card(t, w.A.Client, "long", fmt.Sprintf(`,"description":%q`, strings.Repeat("long ", 1000))).OK(201)
		long := strings.Repeat("n", 120)
		scopes := `"` + strings.Join([]string{"read", "write", "conversations:read", "messages:read"}, `","`) + `"`
		for _, c := range []struct{ method, path, body string }{
			{"GET", "/me", ""},
			{"GET", "/media/" + file + "/content", ""},
			{"GET", "/kanban/cards/" + card.ID(), ""},
			{"POST", "/keys", `{"name":"` + long + `","scopes":[` + scopes + `],"boards":["` + strings.Repeat(board.id+`","`, 40) + board.id + `"]}`},
		} {
			resp, _ := rawResponse(t, w.A.Client, c.method, c.path, c.body, "gzip, zstd")
			if resp.StatusCode >= 300 || resp.Header.Get("Content-Encoding") != "" {
				t.Errorf("%s %s: got %d %v, want a success without Content-Encoding", c.method, c.path, resp.StatusCode, resp.Header)
			}
		}
		if resp, raw := rawResponse(t, w.A.Client, "GET", "/keys?x=1", "", "gzip"); resp.StatusCode != 400 || !bytes.Contains(raw, []byte("unknown")) {
			t.Errorf("an unknown parameter: got %d %s, want a readable 400", resp.StatusCode, raw)
		}
		resp, raw := rawResponse(t, w.A.Client, "POST", "/conversations/bulk",
			`{"action":"read","ids":["`+strings.Repeat(kernel.NewID().String()+`","`, 99)+kernel.NewID().String()+`"]}`, "gzip")
		if resp.Header.Get("Content-Encoding") != "gzip" {
			t.Errorf("a large response to POST: got %d %s, want it compressed with gzip", resp.StatusCode, raw)
		}
	})
}

// decompress decompresses a body.
func decompress(t *testing.T, encoding string, raw []byte) []byte {
	t.Helper()
	var r io.Reader = bytes.NewReader(raw)
	var err error
	switch encoding {
	case "gzip":
		r, err = gzip.NewReader(r)
	case "zstd":
		r, err = zstd.NewReader(r)
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
