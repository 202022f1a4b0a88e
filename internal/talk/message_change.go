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

const (
	changeEdit     = "edit"
	changeRevoke   = "revoke"
	changeReaction = "reaction"
)

// messageChange is an edit, a revocation or a reaction. Its message may not have arrived yet.
type messageChange struct {
	Kind   string          `json:"-"`
	Text   string          `json:"text,omitempty"`
	Emoji  string          `json:"emoji,omitempty"`
	Sender provider.Sender `json:"sender"`
	At     time.Time       `json:"-"`
}

func (in *InboundBatch) edit(e *provider.IncomingEdit) error {
	return in.change(e.ExternalID, messageChange{Kind: changeEdit, Text: e.Text, Sender: e.Sender, At: changeTime(e.At, in.Tx.Now)})
}

func (in *InboundBatch) revoke(r *provider.IncomingRevoke) error {
	return in.change(r.ExternalID, messageChange{Kind: changeRevoke, Sender: r.Sender, At: changeTime(r.At, in.Tx.Now)})
}

func (in *InboundBatch) react(r *provider.IncomingReaction) error {
	return in.change(r.ExternalID, messageChange{
		Kind: changeReaction, Emoji: kernel.CleanText(r.Emoji), Sender: r.Sender, At: changeTime(r.At, in.Tx.Now),
	})
}

// maxClockSkew is how far the provider's clock may be ahead of the server's.
const maxClockSkew = 10 * time.Minute

// changeTime returns when a change was made. Changes are ordered by the provider's clock, even if it is a little ahead of the
// server's.
func changeTime(at, now time.Time) time.Time {
	if at.IsZero() || at.After(now.Add(maxClockSkew)) {
		return now
	}
	return at.UTC().Truncate(time.Millisecond)
}

// change applies a change to its message, or stores it until the message arrives.
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
	before := m
	changed, err := in.apply(t, &m, c)
	if err != nil || !changed {
		return err
	}
	return in.messageChanged(t, &m, c.fields(&before, &m)...)
}

// fields returns the names of the fields of a message that the change modified.
func (c *messageChange) fields(before, after *Message) []string {
	switch {
	case c.Kind == changeReaction:
		return []string{fieldReactions}
	case c.Kind == changeEdit:
		return append([]string{"text", "edited_at"}, removedDetails(before, after)...)
	case kernel.Same(before.Text, after.Text) && kernel.Same(before.MediaID, after.MediaID): // the content was kept, or empty before
		return []string{"revoked_at"}
	}
	return append([]string{"text", "media_id", "media", "revoked_at"}, removedDetails(before, after)...)
}

// removedDetails returns the names, in order, of the details that a change removed from a message.
func removedDetails(before, after *Message) (names []string) {
	compare := func(name string, had, has bool) {
		if had && !has {
			names = append(names, name)
		}
	}
	compare("choice", before.Choice != nil, after.Choice != nil)
	compare("form", before.Form != nil, after.Form != nil)
	compare("interactive", before.Interactive != nil, after.Interactive != nil)
	compare("notice", before.Notice != nil, after.Notice != nil)
	compare("product", before.Product != nil, after.Product != nil)
	compare("referral", before.Referral != nil, after.Referral != nil)
	compare("voice", before.Voice, after.Voice)
	return names
}

const fieldReactions = "reactions"

// messageChanged saves a stored message whose content changed, updates the last message of the conversation and emits
// message.updated with the names of the changed fields.
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

// apply applies a change to a message and reports whether the message is different. The latest of several edits, or of several
// reactions of a person, wins; of two with the same time, the one that arrives last. It ignores changes by a person who may not
// make them.
func (in *InboundBatch) apply(t *BatchConversation, m *Message, c messageChange) (bool, error) {
	who, allowed, err := in.changer(t, m, c)
	if err != nil || !allowed {
		return false, err
	}
	t.silent = who.Blocked
	switch c.Kind {
	case changeEdit:
		text := kernel.TextOrNil(kernel.CleanText(c.Text))
		isOld := m.EditedAt != nil && (c.At.Before(*m.EditedAt) || c.At.Equal(*m.EditedAt) && kernel.Same(m.Text, text))
		if m.RevokedAt != nil || isOld {
			return false, nil
		}
		m.Text, m.EditedAt = text, &c.At
		m.Notice, m.Form = nil, nil // the new text replaces them
		return true, nil
	case changeRevoke:
		if m.RevokedAt != nil {
			return false, nil
		}
		m.RevokedAt = &c.At
		return true, in.eraseContent(m)
	}
	return in.applyReaction(t, m, c, who), nil
}

