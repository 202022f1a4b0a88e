package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/server"
	"recado/internal/talk"
)

// talkSize is the number of conversations and messages of a company.
type talkSize struct {
	conversations int
	messages      int
	open          int // newest conversations in which the customer is waiting
}

var (
	smallTalk = talkSize{conversations: 1_000, messages: 10_000}
	largeTalk = talkSize{conversations: 200_000, messages: 2_000_000}
)

func (t talkSize) String() string {
	return fmt.Sprintf("%d messages in %d conversations", t.messages, t.conversations)
}

// oldTalk is a word in the oldest 5 % of the conversations.
const oldTalk = "inverno"

// talkServer is a server and the conversations of its first company.
type talkServer struct {
	*testServer
	threads []kernel.ID
}

func (b *bench) serveTalk(ctx context.Context, size talkSize) (*talkServer, error) {
	var threads []kernel.ID
	s, err := b.serveOn(ctx, size.String(), func(at location, c company) (err error) {
		threads, err = at.makeTalk(ctx, c, size)
		return err
	})
	return &talkServer{s, threads}, err
}

// serveTalks starts two servers.
func (b *bench) serveTalks(ctx context.Context, sizes ...talkSize) (talks [2]*talkServer, servers [2]*testServer, err error) {
	for i, size := range sizes {
		if talks[i], err = b.serveTalk(ctx, size); err != nil {
			return talks, servers, err
		}
		servers[i] = talks[i].testServer
	}
	return talks, servers, nil
}

// makeTalk creates the conversations and their messages.
func (at location) makeTalk(ctx context.Context, c company, size talkSize) ([]kernel.ID, error) {
	w := newTalkWriter(c, size)
	if err := at.onStore(ctx, w.conversations); err != nil {
		return nil, err
	}
	if err := at.fill(ctx, "messages", messageColumns, size.messages, w.message); err != nil {
		return nil, err
	}
	return w.threads, at.onStore(ctx, func(ctx context.Context, s *kernel.Store) error {
		return indexAll(ctx, server.New(server.Options{Store: s}))
	})
}

// talkWriter creates conversations.
type talkWriter struct {
	company, channel, member, label kernel.ID

	threads []kernel.ID
	last    []kernel.ID // last message of each
	each    int         // messages per conversation
	old     int         // conversations with oldTalk
	begun   time.Time
	waiting int // conversations in which the customer is waiting
}

func newTalkWriter(c company, size talkSize) *talkWriter {
	w := &talkWriter{
		waiting: size.open, each: size.messages / size.conversations, old: size.conversations / 20,
		begun: time.Now().Add(-30 * 24 * time.Hour),
	}
	w.company, _ = kernel.ParseID(c.ID)
	w.channel, _ = kernel.ParseID(c.Channel)
	w.member, _ = kernel.ParseID(c.User)
	w.label, _ = kernel.ParseID(c.Labels[0])
	for range size.conversations {
		w.threads = append(w.threads, kernel.NewID())
		w.last = append(w.last, kernel.NewID())
	}
	return w
}

// conversations writes them through the store in small transactions, because it ends long ones.
func (w *talkWriter) conversations(ctx context.Context, s *kernel.Store) error {
	const atOnce = 100
	writers, ctx := errgroup.WithContext(ctx)
	writers.SetLimit(pooled)
	for from := 0; from < len(w.threads); from += atOnce {
		writers.Go(func() error {
			return s.Write(ctx, func(tx *kernel.Tx) error {
				for i := from; i < min(len(w.threads), from+atOnce); i++ {
					if err := w.conversation(tx, i); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
	return writers.Wait()
}

// Names of customers.
var (
	givenNames = strings.Fields("Ana Bruno Célia Davi Érica Fábio Gabi Heitor Íris João Lia Marina Nádia Otávio Paulo Rita")
	surnames   = strings.Fields("Alves Barros Cardoso Dias Esteves Farias Gomes Lima Moraes Nunes Prado Ramos Souza Teles " +
		"Vieira Xavier")
)

// conversation writes the i-th conversation. One in ten has the label and an assignee.
func (w *talkWriter) conversation(tx *kernel.Tx, i int) error {
	phone := fmt.Sprintf("+55119%08d", i)
	group := fmt.Sprintf("bench-%d", i)
	c := talk.Conversation{
		ID: w.threads[i], Company: w.company, Channel: w.channel, Kind: talk.KindGroup, Phone: &phone, GroupID: &group,
		Name:     givenNames[i%len(givenNames)] + " " + surnames[i/len(givenNames)%len(surnames)],
		LabelIDs: []kernel.ID{}, CreatedAt: w.at(i, 0),
	}
	if fresh, err := talk.InsertConversation(tx, &c); err != nil || !fresh {
		return fmt.Errorf("a conversation was not created: %w", err)
	}
	text := w.text(i, w.each-1)
	c.Sequence = int64(w.each)
	c.LastMessage = &talk.LastMessage{
		ID: w.last[i], Type: provider.TypeText, Text: &text, Direction: provider.Inbound, CreatedAt: w.at(i, w.each-1),
	}
	c.ActivityAt = c.LastMessage.CreatedAt
	if i >= len(w.threads)-w.waiting {
		w.wait(&c)
	} else if i%10 == 0 {
		c.Assignee = &w.member
		talk.SetConversationLabels(tx, c.Company, c.ID, []kernel.ID{w.label})
	}
	talk.SaveConversation(tx, &c, talk.PartInbox|talk.PartSettings)
	return nil
}

var messageColumns = []string{
	"conversation", "seq", "id", "company", "channel", "private", "direction", "origin", "type", "text", "external_id",
	"status", "created_at", "sent_at",
}

// message returns the columns of the n-th message.
func (w *talkWriter) message(n int) []any {
	i, n := n/w.each, n%w.each
	id := kernel.NewID()
	if n == w.each-1 {
		id = w.last[i]
	}
	at := w.at(i, n).UnixMilli()
	return []any{
		w.threads[i], int64(n + 1), id, w.company, w.channel, false,
		provider.Inbound, provider.OriginCustomer, provider.TypeText, w.text(i, n),
		fmt.Sprintf("bench.%d.%d", i, n), provider.StatusReceived, at, at,
	}
}

// at returns the time of the n-th message of the i-th conversation.
func (w *talkWriter) at(i, n int) time.Time {
	return w.begun.Add(time.Duration(i)*time.Second + time.Duration(n)*time.Minute)
}

// text returns a unique text for the message.
func (w *talkWriter) text(i, n int) string {
	text := fmt.Sprintf("Mensagem %d da conversa %d: obrigado pelo retorno, aguardo a confirmação do pedido.", n, i)
	if i < w.old {
		text += " A promoção de " + oldTalk + " vale?"
	}
	return text
}
