package main

import (
	"context"
	"fmt"
	"time"

	"recado/internal/desk"
	"recado/internal/model"
	"recado/internal/store"
)

// talk is how much a made-up company has to say.
type talk struct {
	conversations int
	messages      int
}

var (
	littleTalk = talk{1_000, 10_000}
	muchTalk   = talk{200_000, 2_000_000}
)

func (t talk) String() string {
	return fmt.Sprintf("%d messages in %d conversations", t.messages, t.conversations)
}

// oldTalk is a word that only the twentieth of the conversations has that was over first.
const oldTalk = "inverno"

// talking is a server whose first company has talked that much.
type talking struct {
	*server
	threads []model.ID
}

func (b *bench) serveTalk(ctx context.Context, size talk) (*talking, error) {
	var threads []model.ID
	s, err := b.serveOn(ctx, size.String(), func(at place, c company) (err error) {
		threads, err = b.makeTalk(ctx, at, c, size)
		return err
	})
	return &talking{s, threads}, err
}

// makeTalk writes conversations whole, one after another: a transaction each 100 of them.
func (b *bench) makeTalk(ctx context.Context, at place, c company, size talk) (threads []model.ID, err error) {
	s, err := b.reopen(ctx, at)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closed := s.Close(); err == nil {
			err = closed
		}
	}()
	w := talkWriter{each: size.messages / size.conversations, old: size.conversations / 20, begun: time.Now().Add(-30 * 24 * time.Hour)}
	w.company, _ = model.ParseID(c.ID)
	w.channel, _ = model.ParseID(c.Channel)
	w.member, _ = model.ParseID(c.User)
	w.label, _ = model.ParseID(c.Labels[0])
	for done := 0; done < size.conversations; {
		n := min(100, size.conversations-done)
		var batch []model.ID
		err := s.Write(ctx, func(tx *store.Tx) error {
			batch = batch[:0]
			for i := range n {
				id, err := w.conversation(tx, done+i)
				if err != nil {
					return err
				}
				batch = append(batch, id)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		threads = append(threads, batch...)
		done += n
	}
	return threads, indexAll(ctx, desk.New(desk.Options{Store: s}))
}

// talkWriter makes up conversations.
type talkWriter struct {
	company, channel, member, label model.ID
	each                            int // messages of a conversation
	old                             int // conversations with the old word
	begun                           time.Time
}

// words are what customers are called and what they say. One in ten conversations carries the label and is
// assigned; the text of every message is its own.
var (
	givenNames = []string{"Ana", "Bruno", "Célia", "Davi", "Érica", "Fábio", "Gabi", "Heitor", "Íris", "João", "Lia", "Marina", "Nádia", "Otávio", "Paulo", "Rita"}
	surnames   = []string{"Alves", "Barros", "Cardoso", "Dias", "Esteves", "Farias", "Gomes", "Lima", "Moraes", "Nunes", "Prado", "Ramos", "Souza", "Teles", "Vieira", "Xavier"}
)

func (w *talkWriter) conversation(tx *store.Tx, i int) (model.ID, error) {
	name := givenNames[i%len(givenNames)] + " " + surnames[i/len(givenNames)%len(surnames)]
	phone := fmt.Sprintf("+55119%08d", i)
	group := fmt.Sprintf("bench-%d", i)
	c := model.Conversation{
		ID: model.NewID(), Company: w.company, Channel: w.channel, Kind: model.KindGroup, Name: name, Phone: &phone, GroupID: &group,
		LabelIDs: []model.ID{}, CreatedAt: w.begun.Add(time.Duration(i) * time.Second),
	}
	if fresh, err := tx.InsertConversation(&c); err != nil || !fresh {
		return c.ID, fmt.Errorf("a conversation was not made: %w", err)
	}
	for n := range w.each {
		at := c.CreatedAt.Add(time.Duration(n) * time.Minute)
		text := fmt.Sprintf("Mensagem %d da conversa %d: obrigado pelo retorno, aguardo a confirmação do pedido.", n, i)
		if i < w.old {
			text += " A promoção de " + oldTalk + " vale?"
		}
		external := fmt.Sprintf("bench.%d.%d", i, n)
		c.Sequence++
		m := &model.Message{
			ID: model.NewID(), Conversation: c.ID, Company: w.company, Channel: w.channel, Direction: model.Inbound, Origin: model.OriginCustomer,
			Type: model.TypeText, Text: &text, ExternalID: &external, Status: model.StatusReceived, Seq: c.Sequence, CreatedAt: at, SentAt: &at,
		}
		if fresh, err := tx.InsertMessage(m, store.MessageExtras{}); err != nil || !fresh {
			return c.ID, fmt.Errorf("a message was not made: %w", err)
		}
		c.LastMessage = &model.LastMessage{ID: m.ID, Type: m.Type, Text: m.Text, Direction: m.Direction, CreatedAt: at}
	}
	if i%10 == 0 {
		c.Assignee = &w.member
		tx.SetConversationLabels(c.ID, []model.ID{w.label})
	}
	tx.SaveConversation(&c)
	return c.ID, nil
}
