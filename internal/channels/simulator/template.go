package simulator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Template is a text that may be sent outside the 24-hour window. Its placeholders are {{1}} or {{name}}.
type Template struct {
	ID       string `json:"id"`
	WABAID   string `json:"-"` // any account when empty
	Name     string `json:"name"`
	Language string `json:"language"`
	Category string `json:"category"`
	Status   string `json:"status"` // APPROVED when empty
	Body     string `json:"body"`
	Quality  string `json:"quality,omitempty"` // UNKNOWN when empty
	Reason   string `json:"reason,omitempty"`  // why it was rejected

	// Components are all components as created. A template without them consists of its body.
	Components []json.RawMessage `json:"components,omitempty"`
}

// helloWorld is the template that every new WhatsApp account has.
var helloWorld = Template{
	ID: "700000000000000", Name: "hello_world", Language: "en_US", Category: "UTILITY",
	Body: "Welcome and congratulations!! This message demonstrates your ability to send a WhatsApp message notification.",
	Components: []json.RawMessage{
		json.RawMessage(`{"type":"HEADER","format":"TEXT","text":"Hello World"}`),
		json.RawMessage(`{"type":"BODY","text":"Welcome and congratulations!! This message demonstrates your ability to send a WhatsApp message notification."}`),
		json.RawMessage(`{"type":"FOOTER","text":"WhatsApp Business Platform sample message"}`),
	},
}

func (t Template) components() any {
	if len(t.Components) > 0 {
		return t.Components
	}
	return []any{map[string]any{"type": "BODY", "text": t.Body}}
}

var placeholder = regexp.MustCompile(`\{\{(\w+)\}\}`)

