package talk

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/phone"
)

// The kinds of change that a message can undergo after it was written.
const (
	changeEdit     = "edit"
	changeRevoke   = "revoke"
	changeReaction = "reaction"
)

// messageChange is an edit, a revocation or a reaction, whose message may not have arrived yet.
type messageChange struct {
	Kind   string          `json:"-"`
	Text   string          `json:"text,omitempty"`
	Emoji  string          `json:"emoji,omitempty"`
	Sender provider.Sender `json:"sender"`
	At     time.Time       `json:"-"`
}

func (in *InboundBatch) edit(e *provider.IncomingEdit) error {
	return in.change(e.ExternalID, messageChange{Kind: changeEdit, Text: e.Text, Sender: e.Sender, At: madeAt(e.At, in.Tx.Now)})
}

func (in *InboundBatch) revoke(r *provider.IncomingRevoke) error {
	return in.change(r.ExternalID, messageChange{Kind: changeRevoke, Sender: r.Sender, At: madeAt(r.At, in.Tx.Now)})
}

func (in *InboundBatch) react(r *provider.IncomingReaction) error {
	return in.change(r.ExternalID, messageChange{Kind: changeReaction, Emoji: kernel.CleanText(r.Emoji), Sender: r.Sender, At: madeAt(r.At, in.Tx.Now)})
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
func (in *InboundBatch) change(external string, c messageChange) error {
	conversation, found, err := conversationOfExternalID(in.Tx, in.Channel.Company, in.Channel.ID, external)
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
	m, found, err := messageWithExternalID(in.Tx, in.Channel.Company, in.Channel.ID, external)
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
func (c *messageChange) fields(was, is *Message) []string {
	switch {
	case c.Kind == changeReaction:
		return []string{fieldReactions}
	case c.Kind == changeEdit:
		return append([]string{"text", "edited_at"}, lost(was, is)...)
	case kernel.Same(was.Text, is.Text) && kernel.Same(was.MediaID, is.MediaID): // kept, or empty before
		return []string{"revoked_at"}
	}
	return append([]string{"text", "media_id", "media", "revoked_at"}, lost(was, is)...)
}

// lost names, in order, the details that a message has no longer.
func lost(was, is *Message) (names []string) {
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
func (in *InboundBatch) messageChanged(t *BatchConversation, m *Message, changed ...string) error {
	if slices.Contains(changed, fieldReactions) {
		saveReactions(in.Tx, m)
	}
	if len(changed) > 1 || changed[0] != fieldReactions {
		saveMessageContent(in.Tx, m)
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
func (in *InboundBatch) apply(t *BatchConversation, m *Message, c messageChange) (bool, error) {
	who, allowed, err := in.changer(t, m, c)
	if err != nil || !allowed {
		return false, err
	}
	t.silent = who.Blocked
	switch c.Kind {
	case changeEdit:
		text := kernel.TextOrNil(kernel.CleanText(c.Text))
		if m.RevokedAt != nil || m.EditedAt != nil && (c.At.Before(*m.EditedAt) || c.At.Equal(*m.EditedAt) && kernel.Same(m.Text, text)) {
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
func (in *InboundBatch) empty(m *Message) error {
	keep, err := in.keepsRevoked()
	if err != nil || keep {
		return err
	}
	m.Text, m.MediaID, m.Media, m.Interactive, m.Choice, m.Voice = nil, nil, nil, nil, nil, false
	m.Referral, m.Product, m.Notice, m.Form = nil, nil, nil, nil
	eraseMessageSource(in.Tx, m)
	return nil
}

// keepsRevoked reports whether the company keeps the content of messages that their authors deleted.
func (in *InboundBatch) keepsRevoked() (bool, error) {
	rules, err := people.ListAttendanceRules(in.Tx, in.Channel.Company)
	return rules.KeepRevoked, err
}

// applyReaction puts a reaction on a message. A customer's marks the conversation as unread.
func (in *InboundBatch) applyReaction(t *BatchConversation, m *Message, c messageChange, who Contact) bool {
	r := Reaction{Emoji: c.Emoji, By: ByCustomer, At: c.At}
	if c.Sender.FromPhoneApp {
		r.By = ByTeam
	} else if t.Kind == KindGroup && !who.ID.IsZero() {
		r.Contact = &who.ID
	}
	before := len(m.Reactions)
	shown := m.Reactions.Set(r)
	if shown && c.Emoji != "" && r.By == ByCustomer && !who.Blocked {
		t.UnreadCount = max(t.UnreadCount, 1)
		t.Unread, t.changed, t.emits = true, true, true
	}
	return shown || len(m.Reactions) != before
}

// changer finds who makes a change and reports whether they may: the author edits and deletes, every participant in
// the conversation reacts.
func (in *InboundBatch) changer(t *BatchConversation, m *Message, c messageChange) (who Contact, allowed bool, err error) {
	if c.Sender.FromPhoneApp {
		return who, c.Kind == changeReaction || m.Direction == provider.Outbound, nil
	}
	if c.Kind != changeReaction && m.Direction != provider.Inbound {
		return who, false, nil
	}
	author := t.Contact
	if m.Author != nil {
		author = m.Author.ID
	}
	p := c.Sender.Customer
	known, err := contactsKnownAs(in.Tx, in.Channel.Company, in.Channel.Pool(), [2]string{p.UserID}, [2]string{p.WAID}, phone.Key(p.Phone))
	if err != nil {
		return who, false, err
	}
	for _, k := range known {
		if who.ID.IsZero() || kernel.Same(author, &k.Contact.ID) {
			who = k.Contact
		}
	}
	anyParticipant := c.Kind == changeReaction && t.Kind == KindGroup
	return who, anyParticipant || p.IsZero() || author == nil || kernel.Same(author, &who.ID), nil
}

// parkChange keeps a change whose message is not here.
func (in *InboundBatch) parkChange(external string, c messageChange) error {
	body, err := json.Marshal(c)
	if err != nil {
		return err
	}
	p := c.Sender.Customer
	sender := cmp.Or(p.UserID, phone.Key(cmp.Or(p.Phone, p.WAID)))
	if c.Sender.FromPhoneApp {
		sender = ByTeam
	}
	kept, err := parkChange(in.Tx, in.Channel.Company, in.Channel.ID, external, EarlyChange{Kind: c.Kind, Sender: sender, Body: string(body), At: c.At})
	if err == nil && !kept {
		in.d.Log.Warn("a change of an unknown message was left out: too many wait already", slog.String("channel", in.Channel.ID.String()))
	}
	return err
}

// earlyChanges gives the changes that came before their message, which is about to be stored.
func (in *InboundBatch) earlyChanges(external string) ([]messageChange, error) {
	parked, err := takeEarlyChanges(in.Tx, in.Channel.Company, in.Channel.ID, external)
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
func (in *InboundBatch) settleChanges(t *BatchConversation, m *Message) error {
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
func (d *Talk) SettleEarly(ctx context.Context) error {
	var matches []EarlyMatch
	var stale bool
	_, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (_ struct{}, err error) {
		if matches, err = listEarlyMatches(tx, receiveAtOnce); err != nil {
			return struct{}{}, err
		}
		changed, err := earlyChangeMatches(tx, receiveAtOnce)
		if err != nil {
			return struct{}{}, err
		}
		matches = append(matches, changed...)
		if stale, err = hasEarlyStatuses(tx, tx.Now.Add(-earlyStatusLife)); err == nil && !stale {
			stale, err = hasEarlyChanges(tx, tx.Now.Add(-earlyChangeLife))
		}
		return struct{}{}, err
	})
	if err != nil || len(matches) == 0 && !stale {
		return err
	}
	for _, one := range matches { // each by itself: it locks its conversation
		if err := d.Store.Write(ctx, func(tx *kernel.Tx) error { return d.settleMatch(tx, one) }); err != nil {
			return err
		}
	}
	_, err = kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		dropEarlyStatuses(tx, tx.Now.Add(-earlyStatusLife))
		dropEarlyChanges(tx, tx.Now.Add(-earlyChangeLife))
		return struct{}{}, nil
	})
	return err
}

func (d *Talk) settleMatch(tx *kernel.Tx, one EarlyMatch) error {
	ch, found, err := channels.FindChannel(tx, one.Company, one.Channel)
	if err != nil || !found {
		return err
	}
	in := d.inboundBatch(tx, ch)
	t, err := in.locked(one.Conversation)
	if err != nil || t == nil {
		return err
	}
	m, found, err := messageWithExternalID(tx, ch.Company, ch.ID, one.ExternalID)
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
func (d *Talk) React(ctx context.Context, a *kernel.Principal, id kernel.ID, with string) (*Message, error) {
	if err := a.May(VerbReact); err != nil {
		return nil, err
	}
	if !IsOne(with) {
		return nil, kernel.Malformed("body.emoji", "emoji")
	}
	return d.setReaction(ctx, a, id, with)
}

// RemoveReaction takes the team's reaction to a message back, at the provider too.
func (d *Talk) RemoveReaction(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	if err := a.May(VerbRemoveReaction); err != nil {
		return err
	}
	_, err := d.setReaction(ctx, a, id, "")
	return err
}

func (d *Talk) setReaction(ctx context.Context, a *kernel.Principal, id kernel.ID, with string) (*Message, error) {
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (*Message, error) {
		m, visibility, found, err := findMessage(tx, a.Company.ID, id)
		if err != nil || !found || !a.MaySeeBy(&visibility) {
			return nil, kernel.ErrOr(err, kernel.NotFound("message"))
		}
		o, found, err := lockOutbox(tx, a.Company.ID, m.Conversation, kernel.ID{}, a.User.ID)
		if err != nil || !found || !MaySee(a, &o.Conversation) {
			return nil, kernel.ErrOr(err, kernel.NotFound("message"))
		}
		if m, _, _, err = findMessage(tx, a.Company.ID, id); err != nil { // as it is now that its conversation is locked
			return nil, err
		}
		t := d.Locked(tx, o.Conversation)
		if err := maySend(t, a, &o, &NewMessage{}); err != nil {
			return nil, err
		}
		if m.ExternalID == nil || m.RevokedAt != nil {
			return nil, kernel.Errorf(kernel.CodeMessageNotSent, "This message was not sent or was deleted, so it takes no reaction.")
		}
		return &m, t.react(&m, Reaction{Emoji: with, By: ByTeam, User: &kernel.Ref{ID: a.User.ID, Name: a.User.Name}, At: tx.Now}, o.Provider)
	})
}

// react records the team's reaction and sends it on where it differs from the one before.
func (t *LockedConversation) react(m *Message, r Reaction, provider string) error {
	before := teamReaction(m)
	shown := m.Reactions.Set(r)
	if !shown && (r.Emoji == "" || before.User != nil && *before.User == *r.User) {
		return nil
	}
	saveReactions(t.Tx, m)
	if shown && provider != channels.ProviderSandbox {
		insertReaction(t.Tx, kernel.NewID(), t.next(), m, r.Emoji)
		t.Tx.AfterCommit(t.d.notifySend)
	}
	err := t.emitUpdated(m, fieldReactions)
	t.saveProgress()
	return err
}

// teamReaction gives the team's reaction to a message; a zero one where there is none.
func teamReaction(m *Message) Reaction {
	if i := slices.IndexFunc(m.Reactions, func(r Reaction) bool { return r.By == ByTeam }); i >= 0 {
		return m.Reactions[i]
	}
	return Reaction{}
}

// reactionPrefix begins the client id under which a provider gets a reaction.
const reactionPrefix = "reaction."

// reactionClientID names the message that a reaction is on, and the reaction itself.
func reactionClientID(on, reaction kernel.ID) string {
	return reactionPrefix + on.String() + "." + reaction.String()
}

// reactionDone settles a reaction that was being sent. One that the provider refuses is taken back here.
func (in *InboundBatch) reactionDone(t *BatchConversation, lease kernel.Lease, job Queued, cause error) error {
	if cause == nil {
		deleteSend(in.Tx, job.Company, job.Message)
		return nil
	}
	if cause != errLeftInTheMiddle {
		if mine, err := stillSending(in.Tx, job.Company, lease, job.Message); err != nil || !mine {
			return err
		}
	}
	now := in.Tx.Now
	switch next := retryReaction(cause, int(job.Attempts)+1, now.Sub(job.Message.Time())); next.Decision {
	case Again:
		requeueSend(in.Tx, job.Company, job.Message, now.Add(next.Wait))
		return nil
	case Held:
		in.disconnectFor(cause)
		requeueSend(in.Tx, job.Company, job.Message, now)
		return nil
	}
	deleteSend(in.Tx, job.Company, job.Message)
	return in.reactionRefused(t, *job.ReactsTo)
}

// reactionStatus takes a provider's report about a reaction. It reports false when the report is about a message.
func (in *InboundBatch) reactionStatus(s *provider.IncomingStatus) (bool, error) {
	rest, isReaction := strings.CutPrefix(s.ClientID, reactionPrefix)
	on, _, _ := strings.Cut(rest, ".")
	id, ok := kernel.ParseID(on)
	if !isReaction || !ok || s.Status != provider.StatusFailed {
		return isReaction, nil
	}
	conversation, found, err := conversationOfMessage(in.Tx, in.Channel.Company, in.Channel.ID, id)
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
func (in *InboundBatch) reactionRefused(t *BatchConversation, message kernel.ID) error {
	m, _, found, err := findMessage(in.Tx, in.Channel.Company, message)
	if err != nil || !found || !m.Reactions.Set(Reaction{By: ByTeam, At: in.Tx.Now}) {
		return err
	}
	in.Tx.AfterCommit(func() {
		in.d.Log.Warn("the provider refused a reaction", slog.String("channel", in.Channel.ID.String()), slog.String("message", message.String()))
	})
	t.silent = false
	return in.messageChanged(t, &m, fieldReactions)
}
