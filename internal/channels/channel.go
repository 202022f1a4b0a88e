package channels

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/channels/whatsapp"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
	"recado/internal/phone"
)

// The providers of channels.
const (
	ProviderSandbox  = "sandbox"
	ProviderWhatsApp = "whatsapp"
	ProviderLinked   = "linked" // by QR code, like WhatsApp Web
)

// The states of a channel.
const (
	ChannelConnected    = "connected"
	ChannelDisconnected = "disconnected"
)

// Rules of channels and their templates.
var (
	// RuleWhatsAppOnly rejects fields and operations that a sandbox does not have.
	RuleWhatsAppOnly = kernel.NewRule("whatsapp_only")
	// RuleTemplateParameter rejects a parameter of a template. Params: parameter, type.
	RuleTemplateParameter = kernel.NewRule("template_parameter", "missing", "type", "unknown")

	ruleReopenTemplate = kernel.NewRule("reopen_template", "not_approved", "parameters") // it cannot reopen conversations
	ruleParameterNames = kernel.NewRule("parameter_names")                               // only some parameters have names
	ruleConfirm        = kernel.NewRule("confirm_public")                                // making a private channel public needs confirm
	rulePrivateOnly    = kernel.NewRule("private_only")                                  // only for private channels
	ruleOtherNumber    = kernel.NewRule("other_number")                                  // number: of the credentials; own: of the channel
	ruleNumberTaken    = kernel.NewRule("number_taken")                                  // another channel has the number
	ruleNumberRefused  = kernel.NewRule("number_refused")                                // the token has no access to the number
	ruleNumberHidden   = kernel.NewRule("number_hidden")                                 // WhatsApp does not report the phone number of the id
	ruleRefused        = kernel.NewRule("whatsapp_refused")                              // cause: a code of ReasonCodes; reason, provider_message
)

// Channel is one WhatsApp number. API keys never see private channels and their data.
type Channel struct {
	ID        kernel.ID `json:"id"`
	Name      string    `json:"name"`
	Phone     *string   `json:"phone" example:"+5511912345678" doc:"Null if the number has never been linked."`
	Provider  string    `json:"provider" enum:"sandbox,whatsapp,linked"`
	Status    string    `json:"status" enum:"connected,disconnected"`
	CreatedAt time.Time `json:"created_at"`

	ArchivedAt *time.Time `json:"archived_at" doc:"The time at which the channel was archived, or null. An archived channel neither sends nor receives messages and does not appear in lists."`

	StatusReason *provider.Reason `json:"status_reason" doc:"The reason why the channel is disconnected; null while it is connected."`
	Warning      *provider.Reason `json:"warning" doc:"A problem with a channel that is nevertheless connected, such as a number that no longer receives messages; null if there is none."`

	Sign bool `json:"sign" doc:"Whether messages sent from the app begin with the sender's name."`

	HoursID *kernel.ID `json:"hours_id" doc:"The channel's own opening hours; if null, the company's opening hours apply."`

	ReopenTemplate *ReopenTemplate `json:"reopen_template" doc:"The template that asks a customer to answer when a message is held because the 24-hour window is closed; null if there is none."`

	MessagesPerMinute *int64 `json:"messages_per_minute" doc:"How many messages a linked number sends in a minute at most; null for other providers."`

	Company kernel.ID `json:"-"`
	Private bool      `json:"private" doc:"Whether only the viewers of the channel can see it and its conversations."`

	Settling bool `json:"-"` // it became private or public, and its history is not updated yet

	Coexistence bool `json:"-"` // the number is also used in the WhatsApp Business app

	Reception *int64 `json:"-"` // the version of its reception; nil: none, or switched off
}

// Subject returns the subject of responses about the channel.
func (c *Channel) Subject() kernel.Subject {
	return kernel.Subject{Kind: SubjectChannel, ID: c.ID}
}

// Number returns the phone number, or "" if the channel was never linked.
func (c *Channel) Number() string {
	if c.Phone == nil {
		return ""
	}
	return *c.Phone
}

// Signed puts the name of a person in front of a text, unless it is there already.
func Signed(text, name string) string {
	prefix := "*" + name + ":*"
	if strings.HasPrefix(text, prefix) {
		return text
	}
	return prefix + "\n" + text
}

// IsSignature reports whether the first line of a text is the name of a person as Signed puts it there.
func IsSignature(line string) bool {
	return len(line) > len("*:*") && strings.HasPrefix(line, "*") && strings.HasSuffix(line, ":*")
}

