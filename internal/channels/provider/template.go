package provider

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"recado/internal/kernel"
)

// ChannelTemplate is a stored template of a channel, which the provider approves before it can be sent.
type ChannelTemplate struct {
	ID         kernel.ID        `json:"id"`
	Name       string           `json:"name"`
	Language   string           `json:"language" example:"pt_BR"`
	Category   string           `json:"category" doc:"Meta's word in lower case." example:"utility"`
	Status     string           `json:"status" doc:"The status reported by Meta, in lower case. Only approved templates can be sent." example:"approved"`
	Body       string           `json:"body" doc:"The text with its placeholders, such as {{1}} or {{name}}."`
	Header     *string          `json:"header" doc:"The text above the body. A file header is a parameter instead."`
	Footer     *string          `json:"footer"`
	Buttons    []TemplateButton `json:"buttons"`
	Parameters []TemplateGap    `json:"parameters" doc:"The parameters required to send the template."`

	ProviderID string `json:"-"`
}

// TemplateButton is a button of a template.
type TemplateButton struct {
	Type        string  `json:"type" doc:"Meta's word in lower case." example:"quick_reply"`
	Text        string  `json:"text"`
	URL         *string `json:"url"`
	PhoneNumber *string `json:"phone_number"`
}

// TemplateGap is a parameter that a template takes.
type TemplateGap struct {
	Component string  `json:"component" enum:"header,body,button"`
	Index     int     `json:"index" doc:"The position of the parameter in its component, counted from 1; for a button, the position of the button."`
	Name      *string `json:"name" doc:"The name of the parameter; null if the template uses numbered parameters."`
	Type      string  `json:"type" enum:"text,image,video,document"`
	Example   *string `json:"example"`
}

// The components of a template that have gaps.
const (
	ComponentHeader = "header"
	ComponentBody   = "body"
	ComponentButton = "button"
)

// TemplateApproved is the status of a template that can be sent.
const TemplateApproved = "approved"

// String returns the name of the gap: body.1 or body.name.
func (g *TemplateGap) String() string {
	if g.Name != nil {
		return g.Component + "." + *g.Name
	}
	return g.Component + "." + strconv.Itoa(g.Index)
}

// Template is a template to send, with the values of its gaps.
type Template struct {
	Name       string
	Language   string // pt_BR
	Parameters []TemplateParameter
}

// TemplateParameter fills one gap with a text or a file. Either all parameters of a component have names or none; without names
// they are in the order of the gaps.
type TemplateParameter struct {
	Name      string
	Text      string
	Component string // "": the body
	MediaID   *kernel.ID
	Kind      string // of the file: image video document

	Button  int    // position of the button, from 0
	SubType string // of the button: url quick_reply copy_code
}

// In returns the component of the parameter.
func (p *TemplateParameter) In() string { return cmp.Or(p.Component, ComponentBody) }

var templateGap = regexp.MustCompile(`\{\{\s*(\w+)\s*\}\}`)

// TemplateGaps returns the names of the gaps of a text in the order in which they first occur.
func TemplateGaps(text string) (names []string) {
	for _, m := range templateGap.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}

// Fill returns the body with its gaps filled.
func (t *ChannelTemplate) Fill(parameters []TemplateParameter) string {
	values := map[string]string{}
	n := 0
	for _, p := range parameters {
		if p.In() != ComponentBody {
			continue
		}
		n++
		values[cmp.Or(p.Name, strconv.Itoa(n))] = p.Text
	}
	return templateGap.ReplaceAllStringFunc(t.Body, func(gap string) string {
		if value, ok := values[strings.Trim(gap, "{} \t\n")]; ok {
			return value
		}
		return gap
	})
}
