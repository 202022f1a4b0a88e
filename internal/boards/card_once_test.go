package boards

import (
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/test/kerneltest"
	"recado/test/testkit"
)

// TestNoHistoryExecutesACallTwice plays random histories of idempotent calls, repeats, edits, races and crashes between the steps
// of a call. It compares every response and every card with a model in which each call takes effect once, acknowledged changes
// stay, and each change increments the version.
func TestNoHistoryExecutesACallTwice(t *testing.T) {
	defer setFlag("rapid.checks", "1000")()
	defer setFlag("rapid.steps", "12")()
	kerneltest.EachURL(t, func(t *testing.T, url string) {
		clock := testkit.NewClock()
		db := kerneltest.Open(t, db.Options{Dir: t.TempDir(), DatabaseURL: url, MaxConns: 8, Now: clock.Now})
		first := newBoards(kernel.New(kernel.Options{Store: db, Now: clock.Now, Limits: kernel.NoLimits}))
		owner := testCompany(t, first)
		rapid.Check(t, func(t *rapid.T) {
			h := &history{clock: clock, keys: map[string]*keyState{}, start: func() *Boards {
				return newBoards(kernel.New(kernel.Options{Store: db, Now: clock.Now, Limits: kernel.NoLimits}))
			}}
			h.d = h.start()
			h.principal = keyOf(owner.Company, owner.User)
			board, err := h.d.CreateBoard(t.Context(), h.principal, kernel.NewID().String(), nil)
			if err != nil {
				t.Fatal(err)
			}
			h.board = board
			t.Repeat(map[string]func(*rapid.T){
				"call":    h.callOnce,
				"repeat":  h.repeatCall,
				"race":    h.race,
				"edit":    h.edit,
				"delete":  h.delete,
				"restart": func(*rapid.T) { h.d = h.start() },
				"expire":  h.expire,
				"":        h.compare,
			})
		})
	})
}

// keyOf returns the principal of a new key of the owner, with every scope.
func keyOf(company kernel.Company, owner kernel.Ref) *kernel.Principal {
	return kernel.KeyPrincipal(company, kernel.Member{User: owner, Role: kernel.RoleOwner, Profile: kernel.AccessAll}, kernel.Integration{ID: kernel.NewID(), Scopes: kernel.AllScopes}, "", kernel.Rate{})
}

// setFlag changes a flag that still has its default, and returns a function that restores it.
func setFlag(name, value string) func() {
	f := flag.Lookup(name)
	if f.Value.String() != f.DefValue {
		return func() {}
	}
	_ = f.Value.Set(value)
	return func() { _ = f.Value.Set(f.DefValue) }
}

// history is the system under test with the model of its expected state.
type history struct {
	d         *Boards
	start     func() *Boards
	clock     *testkit.Clock
	principal *kernel.Principal
	board     Board

	keys  map[string]*keyState
	cards []Card // expected; those of a stage in order
	calls []onceCall
}

// keyState is the expected state of an idempotency key.
type keyState struct {
	fingerprint [32]byte
	answer      string
}

// onceCall creates a card, or moves one if card is set.
type onceCall struct {
	key     string
	title   string
	card    kernel.ID
	stage   kernel.ID
	version int64
}

func (c onceCall) fingerprint() [32]byte {
	c.key = ""
	return sha256.Sum256([]byte(fmt.Sprint(c)))
}

// Steps at which a call can crash.
const (
	noCrash       = ""
	atBegin       = "begun"
	beforeCommit  = "answered"
	afterExecute  = "executed"
	afterRefusing = "refused"
)

var crashes = []string{noCrash, noCrash, noCrash, atBegin, beforeCommit, afterExecute, afterRefusing}