// Pool returns the owner of the contacts of the channel's customers: the company, or a private channel itself. A person is
// searched within one pool, so that private contacts stay separate.
func (c *Channel) Pool() kernel.ID {
	if c.Private {
		return c.ID
	}
	return c.Company
}

// Access has the credentials of a WhatsApp number. Its secrets are stored encrypted; token and app secret are never returned.
type Access struct {
	PhoneNumberID string `json:"-"`
	WABAID        string `json:"-"`
	Token         string `json:"token"`
	AppSecret     string `json:"app_secret"`
	VerifyToken   string `json:"verify_token"`
	APIVersion    string `json:"-"` // "": the default
	Coexistence   bool   `json:"-"` // the number is also used in the WhatsApp Business app, which lowers its rate

	LinkKey []byte `json:"link_key,omitempty"` // encrypts the state of a linked device; it has none of the others
}

// Secrets returns the part that is stored encrypted, as JSON.
func (a Access) Secrets() []byte {
	plain, _ := json.Marshal(a) // strings always encode
	return plain
}

// Format keeps the secrets out of logs.
func (a Access) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "access to "+a.PhoneNumberID) }

// ChannelConnection describes how a number is connected to its provider, without the secrets. All fields of a sandbox are nil.
type ChannelConnection struct {
	CallbackURL   *string `json:"callback_url" doc:"The URL to which the provider sends callbacks. Enter it at Meta." example:"https://desk.example.com/channels/01991c2e-5b1a-7d3f-8b6c-2f4a5d6e7f80/whatsapp"`
	VerifyToken   *string `json:"verify_token" doc:"The token that Meta sends to verify the callback URL. Enter it at Meta next to the URL."`
	PhoneNumberID *string `json:"phone_number_id" example:"106540352242922"`
	WABAID        *string `json:"waba_id" doc:"The id of the WhatsApp Business account." example:"102290129340398"`
	APIVersion    *string `json:"api_version" doc:"The version of the Meta API; null if the default of this server is used." example:"v25.0"`
	Coexistence   *bool   `json:"coexistence" doc:"Whether the number is also used in the WhatsApp Business app."`
	Import        *Import `json:"import" doc:"The import of the contacts and the history of the WhatsApp Business app; null if the number is not used there."`
}

// NumberState is the state of a number at WhatsApp.
type NumberState struct {
	Phone        string // E.164; "": unknown
	VerifiedName string
	Status       string // CONNECTED when it can send and receive
	Quality      string
}

// ChannelTest is the result of testing a channel at its provider.
type ChannelTest struct {
	OK           bool             `json:"ok"`
	Phone        *string          `json:"phone"`
	VerifiedName *string          `json:"verified_name" doc:"The name shown to customers."`
	Status       *string          `json:"status" doc:"The status of the number at the provider. CONNECTED means that it can send and receive messages."`
	Quality      *string          `json:"quality" example:"GREEN"`
	Error        *provider.Reason `json:"error" doc:"The reason why the test failed; null if it succeeded."`
}

// NewChannel describes a channel to create.
type NewChannel struct {
	Name     string
	Phone    string // may be empty for a WhatsApp number
	Provider string
	Access   *Access // of a WhatsApp number
	Private  bool    // only for the operator and for sessions
}

// ChannelChange lists the fields to change; nil fields stay as they are.
type ChannelChange struct {
	Name        *string
	Status      *string // connected or disconnected
	Access      *AccessChange
	Coexistence *bool
	Sign        *bool // messages that people send in the app begin with their name
	Hours       kernel.Optional[kernel.ID]
	Reopen      kernel.Optional[ReopenTemplate]
	Pace        *int64 // messages per minute of a linked number
	Private     *bool
	Viewers     *[]kernel.ID // of a private channel
	Confirm     bool         // a private channel may become public
}

// Channels returns the company's channels. Private channels are only for their viewers.
func (d *Channels) Channels(ctx context.Context, a *kernel.Principal) ([]Channel, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]Channel, error) {
		all, err := listChannels(tx, a.Company.ID)
		return slices.DeleteFunc(all, func(ch Channel) bool { return ch.Private && !slices.Contains(a.Views, ch.ID) }), err
	})
}

// Channel returns one channel of the company. Private channels are only for their viewers.
func (d *Channels) Channel(ctx context.Context, a *kernel.Principal, id kernel.ID) (Channel, error) {
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (Channel, error) { return d.Known(tx, a, id) })
}

// AllChannels returns the company's channels including private ones, for the operator.
func (d *Channels) AllChannels(ctx context.Context, company kernel.ID) ([]Channel, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]Channel, error) { return listChannels(tx, company) })
}

