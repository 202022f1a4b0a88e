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
	"recado/internal/people"
	"recado/internal/phone"
)

// The providers a channel may send through.
const (
	ProviderSandbox  = "sandbox"
	ProviderWhatsApp = "whatsapp"
)

// The states of a channel.
const (
	ChannelConnected    = "connected"
	ChannelDisconnected = "disconnected"
)

// Rules of channels and their templates.
var (
	RuleWhatsAppOnly      = kernel.NewRule("whatsapp_only")                                    // a sandbox has no such thing
	RuleTemplateParameter = kernel.NewRule("template_parameter", "missing", "type", "unknown") // parameter, type
	ruleParameterNames    = kernel.NewRule("parameter_names")                                  // some parameters have names and others do not
	ruleConfirm           = kernel.NewRule("confirm_public")                                   // making a private channel public needs confirm
	rulePrivateOnly       = kernel.NewRule("private_only")                                     // for private channels
	ruleOtherNumber       = kernel.NewRule("other_number")                                     // number: of the credentials; own: of the channel
	ruleNumberTaken       = kernel.NewRule("number_taken")                                     // another channel has the number
	ruleNumberRefused     = kernel.NewRule("number_refused")                                   // WhatsApp does not give the number to this token
	ruleNumberHidden      = kernel.NewRule("number_hidden")                                    // WhatsApp does not report the phone number of the id
	ruleRefused           = kernel.NewRule("whatsapp_refused")                                 // cause: a code of ReasonCodes; reason, provider_message
)

// Channel is one WhatsApp number. Private channels, and all that belongs to them, never leave
// through an API key.
type Channel struct {
	ID        kernel.ID `json:"id"`
	Name      string    `json:"name"`
	Phone     string    `json:"phone" example:"+5511912345678"`
	Provider  string    `json:"provider" enum:"sandbox,whatsapp"`
	Status    string    `json:"status" enum:"connected,disconnected"`
	CreatedAt time.Time `json:"created_at"`

	ArchivedAt *time.Time `json:"archived_at" doc:"When the channel was archived; null: it was not. Nothing is sent or received through an archived channel, and no list shows it."`

	StatusReason *provider.Reason `json:"status_reason" doc:"Why the channel is disconnected; null while it is connected."`
	Warning      *provider.Reason `json:"warning" doc:"What is wrong with a channel that is connected all the same, such as a number that has gone silent; null when nothing is."`

	Sign bool `json:"sign" doc:"Messages that people send in the app begin with the name of the person."`

	HoursID *kernel.ID `json:"hours_id" doc:"Its own opening hours; null: those of the company."`

	Company kernel.ID `json:"-"`
	Private bool      `json:"-"`

	Settling bool `json:"-"` // it has become private or public, and its history has yet to follow

	Reception *int64 `json:"-"` // the version of its reception; nil: it has none or it is switched off
}

// Subject is the channel.
func (c *Channel) Subject() kernel.Subject {
	return kernel.Subject{Kind: SubjectChannel, ID: c.ID}
}

// Signed puts the name of the person in front of a text, unless it stands there already.
func Signed(text, name string) string {
	first := "*" + name + ":*"
	if strings.HasPrefix(text, first) {
		return text
	}
	return first + "\n" + text
}

// Pool is where the contacts of the channel's customers are kept: the company's contacts, or those of a
// private channel alone. A person is looked for within one pool, so that neither side shows in the other.
func (c *Channel) Pool() kernel.ID {
	if c.Private {
		return c.ID
	}
	return c.Company
}

// Access holds the credentials that WhatsApp requires for a number. Its secrets are sealed at rest; token and
// app secret are never shown.
type Access struct {
	PhoneNumberID string
	WABAID        string
	Token         string
	AppSecret     string
	VerifyToken   string
	APIVersion    string // "": the connector's own choice
	Coexistence   bool   // the number is also used in the WhatsApp Business app, which lowers its rate
}

