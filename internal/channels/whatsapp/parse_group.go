package whatsapp

import (
	"cmp"
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

// subject is the name of a group: a string, or an object that also reports whether its change succeeded.
type subject string

// UnmarshalJSON leaves the subject empty if its change failed.
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

// maxSubject is the maximum length of a stored name of a group, in bytes. WhatsApp allows 128 characters.
const maxSubject = 512

// group parses an update of a group. Updates without a name become notices.
func (p *parser) group(raw []byte) {
	var g groupUpdate
	if decode(raw, &g) != nil {
		p.notice("group", "a group update of unknown shape", raw)
		return
	}
	id, name := cmp.Or(g.ID, g.OwnID), g.subject()
	if id == "" || name == "" || g.Type == "group_create" && len(g.Errors) > 0 {
		p.notice(p.field, string(g.Type), raw)
		return
	}
	p.add(provider.Incoming{Group: &provider.IncomingGroup{ID: string(id), Name: name, Created: g.Type == "group_create"}})
}

// subject returns the name of the group of a message.
func (m *message) subject() string {
	if m.Subject != "" {
		return clip(strings.TrimSpace(string(m.Subject)), maxSubject)
	}
	return m.Group.value.subject()
}

// findGroup sets the group of a message from other fields than group_id: the receiver of a message of the team, or the id of a
// thread of history.
func (p *parser) findGroup(m *message, from *origin) {
	m.GroupID = cmp.Or(m.GroupID, m.Group.value.ID, m.Group.value.OwnID)
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

// isGroup reports whether an address belongs to a group: it has more digits than a phone number, or the format of WhatsApp's
// apps.
func isGroup(address text) bool {
	if strings.HasSuffix(string(address), "@g.us") {
		return true
	}
	const longestPhone = 15
	return len(address) > longestPhone && strings.Trim(string(address), "0123456789") == ""
}
