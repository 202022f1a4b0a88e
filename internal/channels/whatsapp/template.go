package whatsapp

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
)

const (
	templatesAtOnce = 100
	maxTemplates    = 10_000
)

// Templates returns all templates of an account.
func (c *Client) Templates(ctx context.Context, wabaID string) ([]provider.ChannelTemplate, error) {
	query := url.Values{"fields": {"id,name,language,status,category,components,rejected_reason,quality_score"}, "limit": {strconv.Itoa(templatesAtOnce)}}
	var all []provider.ChannelTemplate
	for len(all) < maxTemplates {
		var page struct {
			Data   list[templateNode] `json:"data"`
			Paging lenient[struct {
				Next    text `json:"next"`
				Cursors lenient[struct {
					After text `json:"after"`
				}] `json:"cursors"`
			}] `json:"paging"`
		}
		request := call{method: http.MethodGet, path: []string{wabaID, "message_templates"}, query: query}
		if err := c.callJSON(ctx, request, nil, &page); err != nil {
			return nil, err
		}
		for _, node := range page.Data {
			if node.Name != "" && node.Language != "" {
				all = append(all, node.read())
			}
		}
		after := page.Paging.value.Cursors.value.After
		if page.Paging.value.Next == "" || after == "" || len(page.Data) == 0 {
			break
		}
		query.Set("after", string(after))
	}
	return all, nil
}

// templateNode is a template in Meta's response.
type templateNode struct {
	ID         text                    `json:"id"`
	Name       text                    `json:"name"`
	Language   text                    `json:"language"`
	Status     text                    `json:"status"`
	Category   text                    `json:"category"`
	Components list[templateComponent] `json:"components"`
	Rejected   text                    `json:"rejected_reason"`
	Quality    lenient[struct {
		Score text `json:"score"`
	}] `json:"quality_score"`
}

type templateComponent struct {
	Type    text                 `json:"type"`
	Format  text                 `json:"format"`
	Text    text                 `json:"text"`
	Buttons list[templateButton] `json:"buttons"`
	Example lenient[struct {
		Body       list[list[text]]        `json:"body_text"`
		Header     list[text]              `json:"header_text"`
		BodyNamed  list[namedTemplateText] `json:"body_text_named_params"`
		HeaderName list[namedTemplateText] `json:"header_text_named_params"`
	}] `json:"example"`
}

type namedTemplateText struct {
	Name    text `json:"param_name"`
	Example text `json:"example"`
}

type templateButton struct {
	Type    text       `json:"type"`
	Text    text       `json:"text"`
	URL     text       `json:"url"`
	Phone   text       `json:"phone_number"`
	Example list[text] `json:"example"`
}

func (n templateNode) read() provider.ChannelTemplate {
	t := provider.ChannelTemplate{
		ProviderID: string(n.ID), Name: string(n.Name), Language: language(string(n.Language)),
		Status: strings.ToLower(string(n.Status)), Category: strings.ToLower(string(n.Category)),
		Buttons: []provider.TemplateButton{}, Parameters: []provider.TemplateGap{},
		Quality: kernel.TextOrNil(templateQuality(n.Quality.value.Score)),
	}
	if t.Status == provider.TemplateRejected {
		t.Reason = kernel.TextOrNil(templateReason(n.Rejected))
	}
	for _, c := range n.Components {
		switch strings.ToUpper(string(c.Type)) {
		case "BODY":
			t.Body = string(c.Text)
			t.Parameters = append(t.Parameters, c.gaps(provider.ComponentBody)...)
		case "HEADER":
			c.header(&t)
		case "FOOTER":
			t.Footer = kernel.TextOrNil(string(c.Text))
		case "BUTTONS":
			for i, b := range c.Buttons {
				b.read(i, &t)
			}
		}
	}
	return t
}

// header reads a header: a text, which may have a gap, or a file, which is a gap.
func (c templateComponent) header(t *provider.ChannelTemplate) {
	switch format := strings.ToLower(string(c.Format)); format {
	case "image", "video", "document":
		t.Parameters = append(t.Parameters, provider.TemplateGap{Component: provider.ComponentHeader, Index: 1, Type: format})
	case "", "text":
		t.Header = kernel.TextOrNil(string(c.Text))
		t.Parameters = append(t.Parameters, c.gaps(provider.ComponentHeader)...)
	}
}

// gaps returns the gaps of a text with their examples.
func (c templateComponent) gaps(component string) (gaps []provider.TemplateGap) {
	numbered, named := c.Example.value.Header, c.Example.value.HeaderName
	if component == provider.ComponentBody {
		named = c.Example.value.BodyNamed
		if numbered = nil; len(c.Example.value.Body) > 0 {
			numbered = c.Example.value.Body[0]
		}
	}
	for i, name := range provider.TemplateGaps(string(c.Text)) {
		gap := provider.TemplateGap{Component: component, Index: i + 1, Type: "text"}
		if _, err := strconv.Atoi(name); err != nil {
			gap.Name = &name
			for _, n := range named {
				if string(n.Name) == name {
					gap.Example = kernel.TextOrNil(string(n.Example))
				}
			}
		} else if i < len(numbered) {
			gap.Example = kernel.TextOrNil(string(numbered[i]))
		}
		gaps = append(gaps, gap)
	}
	return gaps
}

