package hostile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"recado/test/binary"
	"recado/test/testkit"
)

func TestMain(m *testing.M) { binary.Main(m) }

// target is a running server with its metrics.
type target struct {
	*binary.Process
	addr, metrics, key string
}

func serve(t *testing.T) *target {
	t.Helper()
	metrics := testkit.FreeAddress(t)
	p := binary.Serve(t, t.TempDir(), "--metrics-addr", metrics)
	return &target{Process: p, addr: strings.TrimPrefix(p.URL, "http://"), metrics: metrics, key: p.Demo.Companies[0].APIKey}
}

// metric returns the value of a metric.
func (s *target) metric(t *testing.T, name string) float64 {
	t.Helper()
	resp, err := plain.Get("http://" + s.metrics + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			f, _ := strconv.ParseFloat(value, 64)
			return f
		}
	}
	t.Fatalf("/metrics has no %s", name)
	return 0
}

var plain = &http.Client{Timeout: patience}

// serves sends n valid requests, which must succeed whatever else is happening.
func (s *target) serves(t *testing.T, n int) {
	t.Helper()
	for range n {
		r, _ := http.NewRequest(http.MethodGet, s.URL+"/v1/conversations", nil)
		r.Header.Set("Authorization", "Bearer "+s.key)
		resp, err := plain.Do(r)
		if err != nil {
			t.Fatalf("a valid request failed: %v", err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("a valid request: got %d, want 200", resp.StatusCode)
		}
	}
}

// dial opens a connection and writes its first bytes.
func (s *target) dial(t *testing.T, text string) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn.(*net.TCPConn)
}

// get returns a valid request, with additional header lines if given.
func (s *target) get(more ...string) string {
	return "GET /v1/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + s.key + "\r\n" + strings.Join(more, "") + "\r\n"
}

// post returns the head of a request with a body of that many bytes.
func (s *target) post(length int) string {
	return fmt.Sprintf("POST /v1/labels HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", s.key, length)
}

// settles waits until the number of goroutines is back near a baseline.
func (s *target) settles(t *testing.T, goroutines float64) {
	t.Helper()
	testkit.Eventually(t, fmt.Sprintf("at most %v goroutines are left", goroutines+50), func() bool {
		return s.metric(t, "go_goroutines") <= goroutines+50
	})
}

