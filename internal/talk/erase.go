package talk

import (
	"context"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/fields"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/phone"
	"recado/internal/search"
)

// ErasedName is the name of a conversation or card whose person was erased. Clients recognise them by their field erased.
const ErasedName = "Erased person"

// IdentityPhone is the kind of the Identity that is the key of a phone; see phone.Key.
const IdentityPhone = "phone"

// LockErasable locks a contact that the principal may see, to erase it. A nil principal may see all contacts of the company.
func LockErasable(tx *kernel.Tx, a *kernel.Principal, company, id kernel.ID) (Contact, error) {
	if a != nil {
		return visibleContact(tx, a, id, lockContact)
	}
	c, found, err := lockContact(tx, company, id)
	if err == nil && !found {
		err = kernel.NotFound("contact")
	}
	return c, err
}

// KnownBy returns everything that identifies a contact: its phone, what WhatsApp uses, and the addresses that only linked devices know,
// unless those belong to another contact.
func (d *Talk) KnownBy(tx *kernel.Tx, c *Contact) ([]Identity, error) {
	known, err := IdentitiesOf(tx, c.Company, c.ID)
	if err != nil {
		return nil, err
	}
	if c.Phone != nil {
		known = append(known, Identity{IdentityPhone, phone.Key(*c.Phone)})
	}
	paired, err := d.channels.Paired(tx, c.Company, c.Pool, linkedUsers(known))
	if err != nil {
		return nil, err
	}
	for _, p := range paired {
		contacts, err := contactsKnownAs(tx, c.Company, c.Pool, [2]string{p.UserID}, [2]string{p.WAID}, phone.Key(p.WAID))
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(contacts, func(k KnownAs) bool { return k.Contact.ID != c.ID }) {
			known = append(known, knownAs(p)...)
		}
	}
	return slices.DeleteFunc(known, Identity.isEmpty), nil
}

func (id Identity) isEmpty() bool { return id.Value == "" }

// linkedUsers returns the numbers and hidden numbers of a person as WhatsApp writes them in addresses, and all forms of the phone: which
// one is the address may be unknown.
func linkedUsers(known []Identity) (users []string) {
	for _, id := range known {
		switch {
		case id.isEmpty():
		case id.Kind == IdentityUser:
			user, _, _ := strings.Cut(id.Value, "@")
			users = append(users, user)
		default:
			users = append(users, phone.Forms(id.Value)...)
		}
	}
	slices.Sort(users)
	return slices.Compact(users)
}

// errErased is returned for something from before the erasure of its person.
var errErased = errors.New("talk: the person was erased")

// erasedSince reports whether a person was erased from the pool of a channel after a time. It is false for a zero time.
func (d *Talk) erasedSince(tx *kernel.Tx, channel *channels.Channel, p provider.Person, at time.Time) (bool, error) {
	if at.IsZero() || p.IsZero() {
		return false, nil
	}
	erased, err := d.erasedAt(tx, channel.Company, channel.Pool(), knownAs(p))
	return erased != nil && at.Before(*erased), err
}

// knownAs returns everything by which an erased person may be known. Some values may be empty.
func knownAs(p provider.Person) []Identity {
	return []Identity{
		{IdentityUser, p.UserID},
		{IdentityUser, p.PreviousUserID},
		{IdentityWA, p.WAID},
		{IdentityWA, p.PreviousWAID},
		{IdentityPhone, phone.Key(p.Phone)},
		{IdentityPhone, phone.Key(p.WAID)},
	}
}

// erasedAt returns when a person was erased from a pool, or nil. If the pool has a contact of the person that is older than the erasure,
// another contact was erased, perhaps one of a channel that has joined the pool since. Empty identities are ignored.
func (d *Talk) erasedAt(tx *kernel.Tx, company, pool kernel.ID, known []Identity) (at *time.Time, err error) {
	if at, err = d.listedAt(tx, company, pool, known); err != nil || at == nil {
		return nil, err
	}
	for _, id := range known {
		if isOlder, err := hasContactBefore(tx, company, pool, id, *at); err != nil || isOlder {
			return nil, err
		}
	}
	return at, nil
}

