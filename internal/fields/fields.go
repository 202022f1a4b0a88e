// Package fields implements custom fields: their definitions, and the values of contacts, attendances and cards.
package fields

import (
	"context"

	"recado/internal/httpserver"
	"recado/internal/kernel"
)

// HTTP returns the routes of the package.
func (d *Fields) HTTP() httpserver.Capability {
	s := &handlers{d}
	return httpserver.Capability{
		Routes: []*httpserver.Route{
			httpserver.Get("/fields", VerbFields, "List the custom fields", httpserver.ListCursor(d.Fields),
				httpserver.AsTool(httpserver.Tool{Name: "list_fields"}),
				httpserver.About("Returns the fields in order: those of contacts, of attendances and of cards. Their values are in fields of contacts, attendances and cards, by key. A page can have all fields of an entity.")),
			httpserver.Post("/fields", VerbCreateField, "Create a custom field", s.createField, httpserver.Created,
				httpserver.Fails(kernel.CodeNameTaken, kernel.CodeLimitReached),
				httpserver.Example(`{"entity": "contact", "key": "plan", "name": "Plan", "type": "choice", "options": ["Basic", "Gold"]}`),
				httpserver.About("Requires the role admin or owner. Each entity has at most 50 fields. Entity, key and type cannot be changed later.")),
			httpserver.Patch("/fields/{id}", VerbUpdateField, "Change a custom field", s.updateField,
				httpserver.Example(`{"options": ["Basic", "Gold", "Platinum"], "required_on_close": true}`),
				httpserver.About("Requires the role admin or owner. Values that are stored stay when their option is removed; new values must be among the options.")),
			httpserver.Del("/fields/{id}", VerbDeleteField, "Delete a custom field and its values", s.deleteField,
				httpserver.Example(`{"confirm": true}`),
				httpserver.About("Requires the role admin or owner, and confirm: true in the body or the query.")),
		},
		Tags: []httpserver.Tag{{Name: "fields", Description: "Custom fields of contacts, attendances and cards."}},
	}
}

// handlers serve the verbs over HTTP.
type handlers struct{ verbs *Fields }

type createFieldInput struct {
	Body struct{ NewField }
}

func (s *handlers) createField(ctx context.Context, a *kernel.Principal, in *createFieldInput) (*httpserver.Reply[Field], error) {
	return httpserver.Body(s.verbs.CreateField(ctx, a, in.Body.NewField))
}

type updateFieldInput struct {
	httpserver.AtID
	Body struct{ FieldChange } `required:"false"`
}

func (s *handlers) updateField(ctx context.Context, a *kernel.Principal, in *updateFieldInput) (*httpserver.Reply[Field], error) {
	return httpserver.Body(s.verbs.UpdateField(ctx, a, kernel.ID(in.ID), in.Body.FieldChange))
}

type deleteFieldInput struct {
	httpserver.AtID
	Confirm string `query:"confirm" enum:"true,false,1,0" doc:"Must be true, here or in the body: the values of the field are deleted with it."`
	Body    *struct {
		Confirm bool `json:"confirm,omitempty" doc:"Must be true, here or in the query: the values of the field are deleted with it."`
	}
}

func (s *handlers) deleteField(ctx context.Context, a *kernel.Principal, in *deleteFieldInput) (*httpserver.None, error) {
	confirm := httpserver.IsTrue(in.Confirm) || in.Body != nil && in.Body.Confirm
	return &httpserver.None{}, s.verbs.DeleteField(ctx, a, kernel.ID(in.ID), confirm)
}