// Notices returns the newest notices of a channel: callbacks that are neither messages nor statuses.
func (d *Channels) Notices(ctx context.Context, company, channel kernel.ID, limit int) ([]provider.Notice, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]provider.Notice, error) {
		if _, found, err := FindChannel(tx, company, channel); err != nil || !found {
			return nil, kernel.ErrOr(err, kernel.NotFound("channel"))
		}
		return kernel.Rows(tx, `
			SELECT kind, text, raw, created_at
			FROM notices
			WHERE company = $1 AND channel = $2
			ORDER BY created_at DESC, digest
			LIMIT $3`, []any{company, channel, limit}, func(r db.Row) provider.Notice {
			notice := provider.IncomingNotice{Kind: r.Text("kind"), Text: r.Text("text"), Raw: r.Bytes("raw")}
			return provider.Notice{IncomingNotice: notice, CreatedAt: r.Time("created_at")}
		})
	})
}

// CreateChannel creates a channel. A sandbox is connected at once, a WhatsApp number after WhatsApp has accepted its credentials.
func (d *Channels) CreateChannel(ctx context.Context, a *kernel.Principal, in NewChannel) (Channel, error) {
	name, invalid := kernel.Name("body.name", in.Name, kernel.MaxName)
	if invalid != nil {
		return Channel{}, invalid
	}
	if in.Private && a.Kind() == kernel.KindKey {
		return Channel{}, kernel.Invalid("body.private", kernel.RuleSessionOnly,
			"can only be set with a session: API keys do not see private channels")
	}
	in.Name = name
	switch {
	case in.Provider == ProviderWhatsApp:
		return d.connectNumber(ctx, a, in)
	case in.Provider == ProviderLinked:
		return d.createLinked(ctx, a, in)
	case in.Provider != ProviderSandbox:
		return Channel{}, kernel.OneOf("body.provider", ProviderSandbox, ProviderWhatsApp, ProviderLinked)
	case in.Access != nil:
		return Channel{}, kernel.Invalid("body.credentials", RuleWhatsAppOnly, "must be absent for a sandbox")
	}
	phone, ok := phone.Normalize(in.Phone)
	if !ok {
		return Channel{}, ErrPhone("body.phone")
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Channel, error) {
		ch := newChannel(tx, a, in, phone)
		if err := d.checkChannelLimit(tx, ch); err != nil {
			return ch, err
		}
		insertChannel(tx, ch)
		return ch, d.created(tx, a, ch)
	})
}

// unauditedFields lists the fields of a channel that the server sets.
var unauditedFields = []string{"status_reason", "warning", "archived_at"}

// audit records something about the channel.
func (c *Channel) audit(tx *kernel.Tx, a *kernel.Principal, action string, changes []kernel.AuditChange) {
	tx.Audit(a, kernel.AuditEntry{
		Action: action, Subject: kernel.NewAuditSubject("channel", c.ID, c.Name), Channel: c.ID, Changes: changes, Company: c.Company,
	})
}

// auditedChannel is a channel with its confirmed viewers, for the audit.
type auditedChannel struct {
	Channel
	people.AuditedViewers
}

func newAuditedChannel(tx *kernel.Tx, ch Channel) (auditedChannel, error) {
	viewers, err := people.ChannelViewers(tx, ch.Company, ch.ID)
	return auditedChannel{ch, people.NewAuditedViewers(viewers)}, err
}

// auditUpdate records an update of a channel.
func (c ChannelChange) auditUpdate(tx *kernel.Tx, a *kernel.Principal, before auditedChannel, ch Channel) error {
	after, err := newAuditedChannel(tx, ch)
	if err != nil {
		return err
	}
	changes := kernel.AuditChanges(before, after, unauditedFields...)
	if c.Access != nil || c.Coexistence != nil { // they are secret
		changes = append(changes, kernel.AuditChange{Field: "credentials", To: "replaced"})
	}
	action := "channel.updated"
	if before.Status != ch.Status {
		action = "channel." + ch.Status // connected or disconnected
	}
	if len(changes) > 0 {
		ch.audit(tx, a, action, changes)
	}
	return nil
}

// AuditDisconnected records that a channel was disconnected by the server itself, or by the actor if it is not nil.
func AuditDisconnected(tx *kernel.Tx, company, channel kernel.ID, name string, actor *kernel.AuditActor, reason provider.Reason) {
	tx.Audit(nil, kernel.AuditEntry{
		Action: "channel.disconnected", Subject: kernel.NewAuditSubject("channel", channel, name), Channel: channel,
		Company: company, Actor: actor,
		Changes: []kernel.AuditChange{{Field: "status", From: ChannelConnected, To: ChannelDisconnected}, {Field: "reason", To: reason.Code}},
	})
}