// accessSecrets is the part of an access that is sealed at rest.
type accessSecrets struct {
	Token       string `json:"token"`
	AppSecret   string `json:"app_secret"`
	VerifyToken string `json:"verify_token"`
}

// Secrets gives the part that is sealed at rest, as JSON.
func (a Access) Secrets() []byte {
	plain, _ := json.Marshal(accessSecrets{a.Token, a.AppSecret, a.VerifyToken}) // strings always encode
	return plain
}

// SetSecrets reads what Secrets gave.
func (a *Access) SetSecrets(plain []byte) error {
	var s accessSecrets
	err := json.Unmarshal(plain, &s)
	a.Token, a.AppSecret, a.VerifyToken = s.Token, s.AppSecret, s.VerifyToken
	return err
}

// Format keeps the secrets out of every log line that is given an Access by mistake.
func (a Access) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "access to "+a.PhoneNumberID) }

// ChannelConnection is how a number is connected to its provider, without the secrets. All is null of a sandbox.
type ChannelConnection struct {
	CallbackURL   *string `json:"callback_url" doc:"Where the provider sends callbacks; entered at Meta." example:"https://desk.example.com/channels/01991c2e-5b1a-7d3f-8b6c-2f4a5d6e7f80/whatsapp"`
	VerifyToken   *string `json:"verify_token" doc:"The token with which Meta verifies the callback address; entered beside it."`
	PhoneNumberID *string `json:"phone_number_id" example:"106540352242922"`
	WABAID        *string `json:"waba_id" doc:"Id of the WhatsApp Business account." example:"102290129340398"`
	APIVersion    *string `json:"api_version" doc:"Version of the Meta API; null: the default of this server." example:"v25.0"`
	Coexistence   *bool   `json:"coexistence" doc:"The number is also used in the WhatsApp Business app."`
}

// NumberState is what WhatsApp says about a number.
type NumberState struct {
	Phone        string // E.164, or "" when WhatsApp did not tell
	VerifiedName string
	Status       string // CONNECTED when it can send and receive
	Quality      string
}

// ChannelTest is the outcome of asking a provider whether a channel works.
type ChannelTest struct {
	OK           bool             `json:"ok"`
	Phone        *string          `json:"phone"`
	VerifiedName *string          `json:"verified_name" doc:"The name that customers see."`
	Status       *string          `json:"status" doc:"Of the number at the provider; CONNECTED when it can send and receive."`
	Quality      *string          `json:"quality" example:"GREEN"`
	Error        *provider.Reason `json:"error" doc:"Why the test failed; null when it did not."`
}

// NewChannel is what a channel is made of.
type NewChannel struct {
	Name     string
	Phone    string // of a WhatsApp number it may be empty: WhatsApp tells it
	Provider string
	Access   *Access // of a WhatsApp number
	Private  bool    // for the operator and for people who are signed in
}

// ChannelChange holds what is to change about a channel; nil fields stay.
type ChannelChange struct {
	Name        *string
	Status      *string // connected or disconnected
	Access      *AccessChange
	Coexistence *bool
	Sign        *bool // messages that people send in the app begin with their name
	Hours       kernel.Optional[kernel.ID]
	Private     *bool
	Viewers     *[]kernel.ID // of a private channel
	Confirm     bool         // a private channel may become public
}

// Channels lists the company's channels; private ones for their viewers alone.
func (d *Channels) Channels(ctx context.Context, a *kernel.Principal) ([]Channel, error) {
	if err := a.May(VerbChannels); err != nil {
		return nil, err
	}
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]Channel, error) {
		if len(a.Views) == 0 {
			return listChannels(tx, a.Company.ID)
		}
		all, err := allChannels(tx, a.Company.ID)
		return slices.DeleteFunc(all, func(ch Channel) bool { return !Knows(a, ch) }), err
	})
}

