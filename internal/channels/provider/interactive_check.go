package provider

import (
	"fmt"
	"slices"

	"recado/internal/kernel"
)

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
	if _, invalid := kernel.Text(field+".body", i.Body, most); invalid != nil {
		return invalid
	}
	if invalid := checkLine(field+".header", i.Header, maxHeader); invalid != nil {
		return invalid
	}
	if invalid := checkLine(field+".footer", i.Footer, maxHeader); invalid != nil {
		return invalid
	}
	if i.List != nil {
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
			if invalid := checkChoice(at, row.ID, maxRowID, row.Title, maxRowTitle); invalid != nil {
				return invalid
			}
			if invalid := checkLine(at+".description", row.Description, maxDescription); invalid != nil {
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
	if _, invalid := kernel.Text(field+".id", id, mostID); invalid != nil {
		return invalid
	}
	return checkLine(field+".title", &title, mostTitle)
}

// checkLine validates a line that may be absent.
func checkLine(field string, text *string, most int) *kernel.Error {
	if text == nil {
		return nil
	}
	_, invalid := kernel.Name(field, *text, most)
	return invalid
}
