package provider

import (
	"regexp"
	"strconv"
	"strings"

	"recado/internal/kernel"
)

// ChannelTemplate is a text that a provider approves beforehand, as the copy of a channel has it.
type ChannelTemplate struct {
	ID         kernel.ID        `json:"id"`
	Name       string           `json:"name"`
	Language   string           `json:"language" example:"pt_BR"`
	Category   string           `json:"category" doc:"Meta's word in lower case." example:"utility"`
	Status     string           `json:"status" doc:"Meta's word in lower case. Only an approved template can be sent." example:"approved"`
	Body       string           `json:"body" doc:"The text with its gaps: {{1}} or {{name}}."`
	Header     *string          `json:"header" doc:"The text above the body. A header that is a file is a parameter."`
	Footer     *string          `json:"footer"`
	Buttons    []TemplateButton `json:"buttons"`
	Parameters []TemplateGap    `json:"parameters" doc:"What has to be given when it is sent."`

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
	Index     int     `json:"index" doc:"Its position in the component, from 1; of a button, that of the button."`
	Name      *string `json:"name" doc:"Null where the gaps are numbered."`
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

// String names the gap in messages: body.1 or body.name.
func (g *TemplateGap) String() string {
	if g.Name != nil {
		return g.Component + "." + *g.Name
	}
	return g.Component + "." + strconv.Itoa(g.Index)
}

// Template names a text that the provider approved beforehand, and what goes in its gaps.
type Template struct {
	Name       string
	Language   string // pt_BR
	Parameters []TemplateParameter
}

// TemplateParameter fills one gap with a text or a file. Either all parameters of a component have names or none has;
// without names they are in the order of the gaps.
type TemplateParameter struct {
	Name      string
	Text      string
	Component string // "": the body
	MediaID   *kernel.ID
	Kind      string // of the file: image video document

	Button  int    // position of the button, from 0
	SubType string // of the button: url quick_reply copy_code
}

// In gives the component of the parameter.
func (p *TemplateParameter) In() string {
	if p.Component == "" {
		return ComponentBody
	}
	return p.Component
}

var templateGap = regexp.MustCompile(`\{\{\s*(\w+)\s*\}\}`)

// TemplateGaps lists the gaps of a text in the order in which they first occur.
func TemplateGaps(text string) (names []string) {
	seen := map[string]bool{}
	for _, m := range templateGap.FindAllStringSubmatch(text, -1) {
		if !seen[m[1]] {
			seen[m[1]] = true
			names = append(names, m[1])
		}
	}
	return names
}

// Fill writes the parameters of the body into its gaps.
func (t *ChannelTemplate) Fill(parameters []TemplateParameter) string {
	values := map[string]string{}
	n := 0
	for _, p := range parameters {
		if p.In() != ComponentBody {
			continue
		}
		n++
		if p.Name != "" {
			values[p.Name] = p.Text
		} else {
			values[strconv.Itoa(n)] = p.Text
		}
	}
	return templateGap.ReplaceAllStringFunc(t.Body, func(gap string) string {
		if value, ok := values[strings.Trim(gap, "{} \t\n")]; ok {
			return value
		}
		return gap
	})
}
