package main

import (
	"bufio"
	"context"
	"errors"
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
	neighbourRate          = 100       // requests a second of the company that is measured, of each kind
	neighbourRounds        = 7         // at least, because a stall of the disk decides the p99 of the round it is in
	neighbourConversations = 50        // that its messages go to: those of one conversation wait for each other
	mostSlowness           = 3.0       // times the p99 alone
	mostUnderAttack        = 300 << 20 // bytes resident

	attackRate     = 25 // requests a second of each kind of attack
	attackSends    = 10 // messages a second, each an event for every stream and webhook
	attackStreams  = 2_000
	attackKeys     = 100 // to open the streams with
	attackSectors  = 200
	attackChannels = 200
	attackWebhooks = 60
	attackFields   = 2_400 // unknown ones in one body of about 24 kB
	attackPeople   = 100   // who change their passwords
	attackPassword = "correct horse battery"
)

// attackedTalk is large enough that a search without a match has much to look through.
var attackedTalk = talkCorpus{conversations: 50_000, messages: 50_000}

// runNeighbour measures one company alone and while others, on the same server, do everything that is expensive at once. There
// are more rounds than in other scenarios, each as long as theirs, and those that other machines disturbed are repeated.
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
		ask  asking
	}{
		{"GET conversations", victim.list},
		{"POST messages", victim.send},
	} {
		measure := func(ctx context.Context, d time.Duration) (*load.Result, error) {
			return load.Run(ctx, load.Plan{Address: s.address, Connections: 16, Duration: d, Rate: neighbourRate, Request: question.ask})
		}
		outcomes, err := b.compare(ctx,
			contender{question.name + " under attack", s.process, func(ctx context.Context, d time.Duration) (*load.Result, error) {
				stop, err := a.start(ctx, d)
				if err != nil {
					return nil, err
				}
				result, err := measure(ctx, d)
				return result, errors.Join(err, stop())
			}},
			contender{question.name + " alone", s.process, measure},
		)
		if err != nil {
			return err
		}
		b.addBeside(outcomes[0], outcomes[1], mostSlowness)
		b.addMemory(question.name+" under attack", outcomes[0].memory, mostUnderAttack)
		fmt.Fprintf(os.Stderr, "  the attack's calls by status: %v\n", a.answers.take())
	}
	return nil
}

// serveAttacked starts a server whose first company has much to search through and people who are signed in.
func (b *bench) serveAttacked(ctx context.Context) (*talking, error) {
	var threads []kernel.ID
	s, err := b.serveOn(ctx, attackedTalk.String(), func(at place, c company) (err error) {
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
	return &talking{s, threads}, err
}

// neighbour is the second company, whose calls are measured.
type neighbour struct {
	key           string
	conversations []string
}

func (s *talking) newNeighbour(ctx context.Context) (*neighbour, error) {
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

// attack is what the other companies do.
type attack struct {
	s       *talking
	keys    []string // for the streams
	unknown []byte   // a body of unknown fields
	answers answers
}

// newAttack gives the first company its sectors, channels and keys, and as many slow webhooks as it may have.
func (b *bench) newAttack(ctx context.Context, s *talking) (*attack, error) {
	a := &attack{s: s, unknown: unknownFields(attackFields)}
	for i := range attackSectors {
		if err := s.fillUp(ctx, "/sectors", fmt.Sprintf(`{"name":"Sector %d"}`, i)); err != nil {
			return nil, err
		}
	}
	for i := range attackChannels {
		if err := s.fillUp(ctx, "/channels", fmt.Sprintf(`{"name":"Number %d","phone":"+55113%07d","provider":"sandbox"}`, i, i)); err != nil {
			return nil, err
		}
	}
	for i := range attackKeys {
		var made struct{ Key string }
		if err := s.call(ctx, "POST", "/keys", fmt.Sprintf(`{"name":"Stream %d","scopes":["webhooks:manage"]}`, i), &made); err != nil {
			return nil, err
		}
		a.keys = append(a.keys, made.Key)
	}
	return a, a.subscribe(ctx, b)
}

// fillUp makes one more of something, or finds that the company has as many as it may.
func (s *servedBy) fillUp(ctx context.Context, path, body string) error {
	if err := s.call(ctx, "POST", path, body, nil); err != nil && !strings.Contains(err.Error(), "limit_reached") {
		return err
	}
	return nil
}

// subscribe registers webhooks whose receiver answers after six seconds. A company has at most twenty.
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
		err := a.s.call(ctx, "POST", "/integrations/webhooks", fmt.Sprintf(`{"name":"Slow %d","url":"%s/%d","events":["message.sent"]}`, i, slow, i), nil)
		if err != nil && strings.Contains(err.Error(), "webhook_limit") {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unknownFields is a JSON object of n fields that no operation has.
func unknownFields(n int) []byte {
	body := []byte(`{"x0":0`)
	for i := 1; i < n; i++ {
		body = fmt.Appendf(body, `,"x%d":0`, i)
	}
	return append(body, '}')
}

// start begins the attack and returns once its streams are open. The attack ends with stop.
func (a *attack) start(ctx context.Context, d time.Duration) (stop func() error, err error) {
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
		plan.Check = func(_, _ int, r *load.Response) error { // a refusal is an answer, too
			a.answers.count(kind, r.Status)
			return nil
		}
		running.Go(func() { _, _ = load.Run(ctx, plan) })
	}
	return func() error {
		cancel()
		running.Wait()
		streams()
		return nil
	}, nil
}

// answers counts what the server answered to each kind of call of the attack.
type answers struct {
	mu     sync.Mutex
	counts map[string]map[int]int // by kind and status
}

func (a *answers) count(kind string, status int) {
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

// take gives the counts so far and begins anew.
func (a *answers) take() map[string]map[int]int {
	a.mu.Lock()
	defer a.mu.Unlock()
	counts := a.counts
	a.counts = nil
	return counts
}

// search looks for a text that is in no message, made of parts that are in every message.
func (a *attack) search(_, i int, r *load.Request) {
	r.Path = "/v1/conversations?q=obrigado%20pedido%20" + fmt.Sprint(i%7)
	r.Set("Authorization", a.s.bearer())
}

// password changes the password of one of the people, to the same.
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

// openStreams asks for that many live streams, and keeps those that it gets until they are closed.
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
		if _, err := fmt.Fprintf(c, "GET /v1/events/stream HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer %s\r\n\r\n", a.keys[i%len(a.keys)]); err != nil {
			_ = c.Close()
			closeAll()
			return nil, err
		}
		if line, err := bufio.NewReader(c).ReadString('\n'); err != nil || !strings.Contains(line, " 200 ") {
			_ = c.Close()
			continue
		}
		open = append(open, c)
		go func() { _, _ = io.Copy(io.Discard, c) }() // ends with the connection
	}
	return closeAll, nil
}
