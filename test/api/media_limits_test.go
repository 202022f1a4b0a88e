package api_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/internal/server"
	"recado/internal/talk"
	"recado/test/servertest"
)

func TestTheMediaQuotaIsExact(t *testing.T) {
	var dir string
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		t.Run("concurrent uploads never exceed it", func(t *testing.T) {
			var made, refused atomic.Int64
			var all sync.WaitGroup
			for range 6 {
				all.Go(func() {
					switch response := w.A.Upload(t, "a.png", png); response.Status {
					case http.StatusCreated:
						made.Add(1)
					default:
						response.Fails(409, "limit_reached")
						if !strings.Contains(response.Text("message"), kernel.SizeText(int64(4*len(png)))) {
							t.Errorf("the message does not name the limit: %s", response.Raw)
						}
						refused.Add(1)
					}
				})
			}
			all.Wait()
			if made.Load() != 4 || refused.Load() != 2 {
				t.Errorf("got %d uploads created and %d refused, want 4 and 2", made.Load(), refused.Load())
			}
			if n := countFiles(t, dir); n != 4 {
				t.Errorf("got %d files on disk, want 4 because refused uploads are removed", n)
			}
		})
		t.Run("another company has its own quota", func(t *testing.T) {
			w.B.Upload(t, "a.png", png).OK(201)
		})
		t.Run("removed files are not counted", func(t *testing.T) {
			w.Clock.Advance(talk.UnattachedRetention + time.Minute)
			removeUnattached(t, w)
			for range 4 {
				w.A.Upload(t, "a.png", png).OK(201)
			}
			w.A.Upload(t, "a.png", png).Fails(409, "limit_reached")
		})
	}, withLimits(kernel.Limits{"media": int64(4 * len(png))}), func(c *server.Config) { dir = c.DataDir + "/media" })
}

func TestUnattachedUploadsAreRemovedAfterADay(t *testing.T) {
	var dir string
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		conversation := customerWrites(t, w, sandbox(t, w), phoneNumber(1))
		send := func(media string) *servertest.Answer {
			return w.A.Post(t, "/conversations/"+conversation+"/messages", fmt.Sprintf(`{"client_id": %q, "media_id": %q}`, kernel.NewID(), media))
		}
		used, unused := w.A.Upload(t, "a.png", png).OK(201).ID(), w.A.Upload(t, "b.png", png).OK(201).ID()
		send(used).OK(201)
		w.Clock.Advance(talk.UnattachedRetention - time.Minute)
		removeUnattached(t, w)
		w.A.Get(t, "/media/"+unused+"/url").OK(200)

		w.Clock.Advance(2 * time.Minute)
		young := w.A.Upload(t, "c.png", png).OK(201).ID()
		removeUnattached(t, w)
		w.A.Get(t, "/media/"+unused+"/url").Fails(404, "not_found")
		send(unused).Fails(400, "invalid_request")
		w.A.Get(t, "/media/"+used+"/url").OK(200)
		w.A.Get(t, "/media/"+young+"/url").OK(200)
		if n := countFiles(t, dir); n != 2 {
			t.Errorf("got %d files on disk, want 2", n)
		}

		t.Run("an upload that is being attached is kept", func(t *testing.T) {
			var old []string
			for range 10 {
				old = append(old, w.A.Upload(t, "d.png", png).OK(201).ID())
			}
			w.Clock.Advance(talk.UnattachedRetention + time.Minute)
			sent := make([]*servertest.Answer, len(old))
			var all sync.WaitGroup
			all.Go(func() { removeUnattached(t, w) })
			for i, id := range old {
				all.Go(func() { sent[i] = send(id) })
			}
			all.Wait()
			for i, id := range old {
				if sent[i].Status != 201 {
					sent[i].Fails(400, "invalid_request")
					w.A.Get(t, "/media/"+id+"/url").Fails(404, "not_found")
					continue
				}
				resp, body := fetch(t, w.A.Get(t, "/media/"+id+"/url").OK(200).Text("url"))
				if resp.StatusCode != 200 || len(body) != len(png) {
					t.Errorf("a sent file: got status %d and %d bytes, want 200 and %d", resp.StatusCode, len(body), len(png))
				}
			}
		})
	}, func(c *server.Config) { dir = c.DataDir + "/media" })
}

func TestACompanyHasALimitedNumberOfConcurrentUploads(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		const head = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\r\n"
		done := make(chan *servertest.Answer, 1000)
		var bodies []*io.PipeWriter
		hold := func() { // starts an upload that stays open unless it is refused
			r, body := io.Pipe()
			bodies = append(bodies, body)
			go func() { done <- w.A.Post(t, "/media", io.Reader(r), "Content-Type", "multipart/form-data; boundary=b") }()
			_, _ = io.WriteString(body, head+string(png))
		}
		hold()
		hold()
		for !t.Failed() { // the server counts an upload only after reading its header
			response := w.A.Upload(t, "a.png", png)
			if response.Status == 429 {
				if response.Fails(429, "rate_limited").Header.Get("Retry-After") == "" {
					t.Errorf("Retry-After: got none, want a number of seconds: %v", response.Header)
				}
				break
			}
			response.OK(201)
			hold() // this upload may have taken the place of one that should stay open
		}
		w.B.Upload(t, "a.png", png).OK(201)
		for _, body := range bodies {
			_, _ = io.WriteString(body, "\r\n--b--\r\n")
			_ = body.Close()
		}
		stored := 0
		for range bodies {
			if response := <-done; response.Status == 201 {
				stored++
			} else {
				response.Fails(429, "rate_limited")
			}
		}
		if stored < 2 {
			t.Errorf("got %d open uploads stored, want at least 2", stored)
		}
		w.A.Upload(t, "a.png", png).OK(201)
	}, withLimits(kernel.Limits{"uploads": 2}))
}

// removeUnattached removes uploads that no message refers to, as the periodic job does.
func removeUnattached(t *testing.T, w *servertest.World) {
	t.Helper()
	if _, err := w.Desk.Talk.RemoveUnattached(t.Context()); err != nil {
		t.Error(err)
	}
}