// Channel gives one channel of the company; a private one for its viewers alone.
func (d *Channels) Channel(ctx context.Context, a *kernel.Principal, id kernel.ID) (Channel, error) {
	if err := a.May(VerbChannel); err != nil {
		return Channel{}, err
	}
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (Channel, error) { return d.Known(tx, a, id) })
}

// AllChannels lists the company's channels for the operator, private ones included.
func (d *Channels) AllChannels(ctx context.Context, company kernel.ID) ([]Channel, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]Channel, error) { return allChannels(tx, company) })
}

// Notices gives the newest of what the provider said of a channel that is neither message nor status.
func (d *Channels) Notices(ctx context.Context, company, channel kernel.ID, limit int) ([]provider.Notice, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]provider.Notice, error) {
		if _, found, err := FindChannel(tx, company, channel); err != nil || !found {
			return nil, kernel.ErrOr(err, kernel.NotFound("channel"))
		}
		return notices(tx, company, channel, limit)
	})
}

// CreateChannel adds a channel. One of provider sandbox is connected at once; a WhatsApp number once
// WhatsApp has accepted its credentials.
func (d *Channels) CreateChannel(ctx context.Context, a *kernel.Principal, in NewChannel) (Channel, error) {
	if err := a.May(VerbCreateChannel); err != nil {
		return Channel{}, err
	}
	name, invalid := kernel.Name("body.name", in.Name, kernel.MaxName)
	if invalid != nil {
		return Channel{}, invalid
	}
	if in.Private && a.Kind() == kernel.KindKey {
		return Channel{}, kernel.Invalid("body.private", kernel.RuleSessionOnly, "can only be set with a session: API keys do not see private channels")
	}
	in.Name = name
	switch in.Provider {
	case ProviderSandbox:
		return d.createSandbox(ctx, a, in)
	case ProviderWhatsApp:
		return d.connectNumber(ctx, a, in)
	}
	return Channel{}, kernel.OneOf("body.provider", ProviderSandbox, ProviderWhatsApp)
}

func (d *Channels) createSandbox(ctx context.Context, a *kernel.Principal, in NewChannel) (Channel, error) {
	if in.Access != nil {
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
		return ch, d.firstViewer(tx, a, ch)
	})
}

// checkChannelLimit counts public and private channels apart: a refusal of a public one must not tell of private ones.
func (d *Channels) checkChannelLimit(tx *kernel.Tx, ch Channel) error {
	if ch.Private {
		return kernel.CheckLimit(tx, ch.Company, countPrivate, "private channels", d.Limit(limitChannels))
	}
	return kernel.CheckLimit(tx, ch.Company, countChannels, "channels", d.Limit(limitChannels))
}

func newChannel(tx *kernel.Tx, a *kernel.Principal, in NewChannel, phone string) Channel {
	return Channel{
		ID: kernel.NewID(), Company: a.Company.ID, Name: in.Name, Phone: phone, Provider: in.Provider,
		Status: ChannelConnected, Private: in.Private, CreatedAt: tx.Now,
	}
}

// UpdateChannel renames, disconnects and connects a channel, gives it new credentials, which connects it as well,
// and says who sees it. For a caller who does not see the channel afterwards it gives the viewers alone.
func (d *Channels) UpdateChannel(ctx context.Context, a *kernel.Principal, id kernel.ID, change ChannelChange) (Channel, *people.PrivateChannel, error) {
	if err := a.May(VerbUpdateChannel); err != nil {
		return Channel{}, nil, err
	}
	if change.Name != nil {
		clean, invalid := kernel.Name("body.name", *change.Name, kernel.MaxName)
		if invalid != nil {
			return Channel{}, nil, invalid
		}
		change.Name = &clean
	}
	if change.privacy() {
		if a.Kind() != kernel.KindSession {
			return Channel{}, nil, kernel.Invalid("body.private", kernel.RuleSessionOnly, "private and viewers can only be set with a session")
		}
		if err := a.Need(kernel.RoleAdmin); err != nil {
			return Channel{}, nil, err
		}
	}
	return d.changeChannel(ctx, a, id, change)
}