// hasContactBefore reports whether a pool has a contact with an identity that is older than a time.
func hasContactBefore(tx *kernel.Tx, company, pool kernel.ID, id Identity, at time.Time) (bool, error) {
	if id.Kind == IdentityPhone {
		return tx.One(`SELECT 1 FROM contacts WHERE company = $1 AND pool = $2 AND phone_key = $3 AND created_at < $4`,
			[]any{company, pool, id.Value, at}, func(db.Row) {})
	}
	return tx.One(`
		SELECT 1
		FROM contact_identities i
		JOIN contacts ct ON ct.company = i.company AND ct.id = i.contact
		WHERE i.company = $1 AND i.pool = $2 AND i.kind = $3 AND i.value = $4 AND ct.created_at < $5`,
		[]any{company, pool, id.Kind, id.Value, at}, func(db.Row) {})
}

// listedAt returns when one of the people who are known by some identities was erased from a pool, or nil. Empty identities are ignored.
func (d *Talk) listedAt(tx *kernel.Tx, company, pool kernel.ID, known []Identity) (at *time.Time, err error) {
	known = slices.DeleteFunc(slices.Clone(known), Identity.isEmpty)
	err = d.tell(func(o *Observer) error {
		erased, err := o.ErasedAt(tx, company, pool, slices.Compact(known))
		if erased != nil {
			at = erased
		}
		return err
	})
	return at, err
}

// PhoneErased returns when the person with a phone was erased from a pool, or nil, and reports whether the pool has a contact with
// the phone again.
func (d *Talk) PhoneErased(tx *kernel.Tx, company, pool kernel.ID, number string) (at *time.Time, isBack bool, err error) {
	at, err = d.erasedAt(tx, company, pool, []Identity{{IdentityPhone, phone.Key(number)}})
	if err == nil && at != nil {
		isBack, err = tx.One(`SELECT 1 FROM contacts WHERE company = $1 AND pool = $2 AND phone_key = $3`, []any{company, pool, phone.Key(number)}, func(db.Row) {})
	}
	return at, isBack, err
}

// ErasureOf returns what an erasure of a contact would be about, without the rows of other capabilities.
func ErasureOf(tx *kernel.Tx, company, contact kernel.ID) (e kernel.Erasure, err error) {
	e = kernel.Erasure{Company: company, Contact: contact, At: tx.Now}
	if e.Conversations, err = tx.IDs(`SELECT id FROM conversations WHERE company = $1 AND contact = $2 ORDER BY id`, company, contact); err != nil {
		return e, err
	}
	if e.Former, err = FormerIDs(tx, company, contact); err != nil {
		return e, err
	}
	if e.Files, err = recentFilesOf(tx, &e); err != nil {
		return e, err
	}
	e.InGroups, err = recentInGroups(tx, &e)
	return e, err
}

// FormerIDs returns the ids of contacts and conversations that were merged into a contact and its conversations.
func FormerIDs(tx *kernel.Tx, company, contact kernel.ID) ([]kernel.ID, error) {
	return tx.IDs(`SELECT former FROM former_ids WHERE company = $1 AND contact = $2 ORDER BY former`, company, contact)
}

// Erasable counts what an erasure removes.
type Erasable struct {
	Open      int64 // attendances that are closed first
	Messages  int64 // with those in groups
	Files     int64
	FileBytes int64
	Notes     int64
	Drafts    int64
	Scheduled int64
}

