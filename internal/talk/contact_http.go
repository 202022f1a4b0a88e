package talk

import (
	"context"

	"recado/internal/httpserver"
	"recado/internal/kernel"
)

type listContactsInput struct {
	httpserver.Page
	Q       string              `query:"q" maxLength:"200" doc:"Returns contacts whose name or phone contains this text. Case, accents and surrounding spaces are ignored. If the text has no three consecutive letters or digits, or is too common for the search index, only the newest 10,000 contacts are searched."`
	Label   httpserver.FilterID `query:"label"`
	Channel httpserver.FilterID `query:"channel" doc:"Returns only contacts with this channel_id."`
}

func (s *handlers) listContacts(ctx context.Context, a *kernel.Principal, in *listContactsInput) (*httpserver.Reply[httpserver.OffsetList[Contact]], error) {
	page, err := s.verbs.Contacts(ctx, a, contactCriteria{Q: in.Q, Label: kernel.ID(in.Label), Channel: kernel.ID(in.Channel), Limit: in.Limit, Offset: in.Offset})
	return &httpserver.Reply[httpserver.OffsetList[Contact]]{Body: httpserver.OffsetPage(in.Page, page)}, err
}

type createContactInput struct {
	Body struct {
		Name       string     `json:"name" minLength:"1" maxLength:"120"`
		Phone      string     `json:"phone" minLength:"1" maxLength:"64" doc:"The phone number with country code. A number without one is interpreted as Brazilian if possible. Spaces, dashes, dots and brackets between digits are ignored." example:"+55 11 91234-5678"`
		Company    *string    `json:"company,omitempty" minLength:"1" maxLength:"120"`
		City       *string    `json:"city,omitempty" minLength:"1" maxLength:"120"`
		ChannelID  *kernel.ID `json:"channel_id,omitempty" doc:"The WhatsApp number this contact belongs to."`
		Automation *bool      `json:"automation,omitempty" doc:"Whether the reception of a channel replies to this person. Defaults to true."`
	}
}

func (s *handlers) createContact(ctx context.Context, a *kernel.Principal, in *createContactInput) (*httpserver.Located[Contact], error) {
	response := httpserver.Shaped(ctx, func(c *Contact) *httpserver.Located[Contact] {
		return &httpserver.Located[Contact]{Status: 201, Location: httpserver.At(ctx, "/contacts/"+c.ID.String()), Body: *c}
	})
	c, err := s.verbs.CreateContact(ctx, a, NewContact{
		Name: in.Body.Name, Phone: in.Body.Phone, BusinessName: in.Body.Company, City: in.Body.City, Channel: in.Body.ChannelID,
		Automation: in.Body.Automation,
	})
	return response(&c), err
}

func (s *handlers) getContact(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.Reply[Contact], error) {
	return replyAt(ctx, a, in, "contact", s.verbs.Contact)
}

type updateContactInput struct {
	httpserver.AtID
	Body struct {
		Name       *string                 `json:"name,omitempty" minLength:"1" maxLength:"120"`
		Phone      *string                 `json:"phone,omitempty" minLength:"1" maxLength:"64" doc:"The phone number. It can be changed only while the contact has no conversations."`
		Company    kernel.Optional[string] `json:"company,omitempty" required:"false" doc:"null removes the value."`
		City       kernel.Optional[string] `json:"city,omitempty" required:"false" doc:"null removes the value."`
		LabelIDs   *[]kernel.ID            `json:"label_ids,omitempty" maxItems:"100" doc:"Replaces all labels of the contact."`
		Blocked    *bool                   `json:"blocked,omitempty" doc:"Whether the contact is blocked. Messages from a blocked contact are stored without a notification, and no messages can be sent to it."`
		Automation *bool                   `json:"automation,omitempty" doc:"Whether the reception of a channel replies to this person."`
	} `required:"false"`
}

func (s *handlers) updateContact(ctx context.Context, a *kernel.Principal, in *updateContactInput) (*httpserver.Reply[Contact], error) {
	id, err := httpserver.PathID(in.ID, "contact")
	if err != nil {
		return nil, err
	}
	c, err := s.verbs.UpdateContact(ctx, a, id, ContactChange{
		Name: in.Body.Name, Phone: in.Body.Phone, BusinessName: in.Body.Company, City: in.Body.City, LabelIDs: in.Body.LabelIDs, Blocked: in.Body.Blocked,
		Automation: in.Body.Automation,
	})
	return &httpserver.Reply[Contact]{Body: c}, err
}

func (s *handlers) deleteContact(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.None, error) {
	id, err := httpserver.PathID(in.ID, "contact")
	if err != nil {
		return nil, err
	}
	return &httpserver.None{}, s.verbs.DeleteContact(ctx, a, id)
}
