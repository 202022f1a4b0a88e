package desk

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/model"
	"recado/internal/phone"
	"recado/internal/store"
)

// The kinds of change that a message can undergo after it was written.
const (
	changeEdit     = "edit"
	changeRevoke   = "revoke"
	changeReaction = "reaction"
)

// messageChange is an edit, a revocation or a reaction, whose message may not have arrived yet.
type messageChange struct {
	Kind   string       `json:"-"`
	Text   string       `json:"text,omitempty"`
	Emoji  string       `json:"emoji,omitempty"`
	Sender model.Sender `json:"sender"`
	At     time.Time    `json:"-"`
}

func (in *inboundBatch) edit(e *model.IncomingEdit) error {
	return in.change(e.ExternalID, messageChange{Kind: changeEdit, Text: e.Text, Sender: e.Sender, At: madeAt(e.At, in.tx.Now)})
}

func (in *inboundBatch) revoke(r *model.IncomingRevoke) error {
	return in.change(r.ExternalID, messageChange{Kind: changeRevoke, Sender: r.Sender, At: madeAt(r.At, in.tx.Now)})
}

func (in *inboundBatch) react(r *model.IncomingReaction) error {
	return in.change(r.ExternalID, messageChange{Kind: changeReaction, Emoji: cleanText(r.Emoji), Sender: r.Sender, At: madeAt(r.At, in.tx.Now)})
}

// clocksDiffer is how far the provider's clock may be ahead of the server's.
const clocksDiffer = 10 * time.Minute

// madeAt is when a change was made. Changes are put in order by the provider's clock alone, also where it is a little ahead
// of the server's.
func madeAt(at, now time.Time) time.Time {
	if at.IsZero() || at.After(now.Add(clocksDiffer)) {
		return now
	}
	return at.UTC().Truncate(time.Millisecond)
}

// change applies a change to its message, or keeps it until the message comes.
func (in *inboundBatch) change(external string, c messageChange) error {
	conversation, found, err := in.tx.ConversationOfExternalID(in.channel.ID, external)
	if err != nil {
		return err
	}
	if !found {
		return in.parkChange(external, c)
	}
	t, err := in.locked(conversation)
	if err != nil || t == nil {
		return err
	}
	m, found, err := in.tx.MessageWithExternalID(in.channel.ID, external)
	if err != nil || !found {
		return err
	}
	was := m
	changed, err := in.apply(t, &m, c)
	if err != nil || !changed {
		return err
	}
	return in.messageChanged(t, &m, c.fields(&was, &m)...)
}

// fields names the fields of a message that a change touched.
func (c *messageChange) fields(was, is *model.Message) []string {
	switch {
	case c.Kind == changeReaction:
		return []string{fieldReactions}
	case c.Kind == changeEdit:
		return []string{"text", "edited_at"}
	case same(was.Text, is.Text) && same(was.MediaID, is.MediaID): // kept, or empty before
		return []string{"revoked_at"}
	}
	names := []string{"text", "media_id", "media", "revoked_at"}
	for name, had := range map[string]bool{
		"interactive": was.Interactive != nil, "choice": was.Choice != nil, "voice": was.Voice, "referral": was.Referral != nil, "product": was.Product != nil,
	} {
		if had {
			names = append(names, name)
		}
	}
	slices.Sort(names[4:])
	return names
}

const fieldReactions = "reactions"

// messageChanged saves a message whose content changed, and the conversation where it shows the message,
// and raises message.updated with the names of the fields. Every change of a stored message's content comes
// through here.
func (in *inboundBatch) messageChanged(t *batchConversation, m *model.Message, changed ...string) error {
	if slices.Contains(changed, fieldReactions) {
		in.tx.SaveReactions(m)
	}
	if len(changed) > 1 || changed[0] != fieldReactions {
		in.tx.SaveMessageContent(m)
	}
	if t.LastMessage != nil && t.LastMessage.ID == m.ID {
		t.showLast(m)
		t.changed, t.emits = true, true
	}
	return t.emitUpdated(m, changed...)
}