// checkChannelLimit counts public and private channels separately, so that an error does not reveal private channels.
func (d *Channels) checkChannelLimit(tx *kernel.Tx, ch Channel) error {
	if ch.Private {
		return kernel.CheckLimit(tx, ch.Company, countPrivate, "private channels", d.Limit(limitChannels))
	}
	return kernel.CheckLimit(tx, ch.Company, countChannels, "channels", d.Limit(limitChannels))
}

func newChannel(tx *kernel.Tx, a *kernel.Principal, in NewChannel, phone string) Channel {
	return Channel{
		ID: kernel.NewID(), Company: a.Company.ID, Name: in.Name, Phone: kernel.TextOrNil(phone), Provider: in.Provider,
		Status: ChannelConnected, Private: in.Private, CreatedAt: tx.Now,
	}
}

// UpdateChannel changes a channel. New credentials also connect it. For a caller who does not see the channel afterwards it
// returns only the viewers.
func (d *Channels) UpdateChannel(
	ctx context.Context, a *kernel.Principal, id kernel.ID, change ChannelChange,
) (ch Channel, unseen *people.PrivateChannel, err error) {
	if err := kernel.CleanName("body.name", &change.Name); err != nil {
		return ch, nil, err
	}
	if change.privacy() {
		if a.Kind() != kernel.KindSession {
			return ch, nil, kernel.Invalid("body.private", kernel.RuleSessionOnly,
				"private and viewers can only be set with a session")
		}
		if err := a.Need(kernel.RoleAdmin); err != nil {
			return ch, nil, err
		}
	}
	var access Access
	var warning *provider.Reason
	if change.properties() {
		if access, warning, err = d.checkProperties(ctx, a, id, change); err != nil {
			return ch, nil, err
		}
	}
	recount, end, err := d.beginRecount(ctx, a, id, change)
	if err != nil {
		return ch, nil, err
	}
	defer end()
	ch, err = kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (ch Channel, err error) {
		unseen = nil
		if ch, err = d.lockChannel(tx, a, id, change); err != nil {
			return ch, err
		}
		before, err := newAuditedChannel(tx, ch)
		if err != nil {
			return ch, err
		}
		if change.properties() {
			if err := d.setProperties(tx, a, &ch, change, access, warning); err != nil {
				return ch, err
			}
		}
		wasPrivate := ch.Private
		if change.privacy() {
			unseen, err = d.setPrivacy(tx, a, &ch, change)
		}
		if err == nil && ch.Private != wasPrivate {
			if recount == nil { // another call has just changed it back
				recount = d.recount(ch, ch.Private)
			}
			if recount != nil {
				err = recount.Finish(tx)
			}
		}
		if err == nil {
			err = change.auditUpdate(tx, a, before, ch)
		}
		return ch, err
	})
	for _, o := range d.observers {
		if err == nil && ch.Settling && o.PrivacyChanged != nil {
			o.PrivacyChanged(ctx, ch.Company, ch.ID)
		}
	}
	if err == nil && change.Hours.Set {
		d.people.HoursChanged(ctx, ch.Company)
	}
	if err == nil && ch.Provider == ProviderWhatsApp && change.connects() {
		d.callHere(ctx, &ch, access)
	}
	return ch, unseen, err
}

// beginRecount begins the recount of the observer for a channel that is about to become private or public. The caller calls end
// after the change.
func (d *Channels) beginRecount(
	ctx context.Context, a *kernel.Principal, id kernel.ID, change ChannelChange,
) (recount kernel.Recount, end func(), err error) {
	end = func() {}
	if change.Private == nil {
		return nil, end, nil
	}
	var ch Channel
	var c kernel.Company
	err = d.Store.Read(ctx, func(tx *kernel.Tx) (err error) {
		if ch, _, err = FindChannel(tx, a.Company.ID, id); err == nil {
			c, _, err = people.Company(tx, a.Company.ID)
		}
		return err
	})
	if err != nil || ch.ID.IsZero() || ch.Private == *change.Private {
		return nil, end, err
	}
	if ch.Private && !change.Confirm {
		return nil, end, errConfirm()
	}
	if recount = d.recount(ch, *change.Private); recount != nil {
		end, err = recount.Begin(ctx, c.Timezone)
	}
	return recount, end, err
}

