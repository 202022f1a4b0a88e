package whatsapp

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"recado/internal/channels/provider"
)

// CreateTemplate creates a template in an account and returns it as Meta stores it, with the status of its review. Without a
// response it is uncertain whether Meta created it. The error of a template that Meta refuses has the code template_refused, a
// Detail of TemplateRefusals and, if Meta names it, a ProviderField such as header, body or buttons[1].url.
func (c *Client) CreateTemplate(ctx context.Context, wabaID string, t provider.NewTemplate) (provider.ChannelTemplate, error) {
	handle := ""
	if t.HeaderFile != nil {
		var err error
		if handle, err = c.uploadSample(ctx, *t.HeaderFile); err != nil {
			return provider.ChannelTemplate{}, refusedTemplate(err, nil, notAccepted)
		}
	}
	parts, fields := newComponents(t, handle)
	request := map[string]any{
		"name": t.Name, "language": t.Language, "category": strings.ToUpper(t.Category), "components": parts,
	}
	if named(t) {
		request["parameter_format"] = "NAMED"
	}
	var created struct {
		ID       text `json:"id"`
		Status   text `json:"status"`
		Category text `json:"category"`
	}
	err := c.callJSON(ctx, call{method: http.MethodPost, path: []string{wabaID, "message_templates"}, sends: true}, request, &created)
	if err != nil {
		return provider.ChannelTemplate{}, refusedTemplate(err, fields, notAccepted)
	}
	node := templateNode{
		ID: created.ID, Name: text(t.Name), Language: text(t.Language), Status: cmp.Or(created.Status, "PENDING"),
		Category: cmp.Or(created.Category, text(t.Category)),
	}
	raw, err := json.Marshal(parts)
	if err == nil {
		err = decode(raw, &node.Components)
	}
	return node.read(), err
}

// Messages of refusals.
const (
	notAccepted = "WhatsApp did not accept the template."
	notDeleted  = "WhatsApp did not delete the template."
)

// DeleteTemplates deletes the templates of an account with a name, in all languages. A name that Meta does not know is no error.
// Other errors are like those of CreateTemplate.
func (c *Client) DeleteTemplates(ctx context.Context, wabaID, name string) error {
	err := c.callJSON(ctx, call{
		method: http.MethodDelete, path: []string{wabaID, "message_templates"}, query: url.Values{"name": {name}}, sends: true,
	}, nil, nil)
	if e, ok := errors.AsType[*provider.SendError](err); ok && (e.ProviderSubcode == 2593002 || e.ProviderCode == 803) {
		return nil
	}
	return refusedTemplate(err, nil, notDeleted)
}

// uploadSample uploads the sample of a header to the app of the token, and returns its handle.
func (c *Client) uploadSample(ctx context.Context, m provider.OutgoingMedia) (string, error) {
	file, err := m.Open()
	if err != nil {
		return "", refuse("media_unavailable", "The file could not be read.", err)
	}
	defer file.Close()
	var session struct {
		ID text `json:"id"`
	}
	err = c.callJSON(ctx, call{
		method: http.MethodPost, path: []string{"app", "uploads"}, // app is the app of the token
		query: url.Values{
			"file_length": {strconv.FormatInt(m.Size, 10)}, "file_type": {m.MimeType}, "file_name": {quotable(m.FileName)},
		},
	}, nil, &session)
	if err != nil {
		return "", err
	}
	id, signature, _ := strings.Cut(string(session.ID), "?") // upload:...?sig=...
	query, err := url.ParseQuery(signature)
	if err != nil {
		return "", unreadable(err, false)
	}
	ctx, cancel := context.WithTimeout(ctx, uploadTimeout)
	defer cancel()
	var uploaded struct {
		Handle text `json:"h"`
	}
	err = c.do(ctx, call{
		method: http.MethodPost, path: []string{id}, query: query, body: file, length: m.Size, kind: "application/octet-stream",
		header: http.Header{"File_offset": {"0"}},
	}, &uploaded)
	if err == nil && uploaded.Handle == "" {
		err = unreadable(nil, false)
	}
	return string(uploaded.Handle), err
}

// named reports whether the gaps of a template have names.
func named(t provider.NewTemplate) bool {
	for _, gap := range append(provider.TemplateGaps(t.Header), provider.TemplateGaps(t.Body)...) {
		if _, err := strconv.Atoi(gap); err != nil {
			return true
		}
	}
	return false
}

