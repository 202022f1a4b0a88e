package desk

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/emoji"
	"recado/internal/model"
	"recado/internal/phone"
	"recado/internal/retry"
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
		return append([]string{"text", "edited_at"}, lost(was, is)...)
	case same(was.Text, is.Text) && same(was.MediaID, is.MediaID): // kept, or empty before
		return []string{"revoked_at"}
	}
	return append([]string{"text", "media_id", "media", "revoked_at"}, lost(was, is)...)
}

// lost names, in order, the details that a message has no longer.
func lost(was, is *model.Message) (names []string) {
	for _, detail := range []struct {
		name string
		gone bool
	}{
		{"choice", was.Choice != nil && is.Choice == nil},
		{"form", was.Form != nil && is.Form == nil},
		{"interactive", was.Interactive != nil && is.Interactive == nil},
		{"notice", was.Notice != nil && is.Notice == nil},
		{"product", was.Product != nil && is.Product == nil},
		{"referral", was.Referral != nil && is.Referral == nil},
		{"voice", was.Voice && !is.Voice},
	} {
		if detail.gone {
			names = append(names, detail.name)
		}
	}
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
		m.Notice, m.Form = nil, nil // the new text takes their place
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
	m.Referral, m.Product, m.Notice, m.Form = nil, nil, nil, nil
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

// React puts the team's reaction on a message, in place of an earlier one, and sends it to the provider.
func (d *Desk) React(ctx context.Context, a *Principal, id model.ID, with string) (*model.Message, error) {
	if err := a.May(VerbReact); err != nil {
		return nil, err
	}
	if !emoji.IsOne(with) {
		return nil, model.Invalid("body.emoji", "must be one emoji")
	}
	return d.setReaction(ctx, a, id, with)
}

// RemoveReaction takes the team's reaction to a message back, at the provider too.
func (d *Desk) RemoveReaction(ctx context.Context, a *Principal, id model.ID) error {
	if err := a.May(VerbRemoveReaction); err != nil {
		return err
	}
	_, err := d.setReaction(ctx, a, id, "")
	return err
}

func (d *Desk) setReaction(ctx context.Context, a *Principal, id model.ID, with string) (*model.Message, error) {
	return write(ctx, d, func(tx *store.Tx) (*model.Message, error) {
		m, visibility, found, err := tx.Message(a.Company.ID, id)
		if err != nil || !found || !a.MaySeeBy(&visibility) {
			return nil, errOr(err, model.NotFound("message"))
		}
		o, found, err := tx.LockOutbox(a.Company.ID, m.Conversation, model.ID{}, a.User.ID)
		if err != nil || !found || !a.MaySee(&o.Conversation) {
			return nil, errOr(err, model.NotFound("message"))
		}
		if m, _, _, err = tx.Message(a.Company.ID, id); err != nil { // as it is now that its conversation is locked
			return nil, err
		}
		t := d.locked(tx, o.Conversation)
		if err := maySend(t, a, &o, &NewMessage{}); err != nil {
			return nil, err
		}
		if m.ExternalID == nil || m.RevokedAt != nil {
			return nil, model.Errorf(model.CodeMessageNotSent, "This message was not sent or was deleted, so it takes no reaction.")
		}
		return &m, t.react(&m, model.Reaction{Emoji: with, By: model.ByTeam, User: &model.Ref{ID: a.User.ID, Name: a.User.Name}, At: tx.Now}, o.Provider)
	})
}

// react records the team's reaction and sends it on where it differs from the one before.
func (t *lockedConversation) react(m *model.Message, r model.Reaction, provider string) error {
	before := teamReaction(m)
	shown := m.Reactions.Set(r)
	if !shown && (r.Emoji == "" || before.User != nil && *before.User == *r.User) {
		return nil
	}
	t.tx.SaveReactions(m)
	if shown && provider != model.ProviderSandbox {
		t.tx.InsertReaction(model.NewID(), t.next(), m, r.Emoji)
		t.tx.AfterCommit(t.d.notifySend)
	}
	err := t.emitUpdated(m, fieldReactions)
	t.saveProgress()
	return err
}

// teamReaction gives the team's reaction to a message; a zero one where there is none.
func teamReaction(m *model.Message) model.Reaction {
	if i := slices.IndexFunc(m.Reactions, func(r model.Reaction) bool { return r.By == model.ByTeam }); i >= 0 {
		return m.Reactions[i]
	}
	return model.Reaction{}
}

// reactionPrefix begins the client id under which a provider gets a reaction.
const reactionPrefix = "reaction."

// reactionClientID names the message that a reaction is on, and the reaction itself.
func reactionClientID(on, reaction model.ID) string {
	return reactionPrefix + on.String() + "." + reaction.String()
}

// reactionDone settles a reaction that was being sent. One that the provider refuses is taken back here.
func (in *inboundBatch) reactionDone(t *batchConversation, lease Lease, job store.Queued, cause error) error {
	if cause == nil {
		in.tx.DeleteSend(job.Message)
		return nil
	}
	if cause != errLeftInTheMiddle {
		if mine, err := in.tx.StillSending(lease, job.Message); err != nil || !mine {
			return err
		}
	}
	now := in.tx.Now
	switch next := retry.Reaction(cause, int(job.Attempts)+1, now.Sub(job.Message.Time())); next.Decision {
	case retry.Again:
		in.tx.RequeueSend(job.Message, now.Add(next.Wait))
		return nil
	case retry.Held:
		in.disconnectFor(cause)
		in.tx.RequeueSend(job.Message, now)
		return nil
	}
	in.tx.DeleteSend(job.Message)
	return in.reactionRefused(t, *job.ReactsTo)
}

// reactionStatus takes a provider's report about a reaction. It reports false when the report is about a message.
func (in *inboundBatch) reactionStatus(s *model.IncomingStatus) (bool, error) {
	rest, isReaction := strings.CutPrefix(s.ClientID, reactionPrefix)
	on, _, _ := strings.Cut(rest, ".")
	id, ok := model.ParseID(on)
	if !isReaction || !ok || s.Status != model.StatusFailed {
		return isReaction, nil
	}
	conversation, found, err := in.tx.ConversationOfMessage(in.channel.ID, id)
	if err != nil || !found {
		return true, err
	}
	t, err := in.locked(conversation)
	if err != nil || t == nil {
		return true, err
	}
	return true, in.reactionRefused(t, id)
}

// reactionRefused takes the team's reaction to a message back, because the customer does not see it.
func (in *inboundBatch) reactionRefused(t *batchConversation, message model.ID) error {
	m, _, found, err := in.tx.Message(in.channel.Company, message)
	if err != nil || !found || !m.Reactions.Set(model.Reaction{By: model.ByTeam, At: in.tx.Now}) {
		return err
	}
	in.tx.AfterCommit(func() {
		in.d.log.Warn("the provider refused a reaction", slog.String("channel", in.channel.ID.String()), slog.String("message", message.String()))
	})
	t.silent = false
	return in.messageChanged(t, &m, fieldReactions)
}