func errConfirm() error {
	return kernel.Invalid("body.confirm", ruleConfirm, "must be true to make a private channel public: everyone will see its history")
}

func (d *Channels) recount(ch Channel, private bool) kernel.Recount {
	for _, o := range d.observers {
		if o.PrivacyChanges != nil {
			return o.PrivacyChanges(ch, private)
		}
	}
	return nil
}

// privacy reports whether the change affects who sees the channel.
func (c ChannelChange) privacy() bool { return c.Private != nil || c.Viewers != nil }

// properties reports whether the change affects more than privacy, so that the caller must see the channel. An empty change
// counts too.
func (c ChannelChange) properties() bool {
	return !c.privacy() || c.Name != nil || c.Status != nil || c.Access != nil || c.Coexistence != nil || c.Sign != nil ||
		c.Hours.Set || c.Reopen.Set || c.Pace != nil
}

// lockChannel returns the channel of a change. Owners and admins may change the viewers of channels that they do not see.
func (d *Channels) lockChannel(tx *kernel.Tx, a *kernel.Principal, id kernel.ID, change ChannelChange) (Channel, error) {
	if change.Private != nil {
		tx.LockVisibility(a.Company.ID)
	}
	if change.privacy() {
		tx.LockCompany(a.Company.ID)
	}
	ch, found, err := FindChannel(tx, a.Company.ID, id)
	if err != nil || !found || change.properties() && !Knows(a, ch) {
		return Channel{}, kernel.ErrOr(err, kernel.NotFound("channel"))
	}
	if ch.ArchivedAt != nil && change.properties() {
		return Channel{}, ErrChannelArchived()
	}
	return ch, nil
}

// setProperties stores a change except for privacy.
func (d *Channels) setProperties(
	tx *kernel.Tx, a *kernel.Principal, ch *Channel, change ChannelChange, access Access, warning *provider.Reason,
) error {
	set := func(column string, value any) {
		tx.Later(`UPDATE channels SET `+column+` = $3, updated_at = $4 WHERE company = $1 AND id = $2`,
			ch.Company, ch.ID, value, tx.Now)
	}
	if change.Name != nil {
		ch.Name = *change.Name
		set("name", ch.Name)
	}
	if change.Sign != nil {
		ch.Sign = *change.Sign
		set("sign", ch.Sign)
	}
	if change.Hours.Set {
		ch.HoursID = change.Hours.Pointer()
		if err := people.KeepHours(tx, a.Company.ID, ch.HoursID); err != nil {
			return err
		}
		set("hours", ch.HoursID)
		people.MarkServiceLevels(tx, a.Company.ID)
	}
	if change.Pace != nil {
		if ch.Provider != ProviderLinked {
			return kernel.Invalid("body.messages_per_minute", ruleLinkedOnly, "can only be set for a linked number")
		}
		ch.MessagesPerMinute = change.Pace
		set("pace", *change.Pace)
	}
	if change.Reopen.Set {
		if err := setReopenTemplate(tx, ch, change.Reopen.Pointer()); err != nil {
			return err
		}
	}
	if change.Access != nil || change.Coexistence != nil {
		forgetImport(tx, ch.Company, ch.ID, access.PhoneNumberID)
		free, err := saveAccess(tx, a.Company.ID, ch.ID, d.seal(*ch, access))
		if err == nil && !free {
			err = d.errNumberTaken(tx, a, access.PhoneNumberID)
		}
		if err != nil {
			return err
		}
	}
	d.setChannelStatus(tx, ch, change, warning)
	if change.connects() || change.Access != nil || change.Coexistence != nil {
		d.beginImport(tx, ch.Company, ch.ID)
	}
	return nil
}

// connects reports whether the change connects the channel.
func (c ChannelChange) connects() bool {
	if c.Status != nil {
		return *c.Status == ChannelConnected
	}
	return c.Access != nil
}

// setChannelStatus connects or disconnects a channel if the change does so, and sets its warning.
func (d *Channels) setChannelStatus(tx *kernel.Tx, ch *Channel, change ChannelChange, warning *provider.Reason) {
	switch {
	case change.connects():
		ch.Status, ch.StatusReason = ChannelConnected, nil
	case change.Status != nil && ch.Status == ChannelConnected:
		ch.Status, ch.StatusReason = ChannelDisconnected, new(provider.NewReason("disconnected_by_team", "The team disconnected it."))
	default:
		return
	}
	ch.Warning = warning
	if ch.Provider == ProviderWhatsApp && ch.Status == ChannelConnected {
		warning = new(provider.NewReason("no_callbacks", notCalledYet)) // until callHere
	}
	setChannelWarning(tx, ch.Company, ch.ID, warning)
	SetChannelStatus(tx, ch.Company, ch.ID, ch.Status, ch.StatusReason)
	for _, o := range d.observers {
		if ch.Status == ChannelConnected && o.Connected != nil {
			o.Connected(tx, ch)
		}
	}
}