// apply makes a change to a message and reports whether anything is different. Of two edits, or two
// reactions of a person, the later-made counts, and of two made at the same time the later to arrive.
// A change by a person who is not the author of the message is ignored.
func (in *inboundBatch) apply(t *batchConversation, m *model.Message, c messageChange) (bool, error) {
	who, allowed, err := in.changer(t, m, c)
	if err != nil || !allowed {
		return false, err
	}
	t.silent = who.Blocked
	switch c.Kind {
	case changeEdit:
		text := optional(cleanText(c.Text))
		if m.RevokedAt != nil || m.EditedAt != nil && (c.At.Before(*m.EditedAt) || c.At.Equal(*m.EditedAt) && same(m.Text, text)) {
			return false, nil
		}
		m.Text, m.EditedAt = text, &c.At
		return true, nil
	case changeRevoke:
		if m.RevokedAt != nil {
			return false, nil
		}
		m.RevokedAt = &c.At
		return true, in.empty(m)
	}
	return in.applyReaction(t, m, c, who), nil
}

// empty removes the content of a message that its author deleted, unless the company keeps such messages.
func (in *inboundBatch) empty(m *model.Message) error {
	keep, err := in.keepsRevoked()
	if err != nil || keep {
		return err
	}
	m.Text, m.MediaID, m.Media, m.Interactive, m.Choice, m.Voice = nil, nil, nil, nil, nil, false
	m.Referral, m.Product = nil, nil
	in.tx.EraseMessageSource(m)
	return nil
}

// keepsRevoked reports whether the company keeps the content of messages that their authors deleted.
func (in *inboundBatch) keepsRevoked() (bool, error) {
	rules, err := in.tx.AttendanceRules(in.channel.Company)
	return rules.KeepRevoked, err
}

// applyReaction puts a reaction on a message. A customer's marks the conversation as unread.
func (in *inboundBatch) applyReaction(t *batchConversation, m *model.Message, c messageChange, who model.Contact) bool {
	r := model.Reaction{Emoji: c.Emoji, By: model.ByCustomer, At: c.At}
	if c.Sender.FromPhoneApp {
		r.By = model.ByTeam
	} else if t.Kind == model.KindGroup && !who.ID.IsZero() {
		r.Contact = &who.ID
	}
	before := len(m.Reactions)
	shown := m.Reactions.Set(r)
	if shown && c.Emoji != "" && r.By == model.ByCustomer && !who.Blocked {
		t.UnreadCount = max(t.UnreadCount, 1)
		t.Unread, t.changed, t.emits = true, true, true
	}
	return shown || len(m.Reactions) != before
}

// changer finds who makes a change and reports whether they may: the author edits and deletes, every participant in
// the conversation reacts.
func (in *inboundBatch) changer(t *batchConversation, m *model.Message, c messageChange) (who model.Contact, allowed bool, err error) {
	if c.Sender.FromPhoneApp {
		return who, c.Kind == changeReaction || m.Direction == model.Outbound, nil
	}
	if c.Kind != changeReaction && m.Direction != model.Inbound {
		return who, false, nil
	}
	author := t.Contact
	if m.Author != nil {
		author = m.Author.ID
	}
	p := c.Sender.Customer
	known, err := in.tx.ContactsKnownAs(in.channel.Company, in.channel.Pool(), [2]string{p.UserID}, [2]string{p.WAID}, phone.Key(p.Phone))
	if err != nil {
		return who, false, err
	}
	for _, k := range known {
		if who.ID.IsZero() || same(author, &k.Contact.ID) {
			who = k.Contact
		}
	}
	anyParticipant := c.Kind == changeReaction && t.Kind == model.KindGroup
	return who, anyParticipant || p.IsZero() || author == nil || same(author, &who.ID), nil
}

