package channels

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"recado/internal/channels/provider"
	"recado/internal/channels/whatsapp"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/people"
)

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
		Provider    string              `json:"provider" enum:"sandbox,whatsapp,linked" doc:"A sandbox does not need a WhatsApp account: its messages are accepted immediately, and POST /channels/{id}/simulate plays the customer. whatsapp is a number of the WhatsApp Business Platform. linked is an ordinary number that is linked like WhatsApp Web; see GET /channels/{id}/link."`
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
	return httpserver.Body(s.verbs.CreateChannel(ctx, a, created))
}

type updateChannelInput struct {
	httpserver.AtID
	Body struct {
		Name        *string `json:"name,omitempty" minLength:"1" maxLength:"120"`
		Status      *string `json:"status,omitempty" enum:"connected,disconnected" doc:"Pending messages are kept while the channel is disconnected and sent once WhatsApp accepts the channel again. Not for linked numbers, which use /channels/{id}/link."`
		Credentials *struct {
			PhoneNumberID *string `json:"phone_number_id,omitempty" pattern:"^[0-9]{1,32}$"`
			WABAID        *string `json:"waba_id,omitempty" pattern:"^[0-9]{1,32}$"`
			Token         *string `json:"token,omitempty" minLength:"1" maxLength:"2048"`
			AppSecret     *string `json:"app_secret,omitempty" minLength:"1" maxLength:"256"`
			VerifyToken   *string `json:"verify_token,omitempty" minLength:"1" maxLength:"256"`
			APIVersion    *string `json:"api_version,omitempty" pattern:"^v[0-9]{1,3}[.][0-9]{1,2}$"`
		} `json:"credentials,omitempty" doc:"The credentials to replace. They are verified with WhatsApp, and the channel is connected."`
		Coexistence *bool                           `json:"coexistence,omitempty"`
		Sign        *bool                           `json:"sign,omitempty" doc:"Whether messages sent from the app begin with the sender's name, as in *Ana:*."`
		HoursID     kernel.Optional[kernel.ID]      `json:"hours_id,omitempty" required:"false" doc:"The opening hours of the channel; null to use the company's opening hours."`
		Reopen      kernel.Optional[ReopenTemplate] `json:"reopen_template,omitempty" required:"false" doc:"The template that asks a customer to answer when a message is held; null to remove it. It must be approved and may have one parameter in the body and no other: the protocol of the case. Its last quick reply, if it has any, is sent with the payload no and cancels the held messages."`
		Pace        *int64                          `json:"messages_per_minute,omitempty" minimum:"1" maximum:"60" doc:"How many messages a linked number sends in a minute at most. Fewer are less likely to get the number banned."`
		Private     *bool                           `json:"private,omitempty" doc:"Whether the channel is private. Only its viewers can see a private channel and its data, including its history. Can be set only by owners and admins with a session."`
		Viewers     *[]kernel.ID                    `json:"viewers,omitempty" maxItems:"1000" doc:"The team members who can see the private channel, at least one. Can be set only by owners and admins with a session."`
		Confirm     bool                            `json:"confirm,omitempty" doc:"Must be true to make a private channel public."`
	} `required:"false"`
}

// nullableReopenSchema is the schema of a reopening template that may be null.
type nullableReopenSchema struct{}

// Schema returns the schema.
func (nullableReopenSchema) Schema(r huma.Registry) *huma.Schema {
	s := *r.SchemaFromRef(r.Schema(reflect.TypeFor[ReopenTemplate](), true, "").Ref)
	s.Nullable = true
	return &s
}

