package talk

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"recado/internal/blob"
	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/media"
	"recado/internal/phone"
)

// Past stores conversations of the past in one transaction: contacts, messages, notes, files and attendances with their own times.
// It raises no events, notifies nobody, sends nothing and calls no observers. Messages and notes are identified by the source and
// their key: storing one again changes nothing. Add everything and then call Save once. The report of the company does not include
// the attendances until it is counted again: Save marks it; see reports.RebuildStale.
type Past struct {
	d      *Talk
	Tx     *kernel.Tx
	source string

	conversations map[kernel.ID]*PastConversation
	order         []*PastConversation
	messages      []*pastRow
	attendances   []*Attendance
}

// Past returns an empty batch. source identifies where the messages come from, such as the system and the account in it. channels
// lists all channels of the batch.
func (d *Talk) Past(tx *kernel.Tx, source string, channels ...kernel.ID) *Past {
	channels = slices.Clone(channels)
	slices.SortFunc(channels, kernel.CompareIDs)
	for _, id := range slices.Compact(channels) {
		tx.LockSeveral(id)
	}
	return &Past{d: d, Tx: tx, source: source, conversations: map[kernel.ID]*PastConversation{}}
}

// PastContact is a person of the past.
type PastContact struct {
	Name      string // "": the phone
	Phone     string // in E.164 format; "": unknown
	CreatedAt time.Time
	Blocked   bool
}

// ErrErased is returned by Past.Contact for a person who was erased.
var ErrErased = errErased

// Contact returns the contact with the phone in the pool of the channel, and reports whether it created the contact. It always
// creates one for a person without a phone. A name that is only a placeholder is replaced. The error is ErrErased if there is no
// contact because the person was erased after in.CreatedAt.
func (p *Past) Contact(channel *channels.Channel, in PastContact) (c Contact, created bool, err error) {
	pool := channel.Pool()
	if in.Phone != "" {
		var found bool
		if c, found, err = selectContact(p.Tx, `WHERE ct.company = $1 AND ct.pool = $2 AND ct.phone_key = $3`, channel.Company, pool, phone.Key(in.Phone)); err != nil {
			return c, false, err
		}
		if found {
			if name := cleanPersonName(in.Name); name != "" && nameless(&c) {
				c.Name = name
				err = nameContact(p.Tx, &c)
			}
			return c, false, err
		}
		if erased, err := p.d.erasedAt(p.Tx, channel.Company, pool, []Identity{{IdentityPhone, phone.Key(in.Phone)}}); err != nil || erased != nil && in.CreatedAt.Before(*erased) {
			return c, false, kernel.ErrOr(err, ErrErased)
		}
	}
	c = Contact{
		ID: kernel.NewIDAt(in.CreatedAt), Company: channel.Company, Name: cmp.Or(cleanPersonName(in.Name), in.Phone, namelessPerson),
		Phone: kernel.TextOrNil(in.Phone), Channel: &channel.ID, LabelIDs: []kernel.ID{}, Automation: true, Blocked: in.Blocked,
		Pool: pool, CreatedAt: in.CreatedAt, UpdatedAt: p.Tx.Now,
	}
	if channel.ID.IsZero() {
		c.Channel = nil
	}
	inserted, err := InsertContact(p.Tx, &c)
	if err == nil && !inserted {
		err = errBusyElsewhere() // a message of this person has just arrived
	}
	return c, inserted, err
}

// PastConversation is a conversation that a Past has locked.
type PastConversation struct {
	*LockedConversation
	created bool
	seqs    map[int64]int64 // the last sequence number that is used, by the second
	labels  []kernel.ID

	// ErasedAt is when an earlier contact of the person was erased, or nil. What is older is left out.
	ErasedAt *time.Time
}

// Conversation locks the conversation of a channel with a contact, creating it on first use.
func (p *Past) Conversation(channel *channels.Channel, contact Contact) (*PastConversation, error) {
	t, created, err := p.d.conversationWith(p.Tx, *channel, contact)
	if err != nil {
		return nil, err
	}
	if c := p.conversations[t.ID]; c != nil {
		return c, nil
	}
	c := &PastConversation{LockedConversation: t, created: created, seqs: map[int64]int64{}}
	if contact.Phone != nil {
		if c.ErasedAt, err = p.d.erasedAt(p.Tx, contact.Company, contact.Pool, []Identity{{IdentityPhone, phone.Key(*contact.Phone)}}); err != nil {
			return nil, err
		}
	}
	if created {
		c.ActivityAt = time.UnixMilli(0).UTC() // until there is a message
	}
	p.conversations[t.ID] = c
	p.order = append(p.order, c)
	return c, nil
}

