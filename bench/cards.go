package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"recado/bench/load"
	"recado/internal/boards"
	"recado/internal/kernel"
	"recado/internal/server"
)

const (
	fewCards  = 1_000
	manyCards = 100_000
)

// runCards compares a large and a small board: pages, new cards and moves.
func runCards(ctx context.Context, b *bench) error {
	var servers [2]*testServer
	for i, n := range []int{manyCards, fewCards} {
		var err error
		servers[i], err = b.serveOn(ctx, fmt.Sprintf("%d cards", n), func(at location, c company) error {
			return b.makeBoard(ctx, at, c, n)
		})
		if err != nil {
			return err
		}
	}
	// Texts of old cards only, of all cards, and of no card although its trigrams are everywhere. Pages have the same
	// length on both boards.
	for _, question := range []string{
		"", "&limit=10&q=card+77", "&q=card+7", "&q=card", "&q=card+7+card", "&due=week", "&label=", "&priority=high",
	} {
		err := b.compareServers(ctx, minOfSmall, "page"+question, servers, func(i int) requestFunc {
			c := servers[i].demo.Companies[0]
			path := "/v1/kanban/cards?board_id=" + c.Board + question
			if question == "&label=" {
				path += c.Labels[0]
			}
			return servers[i].get(path)
		})
		if err != nil {
			return err
		}
	}
	err := b.compareServers(ctx, minOfSmall, "POST card", servers, func(i int) requestFunc { return servers[i].newCard })
	if err != nil {
		return err
	}
	var moving [2]*moves
	for i, s := range servers {
		var err error
		if moving[i], err = s.newMoves(ctx, b.conns); err != nil {
			return err
		}
	}
	return b.compareServers(ctx, minOfSmall, "POST move", servers, func(i int) requestFunc { return moving[i].move })
}

func (s *testServer) newCard(_, i int, r *load.Request) {
	r.Method, r.Path = "POST", "/v1/kanban/cards"
	r.Set("Authorization", s.bearer())
	r.Set("Idempotency-Key", kernel.NewID().String())
	r.Body = fmt.Appendf(r.Body, `{"board_id":"%s","title":"New card %d"}`, s.demo.Companies[0].Board, i)
}

// moves moves one card per worker back and forth between the first two stages of the demo board.
type moves struct {
	*testServer
	cards  []string
	stages [2]string
	moved  []int64
}

func (m *moves) move(worker, _ int, r *load.Request) {
	m.moved[worker]++
	r.Method, r.Path = "POST", "/v1/kanban/cards/"+m.cards[worker]+"/move"
	r.Set("Authorization", m.bearer())
	r.Set("Idempotency-Key", kernel.NewID().String())
	r.Body = fmt.Appendf(r.Body, `{"stage_id":"%s","version":%d}`, m.stages[m.moved[worker]%2], m.moved[worker])
}

func (s *testServer) newMoves(ctx context.Context, workers int) (*moves, error) {
	board := s.demo.Companies[0].Board
	var b struct{ Stages []struct{ ID string } }
	if err := s.call(ctx, "GET", "/kanban/boards/"+board, "", &b); err != nil {
		return nil, err
	}
	m := &moves{testServer: s, stages: [2]string{b.Stages[0].ID, b.Stages[1].ID}, moved: make([]int64, workers)}
	for range workers {
		var card struct{ ID string }
		if err := s.call(ctx, "POST", "/kanban/cards", `{"board_id":"`+board+`","title":"bench"}`, &card); err != nil {
			return nil, err
		}
		m.cards = append(m.cards, card.ID)
	}
	return m, nil
}

// makeBoard adds n cards to the demo board.
func (b *bench) makeBoard(ctx context.Context, at location, c company, n int) (err error) {
	s, err := server.Open(ctx, server.Config{DataDir: at.folder, DatabaseURL: at.database})
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, s.Stop(context.WithoutCancel(ctx)))
	}()
	id, _ := kernel.ParseID(c.ID)
	board, _ := kernel.ParseID(c.Board)
	label, _ := kernel.ParseID(c.Labels[0])
	owner, err := s.Desk.People.Operator(ctx, id)
	if err != nil {
		return err
	}
	priorities := []string{"low", "medium", "high", "urgent"}
	writers, making := errgroup.WithContext(ctx)
	writers.SetLimit(b.conns) // concurrently, so that they share commits
	for i := range n {
		writers.Go(func() error {
			title := fmt.Sprintf("Card %d", i)
			card := boards.NewCard{Board: board, CardFields: boards.CardFields{Title: &title, Priority: &priorities[i%4]}}
			if i%10 == 0 {
				card.Labels = &[]kernel.ID{label}
			}
			if i%3 == 0 {
				due := time.Now().Add(time.Duration(i%60-30) * 24 * time.Hour).UTC()
				card.DueAt = kernel.Optional[time.Time]{Set: true, Value: due}
			}
			_, err := s.Desk.Boards.CreateCard(making, owner, card)
			return err
		})
	}
	if err := writers.Wait(); err != nil {
		return err
	}
	return indexAll(ctx, s.Desk)
}
