package whatsapp_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/channels/simulator"
	"recado/internal/channels/whatsapp"
	"recado/test/testkit"
)

const noLimit = 1 << 30

func TestMediaIsUploadedAndDownloaded(t *testing.T) {
	content := make([]byte, 3<<20)
	for i := range content {
		content[i] = byte(i * 7 >> 3)
	}
	for name, options := range map[string]simulator.Options{
		"hash in hex, size a number":    {MediaHash: "hex"},
		"hash in base64, size a string": {MediaHash: "base64", MediaSizeText: true},
	} {
		t.Run(name, func(t *testing.T) {
			sim, client := connect(t, options)
			id, err := client.UploadMedia(t.Context(), *fileOf("video", "video/mp4", "v.mp4", content))
			if err != nil {
				t.Fatal(err)
			}
			found, err := client.MediaURL(t.Context(), id)
			if err != nil {
				t.Fatalf("want err == nil; got %+v, %+v", found, err)
			}
			testkit.Equal(t, "found.Size", found.Size, int64(len(content)))
			testkit.Equal(t, "found.MimeType", found.MimeType, "video/mp4")
			var got bytes.Buffer
			if n, err := client.DownloadMedia(t.Context(), found, noLimit, &got); err != nil || n != found.Size {
				t.Fatalf("%d bytes, %v", n, err)
			}
			if !bytes.Equal(got.Bytes(), content) {
				t.Error("the bytes differ")
			}
			if stored, _, _ := sim.File(id); !bytes.Equal(stored, content) {
				t.Error("the stored bytes differ")
			}
		})
	}
}

func TestDownloadRefuses(t *testing.T) {
	content := []byte("0123456789")
	sim, client := connect(t, simulator.Options{})
	id, err := client.UploadMedia(t.Context(), *fileOf("document", "text/plain", "a.txt", content))
	if err != nil {
		t.Fatal(err)
	}
	good, err := client.MediaURL(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	code := func(m whatsapp.Media, limit int64) string {
		_, err := client.DownloadMedia(t.Context(), m, limit, io.Discard)
		if err == nil {
			return ""
		}
		return sendError(t, err).Code
	}
	unsized := good
	unsized.Size = 0
	other := sha256.Sum256([]byte("something else"))
	corrupt := good
	corrupt.SHA256 = base64.StdEncoding.EncodeToString(other[:])
	longer := good
	longer.Size++
	odd := good
	odd.SHA256 = "a spelling of tomorrow"
	for name, test := range map[string]struct {
		m     whatsapp.Media
		limit int64
		code  string
	}{
		"a good file":                      {good, 10, ""},
		"an unreadable hash":               {odd, 10, ""},
		"a file announced as too large":    {good, 9, "media_too_large"},
		"a file that turns out too large":  {unsized, 9, "media_too_large"},
		"bytes that do not give the hash":  {corrupt, 10, "media_corrupt"},
		"bytes that are fewer than said":   {longer, 11, "media_corrupt"},
		"an address of another host":       {whatsapp.Media{URL: "https://evil.example/x"}, 10, "media_unavailable"},
		"Meta's host without TLS":          {whatsapp.Media{URL: "http://lookaside.fbsbx.com/x"}, 10, "media_unavailable"},
		"a name that only ends like one":   {whatsapp.Media{URL: "https://evil-lookaside.fbsbx.com/x"}, 10, "media_unavailable"},
		"a host hidden behind a user name": {whatsapp.Media{URL: "https://lookaside.fbsbx.com@evil.example/x"}, 10, "media_unavailable"},
		"another port of Meta's host":      {whatsapp.Media{URL: "https://lookaside.fbsbx.com:444/x"}, 10, "media_unavailable"},
		"no address":                       {whatsapp.Media{}, 10, "media_unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := code(test.m, test.limit); got != test.code {
				t.Errorf("got %q, want %q", got, test.code)
			}
		})
	}
	t.Run("an address that has run out, and a fresh one", func(t *testing.T) {
		sim.Advance(6 * time.Minute)
		if got := code(good, 10); got != "media_expired" {
			t.Errorf("got %q", got)
		}
		var got bytes.Buffer
		if _, err := client.FetchMedia(t.Context(), provider.IncomingMedia{ProviderID: id, URL: good.URL}, 10, &got); err != nil || got.String() != string(content) {
			t.Errorf("want err == nil and got.String() == content; got %+v, %+v", got.String(), err)
		}
	})
	t.Run("a file that Meta no longer keeps", func(t *testing.T) {
		sim.Advance(31 * 24 * time.Hour)
		_, err := client.FetchMedia(t.Context(), provider.IncomingMedia{ProviderID: id}, 10, io.Discard)
		if got := sendError(t, err); got.Code != "media_unavailable" || got.Retry {
			t.Errorf(`sendError(t, err): want got.Code == "media_unavailable" and !got.Retry; got %+v`, got)
		}
	})
}