// Open is Conversation for a principal who names a channel and a phone or a contact. It creates the contact if there is none with the
// phone. The errors name the fields of in.
func (p *Past) Open(a *kernel.Principal, in NewConversation) (*PastConversation, error) {
	channel, err := p.d.bodyChannel(p.Tx, a, in.Channel)
	if err != nil {
		return nil, err
	}
	if channel.ArchivedAt != nil {
		return nil, channels.ErrChannelArchived()
	}
	person := provider.Person{}
	kernel.Set(&person.Phone, in.Phone)
	kernel.Set(&person.Name, in.Name)
	contact, err := p.d.contactToOpen(p.Tx, a, channel, person, in.Contact)
	if err != nil {
		return nil, err
	}
	c, err := p.Conversation(&channel, contact)
	if err == nil && !MaySee(a, &c.Conversation) {
		err = kernel.NotFound("conversation")
	}
	return c, err
}

// Lock locks a conversation of the channel that the principal may see. It fails if the conversation or the channel is gone.
func (p *Past) Lock(a *kernel.Principal, channel, id kernel.ID) (channels.Channel, *PastConversation, error) {
	ch, err := p.d.bodyChannel(p.Tx, a, channel)
	if err != nil {
		return ch, nil, err
	}
	found, err := visibleConversation(p.Tx, a, id)
	if err != nil || found.Channel != channel || found.Contact == nil {
		return ch, nil, kernel.ErrOr(err, kernel.NotFound("conversation"))
	}
	contact, known, err := findContact(p.Tx, a.Company.ID, *found.Contact)
	if err != nil || !known {
		return ch, nil, kernel.ErrOr(err, kernel.NotFound("contact"))
	}
	c, err := p.Conversation(&ch, contact)
	return ch, c, err
}

// AddLabels adds labels to a conversation.
func (c *PastConversation) AddLabels(labels ...kernel.ID) { c.labels = append(c.labels, labels...) }

// PastMessage is a message to store.
type PastMessage struct {
	Key string // identifies it within the source
	At  time.Time

	Outbound   bool
	Origin     string // of an outbound message; default: the app
	Type       string // default: that of the file, or text
	Text       string
	Media      *Media // from StoreFile or MissingFile
	Voice      bool
	ExternalID string // the provider's id; "": unknown
	ReplyTo    string // the provider's id of another message
	Status     string // of an outbound message; default: sent
	Error      *provider.Reason
	SentBy     *kernel.ID
	RevokedAt  *time.Time // when it was deleted; it is stored without its content
}

// pastRow is a message and its conversation.
type pastRow struct {
	*Message
	in *PastConversation
}

// AddMessages adds messages to a conversation.
func (p *Past) AddMessages(c *PastConversation, messages ...PastMessage) error {
	if err := p.readSeqs(c, messages); err != nil {
		return err
	}
	for i := range messages {
		if !c.IsErased(messages[i].At) {
			p.messages = append(p.messages, &pastRow{p.message(c, &messages[i]), c})
		}
	}
	return nil
}

// IsErased reports whether something of a time is from before an erasure of the person, and is left out.
func (c *PastConversation) IsErased(at time.Time) bool {
	return c.ErasedAt != nil && at.Before(*c.ErasedAt)
}

// pastID returns the id of something of the past. It is the same whenever the same source is imported.
func pastID(company kernel.ID, source, kind, key string, at time.Time) kernel.ID {
	sum := sha256.Sum256([]byte(company.String() + "\n" + source + "\n" + kind + "\n" + key))
	id := kernel.FirstIDOf(at)
	copy(id[6:], sum[:])
	id[6], id[8] = id[6]&0x0f|0x70, id[8]&0x3f|0x80 // version 7
	return id
}

