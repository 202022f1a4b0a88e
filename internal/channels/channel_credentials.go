package channels

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/phone"
)

// Numbers is WhatsApp's side of connecting a number. Its errors are *provider.SendError.
type Numbers interface {
	// Check returns the state of a number, which also verifies the credentials.
	Check(ctx context.Context, access Access) (NumberState, error)
	// Subscribe makes WhatsApp send callbacks about the number's account.
	Subscribe(ctx context.Context, access Access) error
	// CallHere sends the number's callbacks to this server, which must be serving them already.
	CallHere(ctx context.Context, access Access, channel kernel.ID) error
	// CreateTemplate creates a template in the number's account. DeleteTemplates deletes those with a name.
	CreateTemplate(ctx context.Context, access Access, t provider.NewTemplate) (provider.ChannelTemplate, error)
	DeleteTemplates(ctx context.Context, access Access, name string) error
}

// AccessChange lists the credentials to replace; nil fields stay as they are.
type AccessChange struct {
	PhoneNumberID *string
	WABAID        *string
	Token         *string
	AppSecret     *string
	VerifyToken   *string
	APIVersion    *string
}

// connectNumber creates a WhatsApp number after WhatsApp has accepted its credentials.
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
	if given, _ := phone.Normalize(in.Phone); in.Phone != "" && given != number {
		return Channel{}, kernel.Invalid("body.phone", ruleOtherNumber, "is not the number of these credentials, which is "+number,
			kernel.Params{"number": number, "own": given})
	}
	ch, err := kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Channel, error) {
		ch := newChannel(tx, a, in, number)
		ch.Warning = new(provider.NewReason("no_callbacks", notCalledYet)) // in case the server stops before callHere
		if err := d.checkChannelLimit(tx, ch); err != nil {
			return ch, err
		}
		free, err := insertNumber(tx, ch, d.seal(ch, access))
		if err == nil && !free {
			err = d.errNumberTaken(tx, a, access.PhoneNumberID)
		}
		if err == nil {
			d.beginImport(tx, ch.Company, ch.ID)
			err = d.created(tx, a, ch)
		}
		return ch, err
	})
	if err == nil {
		ch.Warning = warning
		d.callHere(ctx, &ch, access)
	}
	return ch, err
}

// TestChannel checks the channel at its provider and changes nothing.
func (d *Channels) TestChannel(ctx context.Context, a *kernel.Principal, id kernel.ID) (ChannelTest, error) {
	ch, access, err := d.channelAccess(ctx, a, id)
	if err != nil {
		return ChannelTest{}, err
	}
	switch {
	case ch.Provider == ProviderLinked:
		return d.testLink(ctx, ch)
	case ch.Provider != ProviderWhatsApp:
		return ChannelTest{OK: true, Phone: ch.Phone}, nil
	case d.numbers == nil:
		return ChannelTest{}, errNoWhatsApp()
	}
	state, err := d.numbers.Check(ctx, access)
	if refused, ok := errors.AsType[*provider.SendError](err); ok {
		return ChannelTest{Error: new(provider.NewReason(refused.Code, Sentence(refused), refused.Params()))}, nil
	}
	if err != nil {
		return ChannelTest{}, err
	}
	test := ChannelTest{
		OK: numberWorks(state), Phone: kernel.TextOrNil(state.Phone), VerifiedName: kernel.TextOrNil(state.VerifiedName),
		Status: kernel.TextOrNil(state.Status), Quality: kernel.TextOrNil(state.Quality),
	}
	if !test.OK {
		test.Error = new(numberUnavailable(state))
	}
	return test, nil
}

// testLink is TestChannel for a linked number.
func (d *Channels) testLink(ctx context.Context, ch Channel) (ChannelTest, error) {
	if ch.Status != ChannelConnected {
		return ChannelTest{Phone: ch.Phone, Error: cmp.Or(ch.StatusReason, new(NotLinked()))}, nil
	}
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (ChannelTest, error) {
		l, _, err := findLink(tx, ch.Company, ch.ID, "")
		test := ChannelTest{OK: l.Online, Phone: ch.Phone}
		if !test.OK {
			test.Error = new(provider.NewReason(provider.CodeSendUnavailable, "There is no connection to WhatsApp at the moment."))
		}
		return test, err
	})
}

