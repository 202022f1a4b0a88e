package cluster

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// tap is a proxy between a node and the simulated WhatsApp. It records messages and can delay them.
type tap struct {
	*httptest.Server
	mu       sync.Mutex
	messages []string      // ids, in order of arrival
	gate     chan struct{} // if not nil, sends wait until it is closed
	after    bool          // delay the response instead of the request
	held     int
}

func newTap(t *testing.T, sim http.Handler) *tap {
	p := &tap{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/messages") {
			sim.ServeHTTP(w, r)
			return
		}
		p.pass(w, r, sim)
	}))
	t.Cleanup(func() {
		p.release()
		p.CloseClientConnections()
		p.Close()
	})
	return p
}

// pass records a message and forwards it.
func (p *tap) pass(w http.ResponseWriter, r *http.Request, sim http.Handler) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var m struct {
		ID string `json:"biz_opaque_callback_data"`
	}
	_ = json.Unmarshal(body, &m)
	p.mu.Lock()
	p.messages = append(p.messages, m.ID)
	gate, after := p.gate, p.after
	if gate != nil {
		p.held++
	}
	p.mu.Unlock()
	if gate != nil && !after {
		<-gate
	}
	answer := httptest.NewRecorder()
	sim.ServeHTTP(answer, r)
	if gate != nil && after {
		<-gate
	}
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

// hold delays messages, or with after their responses, until release.
func (p *tap) hold(after bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gate, p.after, p.held = make(chan struct{}), after, 0
}

func (p *tap) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gate != nil {
		close(p.gate)
		p.gate = nil
	}
}

func (p *tap) holding() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held
}

func (p *tap) sent() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.messages)
}

// since returns the messages after the first n.
func (p *tap) since(n int) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.messages[n:])
}
