package provider

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"recado/internal/kernel"
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

// WhatsApp's limits for interactive messages.
const (
	maxButtons     = 3
	maxRows        = 10
	maxButtonBody  = 1024
	maxTitle       = 20 // of a button, and of the one that opens a list
	maxButtonID    = 256
	maxRowID       = 200
	maxRowTitle    = 24
	maxDescription = 72
	maxHeader      = 60
)

// Check validates buttons and lists against WhatsApp's limits. field is their name in the request.
func (i *Interactive) Check(field string) *kernel.Error {
	if (i.Buttons == nil) == (i.List == nil) {
		return kernel.ExactlyOne(field, "buttons", "list")
	}
	most := maxButtonBody
	if i.List != nil {
		most = MaxText
	}
	_, invalid := kernel.Text(field+".body", i.Body, most)
	invalid = cmp.Or(invalid, checkLine(field+".header", i.Header, maxHeader), checkLine(field+".footer", i.Footer, maxHeader))
	switch {
	case invalid != nil:
		return invalid
	case i.List != nil:
		return checkList(field+".list", i.List)
	}
	return checkButtons(field+".buttons", i.Buttons)
}

func checkButtons(field string, buttons []Choice) *kernel.Error {
	if len(buttons) < 1 || len(buttons) > maxButtons {
		return kernel.Count(field, 1, maxButtons)
	}
	for i, b := range buttons {
		at := kernel.Indexed(field, i)
		if invalid := checkChoice(at, b.ID, maxButtonID, b.Title, maxTitle); invalid != nil {
			return invalid
		}
		if slices.ContainsFunc(buttons[:i], func(o Choice) bool { return o.ID == b.ID }) {
			return kernel.Duplicate(at+".id", "two buttons have the same id")
		}
		if slices.ContainsFunc(buttons[:i], func(o Choice) bool { return o.Title == b.Title }) {
			return kernel.Duplicate(at+".title", "two buttons have the same title")
		}
	}
	return nil
}

func checkList(field string, list *InteractiveList) *kernel.Error {
	if invalid := checkLine(field+".button", &list.Button, maxTitle); invalid != nil {
		return invalid
	}
	if len(list.Sections) == 0 {
		return kernel.TooFew(field+".sections", 1)
	}
	var ids []string
	for i, section := range list.Sections {
		at := kernel.Indexed(field+".sections", i)
		switch {
		case section.Title == nil && len(list.Sections) > 1:
			return kernel.Invalid(at+".title", kernel.RuleRequired, "is required when there are several sections")
		case len(section.Rows) == 0:
			return kernel.TooFew(at+".rows", 1)
		}
		if invalid := checkLine(at+".title", section.Title, maxRowTitle); invalid != nil {
			return invalid
		}
		for k, row := range section.Rows {
			at := kernel.Indexed(at+".rows", k)
			invalid := cmp.Or(checkChoice(at, row.ID, maxRowID, row.Title, maxRowTitle),
				checkLine(at+".description", row.Description, maxDescription))
			if invalid != nil {
				return invalid
			}
			if slices.Contains(ids, row.ID) {
				return kernel.Duplicate(at+".id", "two rows have the same id")
			}
			if ids = append(ids, row.ID); len(ids) > maxRows {
				return kernel.Invalid(field+".sections", kernel.RuleTooMany,
					fmt.Sprintf("must have at most %d rows in all sections together", maxRows), kernel.Params{"max": maxRows})
			}
		}
	}
	return nil
}

func checkChoice(field, id string, mostID int, title string, mostTitle int) *kernel.Error {
	_, invalid := kernel.Text(field+".id", id, mostID)
	return cmp.Or(invalid, checkLine(field+".title", &title, mostTitle))
}

// checkLine validates a line that may be absent.
func checkLine(field string, text *string, most int) *kernel.Error {
	if text == nil {
		return nil
	}
	_, invalid := kernel.Name(field, *text, most)
	return invalid
}