// changeChannel makes all of a change in one transaction, after WhatsApp has accepted what it has to accept.
func (d *Channels) changeChannel(ctx context.Context, a *kernel.Principal, id kernel.ID, change ChannelChange) (ch Channel, unseen *people.PrivateChannel, err error) {
	var accessed Access
	var warning *provider.Reason
	if change.properties() {
		if accessed, warning, err = d.checkProperties(ctx, a, id, change); err != nil {
			return ch, nil, err
		}
	}
	recounts, end, err := d.beginRecounts(ctx, a, id, change)
	if err != nil {
		return ch, nil, err
	}
	defer end()
	ch, err = kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (ch Channel, err error) {
		unseen = nil
		if ch, err = d.lockChannel(tx, a, id, change); err != nil {
			return ch, err
		}
		if change.properties() {
			if err := d.setProperties(tx, a, &ch, change, accessed, warning); err != nil {
				return ch, err
			}
		}
		was := ch.Private
		if change.privacy() {
			unseen, err = d.setPrivacy(tx, a, &ch, change)
		}
		if err == nil && ch.Private != was {
			if recounts == nil { // another call has just changed it back
				recounts = d.recounts(ch, ch.Private)
			}
			for _, r := range recounts {
				if err == nil {
					err = r.Finish(tx)
				}
			}
		}
		return ch, err
	})
	if err == nil && ch.Settling {
		for _, o := range d.observers {
			if o.PrivacyChanged != nil {
				o.PrivacyChanged(ctx, ch.Company, ch.ID)
			}
		}
	}
	if err == nil && ch.Provider == ProviderWhatsApp && change.connects() {
		d.callHere(ctx, &ch, accessed)
	}
	return ch, unseen, err
}

// beginRecounts lets observers count for a channel that is about to become private or public. The caller calls end after
// the change.
func (d *Channels) beginRecounts(ctx context.Context, a *kernel.Principal, id kernel.ID, change ChannelChange) (recounts []kernel.Recount, end func(), err error) {
	end = func() {}
	if change.Private == nil {
		return nil, end, nil
	}
	ch, err := kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (Channel, error) {
		ch, _, err := FindChannel(tx, a.Company.ID, id)
		return ch, err
	})
	if err != nil || ch.ID.IsZero() || ch.Private == *change.Private {
		return nil, end, err
	}
	if ch.Private && !change.Confirm {
		return nil, end, kernel.Invalid("body.confirm", ruleConfirm, "must be true to make a private channel public: everybody will see its history")
	}
	c, err := kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (kernel.Company, error) {
		c, _, err := people.Company(tx, a.Company.ID)
		return c, err
	})
	if err != nil {
		return nil, end, err
	}
	recounts = d.recounts(ch, *change.Private)
	var ends []func()
	end = func() {
		for _, f := range ends {
			f()
		}
	}
	for _, r := range recounts {
		done, err := r.Begin(ctx, c.Timezone)
		if err != nil {
			end()
			return nil, func() {}, err
		}
		ends = append(ends, done)
	}
	return recounts, end, nil
}

// recounts are those of the observers for a channel that becomes private or public.
func (d *Channels) recounts(ch Channel, private bool) (all []kernel.Recount) {
	for _, o := range d.observers {
		if o.PrivacyChanges != nil {
			all = append(all, o.PrivacyChanges(ch, private))
		}
	}
	return all
}

// privacy reports whether the change says who sees the channel.
func (c ChannelChange) privacy() bool { return c.Private != nil || c.Viewers != nil }

// properties reports whether the change is about anything but privacy, which takes a caller who sees the channel. A
// change of nothing does, too.
func (c ChannelChange) properties() bool {
	return !c.privacy() || c.Name != nil || c.Status != nil || c.Access != nil || c.Coexistence != nil || c.Sign != nil || c.Hours.Set
}

