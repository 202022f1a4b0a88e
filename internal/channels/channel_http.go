package channels

import (
	"context"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"recado/internal/channels/whatsapp"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/people"
)

func (s *handlers) listChannels(
	ctx context.Context, a *kernel.Principal, _ *httpserver.None,
) (*httpserver.Reply[httpserver.List[Channel]], error) {
	channels, err := s.verbs.Channels(ctx, a)
	return &httpserver.Reply[httpserver.List[Channel]]{Body: httpserver.List[Channel]{Data: channels}}, err
}

// channelCredentials are the credentials of a number as Meta's dashboard shows them. They are stored encrypted and never
// returned.
type channelCredentials struct {
	PhoneNumberID string `json:"phone_number_id" pattern:"^[0-9]{1,32}$" doc:"Meta's id of the phone number, not the phone number itself." example:"106540352242922"`
	WABAID        string `json:"waba_id" pattern:"^[0-9]{1,32}$" doc:"The id of the WhatsApp Business account." example:"102290129340398"`
	Token         string `json:"token" minLength:"1" maxLength:"2048" doc:"An access token, preferably of a system user, with the permissions whatsapp_business_messaging and whatsapp_business_management."`
	AppSecret     string `json:"app_secret" minLength:"1" maxLength:"256" doc:"The secret of the Meta app, used to verify the signatures of its callbacks."`
	VerifyToken   string `json:"verify_token,omitempty" minLength:"1" maxLength:"256" doc:"The token that Meta sends to verify the callback URL. Generated if omitted."`
	APIVersion    string `json:"api_version,omitempty" pattern:"^v[0-9]{1,3}[.][0-9]{1,2}$" doc:"The version of the Meta API. Defaults to the version configured on this server." example:"v25.0"`
}

type createChannelInput struct {
	Body struct {
		Name        string              `json:"name" minLength:"1" maxLength:"120"`
		Phone       string              `json:"phone,omitempty" minLength:"1" maxLength:"64" doc:"The phone number. Required for a sandbox. For a WhatsApp channel it is read from WhatsApp; if given here, it must match." example:"+5511912345678"`
		Provider    string              `json:"provider" enum:"sandbox,whatsapp" doc:"A sandbox does not need a WhatsApp account: its messages are accepted immediately, and POST /channels/{id}/simulate plays the customer."`
		Credentials *channelCredentials `json:"credentials,omitempty" doc:"Required for a WhatsApp number."`
		Coexistence bool                `json:"coexistence,omitempty" doc:"Whether the number is also used in the WhatsApp Business app. It can then send 20 messages per second instead of 80."`
		Private     bool                `json:"private,omitempty" doc:"Whether the channel is private, that is, visible only to its viewers. The creator is the first viewer. Requires a session."`
	}
}

func (s *handlers) createChannel(
	ctx context.Context, a *kernel.Principal, in *createChannelInput,
) (*httpserver.Reply[Channel], error) {
	created := NewChannel{Name: in.Body.Name, Phone: in.Body.Phone, Provider: in.Body.Provider, Private: in.Body.Private}
	if c := in.Body.Credentials; c != nil {
		created.Access = &Access{
			PhoneNumberID: c.PhoneNumberID, WABAID: c.WABAID, Token: c.Token, AppSecret: c.AppSecret,
			VerifyToken: c.VerifyToken, APIVersion: c.APIVersion, Coexistence: in.Body.Coexistence,
		}
	}
	channel, err := s.verbs.CreateChannel(ctx, a, created)
	return &httpserver.Reply[Channel]{Body: channel}, err
}