// CountErasable counts what an erasure would remove.
func CountErasable(tx *kernel.Tx, e *kernel.Erasure) (n Erasable, err error) {
	count := func(to *int64, sql string, args ...any) {
		if err == nil {
			_, err = tx.One(sql, append([]any{e.Company}, args...), func(r db.Row) { *to = r.Int("total") })
		}
	}
	for _, c := range e.Conversations {
		var open, messages, notes, drafts, scheduled int64
		count(&open, `SELECT COUNT(*) AS total FROM attendances WHERE company = $1 AND conversation = $2 AND closed_at IS NULL`, c)
		count(&messages, `SELECT COUNT(*) AS total FROM messages WHERE company = $1 AND conversation = $2`, c)
		count(&notes, countNotes, c)
		count(&drafts, `SELECT COUNT(*) AS total FROM drafts WHERE company = $1 AND conversation = $2`, c)
		count(&scheduled, `SELECT COUNT(*) AS total FROM scheduled_messages WHERE company = $1 AND conversation = $2`, c)
		n.Open, n.Messages, n.Notes, n.Drafts, n.Scheduled = n.Open+open, n.Messages+messages, n.Notes+notes, n.Drafts+drafts, n.Scheduled+scheduled
	}
	var inGroups int64
	count(&inGroups, `SELECT COUNT(*) AS total FROM messages WHERE company = $1 AND author = $2`, e.Contact)
	n.Messages += inGroups
	if err != nil {
		return n, err
	}
	s := tx.Statement()
	company, conversations := s.Arg(e.Company), db.Listed(e.Conversations)(s)
	s.WriteString(`
		SELECT COUNT(*) AS total, CAST(COALESCE(SUM(d.size), 0) AS BIGINT) AS bytes
		FROM media d
		WHERE d.company = ` + company + ` AND d.stored AND d.id IN (
			SELECT m.media FROM messages m WHERE m.company = ` + company + ` AND m.media IS NOT NULL AND m.conversation IN (` + conversations + `)
			UNION
			SELECT q.media FROM scheduled_messages q WHERE q.company = ` + company + ` AND q.media IS NOT NULL AND q.conversation IN (` + conversations + `)
			UNION
			SELECT m.media FROM messages m WHERE m.company = ` + company + ` AND m.media IS NOT NULL AND m.author = ` + s.Arg(e.Contact) + `)`)
	_, err = tx.One(s.String(), s.Args, func(r db.Row) { n.Files, n.FileBytes = r.Int("total"), r.Int("bytes") })
	return n, err
}

// BeginErasure removes a locked contact, and its name from its conversations, so that a later message of the person creates another
// contact. An open attendance is closed by a person, or automatically if by is nil. EraseTalk removes the rest. While a message
// to the contact is being sent, it returns an error, and the caller tries again.
func (d *Talk) BeginErasure(tx *kernel.Tx, c *Contact, known []Identity, by *kernel.Ref) error {
	conversations, err := lockConversationsOf(tx, c.Company, c.ID)
	if err != nil {
		return err
	}
	for i := range conversations {
		// A message that a process was sending when it ended has no lease of its epoch.
		sending, err := tx.One(`
			SELECT 1
			FROM sends s
			JOIN lanes l ON l.subject = s.channel AND l.epoch = s.epoch AND l.lease_until >= $3
			WHERE s.company = $1 AND s.conversation = $2 AND s.state = 'sending'
			LIMIT 1`, []any{c.Company, conversations[i].ID, tx.Now}, func(db.Row) {})
		if err != nil || sending {
			return kernel.ErrOr(err, errBusyElsewhere())
		}
	}
	for i := range conversations {
		if err := d.removePerson(tx, conversations[i], by); err != nil {
			return err
		}
	}
	if err := d.forgetKnown(tx, c.Company, c.Pool, known); err != nil {
		return err
	}
	tx.Later(`DELETE FROM contact_labels WHERE company = $1 AND subject = $2`, c.Company, c.ID)
	fields.Forget(tx, c.Company, c.ID)
	forgetContact(tx, c.Company, c.ID)
	tx.AfterCommit(d.Wakeup(WakeIndex).Notify)
	return search.Forget(tx.Tx, &search.Contacts, c.Company, c.ID)
}

// recentFilesOf returns the files of the conversations whose upload may still have a stored response.
func recentFilesOf(tx *kernel.Tx, e *kernel.Erasure) ([]kernel.ID, error) {
	if len(e.Conversations) == 0 {
		return nil, nil
	}
	s := tx.Statement()
	company := s.Arg(e.Company)
	conversations := db.Listed(e.Conversations)(s)
	s.WriteString(`
		SELECT d.id
		FROM media d
		WHERE d.company = ` + company + ` AND d.created_at > ` + s.Arg(tx.Now.Add(-kernel.IdempotencyRetention)) + ` AND d.id IN (
			SELECT m.media FROM messages m WHERE m.company = ` + company + ` AND m.media IS NOT NULL AND m.conversation IN (` + conversations + `)
			UNION
			SELECT q.media FROM scheduled_messages q WHERE q.company = ` + company + ` AND q.media IS NOT NULL AND q.conversation IN (` + conversations + `))`)
	return tx.IDs(s.String(), s.Args...)
}