// parkChange keeps a change whose message is not here.
func (in *inboundBatch) parkChange(external string, c messageChange) error {
	body, err := json.Marshal(c)
	if err != nil {
		return err
	}
	p := c.Sender.Customer
	sender := cmp.Or(p.UserID, phone.Key(cmp.Or(p.Phone, p.WAID)))
	if c.Sender.FromPhoneApp {
		sender = model.ByTeam
	}
	kept, err := in.tx.ParkChange(in.channel.ID, external, store.EarlyChange{Kind: c.Kind, Sender: sender, Body: string(body), At: c.At})
	if err == nil && !kept {
		in.d.log.Warn("a change of an unknown message was left out: too many wait already", slog.String("channel", in.channel.ID.String()))
	}
	return err
}

// earlyChanges gives the changes that came before their message, which is about to be stored.
func (in *inboundBatch) earlyChanges(external string) ([]messageChange, error) {
	parked, err := in.tx.TakeEarlyChanges(in.channel.ID, external)
	out := make([]messageChange, 0, len(parked))
	for _, p := range parked {
		c := messageChange{Kind: p.Kind, At: p.At}
		if json.Unmarshal([]byte(p.Body), &c) == nil {
			out = append(out, c)
		}
	}
	return out, err
}

// settleChanges applies the changes that were put aside while their message was being stored.
func (in *inboundBatch) settleChanges(t *batchConversation, m *model.Message) error {
	changes, err := in.earlyChanges(*m.ExternalID)
	var fields []string
	for _, c := range changes {
		if err != nil {
			return err
		}
		var changed bool
		was := *m
		if changed, err = in.apply(t, m, c); changed {
			fields = append(fields, c.fields(&was, m)...)
		}
	}
	if err != nil || len(fields) == 0 {
		return err
	}
	slices.Sort(fields)
	return in.messageChanged(t, m, slices.Compact(fields)...)
}

// status takes a report about a message that was sent. It names the message by the provider's id, or by the id that
// was sent along with it; a report about an unknown message waits until the message is stored.
func (in *inboundBatch) status(s *model.IncomingStatus) error {
	if reaction, err := in.reactionStatus(s); err != nil || reaction {
		return err
	}
	at := moment(s.At, in.tx.Now)
	conversation, found, err := in.tx.ConversationOfExternalID(in.channel.ID, s.ExternalID)
	if err != nil {
		return err
	}
	ours, isOurs := model.ParseID(s.ClientID)
	if !found && isOurs {
		if conversation, found, err = in.tx.ConversationOfMessage(in.channel.ID, ours); err != nil {
			return err
		}
	}
	if !found {
		in.tx.ParkStatus(in.channel.ID, s.ExternalID, store.EarlyStatus{Status: s.Status, Error: s.Error, At: at})
		return nil
	}
	t, err := in.locked(conversation)
	if err != nil || t == nil {
		return err
	}
	m, found, err := in.tx.MessageWithExternalID(in.channel.ID, s.ExternalID)
	if err == nil && !found && isOurs {
		m, _, found, err = in.tx.Message(in.channel.Company, ours)
	}
	if err != nil || !found {
		return err
	}
	return in.report(t, &m, s.ExternalID, store.EarlyStatus{Status: s.Status, Error: s.Error, At: at})
}

// locked opens a conversation of the channel by its id.
func (in *inboundBatch) locked(conversation model.ID) (*batchConversation, error) {
	if t := in.conversations[conversation]; t != nil {
		return t, nil
	}
	c, found, err := in.tx.LockConversation(in.channel.Company, conversation)
	if err != nil || !found {
		return nil, err
	}
	return in.hold(in.d.locked(in.tx, c)), nil
}

