package talk

import (
	"context"
	"strings"
	"time"
	"unicode"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/fold"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// OptOutSettings are the texts that confirm that a customer opted out or came back.
type OptOutSettings struct {
	Confirmation *string `json:"confirmation" doc:"Sent once when a customer opts out by keyword; null sends nothing."`
	WelcomeBack  *string `json:"welcome_back" doc:"Sent once when a customer comes back by keyword; null sends nothing."`
}

// The default texts of a company.
const (
	DefaultOptOutConfirmation = "Pronto! Você não vai mais receber mensagens automáticas nem promoções. Para voltar a receber, envie VOLTAR."
	DefaultOptOutWelcomeBack  = "Que bom ter você de volta! Você voltará a receber nossas mensagens. Para sair, envie SAIR."
)

// maxOptOutText is the length of the texts in characters.
const maxOptOutText = 1024

// optKeywords are the messages with which customers opt out (true) or come back (false), folded.
var optKeywords = map[string]bool{"sair": true, "parar": true, "stop": true, "voltar": false, "start": false}

// optKeyword reports whether a text is a keyword, and whether that opts out. Case, accents, and spaces and punctuation around the
// word do not matter.
func optKeyword(text string) (out, found bool) {
	text = strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) || unicode.Is(unicode.Cf, r) })
	if len(text) > 64 {
		return false, false
	}
	out, found = optKeywords[fold.Text(text)]
	return out, found
}

// asksToOpt reports whether a message of the customer is a keyword, and whether that opts out. Only the first version of a text or
// button in a direct conversation counts. A choice from a menu that is running belongs to the menu, and VOLTAR means nothing special
// unless the contact has opted out.
func (t *BatchConversation) asksToOpt(msg *provider.IncomingMessage, m *Message, contact *Contact) (out, found bool) {
	if msg.History || msg.FromPhoneApp || msg.Group != nil || msg.Media != nil || m.Media != nil || m.RevokedAt != nil || t.Kind != KindDirect ||
		messageType(msg.Type) != provider.TypeText || msg.Choice != nil && t.Reception != nil {
		return false, false
	}
	out, found = optKeyword(msg.Text)
	return out, found && (out || contact.OptedOut)
}

// opt handles a keyword: it changes the contact, and confirms the change if it is one. The keyword opens no attendance, and the
// customer waits for no response. If an attendance is open or is about to open, the team sees the message as unread.
func (in *InboundBatch) opt(t *BatchConversation, m *Message, msg *provider.IncomingMessage, contact Contact, out, quiet bool) error {
	changed, err := in.optContact(t, m, msg, contact, out)
	if err != nil {
		return err
	}
	if m.Standby { // another app answers
		return in.markUnread(t, m, quiet)
	}
	switch {
	case quiet || t.Attendance != nil || t.needsAttendance:
		if out && !quiet {
			t.Messages = append(t.Messages, m) // ends a menu
		}
		err = in.markUnread(t, m, quiet)
	default:
		in.openWindow(t, m)
		in.cancelOnReply(t)
		err = t.emitWith(EventMessageReceived, "message", m)
	}
	if err != nil || !changed || quiet {
		return err
	}
	return in.confirmOpt(t, m, out)
}

// optLate is opt for a message whose notice the team has seen already.
func (in *InboundBatch) optLate(t *BatchConversation, m *Message, msg *provider.IncomingMessage, contact Contact, out bool) error {
	changed, err := in.optContact(t, m, msg, contact, out)
	if err != nil || contact.Blocked {
		return err
	}
	if out {
		t.Messages = append(t.Messages, m) // ends a menu
	}
	if !changed {
		return nil
	}
	return in.confirmOpt(t, m, out)
}

// optContact changes the contact of a conversation as a keyword asks, and reports whether that is a change.
func (in *InboundBatch) optContact(t *BatchConversation, m *Message, msg *provider.IncomingMessage, contact Contact, out bool) (bool, error) {
	changed, err := setOptedOut(in.Tx, &contact, out, m.CreatedAt)
	if _, cached := in.people[msg.Customer]; cached {
		in.people[msg.Customer] = writer{contact, t}
	}
	if !m.Standby {
		t.Automation = contact.Automates()
	}
	if err == nil && changed && out {
		err = in.d.failUnwanted(in.Tx, &contact, t.LockedConversation)
	}
	return changed, err
}

// confirmOpt sends the text for a contact that has just opted out or come back. Private channels send no automatic messages.
func (in *InboundBatch) confirmOpt(t *BatchConversation, m *Message, out bool) error {
	ch := &in.Channel
	if t.Private || ch.Status != channels.ChannelConnected || ch.ArchivedAt != nil || in.Tx.Now.Sub(m.CreatedAt) >= ServiceWindow {
		return nil
	}
	s, err := findOptOut(in.Tx, t.Company)
	if err != nil {
		return err
	}
	text := s.WelcomeBack
	if out {
		text = s.Confirmation
	}
	if text == nil {
		return nil
	}
	_, err = t.sendAutomatic(ch.Provider, *text, nil)
	return err
}