// Known returns a channel that the principal may know of.
func (d *Channels) Known(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) (Channel, error) {
	ch, found, err := FindChannel(tx, a.Company.ID, id)
	if err != nil || !found || !Knows(a, ch) {
		return Channel{}, kernel.ErrOr(err, kernel.NotFound("channel"))
	}
	return ch, nil
}

// Knows reports whether the principal may know of a channel. Private channels are only for the operator and their viewers.
func Knows(a *kernel.Principal, ch Channel) bool {
	return ch.Company == a.Company.ID && (!ch.Private || a.Kind() == kernel.KindSystem || slices.Contains(a.Views, ch.ID))
}

// ErrChannelArchived returns the error for sending through an archived channel.
func ErrChannelArchived() error {
	return kernel.Errorf(kernel.CodeChannelArchived,
		"The channel of this conversation is archived. Its history stays readable; nothing can be sent through it.")
}

// ArchiveChannel disconnects a channel permanently. Messages that wait to be sent fail. Its history and its open attendances
// stay as they are. Its number may be connected again as another channel.
func (d *Channels) ArchiveChannel(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	err := d.Store.Write(ctx, func(tx *kernel.Tx) error {
		tx.LockSeveral(id)
		tx.LockCompany(a.Company.ID)
		ch, err := d.Known(tx, a, id)
		if err != nil || ch.ArchivedAt != nil {
			return err
		}
		ch.audit(tx, a, "channel.deleted", nil)
		if l, found, err := findLink(tx, ch.Company, ch.ID, lockLink(tx)); err != nil {
			return err
		} else if found {
			ch.ArchivedAt = &tx.Now
			if err := d.leave(tx, &ch, l); err != nil {
				return err
			}
		}
		tx.Later(`
			UPDATE channels
			SET archived_at = $3, status = 'disconnected', status_reason = NULL, warning = NULL, restriction = NULL,
				restriction_until = NULL, templates_due_at = NULL, import_due_at = NULL, updated_at = $3
			WHERE company = $1 AND id = $2`, a.Company.ID, id, tx.Now)
		return nil
	})
	for _, o := range d.observers {
		if err == nil && o.Archived != nil {
			o.Archived(ctx, a.Company.ID, id)
		}
	}
	return err
}

// ErrPhone returns the error for a malformed phone number.
func ErrPhone(field string) error {
	return kernel.Malformed(field, "phone")
}

// created makes the creator of a new private channel its first viewer, and records the channel in the audit.
func (d *Channels) created(tx *kernel.Tx, a *kernel.Principal, ch Channel) error {
	if err := d.firstViewer(tx, a, ch); err != nil {
		return err
	}
	audited, err := newAuditedChannel(tx, ch)
	ch.audit(tx, a, "channel.created", kernel.AuditChanges(nil, audited, unauditedFields...))
	return err
}

// firstViewer makes the creator of a private channel its first viewer.
func (d *Channels) firstViewer(tx *kernel.Tx, a *kernel.Principal, ch Channel) error {
	if !ch.Private || a.User.ID.IsZero() {
		return nil
	}
	if err := d.checkViewerLimit(tx, ch.Company, 0, 1); err != nil {
		return err
	}
	people.SetViewers(tx, ch.Company, ch.ID, []kernel.ID{a.User.ID})
	d.people.ForgetHolders(tx, a.Company.ID)
	return nil
}

// checkViewerLimit returns an error if the company's private channels have more viewers than its limit after a change, unless
// they have fewer than before.
func (d *Channels) checkViewerLimit(tx *kernel.Tx, company kernel.ID, before, after int) error {
	return kernel.CheckGrowth(tx, company, countViewers, "viewers of private channels", d.Limit(limitViewers), before, after)
}

