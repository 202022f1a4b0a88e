package whatsapp

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// unsupportedWords says what a message was that WhatsApp names but does not hand over.
var unsupportedWords = map[text]string{
	"button":            "Button",
	"edit":              "Edited message",
	"gif":               "GIF",
	"group_invite":      "Group invitation",
	"hsm":               "Template",
	"image":             "Image",
	"interactive":       "Interactive message",
	"keep_in_chat":      "Kept message",
	"link_preview":      "Link preview",
	"list":              "List",
	"location":          "Location",
	"media_placeholder": "File",
	"order":             "Order",
	"pin":               "Pinned message",
	"poll_creation":     "Poll",
	"poll_update":       "Vote in a poll",
	"product":           "Product",
	"reaction":          "Reaction",
}

// unsupportedError says why a message is not handed over, where its error code tells.
var unsupportedError = map[number]string{
	131052: "The customer sent a file that WhatsApp could not hand over.",
	131060: "This message is not available here. It can be read on the phone.",
}

// unsupportedText is what a person can read about a message whose content is missing; "" where nothing
// is known.
func (m *messageContent) unsupportedText() string {
	words := unsupportedWords[m.Unsupported.value.Type]
	if words == "" && m.Type != "interactive" && m.Type != "button" {
		words = unsupportedWords[m.Type]
	}
	for _, e := range m.Errors {
		if why := unsupportedError[e.Code]; why != "" {
			return joined(": ", words, why)
		}
	}
	return words
}

// formText gives the answers of a flow, one to a line. The token that comes with them is a secret.
func formText(response string) string {
	dec := jsontext.NewDecoder(strings.NewReader(response), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if token, err := dec.ReadToken(); err != nil || token.Kind() != '{' {
		return ""
	}
	var lines []string
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			break
		}
		field := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			break
		}
		if answer := formValue(bytes.Clone(value)); answer != "" && field != "flow_token" {
			lines = append(lines, field+": "+answer)
		}
	}
	return strings.Join(lines, "\n")
}

// formValue writes an answer as people do: a list with commas, anything deeper as JSON.
func formValue(value jsontext.Value) string {
	switch value.Kind() {
	case 'n':
		return ""
	case '"', '0':
		var t text
		_ = decode(value, &t)
		return string(t)
	case '[':
		var items []text
		if decode(value, &items) == nil {
			parts := make([]string, len(items))
			for i, item := range items {
				parts[i] = string(item)
			}
			return joined(", ", parts...)
		}
	}
	_ = value.Compact()
	return string(value)
}
