package hostile

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"
)

// There are fewer connections if the limit on open files requires it.
func TestTenThousandIdleConnectionsCostLittleAndAreClosed(t *testing.T) {
	n := 10_000
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		t.Fatal(err)
	}
	if free := int(files.Max) - 1000; free < n {
		n = max(10, free)
		t.Logf("the limit is %d open files, so there are %d connections", files.Max, n)
	}
	files.Cur = files.Max
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		t.Logf("the limit on open files cannot be raised: %v", err)
	}
	s := serve(t)
	s.serves(t, 50)
	goroutines := s.metric(t, "go_goroutines")
	var resident []float64
	for range 2 {
		conns := make([]net.Conn, n)
		var all sync.WaitGroup
		for part := range 8 {
			all.Go(func() {
				for i := part; i < n; i += 8 {
					conn, err := net.Dial("tcp", s.addr)
					if err != nil {
						t.Errorf("connection %d: %v", i, err)
						return
					}
					conns[i] = conn
					if i%2 == 0 { // every other connection sends a request first
						_ = conn.SetDeadline(time.Now().Add(patience))
						_, _ = io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
						if resp, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || resp.StatusCode != http.StatusOK {
							t.Errorf("connection %d: %v", i, err)
						}
					}
				}
			})
		}
		all.Wait()
		s.serves(t, 50)
		resident = append(resident, s.metric(t, "process_resident_memory_bytes")/(1<<20))
		for _, conn := range conns {
			if conn != nil {
				_ = conn.Close()
			}
		}
		s.settles(t, goroutines)
		if t.Failed() {
			return
		}
	}
	t.Logf("%d connections: %.0f MiB resident, the second time %.0f MiB", n, resident[0], resident[1])
	if resident[0] > 600 || resident[1] > 1.5*resident[0] {
		t.Errorf("got %.0f MiB with %d connections and %.0f MiB the second time, want at most 600 and no more than half as much again", resident[0], n, resident[1])
	}
}