func (h *history) callOnce(t *rapid.T) {
	c := onceCall{key: rapid.SampledFrom([]string{"key-one-1", "key-two-2", "key-three"}).Draw(t, "key")}
	stages := []kernel.ID{h.board.Stages[0].ID, h.board.Stages[1].ID, h.board.Stages[2].ID, kernel.NewID()}
	c.stage = rapid.SampledFrom(stages).Draw(t, "stage")
	if len(h.cards) > 0 && rapid.Bool().Draw(t, "move") {
		card := rapid.SampledFrom(h.cards).Draw(t, "card")
		c.card, c.version = card.ID, max(0, card.Version-int64(rapid.IntRange(0, 2).Draw(t, "behind")))
		if rapid.IntRange(0, 9).Draw(t, "gone") == 0 {
			c.card = kernel.NewID()
		}
	} else {
		c.title = kernel.NewID().String()
	}
	h.calls = append(h.calls, c)
	h.perform(t, c, rapid.SampledFrom(crashes).Draw(t, "crash"))
}

func (h *history) repeatCall(t *rapid.T) {
	if len(h.calls) == 0 {
		t.Skip("nothing to repeat")
	}
	c := rapid.SampledFrom(h.calls).Draw(t, "call")
	h.perform(t, c, rapid.SampledFrom(crashes).Draw(t, "crash"))
}

// outcome is the result of a call: a response, the code of an error, or a crash.
type outcome struct {
	answer   string
	replayed bool
	code     kernel.Code
	crashed  bool
}

type crashed struct{}

// send makes a call that crashes at a step. It also returns the response that was about to be stored.
func (h *history) send(c onceCall, crash string) (out outcome, pending string) {
	ended := false
	call := kernel.OnceRequest{
		Key: c.key, Fingerprint: func() ([32]byte, error) { return c.fingerprint(), nil },
		Success: func(out any) (kernel.Answer, error) {
			body, err := kernel.EncodeJSON(out)
			pending = string(body)
			return kernel.Answer{Status: 200, Body: body}, err
		},
		Refusal: func(err error) (kernel.Answer, bool) {
			code := kernel.CodeOf(err)
			return kernel.Answer{Status: 400, Body: []byte(code)}, code == kernel.CodeNotFound || code == kernel.CodeVersionConflict
		},
		After: func(step string) {
			if ended = ended || step == crash; ended {
				panic(crashed{}) // inside the transaction this becomes an error, and the next step ends the call
			}
		},
	}
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(crashed); !ok {
				panic(p)
			}
			out = outcome{crashed: true}
		}
	}()
	result, err := h.d.Kernel.Once(context.Background(), h.principal, call, func(ctx context.Context) (any, error) {
		card, err := h.run(ctx, c)
		return &card, err
	})
	if err != nil {
		return outcome{code: kernel.CodeOf(err)}, pending
	}
	return outcome{answer: string(result.Answer.Body), replayed: result.Replayed}, pending
}

func (h *history) run(ctx context.Context, c onceCall) (Card, error) {
	if c.card.IsZero() {
		return h.d.CreateCard(ctx, h.principal, NewCard{Board: h.board.ID, Stage: &c.stage, CardFields: CardFields{Title: &c.title}})
	}
	return h.d.MoveCard(ctx, h.principal, c.card, CardMove{Stage: c.stage, Version: c.version})
}

// refusal returns the code with which the call is expected to fail, or "".
func (h *history) refusal(c onceCall) kernel.Code {
	at := slices.IndexFunc(h.cards, func(card Card) bool { return card.ID == c.card })
	known := slices.ContainsFunc(h.board.Stages, func(s Stage) bool { return s.ID == c.stage })
	switch {
	case !c.card.IsZero() && at < 0:
		return kernel.CodeNotFound
	case !known:
		return kernel.CodeInvalidRequest
	case c.card.IsZero():
		return ""
	case c.version == 0:
		return kernel.CodeVersionRequired
	case c.version != h.cards[at].Version:
		return kernel.CodeVersionConflict
	}
	return ""
}

