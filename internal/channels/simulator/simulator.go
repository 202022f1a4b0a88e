// Package simulator is WhatsApp's Cloud API in memory: it answers as Graph does, keeps a ledger of what it accepted, calls
// back with signed webhooks, and fails on demand. It is for tests and for trying things out; no message reaches a person.
package simulator

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// What a Simulator uses where its options are empty.
const (
	DefaultToken         = "simulated-token"
	DefaultAppSecret     = "simulated-app-secret"
	DefaultNumberID      = "200000000000001"
	DefaultWABAID        = "100000000000001"
	DefaultBusinessPhone = "5511900000000"
)

// Options say how faithful to be and to what. The zero value is one number that keeps to Meta's rules.
type Options struct {
	Token     string
	AppSecret string
	Numbers   []Number
	Templates []Template
	Now       func() time.Time // the real clock when nil; Advance moves it on
	Seed      uint32           // goes into ids, so that those of two runs differ

	// Window says what an untimely free-form message gets: "sync" a refusal, "async" an acceptance and
	// a failed status later, "off" nothing. The same goes for people without WhatsApp.
	Window string
	// Brazil says which address a mobile number with its ninth digit resolves to: "" the same, "drop"
	// the one without it, "refuse" none at all.
	Brazil   string
	NoLimits bool // no 131056 and 130429 but by fault
	Ladder   Ladder
	Delivery Delivery

	MediaHash     string // how GET /{media id} spells the hash: "hex" or "base64"
	MediaSizeText bool   // whether it writes the size as a string

	HTTP       *http.Client  // for webhooks
	RetrySpeed int           // how many times faster than Meta a webhook is retried: 6,000 when zero
	Hold       time.Duration // how long a request that times out is held at most: a minute when zero
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

// Simulator is a Graph API. It is an http.Handler: everything under /_control/ steers it, the rest is
// what Meta offers. It is safe for concurrent use.
type Simulator struct {
	options Options
	control http.Handler
	emitter *emitter
	closed  chan struct{}

	mu        sync.Mutex
	offset    time.Duration
	counter   uint64
	numbers   map[string]*number
	order     []string // number ids as they were given
	accounts  map[string]*account
	tokens    map[string]string // "" valid, "expired", "revoked"
	customers map[string]*Customer
	userIDs   map[string]string // of customers, to their address
	groups    map[string]bool
	inbound   map[string]received // by wamid
	ledger    []*Accepted
	accepted  map[string]*Accepted
	files     map[string]*file
	templates []Template
	faults    []*Fault
	ladder    Ladder
	calls     map[string]int // by operation
}

// New makes a simulator that runs until Close.
func New(options Options) *Simulator {
	if options.Token == "" {
		options.Token = DefaultToken
	}
	if options.AppSecret == "" {
		options.AppSecret = DefaultAppSecret
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Hold == 0 {
		options.Hold = time.Minute
	}
	if options.RetrySpeed == 0 {
		options.RetrySpeed = 6000
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

// Close ends the sending of webhooks and every request that is being held.
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

// Reset forgets everything but the options. Ids are not handed out twice.
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
	s.templates = append(append([]Template(nil), s.options.Templates...), helloWorld)
	s.ladder = s.options.Ladder
	for i, n := range s.options.Numbers {
		if n.ID == "" {
			n.ID = fmt.Sprint(200000000000001 + i)
		}
		s.addNumber(n)
	}
}

// Now is the simulator's time.
func (s *Simulator) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now()
}

func (s *Simulator) now() time.Time { return s.options.Now().Add(s.offset) }

// Advance moves the simulator's time on: windows close, addresses of files run out, allowances return.
func (s *Simulator) Advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offset += d
}

// Drain waits until every webhook was answered 200, and says which were given up.
func (s *Simulator) Drain(ctx context.Context) error { return s.emitter.drain(ctx) }

// Pause holds webhooks back until Resume or Drain; they pile up and go out in batches.
func (s *Simulator) Pause() { s.emitter.pause(true) }

// Resume lets webhooks go.
func (s *Simulator) Resume() { s.emitter.pause(false) }

// Deliveries lists the latest webhook requests, oldest first.
func (s *Simulator) Deliveries() []Attempt { return s.emitter.attempts() }

// SetDelivery changes how webhooks go out from now on.
func (s *Simulator) SetDelivery(d Delivery) { s.emitter.configure(d) }

// SetLadder changes which statuses a message accepted from now on goes through.
func (s *Simulator) SetLadder(l Ladder) error {
	if _, ok := ladders[l.Mode]; !ok {
		return fmt.Errorf("no ladder is called %q", l.Mode)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ladder = l
	return nil
}

// SetToken makes a token "valid", "expired" or "revoked".
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

// nextID makes a number that no other id of this simulator has.
func (s *Simulator) nextID() uint64 {
	s.counter++
	return s.counter
}