// lockChannel gives the channel of a change. Owners and admins change the viewers of channels that they do not see.
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

// checkProperties gives the access that a change results in, and what there is to warn of about the number then.
func (d *Channels) checkProperties(ctx context.Context, a *kernel.Principal, id kernel.ID, change ChannelChange) (Access, *provider.Reason, error) {
	ch, access, err := d.channelAccess(ctx, a, id)
	if err != nil {
		return Access{}, nil, err
	}
	if ch.Provider != ProviderWhatsApp && (change.Access != nil || change.Coexistence != nil) {
		return Access{}, nil, kernel.Invalid("body.credentials", RuleWhatsAppOnly, "are only for a WhatsApp number")
	}
	return d.checkChange(ctx, ch, access, change)
}

// setProperties writes all of a change but privacy.
func (d *Channels) setProperties(tx *kernel.Tx, a *kernel.Principal, ch *Channel, change ChannelChange, accessed Access, warning *provider.Reason) error {
	if change.Name != nil {
		ch.Name = *change.Name
		renameChannel(tx, a.Company.ID, ch.ID, ch.Name)
	}
	if change.Sign != nil {
		ch.Sign = *change.Sign
		signChannel(tx, a.Company.ID, ch.ID, ch.Sign)
	}
	if change.Hours.Set {
		ch.HoursID = change.Hours.Pointer()
		if err := people.KeepHours(tx, a.Company.ID, ch.HoursID); err != nil {
			return err
		}
		setChannelHours(tx, a.Company.ID, ch.ID, ch.HoursID)
	}
	if change.Access != nil || change.Coexistence != nil {
		free, err := saveAccess(tx, a.Company.ID, ch.ID, d.seal(*ch, accessed))
		if err == nil && !free {
			err = d.errNumberTaken(tx, a, accessed.PhoneNumberID)
		}
		if err != nil {
			return err
		}
	}
	d.setChannelStatus(tx, ch, change, warning)
	return nil
}

// connects reports whether the change leaves the channel connected that may not have been so before.
func (c ChannelChange) connects() bool {
	if c.Status != nil {
		return *c.Status == ChannelConnected
	}
	return c.Access != nil
}

// setChannelStatus connects or disconnects a channel where the change says so; warning is what there is to
// warn of about a number that is connected.
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
	warnOfChannel(tx, ch.Company, ch.ID, warning)
	SetChannelStatus(tx, ch.Company, ch.ID, ch.Status, ch.StatusReason)
	if ch.Status == ChannelConnected { // messages that waited can be sent now
		d.tellConnected(tx, ch)
	}
}

// Known finds a channel that the principal may know of.
func (d *Channels) Known(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) (Channel, error) {
	ch, found, err := FindChannel(tx, a.Company.ID, id)
	if err != nil || !found || !Knows(a, ch) {
		return Channel{}, kernel.ErrOr(err, kernel.NotFound("channel"))
	}
	return ch, nil
}

// Knows reports whether a channel exists for the principal: a private one does for the operator and for those
// who may view it.
func Knows(a *kernel.Principal, ch Channel) bool {
	return ch.Company == a.Company.ID && (!ch.Private || a.Kind() == kernel.KindSystem || slices.Contains(a.Views, ch.ID))
}

// ErrChannelArchived returns the refusal to send through an archived channel.
func ErrChannelArchived() error {
	return kernel.Errorf(kernel.CodeChannelArchived, "The channel of this conversation is archived. Its history stays readable; nothing can be sent through it.")
}