// perform makes a call and compares its outcome with the model.
func (h *history) perform(t *rapid.T, c onceCall, crash string) {
	refusal := h.refusal(c)
	got, pending := h.send(c, crash)
	if got.crashed {
		h.d = h.start()
	}
	want := outcome{}
	state := h.keys[c.key]
	final := refusal == kernel.CodeNotFound || refusal == kernel.CodeVersionConflict
	switch {
	case state != nil && state.fingerprint != c.fingerprint():
		want.code = kernel.CodeIdempotencyConflict
	case state != nil:
		want = outcome{answer: state.answer, replayed: true}
	case crash == atBegin, refusal != "" && crash == afterExecute, refusal == "" && crash == beforeCommit: // nothing is stored
		want.crashed = true
	case refusal != "":
		want.code = refusal
		if final {
			h.keys[c.key] = &keyState{c.fingerprint(), string(refusal)}
			want = outcome{answer: string(refusal)}
		}
		if final && crash == afterRefusing {
			want = outcome{crashed: true}
		}
	default:
		h.keys[c.key] = &keyState{c.fingerprint(), pending}
		h.apply(c, pending)
		want = outcome{answer: pending}
		if crash == afterExecute {
			want = outcome{crashed: true}
		}
	}
	if got != want {
		t.Fatalf("%+v with a crash at %q: %+v, want %+v", c, crash, got, want)
	}
}

// apply applies a call to the model.
func (h *history) apply(c onceCall, response string) {
	stage := h.board.Stages[slices.IndexFunc(h.board.Stages, func(s Stage) bool { return s.ID == c.stage })]
	status := CardOpen
	if stage.Kind == StageWon {
		status = CardCompleted
	}
	if c.card.IsZero() {
		id, _ := kernel.ParseID(response[len(`{"id":"`):][:36])
		h.cards = append(h.cards, Card{ID: id, Title: c.title, StageID: c.stage, Status: status, Version: 1})
		return
	}
	at := slices.IndexFunc(h.cards, func(card Card) bool { return card.ID == c.card })
	card := h.cards[at]
	behind := slices.IndexFunc(h.cards[at+1:], func(other Card) bool { return other.StageID == c.stage })
	if card.StageID == c.stage && behind < 0 {
		return // it is already at the end
	}
	card.StageID, card.Status = c.stage, status
	card.Version++
	h.cards = append(slices.Delete(h.cards, at, at+1), card)
}

// race makes the same new call several times concurrently.
func (h *history) race(t *rapid.T) {
	c := onceCall{key: kernel.NewID().String(), title: kernel.NewID().String(), stage: h.board.Stages[0].ID}
	outcomes := make([]outcome, 4)
	var all sync.WaitGroup
	for i := range outcomes {
		all.Go(func() { outcomes[i], _ = h.send(c, noCrash) })
	}
	all.Wait()
	winner := slices.IndexFunc(outcomes, func(o outcome) bool { return o.answer != "" && !o.replayed })
	if winner < 0 {
		t.Fatalf("no call executed: %+v", outcomes)
	}
	for i, o := range outcomes {
		if i != winner && o != (outcome{answer: outcomes[winner].answer, replayed: true}) {
			t.Fatalf("%+v beside %+v", o, outcomes[winner])
		}
	}
	h.keys[c.key] = &keyState{c.fingerprint(), outcomes[winner].answer}
	h.calls = append(h.calls, c)
	h.apply(c, outcomes[winner].answer)
}

// edit changes a card without a key, perhaps based on an old version.
func (h *history) edit(t *rapid.T) {
	if len(h.cards) == 0 {
		t.Skip("no cards")
	}
	c := &h.cards[rapid.IntRange(0, len(h.cards)-1).Draw(t, "card")]
	version := c.Version - int64(rapid.IntRange(0, 1).Draw(t, "behind"))
	title := kernel.NewID().String()
	got, err := h.d.UpdateCard(context.Background(), h.principal, c.ID, CardChange{CardFields: CardFields{Title: &title}, Version: version})
	switch {
	case version == 0 && kernel.CodeOf(err) == kernel.CodeVersionRequired:
	case version != c.Version && version != 0 && kernel.CodeOf(err) == kernel.CodeVersionConflict:
	case version == c.Version && err == nil && got.Version == c.Version+1:
		c.Title, c.Version = title, got.Version
	default:
		t.Fatalf("version %d of %d: %v %+v", version, c.Version, err, got)
	}
}

