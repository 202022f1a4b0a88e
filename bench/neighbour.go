package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"recado/bench/load"
	"recado/internal/kernel"
	"recado/internal/people"
)

const (
	neighbourRate          = 100       // requests a second of the measured company
	neighbourRounds        = 7         // at least, because a disk stall decides the p99 of its round
	neighbourConversations = 50        // because messages of one conversation wait for each other
	maxSlowness            = 5.0       // times the p99 without the attack
	maxUnderAttack         = 300 << 20 // bytes resident

	attackRate     = 25 // requests a second of each kind of attack
	attackSends    = 10 // messages a second, each with an event for every stream and webhook
	attackStreams  = 2_000
	attackKeys     = 100 // of the streams
	attackSectors  = 200
	attackChannels = 200
	attackWebhooks = 60
	attackFields   = 2_400 // unknown fields in a body of about 24 kB
	attackPeople   = 100   // who change their passwords
	attackPassword = "correct horse battery"
)

// attackedTalk is large enough to make a search without a match expensive.
var attackedTalk = talkSize{conversations: 50_000, messages: 50_000}

// runNeighbour measures one company alone and while another one sends all kinds of expensive requests. It has more rounds
// than other scenarios and repeats those that other machines disturbed.
func runNeighbour(ctx context.Context, b *bench) error {
	s, err := b.serveAttacked(ctx)
	if err != nil {
		return err
	}
	a, err := b.newAttack(ctx, s)
	if err != nil {
		return err
	}
	victim, err := s.newNeighbour(ctx)
	if err != nil {
		return err
	}
	more := *b.settings
	more.rounds = max(b.rounds, neighbourRounds)
	more.total = b.total / time.Duration(b.rounds) * time.Duration(more.rounds)
	b.settings = &more
	b.quiet = true
	for _, question := range []struct {
		name string
		ask  requestFunc
	}{
		{"GET conversations", victim.list},
		{"POST messages", victim.send},
	} {
		measure := func(ctx context.Context, d time.Duration) (*load.Result, error) {
			return load.Run(ctx, load.Plan{
				Address: s.address, Connections: 16, Duration: d, Rate: neighbourRate, Request: question.ask,
			})
		}
		underAttack := func(ctx context.Context, d time.Duration) (*load.Result, error) {
			stop, err := a.start(ctx, d)
			if err != nil {
				return nil, err
			}
			defer stop()
			return measure(ctx, d)
		}
		outcomes, err := b.compare(ctx,
			contender{question.name + " under attack", s.process, underAttack},
			contender{question.name + " alone", s.process, measure},
		)
		if err != nil {
			return err
		}
		b.addBeside(outcomes[0], outcomes[1], maxSlowness)
		b.addMemory(question.name+" under attack", outcomes[0].memory, maxUnderAttack)
		fmt.Fprintf(os.Stderr, "  requests of the attack by status: %v\n", a.statuses.take())
	}
	return nil
}

// serveAttacked starts a server whose first company has many conversations and people with sessions.
func (b *bench) serveAttacked(ctx context.Context) (*talkServer, error) {
	var threads []kernel.ID
	s, err := b.serveOn(ctx, attackedTalk.String(), func(at location, c company) (err error) {
		if threads, err = at.makeTalk(ctx, c, attackedTalk); err != nil {
			return err
		}
		company, _ := kernel.ParseID(c.ID)
		hash, err := people.NewHasher(people.DefaultPasswordCost).Hash(ctx, company, attackPassword)
		if err != nil {
			return err
		}
		return at.makePeople(ctx, c, attackPeople, &hash)
	})
	return &talkServer{s, threads}, err
}

// neighbour is the second company, which is measured.
type neighbour struct {
	key           string
	conversations []string
}

func (s *talkServer) newNeighbour(ctx context.Context) (*neighbour, error) {
	c := s.demo.Companies[1]
	n := &neighbour{key: "Bearer " + c.APIKey}
	for i := range neighbourConversations {
		var opened struct{ ID string }
		body := fmt.Sprintf(`{"channel_id":"%s","phone":"+55119%08d"}`, c.Channel, i)
		if err := s.callAs(ctx, c.APIKey, "POST", "/conversations", body, &opened); err != nil {
			return nil, err
		}
		n.conversations = append(n.conversations, opened.ID)
	}
	return n, nil
}

func (n *neighbour) list(_, _ int, r *load.Request) {
	r.Path = "/v1/conversations"
	r.Set("Authorization", n.key)
}

func (n *neighbour) send(_, i int, r *load.Request) {
	r.Method, r.Path = "POST", "/v1/conversations/"+n.conversations[i%len(n.conversations)]+"/messages"
	r.Set("Authorization", n.key)
	r.Body = fmt.Appendf(r.Body, `{"client_id":"%s","text":"Seu pedido %d foi confirmado."}`, kernel.NewID(), i)
}

// attack is the load of the first company.
type attack struct {
	s        *talkServer
	keys     []string // for the streams
	unknown  []byte   // a body of unknown fields
	statuses statuses
}