// ArchiveChannel disconnects a channel for good. What waits to be sent fails afterwards; its history stays as it is, and its open
// attendances stay open. Its number may be connected again as another channel.
func (d *Channels) ArchiveChannel(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	if err := a.May(VerbArchiveChannel); err != nil {
		return err
	}
	_, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		tx.LockSeveral(id)
		tx.LockCompany(a.Company.ID)
		ch, err := d.Known(tx, a, id)
		if err != nil || ch.ArchivedAt != nil {
			return struct{}{}, err
		}
		archiveChannel(tx, a.Company.ID, id)
		return struct{}{}, nil
	})
	for _, o := range d.observers {
		if err == nil && o.Archived != nil {
			o.Archived(ctx, a.Company.ID, id)
		}
	}
	return err
}

// ErrPhone returns the refusal of a malformed phone number.
func ErrPhone(field string) error {
	return kernel.Malformed(field, "phone")
}

// firstViewer lets the person who makes a private channel see it.
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

// checkViewerLimit refuses a change after which the company's private channels have more viewers than its limit, unless
// they have fewer than before. The list of private channels shows each of them.
func (d *Channels) checkViewerLimit(tx *kernel.Tx, company kernel.ID, before, after int) error {
	return kernel.CheckGrowth(tx, company, countViewers, "viewers of private channels", d.Limit(limitViewers), before, after)
}

// setPrivacy makes a channel private or public and says who sees it. A principal who does not see the channel afterwards
// gets the viewers alone.
func (d *Channels) setPrivacy(tx *kernel.Tx, a *kernel.Principal, ch *Channel, change ChannelChange) (*people.PrivateChannel, error) {
	viewers := change.Viewers
	if change.Private != nil && *change.Private != ch.Private {
		if ch.Private && !change.Confirm {
			return nil, kernel.Invalid("body.confirm", ruleConfirm, "must be true to make a private channel public: everybody will see its history")
		}
		ch.Private, ch.Settling = *change.Private, true
		if ch.ArchivedAt == nil {
			if err := d.checkChannelLimit(tx, *ch); err != nil {
				return nil, err
			}
		}
		setChannelPrivate(tx, a.Company.ID, ch.ID, ch.Private)
		tx.AfterCommit(func() { d.WakeFollowers(a.Company.ID) }) // nobody is given the events that were read before
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

// unseenChannel gives a private channel with its viewers, or nil where the principal is one of them.
func unseenChannel(tx *kernel.Tx, a *kernel.Principal, ch Channel) (*people.PrivateChannel, error) {
	viewers, err := people.ChannelViewers(tx, a.Company.ID, ch.ID)
	if err != nil || slices.ContainsFunc(viewers, func(v people.Viewer) bool { return v.ID == a.User.ID && !v.Pending }) {
		return nil, err
	}
	return &people.PrivateChannel{ID: ch.ID, Name: ch.Name, Viewers: viewers}, nil
}

// checkViewers refuses a list that leaves the channel without a viewer, or the company with more than its limit.
func (d *Channels) checkViewers(tx *kernel.Tx, a *kernel.Principal, ch Channel, viewers []kernel.ID) error {
	switch {
	case !ch.Private:
		return kernel.Invalid("body.viewers", rulePrivateOnly, "only a private channel has viewers")
	case len(viewers) == 0:
		return kernel.TooFew("body.viewers", 1)
	}
	after := 0
	for i, id := range viewers {
		if slices.Contains(viewers[:i], id) {
			continue
		}
		after++
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

// The watchdog compares the silence of a number with the longest one between two of its callbacks during the last
// two weeks, nights and weekends included, that raised no warning. A silence half as long again, and of an hour at
// least, is unusual. Numbers with little history are not checked.
const (
	silenceFactor  = 1.5
	silenceAtLeast = time.Hour
	silenceHistory = 14 * 24 * time.Hour
	silenceDays    = 3  // of the history on which something arrived
	silenceCalls   = 20 // calls of the provider in it
)

// callbackActivity collects when providers called, until FlushCallbackActivity stores it: a row per call
// would cost more than the call.
type callbackCounter struct {
	since time.Time // the process started; a silence before that does not count

	mu    sync.Mutex
	calls map[calledChannel]*CallbackActivity
}

// calledChannel is a channel about which a provider called.
type calledChannel struct{ company, id kernel.ID }

// NoteCallback notes that the provider called about a channel, whatever it had to say.
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
	_, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		for channel, h := range calls {
			if err := addCallbackActivity(tx, channel.company, channel.id, *h, d.activity.since); err != nil {
				return struct{}{}, err
			}
		}
		purgeCallbackActivity(tx, tx.Now.Add(-silenceHistory))
		return struct{}{}, nil
	})
	return err
}

// Silence is what the watchdog found about one WhatsApp number.
type Silence struct {
	Channel   kernel.ID
	Connected bool
	Unusual   bool // the channel is connected and has been silent for an unusual time
}

// WatchSilence compares how long each WhatsApp number has been silent with its own history, and puts a
// warning on the channels for which that is unusual. It also ends the restrictions whose time is over.
func (d *Channels) WatchSilence(ctx context.Context) ([]Silence, error) {
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) ([]Silence, error) {
		endRestrictions(tx)
		stats, err := callbackStats(tx, tx.Now.Add(-silenceHistory))
		if err != nil {
			return nil, err
		}
		out := make([]Silence, len(stats))
		for i, h := range stats {
			out[i] = Silence{Channel: h.Channel, Connected: h.Connected}
			silent, usual := d.silence(h, tx.Now)
			out[i].Unusual = h.Connected && usual > 0 && silent > usual
			if out[i].Unusual && !h.Warned {
				warnOfChannel(tx, h.Company, h.Channel, new(silenceWarning(silent, h.Longest)))
			}
		}
		return out, nil
	})
}

