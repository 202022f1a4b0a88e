// Package simulator implements WhatsApp's Cloud API in memory. It keeps a ledger of accepted messages, sends
// signed webhooks and fails on demand. It is for tests and experiments; no message reaches a person.
package simulator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Defaults for empty options.
const (
	DefaultToken         = "simulated-token"
	DefaultAppSecret     = "simulated-app-secret"
	DefaultNumberID      = "200000000000001"
	DefaultWABAID        = "100000000000001"
	DefaultBusinessPhone = "5511900000000"
)

// Options configure a Simulator. The zero value is one number that follows Meta's rules.
type Options struct {
	Token     string
	AppSecret string
	Numbers   []Number
	Templates []Template
	Now       func() time.Time // time.Now when nil; Advance adds to it
	Seed      uint32           // part of every id, so that the ids of two runs differ

	// Window is what happens to a message outside the 24-hour window or to a person without WhatsApp: "sync" is an
	// error, "async" a failed status later. "off" disables the window.
	Window string
	// Brazil is how a Brazilian mobile number with a ninth digit resolves: "" to itself, "drop" to the number
	// without that digit, "refuse" to nobody.
	Brazil   string
	NoLimits bool // 131056 and 130429 only by faults
	Ladder   Ladder
	Delivery Delivery
	Review   Review // of new templates

	MediaHash     string // how GET /{media id} encodes the hash: "hex" or "base64"
	MediaSizeText bool   // whether it returns the size as a string

	HTTP       *http.Client  // for webhooks
	RetrySpeed int           // how many times faster than Meta to retry webhooks: 6,000 when zero
	Hold       time.Duration // how long a timeout fault blocks: a minute when zero
}

// Number is a WhatsApp number of a business.
type Number struct {
	ID          string `json:"id"`
	WABAID      string `json:"waba_id"`
	Phone       string `json:"phone"` // digits
	Name        string `json:"name"`
	Status      string `json:"status"` // CONNECTED when empty
	AppSecret   string `json:"app_secret,omitempty"`
	CallbackURL string `json:"callback_url,omitempty"`
	Coexistence bool   `json:"coexistence,omitempty"` // limited to 20 messages a second

	HighThroughput bool `json:"high_throughput,omitempty"` // 1,000 messages a second instead of 80
}

// Simulator is an http.Handler for the Graph API. Routes under /_control/ steer it. It is safe for concurrent use.
type Simulator struct {
	options Options
	control http.Handler
	emitter *emitter
	closed  chan struct{}

	mu        sync.Mutex
	offset    time.Duration
	counter   uint64
	numbers   map[string]*number
	order     []string // number ids in the order of creation
	accounts  map[string]*account
	tokens    map[string]string // "" valid, "expired", "revoked"
	customers map[string]*Customer
	userIDs   map[string]string // address by user id
	groups    map[string]bool
	inbound   map[string]received // by wamid
	ledger    []*Accepted
	accepted  map[string]*Accepted
	files     map[string]*file
	templates []Template
	review    Review
	deleted   map[string]time.Time // names of deleted templates, after their account
	uploads   map[string]int       // length by session
	handles   map[string]bool      // of uploaded samples
	faults    []*Fault
	ladder    Ladder
	calls     map[string]int // by operation
}

// New returns a simulator that runs until Close.
func New(options Options) *Simulator {
	options.Token = cmp.Or(options.Token, DefaultToken)
	options.AppSecret = cmp.Or(options.AppSecret, DefaultAppSecret)
	options.Hold = cmp.Or(options.Hold, time.Minute)
	options.RetrySpeed = cmp.Or(options.RetrySpeed, 6000)
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.HTTP == nil {
		options.HTTP = &http.Client{
			Timeout:   20 * time.Second,
			Transport: &http.Transport{MaxIdleConnsPerHost: 64, IdleConnTimeout: 10 * time.Second},
		}
	}
	if len(options.Numbers) == 0 {
		options.Numbers = []Number{{Phone: DefaultBusinessPhone, Name: "Loja Simulada"}}
	}
	s := &Simulator{options: options, closed: make(chan struct{})}
	s.emitter = newEmitter(options, s.Now)
	s.control = s.controlRoutes()
	s.clear()
	return s
}

// Close stops sending webhooks and ends the requests that a fault blocks.
func (s *Simulator) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.closed:
	default:
		close(s.closed)
		s.emitter.close()
	}
}

// Reset restores the initial state. Ids are not reused.
func (s *Simulator) Reset() {
	s.emitter.reset()
	s.clear()
}

func (s *Simulator) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offset = 0
	s.numbers, s.accounts, s.order = map[string]*number{}, map[string]*account{}, nil
	s.tokens = map[string]string{s.options.Token: ""}
	s.customers, s.userIDs = map[string]*Customer{}, map[string]string{}
	s.groups, s.inbound = map[string]bool{}, map[string]received{}
	s.ledger, s.accepted = nil, map[string]*Accepted{}
	s.files, s.faults, s.calls = map[string]*file{}, nil, map[string]int{}
	s.templates = append(slices.Clone(s.options.Templates), helloWorld)
	s.review, s.deleted, s.uploads, s.handles = s.options.Review, map[string]time.Time{}, map[string]int{}, map[string]bool{}
	s.ladder = s.options.Ladder
	for i, n := range s.options.Numbers {
		if n.ID == "" {
			n.ID = fmt.Sprint(200000000000001 + i)
		}
		s.addNumber(n)
	}
}

// Now returns the simulator's time.
func (s *Simulator) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now()
}

func (s *Simulator) now() time.Time { return s.options.Now().Add(s.offset) }

// Advance moves the simulator's clock forward. Windows, file addresses and limits follow it.
func (s *Simulator) Advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offset += d
}

// Drain waits until all webhooks are delivered. It returns an error if some were given up.
func (s *Simulator) Drain(ctx context.Context) error { return s.emitter.drain(ctx) }

// Pause stops sending webhooks until Resume or Drain.
func (s *Simulator) Pause() { s.emitter.pause(true) }

// Resume sends webhooks again.
func (s *Simulator) Resume() { s.emitter.pause(false) }

// Deliveries returns the latest webhook requests, oldest first.
func (s *Simulator) Deliveries() []Attempt { return s.emitter.attempts() }

// SetDelivery changes how webhooks are sent.
func (s *Simulator) SetDelivery(d Delivery) { s.emitter.configure(d) }

// SetLadder changes the statuses of messages accepted from now on.
func (s *Simulator) SetLadder(l Ladder) error {
	if _, ok := ladders[l.Mode]; !ok {
		return fmt.Errorf("no ladder is called %q", l.Mode)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ladder = l
	return nil
}

// SetToken sets the state of a token: "valid", "expired" or "revoked".
func (s *Simulator) SetToken(token, state string) error {
	switch state {
	case "valid":
		state = ""
	case "expired", "revoked":
	default:
		return errors.New("the state of a token is valid, expired or revoked")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens[token] = state
	return nil
}

func (s *Simulator) nextID() uint64 {
	s.counter++
	return s.counter
}