// newAttack creates sectors, channels, keys and slow webhooks of the first company, up to its limits.
func (b *bench) newAttack(ctx context.Context, s *talkServer) (*attack, error) {
	a := &attack{s: s, unknown: unknownFields(attackFields)}
	for i := range attackSectors {
		if err := s.fillUp(ctx, "/sectors", fmt.Sprintf(`{"name":"Sector %d"}`, i)); err != nil {
			return nil, err
		}
	}
	for i := range attackChannels {
		channel := fmt.Sprintf(`{"name":"Number %d","phone":"+55113%07d","provider":"sandbox"}`, i, i)
		if err := s.fillUp(ctx, "/channels", channel); err != nil {
			return nil, err
		}
	}
	for i := range attackKeys {
		var made struct{ Key string }
		key := fmt.Sprintf(`{"name":"Stream %d","scopes":["webhooks:manage"]}`, i)
		if err := s.call(ctx, "POST", "/keys", key, &made); err != nil {
			return nil, err
		}
		a.keys = append(a.keys, made.Key)
	}
	return a, a.subscribe(ctx, b)
}

// fillUp creates something unless the limit of the company is reached.
func (s *testServer) fillUp(ctx context.Context, path, body string) error {
	if err := s.call(ctx, "POST", path, body, nil); err != nil && !strings.Contains(err.Error(), "limit_reached") {
		return err
	}
	return nil
}

// subscribe creates webhooks whose receiver responds after six seconds, up to the limit of a company.
func (a *attack) subscribe(ctx context.Context, b *bench) error {
	over := make(chan struct{})
	b.onClose(func() { close(over) })
	slow, err := b.listen(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case <-time.After(6 * time.Second):
		case <-r.Context().Done():
		case <-over:
		}
	}))
	if err != nil {
		return err
	}
	for i := range attackWebhooks {
		webhook := fmt.Sprintf(`{"name":"Slow %d","url":"%s/%d","events":["message.sent"]}`, i, slow, i)
		err := a.s.call(ctx, "POST", "/integrations/webhooks", webhook, nil)
		if err != nil && strings.Contains(err.Error(), "webhook_limit") {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unknownFields returns a JSON object with n unknown fields.
func unknownFields(n int) []byte {
	body := []byte(`{"x0":0`)
	for i := 1; i < n; i++ {
		body = fmt.Appendf(body, `,"x%d":0`, i)
	}
	return append(body, '}')
}

// start starts the attack and returns when its streams are open.
func (a *attack) start(ctx context.Context, d time.Duration) (stop func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	streams, err := a.openStreams(ctx)
	if err != nil {
		cancel()
		return nil, err
	}
	var running sync.WaitGroup
	for kind, plan := range map[string]load.Plan{
		"searches":         {Connections: 16, Rate: attackRate, Request: a.search},
		"lists of sectors": {Connections: 16, Rate: attackRate, Request: a.s.get("/v1/sectors")},
		"passwords":        {Connections: 100, Rate: attackRate, Request: a.password},
		"unknown fields":   {Connections: 16, Rate: attackRate, Request: a.invalid},
		"messages":         {Connections: 16, Rate: attackSends, Request: a.s.send},
	} {
		plan.Address, plan.Duration = a.s.address, d+time.Second
		plan.Check = func(_, _ int, r *load.Response) error { // any status is fine
			a.statuses.count(kind, r.Status)
			return nil
		}
		running.Go(func() { _, _ = load.Run(ctx, plan) })
	}
	return func() {
		cancel()
		running.Wait()
		streams()
	}, nil
}

// statuses counts the statuses of each kind of request.
type statuses struct {
	mu     sync.Mutex
	counts map[string]map[int]int // by kind and status
}

func (a *statuses) count(kind string, status int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.counts == nil {
		a.counts = map[string]map[int]int{}
	}
	if a.counts[kind] == nil {
		a.counts[kind] = map[int]int{}
	}
	a.counts[kind][status]++
}

// take returns the counts and resets them.
func (a *statuses) take() map[string]map[int]int {
	a.mu.Lock()
	defer a.mu.Unlock()
	counts := a.counts
	a.counts = nil
	return counts
}

// search searches for a text without a match whose parts are in every message.
func (a *attack) search(_, i int, r *load.Request) {
	r.Path = "/v1/conversations?q=obrigado%20pedido%20" + fmt.Sprint(i%7)
	r.Set("Authorization", a.s.bearer())
}

// password changes a password to the same one.
func (a *attack) password(_, i int, r *load.Request) {
	r.Method, r.Path = "PATCH", "/v1/me"
	r.Set("Cookie", "recado="+personToken(i%attackPeople))
	r.Set("Sec-Fetch-Site", "same-origin")
	r.Body = fmt.Appendf(r.Body, `{"password":{"current":"%s","new":"%s"}}`, attackPassword, attackPassword)
}

func (a *attack) invalid(_, _ int, r *load.Request) {
	r.Method, r.Path = "POST", "/v1/contacts"
	r.Set("Authorization", a.s.bearer())
	r.Body = append(r.Body, a.unknown...)
}

// openStreams tries to open the streams and keeps those that the server accepts.
func (a *attack) openStreams(ctx context.Context) (closeAll func(), err error) {
	var open []net.Conn
	closeAll = func() {
		for _, c := range open {
			_ = c.Close()
		}
	}
	for i := range attackStreams {
		var dialer net.Dialer
		c, err := dialer.DialContext(ctx, "tcp", a.s.address)
		if err != nil {
			closeAll()
			return nil, err
		}
		key := a.keys[i%len(a.keys)]
		_, err = fmt.Fprintf(c, "GET /v1/events/stream HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer %s\r\n\r\n", key)
		if err != nil {
			_ = c.Close()
			closeAll()
			return nil, err
		}
		if line, err := bufio.NewReader(c).ReadString('\n'); err != nil || !strings.Contains(line, " 200 ") {
			_ = c.Close()
			continue
		}
		open = append(open, c)
		go func() { _, _ = io.Copy(io.Discard, c) }()
	}
	return closeAll, nil
}
