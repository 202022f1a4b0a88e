package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"recado/bench/corpus"
	"recado/internal/boards"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/server"
	"recado/internal/talk"
)

const (
	fewToSearch  = 1_000
	manyToSearch = 40_000
)

// runSearch searches conversations, contacts and cards with Brazilian names and sentences. It compares many rows with
// few, or this build with another one.
func runSearch(ctx context.Context, b *bench) error {
	var servers [2]*testServer
	var err error
	if servers[0], err = b.serveTexts(ctx, manyToSearch); err != nil {
		return err
	}
	if b.other != "" {
		servers[1], err = b.serveOther(ctx, servers[0])
	} else {
		servers[1], err = b.serveTexts(ctx, fewToSearch)
	}
	if err != nil {
		return err
	}
	for _, question := range []struct{ name, list, q string }{
		{"a first name", "conversations", "maria"},
		{"a whole name", "conversations", corpus.New().Name(77)},
		{"a phone", "conversations", "(11) 91003-1337"},
		{"a common word", "conversations", "pedido"},
		{"a rare word", "conversations", "jabuticaba"},
		{"a word of old ones only", "conversations", oldTalk + " passado"},
		{"an order number", "conversations", "pedido 345"},
		{"common words, unknown together", "conversations", "obrigado pedido preço prazo"},
		{"unknown", "conversations", "xyzzy"},
		{"two letters", "conversations", "li"},
		{"a whole name", "contacts", corpus.New().Name(77)},
		{"common names, unknown together", "contacts", "maria santos silva souza oliveira"},
		{"a first name", "kanban/cards", "maria"},
		{"a rare word", "kanban/cards", "jabuticaba"},
	} {
		path := "/v1/" + question.list + "?q=" + url.QueryEscape(question.q)
		name := question.list + ", " + question.name
		err := b.compareServers(ctx, minOfSmall, name, servers, func(i int) requestFunc { return servers[i].get(path) })
		if err != nil {
			return err
		}
	}
	return nil
}

// serveTexts starts a server with n rows of each kind.
func (b *bench) serveTexts(ctx context.Context, n int) (*testServer, error) {
	return b.serveOn(ctx, fmt.Sprintf("%d rows", n), func(at location, c company) error {
		return at.onStore(ctx, func(ctx context.Context, s *kernel.Store) error { return makeTexts(ctx, s, c, n) })
	})
}

// serveOther starts the other build on a copy of the data of a server.
func (b *bench) serveOther(ctx context.Context, s *testServer) (*testServer, error) {
	if s.at.database != "" {
		return nil, errors.New("-other works on SQLite only")
	}
	folder, err := b.folder()
	if err != nil {
		return nil, err
	}
	s.stop()
	if err := os.CopyFS(folder, os.DirFS(s.at.folder)); err != nil {
		return nil, err
	}
	again, err := b.serve(ctx, s.at)
	if err != nil {
		return nil, err
	}
	again.size = s.size
	*s = *again
	built := b.binary
	defer func() { b.binary = built }()
	b.binary = b.other
	other, err := b.serve(ctx, location{folder: folder})
	if err == nil {
		other.size = s.size + ", other build"
	}
	return other, err
}

// makeTexts creates n conversations, contacts and cards.
func makeTexts(ctx context.Context, s *kernel.Store, c company, n int) error {
	const atOnce = 100
	w := newTextWriter(c, n)
	board, err := w.stage(ctx, s)
	if err != nil {
		return err
	}
	writers, making := errgroup.WithContext(ctx)
	writers.SetLimit(pooled)
	for from := 0; from < n; from += atOnce {
		writers.Go(func() error {
			return s.Write(making, func(tx *kernel.Tx) error {
				for i := from; i < min(n, from+atOnce); i++ {
					if err := w.write(tx, board, i); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
	if err := writers.Wait(); err != nil {
		return err
	}
	return indexAll(ctx, server.New(server.Options{Store: s}))
}

// textWriter creates rows with texts from the corpus.
type textWriter struct {
	company, channel, board kernel.ID
	texts                   *corpus.Corpus
	ids                     [][3]kernel.ID // of a conversation, a contact and a card, in the order of the lists
	old                     int            // conversations with the old word
	begun                   time.Time
}

func newTextWriter(c company, n int) *textWriter {
	w := &textWriter{
		texts: corpus.New(), ids: make([][3]kernel.ID, n), old: n / 20, begun: time.Now().Add(-30 * 24 * time.Hour),
	}
	w.company, _ = kernel.ParseID(c.ID)
	w.channel, _ = kernel.ParseID(c.Channel)
	w.board, _ = kernel.ParseID(c.Board)
	for i := range w.ids {
		for k := range w.ids[i] {
			w.ids[i][k] = idAt(w.at(i))
		}
	}
	return w
}

// at returns the creation time of the i-th row of each kind.
func (w *textWriter) at(i int) time.Time { return w.begun.Add(time.Duration(i) * time.Second) }

// idAt returns a new id with another creation time, the order of lists.
func idAt(t time.Time) kernel.ID {
	id := kernel.NewID()
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(t.UnixMilli())<<16)
	copy(id[:6], ms[:6])
	return id
}

// stage returns the first stage of the board.
func (w *textWriter) stage(ctx context.Context, s *kernel.Store) (stage kernel.ID, err error) {
	err = s.Read(ctx, func(tx *kernel.Tx) error {
		board, found, err := boards.FindBoard(tx, w.company, w.board)
		if err == nil && !found {
			err = errors.New("the demo has no board")
		}
		if err == nil {
			stage = board.Stages[0].ID
		}
		return err
	})
	return stage, err
}

func (w *textWriter) write(tx *kernel.Tx, stage kernel.ID, i int) error {
	at := w.at(i)
	name, phone, text := w.texts.Name(i), w.texts.Phone(i), w.texts.Sentence(i)
	if i < w.old {
		text += " no " + oldTalk + " passado"
	}
	contact := talk.Contact{
		ID: w.ids[i][1], Company: w.company, Name: name, Phone: &phone, Channel: &w.channel, Pool: w.company,
		CreatedAt: at, UpdatedAt: at,
	}
	if _, err := talk.InsertContact(tx, &contact); err != nil {
		return err
	}
	c := talk.Conversation{
		ID: w.ids[i][0], Company: w.company, Channel: w.channel, Kind: talk.KindDirect, Phone: &phone, Contact: &contact.ID,
		Name: name, LabelIDs: []kernel.ID{}, CreatedAt: at, UpdatedAt: at,
	}
	if fresh, err := talk.InsertConversation(tx, &c); err != nil || !fresh {
		return fmt.Errorf("a conversation was not created: %w", err)
	}
	c.Sequence = 1
	c.LastMessage = &talk.LastMessage{
		ID: kernel.NewID(), Type: provider.TypeText, Text: &text, Direction: provider.Inbound, CreatedAt: at,
	}
	talk.SaveConversation(tx, &c, talk.PartInbox|talk.PartSettings)
	card := boards.Card{
		ID: w.ids[i][2], Company: w.company, BoardID: w.board, StageID: stage, Title: w.texts.Title(i), Description: &text,
		Priority: "medium", Status: boards.CardOpen, Position: fmt.Sprintf("V%08d", i), Version: 1, CreatedAt: at, UpdatedAt: at,
	}
	boards.InsertCard(tx, &card)
	return nil
}
