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
	OptedOut     bool   // the contact, of marketing
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
			ct.opted_out_at IS NOT NULL AS opted_out,
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
			Archived: r.Bool("channel_archived"), Blocked: r.Bool("blocked"), OptedOut: r.Bool("opted_out"), Earlier: r.Bool("earlier"), Drafted: r.Bool("drafted"),
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
		SELECT message, conversation, company, attempts, reacts_to, change, released_at
		FROM sends`+IndexedBy(tx, "sends_due")+`
		WHERE company = $1 AND channel = $2 AND `+where, append([]any{company, channel}, args...), scanQueued)
}

// Queued is a message, a reaction to one, or a change of one, in the queue of its channel.
type Queued struct {
	Message      kernel.ID
	Conversation kernel.ID
	Company      kernel.ID
	Attempts     int64
	ReactsTo     *kernel.ID // of a reaction or a change: the message that it is on
	Change       string     // changeEdit, changeRevoke or ""
	ReleasedAt   *time.Time // of a message that was held
}

func scanQueued(r db.Row) Queued {
	return Queued{r.ID("message"), r.ID("conversation"), r.ID("company"), r.Int("attempts"), r.NullID("reacts_to"), r.Text("change"), r.NullTime("released_at")}
}

// SendJob is a message that is marked as being sent. It is passed to the provider once; SendStep stores the result.
type SendJob struct {
	Out provider.Outgoing

	queued  Queued
	media   *kernel.ID
	contact *kernel.ID
	author  *kernel.ID // of the message that it quotes or reacts to
	tooLate bool       // an edit or deletion that WhatsApp does not accept any more
}

// JobID returns the id of the message.
func (j SendJob) JobID() kernel.ID { return j.queued.Message }

// startSends marks up to limit due messages of a channel as being sent and returns them. A message waits for all earlier ones of
// its conversation.
func (d *Talk) startSends(tx *kernel.Tx, company kernel.ID, lease kernel.Lease, limit int) ([]SendJob, error) {
	jobs, err := kernel.Rows(tx, `
		SELECT s.message, s.conversation, s.company, s.attempts, s.reacts_to, s.change, s.released_at, m.text, m.template, m.reply_to, m.interactive, m.voice,
			c.group_id, c.contact, ct.phone, s.emoji, r.external_id, r.text AS new_text, r.sent_at, COALESCE(r.direction, q.direction) AS ref_direction,
			COALESCE(r.author, q.author) AS ref_author, q.text AS ref_text,
			d.id AS media, d.kind, d.mime_type, d.file_name, d.size, p.provider_id, p.provider_at
		FROM sends s
		LEFT JOIN messages m ON m.company = s.company AND m.conversation = s.conversation AND m.seq = s.seq AND s.reacts_to IS NULL
		LEFT JOIN messages r ON r.company = s.company AND r.id = s.reacts_to
		LEFT JOIN messages q ON q.company = s.company AND q.channel = s.channel AND q.external_id = m.reply_to
		JOIN conversations c ON c.company = s.company AND c.id = s.conversation
		LEFT JOIN contacts ct ON ct.company = c.company AND ct.id = c.contact
		LEFT JOIN media d ON d.company = m.company AND d.id = m.media
		LEFT JOIN media p ON p.company = m.company AND p.id = m.media AND p.channel = s.channel
		WHERE s.company = $1 AND s.channel = $2 AND s.state = 'queued' AND s.due_at <= $3
			AND NOT EXISTS (SELECT 1 FROM sends b WHERE b.company = s.company AND b.conversation = s.conversation AND b.seq < s.seq)
		ORDER BY s.due_at, s.conversation
		LIMIT $4`+tx.Dialect().Lock(` FOR UPDATE OF s SKIP LOCKED`), // one that failOptedOut deletes at the same time is not sent
		[]any{company, lease.Subject, tx.Now, limit}, func(r db.Row) SendJob { return d.scanSendJob(r, tx.Now) })
	if err != nil || len(jobs) == 0 {
		return nil, err
	}
	for _, j := range jobs {
		tx.Later(`UPDATE sends SET state = 'sending', epoch = $3, attempts = attempts + 1 WHERE company = $1 AND message = $2`,
			company, j.queued.Message, lease.Epoch)
	}
	if err := addAuthors(tx, company, lease.Subject, jobs); err != nil {
		return nil, err
	}
	if err := addMentions(tx, company, jobs); err != nil {
		return nil, err
	}
	return jobs, addReceivers(tx, company, lease, jobs)
}

// addAuthors adds who wrote the messages that are quoted or reacted to in groups.
func addAuthors(tx *kernel.Tx, company, channel kernel.ID, jobs []SendJob) error {
	for i := range jobs {
		j := &jobs[i]
		if j.author == nil || j.Out.GroupID == "" {
			continue
		}
		author := &provider.Person{}
		if j.Out.Reaction != nil {
			author = &j.Out.Reaction.To.Author
		} else if j.Out.Quoted != nil {
			author = &j.Out.Quoted.Author
		}
		if err := addIdentities(tx, company, channel, *j.author, author); err != nil {
			return err
		}
	}
	return nil
}

// usableIdentity selects the identities i that channel ch can use: LIDs are for linked numbers, and other user ids are not.
const usableIdentity = `(i.kind = 'wa_id' OR (i.value LIKE '%@lid') = (ch.provider = 'linked'))`

// addIdentities adds the provider's ids of a contact to a person.
func addIdentities(tx *kernel.Tx, company, channel, contact kernel.ID, p *provider.Person) error {
	return tx.Query(`
		SELECT i.kind, i.value
		FROM contact_identities i
		JOIN channels ch ON ch.company = i.company AND ch.id = $3
		WHERE i.company = $1 AND i.contact = $2 AND `+usableIdentity+`
		ORDER BY i.kind, i.value`, []any{company, contact, channel}, func(r db.Row) error {
		addIdentity(p, r.Text("kind"), r.Text("value"))
		return nil
	})
}

// addIdentity adds one of the provider's ids to a person. It prefers the WhatsApp id of the current phone number.
func addIdentity(p *provider.Person, kind, value string) {
	if kind != IdentityWA {
		p.UserID = value
	} else if p.Phone == "" || phone.Key(value) == phone.Key(p.Phone) {
		p.WAID = value
	}
}

// providerMediaLife is how long an upload to a provider is used again. WhatsApp keeps files for 30 days.
const providerMediaLife = 25 * 24 * time.Hour

func (d *Talk) scanSendJob(r db.Row, now time.Time) SendJob {
	j := SendJob{queued: scanQueued(r), media: r.NullID("media"), contact: r.NullID("contact"), author: r.NullID("ref_author")}
	ref := provider.MessageRef{FromUs: r.Text("ref_direction") == provider.Outbound, Text: r.Text("ref_text")}
	j.Out = provider.Outgoing{
		ClientID: j.queued.Message.String(), Text: r.Text("text"), ReplyTo: r.Text("reply_to"), GroupID: r.Text("group_id"),
		Interactive: kernel.ReadJSON[provider.Interactive](r, "interactive"),
	}
	if j.Out.GroupID == "" {
		j.Out.To.Phone = r.Text("phone")
	}
	if j.Out.ReplyTo != "" && !r.Null("ref_direction") {
		j.Out.Quoted = &ref
	}
	if to := j.queued.ReactsTo; to != nil {
		j.Out.ClientID = reactionPrefix + to.String() + "." + j.Out.ClientID
		j.tooLate = isTooLate(j.queued.Change, r.NullTime("sent_at"), now.Add(-changeGrace))
		switch j.queued.Change {
		case changeEdit: // the latest text
			j.Out.Edits, j.Out.Text = r.Text("external_id"), r.Text("new_text")
		case changeRevoke:
			j.Out.Revokes = r.Text("external_id")
		default:
			j.Out.Reaction = &provider.OutgoingReaction{Emoji: r.Text("emoji"), ExternalID: r.Text("external_id"), To: ref}
		}
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

// addReceivers adds the provider's ids of the contacts.
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
		JOIN channels ch ON ch.company = s.company AND ch.id = s.channel
		WHERE s.company = $1 AND s.channel = $2 AND s.state = 'sending' AND s.epoch = $3 AND `+usableIdentity+`
		ORDER BY i.kind, i.value`, []any{company, lease.Subject, lease.Epoch}, func(r db.Row) error {
		for _, j := range byContact[r.ID("contact")] {
			addIdentity(&j.Out.To, r.Text("kind"), r.Text("value"))
		}
		return nil
	})
}

func makeSendsDue(tx *kernel.Tx, company, channel kernel.ID) {
	tx.Later(`UPDATE sends SET due_at = $3 WHERE company = $1 AND channel = $2 AND state = 'queued'`, company, channel, tx.Now)
}