func (in *InboundBatch) eraseContent(m *Message) error {
	keep, err := in.keepsRevoked()
	if err != nil || keep {
		return err
	}
	m.Text, m.MediaID, m.Media, m.Interactive, m.Choice, m.Voice = nil, nil, nil, nil, nil, false
	m.Referral, m.Product, m.Notice, m.Form = nil, nil, nil, nil
	eraseMessageExtras(in.Tx, m)
	return nil
}

func (in *InboundBatch) keepsRevoked() (bool, error) {
	rules, err := people.ListAttendanceRules(in.Tx, in.Channel.Company)
	return rules.KeepRevoked, err
}

// applyReaction adds a reaction to a message. A reaction of the customer marks the conversation as unread.
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

// changer returns the contact who makes a change and reports whether they may: the author edits and deletes, every participant of
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
	matches, err := contactsKnownAs(
		in.Tx, in.Channel.Company, in.Channel.Pool(), [2]string{p.UserID}, [2]string{p.WAID}, phone.Key(p.Phone))
	if err != nil {
		return who, false, err
	}
	for _, match := range matches {
		if who.ID.IsZero() || kernel.Same(author, &match.Contact.ID) {
			who = match.Contact
		}
	}
	anyParticipant := c.Kind == changeReaction && t.Kind == KindGroup
	return who, anyParticipant || p.IsZero() || author == nil || kernel.Same(author, &who.ID), nil
}

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
	early := EarlyChange{Kind: c.Kind, Sender: sender, Body: string(body), At: c.At}
	parked, err := parkChange(in.Tx, in.Channel.Company, in.Channel.ID, external, early)
	if err == nil && !parked {
		in.d.Log.Warn("ignored a change of an unknown message: too many are waiting", slog.String("channel", in.Channel.ID.String()))
	}
	return err
}

// earlyChanges returns and removes the stored changes of a message.
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

// settleChanges applies the changes that were stored while their message was being stored.
func (in *InboundBatch) settleChanges(t *BatchConversation, m *Message) error {
	changes, err := in.earlyChanges(*m.ExternalID)
	if err != nil {
		return err
	}
	var fields []string
	for _, c := range changes {
		before := *m
		changed, err := in.apply(t, m, c)
		if err != nil {
			return err
		}
		if changed {
			fields = append(fields, c.fields(&before, m)...)
		}
	}
	if len(fields) == 0 {
		return nil
	}
	slices.Sort(fields)
	return in.messageChanged(t, m, slices.Compact(fields)...)
}

// How long status reports and changes wait for their message, which may never arrive. WhatsApp repeats a callback for seven days.
const (
	earlyStatusLife = 24 * time.Hour
	earlyChangeLife = 7 * 24 * time.Hour
)

// SettleEarly applies status reports and changes that were stored while their message got its external id, and deletes those that
// have waited for too long.
func (d *Talk) SettleEarly(ctx context.Context) error {
	var matches []EarlyMatch
	var expired bool
	err := d.Store.Read(ctx, func(tx *kernel.Tx) (err error) {
		if matches, err = listEarlyMatches(tx, receiveAtOnce); err != nil {
			return err
		}
		changes, err := earlyChangeMatches(tx, receiveAtOnce)
		if err != nil {
			return err
		}
		matches = append(matches, changes...)
		if expired, err = hasEarlyStatuses(tx, tx.Now.Add(-earlyStatusLife)); err == nil && !expired {
			expired, err = hasEarlyChanges(tx, tx.Now.Add(-earlyChangeLife))
		}
		return err
	})
	if err != nil || len(matches) == 0 && !expired {
		return err
	}
	for _, match := range matches { // each in its own transaction, because it locks its conversation
		if err := d.Store.Write(ctx, func(tx *kernel.Tx) error { return d.settleMatch(tx, match) }); err != nil {
			return err
		}
	}
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		dropEarlyStatuses(tx, tx.Now.Add(-earlyStatusLife))
		dropEarlyChanges(tx, tx.Now.Add(-earlyChangeLife))
		return nil
	})
}

