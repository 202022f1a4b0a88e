package talk

import (
	"context"
	"log/slog"
	"math"
	"slices"
	"time"

	"recado/internal/fold"
	"recado/internal/httpserver"
	"recado/internal/jobs"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/search"
)

const (
	indexBatch = 250         // texts that one transaction indexes; few, so that writers do not wait long
	indexTurn  = 40          // batches of messages before other texts are indexed again
	indexIdle  = time.Minute // between runs without a wakeup, for what a crash or another node left behind
)

// IndexSearch indexes changed texts of conversations, contacts and cards, then those of messages. Searches find unindexed texts
// too, but more slowly. Messages have many batches in a row, because a conversation that changes with each of them then has
// to be indexed only once.
func (d *Talk) IndexSearch(ctx context.Context) error {
	for {
		if _, err := d.indexBatches(ctx, search.Update, math.MaxInt); err != nil {
			return err
		}
		if more, err := d.indexBatches(ctx, search.UpdateMessages, indexTurn); err != nil || !more {
			return err
		}
	}
}

// indexBatches indexes up to limit batches and reports whether there may be more.
func (d *Talk) indexBatches(ctx context.Context, index func(tx *db.Tx, n int) (int, error), limit int) (more bool, err error) {
	more = true
	for i := 0; i < limit && more && err == nil; i++ {
		err = d.Store.Write(ctx, func(tx *kernel.Tx) error {
			done, err := index(tx.Tx, indexBatch)
			more = done == indexBatch
			return err
		})
	}
	return more, err
}

// Index keeps the search index up to date. It runs once a second, so that a conversation that changes often is indexed only
// once.
type Index struct {
	Desk   *Talk
	Logger *slog.Logger

	lastRun time.Time
}

// Run updates the index until ctx is done.
func (x *Index) Run(ctx context.Context) {
	jobs.Repeat(ctx, x.Logger, "index", nil, time.Second, func(ctx context.Context) (more bool, err error) {
		now := time.Now()
		select {
		case <-x.Desk.Wakeup(WakeIndex).C:
		default:
			if now.Sub(x.lastRun) < indexIdle {
				return false, nil
			}
		}
		x.lastRun = now
		if err = x.Desk.IndexSearch(ctx); err != nil {
			x.lastRun = time.Time{} // retry without waiting for a wakeup
		}
		return false, err
	})
}

// messageCriteria is a MessageFilter and who searches.
type messageCriteria struct {
	*MessageFilter
	Company      kernel.ID
	Sight        kernel.Sight
	since, until *time.Time // From and To
	after        kernel.ID  // only messages older than this one, if set
}

// conversationBudget is how many messages a search in one conversation, or in those of one contact, reads.
const conversationBudget = 50_000

// searchMessages finds messages that contain a text, newest first, in the order of their ids. In one conversation or those of one
// contact it reads the messages themselves, otherwise the index. next is where the next page begins; zero on the last page. A page
// may be short or even empty without being the last, because the number of messages that a search reads is limited.
func searchMessages(tx *kernel.Tx, f messageCriteria) (page []FoundMessage, next kernel.ID, err error) {
	if f.after.IsZero() {
		f.after = kernel.MaxID
	}
	if f.until != nil {
		if bound := search.BeforeTime(*f.until); kernel.CompareIDs(bound, f.after) < 0 {
			f.after = bound
		}
	}
	defer tx.LimitTime(search.Budget.Time)()
	m := messageSearch{tx: tx, messageCriteria: &f, text: search.NewMessageText(f.Q)}
	if f.Conversation == (httpserver.FilterID{}) && f.Contact == (httpserver.FilterID{}) {
		err = m.everywhere()
	} else {
		err = m.inConversations()
	}
	if err != nil {
		return nil, next, search.TooSlow(err)
	}
	page, next = m.page()
	return page, next, nil
}

type messageSearch struct {
	*messageCriteria
	tx    *kernel.Tx
	text  search.Text
	found []FoundMessage
	next  kernel.ID // zero if everything was read
}