// ChannelConnection returns how a channel is connected to its provider, without the secrets.
func (d *Channels) ChannelConnection(ctx context.Context, a *kernel.Principal, id kernel.ID) (ChannelConnection, error) {
	ch, access, err := d.channelAccess(ctx, a, id)
	if err != nil || ch.Provider != ProviderWhatsApp {
		return ChannelConnection{}, err
	}
	var imported *Import
	if access.Coexistence {
		if imported, err = d.channelImport(ctx, ch); err != nil {
			return ChannelConnection{}, err
		}
	}
	return ChannelConnection{
		VerifyToken: &access.VerifyToken, PhoneNumberID: &access.PhoneNumberID, WABAID: &access.WABAID,
		APIVersion: kernel.TextOrNil(access.APIVersion), Coexistence: &access.Coexistence, Import: imported,
	}, nil
}

// Access returns a channel of the company with the access to its provider. It reports false if there is no such channel or if
// it has no credentials.
func (d *Channels) Access(ctx context.Context, company, id kernel.ID) (Channel, Access, bool, error) {
	return d.access(ctx, `ch.company = $1 AND ch.id = $2`, company, id)
}

func (d *Channels) access(ctx context.Context, condition string, args ...any) (ch Channel, access Access, found bool, err error) {
	var sealed SealedAccess
	err = d.Store.ReadOne(ctx, func(tx *kernel.Tx) (err error) {
		ch, sealed, found, err = selectAccess(tx, condition, args...)
		return err
	})
	if err != nil || !found || sealed.Secrets == nil {
		return ch, Access{}, false, err
	}
	access, err = d.openAccess(&ch, sealed)
	return ch, access, err == nil, err
}

// openAccess decrypts the access of a channel.
func (d *Channels) openAccess(ch *Channel, sealed SealedAccess) (Access, error) {
	access := sealed.Access
	plain, err := d.Vault.Open(sealed.Secrets, ch.Company, ch.ID)
	if err == nil {
		err = json.Unmarshal(plain, &access)
	}
	return access, err
}

// channelAccess is Access for a principal who may know of the channel. The access of a sandbox is empty.
func (d *Channels) channelAccess(ctx context.Context, a *kernel.Principal, id kernel.ID) (Channel, Access, error) {
	ch, access, _, err := d.Access(ctx, a.Company.ID, id)
	switch {
	case err != nil && ch.ID.IsZero():
		return Channel{}, Access{}, err
	case !Knows(a, ch):
		return Channel{}, Access{}, kernel.NotFound("channel")
	}
	return ch, access, err
}

// checkProperties returns the access after a change and a warning about the number if there is one. If the change connects the
// channel, WhatsApp has accepted the access.
func (d *Channels) checkProperties(
	ctx context.Context, a *kernel.Principal, id kernel.ID, change ChannelChange,
) (Access, *provider.Reason, error) {
	ch, access, err := d.channelAccess(ctx, a, id)
	if err != nil {
		return Access{}, nil, err
	}
	if ch.Provider != ProviderWhatsApp && (change.Access != nil || change.Coexistence != nil) {
		return Access{}, nil, kernel.Invalid("body.credentials", RuleWhatsAppOnly, "are only for a WhatsApp number")
	}
	if ch.Provider == ProviderLinked && change.Status != nil {
		return Access{}, nil, kernel.Invalid("body.status", kernel.RuleNotAllowed, "a linked number is connected and disconnected at /channels/{id}/link")
	}
	kernel.Set(&access.Coexistence, change.Coexistence)
	if c := change.Access; c != nil {
		kernel.Set(&access.PhoneNumberID, c.PhoneNumberID)
		kernel.Set(&access.WABAID, c.WABAID)
		kernel.Set(&access.Token, c.Token)
		kernel.Set(&access.AppSecret, c.AppSecret)
		kernel.Set(&access.VerifyToken, c.VerifyToken)
		kernel.Set(&access.APIVersion, c.APIVersion)
	}
	if ch.Provider != ProviderWhatsApp || !change.connects() && change.Access == nil {
		return access, nil, nil
	}
	number, warning, err := d.checkAccess(ctx, access)
	if refused, ok := errors.AsType[*kernel.Error](err); ok && refused.Code == kernel.CodeInvalidRequest && change.Access == nil {
		err = &kernel.Error{Code: kernel.CodeChannelDisconnected, Message: refused.Fields[0].Message, Params: refused.Fields[0].Cause()}
	}
	if err == nil && number != ch.Number() {
		err = kernel.Invalid("body.credentials.phone_number_id", ruleOtherNumber,
			"is the id of "+number+", and the channel has the number "+ch.Number()+". Create another channel for it",
			kernel.Params{"number": number, "own": ch.Number()})
	}
	return access, warning, err
}

