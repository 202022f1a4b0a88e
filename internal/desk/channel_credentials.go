package desk

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"strings"

	"recado/internal/model"
	"recado/internal/phone"
	"recado/internal/store"
)

// Numbers is WhatsApp's side of connecting a number. Its errors are *model.SendError.
type Numbers interface {
	// Check asks WhatsApp about a number, which also proves the credentials.
	Check(ctx context.Context, access model.Access) (model.NumberState, error)
	// Subscribe makes WhatsApp call back about the number's account.
	Subscribe(ctx context.Context, access model.Access) error
	// CallHere points the number's callbacks at this server, which must be answering them already.
	CallHere(ctx context.Context, access model.Access, channel model.ID) error
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
func (d *Desk) connectNumber(ctx context.Context, a *Principal, in NewChannel) (model.Channel, error) {
	if in.Access == nil {
		return model.Channel{}, model.Invalid("body.credentials", "are required for a WhatsApp number")
	}
	access := *in.Access
	if access.VerifyToken == "" {
		access.VerifyToken = rand.Text()
	}
	if in.Phone != "" {
		if _, ok := phone.Normalize(in.Phone); !ok {
			return model.Channel{}, errPhone("body.phone")
		}
	}
	number, warning, err := d.checkAccess(ctx, access)
	if err != nil {
		return model.Channel{}, err
	}
	if asked, _ := phone.Normalize(in.Phone); in.Phone != "" && asked != number {
		return model.Channel{}, model.Invalid("body.phone", "is not the number of these credentials, which is "+number)
	}
	ch, err := writeAnswer(ctx, d, func(tx *store.Tx) (model.Channel, error) {
		ch := newChannel(tx, a, in, number)
		ch.Warning = new(notCalledYet) // until callHere is done, should the server stop before
		if err := d.checkChannelLimit(tx, ch); err != nil {
			return ch, err
		}
		free, err := tx.InsertNumber(ch, d.seal(ch, access))
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
func (d *Desk) TestChannel(ctx context.Context, a *Principal, id model.ID) (model.ChannelTest, error) {
	if err := a.May(VerbTestChannel); err != nil {
		return model.ChannelTest{}, err
	}
	ch, access, err := d.channelAccess(ctx, a, id)
	if err != nil {
		return model.ChannelTest{}, err
	}
	if ch.Provider != model.ProviderWhatsApp {
		return model.ChannelTest{OK: true, Phone: &ch.Phone}, nil
	}
	if d.numbers == nil {
		return model.ChannelTest{}, errNoWhatsApp()
	}
	state, err := d.numbers.Check(ctx, access)
	if refused, ok := errors.AsType[*model.SendError](err); ok {
		return model.ChannelTest{Error: &model.MessageError{Code: refused.Code, Message: sentence(refused)}}, nil
	}
	if err != nil {
		return model.ChannelTest{}, err
	}
	test := model.ChannelTest{OK: numberWorks(state), Phone: optional(state.Phone), VerifiedName: optional(state.VerifiedName), Status: optional(state.Status), Quality: optional(state.Quality)}
	if !test.OK {
		test.Error = &model.MessageError{Code: "number_unavailable", Message: notFlowing(state)}
	}
	return test, nil
}

// ChannelConnection gives what connects a channel to its provider, without the secrets.
func (d *Desk) ChannelConnection(ctx context.Context, a *Principal, id model.ID) (model.ChannelConnection, error) {
	if err := a.May(VerbChannelConnection); err != nil {
		return model.ChannelConnection{}, err
	}
	ch, access, err := d.channelAccess(ctx, a, id)
	if err != nil || ch.Provider != model.ProviderWhatsApp {
		return model.ChannelConnection{}, err
	}
	return model.ChannelConnection{
		VerifyToken: &access.VerifyToken, PhoneNumberID: &access.PhoneNumberID, WABAID: &access.WABAID,
		APIVersion: optional(access.APIVersion), Coexistence: &access.Coexistence,
	}, nil
}

// Access gives a channel of whatever company with the access to its provider, for the loops and the
// callback. It reports false when there is no such channel, or when it has no provider.
func (d System) Access(ctx context.Context, id model.ID) (model.Channel, model.Access, bool, error) {
	var ch model.Channel
	var sealed store.SealedAccess
	var found bool
	err := d.store.ReadOne(ctx, func(tx *store.Tx) (err error) {
		ch, sealed, found, err = tx.ChannelAccess(id)
		return err
	})
	if err != nil || !found || sealed.Secrets == nil {
		return ch, model.Access{}, false, err
	}
	access, err := d.unseal(ch, sealed)
	return ch, access, err == nil, err
}

// ChannelOfNumber finds, within the company of a channel, the channel that has the provider's id of a number.
func (d System) ChannelOfNumber(ctx context.Context, channel model.ID, phoneNumberID string) (id model.ID, found bool, err error) {
	err = d.store.ReadOne(ctx, func(tx *store.Tx) (err error) {
		id, found, err = tx.ChannelOfNumber(channel, phoneNumberID)
		return err
	})
	return id, found, err
}

// channelAccess is Access for a principal who may know of the channel; a sandbox has an empty one.
func (d *Desk) channelAccess(ctx context.Context, a *Principal, id model.ID) (model.Channel, model.Access, error) {
	type both struct {
		ch     model.Channel
		sealed store.SealedAccess
	}
	got, err := read(ctx, d, func(tx *store.Tx) (both, error) {
		ch, sealed, found, err := tx.ChannelAccess(id)
		if err != nil || !found || !a.knows(ch) {
			return both{}, errOr(err, model.NotFound("channel"))
		}
		return both{ch, sealed}, nil
	})
	if err != nil || got.sealed.Secrets == nil {
		return got.ch, model.Access{}, err
	}
	access, err := d.unseal(got.ch, got.sealed)
	return got.ch, access, err
}

// checkChange gives the access that a change results in, after WhatsApp has accepted it where the
// change connects the channel, and what there is to warn of about the number then.
func (d *Desk) checkChange(ctx context.Context, ch model.Channel, access model.Access, change ChannelChange) (model.Access, *string, error) {
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
	if ch.Provider != model.ProviderWhatsApp || !change.connects() && change.Access == nil {
		return access, nil, nil
	}
	number, warning, err := d.checkAccess(ctx, access)
	if refused, ok := errors.AsType[*model.Error](err); ok && refused.Code == model.CodeInvalidRequest && change.Access == nil {
		err = model.Errorf(model.CodeChannelDisconnected, "%s", refused.Fields[0].Message)
	}
	if err == nil && number != ch.Phone {
		err = model.Invalid("body.credentials.phone_number_id", "is the id of "+number+", and the channel has the number "+ch.Phone+". Create another channel for it")
	}
	return access, warning, err
}

// checkAccess has WhatsApp confirm a number and subscribes to its account. It gives the number, and
// what there is to warn of about it.
func (d *Desk) checkAccess(ctx context.Context, access model.Access) (number string, warning *string, err error) {
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
		return "", nil, model.Invalid("body.credentials.phone_number_id", "WhatsApp does not report the phone number of this id; check it at Meta")
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
func (d *Desk) callHere(ctx context.Context, ch *model.Channel, access model.Access) {
	refused, silent := errors.AsType[*model.SendError](d.numbers.CallHere(ctx, access, ch.ID))
	if silent {
		ch.Warning = new(notCalledYet + " " + sentence(refused))
	}
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		tx.WarnOfChannel(ch.Company, ch.ID, ch.Warning)
		d.templatesDue(tx, ch.Company, ch.ID)
		return struct{}{}, nil
	})
	if err != nil {
		d.log.Warn("what follows the connection of a channel was not stored", slog.String("channel", ch.ID.String()), slog.Any("error", err))
	}
}

func (d *Desk) seal(ch model.Channel, a model.Access) store.SealedAccess {
	return store.SealedAccess{
		PhoneNumberID: a.PhoneNumberID, WABAID: a.WABAID, APIVersion: a.APIVersion, Coexistence: a.Coexistence,
		Secrets: d.vault.Seal(a.Secrets(), ch.Company, ch.ID),
	}
}

func (d *Desk) unseal(ch model.Channel, sealed store.SealedAccess) (model.Access, error) {
	plain, err := d.vault.Open(sealed.Secrets, ch.Company, ch.ID)
	if err != nil {
		return model.Access{}, err
	}
	a := model.Access{PhoneNumberID: sealed.PhoneNumberID, WABAID: sealed.WABAID, APIVersion: sealed.APIVersion, Coexistence: sealed.Coexistence}
	if err := a.SetSecrets(plain); err != nil {
		return model.Access{}, err
	}
	return a, nil
}

// errRefused makes WhatsApp's refusal of credentials a fault of the request, in WhatsApp's own words.
// nil stays nil.
func errRefused(err error, field string) error {
	refused, ok := errors.AsType[*model.SendError](err)
	switch {
	case !ok:
		return err
	case refused.Retry || refused.Code == "unavailable":
		return &model.Error{Code: model.CodeUnavailable, Message: sentence(refused) + " Try again.", RetryAfter: refused.RetryAfter}
	case refused.Code == "number_unknown":
		return errNumberRefused()
	case refused.Disconnect && refused.Code == "token_rejected":
		field = "body.credentials.token"
	}
	return model.Invalid(field, sentence(refused))
}

func errNoWhatsApp() error {
	return model.Errorf(model.CodeUnavailable, "This server is not configured for WhatsApp.")
}

// errNumberTaken is the refusal of a number that another channel has. Only those who may know of that channel
// learn of it; for all others the number is refused as if WhatsApp did not give it to them.
func (d *Desk) errNumberTaken(tx *store.Tx, a *Principal, phoneNumberID string) error {
	holder, found, err := tx.NumberHolder(phoneNumberID)
	if err != nil || found && a.knows(holder) {
		return errOr(err, model.Invalid("body.credentials.phone_number_id", "this number is already connected"))
	}
	d.log.Warn("a number was refused because another channel has it", slog.String("company", a.Company.ID.String()),
		slog.String("channel", holder.ID.String()))
	return errNumberRefused()
}

func errNumberRefused() error {
	return model.Invalid("body.credentials.phone_number_id",
		"this number cannot be connected. Check the number and the access token at Meta; if they are right, ask the operator of this server")
}

// sentence says what went wrong, with the provider's own words where there are any.
func sentence(e *model.SendError) string {
	if e.ProviderText == "" {
		return e.Message
	}
	return e.Message + " WhatsApp says: " + strings.TrimRight(e.ProviderText, ".") + "."
}

// numberWorks reports whether a number can send and receive messages.
func numberWorks(s model.NumberState) bool { return s.Status == "CONNECTED" || s.Status == "" }

func notFlowing(s model.NumberState) string {
	return "WhatsApp reports that the status of the number is " + s.Status + ": it does not send or receive messages."
}
