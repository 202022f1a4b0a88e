package talk

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
	"recado/internal/phone"
)

const (
	changeEdit     = "edit"
	changeRevoke   = "revoke"
	changeReaction = "reaction"
)

// messageChange is an edit, a revocation or a reaction. If its message has not arrived yet, it is stored as JSON.
type messageChange struct {
	Kind    string          `json:"-"`
	Text    string          `json:"text,omitempty"`
	Emoji   string          `json:"emoji,omitempty"`
	Sender  provider.Sender `json:"sender"`
	At      time.Time       `json:"-"`
	History bool            `json:"history,omitempty"` // imported, so it emits no events
}

// maxClockSkew is how far the provider's clock may be ahead of the server's.
const maxClockSkew = 10 * time.Minute

// change applies a change to its message, or stores it until the message arrives. Changes are ordered by the provider's clock, even
// if it is a little ahead of the server's.
func (in *InboundBatch) change(external string, c messageChange) error {
	if c.At.IsZero() || c.At.After(in.Tx.Now.Add(maxClockSkew)) {
		c.At = in.Tx.Now
	}
	c.At = c.At.UTC().Truncate(time.Millisecond)
	if in.Channel.Settling { // before the message is read, because it may change the contacts of reactions
		if _, err := in.d.settlePerson(in.Tx, &in.Channel, c.Sender.Customer); err != nil {
			return err
		}
	}
	t, m, err := in.lockMessage(external, kernel.ID{})
	if err != nil {
		return err
	}
	if m == nil {
		return in.parkChange(external, c)
	}
	return in.applyStored(t, m, c)
}

// stored returns the message of the channel with an external id.
func (in *InboundBatch) stored(external string) (Message, kernel.Visibility, bool, error) {
	return selectMessage(in.Tx, `m.company = $1 AND m.channel = $2 AND m.external_id = $3`, in.Channel.Company, in.Channel.ID, external)
}

// lockMessage locks the conversation of a message of the channel and returns both. The message has the external id, or else the
// id. If there is no such message, lockMessage returns nil.
func (in *InboundBatch) lockMessage(external string, id kernel.ID) (*BatchConversation, *Message, error) {
	find := func() (Message, bool, error) {
		m, _, found, err := in.stored(external)
		if err == nil && !found && !id.IsZero() {
			m, _, found, err = findMessage(in.Tx, in.Channel.Company, id)
			found = found && m.Channel == in.Channel.ID
		}
		return m, found, err
	}
	m, found, err := find()
	if err != nil || !found {
		return nil, nil, err
	}
	t, err := in.locked(m.Conversation)
	if err == nil && t != nil {
		m, found, err = find() // again, after locking its conversation
	}
	if err != nil || t == nil || !found {
		return nil, nil, err
	}
	return t, &m, nil
}

