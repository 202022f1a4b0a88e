package api_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"recado/test/kerneltest"
	"recado/test/servertest"
)

// cardState is a version of a card and the title that was set with it.
type cardState struct {
	version int
	title   string
}

// cardCall reads a card, or changes the title of a version.
type cardCall struct {
	card  string
	write bool
	cardState
}

// cardAnswer is the card in a response, or a conflict.
type cardAnswer struct {
	conflict bool
	cardState
}

// versions is the sequential model of a card: a change succeeds only on the newest version and creates the next one.
var versions = porcupine.Model{
	Partition: func(history []porcupine.Operation) (parts [][]porcupine.Operation) {
		byCard := map[string][]porcupine.Operation{}
		for _, op := range history {
			card := op.Input.(cardCall).card
			byCard[card] = append(byCard[card], op)
		}
		for _, part := range byCard {
			parts = append(parts, part)
		}
		return parts
	},
	Init: func() any { return cardState{1, "first"} },
	Step: func(state, input, output any) (bool, any) {
		is, in, out := state.(cardState), input.(cardCall), output.(cardAnswer)
		switch {
		case !in.write:
			return out.cardState == is, is
		case out.conflict:
			return in.version != is.version, is
		}
		next := cardState{in.version + 1, in.title}
		return in.version == is.version && out.cardState == next, next
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v -> %+v", input, output) },
}

func TestCardVersionsAreLinearizable(t *testing.T) {
	t.Parallel()
	play := func(t *testing.T, w *servertest.World, nodes []*servertest.Client) {
		b := newBoard(t, w.A.Client)
		var cards []string
		for range 3 {
			cards = append(cards, b.card(t, w.A.Client, "first", "").OK(201).ID())
		}
		var mu sync.Mutex
		var history []porcupine.Operation
		started := time.Now()
		var all sync.WaitGroup
		for client := range 8 {
			all.Go(func() {
				random := rand.New(rand.NewPCG(5, uint64(client)))
				seen := map[string]cardState{}
				for n := range 40 {
					c := nodes[random.IntN(len(nodes))]
					card := cards[random.IntN(len(cards))]
					in := cardCall{card: card, write: seen[card].version > 0 && random.IntN(3) > 0}
					if in.write {
						in.cardState = cardState{seen[card].version, fmt.Sprintf("%d by %d", n, client)}
					}
					call := time.Since(started).Nanoseconds()
					out := sendCard(t, c, in)
					returned := time.Since(started).Nanoseconds()
					if !out.conflict {
						seen[card] = out.cardState
					}
					mu.Lock()
					history = append(history, porcupine.Operation{ClientId: client, Input: in, Call: call, Output: out, Return: returned})
					mu.Unlock()
				}
			})
		}
		all.Wait()
		result, _ := porcupine.CheckOperationsVerbose(versions, history, time.Minute)
		if result != porcupine.Ok {
			t.Fatalf("%v: no order of the %d calls explains their responses", result, len(history))
		}
		conflicts := 0
		for _, op := range history {
			if op.Output.(cardAnswer).conflict {
				conflicts++
			}
		}
		if conflicts == 0 || conflicts > len(history)*2/3 {
			t.Errorf("got %d conflicts in %d calls, want more than none and at most two thirds", conflicts, len(history))
		}
	}
	t.Run("two nodes on one PostgreSQL", func(t *testing.T) {
		url := kerneltest.URL(t)
		w := servertest.Start(t, url)
		second, _ := w.SecondNode(t, url)
		play(t, w, []*servertest.Client{w.A.Client, second})
	})
	t.Run("SQLite", func(t *testing.T) {
		w := servertest.Start(t, "")
		play(t, w, []*servertest.Client{w.A.Client})
	})
}

// sendCard makes a call, with GET for reads and PATCH for changes.
func sendCard(t *testing.T, c *servertest.Client, in cardCall) cardAnswer {
	var a *servertest.Answer
	if in.write {
		a = c.Patch(t, "/kanban/cards/"+in.card, fmt.Sprintf(`{"title": %q}`, in.title), "If-Match", fmt.Sprintf(`"%d"`, in.version))
	} else {
		a = c.Get(t, "/kanban/cards/"+in.card)
	}
	switch {
	case a.Status == http.StatusConflict && a.Text("code") == "version_conflict":
		return cardAnswer{conflict: true}
	case a.Status != http.StatusOK || strings.Trim(a.Header.Get("ETag"), `"`) != fmt.Sprint(a.Int("version")):
		t.Errorf("got %d %s with the ETag %s, want 200 and the version as ETag, or a conflict", a.Status, a.Raw, a.Header.Get("ETag"))
	}
	return cardAnswer{cardState: cardState{a.Int("version"), a.Text("title")}}
}

func TestConcurrentMovesGiveEachCardItsOwnPosition(t *testing.T) {
	t.Parallel()
	url := kerneltest.URL(t)
	w := servertest.Start(t, url)
	second, _ := w.SecondNode(t, url)
	nodes := []*servertest.Client{w.A.Client, second}
	b := newBoard(t, w.A.Client)
	var cards []string
	for range 10 {
		cards = append(cards, b.card(t, w.A.Client, "card", "").OK(201).ID())
	}
	var all sync.WaitGroup
	for client := range 8 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(6, uint64(client)))
			for range 25 {
				c := nodes[random.IntN(2)]
				card := c.Get(t, "/kanban/cards/"+cards[random.IntN(len(cards))]).OK(200)
				more := ""
				if random.IntN(3) > 0 {
					more = fmt.Sprintf(`, "before_card_id": %q`, cards[random.IntN(len(cards))])
				}
				// Another client may have moved the card first, or moved its neighbour to another stage.
				if a := b.move(t, c, card, []string{"New", "Doing"}[random.IntN(2)], more); a.Status != 200 && a.Status != 409 && a.Status != 400 {
					t.Errorf("move: got %d %s, want 200, 400 or 409", a.Status, a.Raw)
				}
			}
		})
	}
	all.Wait()
	taken := map[string]bool{}
	for _, id := range cards {
		card := w.A.Get(t, "/kanban/cards/"+id).OK(200)
		place := card.Text("stage_id") + card.Text("position")
		if taken[place] {
			t.Fatalf("two cards have the stage and position %s", place)
		}
		taken[place] = true
	}
}
