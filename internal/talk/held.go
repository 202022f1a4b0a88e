package talk

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// HeldLife is how long a held message waits for the customer.
const HeldLife = 7 * 24 * time.Hour

// MaxHeld is the maximum number of held messages in a conversation.
const MaxHeld = 50

// reopenEvery is the minimum time between two reopening templates in a conversation.
const reopenEvery = 24 * time.Hour

// ErrorWindowClosed is the error code of a held message that was never sent because the service window stayed closed.
const ErrorWindowClosed = "window_closed"

// The reasons of ErrorWindowClosed.
const (
	heldCancelled = "cancelled" // by a member
	heldDeclined  = "declined"  // by the customer
	heldExpired   = "expired"
)

func errWindowClosed(reason string) provider.Reason {
	message := map[string]string{
		heldCancelled: "The message was cancelled before the customer wrote again.",
		heldDeclined:  "The customer declined to receive the message.",
		heldExpired:   "The customer did not write within seven days.",
	}[reason]
	return provider.NewReason(ErrorWindowClosed, message, kernel.Params{"reason": reason})
}

// heldMessage is a message that waits for the customer, with the member and the API key that sent it.
type heldMessage struct {
	message   kernel.ID
	member    kernel.Ref
	key       *kernel.ID
	expiresAt time.Time
}

// listHeld returns the held messages of a locked conversation in order.
func listHeld(tx *kernel.Tx, company, conversation kernel.ID) ([]heldMessage, error) {
	return kernel.Rows(tx, `
		SELECT h.message, h.member, u.name AS member_name, h.key_id, h.expires_at
		FROM held_messages h
		JOIN messages m ON m.company = h.company AND m.id = h.message
		JOIN users u ON u.company = h.company AND u.id = h.member
		WHERE h.company = $1 AND h.conversation = $2
		ORDER BY m.seq`, []any{company, conversation}, func(r db.Row) heldMessage {
		member := kernel.Ref{ID: r.ID("member"), Name: r.Text("member_name")}
		return heldMessage{r.ID("message"), member, r.NullID("key_id"), r.Time("expires_at")}
	})
}

func deleteHeld(tx *kernel.Tx, m *Message) {
	tx.Later(`DELETE FROM held_messages WHERE company = $1 AND message = $2`, m.Company, m.ID)
}

