package talk

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/media"
	"recado/internal/people"
)

// receiveAtOnce is how many reports of a provider share a transaction.
const receiveAtOnce = 200

// Receive takes what a provider reported about a channel. All of it is durable when Receive returns
// nil; what was taken before, in this call or an earlier one, changes nothing when it comes again.
func (d *Talk) Receive(ctx context.Context, company, channel kernel.ID, items []provider.Incoming) error {
	arrived := time.Now()
	for batch := range slices.Chunk(normalizePhones(items), receiveAtOnce) {
		_, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
			if len(batch) > 1 {
				tx.LockSeveral(channel)
			}
			tx.ShareVisibility(company)
			ch, found, err := channels.FindChannel(tx, company, channel)
			if err != nil || !found || ch.ArchivedAt != nil {
				return struct{}{}, kernel.ErrOr(err, kernel.NotFound("channel"))
			}
			in := d.inboundBatch(tx, ch)
			in.Arrived = arrived
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

// InboundBatch is one transaction that takes what a channel reports. Each conversation it touches is locked
// once and saved once.
type InboundBatch struct {
	d             *Talk
	Tx            *kernel.Tx
	Channel       channels.Channel
	conversations map[kernel.ID]*BatchConversation
	order         []*BatchConversation
	people        map[provider.Person]writer // who wrote in this transaction already
	Arrived       time.Time                  // by the machine's clock: when the call began that brought all this
	simulated     bool                       // the external ids of messages were made for this batch: no message has them yet
}

// template notes what the provider said of a template, and has the copies of its account fetched again.
func (in *InboundBatch) template(u *provider.IncomingTemplate) error {
	in.notice(&u.Notice)
	ids, err := channels.ChannelsOfAccount(in.Tx, in.Channel.Company, u.WABAID, "")
	for _, id := range ids {
		if u.Status != "" {
			channels.SetTemplateStatus(in.Tx, in.Channel.Company, id, u.Name, u.Language, u.Status)
		}
		in.d.channels.TemplatesDue(in.Tx, in.Channel.Company, id)
	}
	return err
}

// writer is a person who wrote in a batch, and their conversation.
type writer struct {
	contact Contact
	t       *BatchConversation
}

// BatchConversation is a conversation that a batch has locked.
type BatchConversation struct {
	*LockedConversation
	changed bool // there is something to save
	emits   bool // events are raised: more happened than that a blocked contact wrote
	opens   bool // the customer wrote: an attendance opens
	Opened  bool // it opened in this batch

	Automation bool       // this customer may get automatic messages
	Messages   []*Message // what the customer wrote in this batch
}

func (d *Talk) inboundBatch(tx *kernel.Tx, channel channels.Channel) *InboundBatch {
	return &InboundBatch{d: d, Tx: tx, Channel: channel, conversations: map[kernel.ID]*BatchConversation{}, people: map[provider.Person]writer{}}
}

func (in *InboundBatch) take(item *provider.Incoming) error {
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
func (in *InboundBatch) notice(n *provider.IncomingNotice) {
	channels.InsertNotice(in.Tx, &in.Channel, n)
	in.Tx.AfterCommit(func() {
		in.d.Log.Warn("the provider says", slog.String("channel", in.Channel.ID.String()), slog.String("kind", n.Kind), slog.String("text", n.Text))
	})
}

// finish saves the conversations. Attendances open only here, when every conversation is locked already: a
// transaction that has taken a protocol number must not wait for a conversation that is locked by one that waits for
// a number.
func (in *InboundBatch) finish() error {
	for _, t := range in.order {
		if !t.changed {
			t.saveProgress()
			continue
		}
		t.silent = !t.emits
		if err := t.open(); err != nil {
			return err
		}
		if len(t.Messages) > 0 && !t.silent && t.Attendance != nil {
			if err := in.d.tell(func(o *Observer) error { return o.CustomerWrote(in, t) }); err != nil {
				return err
			}
			t.Messages = nil
		}
		if err := t.Save(); err != nil {
			return err
		}
	}
	return nil
}

// hold keeps one entry per conversation, also when contacts or groups lead to it again.
func (in *InboundBatch) hold(t *LockedConversation) *BatchConversation {
	if known := in.conversations[t.ID]; known != nil {
		return known
	}
	held := &BatchConversation{LockedConversation: t}
	in.conversations[t.ID] = held
	in.order = append(in.order, held)
	return held
}

// message takes a message and gives it as stored; nil when it is known already. upload is an
// uploaded file that a simulated customer sends.
func (in *InboundBatch) message(msg *provider.IncomingMessage, upload *Media) (*Message, error) {
	var known *kernel.ID
	var awaited bool
	var err error
	if !in.simulated {
		known, awaited, err = knownMessage(in.Tx, in.Channel.Company, in.Channel.ID, msg.ExternalID)
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
	var extras MessageExtras
	keep := m.RevokedAt == nil
	if !keep {
		keep, err = in.keepsRevoked()
	}
	if keep {
		in.attachFile(m, msg, upload)
		extras.Raw = kernel.TextOrNil(kernel.CleanText(string(msg.Raw)))
	}
	if err != nil {
		return nil, err
	}
	fresh, err := insertMessage(in.Tx, m, extras)
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
	t.Automation = contact.Automation
	return m, in.wrote(t, m, quiet)
}

// changeBeforehand applies the edits, revocations and reactions that arrived before their message.
func (in *InboundBatch) changeBeforehand(t *BatchConversation, m *Message) error {
	changes, err := in.earlyChanges(*m.ExternalID)
	for _, c := range changes {
		if err == nil {
			_, err = in.apply(t, m, c)
		}
	}
	return err
}

// place makes what arrives live the newest of its conversation. Imported history stays older.
func (in *InboundBatch) place(t *BatchConversation, m *Message, history bool) {
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
func (in *InboundBatch) wrote(t *BatchConversation, m *Message, quiet bool) error {
	if !quiet {
		t.opens = true
		t.waits(m.CreatedAt)
		t.Messages = append(t.Messages, m)
	}
	return in.overheard(t, m, quiet)
}

// overheard notes what every message of a customer means, also one that another app answers: it is unread and opens the
// window. Whether a case opens and whether the customer waits for the team is up to wrote.
func (in *InboundBatch) overheard(t *BatchConversation, m *Message, quiet bool) error {
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
	cancelOnReply(in.Tx, t.Company, t.ID)
	if t.SnoozedUntil != nil {
		t.SnoozedUntil = nil
		if err := t.notifyHolder(NotifySnoozeEnded, nil); err != nil {
			return err
		}
	}
	return t.emitWith(EventMessageReceived, "message", m)
}

// waits notes that the customer waits for an answer to a message of that time.
func (t *LockedConversation) waits(since time.Time) {
	if t.awaits == nil {
		t.awaits = &since
	}
	if t.WaitingSince() == nil {
		t.SetWaiting(t.awaits)
	}
}

// open opens the attendance that the customer's messages asked for, unless they belong to the one that was just closed.
func (t *BatchConversation) open() error {
	if !t.opens || t.Attendance != nil {
		t.opens = false
		return nil
	}
	t.opens = false
	rules, err := people.ListAttendanceRules(t.Tx, t.Company)
	if err != nil {
		return err
	}
	if rules.GraceForCustomers {
		if closed, err := t.justClosed(rules); err != nil || closed {
			return err
		}
	}
	err = t.openAttendance(OpenedByCustomer)
	t.Opened = t.Opened || t.Attendance != nil
	return err
}

// sentFromPhone notes what a message that the team typed on the phone means.
func (in *InboundBatch) sentFromPhone(t *BatchConversation, m *Message, quiet bool) error {
	if quiet {
		return nil
	}
	if err := t.emitWith(EventMessageSent, "message", m); err != nil {
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

// EndMenu ends the menu of the open attendance, if one runs. Where the case goes is the caller's decision.
func (t *LockedConversation) EndMenu() { t.Reception, t.ReceptionDue = nil, nil }

// SendAutomatic sends an automatic message. It is no answer of the team: the customer still waits, and no person
// becomes responsible.
func (in *InboundBatch) SendAutomatic(t *BatchConversation, text string, choices *provider.Interactive) error {
	m := &Message{
		ID: kernel.NewID(), Conversation: t.ID, Company: t.Company, Channel: t.Channel, Private: t.Private,
		Direction: provider.Outbound, Origin: provider.OriginAutomation, Type: provider.TypeText, Text: &text, Interactive: choices,
		Status: provider.StatusQueued, Seq: t.next(), CreatedAt: in.Tx.Now,
	}
	if m.Interactive != nil {
		m.Type = provider.TypeInteractive
	}
	sandbox := in.Channel.Provider == channels.ProviderSandbox
	if sandbox {
		external := "sandbox." + m.ID.String()
		m.Status, m.SentAt, m.ExternalID = provider.StatusSent, &in.Tx.Now, &external
	}
	if _, err := insertMessage(in.Tx, m, MessageExtras{}); err != nil {
		return err
	}
	t.arrived(m)
	if sandbox {
		return t.emitWith(EventMessageSent, "message", m)
	}
	insertSend(in.Tx, m)
	in.Tx.AfterCommit(in.d.notifySend)
	return nil
}

// conversation finds or creates the contact and the conversation of a message; nil when the message names neither.
func (in *InboundBatch) conversation(msg *provider.IncomingMessage) (*BatchConversation, Contact, error) {
	if known, ok := in.people[msg.Customer]; ok && msg.Group == nil {
		return known.t, known.contact, nil
	}
	var contact Contact
	var err error
	if !msg.Customer.IsZero() {
		if contact, err = in.d.contactFor(in.Tx, in.Channel, msg.Customer, in.join); err != nil {
			return nil, contact, err
		}
	}
	var t *LockedConversation
	switch {
	case msg.Group != nil:
		t, _, err = in.d.groupConversation(in.Tx, in.Channel, *msg.Group)
	case contact.ID.IsZero():
		in.d.Log.Warn("a message that does not say whom it is with was left out", slog.String("channel", in.Channel.ID.String()))
		return nil, contact, nil
	default:
		t, _, err = in.d.conversationWith(in.Tx, in.Channel, contact)
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
func (in *InboundBatch) stored(t *BatchConversation, contact Contact, msg *provider.IncomingMessage) (*Message, error) {
	at := moment(msg.At, in.Tx.Now)
	m := &Message{
		ID: kernel.NewID(), Conversation: t.ID, Company: t.Company, Channel: t.Channel, Private: t.Private,
		Direction: provider.Inbound, Origin: provider.OriginCustomer, Type: messageType(msg.Type), Text: kernel.TextOrNil(kernel.CleanText(msg.Text)),
		ReplyTo: kernel.TextOrNil(msg.ReplyTo), ExternalID: &msg.ExternalID, Status: provider.StatusReceived,
		Referral: msg.Referral, Product: msg.Product, Choice: cleanChoice(msg.Choice),
		Form: msg.Form, Notice: msg.Notice, Standby: msg.Standby, Seq: t.Sequence + 1, CreatedAt: at, SentAt: &at,
	}
	if msg.FromPhoneApp {
		m.Direction, m.Origin, m.Status = provider.Outbound, provider.OriginPhone, provider.StatusSent
		if msg.Standby {
			m.Origin = provider.OriginAutomation
		}
		if msg.Status != "" {
			m.Advance(msg.Status, at, nil)
		}
	} else if msg.Group != nil && !contact.ID.IsZero() {
		m.Author = &MessageAuthor{ID: &contact.ID, Name: contact.Name}
	}
	var err error
	if msg.History {
		m.ID = kernel.NewIDAt(at) // searches list messages by their ids
		m.Seq, err = historySeq(in.Tx, t.Company, t.ID, at)
	}
	return m, err
}

// attachFile gives a message its file: an upload, or one that the provider holds.
func (in *InboundBatch) attachFile(m *Message, msg *provider.IncomingMessage, upload *Media) {
	if upload != nil {
		attach(m, upload)
	} else if msg.Media != nil {
		attach(m, in.awaitedMedia(msg))
		m.Voice = msg.Media.Voice && m.Type == provider.TypeAudio
	}
}

// known takes a message whose external id another one has already, and reports whether nothing is left to store. What a caller leaves
// has the id of the call: it keeps the id, because it can be answered, and the call gets another.
func (in *InboundBatch) known(conversation kernel.ID, msg *provider.IncomingMessage) (taken bool, err error) {
	call := msg.Notice.IsCall()
	stored, found, err := messageWithExternalID(in.Tx, in.Channel.Company, in.Channel.ID, msg.ExternalID)
	if err != nil {
		return true, err
	}
	if !found || call == stored.Notice.IsCall() {
		return true, in.fillPlaceholder(conversation, msg)
	}
	moved := "call:" + msg.ExternalID
	if call {
		msg.ExternalID = moved
		_, found, err = conversationOfExternalID(in.Tx, in.Channel.Company, in.Channel.ID, moved)
		return found, err
	}
	t, err := in.locked(stored.Conversation)
	if err != nil || t == nil {
		return true, err
	}
	if t.Contact != nil {
		contact, _, err := findContact(in.Tx, t.Company, *t.Contact)
		if err != nil {
			return true, err
		}
		t.silent = contact.Blocked
	}
	stored.ExternalID = &moved
	saveMessageStatus(in.Tx, &stored)
	return false, t.emitUpdated(&stored, "external_id")
}

// fillPlaceholder gives a message of the imported history the file that follows it under the same id.
func (in *InboundBatch) fillPlaceholder(conversation kernel.ID, msg *provider.IncomingMessage) error {
	if !msg.History || msg.Media == nil {
		return nil
	}
	t, err := in.locked(conversation)
	if err != nil || t == nil {
		return err
	}
	m, found, err := messageWithExternalID(in.Tx, in.Channel.Company, in.Channel.ID, msg.ExternalID)
	if err != nil || !found || m.Type != provider.TypeUnsupported || m.MediaID != nil || m.RevokedAt != nil {
		return err
	}
	was := m
	m.Type, m.Text, m.Notice = messageType(msg.Type), kernel.TextOrNil(kernel.CleanText(msg.Text)), nil
	in.attachFile(&m, msg, nil)
	return in.messageChanged(t, &m, append([]string{"type", "text", "media_id", "media"}, lost(&was, &m)...)...)
}

// awaitedMedia notes a file that the provider holds, for the loop that fetches it.
func (in *InboundBatch) awaitedMedia(msg *provider.IncomingMessage) *Media {
	mime, _, _ := strings.Cut(msg.Media.MimeType, ";")
	file := &Media{
		ID: kernel.NewID(), Company: in.Channel.Company, Channel: &in.Channel.ID, Private: in.Channel.Private,
		Kind: MediaKind(messageType(msg.Type)), MimeType: kernel.CleanText(mime), Awaited: true, CreatedAt: in.Tx.Now,
		Provider: MediaAtProvider{ID: msg.Media.ProviderID, SHA256: msg.Media.SHA256},
	}
	file.FileName = media.SafeName(msg.Media.FileName, file.MimeType)
	insertAwaitedMedia(in.Tx, file)
	in.Tx.AfterCommit(in.d.Wakeup(WakeFetch).Notify)
	return file
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
	case provider.TypeText, provider.TypeImage, provider.TypeAudio, provider.TypeVideo, provider.TypeDocument, provider.TypeSticker,
		provider.TypeLocation, provider.TypeContacts:
		return kind
	}
	return provider.TypeUnsupported
}

func cleanChoice(c *provider.Choice) *provider.Choice {
	if c == nil {
		return nil
	}
	return &provider.Choice{ID: kernel.CleanText(c.ID), Title: kernel.CleanText(c.Title)}
}