// recentInGroups returns the person's messages in groups that may have been the last one of their group since the oldest stored event,
// in the order of their ids: the later ones, and the newest before that time.
func recentInGroups(tx *kernel.Tx, e *kernel.Erasure) ([]kernel.ID, error) {
	return tx.IDs(`
		SELECT m.id
		FROM messages m
		WHERE m.company = $1 AND m.author = $2 AND (m.created_at > $3 OR (m.conversation, m.seq) IN (
			SELECT o.conversation, MAX(o.seq)
			FROM messages o
			WHERE o.company = $1 AND o.author = $2 AND o.created_at <= $3
			GROUP BY o.conversation))
		ORDER BY m.id`, e.Company, e.Contact, tx.Now.Add(-kernel.EventRetention))
}

// removePerson removes the person and the last message from the row of a conversation and closes its attendance.
func (d *Talk) removePerson(tx *kernel.Tx, c Conversation, by *kernel.Ref) error {
	tx.Later(`DELETE FROM sends WHERE company = $1 AND conversation = $2`, c.Company, c.ID)
	tx.Later(`DELETE FROM held_messages WHERE company = $1 AND conversation = $2`, c.Company, c.ID)
	t := d.Locked(tx, c)
	t.Name, t.Renamed, t.Phone, t.Contact, t.Erased, t.Archived, t.Pinned = ErasedName, true, nil, nil, true, true, false
	t.LastMessage, t.UnreadCount, t.LastInboundExt, t.SnoozedUntil, t.BotPausedUntil, t.Survey = nil, 0, nil, nil, nil, nil
	t.EndMenu()
	if t.Attendance != nil {
		att, err := t.openOne()
		if err != nil {
			return err
		}
		att.Contact, att.Fields = AttendanceContact{Name: ErasedName, Erased: true}, nil
		if att.Survey != nil {
			att.Survey.Comment = nil
		}
		var reason *string
		if by == nil {
			reason = new(CloseReasonAutomatic)
		}
		att.Closing = &Closing{By: closedBy(by, CauseOf(by, reason))}
		if err := t.close(att, by, reason); err != nil {
			return err
		}
	}
	if err := t.Save(); err != nil {
		return err
	}
	tx.Later(`
		UPDATE conversations
		SET contact = NULL, reopening = NULL, last_id = NULL, last_type = NULL, last_text = NULL, last_direction = NULL, last_at = NULL, last_status = NULL,
			last_file_name = NULL, last_duration_ms = NULL, last_notice = NULL, unindexed = TRUE
		WHERE company = $1 AND id = $2`, c.Company, c.ID)
	return search.Forget(tx.Tx, &search.Conversations, c.Company, c.ID)
}

// forgetKnown deletes what the channels of a pool keep about people, with or without a contact: names of the address book, changes of
// messages that have not arrived, notices, the state of linked devices, and the entries in lists of members.
func (d *Talk) forgetKnown(tx *kernel.Tx, company, pool kernel.ID, known []Identity) error {
	numbers, err := channels.OfPool(tx, company, pool)
	if err != nil || len(numbers) == 0 {
		return err
	}
	users := linkedUsers(known)
	if err := eraseMember(tx, company, numbers, users); err != nil {
		return err
	}
	paired, err := d.channels.Paired(tx, company, pool, users)
	if err != nil {
		return err
	}
	for _, p := range paired { // also if another contact has the address
		users = append(users, linkedUsers(knownAs(p))...)
	}
	eraseLinked(tx, company, numbers, users)
	var values []string
	for _, id := range known {
		switch id.Kind {
		case IdentityPhone, IdentityWA:
			values = append(values, phone.Forms(id.Value)...)
		default:
			values = append(values, id.Value)
		}
	}
	for _, channel := range numbers {
		for _, value := range values {
			tx.Later(`DELETE FROM address_book WHERE company = $1 AND channel = $2 AND kind IN ('user_id', 'wa_id') AND value = $3`, company, channel, value)
			tx.Later(`DELETE FROM early_changes WHERE company = $1 AND channel = $2 AND sender = $3`, company, channel, value)
		}
		if err := channels.ForgetNotices(tx, company, channel, values); err != nil {
			return err
		}
	}
	return nil
}

// Phases of EraseTalk: a conversation by its index, then messages in groups, then reactions in groups.
const (
	eraseInGroups  = "groups"
	eraseReactions = "reactions"
)

