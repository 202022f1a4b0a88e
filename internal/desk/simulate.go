package desk

import (
	"context"

	"recado/internal/model"
	"recado/internal/phone"
	"recado/internal/store"
)

// Simulation plays the other side of a sandbox channel in one of three forms: a customer writes (From),
// the provider reports on a message (ExternalID), or the team writes on the phone (FromPhoneApp).
type Simulation struct {
	From    *string
	Name    *string
	Text    *string
	MediaID *model.ID
	ReplyTo *string
	Group   *model.IncomingGroup

	ExternalID *string
	Status     *string

	FromPhoneApp bool
	To           *string
}

// check allows exactly one form and gives the customer's phone where there is one.
func (s *Simulation) check() (phone string, invalid error) {
	customer := s.From != nil || s.Name != nil || s.MediaID != nil || s.ReplyTo != nil || s.Group != nil
	report := s.ExternalID != nil || s.Status != nil
	team := s.FromPhoneApp || s.To != nil
	switch {
	case customer && report || customer && team || report && (team || s.Text != nil):
		return "", model.Invalid("body", "send the fields of one form only: a customer (from), a status (external_id, status), or a member with the phone app (from_phone_app, to)")
	case report:
		if s.ExternalID == nil || s.Status == nil {
			return "", model.Invalid("body", "send external_id and status together, and no other field")
		}
		return "", nil
	case team:
		if !s.FromPhoneApp || s.To == nil || s.Text == nil {
			return "", model.Invalid("body", "send from_phone_app, to and text together, and no other field")
		}
		return checkPhoneAndText("body.to", *s.To, s.Text, model.MaxText)
	case s.From == nil:
		return "", model.Invalid("body.from", "is required: the phone of the customer who writes")
	case s.Text == nil && s.MediaID == nil:
		return "", model.Invalid("body.text", "is required when there is no media_id")
	}
	most := model.MaxText
	if s.MediaID != nil {
		most = model.MaxCaption
	}
	return checkPhoneAndText("body.from", *s.From, s.Text, most)
}

func checkPhoneAndText(field, number string, text *string, most int) (string, error) {
	e164, ok := phone.Normalize(number)
	if !ok {
		return "", errPhone(field)
	}
	if text != nil {
		if _, invalid := model.Text("body.text", *text, most); invalid != nil {
			return "", invalid
		}
	}
	return e164, nil
}

// Simulate lets something happen on a sandbox channel, exactly as if a provider had reported it, and
// gives the message it was about. made says whether that is a new one.
func (d *Desk) Simulate(ctx context.Context, a *Principal, channel model.ID, s Simulation) (m *model.Message, made bool, err error) {
	if err := a.May(VerbSimulate); err != nil {
		return nil, false, err
	}
	phone, invalid := s.check()
	if invalid != nil {
		return nil, false, invalid
	}
	m, err = write(ctx, d, func(tx *store.Tx) (*model.Message, error) {
		ch, err := d.channel(tx, a, channel)
		if err != nil {
			return nil, err
		}
		if ch.Provider != model.ProviderSandbox {
			return nil, model.Invalid("path.id", "only a sandbox channel can be simulated")
		}
		in := d.inboundBatch(tx, ch)
		var m *model.Message
		if s.ExternalID != nil {
			m, err = in.simulateStatus(a, &s)
		} else {
			m, err = in.simulateMessage(a, &s, phone)
		}
		if err != nil {
			return nil, err
		}
		return m, in.finish()
	})
	return m, s.ExternalID == nil, err
}

func (in *inboundBatch) simulateMessage(a *Principal, s *Simulation, phone string) (*model.Message, error) {
	msg := &model.IncomingMessage{
		ExternalID: "sandbox." + model.NewID().String(), FromPhoneApp: s.FromPhoneApp, Group: s.Group, Type: model.TypeText,
		Customer: model.Person{Phone: phone, WAID: phone[1:]}, At: in.tx.Now,
	}
	if s.Name != nil {
		msg.Customer.Name = *s.Name
	}
	if s.Text != nil {
		msg.Text = *s.Text
	}
	var upload *model.Media
	if s.MediaID != nil {
		media, err := in.d.usableMedia(in.tx, a, *s.MediaID)
		if err != nil {
			return nil, err
		}
		upload = &media
	}
	if s.ReplyTo != nil {
		if err := in.quotable(msg, *s.ReplyTo); err != nil {
			return nil, err
		}
	}
	return in.message(msg, upload)
}

// quotable makes msg a reply, where the conversation has what it quotes.
func (in *inboundBatch) quotable(msg *model.IncomingMessage, external string) error {
	t, _, err := in.conversation(msg)
	if err != nil {
		return err
	}
	found, err := in.tx.HasExternalID(t.ID, in.channel.ID, external)
	if err != nil || !found {
		return errOr(err, errReplyTo())
	}
	msg.ReplyTo = external
	return nil
}

func (in *inboundBatch) simulateStatus(a *Principal, s *Simulation) (*model.Message, error) {
	was, found, err := in.tx.MessageWithExternalID(in.channel.ID, *s.ExternalID)
	if err == nil && found {
		var c model.Conversation
		c, found, err = in.tx.Conversation(in.channel.Company, was.Conversation)
		found = found && a.MaySee(&c)
	}
	if err != nil || !found {
		return nil, errOr(err, model.Invalid("body.external_id", "there is no message with this external id in the channel"))
	}
	if was.Direction != model.Outbound {
		return nil, model.Invalid("body.external_id", "is the id of a message of the customer; only sent messages have a status")
	}
	report := &model.IncomingStatus{ExternalID: *s.ExternalID, Status: *s.Status, At: in.tx.Now}
	if *s.Status == model.StatusFailed {
		report.Error = &model.MessageError{Code: "not_delivered", Message: "The sandbox simulates that this message could not be delivered."}
	}
	if err := in.status(report); err != nil {
		return nil, err
	}
	m, _, err := in.tx.MessageWithExternalID(in.channel.ID, *s.ExternalID)
	return &m, err
}
