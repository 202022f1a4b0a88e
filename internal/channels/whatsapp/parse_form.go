package whatsapp

import (
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"recado/internal/channels/provider"
)

// formContent is a form that a customer filled in. The values are JSON, mostly in a string.
type formContent struct {
	Name     text           `json:"name"`
	Body     text           `json:"body"`
	Response jsontext.Value `json:"response_json"`
}

// The maximum sizes of a stored form, of texts in bytes.
const (
	maxFields    = 200
	maxFieldName = 256
	maxFieldText = 4096
	maxFormDepth = 8
)

// lenientSyntax is for JSON within JSON.
var lenientSyntax = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// read returns the form as text, one value per line, and the form itself, or nil if it has no values.
func (f formContent) read() (string, *provider.Form) {
	form := &provider.Form{Name: clip(string(f.Name), maxFieldName)}
	switch response := f.Response; response.Kind() {
	case 0, 'n':
	case '"':
		var written text
		_ = decode(response, &written)
		if inner := jsontext.Value(written); inner.IsValid(lenientSyntax...) {
			addField(form, "", inner, 0)
		} else if !strings.HasPrefix(strings.TrimSpace(string(written)), "{") { // a malformed object may contain the token
			addValue(form, "", string(written))
		}
	default:
		addField(form, "", response, 0)
	}
	lines := []string{string(f.Body)}
	for _, field := range form.Fields {
		lines = append(lines, joined(": ", field.Label, field.Value))
	}
	if len(form.Fields) == 0 {
		form = nil
	}
	return joined("\n", lines...), form
}

// addField adds a value, or the values of an object. It leaves out the token of a Flow, which is a secret.
func addField(form *provider.Form, name string, value jsontext.Value, depth int) {
	if value.Kind() != '{' || depth > maxFormDepth {
		addValue(form, name, valueText(value, depth))
		return
	}
	members := membersOf(value)
	if known := shortForm(members); known != "" && name != "" {
		addValue(form, name, known)
		return
	}
	for _, m := range members {
		switch {
		case name == "" && m.name == "flow_token":
		case name == "" && m.name == "values" && m.value.Kind() == '{': // an address
			addField(form, "", m.value, depth+1)
		case name == "":
			addField(form, m.name, m.value, depth+1)
		default:
			addField(form, name+"."+m.name, m.value, depth+1)
		}
	}
}

func addValue(form *provider.Form, name, value string) {
	if value = strings.TrimSpace(value); value == "" || len(form.Fields) >= maxFields {
		return
	}
	form.Fields = append(form.Fields, provider.FormField{
		Name: clip(name, maxFieldName), Label: clip(fieldLabel(name), maxFieldName), Value: clip(value, maxFieldText),
	})
}

// numbered matches the names of fields from Meta's builder of Flows: screen_0_Name_1.
var numbered = regexp.MustCompile(`^screen_\d+_(.+?)(_\d+)?$`)

// fieldLabel returns the name of a field for people.
func fieldLabel(name string) string {
	if found := numbered.FindStringSubmatch(name); found != nil {
		name = found[1]
	}
	return strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(name, "_", " "), ".", " "))
}

type member struct {
	name  string
	value jsontext.Value
}

// membersOf returns the members of an object in their order.
func membersOf(object jsontext.Value) (members []member) {
	dec := jsontext.NewDecoder(strings.NewReader(string(object)), lenientSyntax...)
	if _, err := dec.ReadToken(); err != nil {
		return nil
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			break
		}
		m := member{name: strings.ReplaceAll(name.String(), "\x00", "")}
		value, err := dec.ReadValue()
		if err != nil {
			break
		}
		m.value = value.Clone()
		members = append(members, m)
	}
	return members
}

// shortForm returns the name of an object that is a file or an option, or "".
func shortForm(members []member) string {
	for _, key := range []string{"file_name", "title"} {
		for _, m := range members {
			if m.name == key {
				return valueText(m.value, 0)
			}
		}
	}
	return ""
}

// valueText returns a value as text. Lists are separated by commas, and the members of objects have labels.
func valueText(value jsontext.Value, depth int) string {
	switch {
	case value.Kind() == 'n':
		return ""
	case value.Kind() == '"' || value.Kind() == '0':
		var t text
		_ = decode(value, &t)
		return string(t)
	case depth > maxFormDepth, value.Kind() == 't', value.Kind() == 'f':
		_ = value.Compact()
		return string(value)
	case value.Kind() == '[':
		var items list[jsontext.Value]
		_ = decode(value, &items)
		parts, separator := make([]string, len(items)), ", "
		for i, item := range items {
			parts[i] = valueText(item, depth+1)
			if item.Kind() == '{' && shortForm(membersOf(item)) == "" {
				separator = "; "
			}
		}
		return joined(separator, parts...)
	}
	members := membersOf(value)
	if known := shortForm(members); known != "" {
		return known
	}
	parts := make([]string, 0, len(members))
	for _, m := range members {
		if words := valueText(m.value, depth+1); words != "" {
			parts = append(parts, joined(": ", fieldLabel(m.name), words))
		}
	}
	return joined(", ", parts...)
}
