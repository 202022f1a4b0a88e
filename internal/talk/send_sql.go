package talk

import (
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// Outbox is a locked conversation with everything that is needed to send a message there.
type Outbox struct {
	Conversation Conversation
	Provider     string
	Status       string // of the channel
	Archived     bool   // the channel
	Blocked      bool   // the contact
	Earlier      bool   // a message has the client id; concurrent inserts may still conflict
	Drafted      bool   // the member has a draft in the conversation
	Rendered     bool   // the member rendered a canned reply for the conversation and has not sent it yet
	Signature    string // of the member, if messages of the channel are signed
}

// lockOutbox locks a conversation for a message of a member with a client id.
func lockOutbox(tx *kernel.Tx, company, conversation, client, member kernel.ID) (o Outbox, found bool, err error) {
	tx.ShareVisibility(company)
	found, err = tx.One(`
		SELECT`+conversationColumns+`, ch.provider AS channel_provider, ch.status AS channel_status,
			ch.archived_at IS NOT NULL AS channel_archived, COALESCE(ct.blocked, FALSE) AS blocked, m.id IS NOT NULL AS earlier,
			EXISTS (SELECT 1 FROM drafts d WHERE d.company = $1 AND d.member = $4 AND d.conversation = $2) AS drafted,
			EXISTS (SELECT 1 FROM reply_renderings p WHERE p.company = $1 AND p.member = $4 AND p.conversation = $2) AS rendered,
			CASE WHEN ch.sign THEN (
				SELECT COALESCE(NULLIF(u.signature, ''), u.name) FROM users u WHERE u.company = $1 AND u.id = $4
			) END AS signature
		FROM conversations c
		JOIN channels ch ON ch.company = c.company AND ch.id = c.channel
		LEFT JOIN contacts ct ON ct.company = c.company AND ct.id = c.contact
		LEFT JOIN messages m ON m.company = c.company AND m.client_id = $3
		WHERE c.company = $1 AND c.id = $2`+tx.Dialect().Lock(` FOR UPDATE OF c`), []any{company, conversation, client, member}, func(r db.Row) {
		o = Outbox{
			Conversation: scanConversation(r), Provider: r.Text("channel_provider"), Status: r.Text("channel_status"),
			Archived: r.Bool("channel_archived"), Blocked: r.Bool("blocked"), Earlier: r.Bool("earlier"), Drafted: r.Bool("drafted"),
			Rendered: r.Bool("rendered"), Signature: r.Text("signature"),
		}
	})
	return o, found, err
}

func insertSend(tx *kernel.Tx, m *Message) {
	tx.Later(`
		INSERT INTO sends (message, company, channel, conversation, seq, state, epoch, attempts, due_at)
		VALUES ($1, $2, $3, $4, $5, 'queued', 0, 0, $6)`,
		m.ID, m.Company, m.Channel, m.Conversation, m.Seq, tx.Now)
}

// insertReaction queues a reaction to a message; an empty emoji removes an earlier one. id identifies it in the queue, and seq
// is its position in the conversation.
func insertReaction(tx *kernel.Tx, id kernel.ID, seq int64, to *Message, emoji string) {
	tx.Later(`
		INSERT INTO sends (message, company, channel, conversation, seq, state, epoch, attempts, due_at, reacts_to, emoji)
		VALUES ($1, $2, $3, $4, $5, 'queued', 0, 0, $6, $7, $8)`,
		id, to.Company, to.Channel, to.Conversation, seq, tx.Now, to.ID, emoji)
}

func deleteSend(tx *kernel.Tx, company, message kernel.ID) {
	tx.Later(`DELETE FROM sends WHERE company = $1 AND message = $2`, company, message)
}

// channelsToSend returns the connected channels with due messages, or with messages that a stopped node was sending, except those
// whose lease another node holds.
func channelsToSend(tx *kernel.Tx, owner kernel.ID) ([]rowAt, error) {
	return rowsAt(tx, `
		SELECT /* all companies: due work */ ch.company, ch.id
		FROM channels ch
		WHERE ch.provider <> 'sandbox' AND ch.status = 'connected'
			AND EXISTS (SELECT 1 FROM sends s WHERE s.company = ch.company AND s.channel = ch.id AND s.due_at <= $1)
			AND NOT EXISTS (SELECT 1 FROM lanes l WHERE l.subject = ch.id AND l.owner <> $2 AND l.lease_until >= $1)
		ORDER BY ch.company, ch.id`, tx.Now, owner)
}

func archivedWithSends(tx *kernel.Tx) ([]rowAt, error) {
	return rowsAt(tx, `
		SELECT /* all companies: due work */ ch.company, ch.id
		FROM channels ch
		WHERE ch.archived_at IS NOT NULL AND EXISTS (SELECT 1 FROM sends s WHERE s.company = ch.company AND s.channel = ch.id AND s.state = 'queued')
		ORDER BY ch.company, ch.id`)
}

// waitingSends returns up to limit queued messages of a channel that are not being sent.
func waitingSends(tx *kernel.Tx, company, channel kernel.ID, limit int) ([]Queued, error) {
	return readRows(tx, `
		SELECT message, conversation, company, attempts, reacts_to
		FROM sends`+IndexedBy(tx, "sends_due")+`
		WHERE company = $1 AND channel = $2 AND state = 'queued'
		ORDER BY conversation, seq
		LIMIT $3`, []any{company, channel, limit}, scanQueued)
}

// leftInTheMiddle returns the messages of a channel that were being sent under an earlier epoch of its lease, by a node that has
// stopped.
func leftInTheMiddle(tx *kernel.Tx, company kernel.ID, lease kernel.Lease) ([]Queued, error) {
	return readRows(tx, `
		SELECT message, conversation, company, attempts, reacts_to
		FROM sends`+IndexedBy(tx, "sends_due")+`
		WHERE company = $1 AND channel = $2 AND state = 'sending' AND epoch < $3
		ORDER BY conversation, seq`, []any{company, lease.Subject, lease.Epoch}, scanQueued)
}

// Queued is a message, or a reaction to one, in the queue of its channel.
type Queued struct {
	Message      kernel.ID
	Conversation kernel.ID
	Company      kernel.ID
	Attempts     int64
	ReactsTo     *kernel.ID // of a reaction: the message that it is on
}

func scanQueued(r db.Row) Queued {
	return Queued{r.ID("message"), r.ID("conversation"), r.ID("company"), r.Int("attempts"), r.NullID("reacts_to")}
}

// Job is a message that is being sent, with everything that the provider needs.
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

// startSends marks up to limit due messages of a channel as being sent and returns them. A message waits for all earlier ones of
// its conversation.
func startSends(tx *kernel.Tx, company kernel.ID, lease kernel.Lease, limit int) ([]Job, error) {
	jobs, err := readRows(tx, `
		SELECT s.message, s.conversation, s.company, s.attempts, s.reacts_to, m.text, m.template, m.reply_to, m.interactive, m.voice,
			c.group_id, c.contact, ct.phone, s.emoji, r.external_id,
			d.id AS media, d.kind, d.mime_type, d.file_name, d.size, d.stored, p.provider_id, p.provider_at
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
		LIMIT $4`, []any{company, lease.Subject, tx.Now, limit}, func(r db.Row) Job {
		j := Job{
			Queued: scanQueued(r), Text: r.NullText("text"), Template: r.NullText("template"), ReplyTo: r.NullText("reply_to"),
			Interactive: kernel.ReadJSON[provider.Interactive](r, "interactive"), Voice: r.Bool("voice"),
			GroupID: r.NullText("group_id"), Contact: r.NullID("contact"), Phone: r.NullText("phone"),
		}
		if j.ReactsTo != nil {
			j.Reaction = &provider.OutgoingReaction{Emoji: r.Text("emoji"), ExternalID: r.Text("external_id")}
		}
		if !r.Null("media") {
			j.Media = &Media{
				ID: r.ID("media"), Kind: MediaKind(r.Text("kind")), MimeType: r.Text("mime_type"), FileName: r.Text("file_name"),
				Size: r.Int("size"), Stored: r.Bool("stored"),
			}
			if !r.Null("provider_at") { // it was uploaded through this channel
				j.Media.Provider = MediaAtProvider{ID: r.Text("provider_id"), At: r.NullTime("provider_at")}
			}
		}
		return j
	})
	if err != nil || len(jobs) == 0 {
		return nil, err
	}
	for _, j := range jobs {
		tx.Later(`UPDATE sends SET state = 'sending', epoch = $3, attempts = attempts + 1 WHERE company = $1 AND message = $2`,
			company, j.Message, lease.Epoch)
	}
	return jobs, addReceivers(tx, company, lease, jobs)
}

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
		contact, kind, value := r.ID("contact"), r.Text("kind"), r.Text("value")
		for _, j := range byContact[contact] {
			if kind == IdentityWA {
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
	return tx.One(`SELECT 1 FROM sends WHERE company = $1 AND message = $2 AND state = 'sending' AND epoch = $3`,
		[]any{company, message, lease.Epoch}, func(db.Row) {})
}

func beingSent(tx *kernel.Tx, company kernel.ID, lease kernel.Lease) ([]kernel.ID, error) {
	return tx.IDs(`
		SELECT message
		FROM sends`+IndexedBy(tx, "sends_due")+`
		WHERE company = $1 AND channel = $2 AND state = 'sending' AND epoch = $3
		ORDER BY message`, company, lease.Subject, lease.Epoch)
}

// unmarkSend puts a message back in the queue as if it had never been marked.
func unmarkSend(tx *kernel.Tx, company, message kernel.ID) {
	tx.Later(`UPDATE sends SET state = 'queued', attempts = attempts - 1 WHERE company = $1 AND message = $2`, company, message)
}

// requeueSend puts a message that was certainly not sent back in the queue.
func requeueSend(tx *kernel.Tx, company, message kernel.ID, due time.Time) {
	tx.Later(`UPDATE sends SET state = 'queued', due_at = $3 WHERE company = $1 AND message = $2`, company, message, due)
}

// nextSend returns when the next message of a channel becomes due, or nil.
func nextSend(tx *kernel.Tx, company, channel kernel.ID) (next *time.Time, err error) {
	_, err = tx.One(`
		SELECT MIN(due_at) AS next_due
		FROM sends
		WHERE company = $1 AND channel = $2 AND state = 'queued' AND due_at > $3`,
		[]any{company, channel, tx.Now}, func(r db.Row) { next = r.NullTime("next_due") })
	return next, err
}

func makeSendsDue(tx *kernel.Tx, company, channel kernel.ID) {
	tx.Later(`UPDATE sends SET due_at = $3 WHERE company = $1 AND channel = $2 AND state = 'queued'`, company, channel, tx.Now)
}
