package channels

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"strings"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/phone"
)

// Numbers is WhatsApp's side of connecting a number. Its errors are *provider.SendError.
type Numbers interface {
	// Check asks WhatsApp about a number, which also proves the credentials.
	Check(ctx context.Context, access Access) (NumberState, error)
	// Subscribe makes WhatsApp call back about the number's account.
	Subscribe(ctx context.Context, access Access) error
	// CallHere points the number's callbacks at this server, which must be answering them already.
	CallHere(ctx context.Context, access Access, channel kernel.ID) error
}

// AccessChange replaces parts of a channel's access; nil fields stay.
type AccessChange struct {
	PhoneNumberID *string
	WABAID        *string
	Token         *string
	AppSecret     *string
	VerifyToken   *string
	APIVersion    *string
}

// connectNumber adds a WhatsApp number after WhatsApp has accepted its credentials.
func (d *Channels) connectNumber(ctx context.Context, a *kernel.Principal, in NewChannel) (Channel, error) {
	if in.Access == nil {
		return Channel{}, kernel.Required("body.credentials")
	}
	access := *in.Access
	if access.VerifyToken == "" {
		access.VerifyToken = rand.Text()
	}
	if in.Phone != "" {
		if _, ok := phone.Normalize(in.Phone); !ok {
			return Channel{}, ErrPhone("body.phone")
		}
	}
	number, warning, err := d.checkAccess(ctx, access)
	if err != nil {
		return Channel{}, err
	}
	if asked, _ := phone.Normalize(in.Phone); in.Phone != "" && asked != number {
		return Channel{}, kernel.Invalid("body.phone", ruleOtherNumber, "is not the number of these credentials, which is "+number, kernel.Params{"number": number, "own": asked})
	}
	ch, err := kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Channel, error) {
		ch := newChannel(tx, a, in, number)
		ch.Warning = new(provider.NewReason("no_callbacks", notCalledYet)) // until callHere is done, should the server stop before
		if err := d.checkChannelLimit(tx, ch); err != nil {
			return ch, err
		}
		free, err := insertNumber(tx, ch, d.seal(ch, access))
		if err == nil && !free {
			err = d.errNumberTaken(tx, a, access.PhoneNumberID)
		}
		if err == nil {
			err = d.firstViewer(tx, a, ch)
		}
		return ch, err
	})
	if err == nil {
		ch.Warning = warning
		d.callHere(ctx, &ch, access)
	}
	return ch, err
}

// TestChannel asks the provider whether the channel works, and changes nothing.
func (d *Channels) TestChannel(ctx context.Context, a *kernel.Principal, id kernel.ID) (ChannelTest, error) {
	if err := a.May(VerbTestChannel); err != nil {
		return ChannelTest{}, err
	}
	ch, access, err := d.channelAccess(ctx, a, id)
	if err != nil {
		return ChannelTest{}, err
	}
	if ch.Provider != ProviderWhatsApp {
		return ChannelTest{OK: true, Phone: &ch.Phone}, nil
	}
	if d.numbers == nil {
		return ChannelTest{}, errNoWhatsApp()
	}
	state, err := d.numbers.Check(ctx, access)
	if refused, ok := errors.AsType[*provider.SendError](err); ok {
		return ChannelTest{Error: new(reasonOf(refused))}, nil
	}
	if err != nil {
		return ChannelTest{}, err
	}
	test := ChannelTest{OK: numberWorks(state), Phone: kernel.TextOrNil(state.Phone), VerifiedName: kernel.TextOrNil(state.VerifiedName), Status: kernel.TextOrNil(state.Status), Quality: kernel.TextOrNil(state.Quality)}
	if !test.OK {
		test.Error = new(notFlowing(state))
	}
	return test, nil
}

// ChannelConnection gives what connects a channel to its provider, without the secrets.
func (d *Channels) ChannelConnection(ctx context.Context, a *kernel.Principal, id kernel.ID) (ChannelConnection, error) {
	if err := a.May(VerbChannelConnection); err != nil {
		return ChannelConnection{}, err
	}
	ch, access, err := d.channelAccess(ctx, a, id)
	if err != nil || ch.Provider != ProviderWhatsApp {
		return ChannelConnection{}, err
	}
	return ChannelConnection{
		VerifyToken: &access.VerifyToken, PhoneNumberID: &access.PhoneNumberID, WABAID: &access.WABAID,
		APIVersion: kernel.TextOrNil(access.APIVersion), Coexistence: &access.Coexistence,
	}, nil
}