// applyStored applies changes to a stored message and saves it if it is different.
func (in *InboundBatch) applyStored(t *BatchConversation, m *Message, changes ...messageChange) error {
	var fields []string
	silent := true
	for _, c := range changes {
		before := *m
		changed, err := in.apply(t, m, c)
		if err != nil {
			return err
		}
		if changed {
			fields = append(fields, c.fields(&before, m)...)
			silent = silent && t.silent
		}
	}
	if len(fields) == 0 {
		return nil
	}
	if len(changes) > 1 {
		slices.Sort(fields)
		fields = slices.Compact(fields)
	}
	t.silent = silent
	return in.messageChanged(t, m, fields...)
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

// messageChanged saves a stored message whose content changed, updates the last message of the conversation and, unless
// the conversation is silent, emits message.updated with the names of the changed fields.
func (in *InboundBatch) messageChanged(t *BatchConversation, m *Message, changed ...string) error {
	if slices.Contains(changed, fieldReactions) {
		saveReactions(in.Tx, m)
	}
	if len(changed) > 1 || changed[0] != fieldReactions {
		saveMessageContent(in.Tx, m)
	}
	if t.LastMessage != nil && t.LastMessage.ID == m.ID {
		t.showLast(m)
		t.changed, t.emits = true, t.emits || !t.silent
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
	t.silent = who.Blocked || c.History
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

func (in *InboundBatch) keepsRevoked() (bool, error) {
	rules, err := people.ListAttendanceRules(in.Tx, in.Channel.Company)
	return rules.KeepRevoked, err
}

// eraseContent removes the content of a revoked message, unless the company keeps it.
func (in *InboundBatch) eraseContent(m *Message) error {
	keep, err := in.keepsRevoked()
	if err != nil || keep {
		return err
	}
	m.Text, m.MediaID, m.Media, m.Interactive, m.Choice, m.Voice = nil, nil, nil, nil, nil, false
	m.Referral, m.Product, m.Notice, m.Form = nil, nil, nil, nil
	in.Tx.Later(`UPDATE messages SET template = NULL, raw = NULL WHERE company = $1 AND conversation = $2 AND seq = $3`,
		m.Company, m.Conversation, m.Seq)
	return nil
}

// applyReaction adds a reaction to a message. A new reaction of the customer marks the conversation as
// unread.
func (in *InboundBatch) applyReaction(t *BatchConversation, m *Message, c messageChange, who Contact) bool {
	r := Reaction{Emoji: c.Emoji, By: ByCustomer, At: c.At}
	if c.Sender.FromPhoneApp {
		r.By = ByTeam
	} else if t.Kind == KindGroup && !who.ID.IsZero() {
		r.Contact = &who.ID
	}
	before := len(m.Reactions)
	shown := m.Reactions.Set(r)
	if shown && c.Emoji != "" && r.By == ByCustomer && !t.silent {
		t.UnreadCount = max(t.UnreadCount, 1)
		t.Unread, t.changed, t.emits = true, true, true
	}
	return shown || len(m.Reactions) != before
}

// changer returns the contact who makes a change and reports whether they may: the author edits and deletes, admins of a group
// delete, and every participant of the conversation reacts. The provider has checked what our own phone does.
func (in *InboundBatch) changer(t *BatchConversation, m *Message, c messageChange) (who Contact, allowed bool, err error) {
	if c.Sender.FromPhoneApp {
		return who, c.Kind != changeEdit || m.Direction == provider.Outbound, nil
	}
	if c.Kind == changeRevoke && t.Kind == KindGroup {
		if admin, err := in.isGroupAdmin(t, c.Sender.Customer); err != nil || admin {
			return who, admin, err
		}
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
	if anyParticipant && who.ID.IsZero() && !p.IsZero() {
		who, err = in.d.contactFor(in.Tx, in.Channel, p, c.At, nil) // so that the reactions of two people can be told apart
		if errors.Is(err, errErased) {
			return who, false, nil
		}
		if err != nil {
			return who, false, err
		}
	}
	return who, anyParticipant || p.IsZero() || author == nil || kernel.Same(author, &who.ID), nil
}

// isGroupAdmin reports whether a person is an admin or the owner of a group.
func (in *InboundBatch) isGroupAdmin(t *BatchConversation, p provider.Person) (bool, error) {
	_, members, err := storedMembers(in.Tx, t.Company, t.ID)
	return slices.ContainsFunc(members, func(m storedMember) bool {
		return m.is(p) && (m.Role == provider.RoleAdmin || m.Role == provider.RoleOwner)
	}), err
}

// maxEarlyChanges is the maximum number of parked changes per channel.
const maxEarlyChanges = 10000

// parkChange stores a change until its message arrives. Only the latest change of each kind and sender is kept.
func (in *InboundBatch) parkChange(external string, c messageChange) error {
	p, parked := c.Sender.Customer, int64(0)
	sender := cmp.Or(p.UserID, phone.Key(cmp.Or(p.Phone, p.WAID)))
	if c.Sender.FromPhoneApp {
		sender = ByTeam
	}
	if erased, err := in.d.erasedSince(in.Tx, &in.Channel, p, c.At); err != nil || erased {
		return err
	}
	_, err := in.Tx.One(`
		SELECT COUNT(*) AS parked
		FROM (SELECT 1 AS one FROM early_changes WHERE company = $1 AND channel = $2 LIMIT $3) early`,
		[]any{in.Channel.Company, in.Channel.ID, maxEarlyChanges}, func(r db.Row) { parked = r.Int("parked") })
	if err != nil {
		return err
	}
	if parked >= maxEarlyChanges {
		in.d.Log.Warn("ignored a change of an unknown message: too many are waiting", slog.String("channel", in.Channel.ID.String()))
		return nil
	}
	in.Tx.Later(`
		INSERT INTO early_changes (company, channel, external_id, kind, sender, body, at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (company, channel, external_id, kind, sender) DO UPDATE
		SET body = excluded.body, at = excluded.at
		WHERE excluded.at >= early_changes.at`,
		in.Channel.Company, in.Channel.ID, external, c.Kind, sender, kernel.WriteJSON(&c), c.At, in.Tx.Now)
	return nil
}

// takeChanges returns the parked changes to a message, earliest first, and deletes them.
func (in *InboundBatch) takeChanges(external string) (changes []messageChange, err error) {
	args := []any{in.Channel.Company, in.Channel.ID, external}
	err = in.Tx.Query(`
		SELECT kind, body, at
		FROM early_changes
		WHERE company = $1 AND channel = $2 AND external_id = $3
		ORDER BY at, kind, sender`, args, func(r db.Row) error {
		c := messageChange{Kind: r.Text("kind"), At: r.Time("at")}
		if json.Unmarshal([]byte(r.Text("body")), &c) == nil {
			changes = append(changes, c)
		}
		return nil
	})
	in.Tx.Later(`DELETE FROM early_changes WHERE company = $1 AND channel = $2 AND external_id = $3`, args...)
	return changes, err
}

// parkStatus stores a report until the external id of its message is stored.
func (in *InboundBatch) parkStatus(external string, s statusReport) {
	code, detail := s.Error.Columns()
	in.Tx.Later(`
		INSERT INTO early_statuses (company, channel, external_id, status, error_code, error_detail, at, created_at, pricing)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		ON CONFLICT (company, channel, external_id, status) DO UPDATE
		SET pricing = COALESCE(early_statuses.pricing, excluded.pricing)`,
		in.Channel.Company, in.Channel.ID, external, s.Status, code, detail, s.At, in.Tx.Now, kernel.WriteJSON(s.Pricing))
}

// takeStatuses returns the parked reports about a message, earliest first, and deletes them.
func (in *InboundBatch) takeStatuses(external string) ([]statusReport, error) {
	args := []any{in.Channel.Company, in.Channel.ID, external}
	statuses, err := kernel.Rows(in.Tx, `
		SELECT status, error_code, error_detail, at, pricing
		FROM early_statuses
		WHERE company = $1 AND channel = $2 AND external_id = $3
		ORDER BY at`, args, func(r db.Row) statusReport {
		return statusReport{
			Status: r.Text("status"), Error: scanReason(r), At: r.Time("at"), Pricing: kernel.ReadJSON[provider.Pricing](r, "pricing"),
		}
	})
	if len(statuses) > 0 {
		in.Tx.Later(`DELETE FROM early_statuses WHERE company = $1 AND channel = $2 AND external_id = $3`, args...)
	}
	return statuses, err
}

// earlyTables lists the tables of reports and changes that wait for their message, and for how long. The message may never
// arrive, for example if another program with the same number sent it. WhatsApp repeats a callback for seven days.
var earlyTables = map[string]time.Duration{"early_statuses": 24 * time.Hour, "early_changes": 7 * 24 * time.Hour}

// earlyMatch identifies a message that was stored in spite of parked reports or changes.
type earlyMatch struct {
	company, channel kernel.ID
	externalID       string
}

// SettleEarly applies status reports and changes that were stored while their message got its external id, and deletes those that
// have waited for too long.
func (d *Talk) SettleEarly(ctx context.Context) error {
	var matches []earlyMatch
	var expired bool
	err := d.Store.Read(ctx, func(tx *kernel.Tx) error {
		matches, expired = nil, false
		for table, life := range earlyTables {
			found, err := kernel.Rows(tx, `
				SELECT /* all companies: due work */ DISTINCT e.company, e.channel, e.external_id
				FROM `+table+` e
				JOIN messages m ON m.company = e.company AND m.channel = e.channel AND m.external_id = e.external_id
				LIMIT $1`, []any{receiveAtOnce}, func(r db.Row) earlyMatch {
				return earlyMatch{r.ID("company"), r.ID("channel"), r.Text("external_id")}
			})
			if err != nil {
				return err
			}
			old, err := tx.One(`SELECT /* all companies: purge by age */ 1 FROM `+table+` WHERE created_at < $1 LIMIT 1`,
				[]any{tx.Now.Add(-life)}, func(db.Row) {})
			if err != nil {
				return err
			}
			matches, expired = append(matches, found...), expired || old
		}
		return nil
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
		for table, life := range earlyTables {
			tx.Later(`DELETE /* all companies: purge by age */ FROM `+table+` WHERE created_at < $1`, tx.Now.Add(-life))
		}
		return nil
	})
}

func (d *Talk) settleMatch(tx *kernel.Tx, match earlyMatch) error {
	tx.LockSeveral(match.channel) // see mayCountService
	ch, found, err := channels.FindChannel(tx, match.company, match.channel)
	if err != nil || !found {
		return err
	}
	in := d.inboundBatch(tx, ch)
	t, m, err := in.lockMessage(match.externalID, kernel.ID{})
	if err != nil || m == nil {
		return err
	}
	if err := in.settleEarly(t, m); err != nil {
		return err
	}
	changes, err := in.takeChanges(match.externalID)
	if err == nil {
		err = in.applyStored(t, m, changes...)
	}
	if err == nil {
		err = in.finish()
	}
	return err
}

// React sets the team's reaction to a message, replacing an earlier one, and sends it to the provider.
func (d *Talk) React(ctx context.Context, a *kernel.Principal, id kernel.ID, emoji string) (*Message, error) {
	if !IsOne(emoji) {
		return nil, kernel.Malformed("body.emoji", "emoji")
	}
	return d.setReaction(ctx, a, id, emoji)
}

// RemoveReaction removes the team's reaction to a message, at the provider too.
func (d *Talk) RemoveReaction(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	_, err := d.setReaction(ctx, a, id, "")
	return err
}

func (d *Talk) setReaction(ctx context.Context, a *kernel.Principal, id kernel.ID, emoji string) (*Message, error) {
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (*Message, error) {
		m, _, found, err := findMessage(tx, a.Company.ID, id)
		var o Outbox
		if err == nil && found {
			o, found, err = lockOutbox(tx, a.Company.ID, m.Conversation, kernel.ID{}, a.User.ID)
		}
		if err == nil && found {
			m, _, found, err = findMessage(tx, a.Company.ID, id) // again, after locking its conversation
		}
		if err != nil || !found || !MaySee(a, &o.Conversation) {
			return nil, kernel.ErrOr(err, kernel.NotFound("message"))
		}
		t := d.Locked(tx, o.Conversation)
		if err := maySend(t, a, &o, &NewMessage{}); err != nil {
			return nil, err
		}
		if m.ExternalID == nil || m.RevokedAt != nil {
			return nil, kernel.Errorf(kernel.CodeMessageNotSent, "This message was not sent or was deleted.")
		}
		return &m, t.react(&m, Reaction{Emoji: emoji, By: ByTeam, User: new(a.User), At: tx.Now}, o.Provider)
	})
}

// react saves the team's reaction and queues it for the provider if the emoji changed.
func (t *LockedConversation) react(m *Message, r Reaction, provider string) error {
	isSame := func(old Reaction) bool { return old.By == ByTeam && kernel.Same(old.User, r.User) }
	had := slices.ContainsFunc(m.Reactions, isSame)
	shown := m.Reactions.Set(r)
	if !shown && (r.Emoji == "" || had) {
		return nil
	}
	saveReactions(t.Tx, m)
	if shown && provider != channels.ProviderSandbox {
		t.Tx.Later(`
			INSERT INTO sends (message, company, channel, conversation, seq, state, epoch, attempts, due_at, reacts_to, emoji)
			VALUES ($1, $2, $3, $4, $5, 'queued', 0, 0, $6, $7, $8)`,
			kernel.NewID(), m.Company, m.Channel, m.Conversation, t.next(), t.Tx.Now, m.ID, r.Emoji)
		t.Tx.AfterCommit(t.d.notifySend)
	}
	err := t.emitUpdated(m, fieldReactions)
	t.saveProgress()
	return err
}

// reactionPrefix begins the client id with which a reaction is sent to the provider. The ids of the message and the reaction
// follow, with a dot between them.
const reactionPrefix = "reaction."

// reactionDone records the outcome of sending a reaction or a change. If the provider refused it, it is undone.
func (in *InboundBatch) reactionDone(t *BatchConversation, lease kernel.Lease, sent *SendJob, cause error) error {
	job := sent.queued
	if cause == nil {
		deleteSend(in.Tx, job.Company, job.Message)
		switch job.Change {
		case changeRevoke:
			return in.revokeDone(t, *job.ReactsTo)
		case changeEdit:
			return in.editDone(job, sent.Out.Text)
		}
		return nil
	}
	if mine, err := in.stillSending(lease, job, cause); err != nil || !mine {
		return err
	}
	if in.requeue(job, cause, retryReaction(cause, int(job.Attempts)+1, in.Tx.Now.Sub(job.Message.Time()))) {
		return nil
	}
	if job.Change != "" {
		in.Tx.AfterCommit(func() {
			in.d.Log.Warn("the provider refused to change a message", slog.String("channel", in.Channel.ID.String()),
				slog.String("message", job.ReactsTo.String()), slog.String("change", job.Change), slog.Any("error", cause))
		})
		return in.changeRefused(t, job)
	}
	deleteSend(in.Tx, job.Company, job.Message)
	return in.reactionRefused(t, *job.ReactsTo)
}

// The error codes of a sent message whose last change the provider refused. Its status stays as it was.
const (
	ErrorEditRefused   = "edit_refused"
	ErrorDeleteRefused = "delete_refused"
)

// textBefore is what an edit replaced, in the column undo of the queue.
type textBefore struct {
	Text     *string    `json:"text"`
	EditedAt *time.Time `json:"edited_at"`
}

// editDone removes later edits of a message from the queue if the text that was sent is the latest one.
func (in *InboundBatch) editDone(job Queued, sent string) error {
	m, _, found, err := findMessage(in.Tx, job.Company, *job.ReactsTo)
	if err == nil && found && m.Text != nil && *m.Text == sent {
		in.Tx.Later(`DELETE FROM sends WHERE company = $1 AND conversation = $2 AND reacts_to = $3 AND change = $4 AND state = 'queued'`,
			job.Company, job.Conversation, *job.ReactsTo, changeEdit)
	}
	return err
}

// revokeDone removes the content of a message that was deleted at the provider.
func (in *InboundBatch) revokeDone(t *BatchConversation, id kernel.ID) error {
	m, _, found, err := findMessage(in.Tx, in.Channel.Company, id)
	if err != nil || !found || m.RevokedAt == nil {
		return err
	}
	before := m
	if err := in.eraseContent(&m); err != nil {
		return err
	}
	fields := (&messageChange{Kind: changeRevoke}).fields(&before, &m)
	if len(fields) == 1 { // nothing was removed
		return nil
	}
	t.silent = false
	return in.messageChanged(t, &m, fields...)
}

// changeRefused removes a change from the queue, undoes it and says so on the message. Later edits of the message are undone too.
func (in *InboundBatch) changeRefused(t *BatchConversation, job Queued) error {
	var before *textBefore
	_, err := in.Tx.One(`SELECT undo FROM sends WHERE company = $1 AND message = $2`, []any{job.Company, job.Message},
		func(r db.Row) { before = kernel.ReadJSON[textBefore](r, "undo") })
	if err != nil {
		return err
	}
	in.Tx.Later(`DELETE FROM sends WHERE company = $1 AND conversation = $2 AND reacts_to = $3 AND change = $4`,
		job.Company, job.Conversation, *job.ReactsTo, job.Change)
	m, _, found, err := findMessage(in.Tx, job.Company, *job.ReactsTo)
	if err != nil || !found {
		return err
	}
	fields := []string{"revoked_at", "error"}
	if job.Change == changeRevoke {
		m.RevokedAt, m.Error = nil, new(provider.NewReason(ErrorDeleteRefused, "WhatsApp refused to delete the message."))
	} else if before != nil {
		m.Text, m.EditedAt, m.Error = before.Text, before.EditedAt, new(provider.NewReason(ErrorEditRefused, "WhatsApp refused to edit the message."))
		fields = []string{"text", "edited_at", "error"}
	}
	saveMessageStatus(in.Tx, &m)
	t.silent = false
	return in.messageChanged(t, &m, fields...)
}

// changeTimes are how long a sent message can be edited, and deleted for everyone.
var changeTimes = map[string]time.Duration{changeEdit: 15 * time.Minute, changeRevoke: 48 * time.Hour}

// changeGrace is how much longer a change may wait in the queue. WhatsApp accepts edits for 20 minutes.
const changeGrace = 4 * time.Minute

// isTooLate reports whether the time for a change of a message that was sent at a time is over.
func isTooLate(change string, sentAt *time.Time, now time.Time) bool {
	return change != "" && sentAt != nil && now.Sub(*sentAt) >= changeTimes[change]
}

// errTooLate is the error of a change that waited in the queue until its time was over.
var errTooLate = &provider.SendError{Code: "too_late", Message: "The change waited until its time was over."}

// changeSent edits or deletes a message of the team that was sent, and queues the change for the provider. Only linked numbers can.
// The content of a deleted message is removed when the provider has accepted the change.
func (t *LockedConversation) changeSent(a *kernel.Principal, o *Outbox, m *Message, c messageChange) error {
	if o.Provider != channels.ProviderLinked || m.Direction != provider.Outbound {
		return kernel.Errorf(kernel.CodeNotHeld, "This message is not held: it is %s.", m.Status)
	}
	if err := maySend(t, a, o, &NewMessage{}); err != nil {
		return err
	}
	switch {
	case m.ExternalID == nil || m.SentAt == nil || m.RevokedAt != nil:
		return kernel.Errorf(kernel.CodeMessageNotSent, "This message was not sent or was deleted.")
	case c.Kind == changeEdit && m.Type != provider.TypeText:
		return kernel.Errorf(kernel.CodeNotEditable, "Only texts can be edited.")
	case isTooLate(c.Kind, m.SentAt, t.Tx.Now):
		return kernel.Errorf(kernel.CodeNotEditable, "A message can be edited for 15 minutes and deleted for 48 hours after it was sent.")
	}
	if c.Kind == changeEdit && kernel.Same(m.Text, &c.Text) {
		return nil
	}
	in := t.d.inboundBatch(t.Tx, channels.Channel{Company: t.Company, ID: t.Channel})
	entry := in.hold(t)
	t.Tx.Later(`
		INSERT INTO sends (message, company, channel, conversation, seq, state, epoch, attempts, due_at, reacts_to, change, undo)
		VALUES ($1, $2, $3, $4, $5, 'queued', 0, 0, $6, $7, $8, $9)`,
		kernel.NewID(), m.Company, m.Channel, m.Conversation, t.next(), t.Tx.Now, m.ID, c.Kind, kernel.WriteJSON(&textBefore{m.Text, m.EditedAt}))
	t.Tx.AfterCommit(t.d.notifySend)
	if m.Error != nil { // of an earlier change
		m.Error = nil
		saveMessageStatus(t.Tx, m)
	}
	var err error
	if c.Kind == changeRevoke {
		m.RevokedAt = new(t.Tx.Now)
		err = in.messageChanged(entry, m, "revoked_at")
	} else {
		c.Sender, c.At = provider.Sender{FromPhoneApp: true}, t.Tx.Now
		err = in.applyStored(entry, m, c)
	}
	if err == nil {
		err = in.finish()
	}
	return err
}

// reactionStatus handles a status report about a reaction. It reports false if the report is about a message.
func (in *InboundBatch) reactionStatus(s *provider.IncomingStatus) (bool, error) {
	rest, isReaction := strings.CutPrefix(s.ClientID, reactionPrefix)
	message, _, _ := strings.Cut(rest, ".")
	id, ok := kernel.ParseID(message)
	if !isReaction || !ok || s.Status != provider.StatusFailed {
		return isReaction, nil
	}
	t, m, err := in.lockMessage("", id)
	if err != nil || m == nil {
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
