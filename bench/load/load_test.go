package load

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	t.Run("sends exactly the planned requests over the planned connections", func(t *testing.T) {
		var opened atomic.Int64
		var seen sync.Map
		address := serve(t, &opened, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			seen.Store(string(body), r.Header.Get("X-Worker"))
			w.WriteHeader(http.StatusCreated)
		})
		result := run(t, Plan{
			Address: address, Connections: 7, Count: 500,
			Request: func(worker, i int, r *Request) {
				r.Method, r.Path = "POST", "/things"
				r.Set("X-Worker", fmt.Sprint(worker))
				r.Body = fmt.Appendf(r.Body, "body %d", i)
			},
		})
		if result.Requests != 500 || result.Errors != 0 || result.Latency.Count() != 500 {
			t.Errorf("%d requests, %d errors, %d times: %v", result.Requests, result.Errors, result.Latency.Count(), result.FirstError)
		}
		for i := range 500 {
			if worker, ok := seen.Load(fmt.Sprintf("body %d", i)); !ok || worker == "" {
				t.Errorf("request %d arrived: %v, from worker %v", i, ok, worker)
			}
		}
		if opened.Load() != 7 {
			t.Errorf("opened %d connections", opened.Load())
		}
	})

	t.Run("ends after the duration", func(t *testing.T) {
		address := serve(t, nil, func(http.ResponseWriter, *http.Request) {})
		result := run(t, Plan{Address: address, Connections: 2, Duration: 50 * time.Millisecond, Request: get})
		if result.Elapsed < 50*time.Millisecond || result.Requests == 0 || result.Rate() == 0 {
			t.Errorf("%d requests in %v", result.Requests, result.Elapsed)
		}
	})

	t.Run("a run with a rate keeps it, and latency counts from the time a request was due", func(t *testing.T) {
		var first sync.Once
		address := serve(t, nil, func(http.ResponseWriter, *http.Request) {
			first.Do(func() { <-time.After(100 * time.Millisecond) }) // a server that is slow once
		})
		result := run(t, Plan{Address: address, Connections: 1, Count: 200, Rate: 2000, Request: get})
		if result.Requests != 200 || result.Elapsed < 60*time.Millisecond {
			t.Errorf("%d requests in %v", result.Requests, result.Elapsed)
		}
		if p50 := result.Latency.Quantile(0.5); p50 < 10*time.Millisecond {
			t.Errorf("the wait for the slow request is missing: p50 is %v", p50)
		}
	})

	t.Run("reads chunked bodies, known lengths, empty bodies and until the end", func(t *testing.T) {
		want := strings.Repeat("0123456789", 5000)
		address := serve(t, nil, func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/length":
				w.Header().Set("Content-Length", fmt.Sprint(len(want)))
				io.WriteString(w, want)
			case "/chunks":
				for part := range slices.Chunk([]byte(want), 777) {
					w.Write(part)
					w.(http.Flusher).Flush()
				}
			case "/empty":
				w.WriteHeader(http.StatusNoContent)
			case "/end":
				taken, _, err := w.(http.Hijacker).Hijack()
				if err == nil {
					io.WriteString(taken, "HTTP/1.0 200 OK\r\n\r\n"+want)
					taken.Close()
				}
			}
		})
		paths := []string{"/length", "/chunks", "/empty", "/end"}
		result := run(t, Plan{
			Address: address, Connections: 3, Count: 80,
			Request: func(_, i int, r *Request) { r.Path = paths[i%len(paths)] },
			Check: func(_, i int, response *Response) error {
				if paths[i%len(paths)] != "/empty" && string(response.Body) != want {
					return fmt.Errorf("%s returned %d bytes", paths[i%len(paths)], len(response.Body))
				}
				return successful(0, 0, response)
			},
		})
		if result.Requests != 80 || result.Errors != 0 {
			t.Errorf("%d requests, %d errors: %v", result.Requests, result.Errors, result.FirstError)
		}
	})

	t.Run("counts failed requests and broken connections, and continues", func(t *testing.T) {
		address := serve(t, nil, func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/refused":
				w.WriteHeader(http.StatusTooManyRequests)
			case "/broken":
				panic(http.ErrAbortHandler)
			case "/closing":
				w.Header().Set("Connection", "close")
			}
		})
		paths := []string{"/fine", "/refused", "/broken", "/closing"}
		result := run(t, Plan{
			Address: address, Connections: 1, Count: 40,
			Request: func(_, i int, r *Request) { r.Path = paths[i%len(paths)] },
		})
		if result.Requests != 20 || result.Errors != 20 || result.FirstError == nil {
			t.Errorf("%d requests, %d errors: %v", result.Requests, result.Errors, result.FirstError)
		}
	})

	t.Run("stops immediately when the context is done, even while waiting for a response", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		address := serve(t, nil, func(_ http.ResponseWriter, r *http.Request) {
			cancel()
			<-r.Context().Done()
		})
		_, err := Run(ctx, Plan{Address: address, Connections: 4, Count: 10, Request: get})
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})

	t.Run("rejects other machines", func(t *testing.T) {
		for _, address := range []string{"192.0.2.1:80", "example.com:80", "127.0.0.1"} {
			if _, err := Run(t.Context(), Plan{Address: address, Connections: 1, Count: 1, Request: get}); err == nil {
				t.Errorf("%s was accepted", address)
			}
		}
	})

	t.Run("fails if no server listens", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		listener.Close()
		if _, err := Run(t.Context(), Plan{Address: listener.Addr().String(), Connections: 2, Count: 1, Request: get}); err == nil {
			t.Error("no error")
		}
	})
}