// EraseTalk deletes what the conversations of an erased person contain, what the person wrote in groups, and the person's reactions
// there, a batch at a time. after is the result of the previous call; the result is empty at the end.
func (d *Talk) EraseTalk(ctx context.Context, e *kernel.Erasure, after string) (next string, err error) {
	phase, rest, _ := strings.Cut(after, " ")
	switch phase {
	case eraseInGroups:
		more, err := d.eraseInGroups(ctx, e)
		if err != nil || more {
			return after, err
		}
		return eraseReactions, nil
	case eraseReactions:
		group, _ := kernel.ParseID(rest)
		last, err := d.eraseReactions(ctx, e, group)
		if err != nil || last == nil {
			return "", err
		}
		return eraseReactions + " " + last.String(), nil
	}
	i, _ := strconv.Atoi(phase)
	if i == len(e.Conversations) {
		return eraseInGroups, nil
	}
	more, err := d.eraseIn(ctx, e, e.Conversations[i])
	if !more {
		i++
	}
	return strconv.Itoa(i), err
}

// eraseIn deletes a batch of a conversation.
func (d *Talk) eraseIn(ctx context.Context, e *kernel.Erasure, id kernel.ID) (more bool, err error) {
	var files []kernel.ID
	err = d.Store.Write(ctx, func(tx *kernel.Tx) error {
		files = nil
		c, found, err := LockConversation(tx, e.Company, id)
		if err != nil || !found {
			return err
		}
		gone, err := kernel.Rows(tx, `SELECT `+goneColumns+` FROM messages m WHERE m.company = $1 AND m.conversation = $2 ORDER BY m.seq LIMIT $3`,
			[]any{e.Company, id, expireBatch}, scanGone)
		if err != nil {
			return err
		}
		isLinked, err := hasLink(tx, &c)
		if err != nil {
			return err
		}
		media := deleteMessages(tx, e.Company, gone)
		for _, m := range gone {
			if isLinked && m.outbound {
				eraseSent(tx, &c, m)
			}
		}
		if more = len(gone) == expireBatch; !more {
			scheduled, err := tx.IDs(`SELECT media FROM scheduled_messages WHERE company = $1 AND conversation = $2 AND media IS NOT NULL`, e.Company, id)
			if err != nil {
				return err
			}
			media = append(media, scheduled...)
			eraseDetails(tx, e.Company, id)
		}
		tx.AfterCommit(d.Wakeup(WakeIndex).Notify)
		files, err = dropUnusedFiles(tx, e.Company, media)
		return err
	})
	d.removeFiles(ctx, e.Company, files, err)
	return more, err
}

// hasLink reports whether the channel of a conversation is a linked number.
func hasLink(tx *kernel.Tx, c *Conversation) (bool, error) {
	return tx.One(`SELECT 1 FROM links WHERE company = $1 AND channel = $2`, []any{c.Company, c.Channel}, func(db.Row) {})
}

// eraseQuotes deletes what a linked device keeps of the messages that quote others of their conversation.
func eraseQuotes(tx *kernel.Tx, c *Conversation, quoted []goneMessage) error {
	isLinked, err := hasLink(tx, c)
	if err != nil || !isLinked {
		return err
	}
	s := tx.Statement()
	s.WriteString(`
		SELECT ` + goneColumns + `
		FROM messages m
		WHERE m.company = ` + s.Arg(c.Company) + ` AND m.conversation = ` + s.Arg(c.ID) + ` AND m.direction = 'outbound' AND m.reply_to IN (NULL`)
	for _, m := range quoted {
		if m.external != nil {
			s.WriteString(", " + s.Arg(*m.external))
		}
	}
	s.WriteString(")")
	replies, err := kernel.Rows(tx, s.String(), s.Args, scanGone)
	for _, m := range replies {
		eraseSent(tx, c, m)
	}
	return err
}

