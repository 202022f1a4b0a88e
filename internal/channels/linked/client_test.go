package linked

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/types"
	waLog "go.mau.fi/whatsmeow/util/log"
)

// transport calls a function instead of sending requests.
type transport func(r *http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A node that has lost the lease must not open a connection: it would replace that of the next holder.
func TestADialEndsWithTheLease(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	client := Dial(ctx, &store.Device{ID: &types.JID{User: "5511912345678"}}, waLog.Noop, nil)
	dialing, ended := make(chan struct{}), make(chan struct{})
	client.(*whatsmeow.Client).SetWebsocketHTTPClient(&http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		close(dialing)
		<-r.Context().Done()
		return nil, r.Context().Err()
	})})
	go func() {
		_ = client.Connect()
		close(ended)
	}()
	<-dialing
	cancel()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("the client still tries to connect")
	}
}

func TestAFileIsNotLongerThanItsSenderClaims(t *testing.T) {
	client := http.Client{Transport: limited{transport(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("12345"))}, nil
	})}}
	for limit, want := range map[int64]bool{4: false, 5: true} {
		r, err := http.NewRequestWithContext(atMost(t.Context(), limit), http.MethodGet, "https://mmg.whatsapp.net/", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if got := err == nil; got != want || isDamaged(err) == want {
			t.Errorf("of five bytes at most %d were read: %v", limit, err)
		}
	}
}