// Automates reports whether the contact may get automatic messages.
func (c *Contact) Automates() bool { return c.Automation && !c.OptedOut }

// setOptedOut changes whether a contact has opted out, as a customer asked at a time, and reports whether that is a change. Of
// concurrent calls only one reports a change. A keyword that is older than the last change is ignored; providers report whole seconds.
func setOptedOut(tx *kernel.Tx, c *Contact, out bool, at time.Time) (bool, error) {
	var optedOutAt *time.Time
	if out {
		optedOutAt = &at
	}
	n, err := tx.Exec(`
		UPDATE contacts
		SET opted_out_at = $3, opt_changed_at = $4, updated_at = $5
		WHERE company = $1 AND id = $2 AND (opted_out_at IS NOT NULL) <> $6 AND (opt_changed_at IS NULL OR opt_changed_at < $7)`,
		c.Company, c.ID, optedOutAt, at, tx.Now, out, at.Truncate(time.Second).Add(time.Second))
	if err != nil || n == 0 {
		return false, err
	}
	c.OptedOutAt, c.optChangedAt, c.UpdatedAt = optedOutAt, &at, tx.Now
	c.OptedOut = out
	c.auditOptOut(tx, nil)
	return true, nil
}

// auditOptOut records that a person, or with nil the customer by keyword, changed whether the contact has opted out.
func (c *Contact) auditOptOut(tx *kernel.Tx, a *kernel.Principal) {
	e := kernel.AuditEntry{
		Action: "contact.opted_in", Subject: kernel.NewAuditSubject("contact", c.ID, c.Name), Company: c.Company, Channel: c.PrivateChannel(),
		Changes: []kernel.AuditChange{{Field: "opted_out", From: !c.OptedOut, To: c.OptedOut}},
	}
	if c.OptedOut {
		e.Action = "contact.opted_out"
	}
	tx.Audit(a, e)
}

// optOut applies the change of a team member, and reports whether the contact has now opted out; see failUnwanted.
func (c *Contact) optOut(tx *kernel.Tx, a *kernel.Principal, out bool) bool {
	if out == c.OptedOut {
		return false
	}
	c.OptedOut, c.OptedOutAt, c.optChangedAt = out, nil, &tx.Now
	if out {
		c.OptedOutAt = &tx.Now
	}
	c.auditOptOut(tx, a)
	return out
}

// failUnwanted fails the queued messages that a contact who has just opted out no longer gets: automatic messages and templates of the
// category marketing. own is a conversation that the caller has locked and will save, or nil.
func (d *Talk) failUnwanted(tx *kernel.Tx, c *Contact, own *LockedConversation) error {
	type send struct {
		message, conversation, channel kernel.ID
		template                       *provider.Template
	}
	queued, err := kernel.Rows(tx, `
		SELECT s.message, s.conversation, s.channel, m.template
		FROM conversations c
		JOIN sends s ON s.company = c.company AND s.conversation = c.id AND s.state = 'queued' AND s.reacts_to IS NULL
		JOIN messages m ON m.company = s.company AND m.conversation = s.conversation AND m.seq = s.seq
		WHERE c.company = $1 AND c.contact = $2 AND (m.origin = $3 OR m.template IS NOT NULL)
		ORDER BY s.conversation, s.seq`, []any{c.Company, c.ID, provider.OriginAutomation}, func(r db.Row) send {
		return send{r.ID("message"), r.ID("conversation"), r.ID("channel"), kernel.ReadJSON[provider.Template](r, "template")}
	})
	if err != nil {
		return err
	}
	for _, s := range queued {
		if s.template != nil {
			if wanted, err := isWanted(tx, c.Company, s.channel, s.template); err != nil {
				return err
			} else if wanted {
				continue
			}
		}
		if err := d.failOptedOut(tx, c.Company, s.conversation, s.message, own); err != nil {
			return err
		}
	}
	return nil
}

// isWanted reports whether contacts that have opted out get a template. Its category must be known.
func isWanted(tx *kernel.Tx, company, channel kernel.ID, in *provider.Template) (bool, error) {
	copied, found, _, err := channels.Template(tx, company, channel, in.Name, in.Language)
	return found && !copied.IsMarketing(), err
}