// report applies a status to a message of a locked conversation: forwards only. The message learns its
// external id; message.sent is raised once, when it is first known to have left, and message.updated when its
// status changes otherwise.
func (in *inboundBatch) report(t *batchConversation, m *model.Message, external string, s store.EarlyStatus) error {
	had := m.Left()
	learned, err := in.learns(m, external)
	if err != nil {
		return err
	}
	advanced := m.Advance(s.Status, s.At, s.Error)
	if learned {
		m.ExternalID = &external
	}
	if !learned && !advanced {
		return nil
	}
	in.tx.SaveMessageStatus(m)
	t.showStatus(m)
	if !had {
		in.tx.DeleteSend(m.ID)
	}
	if had || !m.Left() {
		if !advanced {
			return nil
		}
		t.silent = false
		if m.Status == model.StatusFailed {
			if err := t.notifyFailed(m); err != nil {
				return err
			}
		}
		return t.emitUpdated(m, "status")
	}
	t.changed, t.emits, t.silent = true, true, false
	return t.emitWith(model.EventMessageSent, "message", m)
}

// learns reports whether an external id is new to a message. One that another message has is not
// taken: it would be the provider's mistake.
func (in *inboundBatch) learns(m *model.Message, external string) (bool, error) {
	if m.ExternalID != nil || external == "" || m.Direction != model.Outbound {
		return false, nil
	}
	_, taken, err := in.tx.ConversationOfExternalID(in.channel.ID, external)
	return !taken, err
}

// settleEarly applies the reports that came before their message knew its external id.
func (in *inboundBatch) settleEarly(t *batchConversation, m *model.Message) error {
	if m.ExternalID == nil {
		return nil
	}
	early, err := in.tx.TakeEarlyStatuses(in.channel.ID, *m.ExternalID)
	for _, s := range early {
		if err == nil {
			err = in.report(t, m, *m.ExternalID, s)
		}
	}
	return err
}

// How long a report waits for a message that this desk may never have sent, and a change for a message that
// may never come: WhatsApp repeats a callback for seven days.
const (
	earlyStatusLife = 24 * time.Hour
	earlyChangeLife = 7 * 24 * time.Hour
)

// SettleEarly applies reports and changes whose message learned its external id at the very moment they
// were put aside, and forgets those that have waited for too long.
func (d System) SettleEarly(ctx context.Context) error {
	var matches []store.EarlyMatch
	var stale bool
	_, err := read(ctx, d.Desk, func(tx *store.Tx) (_ struct{}, err error) {
		if matches, err = tx.EarlyMatches(receiveAtOnce); err != nil {
			return struct{}{}, err
		}
		changed, err := tx.EarlyChangeMatches(receiveAtOnce)
		if err != nil {
			return struct{}{}, err
		}
		matches = append(matches, changed...)
		if stale, err = tx.HasEarlyStatuses(tx.Now.Add(-earlyStatusLife)); err == nil && !stale {
			stale, err = tx.HasEarlyChanges(tx.Now.Add(-earlyChangeLife))
		}
		return struct{}{}, err
	})
	if err != nil || len(matches) == 0 && !stale {
		return err
	}
	for _, one := range matches { // each by itself: it locks its conversation
		if err := d.store.Write(ctx, func(tx *store.Tx) error { return d.settleMatch(tx, one) }); err != nil {
			return err
		}
	}
	_, err = write(ctx, d.Desk, func(tx *store.Tx) (struct{}, error) {
		tx.DropEarlyStatuses(tx.Now.Add(-earlyStatusLife))
		tx.DropEarlyChanges(tx.Now.Add(-earlyChangeLife))
		return struct{}{}, nil
	})
	return err
}

func (d *Desk) settleMatch(tx *store.Tx, one store.EarlyMatch) error {
	ch, found, err := tx.AnyChannel(one.Channel)
	if err != nil || !found {
		return err
	}
	in := d.inboundBatch(tx, ch)
	t, err := in.locked(one.Conversation)
	if err != nil || t == nil {
		return err
	}
	m, found, err := tx.MessageWithExternalID(ch.ID, one.ExternalID)
	if err != nil || !found {
		return err
	}
	if err := in.settleEarly(t, &m); err != nil {
		return err
	}
	if err := in.settleChanges(t, &m); err != nil {
		return err
	}
	return in.finish()
}