func (h *history) delete(t *rapid.T) {
	if len(h.cards) == 0 || rapid.IntRange(0, 3).Draw(t, "really") > 0 {
		t.Skip("no cards")
	}
	at := rapid.IntRange(0, len(h.cards)-1).Draw(t, "card")
	if err := h.d.DeleteCard(context.Background(), h.principal, h.cards[at].ID, h.cards[at].Version); err != nil {
		t.Fatal(err)
	}
	h.cards = slices.Delete(h.cards, at, at+1)
}

// expire makes all keys expire and perhaps deletes some of them.
func (h *history) expire(t *rapid.T) {
	if rapid.IntRange(0, 3).Draw(t, "really") > 0 {
		t.Skip("not yet")
	}
	h.clock.Advance(kernel.IdempotencyRetention)
	clear(h.keys)
	if rapid.Bool().Draw(t, "sweep") {
		if _, err := h.d.Kernel.ForgetReservations(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}

// compare compares the board with the model.
func (h *history) compare(t *rapid.T) {
	page, next, err := h.d.Cards(context.Background(), h.principal, CardFilter{Board: h.board.ID, Status: StatusAll, Zone: "UTC", Limit: 100})
	if err != nil || next != "" || len(page) != len(h.cards) {
		t.Fatalf("%d cards, want %d (%v)", len(page), len(h.cards), err)
	}
	ranks := map[kernel.ID]string{}
	for _, c := range page {
		ranks[c.ID] = c.Position
		at := slices.IndexFunc(h.cards, func(want Card) bool { return want.ID == c.ID })
		if at < 0 {
			t.Fatalf("no caller got the card %+v", c)
		}
		if want := h.cards[at]; c.Title != want.Title || c.StageID != want.StageID || c.Status != want.Status || c.Version != want.Version {
			t.Fatalf("%+v\nwant %+v", c, want)
		}
	}
	last := map[kernel.ID]string{}
	for _, c := range h.cards {
		if ranks[c.ID] <= last[c.StageID] {
			t.Fatalf("%s does not come after %s", ranks[c.ID], last[c.StageID])
		}
		last[c.StageID] = ranks[c.ID]
	}
}

func TestACanceledCallerDoesNotStopTheCall(t *testing.T) {
	kerneltest.Each(t, func(t *testing.T, open func() *kernel.Store) {
		node, other := newBoards(kernel.New(kernel.Options{Store: open()})), newBoards(kernel.New(kernel.Options{Store: open()}))
		owner := testCompany(t, node)
		principal := keyOf(owner.Company, owner.User)
		board, err := node.CreateBoard(t.Context(), principal, "Sales", nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		title := "kept"
		call := kernel.OnceRequest{
			Key: "12345678", Fingerprint: func() ([32]byte, error) { return [32]byte{}, nil }, Success: func(any) (kernel.Answer, error) { return kernel.Answer{Status: 201}, nil },
			After: func(step string) {
				if step == atBegin {
					cancel()
				}
			},
		}
		result, err := node.Kernel.Once(ctx, principal, call, func(ctx context.Context) (any, error) {
			card, err := node.CreateCard(ctx, principal, NewCard{Board: board.ID, CardFields: CardFields{Title: &title}})
			return &card, err
		})
		if err != nil {
			t.Fatal(err)
		}
		cards, _, err := other.Cards(t.Context(), principal, CardFilter{Board: board.ID, Status: StatusAll, Zone: "UTC", Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		testkit.Equal(t, "number of cards", len(cards), 1)
		if result.Answer.Status != 201 || result.Replayed {
			t.Fatalf("status %d, replayed %v, want 201 and false", result.Answer.Status, result.Replayed)
		}
	})
}
