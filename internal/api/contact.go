package api

import (
	"context"

	"recado/internal/desk"
	"recado/internal/input"
	"recado/internal/model"
)

type listContactsInput struct {
	Page
	Q       string         `query:"q" maxLength:"200" doc:"Part of the name or the phone. Case, accents and surrounding spaces are ignored. A text without three letters or digits in a row is searched in the newest 10,000 contacts; so is one for which the search index would have to read too much."`
	Label   input.FilterID `query:"label"`
	Channel input.FilterID `query:"channel" doc:"Only contacts with this channel_id."`
}

func (s *Server) listContacts(ctx context.Context, a *desk.Principal, in *listContactsInput) (*reply[offsetList[model.Contact]], error) {
	page, err := s.desk.Contacts(ctx, a, desk.ContactFilter{Q: in.Q, Label: model.ID(in.Label), Channel: model.ID(in.Channel), Limit: in.Limit, Offset: in.Offset})
	return &reply[offsetList[model.Contact]]{offsetPage(in.Page, page)}, err
}

type createContactInput struct {
	Body struct {
		Name       string    `json:"name" minLength:"1" maxLength:"120"`
		Phone      string    `json:"phone" minLength:"1" maxLength:"64" doc:"With country code; a number without one is read as Brazilian if possible. Spaces, dashes, dots and brackets between the digits are ignored." example:"+55 11 91234-5678"`
		Company    *string   `json:"company,omitempty" minLength:"1" maxLength:"120"`
		City       *string   `json:"city,omitempty" minLength:"1" maxLength:"120"`
		ChannelID  *model.ID `json:"channel_id,omitempty" doc:"The WhatsApp number this contact belongs to."`
		Automation *bool     `json:"automation,omitempty" doc:"false: the reception of a channel never answers this person. Absent: true."`
	}
}

func (s *Server) createContact(ctx context.Context, a *desk.Principal, in *createContactInput) (*located[model.Contact], error) {
	answer := func(c *model.Contact) *located[model.Contact] {
		return &located[model.Contact]{Status: 201, Location: s.at("/contacts/" + c.ID.String()), Body: *c}
	}
	shaped(ctx, answer)
	c, err := s.desk.CreateContact(ctx, a, desk.NewContact{
		Name: in.Body.Name, Phone: in.Body.Phone, BusinessName: in.Body.Company, City: in.Body.City, Channel: in.Body.ChannelID,
		Automation: in.Body.Automation,
	})
	return answer(&c), err
}

func (s *Server) getContact(ctx context.Context, a *desk.Principal, in *AtID) (*reply[model.Contact], error) {
	id, err := pathID(in.ID, "contact")
	if err != nil {
		return nil, err
	}
	c, err := s.desk.Contact(ctx, a, id)
	return &reply[model.Contact]{c}, err
}

type updateContactInput struct {
	AtID
	Body struct {
		Name       *string                `json:"name,omitempty" minLength:"1" maxLength:"120"`
		Phone      *string                `json:"phone,omitempty" minLength:"1" maxLength:"64" doc:"Only while the contact has no conversation."`
		Company    model.Optional[string] `json:"company,omitempty" required:"false" doc:"null removes it."`
		City       model.Optional[string] `json:"city,omitempty" required:"false" doc:"null removes it."`
		LabelIDs   *[]model.ID            `json:"label_ids,omitempty" maxItems:"100" doc:"Replaces all labels of the contact."`
		Blocked    *bool                  `json:"blocked,omitempty" doc:"Messages of a blocked contact are stored without a notification; no message can be sent to it."`
		Automation *bool                  `json:"automation,omitempty" doc:"false: the reception of a channel never answers this person."`
	} `required:"false"`
}

func (s *Server) updateContact(ctx context.Context, a *desk.Principal, in *updateContactInput) (*reply[model.Contact], error) {
	id, err := pathID(in.ID, "contact")
	if err != nil {
		return nil, err
	}
	c, err := s.desk.UpdateContact(ctx, a, id, desk.ContactChange{
		Name: in.Body.Name, Phone: in.Body.Phone, BusinessName: in.Body.Company, City: in.Body.City, LabelIDs: in.Body.LabelIDs, Blocked: in.Body.Blocked,
		Automation: in.Body.Automation,
	})
	return &reply[model.Contact]{c}, err
}

func (s *Server) deleteContact(ctx context.Context, a *desk.Principal, in *AtID) (*none, error) {
	id, err := pathID(in.ID, "contact")
	if err != nil {
		return nil, err
	}
	return &none{}, s.desk.DeleteContact(ctx, a, id)
}