// read adds a button and its gap: the end of an address, or a code to copy.
func (b templateButton) read(at int, t *provider.ChannelTemplate) {
	kind := strings.ToLower(string(b.Type))
	if kind == "phone_number" { // the API calls it phone
		kind = "phone"
	}
	t.Buttons = append(t.Buttons, provider.TemplateButton{
		Type: kind, Text: string(b.Text), URL: kernel.TextOrNil(string(b.URL)), PhoneNumber: kernel.TextOrNil(string(b.Phone)),
	})
	if kind == "url" && len(provider.TemplateGaps(string(b.URL))) > 0 || kind == "copy_code" {
		gap := provider.TemplateGap{Component: provider.ComponentButton, Index: at + 1, Type: "text"}
		if len(b.Example) > 0 {
			gap.Example = kernel.TextOrNil(string(b.Example[0]))
		}
		if kind == "url" {
			t.Buttons[len(t.Buttons)-1].Example = gap.Example
		}
		t.Parameters = append(t.Parameters, gap)
	}
}

// language returns the code of a language for sending. Callbacks write en-US.
func language(s string) string { return strings.ReplaceAll(s, "-", "_") }

// templateUpdate parses a callback about templates. It reports false for other callbacks.
func (p *parser) templateUpdate() bool {
	switch p.field {
	case "message_template_status_update", "message_template_quality_update", "message_template_components_update",
		"template_category_update":
	default:
		return false
	}
	var u struct {
		Event     text `json:"event"`
		Name      text `json:"message_template_name"`
		Language  text `json:"message_template_language"`
		Reason    text `json:"reason"`
		Quality   text `json:"new_quality_score"`
		Rejection lenient[struct {
			Reason         text `json:"reason"`
			Recommendation text `json:"recommendation"`
		}] `json:"rejection_info"`
	}
	if decode(p.raw, &u) != nil {
		return false
	}
	in := &provider.IncomingTemplate{
		WABAID: p.waba, Name: string(u.Name), Language: language(string(u.Language)), Notice: p.noticeOf(p.field, p.summary(), p.raw),
	}
	switch p.field {
	case "message_template_status_update":
		in.Status = templateStatus(string(u.Event))
		if in.Status == provider.TemplateRejected {
			in.Reason = templateReason(u.Reason)
			in.ReasonText = clip(joined(" ", string(u.Rejection.value.Reason), string(u.Rejection.value.Recommendation)), 1000)
		}
	case "message_template_quality_update":
		in.Quality = templateQuality(u.Quality)
	}
	p.add(provider.Incoming{Template: in})
	return true
}

// templateReason returns the reason of a rejection; "" for none.
func templateReason(reason text) string {
	if reason == "NONE" {
		return ""
	}
	return clip(strings.ToLower(string(reason)), 100)
}

// templateQuality returns the quality of a template; "" for none.
func templateQuality(score text) string { return clip(strings.ToLower(string(score)), 40) }

// templateStatus returns the status of a template after an event; "": unknown.
func templateStatus(event string) string {
	switch event {
	case "APPROVED", "REINSTATED", "UNARCHIVED":
		return provider.TemplateApproved
	case "REJECTED", "PENDING", "PAUSED", "DISABLED", "IN_APPEAL", "PENDING_DELETION", "DELETED", "ARCHIVED", "LIMIT_EXCEEDED":
		return strings.ToLower(event)
	}
	return ""
}

// template encodes a template and its parameters. mediaID is the provider's id of the file in the header.
func template(t provider.Template, mediaID string) map[string]any {
	object := map[string]any{"name": t.Name, "language": map[string]any{"code": t.Language, "policy": "deterministic"}}
	var components []any
	for _, component := range []string{provider.ComponentHeader, provider.ComponentBody} {
		var parameters []any
		for _, p := range t.Parameters {
			if p.In() == component {
				parameters = append(parameters, templateParameter(p, mediaID))
			}
		}
		if len(parameters) > 0 {
			components = append(components, map[string]any{"type": component, "parameters": parameters})
		}
	}
	for _, p := range t.Parameters {
		if p.In() == provider.ComponentButton {
			components = append(components, buttonParameter(p))
		}
	}
	if len(components) > 0 {
		object["components"] = components
	}
	return object
}

func templateParameter(p provider.TemplateParameter, mediaID string) map[string]any {
	if p.MediaID != nil {
		return map[string]any{"type": p.Kind, p.Kind: map[string]any{"id": mediaID}}
	}
	out := map[string]any{"type": "text", "text": p.Text}
	if p.Name != "" {
		out["parameter_name"] = p.Name
	}
	return out
}

func buttonParameter(p provider.TemplateParameter) map[string]any {
	parameter := map[string]any{"type": "text", "text": p.Text}
	kind := p.SubType
	switch kind {
	case "":
		kind = "url"
	case "copy_code":
		parameter = map[string]any{"type": "coupon_code", "coupon_code": p.Text}
	case "quick_reply":
		parameter = map[string]any{"type": "payload", "payload": p.Text}
	}
	return map[string]any{"type": "button", "sub_type": kind, "index": strconv.Itoa(p.Button), "parameters": []any{parameter}}
}