func TestQuantilesAreAtMostTwoPercentTooHigh(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var whole, left, right Histogram
	var exact []time.Duration
	for i := range 20_000 {
		d := time.Duration(random.ExpFloat64() * float64(3*time.Millisecond))
		exact = append(exact, d)
		whole.Record(d)
		if i%3 == 0 {
			left.Record(d)
		} else {
			right.Record(d)
		}
	}
	slices.Sort(exact)
	left.Add(&right)
	for _, q := range []float64{0, 0.01, 0.5, 0.9, 0.99, 0.999, 1} {
		want := exact[max(0, int(q*float64(len(exact)))-1)]
		got := whole.Quantile(q)
		if got < want || float64(got) > float64(want)*1.02+1 {
			t.Errorf("quantile %v is %v, want %v", q, got, want)
		}
		if merged := left.Quantile(q); merged != got {
			t.Errorf("quantile %v of the merged halves is %v, of the whole %v", q, merged, got)
		}
	}
	if whole.Max() != exact[len(exact)-1] {
		t.Errorf("max is %v", whole.Max())
	}
	if empty := new(Histogram); empty.Quantile(0.5) != 0 || empty.Max() != 0 {
		t.Error("an empty histogram has quantiles")
	}
}

func FuzzResponseReader(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"))
	f.Add([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nhi\r\n0\r\nA: b\r\n\r\n"))
	f.Add([]byte("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 204 No\r\n\r\n"))
	f.Fuzz(func(t *testing.T, wire []byte) {
		c := &conn{reader: bufio.NewReader(bytes.NewReader(wire))}
		var response Response
		if err := c.read("GET", &response); err == nil && len(response.Body) > len(wire) {
			t.Errorf("a body of %d bytes out of %d", len(response.Body), len(wire))
		}
	})
}

func get(_, _ int, r *Request) { r.Path = "/fine" }

func run(t *testing.T, plan Plan) *Result {
	t.Helper()
	result, err := Run(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// serve starts a server and counts its connections.
func serve(t *testing.T, opened *atomic.Int64, handler http.HandlerFunc) (address string) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if opened != nil && state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}
