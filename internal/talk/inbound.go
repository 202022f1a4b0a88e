package talk

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/media"
	"recado/internal/people"
)

// receiveAtOnce is how many items of a provider are stored in one transaction.
const receiveAtOnce = 200

// Receive stores what a provider reports about a channel. Everything is durable when it returns nil. Items that were already
// stored, by this call or an earlier one, change nothing.
func (d *Talk) Receive(ctx context.Context, company, channel kernel.ID, items []provider.Incoming) error {
	arrived := time.Now()
	for batch := range slices.Chunk(normalizePhones(items), receiveAtOnce) {
		err := d.Store.Write(ctx, func(tx *kernel.Tx) error {
			if len(batch) > 1 || mayCountService(batch) {
				tx.LockSeveral(channel)
			}
			tx.ShareVisibility(company)
			ch, found, err := channels.FindChannel(tx, company, channel)
			if err != nil || !found || ch.ArchivedAt != nil {
				return kernel.ErrOr(err, kernel.NotFound("channel"))
			}
			in := d.inboundBatch(tx, ch)
			in.Arrived = arrived
			for i := range batch {
				if err := in.receive(&batch[i]); err != nil {
					return err
				}
			}
			return in.finish()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// InboundBatch is a transaction that stores what a channel reports. Each conversation is locked once and saved once.
type InboundBatch struct {
	d             *Talk
	Tx            *kernel.Tx
	Channel       channels.Channel
	conversations map[kernel.ID]*BatchConversation
	order         []*BatchConversation
	people        map[provider.Person]writer // the authors of the messages of this transaction
	Arrived       time.Time                  // when the request began, by the machine's clock
	simulated     bool                       // the external ids of its messages are new, so no message has them yet
}

func (in *InboundBatch) template(u *provider.IncomingTemplate) error {
	in.notice(&u.Notice)
	ids, err := channels.LockAccount(in.Tx, in.Channel.Company, u.WABAID)
	for _, id := range ids {
		channels.UpdateTemplate(in.Tx, in.Channel.Company, id, u)
		in.d.channels.TemplatesDue(in.Tx, in.Channel.Company, id)
	}
	return err
}

type writer struct {
	contact      Contact
	conversation *BatchConversation
}

// BatchConversation is a conversation that a batch has locked.
type BatchConversation struct {
	*LockedConversation
	changed         bool // the conversation must be saved
	emits           bool // it emits events, because more happened than messages of a blocked contact
	needsAttendance bool // the customer wrote, so an attendance must be open
	Opened          bool // an attendance opened in this batch

	reply *customerReply // nil: the customer did not write in this batch

	Automation bool       // this customer may get automatic messages
	Messages   []*Message // messages of the customer in this batch
	received   *Message   // the last message of the customer in this batch that the team has to see
}

func (d *Talk) inboundBatch(tx *kernel.Tx, channel channels.Channel) *InboundBatch {
	return &InboundBatch{
		d: d, Tx: tx, Channel: channel, conversations: map[kernel.ID]*BatchConversation{}, people: map[provider.Person]writer{},
	}
}

func (in *InboundBatch) receive(item *provider.Incoming) error {
	switch {
	case item.Message != nil:
		_, err := in.message(item.Message, nil)
		return err
	case item.Status != nil:
		return in.status(item.Status)
	case item.Edit != nil:
		e := item.Edit
		return in.change(e.ExternalID, messageChange{Kind: changeEdit, Text: e.Text, Sender: e.Sender, At: e.At, History: e.History})
	case item.Revoke != nil:
		r := item.Revoke
		return in.change(r.ExternalID, messageChange{Kind: changeRevoke, Sender: r.Sender, At: r.At, History: r.History})
	case item.Reaction != nil:
		r := item.Reaction
		return in.change(r.ExternalID, messageChange{
			Kind: changeReaction, Emoji: kernel.CleanText(r.Emoji), Sender: r.Sender, At: r.At, History: r.History,
		})
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
	case item.Import != nil:
		channels.InsertNotice(in.Tx, &in.Channel, &item.Import.Notice)
		channels.UpdateImport(in.Tx, &in.Channel, item.Import)
	case item.Notice != nil:
		in.notice(item.Notice)
	}
	return nil
}

func (in *InboundBatch) notice(n *provider.IncomingNotice) {
	channels.InsertNotice(in.Tx, &in.Channel, n)
	in.Tx.AfterCommit(func() {
		in.d.Log.Warn("notice from the provider",
			slog.String("channel", in.Channel.ID.String()), slog.String("kind", n.Kind), slog.String("text", n.Text))
	})
}

// finish saves the conversations. Attendances open only here, when every conversation is already locked: a transaction that has
// taken a protocol number must not wait for a conversation that is locked by a transaction waiting for a number.
func (in *InboundBatch) finish() error {
	for _, t := range in.order {
		if !t.changed {
			t.saveProgress()
			continue
		}
		t.silent = !t.emits
		if err := in.settleHeld(t); err != nil {
			return err
		}
		if err := t.open(); err != nil {
			return err
		}
		if len(t.Messages) > 0 && !t.silent && t.Attendance != nil {
			if err := in.d.tell(func(o *Observer) error { return o.CustomerWrote(in, t) }); err != nil {
				return err
			}
			t.Messages = nil
		}
		if t.received != nil {
			if err := in.d.tell(func(o *Observer) error { return o.Received(t.LockedConversation, t.received) }); err != nil {
				return err
			}
			t.received = nil
		}
		if err := t.Save(); err != nil {
			return err
		}
	}
	return nil
}

// hold returns the batch entry of a conversation, creating it on first use.
func (in *InboundBatch) hold(t *LockedConversation) *BatchConversation {
	if entry := in.conversations[t.ID]; entry != nil {
		return entry
	}
	entry := &BatchConversation{LockedConversation: t}
	in.conversations[t.ID] = entry
	in.order = append(in.order, entry)
	return entry
}

// message stores an incoming message. It returns nil if the message was already stored. upload is the file of a simulated
// message.
func (in *InboundBatch) message(msg *provider.IncomingMessage, upload *Media) (*Message, error) {
	if ours, ok := kernel.ParseID(msg.ClientID); ok {
		t, m, err := in.lockMessage(msg.ExternalID, ours)
		if err != nil {
			return nil, err
		}
		if m != nil {
			s := statusReport{Status: cmp.Or(msg.Status, provider.StatusSent), At: moment(msg.At, in.Tx.Now), History: msg.History}
			if msg.History && m.Left() { // nobody knows when it was delivered or read
				s.At = in.Tx.Now
			}
			return nil, in.report(t, m, msg.ExternalID, s)
		}
	}
	known, awaited, err := in.known(msg.ExternalID)
	if err != nil {
		return nil, err
	}
	if known {
		if done, err := in.sameExternalID(msg); err != nil || done {
			return nil, err
		}
	}
	t, contact, err := in.conversation(msg)
	if err != nil || t == nil {
		return nil, err
	}
	m, err := in.newMessage(t, contact, msg)
	var changes []messageChange
	if err == nil && awaited {
		changes, err = in.takeChanges(msg.ExternalID)
	}
	for _, c := range changes {
		if err == nil {
			_, err = in.apply(t, m, c)
		}
	}
	keep := m.RevokedAt == nil
	if err == nil && !keep {
		keep, err = in.keepsRevoked()
	}
	if err != nil {
		return nil, err
	}
	if keep {
		in.attachFile(m, msg, upload)
		m.raw = kernel.TextOrNil(kernel.CleanText(string(msg.Raw)))
	}
	if inserted, err := insertMessage(in.Tx, m); err != nil || !inserted {
		return nil, err
	}
	quiet := msg.History || contact.Blocked && !msg.FromPhoneApp
	if !msg.History {
		t.Sequence = m.Seq
		t.arrived(m)
	} else if t.LastMessage == nil || !m.CreatedAt.Before(t.LastMessage.CreatedAt) {
		t.showLast(m)
		t.ActivityAt = m.CreatedAt
	}
	t.changed = true
	t.silent, t.emits = quiet, t.emits || !quiet
	if msg.FromPhoneApp {
		return m, in.sentFromPhone(t, m, quiet)
	}
	optsOut, isKeyword := t.asksToOpt(msg, m, &contact)
	if !msg.History {
		t.replied(msg, &contact, isKeyword, optsOut)
	}
	if isKeyword {
		return m, in.opt(t, m, msg, contact, optsOut, quiet)
	}
	if !m.Standby {
		t.Automation = contact.Automates()
		if !quiet {
			if answer, err := in.surveyAnswer(t, m); err != nil {
				return nil, err
			} else if answer != nil {
				in.openWindow(t, m)
				if err := t.emitWith(EventMessageReceived, "message", m); err != nil {
					return nil, err
				}
				return m, answer()
			}
			t.needsAttendance = t.Cases
			t.startWaiting(m.CreatedAt)
			t.Messages = append(t.Messages, m)
		}
	}
	return m, in.markUnread(t, m, quiet)
}

// known reports whether the channel has a message with an external id, and whether changes are parked for it.
func (in *InboundBatch) known(external string) (known, awaited bool, err error) {
	if in.simulated { // the id is new
		return false, false, nil
	}
	_, err = in.Tx.One(`
		SELECT EXISTS (SELECT 1 FROM messages WHERE company = $1 AND channel = $2 AND external_id = $3) AS known,
			EXISTS (SELECT 1 FROM early_changes WHERE company = $1 AND channel = $2 AND external_id = $3) AS awaited`,
		[]any{in.Channel.Company, in.Channel.ID, external}, func(r db.Row) { known, awaited = r.Bool("known"), r.Bool("awaited") })
	return known, awaited, err
}

// markUnread updates the conversation for any message of the customer, even if another app answers it: it is unread and opens
// the service window.
func (in *InboundBatch) markUnread(t *BatchConversation, m *Message, quiet bool) error {
	in.openWindow(t, m)
	if quiet {
		return nil
	}
	t.received = m
	t.UnreadCount++
	t.Unread = true
	in.cancelOnReply(t)
	if t.SnoozedUntil != nil {
		t.SnoozedUntil = nil
		if err := t.notifyHolder(NotifySnoozeEnded, nil); err != nil {
			return err
		}
	}
	return t.emitWith(EventMessageReceived, "message", m)
}

// cancelOnReply cancels the scheduled messages that are not sent if the customer writes before.
func (in *InboundBatch) cancelOnReply(t *BatchConversation) {
	in.Tx.Later(`
		UPDATE scheduled_messages
		SET status = 'cancelled', updated_at = $3
		WHERE company = $1 AND conversation = $2 AND status = 'scheduled' AND cancel_on_reply`, t.Company, t.ID, in.Tx.Now)
}

// openWindow opens the service window with a message of the customer.
func (in *InboundBatch) openWindow(t *BatchConversation, m *Message) {
	if t.LastInboundAt == nil || !m.SentAt.Before(*t.LastInboundAt) {
		t.LastInboundAt = m.SentAt
		if !m.Notice.IsCall() { // a call cannot be marked as read
			t.LastInboundExt = m.ExternalID
		}
		t.FindWindow()
	}
}

// surveyAnswer returns what a message of the customer does if it answers a survey, or nil.
func (in *InboundBatch) surveyAnswer(t *BatchConversation, m *Message) (answer func() error, err error) {
	if t.Survey == nil && m.Choice == nil {
		return nil, nil
	}
	err = in.d.tell(func(o *Observer) (err error) {
		if answer == nil {
			answer, err = o.AnswersSurvey(in, t, m)
		}
		return err
	})
	return answer, err
}

// startWaiting records that the customer waits for an answer to a message of that time.
func (t *LockedConversation) startWaiting(since time.Time) {
	if t.awaits == nil {
		t.awaits = &since
	}
	if t.WaitingSince() == nil {
		t.SetWaiting(t.awaits)
	}
}

// open opens an attendance if the customer's messages need one and do not belong to the one that was just closed.
func (t *BatchConversation) open() error {
	needed := t.needsAttendance && t.Attendance == nil
	t.needsAttendance = false
	if !needed {
		return nil
	}
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

func (in *InboundBatch) sentFromPhone(t *BatchConversation, m *Message, quiet bool) error {
	if quiet {
		return nil
	}
	if err := t.emitWith(EventMessageSent, "message", m); err != nil {
		return err
	}
	if !m.Standby { // another app sends messages that are not the team's
		if err := t.open(); err != nil { // the batch may contain the customer's message that this one answers
			return err
		}
		t.pauseBot()
		if err := t.teamWrote(nil); err != nil {
			return err
		}
	}
	return in.settleEarly(t, m)
}

// EndMenu ends the menu of the open attendance, if there is one. The caller decides who gets the case.
func (t *LockedConversation) EndMenu() { t.Reception, t.ReceptionDue = nil, nil }

// SendAutomatic sends an automatic message; see LockedConversation.SendAutomatic.
func (in *InboundBatch) SendAutomatic(t *BatchConversation, text string, choices *provider.Interactive) (sent bool, err error) {
	return t.SendAutomatic(in.Channel.Provider, text, choices)
}

// SendAutomatic sends an automatic message with an optional list or buttons. It does not count as an answer of the team: the
// customer still waits, no person becomes responsible, and no attendance opens. It reports false if the company may send no
// automatic messages now: the message is then stored as failed, so that the team sees what the customer did not get. It does not
// become the last message of the conversation, and no event is raised, because nothing happened to the customer. A contact that has
// opted out gets nothing, and nothing is stored.
func (t *LockedConversation) SendAutomatic(channelProvider, text string, choices *provider.Interactive) (sent bool, err error) {
	if out, err := t.hasOptedOut(); err != nil || out {
		return false, err
	}
	return t.sendAutomatic(channelProvider, text, choices)
}

// sendAutomatic is SendAutomatic, also for contacts that have opted out.
func (t *LockedConversation) sendAutomatic(channelProvider, text string, choices *provider.Interactive) (sent bool, err error) {
	m := &Message{
		ID: kernel.NewID(), Conversation: t.ID, Company: t.Company, Channel: t.Channel, Private: t.Private,
		Direction: provider.Outbound, Origin: provider.OriginAutomation, Type: provider.TypeText, Text: &text, Interactive: choices,
		Status: provider.StatusQueued, Seq: t.next(), CreatedAt: t.Tx.Now,
	}
	if m.Interactive != nil {
		m.Type = provider.TypeInteractive
	}
	if sent, err = t.companyMayAutomate(); err != nil {
		return false, err
	}
	if sent {
		_, err = t.insertOutbound(m, channelProvider)
	} else {
		m.Status, m.Error = provider.StatusFailed, new(provider.NewReason(ErrorBudgetReached, "The budget of this month is used up, so automatic messages are not sent."))
		_, err = insertMessage(t.Tx, m)
	}
	return sent, err
}

// insertOutbound stores a new outbound message and queues it for the provider; a sandbox accepts it at once. It reports false if
// the client id is already used.
func (t *LockedConversation) insertOutbound(m *Message, channelProvider string) (bool, error) {
	sandbox := channelProvider == channels.ProviderSandbox
	if sandbox {
		m.Status, m.SentAt, m.ExternalID = provider.StatusSent, &t.Tx.Now, new("sandbox."+m.ID.String())
	}
	if inserted, err := insertMessage(t.Tx, m); err != nil || !inserted {
		return false, err
	}
	t.arrived(m)
	if sandbox {
		return true, t.emitWith(EventMessageSent, "message", m)
	}
	insertSend(t.Tx, m, nil)
	t.Tx.AfterCommit(t.d.notifySend)
	return true, nil
}

// conversation finds or creates the contact and the conversation of a message. It returns nil if the message has neither.
func (in *InboundBatch) conversation(msg *provider.IncomingMessage) (*BatchConversation, Contact, error) {
	at := moment(msg.At, in.Tx.Now)
	if in.simulated {
		at = time.Time{}
	}
	if w, ok := in.people[msg.Customer]; ok && msg.Group == nil && !at.Before(w.contact.CreatedAt) {
		return w.conversation, w.contact, nil
	}
	var contact Contact
	var err error
	if !msg.Customer.IsZero() {
		contact, err = in.d.contactFor(in.Tx, in.Channel, msg.Customer, at, in.join)
		if errors.Is(err, errErased) {
			return nil, contact, nil
		}
		if err != nil {
			return nil, contact, err
		}
	}
	var t *LockedConversation
	switch {
	case msg.Group != nil:
		t, _, err = in.d.groupConversation(in.Tx, in.Channel, *msg.Group)
	case contact.ID.IsZero():
		in.d.Log.Warn("ignored a message without a contact", slog.String("channel", in.Channel.ID.String()))
		return nil, contact, nil
	default:
		t, _, err = in.d.conversationWith(in.Tx, in.Channel, contact)
	}
	if err != nil {
		return nil, contact, err
	}
	entry := in.hold(t)
	if msg.Group != nil {
		entry.nameGroup(*msg.Group)
	} else {
		in.people[msg.Customer] = writer{contact, entry}
	}
	return entry, contact, nil
}

// newMessage converts an incoming message, without its file. CreatedAt and SentAt are when it was written, by the provider's
// clock. Its sequence number is that of its arrival, or for imported history that of its time.
func (in *InboundBatch) newMessage(t *BatchConversation, contact Contact, msg *provider.IncomingMessage) (*Message, error) {
	at := moment(msg.At, in.Tx.Now)
	m := &Message{
		ID: kernel.NewID(), Conversation: t.ID, Company: t.Company, Channel: t.Channel, Private: t.Private,
		Direction: provider.Inbound, Origin: provider.OriginCustomer, Type: messageType(msg.Type),
		Text: kernel.TextOrNil(kernel.CleanText(msg.Text)), ReplyTo: kernel.TextOrNil(msg.ReplyTo), ExternalID: &msg.ExternalID,
		Status:   provider.StatusReceived,
		Referral: msg.Referral, Product: msg.Product,
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
	if c := msg.Choice; c != nil {
		m.Choice = &provider.Choice{ID: kernel.CleanText(c.ID), Title: kernel.CleanText(c.Title)}
	}
	var err error
	if msg.History {
		m.ID = kernel.NewIDAt(at) // searches order messages by id
		m.Seq, err = t.historySeq(at)
	}
	return m, err
}

func (in *InboundBatch) attachFile(m *Message, msg *provider.IncomingMessage, upload *Media) {
	if upload != nil {
		attach(m, upload)
	} else if msg.Media != nil {
		attach(m, in.awaitedMedia(msg))
		m.Voice = msg.Media.Voice && m.Type == provider.TypeAudio
	}
}

// sameExternalID handles a message whose external id another message already has, and reports whether there is nothing left to
// store. A message that a caller leaves has the id of the call. It keeps the id, because it can be replied to, and the call
// gets another.
func (in *InboundBatch) sameExternalID(msg *provider.IncomingMessage) (done bool, err error) {
	call := msg.Notice.IsCall()
	stored, _, found, err := in.stored(msg.ExternalID)
	if err != nil {
		return true, err
	}
	if !found || call == stored.Notice.IsCall() {
		late := found && stored.Notice.IsOnPhoneOnly() && !msg.Notice.IsOnPhoneOnly() // it could not be decrypted at first
		return true, in.fillPlaceholder(msg, late)
	}
	callID := "call:" + msg.ExternalID
	if call {
		msg.ExternalID = callID
		_, _, found, err = in.stored(callID)
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
	stored.ExternalID = &callID
	saveMessageStatus(in.Tx, &stored)
	return false, t.emitUpdated(&stored, "external_id")
}

// fillPlaceholder replaces a notice by the message itself, which has the same id: a file of the imported history, which like the
// history itself emits no events, or a message that arrives late.
func (in *InboundBatch) fillPlaceholder(msg *provider.IncomingMessage, late bool) error {
	if !late && (!msg.History || msg.Media == nil) {
		return nil
	}
	t, m, err := in.lockMessage(msg.ExternalID, kernel.ID{})
	if err != nil || m == nil || m.Type != provider.TypeUnsupported || m.MediaID != nil || m.RevokedAt != nil {
		return err
	}
	var contact Contact
	if t.Contact != nil {
		if contact, _, err = findContact(in.Tx, t.Company, *t.Contact); err != nil {
			return err
		}
	}
	before := *m
	m.Type, m.Text, m.Notice = messageType(msg.Type), kernel.TextOrNil(kernel.CleanText(msg.Text)), msg.Notice
	fields := append([]string{"type", "text", "media_id", "media"}, removedDetails(&before, m)...)
	if late {
		m.ReplyTo = kernel.TextOrNil(msg.ReplyTo)
		fields = append(fields, "reply_to_external_id")
	}
	in.attachFile(m, msg, nil)
	t.silent = t.silent || msg.History || contact.Blocked
	if err := in.messageChanged(t, m, fields...); err != nil {
		return err
	}
	if late && before.Notice.IsOnPhoneOnly() && !msg.History && m.Direction == provider.Inbound && !m.Standby && t.Contact != nil {
		return in.readLate(t, m, msg, contact)
	}
	return nil
}

// readLate handles a message of the customer whose notice has opened an attendance and is unread: it may be a keyword, a rating or the
// answer to a menu.
func (in *InboundBatch) readLate(t *BatchConversation, m *Message, msg *provider.IncomingMessage, contact Contact) error {
	t.changed, t.emits = true, t.emits || !contact.Blocked
	if optsOut, isKeyword := t.asksToOpt(msg, m, &contact); isKeyword {
		return in.optLate(t, m, msg, contact, optsOut)
	}
	t.Automation = contact.Automates()
	if contact.Blocked {
		return nil
	}
	answer, err := in.surveyAnswer(t, m)
	if err != nil {
		return err
	}
	if answer != nil {
		return answer()
	}
	t.Messages = append(t.Messages, m)
	return nil
}

// awaitedMedia adds a file for FetchLoop to fetch from the provider.
func (in *InboundBatch) awaitedMedia(msg *provider.IncomingMessage) *Media {
	mime, _, _ := strings.Cut(msg.Media.MimeType, ";")
	file := &Media{
		ID: kernel.NewID(), Company: in.Channel.Company, Channel: &in.Channel.ID, Private: in.Channel.Private,
		Kind: MediaKind(messageType(msg.Type)), MimeType: kernel.CleanText(mime), Awaited: true, CreatedAt: in.Tx.Now,
		Provider: MediaAtProvider{ID: msg.Media.ProviderID, SHA256: msg.Media.SHA256},
	}
	file.FileName = media.SafeName(msg.Media.FileName, file.MimeType)
	in.Tx.Later(`
		INSERT INTO media (id, company, channel, private, kind, mime_type, file_name, size, stored, provider_id, fetch_at,
			fetch_tries, created_at, provider_sha256)
		VALUES ($1, $2, $3, $4, $5, $6, $7, 0, FALSE, $8, $9, 0, $9, $10)`,
		file.ID, file.Company, file.Channel, file.Private, file.Kind, file.MimeType, file.FileName, file.Provider.ID, file.CreatedAt,
		file.Provider.SHA256)
	in.Tx.AfterCommit(in.d.Wakeup(channels.WakeFetch).Notify)
	return file
}

// moment returns the provider's time of an event, or now if there is none or it is in the future.
func moment(at, now time.Time) time.Time {
	if at.IsZero() || at.After(now) {
		return now
	}
	return at.UTC().Truncate(time.Millisecond)
}

func messageType(kind string) string {
	switch kind {
	case provider.TypeText, provider.TypeImage, provider.TypeAudio, provider.TypeVideo, provider.TypeDocument, provider.TypeSticker,
		provider.TypeLocation, provider.TypeContacts:
		return kind
	}
	return provider.TypeUnsupported
}
