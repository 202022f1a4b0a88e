package talk

import (
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// Outbox is a locked conversation with all that sending in it has to know, read in one statement.
type Outbox struct {
	Conversation Conversation
	Provider     string
	Status       string // of the channel
	Archived     bool   // the channel
	Blocked      bool   // the contact
	Earlier      bool   // the client id is in use; a race may still show only when the message is inserted
	Drafted      bool   // the member has a draft there
	Signature    string // of the member, where the channel wants messages to be signed
	Rendered     bool   // the member rendered a canned reply there and has not sent it yet
}

// lockOutbox locks a conversation for a message of a member with a client id.
func lockOutbox(tx *kernel.Tx, company, conversation, client, member kernel.ID) (Outbox, bool, error) {
	var o Outbox
	lock := tx.Dialect().Lock(` FOR UPDATE OF c`)
	tx.ShareVisibility(company)
	found, err := tx.One(`
		SELECT`+conversationColumns+`, ch.provider, ch.status, COALESCE(ct.blocked, FALSE), m.id IS NOT NULL,
			EXISTS (SELECT 1 FROM drafts d WHERE d.company = $1 AND d.member = $4 AND d.conversation = $2),
			EXISTS (SELECT 1 FROM reply_renderings p WHERE p.company = $1 AND p.member = $4 AND p.conversation = $2),
			CASE WHEN ch.sign THEN (SELECT COALESCE(NULLIF(u.signature, ''), u.name) FROM users u WHERE u.company = $1 AND u.id = $4) END,
			ch.archived_at IS NOT NULL
		FROM conversations c
		JOIN channels ch ON ch.company = c.company AND ch.id = c.channel
		LEFT JOIN contacts ct ON ct.company = c.company AND ct.id = c.contact
		LEFT JOIN messages m ON m.company = c.company AND m.client_id = $3
		WHERE c.company = $1 AND c.id = $2`+lock, []any{company, conversation, client, member}, func(r db.Row) {
		o.Conversation = scanConversation(r)
		o.Provider, o.Status, o.Blocked, o.Earlier = r.Text(conversationWidth), r.Text(conversationWidth+1), r.Bool(conversationWidth+2), r.Bool(conversationWidth+3)
		o.Archived = r.Bool(conversationWidth + 7)
		o.Drafted, o.Rendered = r.Bool(conversationWidth+4), r.Bool(conversationWidth+5)
		if name := r.NullText(conversationWidth + 6); name != nil {
			o.Signature = *name
		}
	})
	return o, found, err
}

// insertSend puts a message in its channel's queue.
func insertSend(tx *kernel.Tx, m *Message) {
	tx.Later(`
		INSERT INTO sends (message, company, channel, conversation, seq, state, epoch, attempts, due_at)
		VALUES ($1, $2, $3, $4, $5, 'queued', 0, 0, $6)`,
		m.ID, m.Company, m.Channel, m.Conversation, m.Seq, tx.Now)
}

// insertReaction puts a reaction to a message in its channel's queue; an empty emoji takes an earlier one back. id names it
// in the queue, seq is its place among what is sent in the conversation.
func insertReaction(tx *kernel.Tx, id kernel.ID, seq int64, to *Message, emoji string) {
	tx.Later(`
		INSERT INTO sends (message, company, channel, conversation, seq, state, epoch, attempts, due_at, reacts_to, emoji)
		VALUES ($1, $2, $3, $4, $5, 'queued', 0, 0, $6, $7, $8)`,
		id, to.Company, to.Channel, to.Conversation, seq, tx.Now, to.ID, emoji)
}

// deleteSend takes a message out of the queue: its fate is known.
func deleteSend(tx *kernel.Tx, company, message kernel.ID) {
	tx.Later(`DELETE FROM sends WHERE company = $1 AND message = $2`, company, message)
}

// channelsToSend lists connected channels that have something due, or something that a node which is
// gone may have left in the middle, except those whose lease another node than owner holds.
func channelsToSend(tx *kernel.Tx, owner kernel.ID) ([]rowAt, error) {
	return rowsAt(tx, `
		SELECT /* all companies: due work */ ch.company, ch.id
		FROM channels ch
		WHERE ch.provider <> 'sandbox' AND ch.status = 'connected'
			AND EXISTS (SELECT 1 FROM sends s WHERE s.company = ch.company AND s.channel = ch.id AND s.due_at <= $1)
			AND NOT EXISTS (SELECT 1 FROM lanes l WHERE l.subject = ch.id AND l.owner <> $2 AND l.lease_until >= $1)
		ORDER BY ch.company, ch.id`, tx.Now, owner)
}

// archivedWithSends lists the archived channels of all companies that have something waiting in their queues.
func archivedWithSends(tx *kernel.Tx) ([]rowAt, error) {
	return rowsAt(tx, `
		SELECT /* all companies: due work */ ch.company, ch.id
		FROM channels ch
		WHERE ch.archived_at IS NOT NULL AND EXISTS (SELECT 1 FROM sends s WHERE s.company = ch.company AND s.channel = ch.id AND s.state = 'queued')
		ORDER BY ch.company, ch.id`)
}

// waitingSends lists up to limit messages that wait in the queue of a channel and are not being sent.
func waitingSends(tx *kernel.Tx, company, channel kernel.ID, limit int) ([]Queued, error) {
	var out []Queued
	err := tx.Query(`
		SELECT message, conversation, company, attempts, reacts_to
		FROM sends`+IndexedBy(tx, "sends_due")+`
		WHERE company = $1 AND channel = $2 AND state = 'queued'
		ORDER BY conversation, seq
		LIMIT $3`, []any{company, channel, limit}, func(r db.Row) error {
		out = append(out, Queued{Message: r.ID(0), Conversation: r.ID(1), Company: r.ID(2), Attempts: r.Int(3), ReactsTo: r.NullID(4)})
		return nil
	})
	return out, err
}

// leftInTheMiddle lists the messages of a channel that were being sent under an earlier epoch of its
// lease: the node that did that has stopped.
func leftInTheMiddle(tx *kernel.Tx, company kernel.ID, lease kernel.Lease) ([]Queued, error) {
	var out []Queued
	err := tx.Query(`
		SELECT message, conversation, company, attempts, reacts_to
		FROM sends`+IndexedBy(tx, "sends_due")+`
		WHERE company = $1 AND channel = $2 AND state = 'sending' AND epoch < $3
		ORDER BY conversation, seq`, []any{company, lease.Subject, lease.Epoch}, func(r db.Row) error {
		out = append(out, Queued{Message: r.ID(0), Conversation: r.ID(1), Company: r.ID(2), Attempts: r.Int(3), ReactsTo: r.NullID(4)})
		return nil
	})
	return out, err
}

// Queued is a message, or a reaction to one, in the queue of its channel.
type Queued struct {
	Message      kernel.ID
	Conversation kernel.ID
	Company      kernel.ID
	Attempts     int64
	ReactsTo     *kernel.ID // of a reaction: the message that it is on
}

// Job is a message on its way to the provider, with all that the provider has to be told.
type Job struct {
	Queued
	Text        *string
	Template    *string // JSON
	ReplyTo     *string
	Reaction    *provider.OutgoingReaction
	Interactive *provider.Interactive
	Voice       bool
	GroupID     *string
	Contact     *kernel.ID
	Phone       *string
	Media       *Media
	WAIDs       []string
	UserIDs     []string
}

// startSends marks up to limit due messages of a lease's channel as being sent and gives them, with at
// most one of each conversation under way at any time: a message waits for all before it.
func startSends(tx *kernel.Tx, company kernel.ID, lease kernel.Lease, limit int) ([]Job, error) {
	var jobs []Job
	err := tx.Query(`
		SELECT s.message, s.conversation, s.company, s.attempts, s.reacts_to, m.text, m.template, m.reply_to,
			c.group_id, c.contact, ct.phone,
			d.id, d.kind, d.mime_type, d.file_name, d.size, p.provider_id, p.provider_at, d.stored,
			s.emoji, r.external_id, m.interactive, m.voice
		FROM sends s
		LEFT JOIN messages m ON m.company = s.company AND m.conversation = s.conversation AND m.seq = s.seq AND s.reacts_to IS NULL
		LEFT JOIN messages r ON r.company = s.company AND r.id = s.reacts_to
		JOIN conversations c ON c.company = s.company AND c.id = s.conversation
		LEFT JOIN contacts ct ON ct.company = c.company AND ct.id = c.contact
		LEFT JOIN media d ON d.company = m.company AND d.id = m.media
		LEFT JOIN media p ON p.company = m.company AND p.id = m.media AND p.channel = s.channel
		WHERE s.company = $1 AND s.channel = $2 AND s.state = 'queued' AND s.due_at <= $3
			AND NOT EXISTS (SELECT 1 FROM sends b WHERE b.company = s.company AND b.conversation = s.conversation AND b.seq < s.seq)
		ORDER BY s.due_at, s.conversation
		LIMIT $4`, []any{company, lease.Subject, tx.Now, limit}, func(r db.Row) error {
		j := Job{
			Queued: Queued{r.ID(0), r.ID(1), r.ID(2), r.Int(3), r.NullID(4)},
			Text:   r.NullText(5), Template: r.NullText(6), ReplyTo: r.NullText(7),
			GroupID: r.NullText(8), Contact: r.NullID(9), Phone: r.NullText(10),
			Interactive: kernel.ReadJSON[provider.Interactive](r, 21), Voice: !r.Null(22) && r.Bool(22),
		}
		if j.ReactsTo != nil {
			j.Reaction = &provider.OutgoingReaction{Emoji: r.Text(19)}
			if !r.Null(20) {
				j.Reaction.ExternalID = r.Text(20)
			}
		}
		if !r.Null(11) {
			j.Media = &Media{ID: r.ID(11), Kind: MediaKind(r.Text(12)), MimeType: r.Text(13), FileName: r.Text(14), Size: r.Int(15), Stored: r.Bool(18)}
			if !r.Null(17) { // it was uploaded to this channel
				j.Media.Provider = MediaAtProvider{ID: r.Text(16), At: r.NullTime(17)}
			}
		}
		jobs = append(jobs, j)
		return nil
	})
	if err != nil || len(jobs) == 0 {
		return nil, err
	}
	for _, j := range jobs {
		tx.Later(`UPDATE sends SET state = 'sending', epoch = $3, attempts = attempts + 1 WHERE company = $1 AND message = $2`, company, j.Message, lease.Epoch)
	}
	return jobs, addReceivers(tx, company, lease, jobs)
}

// addReceivers completes jobs with the ids that the provider knows their receivers by.
func addReceivers(tx *kernel.Tx, company kernel.ID, lease kernel.Lease, jobs []Job) error {
	byContact := make(map[kernel.ID][]*Job, len(jobs))
	for i := range jobs {
		if c := jobs[i].Contact; c != nil {
			byContact[*c] = append(byContact[*c], &jobs[i])
		}
	}
	return tx.Query(`
		SELECT i.contact, i.kind, i.value
		FROM sends s
		JOIN conversations c ON c.company = s.company AND c.id = s.conversation
		JOIN contact_identities i ON i.company = c.company AND i.contact = c.contact
		WHERE s.company = $1 AND s.channel = $2 AND s.state = 'sending' AND s.epoch = $3
		ORDER BY i.kind, i.value`, []any{company, lease.Subject, lease.Epoch}, func(r db.Row) error {
		for _, j := range byContact[r.ID(0)] {
			if value := r.Text(2); r.Text(1) == IdentityWA {
				j.WAIDs = append(j.WAIDs, value)
			} else {
				j.UserIDs = append(j.UserIDs, value)
			}
		}
		return nil
	})
}

// stillSending reports whether a message is being sent under this epoch of the lease.
func stillSending(tx *kernel.Tx, company kernel.ID, lease kernel.Lease, message kernel.ID) (bool, error) {
	return tx.One(`SELECT 1 FROM sends WHERE company = $1 AND message = $2 AND state = 'sending' AND epoch = $3`, []any{company, message, lease.Epoch}, func(db.Row) {})
}

// beingSent lists the messages that are marked as being sent under this epoch of the lease.
func beingSent(tx *kernel.Tx, company kernel.ID, lease kernel.Lease) ([]kernel.ID, error) {
	return tx.IDs(`
		SELECT message
		FROM sends`+IndexedBy(tx, "sends_due")+`
		WHERE company = $1 AND channel = $2 AND state = 'sending' AND epoch = $3
		ORDER BY message`, company, lease.Subject, lease.Epoch)
}

// unmarkSend puts a message back in the queue as if it had never been taken out.
func unmarkSend(tx *kernel.Tx, company, message kernel.ID) {
	tx.Later(`UPDATE sends SET state = 'queued', attempts = attempts - 1 WHERE company = $1 AND message = $2`, company, message)
}

// requeueSend puts a message that certainly did not go out back in the queue.
func requeueSend(tx *kernel.Tx, company, message kernel.ID, due time.Time) {
	tx.Later(`UPDATE sends SET state = 'queued', due_at = $3 WHERE company = $1 AND message = $2`, company, message, due)
}

// nextSend gives the moment at which the next message of a channel becomes due that is not so now, or nil.
func nextSend(tx *kernel.Tx, company, channel kernel.ID) (*time.Time, error) {
	var at *time.Time
	_, err := tx.One(`SELECT MIN(due_at) FROM sends WHERE company = $1 AND channel = $2 AND state = 'queued' AND due_at > $3`, []any{company, channel, tx.Now},
		func(r db.Row) { at = r.NullTime(0) })
	return at, err
}

// makeSendsDue makes all that waits in a channel's queue due now.
func makeSendsDue(tx *kernel.Tx, company, channel kernel.ID) {
	tx.Later(`UPDATE sends SET due_at = $3 WHERE company = $1 AND channel = $2 AND state = 'queued'`, company, channel, tx.Now)
}