// silence says how long a number has been silent, and from when on that is unusual; 0: never.
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

func silenceWarning(silent, longest time.Duration) provider.Reason {
	message := fmt.Sprintf("Nothing has arrived from WhatsApp for %s; the longest silence of the last two weeks was %s. Test the channel, and look at its callback address at Meta.",
		roughly(silent), roughly(longest))
	return provider.NewReason("silent", message, kernel.Params{"silent_seconds": int(silent.Seconds()), "longest_seconds": int(longest.Seconds())})
}

// ReasonCodes returns the codes of what can be wrong with a channel, each with its reasons.
func ReasonCodes() map[string][]string {
	out := whatsapp.AccountCodes()
	maps.Copy(out, map[string][]string{"disconnected_by_team": nil, "silent": nil, "no_callbacks": nil, "not_connected": nil, "key_lost": nil})
	for code, details := range whatsapp.Codes() {
		switch code {
		case "token_rejected", "permission_missing", "account_restricted", "name_not_approved", "payment_required", "number_not_registered", "number_unknown", "unavailable", "provider_refused":
			out[code] = details
		}
	}
	out["callback_unreachable"] = []string{"not_public"}
	out["number_unavailable"] = []string{"status"}
	return out
}

// FailureCodes returns the codes of messages that WhatsApp did not take or deliver, each with its reasons.
func FailureCodes() map[string][]string { return whatsapp.Codes() }

// KeyLost is the reason of a channel whose credentials cannot be read any more.
func KeyLost() provider.Reason {
	return provider.NewReason("key_lost", "The secret key of this installation was lost. Connect the channel again with its token and app secret.")
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

// checkChannel reports an error when the principal may not know of a channel.
func (d *Channels) checkChannel(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) error {
	_, err := d.Known(tx, a, id)
	return err
}

// PurgeChannels deletes old notices of providers, and reports whether there are more.
func (d *Channels) PurgeChannels(ctx context.Context) (more bool, err error) {
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) {
		notices, err := purgeNotices(tx, tx.Now.Add(-provider.NoticeRetention), kernel.PurgeStep)
		return notices >= kernel.PurgeStep, err
	})
}