type updateChannelInput struct {
	httpserver.AtID
	Body struct {
		Name        *string `json:"name,omitempty" minLength:"1" maxLength:"120"`
		Status      *string `json:"status,omitempty" enum:"connected,disconnected" doc:"Pending messages are kept while the channel is disconnected and sent once WhatsApp accepts the channel again."`
		Credentials *struct {
			PhoneNumberID *string `json:"phone_number_id,omitempty" pattern:"^[0-9]{1,32}$"`
			WABAID        *string `json:"waba_id,omitempty" pattern:"^[0-9]{1,32}$"`
			Token         *string `json:"token,omitempty" minLength:"1" maxLength:"2048"`
			AppSecret     *string `json:"app_secret,omitempty" minLength:"1" maxLength:"256"`
			VerifyToken   *string `json:"verify_token,omitempty" minLength:"1" maxLength:"256"`
			APIVersion    *string `json:"api_version,omitempty" pattern:"^v[0-9]{1,3}[.][0-9]{1,2}$"`
		} `json:"credentials,omitempty" doc:"The credentials to replace. They are verified with WhatsApp, and the channel is connected."`
		Coexistence *bool                      `json:"coexistence,omitempty"`
		Sign        *bool                      `json:"sign,omitempty" doc:"Whether messages sent from the app begin with the sender's name, as in *Ana:*."`
		HoursID     kernel.Optional[kernel.ID] `json:"hours_id,omitempty" required:"false" doc:"The opening hours of the channel; null to use the company's opening hours."`
		Private     *bool                      `json:"private,omitempty" doc:"Whether the channel is private. Only its viewers can see a private channel and its data, including its history. Can be set only by owners and admins with a session."`
		Viewers     *[]kernel.ID               `json:"viewers,omitempty" maxItems:"1000" doc:"The team members who can see the private channel, at least one. Can be set only by owners and admins with a session."`
		Confirm     bool                       `json:"confirm,omitempty" doc:"Must be true to make a private channel public."`
	} `required:"false"`
}

func (s *handlers) updateChannel(
	ctx context.Context, a *kernel.Principal, in *updateChannelInput,
) (*httpserver.Reply[changedChannel], error) {
	id, err := httpserver.PathID(in.ID, "channel")
	if err != nil {
		return nil, err
	}
	b := &in.Body
	channel, private, err := s.verbs.UpdateChannel(ctx, a, id, ChannelChange{
		Name: b.Name, Status: b.Status, Access: (*AccessChange)(b.Credentials), Coexistence: b.Coexistence, Sign: b.Sign,
		Hours: b.HoursID, Private: b.Private, Viewers: b.Viewers, Confirm: b.Confirm,
	})
	return &httpserver.Reply[changedChannel]{Body: changedChannel{&channel, private}}, err
}

func (s *handlers) archiveChannel(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.None, error) {
	id, err := httpserver.PathID(in.ID, "channel")
	if err != nil {
		return nil, err
	}
	return nil, s.verbs.ArchiveChannel(ctx, a, id)
}

func (s *handlers) listPrivateChannels(
	ctx context.Context, a *kernel.Principal, _ *httpserver.None,
) (*httpserver.Reply[[]people.PrivateChannel], error) {
	channels, err := s.verbs.people.PrivateChannels(ctx, a)
	return &httpserver.Reply[[]people.PrivateChannel]{Body: channels}, err
}

// changedChannel is a channel for callers who see it, and its viewers for owners and admins who do not.
type changedChannel struct {
	channel *Channel
	private *people.PrivateChannel
}

// Schema describes both forms.
func (changedChannel) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{
		r.Schema(reflect.TypeFor[Channel](), true, ""), r.Schema(reflect.TypeFor[people.PrivateChannel](), true, ""),
	}}
}

// MarshalJSONTo writes the form that the caller may see.
func (c changedChannel) MarshalJSONTo(enc *jsontext.Encoder) error {
	if c.private != nil {
		return json.MarshalEncode(enc, c.private)
	}
	return json.MarshalEncode(enc, c.channel)
}

func (s *handlers) getConnection(
	ctx context.Context, a *kernel.Principal, in *httpserver.AtID,
) (*httpserver.Reply[ChannelConnection], error) {
	id, err := httpserver.PathID(in.ID, "channel")
	if err != nil {
		return nil, err
	}
	connection, err := s.verbs.ChannelConnection(ctx, a, id)
	if connection.PhoneNumberID != nil {
		connection.CallbackURL = new(httpserver.PublicURL(ctx) + whatsapp.CallbackPath(id))
	}
	return &httpserver.Reply[ChannelConnection]{Body: connection}, err
}