// Access returns a channel of the company with the access to its provider, for the loops. It reports false when there is
// no such channel, or when it has no provider.
func (d *Channels) Access(ctx context.Context, company, id kernel.ID) (Channel, Access, bool, error) {
	return d.access(ctx, func(tx *kernel.Tx) (Channel, SealedAccess, bool, error) { return channelAccess(tx, company, id) })
}

func (d *Channels) access(ctx context.Context, find func(tx *kernel.Tx) (Channel, SealedAccess, bool, error)) (Channel, Access, bool, error) {
	var ch Channel
	var sealed SealedAccess
	var found bool
	err := d.Store.ReadOne(ctx, func(tx *kernel.Tx) (err error) {
		ch, sealed, found, err = find(tx)
		return err
	})
	if err != nil || !found || sealed.Secrets == nil {
		return ch, Access{}, false, err
	}
	access, err := d.unseal(ch, sealed)
	return ch, access, err == nil, err
}

// ChannelOfNumber finds the channel of the company that has the provider's id of a number.
func (d *Channels) ChannelOfNumber(ctx context.Context, company kernel.ID, phoneNumberID string) (id kernel.ID, found bool, err error) {
	err = d.Store.ReadOne(ctx, func(tx *kernel.Tx) (err error) {
		id, found, err = channelOfNumber(tx, company, phoneNumberID)
		return err
	})
	return id, found, err
}

// channelAccess is Access for a principal who may know of the channel; a sandbox has an empty one.
func (d *Channels) channelAccess(ctx context.Context, a *kernel.Principal, id kernel.ID) (Channel, Access, error) {
	type both struct {
		ch     Channel
		sealed SealedAccess
	}
	got, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (both, error) {
		ch, sealed, found, err := channelAccess(tx, a.Company.ID, id)
		if err != nil || !found || !Knows(a, ch) {
			return both{}, kernel.ErrOr(err, kernel.NotFound("channel"))
		}
		return both{ch, sealed}, nil
	})
	if err != nil || got.sealed.Secrets == nil {
		return got.ch, Access{}, err
	}
	access, err := d.unseal(got.ch, got.sealed)
	return got.ch, access, err
}

// checkChange gives the access that a change results in, after WhatsApp has accepted it where the
// change connects the channel, and what there is to warn of about the number then.
func (d *Channels) checkChange(ctx context.Context, ch Channel, access Access, change ChannelChange) (Access, *provider.Reason, error) {
	if change.Coexistence != nil {
		access.Coexistence = *change.Coexistence
	}
	if c := change.Access; c != nil {
		for _, part := range []struct {
			to   *string
			from *string
		}{
			{&access.PhoneNumberID, c.PhoneNumberID},
			{&access.WABAID, c.WABAID},
			{&access.Token, c.Token},
			{&access.AppSecret, c.AppSecret},
			{&access.VerifyToken, c.VerifyToken},
			{&access.APIVersion, c.APIVersion},
		} {
			if part.from != nil {
				*part.to = *part.from
			}
		}
	}
	if ch.Provider != ProviderWhatsApp || !change.connects() && change.Access == nil {
		return access, nil, nil
	}
	number, warning, err := d.checkAccess(ctx, access)
	if refused, ok := errors.AsType[*kernel.Error](err); ok && refused.Code == kernel.CodeInvalidRequest && change.Access == nil {
		err = &kernel.Error{Code: kernel.CodeChannelDisconnected, Message: refused.Fields[0].Message, Params: refused.Fields[0].Cause()}
	}
	if err == nil && number != ch.Phone {
		err = kernel.Invalid("body.credentials.phone_number_id", ruleOtherNumber, "is the id of "+number+", and the channel has the number "+ch.Phone+". Create another channel for it",
			kernel.Params{"number": number, "own": ch.Phone})
	}
	return access, warning, err
}

// checkAccess has WhatsApp confirm a number and subscribes to its account. It gives the number, and
// what there is to warn of about it.
func (d *Channels) checkAccess(ctx context.Context, access Access) (number string, warning *provider.Reason, err error) {
	if d.numbers == nil {
		return "", nil, errNoWhatsApp()
	}
	state, err := d.numbers.Check(ctx, access)
	if err != nil {
		return "", nil, errRefused(err, "body.credentials.token")
	}
	number, ok := phone.Normalize(state.Phone)
	if !ok {
		number = state.Phone
	}
	if number == "" {
		return "", nil, kernel.Invalid("body.credentials.phone_number_id", ruleNumberHidden, "WhatsApp does not report the phone number of this id; check it at Meta")
	}
	if !numberWorks(state) {
		warning = new(notFlowing(state))
	}
	return number, warning, errRefused(d.numbers.Subscribe(ctx, access), "body.credentials.waba_id")
}

// notCalledYet warns of a number that can send and does not receive.
const notCalledYet = "WhatsApp does not send callbacks for this number to this server yet."