func (p *Past) message(c *PastConversation, in *PastMessage) *Message {
	at := moment(in.At, p.Tx.Now)
	m := &Message{
		ID: pastID(c.Company, p.source, "message", in.Key, in.At), Conversation: c.ID, Company: c.Company, Channel: c.Channel, Private: c.Private,
		Direction: provider.Inbound, Origin: provider.OriginCustomer, Type: cmp.Or(in.Type, provider.TypeText), Text: kernel.TextOrNil(kernel.CleanText(in.Text)),
		ReplyTo: kernel.TextOrNil(in.ReplyTo), ExternalID: kernel.TextOrNil(in.ExternalID), Status: provider.StatusReceived,
		Seq: c.seq(at), CreatedAt: at, SentAt: &at, RevokedAt: in.RevokedAt,
	}
	if in.Outbound {
		m.Direction, m.Origin, m.Status = provider.Outbound, cmp.Or(in.Origin, provider.OriginApp), cmp.Or(in.Status, provider.StatusSent)
		if in.SentBy != nil {
			m.SentBy = &kernel.Ref{ID: *in.SentBy}
		}
		switch m.Status {
		case provider.StatusFailed:
			m.SentAt, m.Error = nil, in.Error
			if m.Error == nil {
				m.Error = new(provider.NewReason("not_delivered", "The provider did not deliver the message and did not say why."))
			}
		case provider.StatusRead:
			m.DeliveredAt, m.ReadAt = &at, &at
		case provider.StatusDelivered:
			m.DeliveredAt = &at
		}
	}
	if m.RevokedAt != nil {
		m.Text, m.Type = nil, provider.TypeText
		return m
	}
	if in.Media != nil {
		attach(m, in.Media)
		m.Voice = in.Voice && m.Type == provider.TypeAudio
	}
	return m
}