// setPrivacy makes a channel private or public and sets its viewers. If the principal does not see the channel afterwards it
// returns the viewers.
func (d *Channels) setPrivacy(
	tx *kernel.Tx, a *kernel.Principal, ch *Channel, change ChannelChange,
) (*people.PrivateChannel, error) {
	viewers := change.Viewers
	if change.Private != nil && *change.Private != ch.Private {
		if ch.Private && !change.Confirm {
			return nil, errConfirm()
		}
		from := ch.Pool()
		ch.Private, ch.Settling = *change.Private, true
		if ch.ArchivedAt == nil {
			if err := d.checkChannelLimit(tx, *ch); err != nil {
				return nil, err
			}
		}
		setChannelPrivate(tx, a.Company.ID, ch.ID, ch.Private)
		for _, o := range d.observers {
			if o.PoolChanged == nil {
				continue
			}
			if err := o.PoolChanged(tx, ch, from); err != nil {
				return nil, err
			}
		}
		tx.AfterCommit(func() { d.WakeFollowers(a.Company.ID) }) // so that streams check permissions again
		if viewers == nil && ch.Private {
			viewers = &[]kernel.ID{a.User.ID}
		} else if !ch.Private {
			people.SetViewers(tx, a.Company.ID, ch.ID, nil)
		}
	}
	if viewers != nil {
		if err := d.checkViewers(tx, a, *ch, *viewers); err != nil {
			return nil, err
		}
		people.SetViewers(tx, a.Company.ID, ch.ID, *viewers)
	}
	d.people.ForgetHolders(tx, a.Company.ID)
	if !ch.Private {
		return nil, nil
	}
	return unseenChannel(tx, a, *ch)
}

// unseenChannel returns a private channel with its viewers, or nil if the principal is one of them.
func unseenChannel(tx *kernel.Tx, a *kernel.Principal, ch Channel) (*people.PrivateChannel, error) {
	viewers, err := people.ChannelViewers(tx, a.Company.ID, ch.ID)
	isViewer := func(v people.Viewer) bool { return v.ID == a.User.ID && !v.Pending }
	if err != nil || slices.ContainsFunc(viewers, isViewer) {
		return nil, err
	}
	return &people.PrivateChannel{ID: ch.ID, Name: ch.Name, Viewers: viewers}, nil
}

// checkViewers returns an error for an empty list of viewers, for unknown members and beyond the limit of the company.
func (d *Channels) checkViewers(tx *kernel.Tx, a *kernel.Principal, ch Channel, viewers []kernel.ID) error {
	switch {
	case !ch.Private:
		return kernel.Invalid("body.viewers", rulePrivateOnly, "only a private channel has viewers")
	case len(viewers) == 0:
		return kernel.TooFew("body.viewers", 1)
	}
	after := 0
	for i, id := range viewers {
		if !slices.Contains(viewers[:i], id) {
			after++
		}
		_, found, err := people.MemberPowers(tx, a.Company.ID, id)
		if err != nil || !found {
			return kernel.ErrOr(err, kernel.NoSuch(kernel.Indexed("body.viewers", i), "team_member"))
		}
	}
	before, err := people.ChannelViewers(tx, a.Company.ID, ch.ID)
	if err != nil {
		return err
	}
	return d.checkViewerLimit(tx, a.Company.ID, len(before), after)
}

// The watchdog compares the silence of a number with its longest silence of the last two weeks, nights and weekends included,
// that raised no warning. A silence that is 1.5 times as long, and at least an hour, is unusual. Numbers with little history
// are not checked.
const (
	silenceFactor  = 1.5
	silenceAtLeast = time.Hour
	silenceHistory = 14 * 24 * time.Hour
	silenceDays    = 3  // with callbacks
	silenceCalls   = 20 // callbacks
)

// callbackCounter collects the times of callbacks until FlushCallbackActivity stores them, because a row per callback would be
// too expensive.
type callbackCounter struct {
	since time.Time // start of the process; a silence before that does not count

	mu    sync.Mutex
	calls map[calledChannel]*CallbackActivity
}

type calledChannel struct{ company, id kernel.ID }

// NoteCallback records that the provider sent a callback about a channel.
func (d *Channels) NoteCallback(company, channel kernel.ID) {
	now := d.Now()
	d.activity.mu.Lock()
	defer d.activity.mu.Unlock()
	called := calledChannel{company, channel}
	h := d.activity.calls[called]
	if h == nil {
		h = &CallbackActivity{First: now, Last: now}
		d.activity.calls[called] = h
	}
	h.Calls++
	h.Longest = max(h.Longest, now.Sub(h.Last))
	h.Last = now
}