// hold stores a message that is sent when the customer writes again, and asks the customer to do so.
func (d *Talk) hold(t *LockedConversation, a *kernel.Principal, o *Outbox, m *Message) (accepted, error) {
	template, isSet, usable, err := channels.FindReopening(t.Tx, t.Company, t.Channel)
	if err != nil || !isSet {
		return accepted{}, kernel.ErrOr(err, kernel.Errorf(kernel.CodeNoReopenTemplate,
			"The channel has no template that asks customers to answer. Set reopen_template of the channel."))
	}
	// A concurrent call with the same client id may have been faster. It has sent the template and opened an attendance.
	_, _, found, err := selectMessage(t.Tx, `m.company = $1 AND m.client_id = $2`, t.Company, *m.ClientID)
	if err != nil {
		return accepted{}, err
	}
	if found {
		return sentBefore(t.Tx, a, t.ID, *m.ClientID)
	}
	if err := t.checkHeld(); err != nil {
		return accepted{}, err
	}
	if !a.ActsAsIntegration() {
		err = t.teamHolds(&a.User)
	}
	if err == nil {
		err = t.askToReopen(&template, usable)
	}
	if err != nil {
		return accepted{}, err
	}
	m.ID, m.Status, m.Seq = kernel.NewID(), provider.StatusHeld, t.next() // after the template
	if inserted, err := insertMessage(t.Tx, m); err != nil || !inserted {
		return accepted{}, kernel.ErrOr(err, errClientID())
	}
	t.arrived(m)
	t.signalHeld()
	var key *kernel.ID
	if a.Kind() == kernel.KindKey {
		key = &a.Key
	}
	t.Tx.Later(`
		INSERT INTO held_messages (company, message, conversation, channel, member, key_id, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, m.Company, m.ID, m.Conversation, m.Channel, a.User.ID, key, t.Tx.Now.Add(HeldLife))
	if o.Rendered {
		err = countUses(t.Tx, a, m)
	}
	if a.Kind() == kernel.KindSession {
		t.pauseBot()
	}
	if err == nil {
		err = t.Save()
	}
	return accepted{message: m}, err
}

// checkHeld returns an error if the conversation has the maximum number of held messages.
func (t *LockedConversation) checkHeld() error {
	var n int64
	_, err := t.Tx.One(`SELECT COUNT(*) AS total FROM held_messages WHERE company = $1 AND conversation = $2`,
		[]any{t.Company, t.ID}, func(r db.Row) { n = r.Int("total") })
	if err == nil && n >= MaxHeld {
		err = kernel.LimitReached("held messages in one conversation", MaxHeld)
	}
	return err
}

// signalHeld notifies live streams after the commit that a message is held. Events follow when it changes.
func (t *LockedConversation) signalHeld() {
	s := conversationSignal(signalHeld, t.Company, t.ID, kernel.Audience{Seeing: t.Conversation.Visibility()})
	t.Tx.AfterCommit(func() { t.d.Signal(s) })
}

// teamHolds handles a message of a member that is not sent yet. It opens an attendance, or takes over the open one, like a message
// that is sent, but it is no response: the customer still waits.
func (t *LockedConversation) teamHolds(member *kernel.Ref) error {
	if t.Attendance == nil && t.Kind == KindDirect {
		return t.teamWrote(member)
	}
	t.EndMenu()
	if t.Attendance == nil {
		return nil
	}
	if t.Assignee != nil && t.Sector != nil {
		keepDistributed(t.Tx, t.Company, t.Attendance.ID)
	}
	takes, err := t.takesOver(member)
	if err != nil || !takes {
		return err
	}
	att, err := t.openOne()
	if err != nil {
		return err
	}
	return t.takeOver(att, member)
}

// askToReopen sends the reopening template, unless the customer got one in the last 24 hours.
func (t *LockedConversation) askToReopen(template *provider.ChannelTemplate, usable bool) error {
	asked := false
	if t.Reopening != nil {
		last, _, found, err := findMessage(t.Tx, t.Company, *t.Reopening)
		if err != nil {
			return err
		}
		failed := last.Status == provider.StatusFailed && last.Error.Code != ErrorUncertain
		asked = found && !failed && t.Tx.Now.Sub(last.CreatedAt) < reopenEvery
	}
	if asked {
		return nil
	}
	if !usable {
		return kernel.Errorf(kernel.CodeTemplateUnavailable,
			"The template that asks customers to answer is no longer approved by WhatsApp. Choose another reopen_template for the channel.")
	}
	if template.IsMarketing() {
		if out, err := t.hasOptedOut(); err != nil || out {
			return kernel.ErrOr(err, errOptedOut())
		}
	}
	protocol, err := t.protocol()
	if err != nil {
		return err
	}
	out := channels.FillReopening(template, protocol)
	raw, err := json.Marshal(out)
	if err != nil {
		return err
	}
	m := &Message{
		ID: kernel.NewID(), Conversation: t.ID, Company: t.Company, Channel: t.Channel, Private: t.Private,
		Direction: provider.Outbound, Origin: provider.OriginAutomation, Type: provider.TypeText, Text: new(template.Fill(out.Parameters)),
		Status: provider.StatusQueued, Seq: t.next(), CreatedAt: t.Tx.Now, template: new(string(raw)),
	}
	if _, err := t.insertOutbound(m, channels.ProviderWhatsApp); err != nil {
		return err
	}
	t.Reopening = &m.ID
	t.Tx.Later(`UPDATE conversations SET reopening = $3 WHERE company = $1 AND id = $2`, t.Company, t.ID, m.ID)
	return nil
}

// protocol returns the protocol of the open attendance, else of the last one, else a dash.
func (t *LockedConversation) protocol() (string, error) {
	if t.Attendance != nil {
		return t.Attendance.Protocol, nil
	}
	protocol := "-"
	_, err := t.Tx.One(`
		SELECT number
		FROM attendances
		WHERE company = $1 AND conversation = $2
		ORDER BY opened_at DESC, id DESC
		LIMIT 1`, []any{t.Company, t.ID}, func(r db.Row) { protocol = FormatProtocol(r.Int("number")) })
	return protocol, err
}

// customerReply is what the customer's messages of a batch mean for held messages.
type customerReply struct {
	declines bool // the first one is a quick reply that declines
	typed    bool // one of them is not just a quick reply or a keyword
	blocked  bool // the contact
}

// replied records a message of the customer for settleHeld. A customer who opts out with a keyword declines.
func (t *BatchConversation) replied(msg *provider.IncomingMessage, contact *Contact, isKeyword, optsOut bool) {
	if t.reply == nil {
		t.reply = &customerReply{declines: msg.Payload == channels.PayloadDecline || isKeyword && optsOut, blocked: t.Contact != nil && contact.Blocked}
	}
	t.reply.typed = t.reply.typed || msg.Payload == "" && !isKeyword
}

// settleHeld releases the held messages of a conversation in which the customer wrote, or fails them if the customer declined. The
// first message of the batch decides. If the customer's message arrived so late that the window is closed again, they stay held.
//
// A customer who only pressed a quick reply and got the messages, or declined, does not wait for a response: no attendance opens for
// the quick reply, and nothing answers it. A released message may open one, like any message of the team.
func (in *InboundBatch) settleHeld(t *BatchConversation) error {
	reply := t.reply
	if t.reply = nil; reply == nil || t.Reopening == nil {
		return nil
	}
	if reply.typed {
		if err := t.open(); err != nil { // released messages belong to this attendance
			return err
		}
	}
	held, err := listHeld(in.Tx, t.Company, t.ID)
	if err != nil {
		return err
	}
	if !reply.declines && in.Tx.Now.Sub(*t.LastInboundAt) >= ServiceWindow {
		held = nil
	}
	awaits, asked := t.awaits, reply.declines
	silent := t.silent
	t.silent = false // messages of the team also change if the contact is blocked
	defer func() { t.silent = silent }()
	r := &releasing{BatchConversation: t, reply: reply, senders: map[heldSender]sender{}}
	for _, h := range held {
		m, _, found, err := findMessage(in.Tx, t.Company, h.message)
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		switch {
		case !h.expiresAt.After(in.Tx.Now):
			err = t.failHeld(&m, errWindowClosed(heldExpired))
		case reply.declines:
			err = t.failHeld(&m, errWindowClosed(heldDeclined))
		default:
			err = r.release(h, &m)
			asked = asked || m.Status == provider.StatusQueued
		}
		if err != nil {
			return err
		}
	}
	switch {
	case asked && !reply.typed:
		if sameTime(t.WaitingSince(), awaits) {
			t.SetWaiting(nil)
		}
		awaits, t.needsAttendance, t.Messages = nil, false, nil
	case t.WaitingSince() == nil: // for a response to this batch
		t.SetWaiting(awaits)
	}
	t.awaits = awaits
	return nil
}

// releasing releases the held messages of a conversation.
type releasing struct {
	*BatchConversation
	reply   *customerReply
	senders map[heldSender]sender
}

// heldSender is who sent a held message: a member, or an API key that is not zero.
type heldSender struct{ member, key kernel.ID }

// sender is the result of senderOf.
type sender struct {
	principal *kernel.Principal
	err       error
}

// release queues a held message, or fails it if it may no longer be sent.
func (t *releasing) release(h heldMessage, m *Message) error {
	a, err := t.mayRelease(h)
	if refused, known := errors.AsType[*kernel.Error](err); known {
		return t.failHeld(m, provider.NewReason(string(refused.Code), refused.Message, refused.Params))
	}
	if err != nil {
		return err
	}
	m.Status = provider.StatusQueued
	saveMessageStatus(t.Tx, m)
	deleteHeld(t.Tx, m)
	insertSend(t.Tx, m, &t.Tx.Now)
	t.Tx.AfterCommit(t.d.notifySend)
	t.showStatus(m)
	if a.Kind() == kernel.KindSession {
		t.pauseBot()
	}
	if !a.ActsAsIntegration() {
		// It responds to what the customer wrote before it, not to the message that releases it.
		waited := t.before.WaitingSince()
		if waited != nil && kernel.Same(t.before.AttendanceID(), t.AttendanceID()) && !waited.After(m.CreatedAt) {
			err = t.answered(&a.User)
		} else {
			err = t.teamHolds(&a.User)
		}
	}
	m.releaseIn(t.Tx, t.AttendanceID()) // teamHolds may have opened it
	return kernel.ErrOr(err, t.emitUpdated(m, "status"))
}

// mayRelease returns the principal that sent a held message, with its current permissions, or an error with the reason why the
// message may no longer be sent. All members may send messages, and the scopes of a key never change.
func (t *releasing) mayRelease(h heldMessage) (*kernel.Principal, error) {
	id := heldSender{member: h.member.ID}
	kernel.Set(&id.key, h.key)
	s, known := t.senders[id]
	if !known {
		s.principal, s.err = t.d.senderOf(t.Tx, t.Company, h.member, h.key)
		if kernel.CodeOf(s.err) == kernel.CodeKeyExpired {
			s.err = kernel.Errorf(kernel.CodeKeyRevoked, "The API key that sent it has expired.")
		}
		t.senders[id] = s
	}
	a := s.principal
	switch {
	case s.err != nil:
		return nil, s.err
	case !MaySee(a, &t.Conversation):
		return nil, kernel.Errorf(kernel.CodeNotVisible, "%s can no longer see this conversation.", a.User.Name)
	case t.reply.blocked:
		return nil, kernel.Errorf(kernel.CodeContactBlocked, "The contact was blocked before the message was sent.")
	}
	return a, t.mayAnswer(a)
}

// failHeld fails a held message and notifies its author; see notifyHeld.
func (t *LockedConversation) failHeld(m *Message, reason provider.Reason) error {
	if err := t.endHeld(m, reason); err != nil {
		return err
	}
	return t.notifyHeld(m, nil)
}

// notifyHeld notifies the author of a held message that it failed. If it has no author, or one who cannot see the conversation, it
// notifies the responsible member. by is who cancelled the message, if anyone.
func (t *LockedConversation) notifyHeld(m *Message, by *kernel.Ref) error {
	for _, member := range []*kernel.ID{kernel.RefID(m.SentBy), t.Assignee} {
		if member == nil {
			continue
		}
		if seen, err := t.notifyIfSeen(NotifyMessageFailed, by, &m.ID, *member); err != nil || seen {
			return err
		}
	}
	return nil
}

// endHeld fails a held message. The caller saves the conversation.
func (t *LockedConversation) endHeld(m *Message, reason provider.Reason) error {
	m.Status, m.Error = provider.StatusFailed, &reason
	saveMessageStatus(t.Tx, m)
	deleteHeld(t.Tx, m)
	t.showStatus(m)
	return t.emitUpdated(m, "status")
}

// ExpireHeld fails the messages that have been held for too long, in up to limit conversations, and returns the number of
// conversations. Several nodes may run it concurrently.
func (d *Talk) ExpireHeld(ctx context.Context, limit int) (int, error) {
	return d.changeDue(ctx, func(t *LockedConversation) error {
		held, err := listHeld(t.Tx, t.Company, t.ID)
		if err != nil {
			return err
		}
		for _, h := range held {
			if h.expiresAt.After(t.Tx.Now) {
				continue
			}
			m, _, found, err := findMessage(t.Tx, t.Company, h.message)
			if err == nil && found {
				err = t.failHeld(&m, errWindowClosed(heldExpired))
			}
			if err != nil {
				return err
			}
		}
		return t.Save()
	}, `
		SELECT /* all companies: due work */ DISTINCT company, conversation AS id
		FROM held_messages
		WHERE expires_at <= $1
		LIMIT $2`, d.Now(), limit)
}

// UpdateHeld changes the text or caption of a held message, or the text of a sent one; see changeSent.
func (d *Talk) UpdateHeld(ctx context.Context, a *kernel.Principal, id kernel.ID, text string) (*Message, error) {
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (*Message, error) {
		t, o, m, err := d.lockOwn(tx, a, id)
		if err != nil {
			return nil, err
		}
		in := NewMessage{Text: &text, MediaID: m.MediaID}
		if invalid := in.check(); invalid != nil {
			return nil, invalid
		}
		before := m.Text
		m.Text = &text
		if m.MediaID != nil {
			m.Text = kernel.TextOrNil(text)
			if m.Text != nil && (m.Type == provider.TypeAudio || m.Type == provider.TypeSticker) {
				return nil, errNoCaption()
			}
		}
		if m.Origin == provider.OriginApp && !signedBefore(before, text) {
			if err := o.sign(m); err != nil {
				return nil, err
			}
		}
		if m.Status != provider.StatusHeld {
			change := messageChange{Kind: changeEdit, Text: *cmp.Or(m.Text, new(""))}
			m.Text = before
			return m, t.changeSent(a, o, m, change)
		}
		if kernel.Same(before, m.Text) {
			return m, nil
		}
		saveMessageContent(tx, m)
		if lastOf(&t.Conversation).ID == m.ID {
			t.showLast(m)
		}
		if err := t.emitUpdated(m, "text"); err != nil {
			return nil, err
		}
		return m, t.Save()
	})
}

// signedBefore reports whether a changed text still begins with the signature of the text before it. The name of its author, which
// is signed, may have changed since.
func signedBefore(before *string, text string) bool {
	if before == nil {
		return false
	}
	line, _, _ := strings.Cut(*before, "\n")
	return channels.IsSignature(line) && strings.HasPrefix(text, line)
}

// CancelHeld fails a held message, so that it is not sent. If another than its author cancels it, notifyHeld says who is notified. A
// message that was sent is deleted for everyone; see changeSent.
func (d *Talk) CancelHeld(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		t, o, m, err := d.lockOwn(tx, a, id)
		if err != nil {
			return err
		}
		if m.Status != provider.StatusHeld {
			return t.changeSent(a, o, m, messageChange{Kind: changeRevoke})
		}
		if err := t.endHeld(m, errWindowClosed(heldCancelled)); err != nil {
			return err
		}
		if !m.isBy(a) {
			if err := t.notifyHeld(m, &a.User); err != nil {
				return err
			}
		}
		return t.Save()
	})
}

// isBy reports whether the principal is the author of a message of the team.
func (m *Message) isBy(a *kernel.Principal) bool {
	return m.SentBy != nil && m.SentBy.ID == a.User.ID || m.Integration != nil && m.Integration.ID == a.Key
}

// lockOwn locks the conversation of a message that the principal may change: its author, and everyone who may send there. The
// Outbox has the signature of the author.
func (d *Talk) lockOwn(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) (*LockedConversation, *Outbox, *Message, error) {
	m, _, found, err := findMessage(tx, a.Company.ID, id)
	var o Outbox
	for range 2 { // twice if its conversation is joined with another before it is locked
		if err == nil && found && o.Conversation.ID != m.Conversation {
			author := cmp.Or(kernel.RefID(m.SentBy), &kernel.ID{})
			if o, _, err = lockOutbox(tx, a.Company.ID, m.Conversation, kernel.ID{}, *author); err == nil {
				m, _, found, err = findMessage(tx, a.Company.ID, id) // again, after locking its conversation
			}
		}
	}
	if err != nil || !found || o.Conversation.ID != m.Conversation || !MaySee(a, &o.Conversation) {
		return nil, nil, nil, kernel.ErrOr(err, kernel.NotFound("message"))
	}
	if m.Status != provider.StatusHeld && o.Provider != channels.ProviderLinked {
		return nil, nil, nil, kernel.Errorf(kernel.CodeNotHeld, "This message is not held: it is %s.", m.Status)
	}
	t := d.Locked(tx, o.Conversation)
	if !m.isBy(a) {
		err = t.mayAnswer(a)
	}
	return t, &o, &m, err
}

type updateHeldInput struct {
	httpserver.AtID
	Body struct {
		Text string `json:"text" minLength:"0" maxLength:"4096" doc:"The new text, or the new caption of a file: at most 1024 characters, and empty for none."`
	}
}

func (s *handlers) updateHeld(ctx context.Context, a *kernel.Principal, in *updateHeldInput) (*httpserver.Reply[*Message], error) {
	return httpserver.Body(s.verbs.UpdateHeld(ctx, a, kernel.ID(in.ID), in.Body.Text))
}