func TestTheTokenIsNotSentToARedirect(t *testing.T) {
	var stolen []string
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		stolen = append(stolen, r.Header.Get("Authorization"))
	}))
	defer thief.Close()
	meta := httptest.NewServer(http.RedirectHandler(thief.URL, http.StatusFound))
	defer meta.Close()
	client := whatsapp.Client{BaseURL: meta.URL, PhoneNumberID: "1", Token: "secret"}
	if _, err := client.DownloadMedia(t.Context(), whatsapp.Media{URL: meta.URL + "/x"}, 10, io.Discard); err == nil {
		t.Error("followed")
	}
	if _, err := client.Number(t.Context()); err == nil {
		t.Error("followed")
	}
	if len(stolen) > 0 {
		t.Errorf("the token went astray: %q", stolen)
	}
}

func TestUploadStreams(t *testing.T) {
	// 64 MiB are uploaded without reading large pieces into memory.
	const size = 64 << 20
	largest := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength <= size {
			t.Errorf("length %d", r.ContentLength)
		}
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `{"id":"1"}`)
	}))
	defer server.Close()
	client := whatsapp.Client{BaseURL: server.URL, PhoneNumberID: "1", Token: "t"}
	id, err := client.UploadMedia(t.Context(), provider.OutgoingMedia{
		Kind: "document", MimeType: "application/pdf", Size: size,
		Open: func() (io.ReadCloser, error) {
			return io.NopCloser(io.LimitReader(readerFunc(func(p []byte) (int, error) {
				largest = max(largest, len(p))
				clear(p)
				return len(p), nil
			}), size)), nil
		},
	})
	if err != nil {
		t.Fatalf("want err == nil; got %+v, %+v", id, err)
	}
	testkit.Equal(t, "id", id, "1")
	if largest > 1<<20 {
		t.Errorf("%d bytes were asked for at once", largest)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestNumberAndSubscription(t *testing.T) {
	t.Run("the state of the number", func(t *testing.T) {
		_, client := connect(t, simulator.Options{})
		n, err := client.Number(t.Context())
		want := whatsapp.Number{
			ID: simulator.DefaultNumberID, DisplayPhone: "+55 11 90000-0000", VerifiedName: "Loja Simulada",
			Status: "CONNECTED", Quality: "GREEN", Throughput: "STANDARD",
		}
		if err != nil || n != want || n.Phone() != "+5511900000000" {
			t.Errorf(`want err == nil and n == want and n.Phone() == "+5511900000000"; got %+v, %+v`, n, err)
		}
	})
	t.Run("the error for a rejected token contains Meta's text", func(t *testing.T) {
		_, client := connect(t, simulator.Options{})
		client.Token = "wrong"
		_, err := client.Number(t.Context())
		if got := sendError(t, err); got.Code != "token_rejected" || !got.Disconnect || !strings.Contains(got.ProviderText, "Invalid OAuth") {
			t.Errorf(`sendError(t, err): want got.Code == "token_rejected" and got.Disconnect and strings.Contains(got.ProviderText, "Invalid OAuth"); got %+v`, got)
		}
	})
	t.Run("a number id that Meta does not know", func(t *testing.T) {
		_, client := connect(t, simulator.Options{})
		client.PhoneNumberID = "123"
		_, err := client.Number(t.Context())
		if got := sendError(t, err); got.Code != "number_unknown" || got.Disconnect {
			t.Errorf(`sendError(t, err): want got.Code == "number_unknown" and !got.Disconnect; got %+v`, got)
		}
	})
	t.Run("marking as read", func(t *testing.T) {
		sim, client := connect(t, simulator.Options{})
		ids, _ := sim.Receive(simulator.Inbound{Customer: customer, Text: "oi"})
		if err := client.MarkRead(t.Context(), ids[0]); err != nil || !sim.WasRead(ids[0]) {
			t.Error(err)
		}
		if err := client.MarkRead(t.Context(), "wamid.unknown"); sendError(t, err).Code != "invalid_request" {
			t.Error(err)
		}
	})
	t.Run("subscribing asks the callback address first", func(t *testing.T) {
		_, client := connect(t, simulator.Options{})
		mux := http.NewServeMux()
		mux.Handle("/channels/{channel}/whatsapp", &whatsapp.Callback{
			Lookup: func(context.Context, string) (whatsapp.Credentials, bool, error) {
				return whatsapp.Credentials{VerifyToken: "verify"}, true, nil
			},
		})
		desk := httptest.NewServer(mux)
		defer desk.Close()
		if err := client.SubscribeApp(t.Context(), simulator.DefaultWABAID); err != nil {
			t.Fatal(err)
		}
		if err := client.SetCallback(t.Context(), desk.URL+"/channels/c1/whatsapp", "verify"); err != nil {
			t.Fatal(err)
		}
		err := client.SetCallback(t.Context(), desk.URL+"/channels/c1/whatsapp", "wrong")
		if got := sendError(t, err); got.Code != "callback_unreachable" {
			t.Errorf(`sendError(t, err): want got.Code == "callback_unreachable"; got %+v`, got)
		}
		if err := client.SetCallback(t.Context(), "", ""); err != nil {
			t.Error(err)
		}
	})
}
