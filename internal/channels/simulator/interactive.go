package simulator

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// interactiveMessage is a message with buttons or a list.
type interactiveMessage struct {
	Type   string `json:"type"`
	Header *struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"header"`
	Body   struct{ Text string }
	Footer *struct{ Text string }
	Action struct {
		Button  string `json:"button"`
		Buttons []struct {
			Type  string `json:"type"`
			Reply struct{ ID, Title string }
		} `json:"buttons"`
		Sections []struct {
			Title string
			Rows  []struct{ ID, Title, Description string }
		} `json:"sections"`
	} `json:"action"`
}

// checkInteractive checks Meta's limits for buttons and lists.
func checkInteractive(raw json.RawMessage) *graphFailure {
	var m interactiveMessage
	if json.Unmarshal(raw, &m) != nil {
		return refusal(131009, "interactive has the wrong shape")
	}
	lengths := lengthCheck{}
	lengths.add("interactive.body.text", m.Body.Text, 1, 4096)
	if m.Footer != nil {
		lengths.add("interactive.footer.text", m.Footer.Text, 1, 60)
	}
	if m.Header != nil && m.Header.Type == "text" {
		lengths.add("interactive.header.text", m.Header.Text, 1, 60)
	}
	switch m.Type {
	case "button":
		lengths.add("interactive.body.text", m.Body.Text, 1, 1024)
		m.buttons(&lengths)
	case "list":
		m.list(&lengths)
	case "":
		return refusal(131008, "interactive.type is required")
	}
	if lengths.wrong != "" {
		return refusal(131009, lengths.wrong)
	}
	return nil
}

func (m *interactiveMessage) buttons(lengths *lengthCheck) {
	if n := len(m.Action.Buttons); n < 1 || n > 3 {
		lengths.note("interactive.action.buttons must have 1 to 3 buttons")
	}
	ids, titles := map[string]bool{}, map[string]bool{}
	for _, b := range m.Action.Buttons {
		lengths.add("button id", b.Reply.ID, 1, 256)
		lengths.add("button title", b.Reply.Title, 1, 20)
		if ids[b.Reply.ID] || titles[b.Reply.Title] {
			lengths.note("button ids and titles must be unique")
		}
		ids[b.Reply.ID], titles[b.Reply.Title] = true, true
		if b.Type != "reply" {
			lengths.note("a button must have the type reply")
		}
	}
}

func (m *interactiveMessage) list(lengths *lengthCheck) {
	lengths.add("interactive.action.button", m.Action.Button, 1, 20)
	if n := len(m.Action.Sections); n < 1 || n > 10 {
		lengths.note("interactive.action.sections must have 1 to 10 sections")
	}
	if m.Header != nil && m.Header.Type != "text" {
		lengths.note("a list has a text header only")
	}
	ids := map[string]bool{}
	rows := 0
	for _, section := range m.Action.Sections {
		least := 0
		if len(m.Action.Sections) > 1 {
			least = 1
		}
		lengths.add("section title", section.Title, least, 24)
		for _, row := range section.Rows {
			rows++
			lengths.add("row id", row.ID, 1, 200)
			lengths.add("row title", row.Title, 1, 24)
			lengths.add("row description", row.Description, 0, 72)
			if ids[row.ID] {
				lengths.note("row ids must be unique")
			}
			ids[row.ID] = true
		}
	}
	if rows < 1 || rows > 10 {
		lengths.note("a list has 1 to 10 rows in all")
	}
}

// lengthCheck keeps the first error.
type lengthCheck struct{ wrong string }

func (c *lengthCheck) note(what string) {
	if c.wrong == "" {
		c.wrong = what
	}
}

func (c *lengthCheck) add(what, text string, least, most int) {
	if n := utf8.RuneCountInString(text); n < least || n > most {
		c.note(fmt.Sprintf("%s must have %d to %d characters", what, least, most))
	}
}