// callHere points WhatsApp's callbacks of a connected number here, and has its templates fetched. Where that fails the number can
// send but does not receive: its channel has a warning until the address is set at Meta.
func (d *Channels) callHere(ctx context.Context, ch *Channel, access Access) {
	refused, silent := errors.AsType[*provider.SendError](d.numbers.CallHere(ctx, access, ch.ID))
	if silent {
		ch.Warning = new(provider.NewReason("no_callbacks", notCalledYet+" "+Sentence(refused), refused.CauseParams()))
	}
	_, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		warnOfChannel(tx, ch.Company, ch.ID, ch.Warning)
		d.TemplatesDue(tx, ch.Company, ch.ID)
		return struct{}{}, nil
	})
	if err != nil {
		d.Log.Warn("what follows the connection of a channel was not stored", slog.String("channel", ch.ID.String()), slog.Any("error", err))
	}
}

func (d *Channels) seal(ch Channel, a Access) SealedAccess {
	return SealedAccess{
		PhoneNumberID: a.PhoneNumberID, WABAID: a.WABAID, APIVersion: a.APIVersion, Coexistence: a.Coexistence,
		Secrets: d.Vault.Seal(a.Secrets(), ch.Company, ch.ID),
	}
}

func (d *Channels) unseal(ch Channel, sealed SealedAccess) (Access, error) {
	plain, err := d.Vault.Open(sealed.Secrets, ch.Company, ch.ID)
	if err != nil {
		return Access{}, err
	}
	a := Access{PhoneNumberID: sealed.PhoneNumberID, WABAID: sealed.WABAID, APIVersion: sealed.APIVersion, Coexistence: sealed.Coexistence}
	if err := a.SetSecrets(plain); err != nil {
		return Access{}, err
	}
	return a, nil
}

// errRefused makes WhatsApp's refusal of credentials a fault of the request, in WhatsApp's own words.
// nil stays nil.
func errRefused(err error, field string) error {
	refused, ok := errors.AsType[*provider.SendError](err)
	switch {
	case !ok:
		return err
	case refused.Retry || refused.Code == "unavailable":
		return &kernel.Error{Code: kernel.CodeUnavailable, Message: Sentence(refused) + " Try again.", Params: refused.CauseParams(), RetryAfter: refused.RetryAfter}
	case refused.Code == "number_unknown":
		return errNumberRefused()
	case refused.Disconnect && refused.Code == "token_rejected":
		field = "body.credentials.token"
	}
	return kernel.Invalid(field, ruleRefused, Sentence(refused), refused.CauseParams())
}

func errNoWhatsApp() error {
	return &kernel.Error{Code: kernel.CodeUnavailable, Message: "This server is not configured for WhatsApp.", Params: kernel.Params{"reason": "not_configured"}}
}

// errNumberTaken is the refusal of a number that another channel has. Only those who may know of that channel
// learn of it; for all others the number is refused as if WhatsApp did not give it to them.
func (d *Channels) errNumberTaken(tx *kernel.Tx, a *kernel.Principal, phoneNumberID string) error {
	holder, found, err := numberHolder(tx, phoneNumberID)
	if err != nil || found && Knows(a, holder) {
		return kernel.ErrOr(err, kernel.Invalid("body.credentials.phone_number_id", ruleNumberTaken, "this number is already connected"))
	}
	d.Log.Warn("a number was refused because another channel has it", slog.String("company", a.Company.ID.String()),
		slog.String("channel", holder.ID.String()))
	return errNumberRefused()
}

func errNumberRefused() error {
	return kernel.Invalid("body.credentials.phone_number_id", ruleNumberRefused,
		"this number cannot be connected. Check the number and the access token at Meta; if they are right, ask the operator of this server")
}

// Sentence says what went wrong, with the provider's own words where there are any.
func Sentence(e *provider.SendError) string {
	if e.ProviderText == "" {
		return e.Message
	}
	return e.Message + " WhatsApp says: " + strings.TrimRight(e.ProviderText, ".") + "."
}

// numberWorks reports whether a number can send and receive messages.
func numberWorks(s NumberState) bool { return s.Status == "CONNECTED" || s.Status == "" }

func notFlowing(s NumberState) provider.Reason {
	return provider.NewReason("number_unavailable", "WhatsApp reports that the status of the number is "+s.Status+": it does not send or receive messages.",
		kernel.Params{"reason": "status", "status": s.Status})
}

// reasonOf is the reason of a refusal, with the provider's own words in its message.
func reasonOf(e *provider.SendError) provider.Reason {
	return provider.NewReason(e.Code, Sentence(e), e.Params())
}
