package desk

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"recado/internal/filetype"
	"recado/internal/model"
	"recado/internal/reception"
	"recado/internal/store"
)

// receiveAtOnce is how many reports of a provider share a transaction.
const receiveAtOnce = 200

// Receive takes what a provider reported about a channel. All of it is durable when Receive returns
// nil; what was taken before, in this call or an earlier one, changes nothing when it comes again.
func (d System) Receive(ctx context.Context, channel model.ID, items []model.Incoming) error {
	arrived := time.Now()
	for batch := range slices.Chunk(normalizePhones(items), receiveAtOnce) {
		_, err := write(ctx, d.Desk, func(tx *store.Tx) (struct{}, error) {
			if len(batch) > 1 {
				tx.LockSeveral(channel)
			}
			tx.ShareVisibilityOf(channel)
			ch, found, err := tx.AnyChannel(channel)
			if err != nil || !found || ch.ArchivedAt != nil {
				return struct{}{}, errOr(err, model.NotFound("channel"))
			}
			in := d.inboundBatch(tx, ch)
			in.arrived = arrived
			for i := range batch {
				if err := in.take(&batch[i]); err != nil {
					return struct{}{}, err
				}
			}
			return struct{}{}, in.finish()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// inboundBatch is one transaction that takes what a channel reports. Each conversation it touches is locked
// once and saved once.
type inboundBatch struct {
	d             *Desk
	tx            *store.Tx
	channel       model.Channel
	conversations map[model.ID]*batchConversation
	order         []*batchConversation
	people        map[model.Person]writer // who wrote in this transaction already
	arrived       time.Time               // by the machine's clock: when the call began that brought all this
	simulated     bool                    // the external ids of messages were made for this batch: no message has them yet
}

// writer is a person who wrote in a batch, and their conversation.
type writer struct {
	contact model.Contact
	t       *batchConversation
}

// batchConversation is a conversation that a batch has locked.
type batchConversation struct {
	*lockedConversation
	changed bool // there is something to save
	emits   bool // events are raised: more happened than that a blocked contact wrote
	opens   bool // the customer wrote: an attendance opens
	opened  bool // it opened in this batch

	automation bool                 // the reception may answer this customer
	said       []reception.Customer // what the customer wrote in this batch
}

func (d *Desk) inboundBatch(tx *store.Tx, channel model.Channel) *inboundBatch {
	return &inboundBatch{d: d, tx: tx, channel: channel, conversations: map[model.ID]*batchConversation{}, people: map[model.Person]writer{}}
}

func (in *inboundBatch) take(item *model.Incoming) error {
	switch {
	case item.Message != nil:
		_, err := in.message(item.Message, nil)
		return err
	case item.Status != nil:
		return in.status(item.Status)
	case item.Edit != nil:
		return in.edit(item.Edit)
	case item.Revoke != nil:
		return in.revoke(item.Revoke)
	case item.Reaction != nil:
		return in.react(item.Reaction)
	case item.Identity != nil:
		clear(in.people)
		return in.identity(item.Identity)
	case item.Group != nil:
		return in.group(item.Group)
	case item.Account != nil:
		in.notice(&item.Account.Notice)
		return in.account(item.Account)
	case item.Template != nil:
		return in.template(item.Template)
	case item.Notice != nil:
		in.notice(item.Notice)
	}
	return nil
}

// notice keeps what the provider said and logs its line.
func (in *inboundBatch) notice(n *model.IncomingNotice) {
	in.tx.InsertNotice(&in.channel, n)
	in.tx.AfterCommit(func() {
		in.d.log.Warn("the provider says", slog.String("channel", in.channel.ID.String()), slog.String("kind", n.Kind), slog.String("text", n.Text))
	})
}

// finish saves the conversations. Attendances open only here, when every conversation is locked already: a
// transaction that has taken a protocol number must not wait for a conversation that is locked by one that waits for
// a number.
func (in *inboundBatch) finish() error {
	for _, t := range in.order {
		if !t.changed {
			t.saveProgress()
			continue
		}
		t.silent = !t.emits
		if err := t.open(); err != nil {
			return err
		}
		if err := in.receive(t); err != nil {
			return err
		}
		if err := t.save(); err != nil {
			return err
		}
	}
	return nil
}

// hold keeps one entry per conversation, also when contacts or groups lead to it again.
func (in *inboundBatch) hold(t *lockedConversation) *batchConversation {
	if known := in.conversations[t.ID]; known != nil {
		return known
	}
	held := &batchConversation{lockedConversation: t}
	in.conversations[t.ID] = held
	in.order = append(in.order, held)
	return held
}

// message takes a message and gives it as stored; nil when it is known already. upload is an
// uploaded file that a simulated customer sends.
func (in *inboundBatch) message(msg *model.IncomingMessage, upload *model.Media) (*model.Message, error) {
	var known *model.ID
	var awaited bool
	var err error
	if !in.simulated {
		known, awaited, err = in.tx.KnownMessage(in.channel.ID, msg.ExternalID)
	}
	if err != nil {
		return nil, err
	}
	if known != nil {
		taken, err := in.known(*known, msg)
		if err != nil || taken {
			return nil, err
		}
	}
	t, contact, err := in.conversation(msg)
	if err != nil || t == nil {
		return nil, err
	}
	m, err := in.stored(t, contact, msg)
	if err == nil && awaited {
		err = in.changeBeforehand(t, m)
	}
	if err != nil {
		return nil, err
	}
	var extras store.MessageExtras
	keep := m.RevokedAt == nil
	if !keep {
		keep, err = in.keepsRevoked()
	}
	if keep {
		in.attachFile(m, msg, upload)
		extras.Raw = optional(cleanText(string(msg.Raw)))
	}
	if err != nil {
		return nil, err
	}
	fresh, err := in.tx.InsertMessage(m, extras)
	if err != nil || !fresh {
		return nil, err
	}
	quiet := msg.History || contact.Blocked && !msg.FromPhoneApp
	in.place(t, m, msg.History)
	t.changed = true
	t.silent, t.emits = quiet, t.emits || !quiet
	if msg.FromPhoneApp {
		return m, in.sentFromPhone(t, m, quiet)
	}
	if m.Standby {
		return m, in.overheard(t, m, quiet)
	}
	t.automation = contact.Automation
	return m, in.wrote(t, m, quiet)
}

// changeBeforehand applies the edits, revocations and reactions that arrived before their message.
func (in *inboundBatch) changeBeforehand(t *batchConversation, m *model.Message) error {
	changes, err := in.earlyChanges(*m.ExternalID)
	for _, c := range changes {
		if err == nil {
			_, err = in.apply(t, m, c)
		}
	}
	return err
}

// place makes what arrives live the newest of its conversation. Imported history stays older.
func (in *inboundBatch) place(t *batchConversation, m *model.Message, history bool) {
	if !history {
		t.Sequence = m.Seq
		t.arrived(m)
		return
	}
	if t.LastMessage == nil || !m.CreatedAt.Before(t.LastMessage.CreatedAt) {
		t.showLast(m)
		t.ActivityAt = m.CreatedAt
	}
}

// wrote notes what a customer's message means for the conversation.
func (in *inboundBatch) wrote(t *batchConversation, m *model.Message, quiet bool) error {
	if !quiet {
		t.opens = true
		t.waits(m.CreatedAt)
		t.said = append(t.said, saidBy(m))
	}
	return in.overheard(t, m, quiet)
}

// overheard notes what every message of a customer means, also one that another app answers: it is unread and opens the
// window. Whether a case opens and whether the customer waits for the team is up to wrote.
func (in *inboundBatch) overheard(t *batchConversation, m *model.Message, quiet bool) error {
	if t.LastInboundAt == nil || !m.SentAt.Before(*t.LastInboundAt) {
		t.LastInboundAt = m.SentAt
		if !m.Notice.IsCall() { // a call cannot be marked as read
			t.LastInboundExt = m.ExternalID
		}
		t.FindWindow()
	}
	if quiet {
		return nil
	}
	t.UnreadCount++
	t.Unread = true
	in.tx.CancelOnReply(t.Company, t.ID)
	if t.SnoozedUntil != nil {
		t.SnoozedUntil = nil
		if err := t.notifyHolder(model.NotifySnoozeEnded, nil); err != nil {
			return err
		}
	}
	return t.emitWith(model.EventMessageReceived, "message", m)
}

// waits notes that the customer waits for an answer to a message of that time.
func (t *lockedConversation) waits(since time.Time) {
	if t.awaits == nil {
		t.awaits = &since
	}
	if t.WaitingSince() == nil {
		t.SetWaiting(t.awaits)
	}
}

// open opens the attendance that the customer's messages asked for, unless they belong to the one that was just closed.
func (t *batchConversation) open() error {
	if !t.opens || t.Attendance != nil {
		t.opens = false
		return nil
	}
	t.opens = false
	rules, err := t.tx.AttendanceRules(t.Company)
	if err != nil {
		return err
	}
	if rules.GraceForCustomers {
		if closed, err := t.justClosed(rules); err != nil || closed {
			return err
		}
	}
	err = t.openAttendance(model.OpenedByCustomer)
	t.opened = t.opened || t.Attendance != nil
	return err
}

// sentFromPhone notes what a message that the team typed on the phone means.
func (in *inboundBatch) sentFromPhone(t *batchConversation, m *model.Message, quiet bool) error {
	if quiet {
		return nil
	}
	if err := t.emitWith(model.EventMessageSent, "message", m); err != nil {
		return err
	}
	if m.Standby { // another app wrote it, not the team
		return in.settleEarly(t, m)
	}
	if err := t.open(); err != nil { // the customer's message that this answers may be in the same batch
		return err
	}
	t.pauseBot()
	if err := t.teamWrote(nil); err != nil {
		return err
	}
	return in.settleEarly(t, m)
}

// conversation finds or creates the contact and the conversation of a message; nil when the message names neither.
func (in *inboundBatch) conversation(msg *model.IncomingMessage) (*batchConversation, model.Contact, error) {
	if known, ok := in.people[msg.Customer]; ok && msg.Group == nil {
		return known.t, known.contact, nil
	}
	var contact model.Contact
	var err error
	if !msg.Customer.IsZero() {
		if contact, err = in.d.contactFor(in.tx, in.channel, msg.Customer, in.join); err != nil {
			return nil, contact, err
		}
	}
	var t *lockedConversation
	switch {
	case msg.Group != nil:
		t, _, err = in.d.groupConversation(in.tx, in.channel, *msg.Group)
	case contact.ID.IsZero():
		in.d.log.Warn("a message that does not say whom it is with was left out", slog.String("channel", in.channel.ID.String()))
		return nil, contact, nil
	default:
		t, _, err = in.d.conversationWith(in.tx, in.channel, contact)
	}
	if err != nil {
		return nil, contact, err
	}
	held := in.hold(t)
	if msg.Group != nil {
		held.nameGroup(*msg.Group)
	} else {
		in.people[msg.Customer] = writer{contact, held}
	}
	return held, contact, nil
}

// stored is the message as the desk keeps it, without its file. created_at and sent_at tell when it was
// written, by the provider's clock. Its place is that of its arrival, or for imported history that of its time.
func (in *inboundBatch) stored(t *batchConversation, contact model.Contact, msg *model.IncomingMessage) (*model.Message, error) {
	at := moment(msg.At, in.tx.Now)
	m := &model.Message{
		ID: model.NewID(), Conversation: t.ID, Company: t.Company, Channel: t.Channel, Private: t.Private,
		Direction: model.Inbound, Origin: model.OriginCustomer, Type: messageType(msg.Type), Text: optional(cleanText(msg.Text)),
		ReplyTo: optional(msg.ReplyTo), ExternalID: &msg.ExternalID, Status: model.StatusReceived,
		Referral: msg.Referral, Product: msg.Product, Choice: cleanChoice(msg.Choice),
		Form: msg.Form, Notice: msg.Notice, Standby: msg.Standby, Seq: t.Sequence + 1, CreatedAt: at, SentAt: &at,
	}
	if msg.FromPhoneApp {
		m.Direction, m.Origin, m.Status = model.Outbound, model.OriginPhone, model.StatusSent
		if msg.Standby {
			m.Origin = model.OriginAutomation
		}
		if msg.Status != "" {
			m.Advance(msg.Status, at, nil)
		}
	} else if msg.Group != nil && !contact.ID.IsZero() {
		m.Author = &model.MessageAuthor{ID: &contact.ID, Name: contact.Name}
	}
	var err error
	if msg.History {
		m.ID = model.NewIDAt(at) // searches list messages by their ids
		m.Seq, err = in.tx.HistorySeq(t.ID, at)
	}
	return m, err
}

// attachFile gives a message its file: an upload, or one that the provider holds.
func (in *inboundBatch) attachFile(m *model.Message, msg *model.IncomingMessage, upload *model.Media) {
	if upload != nil {
		attach(m, upload)
	} else if msg.Media != nil {
		attach(m, in.awaitedMedia(msg))
		m.Voice = msg.Media.Voice && m.Type == model.TypeAudio
	}
}

// known takes a message whose external id another one has already, and reports whether nothing is left to store. What a caller leaves
// has the id of the call: it keeps the id, because it can be answered, and the call gets another.
func (in *inboundBatch) known(conversation model.ID, msg *model.IncomingMessage) (taken bool, err error) {
	call := msg.Notice.IsCall()
	stored, found, err := in.tx.MessageWithExternalID(in.channel.ID, msg.ExternalID)
	if err != nil {
		return true, err
	}
	if !found || call == stored.Notice.IsCall() {
		return true, in.fillPlaceholder(conversation, msg)
	}
	moved := "call:" + msg.ExternalID
	if call {
		msg.ExternalID = moved
		_, found, err = in.tx.ConversationOfExternalID(in.channel.ID, moved)
		return found, err
	}
	t, err := in.locked(stored.Conversation)
	if err != nil || t == nil {
		return true, err
	}
	if t.Contact != nil {
		contact, _, err := in.tx.Contact(t.Company, *t.Contact)
		if err != nil {
			return true, err
		}
		t.silent = contact.Blocked
	}
	stored.ExternalID = &moved
	in.tx.SaveMessageStatus(&stored)
	return false, t.emitUpdated(&stored, "external_id")
}

// fillPlaceholder gives a message of the imported history the file that follows it under the same id.
func (in *inboundBatch) fillPlaceholder(conversation model.ID, msg *model.IncomingMessage) error {
	if !msg.History || msg.Media == nil {
		return nil
	}
	t, err := in.locked(conversation)
	if err != nil || t == nil {
		return err
	}
	m, found, err := in.tx.MessageWithExternalID(in.channel.ID, msg.ExternalID)
	if err != nil || !found || m.Type != model.TypeUnsupported || m.MediaID != nil || m.RevokedAt != nil {
		return err
	}
	was := m
	m.Type, m.Text, m.Notice = messageType(msg.Type), optional(cleanText(msg.Text)), nil
	in.attachFile(&m, msg, nil)
	return in.messageChanged(t, &m, append([]string{"type", "text", "media_id", "media"}, lost(&was, &m)...)...)
}

// awaitedMedia notes a file that the provider holds, for the loop that fetches it.
func (in *inboundBatch) awaitedMedia(msg *model.IncomingMessage) *model.Media {
	mime, _, _ := strings.Cut(msg.Media.MimeType, ";")
	media := &model.Media{
		ID: model.NewID(), Company: in.channel.Company, Channel: &in.channel.ID, Private: in.channel.Private,
		Kind: model.MediaKind(messageType(msg.Type)), MimeType: cleanText(mime), Awaited: true, CreatedAt: in.tx.Now,
		Provider: model.MediaAtProvider{ID: msg.Media.ProviderID, SHA256: msg.Media.SHA256},
	}
	media.FileName = filetype.SafeName(msg.Media.FileName, media.MimeType)
	in.tx.InsertAwaitedMedia(media)
	in.tx.AfterCommit(in.d.wakeups.Fetch.Notify)
	return media
}

// moment takes the time of a provider unless it is ahead of the server's clock.
func moment(at, now time.Time) time.Time {
	if at.IsZero() || at.After(now) {
		return now
	}
	return at.UTC().Truncate(time.Millisecond)
}

// messageType gives the type as the API documents it.
func messageType(kind string) string {
	switch kind {
	case model.TypeText, model.TypeImage, model.TypeAudio, model.TypeVideo, model.TypeDocument, model.TypeSticker,
		model.TypeLocation, model.TypeContacts:
		return kind
	}
	return model.TypeUnsupported
}

func cleanChoice(c *model.Choice) *model.Choice {
	if c == nil {
		return nil
	}
	return &model.Choice{ID: cleanText(c.ID), Title: cleanText(c.Title)}
}

// cleanText makes sure that a database and a JSON document can hold what a provider sent.
func cleanText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}
