package channels

import (
	"context"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"

	"recado/internal/channels/provider"
	"recado/internal/httpserver"
	"recado/internal/kernel"
)

// templateHeader is the header of a new template: a text, or the type of a file.
type templateHeader struct {
	text string
	file *struct {
		Type string `json:"type"`
	}
}

// Schema describes both forms.
func (templateHeader) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		AnyOf: []*huma.Schema{
			{Type: huma.TypeString},
			{
				Type: huma.TypeObject, Required: []string{"type"}, AdditionalProperties: false,
				Properties: map[string]*huma.Schema{"type": {Type: huma.TypeString, Enum: []any{"image", "video", "document"}}},
			},
			{Type: "null"},
		},
		Description: "The text above the body, at most 60 characters with at most one variable, or the type of a file.",
	}
}

// UnmarshalJSON decodes either form, or null.
func (h *templateHeader) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '{' {
		return json.Unmarshal(data, &h.file, json.RejectUnknownMembers(true))
	}
	return json.Unmarshal(data, &h.text)
}

// NewTemplateButton is a button in the body of a request that creates a template.
type NewTemplateButton struct {
	Type        string                  `json:"type" enum:"quick_reply,url,phone"`
	Text        string                  `json:"text" minLength:"1" maxLength:"25"`
	URL         kernel.Optional[string] `json:"url,omitempty" required:"false" doc:"Of a button of the type url. At most 2000 characters. It may end with the variable {{1}}."`
	PhoneNumber kernel.Optional[string] `json:"phone_number,omitempty" required:"false" doc:"Of a button of the type phone."`
	Example     kernel.Optional[string] `json:"example,omitempty" required:"false" doc:"An example for the variable of the URL: its value, or the whole URL."`
}

// templateExamples are the examples in the body of a request that creates a template, or null.
type templateExamples struct {
	Body   []string `json:"body"`
	Header []string `json:"header"`
}

// Schema describes the examples.
func (templateExamples) Schema(huma.Registry) *huma.Schema {
	list := func(most int, about string) *huma.Schema {
		return &huma.Schema{
			Type: huma.TypeArray, Nullable: true, Items: &huma.Schema{Type: huma.TypeString}, MaxItems: &most, Description: about,
		}
	}
	return &huma.Schema{
		Type: huma.TypeObject, Nullable: true, AdditionalProperties: false,
		Properties: map[string]*huma.Schema{
			"body": list(maxTemplateExamples, "An example for each variable of the body, in the order in which they first occur."),
			"header": list(1, "For a header with a text, an example for its variable. For a header with a file, the id of a file from "+
				"POST /media, which Meta reviews as a sample."),
		},
		Description: "Meta reviews templates with these examples.",
	}
}

// UnmarshalJSON decodes the examples, or null.
func (e *templateExamples) UnmarshalJSON(data []byte) error {
	type plain templateExamples
	return json.Unmarshal(data, (*plain)(e), json.RejectUnknownMembers(true))
}

// templateButtons are the buttons of a new template, or null.
type templateButtons []NewTemplateButton

// UnmarshalJSON decodes the buttons, or null.
func (b *templateButtons) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, (*[]NewTemplateButton)(b), json.RejectUnknownMembers(true))
}

type createTemplateInput struct {
	httpserver.AtID
	Body struct {
		Name     string                  `json:"name" minLength:"1" maxLength:"512" pattern:"^[a-z0-9_]+$" doc:"Lower-case letters, digits and underscores." example:"order_ready"`
		Language string                  `json:"language" minLength:"2" maxLength:"8" example:"pt_BR"`
		Category string                  `json:"category" minLength:"1" maxLength:"20" doc:"marketing or utility, in lower or upper case. Meta defines the texts of authentication templates: create them at Meta."`
		Header   templateHeader          `json:"header,omitempty" required:"false"`
		Body     string                  `json:"body" minLength:"1" maxLength:"1024" doc:"The text, with variables numbered {{1}}, {{2}} or named {{order}}."`
		Footer   kernel.Optional[string] `json:"footer,omitempty" required:"false" doc:"The small text below the body, at most 60 characters without variables."`
		Buttons  templateButtons         `json:"buttons,omitempty" required:"false" nullable:"true" maxItems:"10" doc:"At most two with a URL and one with a phone number. The quick replies stand together."`
		Examples templateExamples        `json:"examples,omitempty" required:"false"`
	}
}

func (s *handlers) createTemplate(
	ctx context.Context, a *kernel.Principal, in *createTemplateInput,
) (*httpserver.Reply[provider.ChannelTemplate], error) {
	b := &in.Body
	template := NewTemplate{
		Name: b.Name, Language: b.Language, Category: b.Category, Header: b.Header.text, Body: b.Body,
		Examples: TemplateExamples{Header: b.Examples.Header, Body: b.Examples.Body},
	}
	kernel.Set(&template.Footer, b.Footer.Pointer())
	if b.Header.file != nil {
		template.HeaderType = b.Header.file.Type
	}
	for _, in := range b.Buttons {
		button := provider.NewTemplateButton{Type: in.Type, Text: in.Text}
		kernel.Set(&button.URL, in.URL.Pointer())
		kernel.Set(&button.PhoneNumber, in.PhoneNumber.Pointer())
		kernel.Set(&button.Example, in.Example.Pointer())
		template.Buttons = append(template.Buttons, button)
	}
	return httpserver.Body(s.verbs.CreateTemplate(ctx, a, kernel.ID(in.ID), template))
}

type templateNameInput struct {
	httpserver.AtID
	Name string `path:"name" doc:"The name of the template."`
}

func (s *handlers) deleteTemplate(ctx context.Context, a *kernel.Principal, in *templateNameInput) (*httpserver.None, error) {
	return &httpserver.None{}, s.verbs.DeleteTemplate(ctx, a, kernel.ID(in.ID), in.Name)
}

func (s *handlers) templateRoutes() []*httpserver.Route {
	return []*httpserver.Route{
		httpserver.Post("/channels/{id}/templates", VerbCreateTemplate, "Create a template at Meta", s.createTemplate,
			httpserver.Fails(kernel.CodeChannelArchived, kernel.CodeChannelDisconnected, kernel.CodeUncertain), httpserver.Created, httpserver.Reserves, httpserver.Subject(SubjectChannel),
			httpserver.Example(`{"name": "order_ready", "language": "en", "category": "utility", "body": "Hello {{1}}, your order is ready.", "buttons": [{"type": "quick_reply", "text": "Thanks"}], "examples": {"body": ["Marina"]}}`),
			httpserver.About("The template is validated, created at Meta and returned with its status, which is pending until Meta has reviewed it. "+
				"If Meta refuses it, the error names the field, if Meta does, and has Meta's text as params.provider_message.")),
		httpserver.Del("/channels/{id}/templates/{name}", VerbDeleteTemplate, "Delete a template at Meta", s.deleteTemplate,
			httpserver.Fails(kernel.CodeChannelArchived, kernel.CodeChannelDisconnected, kernel.CodeInUse, kernel.CodeUncertain),
			httpserver.About("Deletes the template in all its languages. Meta does not accept the name of an approved template again for 30 days.")),
	}
}