// failOptedOut fails a queued message because its contact has opted out, unless it is being sent by now.
func (d *Talk) failOptedOut(tx *kernel.Tx, company, conversation, message kernel.ID, own *LockedConversation) error {
	t := own
	if own == nil || own.ID != conversation {
		c, found, err := LockConversation(tx, company, conversation)
		if err != nil || !found {
			return err
		}
		t = d.Locked(tx, c)
	}
	n, err := tx.Exec(`DELETE FROM sends WHERE company = $1 AND message = $2 AND state = 'queued'`, company, message)
	if err != nil || n == 0 {
		return err
	}
	m, _, found, err := findMessage(tx, company, message)
	reason := provider.NewReason(string(kernel.CodeOptedOut), "The contact opted out before the message was sent.")
	if err != nil || !found || !m.Advance(provider.StatusFailed, tx.Now, &reason) {
		return err
	}
	saveMessageStatus(tx, &m)
	t.showStatus(&m)
	silent := t.silent
	t.silent = false // messages of the team also change if the contact is blocked
	if err = t.notifyFailed(&m); err == nil {
		err = t.emitUpdated(&m, "status")
	}
	if t.silent = silent; err == nil && t != own {
		err = t.Save()
	}
	tx.AfterCommit(d.notifySend) // later messages waited for it
	return err
}

// hasOptedOut reports whether the contact of the conversation has opted out. A group has no contact.
func (t *LockedConversation) hasOptedOut() (bool, error) {
	if t.Contact == nil {
		return false, nil
	}
	return t.Tx.One(`SELECT 1 FROM contacts WHERE company = $1 AND id = $2 AND opted_out_at IS NOT NULL`,
		[]any{t.Company, *t.Contact}, func(db.Row) {})
}

func errOptedOut() error {
	return kernel.Errorf(kernel.CodeOptedOut, "This contact has opted out of marketing messages. Templates of the category marketing cannot be sent.")
}

func findOptOut(tx *kernel.Tx, company kernel.ID) (OptOutSettings, error) {
	s := OptOutSettings{Confirmation: new(DefaultOptOutConfirmation), WelcomeBack: new(DefaultOptOutWelcomeBack)}
	_, err := tx.One(`SELECT confirmation, welcome_back FROM opt_out_settings WHERE company = $1`, []any{company}, func(r db.Row) {
		s = OptOutSettings{Confirmation: r.NullText("confirmation"), WelcomeBack: r.NullText("welcome_back")}
	})
	return s, err
}

// OptOut returns the texts that confirm keywords.
func (d *Talk) OptOut(ctx context.Context, a *kernel.Principal) (OptOutSettings, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (OptOutSettings, error) { return findOptOut(tx, a.Company.ID) })
}

// OptOutChange lists the texts to change; absent fields stay as they are.
type OptOutChange struct {
	Confirmation kernel.Optional[string] `json:"confirmation,omitempty" required:"false" doc:"At most 1024 characters. null or a blank text sends nothing."`
	WelcomeBack  kernel.Optional[string] `json:"welcome_back,omitempty" required:"false" doc:"At most 1024 characters. null or a blank text sends nothing."`
}

// UpdateOptOut changes the texts that confirm keywords.
func (d *Talk) UpdateOptOut(ctx context.Context, a *kernel.Principal, change OptOutChange) (OptOutSettings, error) {
	for _, f := range []struct {
		field string
		text  kernel.Optional[string]
	}{{"body.confirmation", change.Confirmation}, {"body.welcome_back", change.WelcomeBack}} {
		if _, invalid := kernel.OptionalText(f.field, f.text.Value, maxOptOutText); invalid != nil {
			return OptOutSettings{}, invalid
		}
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (OptOutSettings, error) {
		tx.LockCompany(a.Company.ID)
		s, err := findOptOut(tx, a.Company.ID)
		if err != nil {
			return s, err
		}
		before := s
		setText(&s.Confirmation, change.Confirmation)
		setText(&s.WelcomeBack, change.WelcomeBack)
		tx.Later(`
			INSERT INTO opt_out_settings (company, confirmation, welcome_back)
			VALUES ($1, $2, $3)
			ON CONFLICT (company) DO UPDATE SET confirmation = excluded.confirmation, welcome_back = excluded.welcome_back`,
			a.Company.ID, s.Confirmation, s.WelcomeBack)
		tx.AuditUpdate(a, kernel.AuditEntry{
			Action: "opt_out.updated", Subject: kernel.AuditSubject{Type: "opt_out"}, Changes: kernel.AuditChanges(before, s),
		})
		return s, nil
	})
}

// setText sets a text if it is present in a request; a blank text becomes nil.
func setText(text **string, in kernel.Optional[string]) {
	if !in.Set {
		return
	}
	if *text = in.Pointer(); *text != nil && strings.TrimSpace(**text) == "" {
		*text = nil
	}
}

type updateOptOutInput struct {
	Body struct{ OptOutChange } `required:"false"`
}

func (s *handlers) updateOptOut(ctx context.Context, a *kernel.Principal, in *updateOptOutInput) (*httpserver.Reply[OptOutSettings], error) {
	return httpserver.Body(s.verbs.UpdateOptOut(ctx, a, in.Body.OptOutChange))
}
