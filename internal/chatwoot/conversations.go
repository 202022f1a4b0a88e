package chatwoot

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"recado/internal/channels"
	"recado/internal/kernel"
	"recado/internal/talk"
)

const (
	conversationPage = 500  // conversations that are read at a time
	messageBatch     = 1000 // messages that a transaction stores
)

// The states of a conversation in Chatwoot; the others are open and pending.
const (
	stateResolved = 1
	stateSnoozed  = 3
)

// conversationRow is a row of a conversation in Chatwoot with its contact.
type conversationRow struct {
	ID           int64
	Inbox        int64
	Status       int64
	Assignee     *int64
	Team         *int64
	Contact      *int64
	CreatedAt    time.Time
	LastActivity time.Time
	SnoozedUntil *time.Time
	FirstReply   *time.Time
	Waiting      *time.Time
	ResolvedAt   *time.Time
	Name         string
	Phone        string
	Blocked      bool
	ContactSince *time.Time
	Source       string
	Labels       []string
}

// conversation is a conversation of Chatwoot, which becomes an attendance.
type conversation struct {
	conversationRow
	known      bool
	before     bool // it was imported by an earlier run
	attendance kernel.ID
	position   int64      // the last message that was stored
	isOpen     bool       // here
	failed     bool       // a part could not be stored; the next run continues there
	erased     *time.Time // when the person was erased here, or nil
	isBack     bool       // the person has a contact again
}

// isErased reports whether something of a time is from before the erasure of the person, and is left out.
func (c *conversation) isErased(at time.Time) bool { return c.erased != nil && at.Before(*c.erased) }

// importConversations adds the conversations of the mapped inboxes in the order in which they were opened, and what is new in
// those that were imported before.
func (r *run) importConversations(ctx context.Context) error {
	var total int64
	inboxes := r.mapped()
	row := r.db.pool.QueryRow(ctx, `SELECT COUNT(*) FROM conversations WHERE account_id = $1 AND inbox_id = ANY ($2)`, r.db.account.id, inboxes)
	if err := row.Scan(&total); err != nil {
		return err
	}
	rows, err := r.db.pool.Query(ctx, `
		SELECT id
		FROM conversations
		WHERE account_id = $1 AND inbox_id = ANY ($2)
		ORDER BY created_at, id`, r.db.account.id, inboxes)
	if err != nil {
		return err
	}
	defer rows.Close()
	var done int64
	for {
		var ids []int64
		for len(ids) < conversationPage && rows.Next() {
			var id int64
			if err := rows.Scan(&id); err != nil {
				return err
			}
			ids = append(ids, id)
		}
		if err := rows.Err(); err != nil || len(ids) == 0 {
			return err
		}
		if err := r.importPage(ctx, ids, done, total); err != nil {
			return err
		}
		done += int64(len(ids))
		r.progress(Progress{Phase: "conversations", Done: done, Total: total})
	}
}

