package whatsapp

import (
	"strings"

	"recado/internal/channels/provider"
)

// groupUpdate is an element of groups[], or the group of a message.
type groupUpdate struct {
	ID         text             `json:"group_id"`
	OwnID      text             `json:"id"`
	Type       text             `json:"type"`
	Subject    subject          `json:"subject"`
	NewSubject subject          `json:"group_subject"`
	Name       text             `json:"name"`
	Errors     list[graphError] `json:"errors"`
}

// subject is the name of a group: a string, or an object that also says whether a change of it succeeded.
type subject string

// UnmarshalJSON leaves a change that failed empty.
func (s *subject) UnmarshalJSON(b []byte) error {
	var plain text
	if len(b) > 0 && b[0] == '"' {
		_ = decode(b, &plain)
	}
	change := struct {
		Text       text           `json:"text"`
		Successful *lenient[bool] `json:"update_successful"`
	}{}
	if len(b) > 0 && b[0] == '{' && decode(b, &change) == nil && (change.Successful == nil || change.Successful.value) {
		plain = change.Text
	}
	*s = subject(plain)
	return nil
}

func (g groupUpdate) subject() string {
	for _, name := range []string{string(g.NewSubject), string(g.Subject), string(g.Name)} {
		if name = strings.TrimSpace(name); name != "" {
			return clip(name, maxSubject)
		}
	}
	return ""
}

// maxSubject is the most that is kept of the name of a group, in bytes. WhatsApp allows 128 characters.
const maxSubject = 512

// group reads an update of a group. Only its name matters to the desk; everything else is a notice.
func (p *parser) group(raw []byte) {
	var g groupUpdate
	if decode(raw, &g) != nil {
		p.notice("group", "a group update of unknown shape", raw)
		return
	}
	id, name := g.ID, g.subject()
	if id == "" {
		id = g.OwnID
	}
	if id == "" || name == "" || g.Type == "group_create" && len(g.Errors) > 0 {
		p.notice(p.field, string(g.Type), raw)
		return
	}
	p.add(provider.Incoming{Group: &provider.IncomingGroup{ID: string(id), Name: name, Created: g.Type == "group_create"}})
}

// subject is the name that a message gives its group.
func (m *message) subject() string {
	if m.Subject != "" {
		return clip(strings.TrimSpace(string(m.Subject)), maxSubject)
	}
	return m.Group.value.subject()
}

// findGroup finds the group of a message that names it in another place than group_id: where the team's messages name their
// receiver, or in the id of a thread of history.
func (p *parser) findGroup(m *message, from *origin) {
	if m.GroupID == "" {
		m.GroupID = m.Group.value.ID
	}
	if m.GroupID == "" {
		m.GroupID = m.Group.value.OwnID
	}
	switch {
	case m.GroupID != "":
	case from.thread != nil && isGroup(from.thread.WAID):
		m.GroupID = from.thread.WAID
		from.thread = nil
	case from.echo && (m.Recipient == "group" || isGroup(m.To)):
		m.GroupID = m.To
	}
	if from.echo && m.GroupID != "" {
		m.To, m.ToUser = "", ""
	}
}

// isGroup reports whether an address is that of a group: more digits than a phone can have, or the form that WhatsApp's apps use.
func isGroup(address text) bool {
	if strings.HasSuffix(string(address), "@g.us") {
		return true
	}
	const longestPhone = 15
	return len(address) > longestPhone && strings.Trim(string(address), "0123456789") == ""
}
