package talk

import (
	"math"
	"slices"
	"time"

	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/search"
)

// messageCriteria selects messages. Zero values filter nothing, except that Q is required.
type messageCriteria struct {
	Company      kernel.ID
	Sight        kernel.Sight
	Q            string
	Conversation kernel.ID
	Contact      kernel.ID
	Channel      kernel.ID
	User         kernel.ID // the sender
	Direction    string
	Type         string
	From         *time.Time // written then or later
	Before       *time.Time // written before

	After kernel.ID // only messages older than this one, if set
	Limit int
}

// FoundMessages is a page of a search, newest first.
type FoundMessages struct {
	Data []FoundMessage
	// Next is where the next page begins; zero on the last page. A page may be short or even empty without being the last,
	// because the number of messages that a search reads is limited.
	Next kernel.ID
}

// conversationBudget is how many messages a search in one conversation, or in those of one contact, reads.
const conversationBudget = 50_000

// searchMessages finds messages that contain a text, in the order of their ids. In one conversation or those of one contact it
// reads the messages themselves, otherwise the index.
func searchMessages(tx *kernel.Tx, f messageCriteria) (page FoundMessages, err error) {
	text, ok := search.NewMessageText(f.Q)
	if !ok {
		return page, nil
	}
	if f.After.IsZero() {
		f.After = kernel.MaxID
	}
	if f.Before != nil {
		if bound := search.BeforeTime(*f.Before); kernel.CompareIDs(bound, f.After) < 0 {
			f.After = bound
		}
	}
	ended := search.MessageTime(tx.On)
	m := messageSearch{tx: tx, f: &f, text: text}
	if f.Conversation.IsZero() && f.Contact.IsZero() {
		err = m.everywhere()
	} else {
		err = m.inConversations()
	}
	if err = ended(err); err != nil {
		return page, err
	}
	return m.page(), nil
}

type messageSearch struct {
	tx    *kernel.Tx
	f     *messageCriteria
	text  search.Text
	found []FoundMessage
	next  kernel.ID // zero if everything was read
}

// everywhere reads the messages that are not indexed yet, then the index until the page is full.
func (m *messageSearch) everywhere() error {
	waiting, err := search.WaitingMessages(m.tx.On, m.f.Company, m.text, m.f.After)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(waiting, 4*m.f.Limit) {
		if err := m.keep(db.Listed(some)); err != nil {
			return err
		}
		if len(m.found) > m.f.Limit { // the others are older
			break
		}
	}
	scan, err := search.ScanMessages(m.tx.On, m.f.Company, m.text, m.f.After)
	if err != nil {
		return err
	}
	oldest := kernel.ID{}
	if m.f.From != nil {
		oldest = kernel.FirstIDOf(m.f.From.Add(-time.Minute)) // a message gets its id after it was written, and clocks differ
	}
	for n := m.f.Limit + m.f.Limit/4 + 1; ; n *= 4 {
		candidates, err := scan.Next(n)
		if err != nil {
			return err
		}
		if err := m.keep(candidates); err != nil {
			return err
		}
		switch {
		case scan.Ended || kernel.CompareIDs(scan.Before, oldest) < 0:
			return nil
		case m.foundFrom(scan.Before) > m.f.Limit || scan.Exhausted():
			m.next = scan.Before
			return nil
		}
	}
}

func (m *messageSearch) foundFrom(oldest kernel.ID) (n int) {
	for i := range m.found {
		if kernel.CompareIDs(m.found[i].Message.ID, oldest) >= 0 {
			n++
		}
	}
	return n
}

// page returns the messages found down to the one where the search stopped.
func (m *messageSearch) page() (page FoundMessages) {
	slices.SortFunc(m.found, func(a, b FoundMessage) int { return kernel.CompareIDs(b.Message.ID, a.Message.ID) })
	m.found = slices.CompactFunc(m.found, func(a, b FoundMessage) bool { return a.Message.ID == b.Message.ID })
	page.Next = m.next
	for i := range m.found {
		if kernel.CompareIDs(m.found[i].Message.ID, m.next) < 0 {
			break
		}
		if len(page.Data) == m.f.Limit {
			page.Next = page.Data[len(page.Data)-1].Message.ID
			break
		}
		page.Data = append(page.Data, m.found[i])
	}
	return page
}

// keep adds the candidates that match the filters and contain the text.
func (m *messageSearch) keep(candidates db.Subset) error {
	s := m.tx.Statement()
	s.WriteString(`
		SELECT` + messageColumns + `, c.name AS conversation_name
		` + m.tx.FromSubset(s.Arg(m.f.Company), candidates(s), "messages", "m") + `
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
	f := m.f
	s.AndGiven("m.channel", f.Channel)
	s.AndGiven("m.sent_by", f.User)
	s.AndGiven("m.direction", f.Direction)
	s.AndGiven("m.type", f.Type)
	from, before := int64(math.MinInt64), int64(math.MaxInt64)
	if f.From != nil {
		from = f.From.UnixMilli()
	}
	if f.Before != nil {
		before = f.Before.UnixMilli()
	}
	s.And("m.created_at >= "+s.Arg(from), "m.created_at < "+s.Arg(before), f.Sight.Conversations(s, "c"))
}

func (m *messageSearch) inConversations() error {
	f, s := m.f, m.tx.Statement()
	// CROSS JOIN and + keep SQLite from reading all messages of the company in the order of their ids.
	join, id := m.tx.Dialect().Pick("CROSS JOIN", "JOIN"), m.tx.Dialect().Pick("+m.id", "m.id")
	s.WriteString(`
		SELECT m.id, m.text
		FROM conversations c
		` + join + ` messages m ON m.company = c.company AND m.conversation = c.id
		WHERE c.company = ` + s.Arg(f.Company) + ` AND m.text IS NOT NULL AND ` + id + ` < ` + s.Arg(f.After))
	if !f.Conversation.IsZero() {
		s.And("c.id = " + s.Arg(f.Conversation))
	}
	if !f.Contact.IsZero() {
		s.And("c.contact = " + s.Arg(f.Contact))
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
	return m.keep(db.Listed(ids[:min(len(ids), f.Limit+1)]))
}

// textChanged marks a message to be indexed again.
func textChanged(tx *kernel.Tx, m *Message) {
	tx.Later(`
		INSERT INTO messages_unindexed (company, id)
		VALUES ($1, $2)
		ON CONFLICT (company, id) DO UPDATE SET id = excluded.id`, m.Company, m.ID)
}
