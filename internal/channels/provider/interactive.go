package provider

import (
	"strings"

	"recado/internal/kernel"
)

// Interactive is a message that offers a choice: up to three buttons, or a list. Exactly one of Buttons and List is set.
type Interactive struct {
	Body    string           `json:"body"`
	Header  *string          `json:"header"`
	Footer  *string          `json:"footer"`
	Buttons []Choice         `json:"buttons" nullable:"true" doc:"Null where the message has a list."`
	List    *InteractiveList `json:"list" doc:"Null where the message has buttons."`
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

// InteractiveRow is one of the things to choose from.
type InteractiveRow struct {
	ID          string  `json:"id"`
	Title       string  `json:"title"`
	Description *string `json:"description"`
}

// Choice is a button, or what a customer chose.
type Choice struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// Text renders the message for people: header, body and footer, then each choice on a line of its own.
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

// AppendJSON writes the offer, or null.
func (i *Interactive) AppendJSON(b []byte) []byte {
	if i == nil {
		return append(b, "null"...)
	}
	b = kernel.AppendString(append(b, `{"body":`...), i.Body)
	b = kernel.AppendNullString(append(b, `,"header":`...), i.Header)
	b = kernel.AppendNullString(append(b, `,"footer":`...), i.Footer)
	b = append(b, `,"buttons":`...)
	if i.Buttons == nil {
		b = append(b, "null"...)
	} else {
		b = appendEach(b, i.Buttons, (*Choice).AppendJSON)
	}
	b = append(b, `,"list":`...)
	if i.List == nil {
		return append(b, "null}"...)
	}
	b = kernel.AppendString(append(b, `{"button":`...), i.List.Button)
	b = appendEach(append(b, `,"sections":`...), i.List.Sections, (*InteractiveSection).AppendJSON)
	return append(b, "}}"...)
}

// AppendJSON writes the section.
func (s *InteractiveSection) AppendJSON(b []byte) []byte {
	b = kernel.AppendNullString(append(b, `{"title":`...), s.Title)
	b = appendEach(append(b, `,"rows":`...), s.Rows, (*InteractiveRow).AppendJSON)
	return append(b, '}')
}

// AppendJSON writes the row.
func (r *InteractiveRow) AppendJSON(b []byte) []byte {
	b = kernel.AppendString(append(b, `{"id":`...), r.ID)
	b = kernel.AppendString(append(b, `,"title":`...), r.Title)
	return append(kernel.AppendNullString(append(b, `,"description":`...), r.Description), '}')
}

// AppendJSON writes the choice, or null.
func (c *Choice) AppendJSON(b []byte) []byte {
	if c == nil {
		return append(b, "null"...)
	}
	b = kernel.AppendString(append(b, `{"id":`...), c.ID)
	return append(kernel.AppendString(append(b, `,"title":`...), c.Title), '}')
}

// appendEach writes a list.
func appendEach[T any](b []byte, all []T, write func(*T, []byte) []byte) []byte {
	b = append(b, '[')
	for i := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = write(&all[i], b)
	}
	return append(b, ']')
}
