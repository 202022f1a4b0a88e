package talk

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/phone"
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

// insertSend queues a message. released is when a held message was released, or nil.
func insertSend(tx *kernel.Tx, m *Message, released *time.Time) {
	tx.Later(`
		INSERT INTO sends (message, company, channel, conversation, seq, state, epoch, attempts, due_at, released_at)
		VALUES ($1, $2, $3, $4, $5, 'queued', 0, 0, $6, $7)`,
		m.ID, m.Company, m.Channel, m.Conversation, m.Seq, tx.Now, released)
}

func deleteSend(tx *kernel.Tx, company, message kernel.ID) {
	tx.Later(`DELETE FROM sends WHERE company = $1 AND message = $2`, company, message)
}

// archivedWithSends returns the archived channels with messages that wait to be sent.
func archivedWithSends(tx *kernel.Tx) ([]rowAt, error) {
	return rowsAt(tx, `
		SELECT /* all companies: due work */ ch.company, ch.id
		FROM channels ch
		WHERE ch.archived_at IS NOT NULL AND (
			EXISTS (SELECT 1 FROM sends s WHERE s.company = ch.company AND s.channel = ch.id AND s.state = 'queued')
			OR EXISTS (SELECT 1 FROM held_messages h WHERE h.company = ch.company AND h.channel = ch.id))
		ORDER BY ch.company, ch.id`)
}

// listSends returns the messages in the queue of a channel that match a condition on its arguments from $3 on.
func listSends(tx *kernel.Tx, company, channel kernel.ID, where string, args ...any) ([]Queued, error) {
	return kernel.Rows(tx, `
		SELECT message, conversation, company, attempts, reacts_to, released_at
		FROM sends`+IndexedBy(tx, "sends_due")+`
		WHERE company = $1 AND channel = $2 AND `+where, append([]any{company, channel}, args...), scanQueued)
}

// Queued is a message, or a reaction to one, in the queue of its channel.
type Queued struct {
	Message      kernel.ID
	Conversation kernel.ID
	Company      kernel.ID
	Attempts     int64
	ReactsTo     *kernel.ID // of a reaction: the message that it is on
	ReleasedAt   *time.Time // of a message that was held
}

func scanQueued(r db.Row) Queued {
	return Queued{r.ID("message"), r.ID("conversation"), r.ID("company"), r.Int("attempts"), r.NullID("reacts_to"), r.NullTime("released_at")}
}

// SendJob is a message that is marked as being sent. It is passed to the provider once; SendStep stores the result.
type SendJob struct {
	Out provider.Outgoing

	queued  Queued
	media   *kernel.ID
	contact *kernel.ID
}

// JobID returns the id of the message.
func (j SendJob) JobID() kernel.ID { return j.queued.Message }

// startSends marks up to limit due messages of a channel as being sent and returns them. A message waits for all earlier ones of
// its conversation.
func (d *Talk) startSends(tx *kernel.Tx, company kernel.ID, lease kernel.Lease, limit int) ([]SendJob, error) {
	jobs, err := kernel.Rows(tx, `
		SELECT s.message, s.conversation, s.company, s.attempts, s.reacts_to, s.released_at, m.text, m.template, m.reply_to, m.interactive, m.voice,
			c.group_id, c.contact, ct.phone, s.emoji, r.external_id,
			d.id AS media, d.kind, d.mime_type, d.file_name, d.size, p.provider_id, p.provider_at
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
		LIMIT $4`, []any{company, lease.Subject, tx.Now, limit}, func(r db.Row) SendJob { return d.scanSendJob(r, tx.Now) })
	if err != nil || len(jobs) == 0 {
		return nil, err
	}
	for _, j := range jobs {
		tx.Later(`UPDATE sends SET state = 'sending', epoch = $3, attempts = attempts + 1 WHERE company = $1 AND message = $2`,
			company, j.queued.Message, lease.Epoch)
	}
	return jobs, addReceivers(tx, company, lease, jobs)
}

// providerMediaLife is how long an upload to a provider is used again. WhatsApp keeps files for 30 days.
const providerMediaLife = 25 * 24 * time.Hour

func (d *Talk) scanSendJob(r db.Row, now time.Time) SendJob {
	j := SendJob{queued: scanQueued(r), media: r.NullID("media"), contact: r.NullID("contact")}
	j.Out = provider.Outgoing{
		ClientID: j.queued.Message.String(), Text: r.Text("text"), ReplyTo: r.Text("reply_to"), GroupID: r.Text("group_id"),
		Interactive: kernel.ReadJSON[provider.Interactive](r, "interactive"),
	}
	if j.Out.GroupID == "" {
		j.Out.To.Phone = r.Text("phone")
	}
	if to := j.queued.ReactsTo; to != nil {
		j.Out.ClientID = reactionPrefix + to.String() + "." + j.Out.ClientID
		j.Out.Reaction = &provider.OutgoingReaction{Emoji: r.Text("emoji"), ExternalID: r.Text("external_id")}
	}
	if !r.Null("template") {
		j.Out.Text, j.Out.Template = "", &provider.Template{}
		if err := json.Unmarshal([]byte(r.Text("template")), j.Out.Template); err != nil {
			d.Log.Error("a stored template cannot be decoded", slog.String("message", j.queued.Message.String()), slog.Any("error", err))
		}
	}
	if j.media != nil {
		j.Out.Media = &provider.OutgoingMedia{
			Kind: r.Text("kind"), MimeType: r.Text("mime_type"), FileName: r.Text("file_name"), Size: r.Int("size"), Voice: r.Bool("voice"),
			Open: func() (io.ReadCloser, error) {
				file, _, err := d.blob.Open(context.Background(), *j.media)
				return file, err
			},
		}
		// It may have been uploaded through this channel.
		if at := r.NullTime("provider_at"); at != nil && now.Sub(*at) < providerMediaLife {
			j.Out.Media.ProviderID = r.Text("provider_id")
		}
	}
	return j
}

// addReceivers adds the provider's ids of the contacts. It prefers the WhatsApp id of the current phone number.
func addReceivers(tx *kernel.Tx, company kernel.ID, lease kernel.Lease, jobs []SendJob) error {
	byContact := make(map[kernel.ID][]*SendJob, len(jobs))
	for i := range jobs {
		if c := jobs[i].contact; c != nil {
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
			to := &j.Out.To
			if kind != IdentityWA {
				to.UserID = value
			} else if to.Phone == "" || phone.Key(value) == phone.Key(to.Phone) {
				to.WAID = value
			}
		}
		return nil
	})
}

func makeSendsDue(tx *kernel.Tx, company, channel kernel.ID) {
	tx.Later(`UPDATE sends SET due_at = $3 WHERE company = $1 AND channel = $2 AND state = 'queued'`, company, channel, tx.Now)
}
