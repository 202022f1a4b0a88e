package simulator

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"slices"
	"time"
)

// Attempt is one webhook request and its result.
type Attempt struct {
	At       time.Time `json:"at"`
	URL      string    `json:"url"`
	Updates  int       `json:"updates"`
	Try      int       `json:"try"` // 1 for the first
	Forged   bool      `json:"forged,omitempty"`
	Status   int       `json:"status"` // 0 when there was no response
	Error    string    `json:"error,omitempty"`
	Duration string    `json:"duration"`
	Body     string    `json:"body"`
}

const maxLog = 2000 // attempts

// Meta retries immediately, then at growing intervals, for seven days.
const (
	firstPause  = time.Minute
	lastPause   = 12 * time.Hour
	giveUpAfter = 7 * 24 * time.Hour
)

func (e *emitter) attempt(p *post) Attempt {
	began := time.Now()
	p.tries++
	a := Attempt{At: e.now(), URL: p.target.url, Updates: p.updates, Try: p.tries, Forged: p.forge, Body: string(p.body)}
	secret := p.target.secret
	if p.forge {
		secret += " forged"
	}
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, p.target.url, bytes.NewReader(p.body))
	if err == nil {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("User-Agent", "facebookexternalua")
		req.Header.Set("X-Hub-Signature-256", "sha256="+Sign(secret, p.body))
		var resp *http.Response
		if resp, err = e.options.HTTP.Do(req); err == nil {
			a.Status = resp.StatusCode
			_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
			resp.Body.Close()
		}
	}
	if err != nil {
		a.Error = err.Error()
	}
	a.Duration = time.Since(began).String()
	return a
}

// Sign returns the hex HMAC for the signature header of a webhook.
func Sign(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// finish records an attempt and schedules the next one if necessary.
func (e *emitter) finish(p *post, a Attempt) {
	e.log = append(e.log, a)
	e.log = e.log[max(0, len(e.log)-maxLog):]
	switch {
	case a.Status == http.StatusOK && p.copies == 0:
		e.pending--
	case a.Status == http.StatusOK:
		p.copies--
		e.ready = append(e.ready, p)
	case p.forge:
		p.forge = false
		e.ready = append(e.ready, p)
	case p.waited >= giveUpAfter:
		e.pending--
		e.abandoned = append(e.abandoned, p.target.url)
	default:
		e.retry(p)
	}
}

// retry sends a request again after Meta's pause divided by RetrySpeed.
func (e *emitter) retry(p *post) {
	pause := time.Duration(0)
	if p.tries > 1 {
		pause = min(firstPause<<min(p.tries-2, 20), lastPause)
	}
	p.waited += pause
	epoch := e.epoch
	time.AfterFunc(pause/time.Duration(e.options.RetrySpeed), func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if epoch == e.epoch {
			e.ready = append(e.ready, p)
			e.wake.Broadcast()
		}
	})
}

func (e *emitter) attempts() []Attempt {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.log)
}

// callback returns the body of a request with these updates.
func callback(updates []update) []byte {
	var entries []map[string]any
	for _, u := range updates {
		change := map[string]any{"field": u.field, "value": u.value}
		if last := len(entries) - 1; last >= 0 && entries[last]["id"] == u.waba {
			entries[last]["changes"] = append(entries[last]["changes"].([]any), change)
			continue
		}
		entries = append(entries, map[string]any{"id": u.waba, "changes": []any{change}})
	}
	return asciiJSON(map[string]any{"object": "whatsapp_business_account", "entry": entries})
}