// checkAccess verifies credentials at WhatsApp and subscribes to the account. It returns the number, and a warning about it if
// there is one.
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
		return "", nil, kernel.Invalid("body.credentials.phone_number_id", ruleNumberHidden,
			"WhatsApp does not report the phone number of this id; check it at Meta")
	}
	if !numberWorks(state) {
		warning = new(numberUnavailable(state))
	}
	return number, warning, errRefused(d.numbers.Subscribe(ctx, access), "body.credentials.waba_id")
}

const notCalledYet = "WhatsApp does not send callbacks for this number to this server yet."

// callHere sends WhatsApp's callbacks of a connected number to this server and makes its templates due. If that fails the
// number can send but not receive, and its channel has a warning until the address is set at Meta.
func (d *Channels) callHere(ctx context.Context, ch *Channel, access Access) {
	refused, failed := errors.AsType[*provider.SendError](d.numbers.CallHere(ctx, access, ch.ID))
	if failed {
		ch.Warning = new(provider.NewReason("no_callbacks", notCalledYet+" "+Sentence(refused), refused.CauseParams()))
	}
	err := d.Store.Write(ctx, func(tx *kernel.Tx) error {
		setChannelWarning(tx, ch.Company, ch.ID, ch.Warning)
		d.TemplatesDue(tx, ch.Company, ch.ID)
		tx.AfterCommit(d.Wakeup(WakeImports).Notify) // it waits for callbacks
		return nil
	})
	if err != nil {
		d.Log.Warn("cannot store the warning of a channel after connecting it",
			slog.String("channel", ch.ID.String()), slog.Any("error", err))
	}
}

func (d *Channels) seal(ch Channel, a Access) SealedAccess {
	return SealedAccess{a, d.Vault.Seal(a.Secrets(), ch.Company, ch.ID)}
}

// errRefused converts WhatsApp's rejection of credentials to an error of the request. It returns nil for nil.
func errRefused(err error, field string) error {
	refused, ok := errors.AsType[*provider.SendError](err)
	switch {
	case !ok:
		return err
	case refused.Retry || refused.Code == "unavailable":
		return &kernel.Error{
			Code: kernel.CodeUnavailable, Message: Sentence(refused) + " Try again.", Params: refused.CauseParams(),
			RetryAfter: refused.RetryAfter,
		}
	case refused.Code == "number_unknown":
		return errNumberRefused()
	case refused.Disconnect && refused.Code == "token_rejected":
		field = "body.credentials.token"
	}
	return kernel.Invalid(field, ruleRefused, Sentence(refused), refused.CauseParams())
}

func errNoWhatsApp() error {
	return &kernel.Error{
		Code: kernel.CodeUnavailable, Message: "This server is not configured for WhatsApp.",
		Params: kernel.Params{"reason": "not_configured"},
	}
}

// errNumberTaken returns the error for a number that another channel has. Callers who may not know of that channel get the same
// error as if WhatsApp had rejected the number.
func (d *Channels) errNumberTaken(tx *kernel.Tx, a *kernel.Principal, phoneNumberID string) error {
	holder, found, err := oneChannel(tx,
		`ch.phone_number_id = $1 AND ch.archived_at IS NULL /* all companies: a number is connected once */`, phoneNumberID)
	if err != nil || found && Knows(a, holder) {
		return kernel.ErrOr(err, kernel.Invalid("body.credentials.phone_number_id", ruleNumberTaken, "this number is already "+
			"connected"))
	}
	d.Log.Warn("a number was rejected because another channel has it", slog.String("company", a.Company.ID.String()),
		slog.String("channel", holder.ID.String()))
	return errNumberRefused()
}

func errNumberRefused() error {
	return kernel.Invalid("body.credentials.phone_number_id", ruleNumberRefused,
		"this number cannot be connected. Check the number and the access token at Meta; if they are right, ask the operator of this "+
			"server")
}

// Sentence returns the message of an error, with the provider's own text if there is one.
func Sentence(e *provider.SendError) string {
	if e.ProviderText == "" {
		return e.Message
	}
	return e.Message + " WhatsApp says: " + strings.TrimRight(e.ProviderText, ".") + "."
}

// numberWorks reports whether a number can send and receive.
func numberWorks(s NumberState) bool { return s.Status == "CONNECTED" || s.Status == "" }

func numberUnavailable(s NumberState) provider.Reason {
	return provider.NewReason("number_unavailable",
		"WhatsApp reports that the status of the number is "+s.Status+": it does not send or receive messages.",
		kernel.Params{"reason": "status", "status": s.Status})
}