// FlushCallbackActivity stores the activity since the last call and clears the warnings of these channels.
func (d *Channels) FlushCallbackActivity(ctx context.Context) error {
	d.activity.mu.Lock()
	calls := d.activity.calls
	d.activity.calls = map[calledChannel]*CallbackActivity{}
	d.activity.mu.Unlock()
	if len(calls) == 0 {
		return nil
	}
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		for channel, h := range calls {
			if err := addCallbackActivity(tx, channel.company, channel.id, *h, d.activity.since); err != nil {
				return err
			}
		}
		tx.Later(`DELETE /* all companies: by age */ FROM channel_days WHERE day < $1`,
			tx.Now.Add(-silenceHistory).UnixMilli()/DayMillis)
		return nil
	})
}

// Silence is the result of the watchdog for one WhatsApp number.
type Silence struct {
	Channel   kernel.ID
	Connected bool
	Unusual   bool // the channel is connected and has been silent for an unusual time
}

// WatchSilence compares the silence of each WhatsApp number with its history, and sets a warning on channels for which it is
// unusual. It also removes expired restrictions.
func (d *Channels) WatchSilence(ctx context.Context) ([]Silence, error) {
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) ([]Silence, error) {
		tx.Later(`
			UPDATE /* all companies: by age */ channels
			SET restriction = NULL, restriction_until = NULL
			WHERE restriction_until <= $1`, tx.Now)
		stats, err := callbackStats(tx, tx.Now.Add(-silenceHistory))
		if err != nil {
			return nil, err
		}
		out := make([]Silence, len(stats))
		for i, h := range stats {
			out[i] = Silence{Channel: h.Channel, Connected: h.Connected}
			silent, unusual := d.silence(h, tx.Now)
			out[i].Unusual = h.Connected && unusual > 0 && silent > unusual
			if out[i].Unusual && !h.Warned {
				message := fmt.Sprintf("Nothing has arrived from WhatsApp for %s; the longest silence of the last two weeks was %s. "+
					"Test the channel, and check its callback address at Meta.", roughly(silent), roughly(h.Longest))
				setChannelWarning(tx, h.Company, h.Channel, new(provider.NewReason("silent", message,
					kernel.Params{"silent_seconds": int(silent.Seconds()), "longest_seconds": int(h.Longest.Seconds())})))
			}
		}
		return out, nil
	})
}

// silence returns how long a number has been silent, and how long is unusual; 0: never.
func (d *Channels) silence(h CallbackStats, now time.Time) (silent, unusual time.Duration) {
	if h.Days < silenceDays || h.Calls < silenceCalls {
		return 0, 0
	}
	last := h.Last
	if d.activity.since.After(last) {
		last = d.activity.since
	}
	return now.Sub(last), max(silenceAtLeast, time.Duration(float64(h.Longest)*silenceFactor))
}

// ReasonCodes returns the codes of problems of a channel, each with its reasons.
func ReasonCodes() map[string][]string {
	out := whatsapp.AccountCodes()
	for _, code := range []string{"disconnected_by_team", "silent", "no_callbacks", "not_connected", "key_lost"} {
		out[code] = nil
	}
	for _, code := range LinkCodes {
		out[code] = nil
	}
	out["import_failed"] = slices.Sorted(maps.Keys(importFailures))
	codes := whatsapp.Codes()
	for _, code := range []string{
		"token_rejected", "permission_missing", "account_restricted", "name_not_approved", "payment_required", "number_not_registered",
		"number_unknown", "unavailable", "provider_refused",
	} {
		out[code] = codes[code]
	}
	out["callback_unreachable"] = []string{"not_public"}
	out["number_unavailable"] = []string{"status"}
	return out
}

// FailureCodes returns the codes of messages that WhatsApp did not accept or deliver, each with its reasons.
func FailureCodes() map[string][]string { return whatsapp.Codes() }

// KeyLost returns the reason of a channel whose credentials cannot be decrypted.
func KeyLost() provider.Reason {
	return provider.NewReason("key_lost",
		"The secret key of this installation was lost. Connect the channel again with its token and app secret.")
}

// roughly formats a duration in whole minutes, hours or days.
func roughly(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", d/(24*time.Hour))
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours", d/time.Hour)
	default:
		return fmt.Sprintf("%d minutes", d/time.Minute)
	}
}

// PurgeChannels deletes old notices of providers, and reports whether there are more.
func (d *Channels) PurgeChannels(ctx context.Context) (more bool, err error) {
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) {
		notices, err := tx.Exec(`
			DELETE /* all companies: by age */ FROM notices
			WHERE (company, channel, digest) IN (
				SELECT company, channel, digest FROM notices WHERE created_at < $1 ORDER BY created_at LIMIT $2)`,
			tx.Now.Add(-provider.NoticeRetention), kernel.PurgeStep)
		return notices >= kernel.PurgeStep, err
	})
}
