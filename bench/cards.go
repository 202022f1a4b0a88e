package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"time"

	"recado/bench/load"
	"recado/internal/desk"
	"recado/internal/model"
	whole "recado/internal/server"
)

const (
	fewCards  = 1_000
	manyCards = 100_000
)

// runCards reads pages of a large and of a small board, and then makes and moves cards on both.
func runCards(ctx context.Context, b *bench) error {
	sizes := []int{manyCards, fewCards}
	var servers [2]*talking
	for i, n := range sizes {
		s, err := b.serveCards(ctx, n)
		if err != nil {
			return err
		}
		servers[i] = s
	}
	for _, question := range []string{"", "&q=" + url.QueryEscape("card 77"), "&due=week", "&label=", "&priority=high"} {
		var contenders []contender
		for i, s := range servers {
			c := s.demo.Companies[0]
			path := "/v1/kanban/cards?board_id=" + c.Board + question
			if question == "&label=" {
				path += c.Labels[0]
			}
			contenders = append(contenders, contender{fmt.Sprintf("cards%s of %d", question, sizes[i]), s.process, b.drive(s.address, paths(path)(s))})
		}
		outcomes, err := b.compare(ctx, contenders...)
		if err != nil {
			return err
		}
		b.add(leastOfSmall, outcomes[0], outcomes[1])
	}
	var contenders []contender
	for i, s := range servers {
		contenders = append(contenders, contender{fmt.Sprintf("POST card onto %d", sizes[i]), s.process, b.drive(s.address, s.newCard)})
	}
	outcomes, err := b.compare(ctx, contenders...)
	if err != nil {
		return err
	}
	b.add(0, outcomes[0], outcomes[1])
	return nil
}

func (s *talking) newCard(_, i int, r *load.Request) {
	r.Method, r.Path = "POST", "/v1/kanban/cards"
	r.Set("Authorization", s.bearer())
	r.Set("Idempotency-Key", model.NewID().String())
	r.Body = fmt.Appendf(r.Body, `{"board_id":"%s","title":"New card %d"}`, s.demo.Companies[0].Board, i)
}

// serveCards is a server whose demo board has n cards more, made through the desk's own verb.
func (b *bench) serveCards(ctx context.Context, n int) (*talking, error) {
	at, err := b.place(ctx)
	if err != nil {
		return nil, err
	}
	first, err := b.serve(ctx, at)
	if err != nil {
		return nil, err
	}
	first.stop()
	started := time.Now()
	if err := b.makeBoard(ctx, at, first.demo.Companies[0], n); err != nil {
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "  made %d cards in %v\n", n, time.Since(started).Round(time.Second))
	s, err := b.serve(ctx, at)
	return &talking{server: s}, err
}

func (b *bench) makeBoard(ctx context.Context, at place, c company, n int) (err error) {
	s, err := whole.Open(ctx, whole.Config{DataDir: at.folder, DatabaseURL: at.database})
	if err != nil {
		return err
	}
	defer func() {
		if stopped := s.Stop(context.WithoutCancel(ctx)); err == nil {
			err = stopped
		}
	}()
	id, _ := model.ParseID(c.ID)
	board, _ := model.ParseID(c.Board)
	label, _ := model.ParseID(c.Labels[0])
	owner, err := s.Desk.Operator(ctx, id)
	if err != nil {
		return err
	}
	priorities := []string{"low", "medium", "high", "urgent"}
	made := make(chan int)
	failed := make(chan error, b.conns)
	for range b.conns { // many at once, so that they share commits
		go func() {
			for i := range made {
				title := fmt.Sprintf("Card %d", i)
				card := desk.NewCard{Board: board, CardFields: desk.CardFields{Title: &title, Priority: &priorities[i%4]}}
				if i%10 == 0 {
					card.Labels = &[]model.ID{label}
				}
				if i%3 == 0 {
					card.DueAt = model.Optional[time.Time]{Set: true, Value: time.Now().Add(time.Duration(i%60-30) * 24 * time.Hour).UTC()}
				}
				if _, err := s.Desk.CreateCard(ctx, owner, card); err != nil {
					failed <- err
					return
				}
			}
			failed <- nil
		}()
	}
	go func() {
		defer close(made)
		for i := range n {
			select {
			case made <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	for range b.conns {
		if failure := <-failed; failure != nil {
			return failure
		}
	}
	for more := true; more; {
		if more, err = s.Desk.IndexSearch(ctx); err != nil {
			return err
		}
	}
	return nil
}