// everywhere reads the messages that are not indexed yet, then the index until the page is full.
func (m *messageSearch) everywhere() error {
	waiting, err := search.WaitingMessages(m.tx.Tx, m.Company, m.text, m.after)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(waiting, 4*m.Limit) {
		if err := m.keep(db.Listed(some)); err != nil {
			return err
		}
		if len(m.found) > m.Limit { // the others are older
			break
		}
	}
	scan, err := search.ScanMessages(m.tx.Tx, m.Company, m.text, m.after)
	if err != nil {
		return err
	}
	oldest := kernel.ID{}
	if m.since != nil {
		oldest = kernel.FirstIDOf(m.since.Add(-time.Minute)) // a message gets its id after it was written, and clocks differ
	}
	for n := m.Limit + m.Limit/4 + 1; ; n *= 4 {
		candidates, err := scan.Next(n)
		if err != nil {
			return err
		}
		if err := m.keep(candidates); err != nil {
			return err
		}
		count := 0
		for i := range m.found {
			if kernel.CompareIDs(m.found[i].Message.ID, scan.Before) >= 0 {
				count++
			}
		}
		switch {
		case scan.Ended || kernel.CompareIDs(scan.Before, oldest) < 0:
			return nil
		case count > m.Limit || scan.Exhausted():
			m.next = scan.Before
			return nil
		}
	}
}

// page returns the messages found down to the one where the search stopped.
func (m *messageSearch) page() (page []FoundMessage, next kernel.ID) {
	slices.SortFunc(m.found, func(a, b FoundMessage) int { return kernel.CompareIDs(b.Message.ID, a.Message.ID) })
	m.found = slices.CompactFunc(m.found, func(a, b FoundMessage) bool { return a.Message.ID == b.Message.ID })
	for i := range m.found {
		if kernel.CompareIDs(m.found[i].Message.ID, m.next) < 0 {
			break
		}
		if len(page) == m.Limit {
			return page, page[m.Limit-1].Message.ID
		}
		page = append(page, m.found[i])
	}
	return page, m.next
}

// keep adds the candidates that match the filters and contain the text.
func (m *messageSearch) keep(candidates db.Subset) error {
	s := m.tx.Statement()
	s.WriteString(`
		SELECT` + messageColumns + `, c.name AS conversation_name
		` + m.tx.FromSubset(s.Arg(m.Company), candidates(s), "messages", "m") + `
		JOIN conversations c ON c.company = m.company AND c.id = m.conversation` + messageFile + `
		WHERE m.text IS NOT NULL`)
	m.andFilters(s)
	return m.tx.Query(s.String(), s.Args, func(r db.Row) error {
		if text := r.Text("text"); m.text.In(fold.Text(text)) {
			found := FoundMessage{Message: scanMessage(r)}
			found.Conversation = kernel.Ref{ID: found.Message.Conversation, Name: r.Text("conversation_name")}
			found.Snippet, found.Match = m.text.Snippet(text)
			m.found = append(m.found, found)
		}
		return nil
	})
}

func (m *messageSearch) andFilters(s *db.Statement) {
	s.AndGiven("m.channel", kernel.ID(m.Channel))
	s.AndGiven("m.sent_by", kernel.ID(m.User))
	s.AndGiven("m.direction", m.Direction)
	s.AndGiven("m.type", m.Type)
	from, before := int64(math.MinInt64), int64(math.MaxInt64)
	if m.since != nil {
		from = m.since.UnixMilli()
	}
	if m.until != nil {
		before = m.until.UnixMilli()
	}
	s.And("m.created_at >= "+s.Arg(from), "m.created_at < "+s.Arg(before), m.Sight.Conversations(s, "c"))
}

func (m *messageSearch) inConversations() error {
	s := m.tx.Statement()
	// CROSS JOIN and + keep SQLite from reading all messages of the company in the order of their ids.
	join, idColumn := m.tx.Dialect().Pick("CROSS JOIN", "JOIN"), m.tx.Dialect().Pick("+m.id", "m.id")
	s.WriteString(`
		SELECT m.id, m.text
		FROM conversations c
		` + join + ` messages m ON m.company = c.company AND m.conversation = c.id
		WHERE c.company = ` + s.Arg(m.Company) + ` AND m.text IS NOT NULL AND ` + idColumn + ` < ` + s.Arg(m.after))
	if id := kernel.ID(m.Conversation); !id.IsZero() {
		s.And("c.id = " + s.Arg(id))
	}
	if id := kernel.ID(m.Contact); !id.IsZero() {
		s.And("c.contact = " + s.Arg(id))
	}
	m.andFilters(s)
	s.WriteString("\n\tORDER BY m.seq DESC\n\tLIMIT " + s.Arg(conversationBudget) + m.tx.Dialect().Pick(" + 0", ""))
	var ids []kernel.ID
	err := m.tx.Query(s.String(), s.Args, func(r db.Row) error {
		if id := r.ID("id"); m.text.In(fold.Text(r.Text("text"))) {
			ids = append(ids, id)
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(ids, func(a, b kernel.ID) int { return kernel.CompareIDs(b, a) })
	return m.keep(db.Listed(ids[:min(len(ids), m.Limit+1)]))
}