func (d *Talk) settleMatch(tx *kernel.Tx, match EarlyMatch) error {
	ch, found, err := channels.FindChannel(tx, match.Company, match.Channel)
	if err != nil || !found {
		return err
	}
	in := d.inboundBatch(tx, ch)
	t, err := in.locked(match.Conversation)
	if err != nil || t == nil {
		return err
	}
	m, found, err := messageWithExternalID(tx, ch.Company, ch.ID, match.ExternalID)
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

// React sets the team's reaction to a message, replacing an earlier one, and sends it to the provider.
func (d *Talk) React(ctx context.Context, a *kernel.Principal, id kernel.ID, emoji string) (*Message, error) {
	if err := a.May(VerbReact); err != nil {
		return nil, err
	}
	if !IsOne(emoji) {
		return nil, kernel.Malformed("body.emoji", "emoji")
	}
	return d.setReaction(ctx, a, id, emoji)
}

// RemoveReaction removes the team's reaction to a message, at the provider too.
func (d *Talk) RemoveReaction(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	if err := a.May(VerbRemoveReaction); err != nil {
		return err
	}
	_, err := d.setReaction(ctx, a, id, "")
	return err
}

func (d *Talk) setReaction(ctx context.Context, a *kernel.Principal, id kernel.ID, emoji string) (*Message, error) {
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (*Message, error) {
		m, visibility, found, err := findMessage(tx, a.Company.ID, id)
		if err != nil || !found || !a.MaySeeBy(&visibility) {
			return nil, kernel.ErrOr(err, kernel.NotFound("message"))
		}
		o, found, err := lockOutbox(tx, a.Company.ID, m.Conversation, kernel.ID{}, a.User.ID)
		if err != nil || !found || !MaySee(a, &o.Conversation) {
			return nil, kernel.ErrOr(err, kernel.NotFound("message"))
		}
		if m, _, _, err = findMessage(tx, a.Company.ID, id); err != nil { // again, after locking its conversation
			return nil, err
		}
		t := d.Locked(tx, o.Conversation)
		if err := maySend(t, a, &o, &NewMessage{}); err != nil {
			return nil, err
		}
		if m.ExternalID == nil || m.RevokedAt != nil {
			return nil, kernel.Errorf(kernel.CodeMessageNotSent, "This message was not sent or was deleted, so it cannot have a reaction.")
		}
		return &m, t.react(&m, Reaction{Emoji: emoji, By: ByTeam, User: new(a.User), At: tx.Now}, o.Provider)
	})
}

// react saves the team's reaction and queues it for the provider if the emoji changed.
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

func teamReaction(m *Message) Reaction {
	if i := slices.IndexFunc(m.Reactions, func(r Reaction) bool { return r.By == ByTeam }); i >= 0 {
		return m.Reactions[i]
	}
	return Reaction{}
}

const reactionPrefix = "reaction."

// reactionClientID returns the client id with which a reaction is sent to the provider.
func reactionClientID(message, reaction kernel.ID) string {
	return reactionPrefix + message.String() + "." + reaction.String()
}

// reactionDone records the outcome of sending a reaction. If the provider refused it, the reaction is removed.
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

// reactionStatus handles a status report about a reaction. It reports false if the report is about a message.
func (in *InboundBatch) reactionStatus(s *provider.IncomingStatus) (bool, error) {
	rest, isReaction := strings.CutPrefix(s.ClientID, reactionPrefix)
	message, _, _ := strings.Cut(rest, ".")
	id, ok := kernel.ParseID(message)
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

func (in *InboundBatch) reactionRefused(t *BatchConversation, message kernel.ID) error {
	m, _, found, err := findMessage(in.Tx, in.Channel.Company, message)
	if err != nil || !found || !m.Reactions.Set(Reaction{By: ByTeam, At: in.Tx.Now}) {
		return err
	}
	in.Tx.AfterCommit(func() {
		in.d.Log.Warn("the provider refused a reaction",
			slog.String("channel", in.Channel.ID.String()), slog.String("message", message.String()))
	})
	t.silent = false
	return in.messageChanged(t, &m, fieldReactions)
}