func (t Template) placeholders() []string {
	var names []string
	for _, m := range placeholder.FindAllStringSubmatch(t.Body, -1) {
		if !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}

func (t Template) quality() string { return cmp.Or(t.Quality, "UNKNOWN") }

func (t Template) approved() bool { return t.Status == "" || t.Status == "APPROVED" }

type templateMessage struct {
	Name     string `json:"name"`
	Language struct {
		Code string `json:"code"`
	} `json:"language"`
	Components []struct {
		Type       string              `json:"type"`
		SubType    string              `json:"sub_type"`
		Index      string              `json:"index"`
		Parameters []templateParameter `json:"parameters"`
	} `json:"components"`
}

type templateParameter struct {
	Type string `json:"type"`
	Name string `json:"parameter_name"`
	Text string `json:"text"`

	Payload string `json:"payload"`

	Image, Video, Document struct{ ID, Link string }
}

func (p templateParameter) file() string {
	return p.Image.ID + p.Video.ID + p.Document.ID + p.Image.Link
}

type templateComponent struct {
	Type    string `json:"type"`
	Format  string `json:"format"`
	Text    string `json:"text"`
	Buttons []struct {
		Type string `json:"type"`
		URL  string `json:"url"`
	} `json:"buttons"`
}

// checkHeaderAndButtons compares the header and button parameters of a message with the template.
func (t Template) checkHeaderAndButtons(m *templateMessage) *graphFailure {
	given := map[string][]templateParameter{}
	for _, c := range m.Components {
		at := strings.ToLower(c.Type)
		if at == "button" {
			at += c.Index
		}
		given[at] = append(given[at], c.Parameters...)
	}
	delete(given, "body")
	for _, raw := range t.Components {
		var p templateComponent
		_ = json.Unmarshal(raw, &p)
		if strings.EqualFold(p.Type, "header") {
			if f := p.checkHeader(given["header"]); f != nil {
				return f
			}
			delete(given, "header")
		}
		for i, b := range p.Buttons {
			at := "button" + strconv.Itoa(i)
			if (placeholder.MatchString(b.URL) || strings.EqualFold(b.Type, "copy_code")) && len(given[at]) != 1 {
				return refusal(132000, "button "+strconv.Itoa(i)+" needs one parameter")
			}
			delete(given, at)
		}
	}
	for at := range given {
		return refusal(132000, "the template has no parameters in "+at)
	}
	return nil
}

func (p templateComponent) checkHeader(given []templateParameter) *graphFailure {
	switch format := strings.ToLower(p.Format); format {
	case "image", "video", "document":
		if len(given) != 1 || given[0].Type != format || given[0].file() == "" {
			return refusal(132012, "the header needs a file of the type "+format)
		}
	default:
		if len(given) != len(placeholder.FindAllString(p.Text, -1)) {
			return refusal(132000, "the parameters of the header do not match")
		}
	}
	return nil
}

func (s *Simulator) checkTemplate(n *number, raw json.RawMessage) *graphFailure {
	var m templateMessage
	if json.Unmarshal(raw, &m) != nil || m.Name == "" || m.Language.Code == "" {
		return refusal(131008, "template.name and template.language.code are required")
	}
	i := slices.IndexFunc(s.templates, func(t Template) bool {
		return t.Name == m.Name && t.Language == m.Language.Code && (t.WABAID == "" || t.WABAID == n.WABAID)
	})
	if i < 0 {
		return refusal(132001, m.Name+" in "+m.Language.Code)
	}
	t := s.templates[i]
	switch {
	case t.Status == "PAUSED":
		return refusal(132015, "")
	case !t.approved():
		return refusal(132001, m.Name+" is not approved")
	}
	expected, given := t.placeholders(), 0
	for _, c := range m.Components {
		if !strings.EqualFold(c.Type, "body") {
			continue
		}
		for _, p := range c.Parameters {
			unknown := p.Name != "" && !slices.Contains(expected, p.Name)
			if unknown || strings.ContainsAny(p.Text, "\n\t") || strings.Contains(p.Text, "     ") {
				return refusal(132018, "parameter "+p.Name)
			}
			given++
		}
	}
	if given != len(expected) {
		return refusal(132000, fmt.Sprintf("%d given, %d expected", given, len(expected)))
	}
	return t.checkHeaderAndButtons(&m)
}

func (s *Simulator) templateCategory(e envelope) string {
	var m templateMessage
	_ = json.Unmarshal(e.content["template"], &m)
	for _, t := range s.templates {
		if t.Name == m.Name {
			return t.Category
		}
	}
	return ""
}

// AddTemplate adds a template. It replaces one with the same name and language.
func (s *Simulator) AddTemplate(t Template) Template {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.ID == "" {
		t.ID = strconv.FormatUint(700000000000000+s.nextID(), 10)
	}
	s.templates = slices.DeleteFunc(s.templates, func(old Template) bool {
		return old.Name == t.Name && old.Language == t.Language && old.WABAID == t.WABAID
	})
	s.templates = append(s.templates, t)
	return t
}

func (s *Simulator) listTemplates(r *request) (any, *graphFailure) {
	s.mu.Lock()
	var all []Template
	name := r.URL.Query().Get("name")
	for _, t := range s.templates {
		if (t.WABAID == "" || t.WABAID == r.path[0]) && (name == "" || t.Name == name) {
			all = append(all, t)
		}
	}
	s.mu.Unlock()
	data := []any{}
	start, _ := strconv.Atoi(r.URL.Query().Get("after"))
	limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
	if err != nil || limit < 1 {
		limit = 25
	}
	start = min(max(start, 0), len(all))
	end := min(start+limit, len(all))
	for _, t := range all[start:end] {
		status := t.Status
		if t.approved() {
			status = "APPROVED"
		}
		data = append(data, map[string]any{
			"id": t.ID, "name": t.Name, "language": t.Language, "category": t.Category, "status": status,
			"components": t.components(), "rejected_reason": cmp.Or(t.Reason, "NONE"),
			"quality_score": map[string]any{"score": t.quality()},
		})
	}
	paging := map[string]any{"cursors": map[string]any{"before": strconv.Itoa(start), "after": strconv.Itoa(end)}}
	if end < len(all) {
		paging["next"] = "http://" + r.Host + r.URL.Path + "?after=" + strconv.Itoa(end) + "&limit=" + strconv.Itoa(limit)
	}
	return map[string]any{"data": data, "paging": paging}, nil
}