// StoredMessages returns which of the messages of a source are stored, by key.
func StoredMessages(tx *kernel.Tx, company kernel.ID, source string, messages []PastMessage) (map[string]bool, error) {
	stored := map[string]bool{}
	for some := range slices.Chunk(messages, 500) {
		s := tx.Statement()
		s.WriteString("SELECT id FROM messages WHERE company = " + s.Arg(company) + " AND id IN (")
		keys := make(map[kernel.ID]string, len(some))
		for i := range some {
			id := pastID(company, source, "message", some[i].Key, some[i].At)
			if keys[id] = some[i].Key; i > 0 {
				s.WriteString(", ")
			}
			s.WriteString(s.Arg(id))
		}
		s.WriteString(")")
		err := tx.Query(s.String(), s.Args, func(r db.Row) error {
			stored[keys[r.ID("id")]] = true
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return stored, nil
}

// Exchanged is a message that the provider knows: it was received or sent here, or is part of the history of a linked phone.
type Exchanged struct {
	At       time.Time
	Outbound bool
	Media    *kernel.ID
	FileSize *int64 // nil: it has no file, or its bytes are missing
	Deleted  bool
	Text     string
}

// EachExchanged calls each with the messages of a conversation from a period that the provider knows, in any order.
func EachExchanged(tx *kernel.Tx, company, conversation kernel.ID, from, to time.Time, each func(Exchanged)) error {
	return tx.Query(`
		SELECT COALESCE(m.sent_at, m.created_at) AS at, m.direction, m.media, CASE WHEN d.stored THEN d.size END AS file_size, m.revoked_at, m.text
		FROM messages m
		LEFT JOIN media d ON d.company = m.company AND d.id = m.media
		WHERE m.company = $1 AND m.conversation = $2 AND m.created_at >= $3 AND m.created_at <= $4 AND m.external_id IS NOT NULL`, []any{company, conversation, from, to}, func(r db.Row) error {
		each(Exchanged{
			At: r.Time("at"), Outbound: r.Text("direction") == provider.Outbound, Media: r.NullID("media"), FileSize: r.NullInt("file_size"),
			Deleted: !r.Null("revoked_at"), Text: r.Text("text"),
		})
		return nil
	})
}

// PastFile returns the id that StoreFile and MissingFile give to a file.
func PastFile(company kernel.ID, source, key string, at time.Time) kernel.ID {
	return pastID(company, source, "file", key, at)
}

// seq returns the sequence number of the next message or note of a time: before everything that arrived live.
func (c *PastConversation) seq(at time.Time) int64 {
	second := at.Unix()
	last, used := c.seqs[second]
	if !used {
		last = historyBegin + second*historyEach - 1
	}
	c.seqs[second] = last + 1
	return last + 1
}

// readSeqs reads which sequence numbers are used in the seconds of the messages.
func (p *Past) readSeqs(c *PastConversation, messages []PastMessage) error {
	if c.created || len(messages) == 0 {
		return nil
	}
	first, last := messages[0].At, messages[0].At
	for _, m := range messages {
		if m.At.Before(first) {
			first = m.At
		}
		if m.At.After(last) {
			last = m.At
		}
	}
	return p.Tx.Query(`
		SELECT MAX(seq) AS highest
		FROM (
			SELECT seq FROM messages WHERE company = $1 AND conversation = $2 AND seq >= $3 AND seq < $4
			UNION ALL
			SELECT seq FROM notes WHERE company = $1 AND conversation = $2 AND seq >= $3 AND seq < $4
		) used
		GROUP BY (seq - $5) / $6`,
		[]any{c.Company, c.ID, historyBegin + first.Unix()*historyEach, historyBegin + (last.Unix()+1)*historyEach, historyBegin, historyEach},
		func(r db.Row) error {
			highest := r.Int("highest")
			second := (highest - historyBegin) / historyEach
			if used, found := c.seqs[second]; !found || highest > used { // both are negative
				c.seqs[second] = highest
			}
			return nil
		})
}

// PastNote is a note to store.
type PastNote struct {
	Key        string // identifies it within the source, apart from messages
	At         time.Time
	Author     kernel.ID // a member, who may have been removed
	Text       string
	Attendance *kernel.ID
}

// AddNotes adds notes to a conversation.
func (p *Past) AddNotes(c *PastConversation, notes ...PastNote) error {
	times := make([]PastMessage, len(notes))
	for i := range notes {
		times[i].At = notes[i].At
	}
	if err := p.readSeqs(c, times); err != nil {
		return err
	}
	for _, n := range notes {
		if c.IsErased(n.At) {
			continue
		}
		at := moment(n.At, p.Tx.Now)
		id := pastID(c.Company, p.source, "note", n.Key, at)
		p.Tx.Later(`
			INSERT INTO notes (company, conversation, seq, id, client_id, attendance, author, text, created_at)
			VALUES ($1, $2, $3, $4, $4, $5, $6, $7, $8)
			ON CONFLICT DO NOTHING`, c.Company, c.ID, c.seq(at), id, n.Attendance, n.Author, kernel.CleanText(n.Text), at)
	}
	return nil
}

// PastAttendance is a case of the past.
type PastAttendance struct {
	OpenedAt        time.Time
	ByTeam          bool // the team opened it
	FirstResponseAt *time.Time
	ClosedAt        *time.Time // nil: it is still open
	ClosedBy        *kernel.ID
	Responsible     *kernel.ID
	Sector          *kernel.ID
	WaitingSince    *time.Time // of an open one: when the customer's oldest unanswered message came
	SnoozedUntil    *time.Time // of an open one
	LastActivityAt  time.Time  // when it counts as closed if it cannot stay open
}

// AddAttendance adds an attendance to a conversation and returns its id. Save numbers the attendances in the order in which they
// were added. A conversation has one open attendance: a later one closes an earlier one, and if something has happened in the
// conversation here, those of the past are closed.
func (p *Past) AddAttendance(c *PastConversation, in PastAttendance) kernel.ID {
	att := &Attendance{
		ID: kernel.NewIDAt(in.OpenedAt), Company: c.Company, Private: c.Private, Conversation: c.ID, Channel: c.Channel,
		Contact: AttendanceContact{ID: c.Contact}, OpenedAt: in.OpenedAt, OpenedBy: OpenedByCustomer,
	}
	if in.ByTeam {
		att.OpenedBy = OpenedByTeam
	}
	p.attendances = append(p.attendances, att)
	p.setAttendance(c, att, in)
	return att.ID
}

// UpdateAttendance stores the present state of an attendance that was imported before, unless something has happened in the
// conversation here. One that was closed is opened again only if no other one is open.
func (p *Past) UpdateAttendance(c *PastConversation, id kernel.ID, in PastAttendance) error {
	if c.Sequence > 0 {
		return nil
	}
	att, found, err := FindAttendance(p.Tx, c.Company, id)
	if err != nil || !found || att.Conversation != c.ID {
		return err
	}
	if att.ClosedAt != nil {
		if in.ClosedAt != nil || c.Attendance != nil {
			return nil
		}
		att.Status, att.ClosedAt, att.ClosedBy = AttendanceOpen, nil, nil
		reopenAttendance(p.Tx, &att)
		c.Attendance = &OpenAttendance{ID: att.ID, Number: att.Number, Protocol: att.Protocol, OpenedAt: att.OpenedAt}
	}
	if att.FirstResponseAt != nil {
		in.FirstResponseAt = att.FirstResponseAt
	}
	p.setAttendance(c, &att, in)
	saveAttendance(p.Tx, &att)
	p.Tx.Later(`UPDATE companies SET report_stale = TRUE WHERE id = $1 AND NOT report_stale`, c.Company)
	return nil
}

func (p *Past) setAttendance(c *PastConversation, att *Attendance, in PastAttendance) {
	att.Responsible, att.Sector, att.FirstResponseAt = refTo(in.Responsible), in.Sector, in.FirstResponseAt
	if in.ClosedAt == nil && (c.Sequence > 0 || c.Attendance != nil && c.Attendance.ID != att.ID && c.Attendance.OpenedAt.After(att.OpenedAt)) {
		in.ClosedAt = &in.LastActivityAt
	}
	if in.ClosedAt != nil {
		closed := in.ClosedAt.UTC()
		if closed.Before(att.OpenedAt) {
			closed = att.OpenedAt
		}
		att.ClosedAt, att.ClosedBy = &closed, refTo(in.ClosedBy)
		insertAttendanceMark(p.Tx, c.Company, c.ID, historyBegin+(closed.Unix()+1)*historyEach-1, RankClosed, att.ID)
		if c.Attendance != nil && c.Attendance.ID == att.ID {
			c.Attendance, c.Unanswered, c.Assignee, c.SnoozedUntil = nil, false, nil, nil
		}
		return
	}
	if before := c.Attendance; before != nil && before.ID != att.ID {
		p.closeEarlier(c, before, att.OpenedAt)
	}
	open := &OpenAttendance{ID: att.ID, OpenedAt: att.OpenedAt, WaitingSince: in.WaitingSince}
	if c.Attendance != nil {
		open.Number, open.Protocol = c.Attendance.Number, c.Attendance.Protocol // the same one; that of a new one follows
	}
	c.Attendance, c.Unanswered, c.Assignee, c.Sector, c.SnoozedUntil = open, in.FirstResponseAt == nil, in.Responsible, in.Sector, nil
	if in.SnoozedUntil != nil && in.SnoozedUntil.After(p.Tx.Now) {
		c.SnoozedUntil = in.SnoozedUntil
	}
}

// closeEarlier closes the attendance that was open when a later one opened.
func (p *Past) closeEarlier(c *PastConversation, open *OpenAttendance, at time.Time) {
	if at.Before(open.OpenedAt) {
		at = open.OpenedAt
	}
	c.Attendance = nil
	insertAttendanceMark(p.Tx, c.Company, c.ID, historyBegin+at.Unix()*historyEach-2, RankClosed, open.ID)
	for _, att := range p.attendances {
		if att.ID == open.ID {
			att.ClosedAt = &at
			return
		}
	}
	p.Tx.Later(`UPDATE attendances SET closed_at = $3, check_at = NULL WHERE company = $1 AND id = $2 AND closed_at IS NULL`, c.Company, open.ID, at)
}

func refTo(id *kernel.ID) *kernel.Ref {
	if id == nil {
		return nil
	}
	return &kernel.Ref{ID: *id}
}

// Save stores the batch and returns how many messages are new.
func (p *Past) Save() (added int64, err error) {
	if added, err = p.insertMessages(); err != nil {
		return 0, err
	}
	for _, c := range p.order {
		p.index(c)
	}
	if err := p.insertAttendances(); err != nil {
		return 0, err
	}
	for _, c := range p.order {
		p.saveConversation(c)
	}
	p.Tx.AfterCommit(p.d.Wakeup(WakeIndex).Notify)
	return added, nil
}

// pastColumns are the columns of a message of the past.
var pastColumns = strings.Split(`company, conversation, seq, id, channel, private, direction, origin, type, text, media, reply_to,
	external_id, status, error_code, error_detail, sent_by, created_at, sent_at, delivered_at, read_at, revoked_at, voice`, ",")

// pastRows is how many messages a statement inserts at most. The numbers are powers of two, so that few different statements are
// prepared.
const pastRows = 64

func (p *Past) insertMessages() (added int64, err error) {
	rest := p.messages
	for len(rest) > 0 {
		n := pastRows
		for n > len(rest) {
			n /= 2
		}
		chunk := rest[:n]
		rest = rest[n:]
		byID := make(map[kernel.ID]*pastRow, n)
		s := p.Tx.Statement()
		s.WriteString("INSERT INTO messages (" + strings.Join(pastColumns, ",") + ")\nVALUES ")
		for i, row := range chunk {
			if i > 0 {
				s.WriteString(", ")
			}
			s.WriteString("(" + strings.Join(row.values(s), ", ") + ")")
			byID[row.ID] = row
		}
		s.WriteString("\nON CONFLICT DO NOTHING RETURNING id")
		err = p.Tx.Query(s.String(), s.Args, func(r db.Row) error {
			added++
			if row := byID[r.ID("id")]; row != nil {
				row.in.stored(row.Message)
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return added, nil
}

func (m *pastRow) values(s *db.Statement) []string {
	code, detail := m.Error.Columns()
	values := []any{
		m.Company, m.Conversation, m.Seq, m.ID, m.Channel, m.Private, m.Direction, m.Origin, m.Type, m.Text, m.MediaID, m.ReplyTo,
		m.ExternalID, m.Status, code, detail, kernel.RefID(m.SentBy), m.CreatedAt, m.SentAt, m.DeliveredAt, m.ReadAt, m.RevokedAt, m.Voice,
	}
	args := make([]string, len(values))
	for i, v := range values {
		args[i] = s.Arg(v)
	}
	return args
}

// stored updates the conversation after a message was stored.
func (c *PastConversation) stored(m *Message) {
	if c.LastMessage == nil || !m.CreatedAt.Before(c.LastMessage.CreatedAt) {
		c.showLast(m)
		if c.Sequence == 0 {
			c.ActivityAt = m.CreatedAt
		}
	}
	if m.Direction == provider.Inbound && (c.LastInboundAt == nil || !m.CreatedAt.Before(*c.LastInboundAt)) {
		c.LastInboundAt, c.LastInboundExt = &m.CreatedAt, m.ExternalID
	}
}

// index adds the messages of a conversation to those that the search index does not have yet.
func (p *Past) index(c *PastConversation) {
	if len(c.seqs) == 0 {
		return
	}
	first, last := int64(0), historyBegin
	for second, seq := range c.seqs {
		first, last = min(first, historyBegin+second*historyEach), max(last, seq)
	}
	p.Tx.Later(`
		INSERT INTO messages_unindexed (company, id)
		SELECT company, id FROM messages WHERE company = $1 AND conversation = $2 AND seq >= $3 AND seq <= $4 AND text IS NOT NULL
		ON CONFLICT DO NOTHING`, c.Company, c.ID, first, last)
}

// insertAttendances numbers and stores the attendances. Like InboundBatch.finish it does so when every conversation is locked.
func (p *Past) insertAttendances() error {
	if len(p.attendances) == 0 {
		return nil
	}
	company := p.attendances[0].Company
	var public, private int64
	for _, att := range p.attendances {
		if att.Private {
			private++
		} else {
			public++
		}
	}
	_, err := p.Tx.One(`
		UPDATE protocols
		SET last = last + $2, last_private = last_private + $3
		WHERE company = $1
		RETURNING last, last_private`, []any{company, public, private}, func(r db.Row) {
		public, private = r.Int("last")-public, r.Int("last_private")-private
	})
	if err != nil {
		return err
	}
	for _, att := range p.attendances {
		if att.Private {
			private++
			att.Number = -private
		} else {
			public++
			att.Number = public
		}
		if open := p.conversations[att.Conversation].Attendance; open != nil && open.ID == att.ID {
			open.Number, open.Protocol = att.Number, FormatProtocol(att.Number)
		}
		p.Tx.Later(`
			INSERT INTO attendances (id, company, number, conversation, channel, contact, private, responsible, sector, opened_at, opened_by,
				first_response_at, closed_at, closed_by)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
			att.ID, company, att.Number, att.Conversation, att.Channel, att.Contact.ID, att.Private, kernel.RefID(att.Responsible), att.Sector,
			att.OpenedAt, att.OpenedBy, att.FirstResponseAt, att.ClosedAt, kernel.RefID(att.ClosedBy))
		insertAttendanceMark(p.Tx, company, att.Conversation, historyBegin+att.OpenedAt.Unix()*historyEach-1, RankOpened, att.ID)
	}
	p.Tx.Later(`UPDATE companies SET report_stale = TRUE WHERE id = $1 AND NOT report_stale`, company)
	return nil
}

// saveConversation stores a conversation without events.
func (p *Past) saveConversation(c *PastConversation) {
	for _, label := range c.labels {
		if !slices.Contains(c.LabelIDs, label) {
			c.LabelIDs = append(slices.Clone(c.LabelIDs), label)
		}
	}
	if !slices.Equal(c.before.LabelIDs, c.LabelIDs) {
		SetConversationLabels(p.Tx, c.Company, c.ID, c.LabelIDs)
		p.Tx.Later(`UPDATE companies SET report_stale = TRUE WHERE id = $1 AND NOT report_stale`, c.Company)
	}
	if c.created && c.LastMessage == nil {
		c.ActivityAt = c.CreatedAt
	}
	SaveConversation(p.Tx, &c.Conversation, c.changedParts())
}

// MissingFile adds a file whose bytes are not available, so that its message shows its name. FillFile may add the bytes later.
func (p *Past) MissingFile(channel *channels.Channel, key, name string, kind MediaKind, mime string, at time.Time) (*Media, error) {
	m := &Media{
		ID: pastID(channel.Company, p.source, "file", key, at), Company: channel.Company, Channel: &channel.ID, Private: channel.Private,
		Kind: kind, MimeType: cmp.Or(kernel.CleanText(mime), "application/octet-stream"), CreatedAt: at, FetchError: "It was missing in the import.",
	}
	m.FileName = media.SafeName(name, m.MimeType)
	_, err := p.insertFile(m, nil)
	return m, err
}

// AddFile adds a file that StoreFile has stored.
func (p *Past) AddFile(m *Media) error {
	sum, err := hex.DecodeString(m.SHA256)
	if err != nil {
		return err
	}
	inserted, err := p.insertFile(m, sum)
	endUpload(p.Tx, m.Company, m.ID)
	if err != nil || !inserted {
		return err
	}
	fits, err := addMediaUsage(p.Tx, m.Company, m.Size, p.d.Limit(LimitMediaBytes))
	if err == nil && !fits {
		err = p.d.errMediaQuota()
	}
	return err
}

func (p *Past) insertFile(m *Media, sum []byte) (bool, error) {
	n, err := p.Tx.Exec(`
		INSERT INTO media (id, company, channel, private, kind, mime_type, file_name, size, sha256, stored, fetch_tries, created_at, fetch_error,
			provider_sha256, width, height, duration_ms)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, $11, $12, '', $13, $14, $15)
		ON CONFLICT DO NOTHING`,
		m.ID, m.Company, m.Channel, m.Private, m.Kind, m.MimeType, m.FileName, m.Size, sum, m.Stored, m.CreatedAt, kernel.TextOrNil(m.FetchError),
		m.Width, m.Height, durationMillis(m.DurationSeconds))
	return n == 1, err
}

// FillFile adds the bytes of a file that was missing. An empty name keeps the one it has. It reports false if the file was deleted,
// has its bytes, or is still to be fetched from the provider.
func (d *Talk) FillFile(ctx context.Context, company, id kernel.ID, name string, r io.Reader) (bool, error) {
	m, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (Media, error) {
		m, _, err := findMedia(tx, company, id)
		return m, err
	})
	if err != nil || m.ID.IsZero() || m.Stored || m.Awaited {
		return false, err
	}
	if err := d.storeFile(ctx, &m, cmp.Or(name, m.FileName), r); err != nil {
		return false, err
	}
	sum, err := hex.DecodeString(m.SHA256)
	if err != nil {
		return false, err
	}
	kept, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) {
		kept, err := d.mediaFetched(tx, &m, [32]byte(sum))
		tx.Later(`UPDATE messages SET type = $3 WHERE company = $1 AND media = $2 AND type <> $3`, company, id, m.Kind)
		return kept, err
	})
	if err == nil && !kept {
		d.removeUpload(ctx, company, id)
	}
	return kept, err
}

// StoreFile copies a file of the past to the media, outside any transaction, for AddFile. Its id depends only on the source, the key
// and the time. Type and kind are detected from the bytes; what WhatsApp would not accept becomes a document. After a crash the
// file is removed within a day, unless it was added.
func (d *Talk) StoreFile(ctx context.Context, channel *channels.Channel, source, key, name string, at time.Time, r io.Reader) (*Media, error) {
	m := &Media{
		ID: pastID(channel.Company, source, "file", key, at), Company: channel.Company, Channel: &channel.ID, Private: channel.Private,
		Stored: true, CreatedAt: at,
	}
	return m, d.storeFile(ctx, m, name, r)
}

func (d *Talk) storeFile(ctx context.Context, m *Media, name string, r io.Reader) error {
	head, err := readHead(r)
	if err != nil {
		return err
	}
	mime, kind, known := media.Detect(head, name)
	m.MimeType, m.Kind = mime, MediaKind(kind)
	if !known {
		m.MimeType, m.Kind = cmp.Or(mime, "application/octet-stream"), MediaDocument
	}
	m.FileName = media.SafeName(name, m.MimeType)
	err = d.Store.Write(ctx, func(tx *kernel.Tx) error {
		used, err := mediaUsage(tx, m.Company)
		if err != nil || used >= d.Limit(LimitMediaBytes) {
			return kernel.ErrOr(err, d.errMediaQuota())
		}
		beginUpload(tx, m.Company, m.ID, tx.Now)
		return nil
	})
	if err != nil {
		return err
	}
	info, err := d.blob.Put(ctx, m.ID, io.MultiReader(bytes.NewReader(head), r), MaxDocument)
	if err != nil {
		d.removeUpload(ctx, m.Company, m.ID)
		if errors.Is(err, blob.ErrTooLarge) {
			err = errMediaTooLarge(MediaDocument)
		}
		return err
	}
	m.Size, m.SHA256 = info.Size, fmt.Sprintf("%x", info.SHA256)
	m.MediaShape = d.shapeOf(ctx, m)
	return nil
}

// Imported is what an import stored for something in its source.
type Imported struct {
	Subject  kernel.ID // the row that resulted; it may have been deleted
	Position int64     // of a conversation: the last message that was read
}

// FindImported returns what an import stored for the keys of a kind. Keys that it has not seen are missing from the map.
func FindImported(tx *kernel.Tx, company kernel.ID, source, kind string, keys []string) (map[string]Imported, error) {
	found := map[string]Imported{}
	for some := range slices.Chunk(keys, 500) {
		s := tx.Statement()
		s.WriteString("SELECT key, subject, position FROM imported WHERE company = " + s.Arg(company) + " AND source = " + s.Arg(source) + " AND kind = " + s.Arg(kind))
		args := make([]string, len(some))
		for i, key := range some {
			args[i] = s.Arg(key)
		}
		s.And("key IN (" + strings.Join(args, ", ") + ")")
		err := tx.Query(s.String(), s.Args, func(r db.Row) error {
			found[r.Text("key")] = Imported{r.ID("subject"), r.Int("position")}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// SetImported records what an import stored for a key, in the transaction that stores it.
func SetImported(tx *kernel.Tx, company kernel.ID, source, kind, key string, is Imported) {
	tx.Later(`
		INSERT INTO imported (company, source, kind, key, subject, position)
		VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (company, source, kind, key) DO UPDATE
		SET subject = excluded.subject, position = excluded.position`, company, source, kind, key, is.Subject, is.Position)
}

// ListImported calls each with what an import stored for the keys of a kind after a key, up to n of them in order.
func ListImported(tx *kernel.Tx, company kernel.ID, source, kind, after string, n int, each func(key string, is Imported)) error {
	return tx.Query(`
		SELECT key, subject, position
		FROM imported
		WHERE company = $1 AND source = $2 AND kind = $3 AND key > $4
		ORDER BY key
		LIMIT $5`, []any{company, source, kind, after, n}, func(r db.Row) error {
		each(r.Text("key"), Imported{r.ID("subject"), r.Int("position")})
		return nil
	})
}

// ForgetImported removes what SetImported recorded.
func ForgetImported(tx *kernel.Tx, company kernel.ID, source, kind, key string) {
	tx.Later(`DELETE FROM imported WHERE company = $1 AND source = $2 AND kind = $3 AND key = $4`, company, source, kind, key)
}

// OpenAmong returns which attendances are open.
func OpenAmong(tx *kernel.Tx, company kernel.ID, attendances []kernel.ID) ([]kernel.ID, error) {
	s := tx.Statement()
	s.WriteString("SELECT id FROM attendances WHERE company = " + s.Arg(company) + " AND closed_at IS NULL AND id IN (" + db.Listed(attendances)(s) + ")")
	return tx.IDs(s.String(), s.Args...)
}