func (s *handlers) updateChannel(
	ctx context.Context, a *kernel.Principal, in *updateChannelInput,
) (*httpserver.Reply[changedChannel], error) {
	b := &in.Body
	channel, private, err := s.verbs.UpdateChannel(ctx, a, kernel.ID(in.ID), ChannelChange{
		Name: b.Name, Status: b.Status, Access: (*AccessChange)(b.Credentials), Coexistence: b.Coexistence, Sign: b.Sign,
		Hours: b.HoursID, Reopen: b.Reopen, Pace: b.Pace, Private: b.Private, Viewers: b.Viewers, Confirm: b.Confirm,
	})
	return httpserver.Body(changedChannel{&channel, private}, err)
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
	id := kernel.ID(in.ID)
	connection, err := s.verbs.ChannelConnection(ctx, a, id)
	if connection.PhoneNumberID != nil {
		connection.CallbackURL = new(httpserver.PublicURL(ctx) + whatsapp.CallbackPath(id))
	}
	return httpserver.Body(connection, err)
}

type listTemplatesInput struct {
	httpserver.AtID
	Q      string `query:"q" maxLength:"100" doc:"Returns only templates whose name or body contains this text. Case and accents are ignored."`
	Status string `query:"status" maxLength:"40" doc:"Meta's word in lower case." example:"approved"`
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Cursor string `query:"cursor" maxLength:"1200" doc:"The next_cursor of the previous page, with the same filters."`
}

func (s *handlers) listTemplates(
	ctx context.Context, a *kernel.Principal, in *listTemplatesInput,
) (*httpserver.Reply[httpserver.CursorList[provider.ChannelTemplate]], error) {
	page, next, err := s.verbs.Templates(ctx, a, kernel.ID(in.ID), TemplateFilter{Q: in.Q, Status: in.Status, Limit: in.Limit, Cursor: in.Cursor})
	return httpserver.CursorPage(page, next), err
}

type templateSync struct {
	SyncedAt *time.Time `json:"synced_at" doc:"The time at which the templates were last fetched; null if never."`
}

func (s *handlers) syncTemplates(
	ctx context.Context, a *kernel.Principal, in *httpserver.AtID,
) (*httpserver.Reply[templateSync], error) {
	reply := httpserver.Shaped(ctx, func(synced **time.Time) *httpserver.Reply[templateSync] {
		return &httpserver.Reply[templateSync]{Body: templateSync{*synced}}
	})
	synced, err := s.verbs.SyncTemplates(ctx, a, kernel.ID(in.ID))
	return reply(&synced), err
}

// TemplateBody is a template in the body of a request.
type TemplateBody struct {
	Name       string              `json:"name" minLength:"1" maxLength:"512"`
	Language   string              `json:"language" minLength:"2" maxLength:"20" example:"pt_BR"`
	Parameters []templateParameter `json:"parameters,omitempty" maxItems:"64" doc:"The values of the template parameters, for each component by position or by name."`
}

type templateParameter struct {
	Component string     `json:"component,omitempty" enum:"header,body,button" doc:"Defaults to body."`
	Name      string     `json:"name,omitempty" maxLength:"120"`
	Text      string     `json:"text,omitempty" minLength:"1" maxLength:"4096"`
	MediaID   *kernel.ID `json:"media_id,omitempty" doc:"The file for a header, instead of text."`
}

// Template returns the template of the request; nil for none.
func (t *TemplateBody) Template() *provider.Template {
	if t == nil {
		return nil
	}
	out := &provider.Template{Name: t.Name, Language: t.Language}
	for _, p := range t.Parameters {
		out.Parameters = append(out.Parameters, provider.TemplateParameter{
			Name: p.Name, Text: p.Text, Component: p.Component, MediaID: p.MediaID,
		})
	}
	return out
}

// HTTP returns the routes and handlers of the package.
func (d *Channels) HTTP(callbacks *Callbacks) httpserver.Capability {
	s := &handlers{d}
	return httpserver.Capability{
		Routes:   slices.Concat(s.channelRoutes(), s.linkRoutes(), s.templateRoutes()),
		Handlers: map[string]http.Handler{whatsapp.CallbackPattern: callbacks.handler()},
		Schemas:  []httpserver.Schema{httpserver.SchemaOf[kernel.Optional[ReopenTemplate], nullableReopenSchema]()},
		Tags: []httpserver.Tag{{
			Name: "channels", Words: []string{"private-channels"},
			Description: "WhatsApp numbers and sandboxes, their templates and automatic replies.",
		}},
	}
}