// eraseSent deletes what a linked device keeps of a sent message and of its edits, which have ids of their own.
func eraseSent(tx *kernel.Tx, c *Conversation, m goneMessage) {
	ids := []string{strings.ToUpper(hex.EncodeToString(m.id[:]))}
	if m.external != nil && *m.external != ids[0] { // sent with the phone
		ids = append(ids, *m.external)
	}
	for _, id := range ids {
		tx.Later(`DELETE FROM linked_store WHERE company = $1 AND channel = $2 AND kind = 'sent' AND key = $3`, c.Company, c.Channel, id)
		tx.Later(`
			DELETE FROM linked_store
			WHERE company = $1 AND channel = $2 AND kind = 'sent' AND key IN (
				SELECT substr(e.key, 1, length(e.key) - $4)
				FROM linked_store e
				WHERE e.company = $1 AND e.channel = $2 AND e.kind = 'edit' AND e.key LIKE $3)`,
			c.Company, c.Channel, "% "+id, int64(len(id)+1))
		tx.Later(`DELETE FROM linked_store WHERE company = $1 AND channel = $2 AND kind = 'edit' AND key LIKE $3`, c.Company, c.Channel, "% "+id)
	}
}

// removeFiles deletes the bytes of files whose rows a transaction has deleted, unless it failed.
func (d *Talk) removeFiles(ctx context.Context, company kernel.ID, files []kernel.ID, failed error) {
	for _, file := range files {
		if failed == nil {
			d.removeUpload(ctx, company, file)
		}
	}
}

// eraseDetails deletes everything but messages from a conversation. Attendances, assignments and labels stay for the figures.
func eraseDetails(tx *kernel.Tx, company, id kernel.ID) {
	eraseNotes(tx, company, id)
	for _, table := range []string{"drafts", "scheduled_messages", "reply_renderings", "notifications", "held_messages", "sends"} {
		tx.Later(`DELETE FROM `+table+` WHERE company = $1 AND conversation = $2`, company, id)
	}
	tx.Later(`
		DELETE FROM field_values
		WHERE company = $1 AND noun IN (SELECT a.id FROM attendances a WHERE a.company = $1 AND a.conversation = $2)`, company, id)
	tx.Later(`
		UPDATE attendances
		SET contact = NULL, closing_note = NULL, survey_comment = NULL, survey_at = NULL,
			close_reason = CASE WHEN closed_by IS NULL THEN close_reason END -- people write theirs freely
		WHERE company = $1 AND conversation = $2`, company, id)
	tx.Later(`UPDATE assignments SET reason = NULL WHERE company = $1 AND conversation = $2`, company, id)
}

// eraseInGroups deletes a batch of the messages that the person wrote in groups.
func (d *Talk) eraseInGroups(ctx context.Context, e *kernel.Erasure) (more bool, err error) {
	var files []kernel.ID
	err = d.Store.Write(ctx, func(tx *kernel.Tx) error {
		files, more = nil, false
		groups, err := tx.IDs(`SELECT conversation FROM messages WHERE company = $1 AND author = $2 LIMIT 1`, e.Company, e.Contact)
		if err != nil || len(groups) == 0 {
			return err
		}
		more = true
		c, found, err := LockConversation(tx, e.Company, groups[0])
		if err != nil || !found {
			return err
		}
		gone, err := kernel.Rows(tx, `SELECT `+goneColumns+` FROM messages m WHERE m.company = $1 AND m.author = $2 AND m.conversation = $3 LIMIT $4`,
			[]any{e.Company, e.Contact, c.ID, expireBatch}, scanGone)
		if err != nil {
			return err
		}
		if err := eraseQuotes(tx, &c, gone); err != nil {
			return err
		}
		media := deleteMessages(tx, e.Company, gone)
		for _, m := range gone {
			tx.Later(`DELETE FROM notifications WHERE company = $1 AND conversation = $2 AND entry = $3`, e.Company, c.ID, m.id)
			if m.external != nil { // the provider's ids may contain phones
				tx.Later(`UPDATE messages SET reply_to = NULL WHERE company = $1 AND conversation = $2 AND reply_to = $3`, e.Company, c.ID, *m.external)
				tx.Later(`UPDATE drafts SET reply_to = NULL WHERE company = $1 AND conversation = $2 AND reply_to = $3`, e.Company, c.ID, *m.external)
			}
		}
		tx.AfterCommit(d.Wakeup(WakeIndex).Notify)
		if files, err = dropUnusedFiles(tx, e.Company, media); err != nil {
			return err
		}
		return d.showRemaining(tx, &c)
	})
	d.removeFiles(ctx, e.Company, files, err)
	return more, err
}

