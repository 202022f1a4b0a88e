package simulator

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"time"
)

// Fault makes calls fail. Exactly one of Always, Next and Every selects the calls.
type Fault struct {
	// Preset sets the effect by one of the names that Presets returns.
	Preset string `json:"preset,omitempty"`
	// Target is the operation: messages, read, upload, lookup, download, number, callback, subscribe...
	// "messages" when empty, "any" for all.
	Target string `json:"target,omitempty"`

	Always bool `json:"always,omitempty"`
	Next   int  `json:"next,omitempty"`  // the next n calls
	Every  int  `json:"every,omitempty"` // every n-th call

	Effect string `json:"effect,omitempty"` // error, html, hang, reset, cut or empty
	Status int    `json:"status,omitempty"`
	Code   int    `json:"code,omitempty"`
	Sub    int    `json:"subcode,omitempty"`
	// AfterAccept executes the call before it fails.
	AfterAccept bool `json:"after_accept,omitempty"`

	seen int
}

// presets are the known failures of the Cloud API.
var presets = map[string]Fault{
	"timeout_after_accept":      {Effect: "hang", AfterAccept: true},
	"timeout_before_accept":     {Effect: "hang"},
	"reset_after_accept":        {Effect: "reset", AfterAccept: true},
	"reset_before_accept":       {Effect: "reset"},
	"html_502":                  {Effect: "html", Status: 502},
	"html_502_after_accept":     {Effect: "html", Status: 502, AfterAccept: true},
	"unknown_500":               {Effect: "error", Status: 500, Code: 1},
	"unknown_500_after_accept":  {Effect: "error", Status: 500, Code: 1, AfterAccept: true},
	"overloaded_503":            {Effect: "error", Status: 503, Code: 2},
	"went_wrong_500":            {Effect: "error", Status: 500, Code: 131000},
	"went_wrong_after_accept":   {Effect: "error", Status: 500, Code: 131000, AfterAccept: true},
	"unavailable_500":           {Effect: "error", Status: 500, Code: 131016},
	"throttled_400":             {Effect: "error", Status: 400, Code: 130429},
	"throttled_429":             {Effect: "error", Status: 429, Code: 130429},
	"pair_limited":              {Effect: "error", Status: 400, Code: 131056},
	"app_limited":               {Effect: "error", Status: 400, Code: 4},
	"account_limited":           {Effect: "error", Status: 400, Code: 80007},
	"maintenance":               {Effect: "error", Status: 500, Code: 131057},
	"token_rejected":            {Effect: "error", Status: 401, Code: 190, Sub: 467},
	"token_expired":             {Effect: "error", Status: 401, Code: 190, Sub: 463},
	"permission_missing":        {Effect: "error", Status: 403, Code: 10},
	"payment_problem":           {Effect: "error", Status: 400, Code: 131042},
	"window_closed":             {Effect: "error", Status: 400, Code: 131047},
	"not_on_whatsapp":           {Effect: "error", Status: 400, Code: 131026},
	"media_rejected":            {Effect: "error", Status: 400, Code: 131053},
	"answer_cut_after_accept":   {Effect: "cut", AfterAccept: true},
	"empty_answer_after_accept": {Effect: "empty", Status: 200, AfterAccept: true},
}

// Presets returns the sorted names of all presets.
func Presets() []string { return slices.Sorted(maps.Keys(presets)) }

// AddFault adds a fault. The oldest fault that matches a call applies.
func (s *Simulator) AddFault(f Fault) error {
	if f.Preset != "" {
		preset, ok := presets[f.Preset]
		if !ok {
			return fmt.Errorf("no preset is called %q", f.Preset)
		}
		f.Effect, f.Status, f.Code, f.Sub, f.AfterAccept = preset.Effect, preset.Status, preset.Code, preset.Sub, preset.AfterAccept
	}
	f.Target, f.Status = cmp.Or(f.Target, "messages"), cmp.Or(f.Status, 500)
	if !slices.Contains([]string{"error", "html", "hang", "reset", "cut", "empty"}, f.Effect) {
		return fmt.Errorf("no effect is called %q", f.Effect)
	}
	if !f.Always && f.Next <= 0 && f.Every <= 0 {
		return fmt.Errorf("a fault needs one of always, next and every")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &f)
	return nil
}

// ClearFaults removes all faults.
func (s *Simulator) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// Calls returns the number of authorized calls of an operation, including failed ones.
func (s *Simulator) Calls(op string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[op]
}

// matchingFault returns the fault that applies to a call, or nil.
func (s *Simulator) matchingFault(op string) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.faults {
		if f.Target != op && f.Target != "any" {
			continue
		}
		f.seen++
		if f.Always || f.Next > 0 && f.seen <= f.Next || f.Every > 0 && f.seen%f.Every == 0 {
			return f
		}
	}
	return nil
}

func (s *Simulator) applyFault(f *Fault, w http.ResponseWriter, r *http.Request) {
	switch f.Effect {
	case "error":
		(&graphFailure{status: f.Status, code: f.Code, subcode: f.Sub, title: titles[f.Code], details: "simulated fault"}).write(w)
	case "html":
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(f.Status)
		_, _ = io.WriteString(w, "<html><body><h1>Bad gateway</h1></body></html>")
	case "empty":
		respond(w, f.Status, map[string]any{})
	case "cut":
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "400")
		w.WriteHeader(200)
		_, _ = io.WriteString(w, `{"messaging_product":`)
		_ = http.NewResponseController(w).Flush()
		hangUp(w)
	case "hang":
		hold := time.NewTimer(s.options.Hold)
		defer hold.Stop()
		select {
		case <-r.Context().Done():
		case <-s.closed:
		case <-hold.C:
		}
		hangUp(w)
	case "reset":
		hangUp(w)
	}
}

// hangUp resets the connection.
func hangUp(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