func (s *handlers) channelRoutes() []*httpserver.Route {
	return []*httpserver.Route{
		httpserver.Get("/channels", VerbChannels, "List the WhatsApp numbers", httpserver.ListAll(s.verbs.Channels),
			httpserver.AsTool(httpserver.Tool{Name: "list_channels"})),
		httpserver.Get("/channels/{id}", VerbChannel, "Get a WhatsApp number", httpserver.ByID(s.verbs.Channel)),
		httpserver.Get("/private-channels", people.VerbPrivateChannels,
			"List the private channels and their viewers", httpserver.NoInput(s.verbs.people.PrivateChannels),
			httpserver.About("Requires the role owner or admin. A viewer with pending set cannot see the channel until the viewers are saved again. "+
				"Owners and admins set the viewers with PATCH /channels/{id}, but cannot see anything else of a private channel unless they are viewers themselves.")),
		httpserver.Post("/channels", VerbCreateChannel, "Add a channel", s.createChannel,
			httpserver.Fails(kernel.CodeLimitReached), httpserver.Created,
			httpserver.Example(`{"name": "Front desk", "provider": "sandbox", "phone": "+55 11 4002-8922"}`),
			httpserver.About("A WhatsApp number is connected once Meta accepts its credentials. Credentials are stored encrypted "+
				"and never returned.")),
		httpserver.Patch("/channels/{id}", VerbUpdateChannel, "Change, disconnect or connect a channel", s.updateChannel,
			httpserver.Fails(kernel.CodeChannelArchived, kernel.CodeChannelDisconnected, kernel.CodeLimitReached),
			httpserver.Example(`{"name": "Front desk"}`),
			httpserver.About("Making a number private immediately hides its conversations, attendances, messages, files, cards and events from "+
				"everyone except its viewers, and also contacts known only through it. Making it public again requires confirm. "+
				"For a number with a long history, lists are updated shortly afterwards.")),
		httpserver.Del("/channels/{id}", VerbArchiveChannel, "Archive a channel", httpserver.DeleteByID(s.verbs.ArchiveChannel),
			httpserver.About("Disconnects the number permanently. Its history stays readable and its open attendances stay open; pending messages "+
				"fail with channel_archived. The same number can be added again as a new channel.")),
		httpserver.Get("/channels/{id}/connection", VerbChannelConnection, "Get the connection of a channel", s.getConnection,
			httpserver.About("Returns the callback URL and the verify token to enter at Meta, and the ids of the number. The access token and "+
				"the app secret are never returned.")),
		httpserver.Post("/channels/{id}/test", VerbTestChannel,
			"Test a channel at its provider", httpserver.ByID(s.verbs.TestChannel),
			httpserver.Subject(SubjectChannel)),
		httpserver.Get("/channels/{id}/templates", VerbTemplates, "List the templates of a channel", s.listTemplates,
			httpserver.AsTool(httpserver.Tool{Name: "list_templates", ID: "channel_id"}),
			httpserver.About("Returns a copy of the templates at Meta, sorted by name and language. The copy is updated when the channel is connected, every 6 "+
				"hours, when Meta reports a change, and on request. A sandbox has no templates.")),
		httpserver.Post("/channels/{id}/templates/sync", VerbSyncTemplates,
			"Fetch the templates of a channel from Meta", s.syncTemplates,
			httpserver.Fails(kernel.CodeChannelDisconnected), httpserver.Accepted, httpserver.Subject(SubjectChannel),
			httpserver.About("The request returns immediately, and the templates are updated in the background. More than one request per minute "+
				"returns 429.")),
	}
}

type handlers struct{ verbs *Channels }