// newComponents encodes the parts of a template. fields has the name of each part.
func newComponents(t provider.NewTemplate, handle string) (parts []map[string]any, fields []string) {
	add := func(field string, part map[string]any) { parts, fields = append(parts, part), append(fields, field) }
	switch {
	case t.HeaderFile != nil:
		add("header", map[string]any{
			"type": "HEADER", "format": strings.ToUpper(t.HeaderFile.Kind), "example": map[string]any{"header_handle": []string{handle}},
		})
	case t.Header != "":
		part := map[string]any{"type": "HEADER", "format": "TEXT", "text": t.Header}
		if len(t.HeaderExamples) > 0 {
			part["example"] = examples("header_text", t.HeaderExamples, provider.TemplateGaps(t.Header))
		}
		add("header", part)
	}
	body := map[string]any{"type": "BODY", "text": t.Body}
	if len(t.BodyExamples) > 0 {
		body["example"] = examples("body_text", t.BodyExamples, provider.TemplateGaps(t.Body))
	}
	add("body", body)
	if t.Footer != "" {
		add("footer", map[string]any{"type": "FOOTER", "text": t.Footer})
	}
	if len(t.Buttons) > 0 {
		buttons := make([]any, len(t.Buttons))
		for i, b := range t.Buttons {
			buttons[i] = newButton(b)
		}
		add("buttons", map[string]any{"type": "BUTTONS", "buttons": buttons})
	}
	return parts, fields
}

// examples encodes the examples of the gaps of a text.
func examples(key string, values, gaps []string) map[string]any {
	if _, err := strconv.Atoi(gaps[0]); err != nil {
		list := make([]any, len(values))
		for i := range values {
			list[i] = map[string]any{"param_name": gaps[i], "example": values[i]}
		}
		return map[string]any{key + "_named_params": list}
	}
	if key == "body_text" {
		return map[string]any{key: [][]string{values}}
	}
	return map[string]any{key: values}
}

func newButton(b provider.NewTemplateButton) map[string]any {
	out := map[string]any{"type": strings.ToUpper(b.Type), "text": b.Text}
	switch b.Type {
	case "url":
		out["url"] = b.URL
		if b.Example != "" {
			out["example"] = []string{b.Example}
		}
	case "phone":
		out["type"], out["phone_number"] = "PHONE_NUMBER", b.PhoneNumber
	}
	return out
}

// templateRefusals are Meta's reasons for refusing a template, by error_subcode, with the field that they are about.
var templateRefusals = map[int]struct{ reason, field string }{
	2388019: {"limit", ""},
	2388023: {"deleted_lately", "name"},
	2388024: {"exists", "name"},
	2388040: {"too_long", ""},
	2388047: {"format", "header"},
	2388072: {"format", "body"},
	2388073: {"format", "footer"},
	2388273: {"sample", "examples.header"},
	2388293: {"variables", "body"},
	2388299: {"variables", "body"},
}

// TemplateRefusals returns the details of refused templates.
func TemplateRefusals() []string {
	return []string{"deleted_lately", "exists", "format", "limit", "other", "sample", "too_long", "variables"}
}

// refusedTemplate completes the error of a template that Meta refused. Other errors stay as they are.
func refusedTemplate(err error, fields []string, message string) error {
	e, ok := errors.AsType[*provider.SendError](err)
	if !ok || e.Disconnect || e.Retry || e.Fate == provider.Uncertain || e.ProviderCode == 0 {
		return err
	}
	known := templateRefusals[e.ProviderSubcode]
	e.Code, e.Detail, e.Message = "template_refused", cmp.Or(known.reason, "other"), message
	e.ProviderField = cmp.Or(templateField(e.ProviderField, fields), known.field)
	return e
}

var (
	componentIndex = regexp.MustCompile(`components\W{1,3}(\d+)`)
	buttonIndex    = regexp.MustCompile(`buttons\W{1,4}(\d+)(?:\W{1,4}([a-z_]+))?`)
	plainField     = regexp.MustCompile(`\b(?:Param |Parameter |^)['"]?(name|language|category)\b`)
)

// templateField returns the part of a template that Meta names, as in components[2]['buttons'][0]['url'], or "".
func templateField(named string, fields []string) string {
	if m := buttonIndex.FindStringSubmatch(named); m != nil {
		field := "buttons[" + m[1] + "]"
		switch m[2] {
		case "text", "url", "phone_number", "type", "example":
			field += "." + m[2]
		}
		return field
	}
	if m := componentIndex.FindStringSubmatch(named); m != nil {
		if i, err := strconv.Atoi(m[1]); err == nil && i < len(fields) {
			return fields[i]
		}
	}
	if m := plainField.FindStringSubmatch(named); m != nil {
		return m[1]
	}
	return ""
}

// RequestImport asks Meta once for data of the WhatsApp Business app: smb_app_state_sync for its contacts, or history. Meta sends
// it in callbacks. The Detail of the error is already_done, too_late or declined if Meta refuses.
func (c *Client) RequestImport(ctx context.Context, kind string) error {
	err := c.callJSON(ctx, call{method: http.MethodPost, path: []string{c.PhoneNumberID, "smb_app_data"}},
		map[string]any{"messaging_product": "whatsapp", "sync_type": kind}, nil)
	if e, ok := errors.AsType[*provider.SendError](err); ok {
		for _, code := range []int{e.ProviderCode, e.ProviderSubcode} {
			if refusal := importRefusals[code]; refusal != "" {
				e.Code, e.Detail = "import_failed", refusal
			}
		}
	}
	return err
}

// importDeclined is Meta's code for a business that does not share its history.
const importDeclined = 2593109

// importRefusals are Meta's codes for requests of data of the WhatsApp Business app.
var importRefusals = map[int]string{2593107: "already_done", 2593108: "too_late", importDeclined: "declined"}
