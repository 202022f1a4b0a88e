package provider

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Interactive is a message that offers a choice: up to three buttons, or a list. Exactly one of Buttons and List is set.
type Interactive struct {
	Body    string           `json:"body"`
	Header  *string          `json:"header"`
	Footer  *string          `json:"footer"`
	Buttons Choices          `json:"buttons" nullable:"true" doc:"The buttons; null if the message has a list."`
	List    *InteractiveList `json:"list" doc:"The list; null if the message has buttons."`
}

// InteractiveList is a list of rows behind a button.
type InteractiveList struct {
	Button   string               `json:"button"`
	Sections []InteractiveSection `json:"sections"`
}

// InteractiveSection is a part of a list.
type InteractiveSection struct {
	Title *string          `json:"title"`
	Rows  []InteractiveRow `json:"rows"`
}

// InteractiveRow is one option of a list.
type InteractiveRow struct {
	ID          string  `json:"id"`
	Title       string  `json:"title"`
	Description *string `json:"description"`
}

// Choice is a button, or the option that a customer chose.
type Choice struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// Choices are the buttons of a message. Nil, which is null in JSON, means that the message has a list.
type Choices []Choice

// MarshalJSONTo writes null for nil.
func (c Choices) MarshalJSONTo(enc *jsontext.Encoder) error {
	return json.MarshalEncode(enc, []Choice(c), json.FormatNilSliceAsNull(true))
}

// Text returns the message as plain text: header, body and footer, then each choice on a separate line.
func (i *Interactive) Text() string {
	var lines []string
	add := func(parts ...*string) {
		for _, part := range parts {
			if part != nil && *part != "" {
				lines = append(lines, *part)
			}
		}
	}
	add(i.Header, &i.Body, i.Footer)
	for _, b := range i.Buttons {
		lines = append(lines, "- "+b.Title)
	}
	if i.List == nil {
		return strings.Join(lines, "\n")
	}
	for _, section := range i.List.Sections {
		add(section.Title)
		for _, row := range section.Rows {
			line := "- " + row.Title
			if row.Description != nil && *row.Description != "" {
				line += ": " + *row.Description
			}
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