// eraseReactions deletes the reactions of the person in the group after another one. It returns the group, or nil at the end.
func (d *Talk) eraseReactions(ctx context.Context, e *kernel.Erasure, after kernel.ID) (group *kernel.ID, err error) {
	groups, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]kernel.ID, error) {
		return tx.IDs(`SELECT id FROM conversations WHERE company = $1 AND group_id IS NOT NULL AND id > $2 ORDER BY id LIMIT 1`,
			e.Company, kernel.OrFirst(after))
	})
	if err != nil || len(groups) == 0 {
		return nil, err
	}
	for seq, more := int64(FirstMessage), true; more; {
		if seq, more, err = d.eraseReactionsAfter(ctx, e, groups[0], seq); err != nil {
			return nil, err
		}
	}
	return &groups[0], nil
}

// reactionPage is the number of messages whose reactions are read at a time.
const reactionPage = 1000

// eraseReactionsAfter deletes the reactions of the person to a page of messages of a group. It locks the group only if there are some.
// It returns the last message of the page.
func (d *Talk) eraseReactionsAfter(ctx context.Context, e *kernel.Erasure, group kernel.ID, seq int64) (last int64, more bool, err error) {
	isTheirs := func(r Reaction) bool {
		return r.Contact != nil && (*r.Contact == e.Contact || slices.Contains(e.Former, *r.Contact))
	}
	type row struct {
		seq       int64
		reactions Reactions
	}
	scan := func(r db.Row) row { return row{r.Int("seq"), scanReactions(r)} }
	page, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]row, error) {
		return kernel.Rows(tx, `SELECT seq, reactions FROM messages WHERE company = $1 AND conversation = $2 AND seq > $3 ORDER BY seq LIMIT $4`,
			[]any{e.Company, group, seq, reactionPage}, scan)
	})
	if err != nil || len(page) == 0 {
		return seq, false, err
	}
	last, more = page[len(page)-1].seq, len(page) == reactionPage
	page = slices.DeleteFunc(page, func(r row) bool { return !slices.ContainsFunc(r.reactions, isTheirs) })
	if len(page) == 0 {
		return last, more, nil
	}
	return last, more, d.Store.Write(ctx, func(tx *kernel.Tx) error {
		if _, found, err := LockConversation(tx, e.Company, group); err != nil || !found {
			return err
		}
		for _, before := range page {
			now, found, err := kernel.Row(tx, `SELECT seq, reactions FROM messages WHERE company = $1 AND conversation = $2 AND seq = $3`,
				[]any{e.Company, group, before.seq}, scan)
			if err != nil {
				return err
			}
			if found {
				tx.Later(`UPDATE messages SET reactions = $4 WHERE company = $1 AND conversation = $2 AND seq = $3`,
					e.Company, group, now.seq, writeReactions(slices.DeleteFunc(now.reactions, isTheirs)))
			}
		}
		return nil
	})
}

// KnownContact is a contact and what identifies it.
type KnownContact struct {
	ID, Pool  kernel.ID
	CreatedAt time.Time
	Known     []Identity
}

// ContactsAfter returns up to limit contacts of a company after one, in the order of their ids.
func ContactsAfter(tx *kernel.Tx, company, after kernel.ID, limit int) (page []KnownContact, err error) {
	err = tx.Query(`SELECT id, pool, created_at, phone_key FROM contacts WHERE company = $1 AND id > $2 ORDER BY id LIMIT $3`,
		[]any{company, kernel.OrFirst(after), limit}, func(r db.Row) error {
			c := KnownContact{ID: r.ID("id"), Pool: r.ID("pool"), CreatedAt: r.Time("created_at")}
			if key := r.NullText("phone_key"); key != nil {
				c.Known = []Identity{{IdentityPhone, *key}}
			}
			page = append(page, c)
			return nil
		})
	for i := range page {
		if err == nil {
			var ids []Identity
			ids, err = IdentitiesOf(tx, company, page[i].ID)
			page[i].Known = append(page[i].Known, ids...)
		}
	}
	return page, err
}

// TidySearch removes deleted texts from the files of the search index, a little at a time.
func (d *Talk) TidySearch(ctx context.Context) error {
	for after := ""; ; {
		err := d.Store.Write(ctx, func(tx *kernel.Tx) (err error) {
			after, err = search.Tidy(tx.Tx, after)
			return err
		})
		if err != nil || after == "" {
			return err
		}
	}
}