// importPage imports conversations with their messages.
func (r *run) importPage(ctx context.Context, ids []int64, done, total int64) error {
	page, err := r.readConversations(ctx, ids)
	if err != nil {
		return err
	}
	var authors []int64
	for _, c := range page {
		if c.Assignee != nil {
			authors = append(authors, *c.Assignee)
		}
	}
	if err := r.resolveMembers(ctx, authors); err != nil {
		return err
	}
	numbers, positions := make([]int64, len(page)), make([]int64, len(page))
	places := make(map[int64]int, len(page))
	for i, c := range page {
		numbers[i], positions[i], places[c.ID] = c.ID, c.position, i
	}
	rows, err := r.db.pool.Query(ctx, `
		SELECT m.id, m.conversation_id, COALESCE(m.content, ''), m.message_type, m.created_at, m.updated_at, m.private, COALESCE(m.status, 0),
			COALESCE(m.source_id, ''), COALESCE(m.content_attributes::text, ''), COALESCE(m.sender_type, ''), COALESCE(m.sender_id, 0)
		FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS p (conversation, after, place)
		JOIN messages m ON m.conversation_id = p.conversation AND m.id > p.after
		WHERE m.message_type <> 2
		ORDER BY p.place, m.id`, numbers, positions)
	if err != nil {
		return err
	}
	defer rows.Close()
	var parts []*part
	n, at := 0, 0 // messages in the parts; the conversation of the last one
	for rows.Next() {
		m, err := pgx.RowToStructByPos[message](rows)
		if err != nil {
			return err
		}
		place := places[m.Conversation]
		for ; at < place; at++ {
			parts = addPart(parts, page[at])
		}
		parts = addPart(parts, page[place])
		last := parts[len(parts)-1]
		last.messages = append(last.messages, m)
		if n++; n == messageBatch {
			if err := r.store(ctx, parts); err != nil {
				return err
			}
			parts, n = nil, 0
			r.progress(Progress{Phase: "conversations", Done: done + int64(place), Total: total})
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for ; at < len(page); at++ {
		parts = addPart(parts, page[at])
	}
	return r.store(ctx, parts)
}

// readConversations reads conversations in the order of ids, and what is known about them here.
func (r *run) readConversations(ctx context.Context, ids []int64) ([]*conversation, error) {
	resolved := "NULL::timestamp"
	if r.db.columns["reporting_events.event_end_time"] {
		resolved = `(
				SELECT MAX(COALESCE(e.event_end_time, e.created_at))
				FROM reporting_events e
				WHERE e.conversation_id = c.id AND e.account_id = c.account_id AND e.name = 'conversation_resolved')`
	}
	column := func(name string) string { return r.db.optional("conversations", "c", name, "NULL::timestamp") }
	rows, err := collect(ctx, r.db, `
		SELECT c.id, c.inbox_id, c.status, c.assignee_id, c.team_id, ct.id, c.created_at, COALESCE(c.last_activity_at, c.created_at),
			`+column("snoozed_until")+`, `+column("first_reply_created_at")+`, `+column("waiting_since")+`, `+resolved+`,
			COALESCE(ct.name, ''), COALESCE(ct.phone_number, ''), COALESCE(`+r.db.optional("contacts", "ct", "blocked", "false")+`, false), ct.created_at,
			COALESCE(ci.source_id, ''), `+labelsOf("Conversation", "c.id")+`
		FROM conversations c
		LEFT JOIN contacts ct ON ct.id = c.contact_id
		LEFT JOIN contact_inboxes ci ON ci.id = c.contact_inbox_id
		WHERE c.id = ANY ($1)`, []any{ids}, pgx.RowToStructByPos[conversationRow])
	if err != nil {
		return nil, err
	}
	byID := make(map[int64]*conversation, len(rows))
	for _, row := range rows {
		byID[row.ID] = &conversation{conversationRow: row}
	}
	known, err := r.imported(ctx, kindConversation, keysOf(ids, func(id int64) int64 { return id }))
	if err != nil {
		return nil, err
	}
	var page []*conversation
	var attendances []kernel.ID
	for _, id := range ids {
		c := byID[id]
		if c == nil { // it has just been deleted
			continue
		}
		c.Phone = phoneOf(c.Phone)
		if i := slices.IndexFunc(r.db.inboxes, func(i Inbox) bool { return i.ID == c.Inbox }); c.Phone == "" && r.db.inboxes[i].sourceIsPhone() {
			c.Phone = phoneOf(c.Source)
		}
		if c.Phone == "" || c.Contact == nil {
			r.result.LeftOut++
			continue
		}
		if is, found := known[strconv.FormatInt(id, 10)]; found {
			c.known, c.before, c.attendance, c.position = true, true, is.Subject, is.Position
			attendances = append(attendances, is.Subject)
		}
		page = append(page, c)
	}
	err = r.Talk.Store.Read(ctx, func(tx *kernel.Tx) error {
		open, err := talk.OpenAmong(tx, r.company, attendances)
		for _, c := range page {
			c.isOpen = c.known && slices.Contains(open, c.attendance)
		}
		if err == nil {
			err = r.findErased(tx, page)
		}
		return err
	})
	all := len(page)
	page = slices.DeleteFunc(page, func(c *conversation) bool { return c.isErased(c.LastActivity) || c.isErased(c.since()) && !c.isBack })
	r.result.LeftOut += int64(all - len(page))
	return page, err
}

// findErased finds out which people were erased here.
func (r *run) findErased(tx *kernel.Tx, page []*conversation) error {
	pools := map[int64]kernel.ID{}
	for _, c := range page {
		if _, known := pools[c.Inbox]; !known {
			ch, _, err := channels.FindChannel(tx, r.company, r.Inboxes[c.Inbox])
			if err != nil {
				return err
			}
			pools[c.Inbox] = ch.Pool()
		}
		var err error
		if c.erased, c.isBack, err = r.Talk.PhoneErased(tx, r.company, pools[c.Inbox], c.Phone); err != nil {
			return err
		}
	}
	return nil
}

// since returns when the contact was created in Chatwoot.
func (c *conversation) since() time.Time {
	if c.ContactSince != nil {
		return *c.ContactSince
	}
	return c.CreatedAt
}

// part is a conversation with messages to store in one transaction.
type part struct {
	*conversation
	messages []message
}

// addPart adds a conversation unless it is the last part, or nothing about it can be new.
func addPart(parts []*part, c *conversation) []*part {
	if len(parts) > 0 && parts[len(parts)-1].conversation == c {
		return parts
	}
	return append(parts, &part{conversation: c})
}

// hasNews reports whether the part must be stored.
func (p *part) hasNews() bool {
	return !p.failed && (!p.known || len(p.messages) > 0 || p.isOpen || p.Status != stateResolved)
}

// stored is what a transaction stored.
type stored struct {
	messages, notes, added, updated, files, missing int64
	attendances                                     []kernel.ID // by part
}

// store stores parts in one transaction, or each in its own if one of them fails.
func (r *run) store(ctx context.Context, parts []*part) error {
	parts = slices.DeleteFunc(parts, func(p *part) bool { return !p.hasNews() })
	if len(parts) == 0 {
		return nil
	}
	items, err := r.prepare(ctx, parts)
	if err != nil {
		return err
	}
	err = r.write(ctx, parts, items)
	if err == nil || fatal(ctx, err) {
		return err
	}
	for i := range parts {
		err := r.write(ctx, parts[i:i+1], items[i:i+1])
		if fatal(ctx, err) {
			return err
		}
		if err == nil {
			r.failures = 0
			continue
		}
		if r.failures++; r.failures > maxFailures {
			return err
		}
		parts[i].failed = true
		r.problem("conversation %d cannot be stored: %v", parts[i].ID, err)
	}
	return nil
}

// maxFailures is how many conversations in a row may fail. If there are more, the reason is not their data.
const maxFailures = 20

// fatal reports whether an import cannot go on after an error.
func fatal(ctx context.Context, err error) bool {
	return err != nil && (ctx.Err() != nil || kernel.CodeOf(err) == kernel.CodeStorageFull)
}

func (r *run) write(ctx context.Context, parts []*part, items []items) error {
	out, err := kernel.Write(ctx, r.Talk.Kernel, func(tx *kernel.Tx) (stored, error) { return r.writeParts(tx, parts, items) })
	if err != nil {
		return err
	}
	for i, p := range parts {
		if out.attendances[i].IsZero() {
			continue
		}
		if !p.known {
			p.known, p.attendance, p.isOpen = true, out.attendances[i], p.Status != stateResolved
		}
		if n := len(p.messages); n > 0 {
			p.position = max(p.position, p.messages[n-1].ID)
		}
	}
	r.result.Messages += out.messages
	r.result.Notes += out.notes
	r.result.Attendances += out.added
	r.result.Updated += out.updated
	r.result.Files += out.files
	r.result.MissingFiles += out.missing
	return nil
}

func (r *run) writeParts(tx *kernel.Tx, parts []*part, all []items) (out stored, err error) {
	var ids []kernel.ID
	for _, p := range parts {
		ids = append(ids, r.Inboxes[p.Inbox])
	}
	past := r.Talk.Past(tx, r.name, ids...)
	if err := r.findAdded(tx, parts); err != nil {
		return out, err
	}
	found := map[kernel.ID]*channels.Channel{}
	for _, id := range ids {
		if found[id] != nil {
			continue
		}
		ch, exists, err := channels.FindChannel(tx, r.company, id)
		if err != nil || !exists {
			return out, kernel.ErrOr(err, kernel.NotFound("channel"))
		}
		found[id] = &ch
	}
	for i, p := range parts {
		attendance, err := r.writePart(past, found[r.Inboxes[p.Inbox]], p, &all[i], &out)
		if err != nil {
			return out, err
		}
		out.attendances = append(out.attendances, attendance)
	}
	out.messages, err = past.Save()
	return out, err
}

// findAdded finds the conversations that another run has added since they were read. Past has locked their channels, so that no further
// ones follow.
func (r *run) findAdded(tx *kernel.Tx, parts []*part) error {
	var keys []string
	for _, p := range parts {
		if !p.known {
			keys = append(keys, strconv.FormatInt(p.ID, 10))
		}
	}
	added, err := talk.FindImported(tx, r.company, r.name, kindConversation, keys)
	for _, p := range parts {
		if is, found := added[strconv.FormatInt(p.ID, 10)]; found {
			p.known, p.before, p.attendance, p.position = true, true, is.Subject, is.Position
		}
	}
	return err
}

// writePart stores a part and returns the id of its attendance.
func (r *run) writePart(past *talk.Past, channel *channels.Channel, p *part, in *items, out *stored) (kernel.ID, error) {
	person, _, err := past.Contact(channel, talk.PastContact{Name: p.Name, Phone: p.Phone, CreatedAt: r.moment(p.since()), Blocked: p.Blocked})
	if errors.Is(err, talk.ErrErased) { // since findErased
		return kernel.ID{}, nil
	}
	if err != nil {
		return kernel.ID{}, err
	}
	c, err := past.Conversation(channel, person)
	if err != nil {
		return kernel.ID{}, err
	}
	attendance := p.attendance
	if p.known {
		if p.before {
			out.updated++
		}
		err = past.UpdateAttendance(c, attendance, r.state(p, in))
	} else {
		out.added++
		attendance = past.AddAttendance(c, r.state(p, in))
	}
	if err != nil {
		return kernel.ID{}, err
	}
	c.AddLabels(r.labelIDs(p.Labels)...)
	if err := r.addFiles(past, channel, c, in, out); err != nil {
		return kernel.ID{}, err
	}
	if err := past.AddMessages(c, in.messages...); err != nil {
		return kernel.ID{}, err
	}
	for i := range in.notes {
		in.notes[i].Attendance = &attendance
		if !c.IsErased(in.notes[i].At) {
			out.notes++
		}
	}
	if err := past.AddNotes(c, in.notes...); err != nil {
		return kernel.ID{}, err
	}
	position := p.position
	if n := len(p.messages); n > 0 {
		position = max(position, p.messages[n-1].ID)
	}
	talk.SetImported(past.Tx, r.company, r.name, kindConversation, strconv.FormatInt(p.ID, 10), talk.Imported{Subject: attendance, Position: position})
	return attendance, nil
}

// state returns the state of the attendance of a conversation.
func (r *run) state(p *part, in *items) talk.PastAttendance {
	a := talk.PastAttendance{
		OpenedAt: r.moment(p.CreatedAt), ByTeam: in.byTeam, FirstResponseAt: p.FirstReply, LastActivityAt: r.moment(p.LastActivity),
	}
	if a.FirstResponseAt == nil {
		a.FirstResponseAt = in.firstReply
	}
	if p.Assignee != nil {
		if member, found := r.members[*p.Assignee]; found && (r.present[member] || p.Status == stateResolved) {
			a.Responsible = &member
		}
	}
	if p.Team != nil {
		if sector, found := r.sectors[*p.Team]; found {
			a.Sector = &sector
		}
	}
	switch p.Status {
	case stateResolved:
		a.ClosedAt = &a.LastActivityAt
		if p.ResolvedAt != nil && p.ResolvedAt.After(firstMoment) {
			a.ClosedAt = new(r.moment(*p.ResolvedAt))
		}
	case stateSnoozed:
		a.SnoozedUntil = p.SnoozedUntil
	}
	if a.ClosedAt == nil && (p.known || !in.byTeam) {
		a.WaitingSince = p.Waiting
	}
	return a
}