func TestHostileConnectionsAffectNoOtherCaller(t *testing.T) {
	s := serve(t)
	s.serves(t, 20)
	before := s.metric(t, "go_goroutines")

	t.Run("together", func(t *testing.T) {
		t.Run("a header that arrives too slowly closes the connection", func(t *testing.T) {
			t.Parallel()
			conn := s.dial(t, "GET /v1/me HTTP/1.1\r\nX-Slow: ")
			ended := make(chan error, 1)
			_ = conn.SetReadDeadline(time.Now().Add(patience))
			go func() {
				_, err := io.Copy(io.Discard, conn)
				ended <- err
			}()
			tick := time.NewTicker(100 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case err := <-ended:
					if errors.Is(err, os.ErrDeadlineExceeded) {
						t.Error("the connection is still open, want it closed")
					}
					return
				case <-tick.C:
					_, _ = conn.Write([]byte("a"))
				}
			}
		})
		t.Run("slow bodies and unread responses do not block other callers", func(t *testing.T) {
			t.Parallel()
			var slow []*net.TCPConn
			for range 200 {
				slow = append(slow, s.dial(t, s.post(1000)+`{"na`))
				deaf := s.dial(t, "")
				_ = deaf.SetReadBuffer(4096)
				_ = deaf.SetWriteDeadline(time.Now().Add(time.Second))
				_, _ = io.WriteString(deaf, strings.Repeat("GET /v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n", 50))
			}
			for range 3 {
				for _, conn := range slow {
					_, _ = conn.Write([]byte("m"))
				}
				s.serves(t, 20)
			}
		})
		t.Run("half-closed connections get their response", func(t *testing.T) {
			t.Parallel()
			whole := s.dial(t, s.get())
			_ = whole.CloseWrite()
			wantStatus(t, whole, http.StatusOK)
			half := s.dial(t, s.post(100)+`{"name":`)
			_ = half.CloseWrite()
			wantStatus(t, half, http.StatusBadRequest)
			headless := s.dial(t, "GET /v1/me HTT")
			_ = headless.CloseWrite()
			wantStatus(t, headless, 0)
		})
		t.Run("pipelined requests get their responses in order", func(t *testing.T) {
			t.Parallel()
			var all strings.Builder
			for n := range 100 {
				all.WriteString(s.get(fmt.Sprintf("X-Request-Id: number-%d\r\n", n)))
			}
			conn := s.dial(t, all.String())
			_ = conn.SetReadDeadline(time.Now().Add(patience))
			responses := bufio.NewReader(conn)
			for n := range 100 {
				resp, err := http.ReadResponse(responses, nil)
				if err != nil {
					t.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				if got := resp.Header.Get("X-Request-Id"); got != fmt.Sprintf("number-%d", n) {
					t.Fatalf("response %d: got the request id %s, want number-%[1]d", n, got)
				}
			}
		})
		t.Run("malformed HTTP is refused", func(t *testing.T) {
			t.Parallel()
			for name, c := range map[string]struct {
				text   string
				status int // 0: any response or none
			}{
				"a megabyte of header":       {s.get("X-Big: " + strings.Repeat("a", 1<<20) + "\r\n"), 431},
				"ten thousand headers":       {s.get(strings.Repeat("X-Many: a\r\n", 10_000)), 431},
				"an endless target":          {"GET /" + strings.Repeat("a", 1<<20) + " HTTP/1.1\r\nHost: x\r\n\r\n", 431},
				"two lengths":                {"POST /v1/labels HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400},
				"a length and chunks":        {"POST /v1/labels HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 0},
				"an unknown encoding":        {"POST /v1/labels HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: rot13\r\n\r\n", 501},
				"a negative length":          {"POST /v1/labels HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400},
				"a chunk of nonsense":        {"POST /v1/labels HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + s.key + "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n", 400},
				"no host":                    {"GET /v1/me HTTP/1.1\r\n\r\n", 400},
				"HTTP/0.9":                   {"GET /v1/me\r\n\r\n", 400},
				"an HTTP/2 preface":          {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 0},
				"a TLS handshake":            {"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03" + strings.Repeat("\x00", 200), 400},
				"nothing but line breaks":    {strings.Repeat("\r\n", 100_000), 400},
				"zeros":                      {strings.Repeat("\x00", 100_000), 431},
				"a space before the colon":   {"GET /v1/me HTTP/1.1\r\nHost: x\r\nAuthorization : Bearer x\r\n\r\n", 400},
				"a header folded over lines": {"GET /v1/me HTTP/1.1\r\nHost: x\r\nX-A: b\r\n c\r\n\r\n", 0},
				"a line break in a header":   {"GET /v1/me HTTP/1.1\r\nHost: x\r\nX-A: b\rInjected: c\r\n\r\n", 0},
			} {
				conn, err := net.Dial("tcp", s.addr)
				if err != nil {
					t.Fatal(err)
				}
				go func() { _, _ = io.WriteString(conn, c.text); _ = conn.(*net.TCPConn).CloseWrite() }()
				if got := readStatus(t, name, conn); c.status != 0 && got != c.status && got != 0 {
					t.Errorf("%s: got status %d, want %d", name, got, c.status)
				}
				_ = conn.Close()
			}
		})
	})
	s.serves(t, 20)
	s.settles(t, before)
}

// wantStatus reads one response and checks its status; 0 accepts any response, or none.
func wantStatus(t *testing.T, conn net.Conn, status int) {
	t.Helper()
	if got := readStatus(t, "", conn); got != status && status != 0 {
		t.Errorf("got status %d, want %d", got, status)
	}
}

// readStatus reads a response until the server closes the connection, and checks that a refusal has an Error object. It
// returns 0 if the server closed without a response.
func readStatus(t *testing.T, name string, conn net.Conn) int {
	t.Helper()
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	reader := bufio.NewReader(conn)
	resp, err := http.ReadResponse(reader, nil)
	if err != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: got no response and an open connection, want either", name)
		}
		return 0
	}
	body, _ := io.ReadAll(resp.Body)
	if resp.StatusCode >= 400 && (resp.Header.Get("Content-Type") != "application/json" || !bytes.Contains(body, []byte(`"code":"`))) {
		t.Errorf("%s: status %d: got %s, want an Error object", name, resp.StatusCode, body)
	}
	if resp.StatusCode == http.StatusInternalServerError {
		t.Errorf("%s: got status 500 %s, want any other", name, body)
	}
	return resp.StatusCode
}
