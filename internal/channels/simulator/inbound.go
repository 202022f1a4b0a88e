package simulator

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Inbound is a message from a customer or, as an echo, one typed on the phone of the business.
type Inbound struct {
	Number string `json:"number,omitempty"` // id of the number of the business; the first when empty
	// Customer is the phone number of the sender or, for an echo, of the recipient.
	Customer string `json:"customer"`
	Name     string `json:"name,omitempty"`
	Type     string `json:"type,omitempty"` // text when empty; image, document and so on for a file
	Text     string `json:"text,omitempty"` // the text or the caption
	File     *File  `json:"file,omitempty"`
	// Payload is the object named after the type. It takes precedence over Text.
	Payload json.RawMessage `json:"payload,omitempty"`
	// Extra is merged into the message, for example referral or errors.
	Extra map[string]any `json:"extra,omitempty"`
	// Press is the text of a quick reply that the customer presses, of the template ReplyTo or else of the last one that the
	// customer got. The payload is the one that it was sent with, or the text.
	Press   string    `json:"press,omitempty"`
	ReplyTo string    `json:"reply_to,omitempty"`
	Group   string    `json:"group,omitempty"`
	ID      string    `json:"id,omitempty"` // the message id; a new one when empty
	At      time.Time `json:"at,omitzero"`
}

// received is a message that was reported to the business.
type received struct {
	number   string
	customer string
	echo     bool
	read     bool
}

// Receive simulates messages from customers. It returns their ids; the webhooks are sent in the background.
func (s *Simulator) Receive(messages ...Inbound) ([]string, error) {
	return s.inject(messages, false)
}

// Echo simulates messages typed on the phone of the business.
func (s *Simulator) Echo(messages ...Inbound) ([]string, error) {
	return s.inject(messages, true)
}

func (s *Simulator) inject(messages []Inbound, echo bool) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []string
	for _, in := range messages {
		n, err := s.numberOrFirst(in.Number)
		if err != nil {
			return ids, err
		}
		digits := strings.TrimPrefix(in.Customer, "+")
		if !isPhone(digits) {
			return ids, fmt.Errorf("%q is not a phone number", in.Customer)
		}
		c := s.customer(digits)
		if in.Name != "" {
			c.Name = in.Name
		}
		if in.At.IsZero() {
			in.At = s.now()
		}
		if in.ID == "" {
			in.ID = s.wamid(c.WAID, inbound)
		}
		if in.Press != "" {
			s.press(n, c, &in)
		}
		m, err := s.messageObject(n, c, in, echo)
		if err != nil {
			return ids, err
		}
		if !echo && in.Type != "reaction" && in.At.After(n.lastSeen[c.WAID]) {
			n.lastSeen[c.WAID] = in.At
		}
		if in.Group != "" {
			s.groups[in.Group] = true
		}
		s.inbound[in.ID] = received{number: n.ID, customer: c.WAID, echo: echo}
		s.sendMessage(n, c, m, echo)
		ids = append(ids, in.ID)
	}
	return ids, nil
}

// press makes a message the quick reply that it presses.
func (s *Simulator) press(n *number, c *Customer, in *Inbound) {
	payload := in.Press
	for _, m := range slices.Backward(s.ledger) {
		isOther := in.ReplyTo != "" && m.ID != in.ReplyTo
		if m.Number != n.ID || m.WAID != c.WAID && m.UserID != c.UserID || m.Type != "template" || isOther {
			continue
		}
		in.ReplyTo = m.ID
		var sent struct {
			Template templateMessage `json:"template"`
		}
		_ = json.Unmarshal(m.Body, &sent)
		i := s.quickReply(n, &sent.Template, in.Press)
		for _, component := range sent.Template.Components {
			if strings.EqualFold(component.SubType, "quick_reply") && component.Index == strconv.Itoa(i) && len(component.Parameters) == 1 {
				payload = component.Parameters[0].Payload
			}
		}
		break
	}
	in.Type, in.Payload = "button", json.RawMessage(`{"payload":`+strconv.Quote(payload)+`,"text":`+strconv.Quote(in.Press)+`}`)
}

// quickReply returns the position of a button of a template, or -1.
func (s *Simulator) quickReply(n *number, m *templateMessage, text string) int {
	for _, t := range s.templates {
		if t.Name != m.Name || t.Language != m.Language.Code || t.WABAID != "" && t.WABAID != n.WABAID {
			continue
		}
		for _, raw := range t.Components {
			var c struct {
				Buttons []struct {
					Text string `json:"text"`
				} `json:"buttons"`
			}
			_ = json.Unmarshal(raw, &c)
			for i, b := range c.Buttons {
				if b.Text == text {
					return i
				}
			}
		}
	}
	return -1
}

// messageObject returns the message object of a webhook.
func (s *Simulator) messageObject(n *number, c *Customer, in Inbound, echo bool) (map[string]any, error) {
	in.Type = cmp.Or(in.Type, "text")
	m := map[string]any{"id": in.ID, "timestamp": strconv.FormatInt(in.At.Unix(), 10), "type": in.Type}
	switch {
	case len(in.Payload) > 0:
		if !json.Valid(in.Payload) {
			return nil, errors.New("the payload is not JSON")
		}
		m[in.Type] = in.Payload
	case in.File != nil:
		m[in.Type] = s.fileObject(n, in)
	case in.Type == "text":
		m["text"] = map[string]any{"body": in.Text}
	}
	if in.ReplyTo != "" {
		m["context"] = s.replyContext(n, in.ReplyTo)
	}
	if in.Group != "" {
		m["group_id"] = in.Group
	}
	maps.Copy(m, in.Extra)
	if echo {
		m["from"], m["to_user_id"] = n.Phone, c.UserID
		if !c.HidePhone {
			m["to"] = c.WAID
		}
		return m, nil
	}
	m["from_user_id"] = c.UserID
	if !c.HidePhone {
		m["from"] = c.WAID
	}
	return m, nil
}

// replyContext names the quoted message and its author. An unknown message counts as written by the business;
// a customer who hides the phone number is not named.
func (s *Simulator) replyContext(n *number, id string) map[string]any {
	quoted, known := s.inbound[id]
	if !known || quoted.echo {
		return map[string]any{"from": n.Phone, "id": id}
	}
	author := s.customers[quoted.customer]
	if author == nil || author.HidePhone {
		return map[string]any{"id": id}
	}
	return map[string]any{"from": author.WAID, "id": id}
}

func (s *Simulator) fileObject(n *number, in Inbound) map[string]any {
	f := s.store(n.ID, in.File.MimeType, in.File.Name, in.File.Bytes, inboundLife)
	sum := sha256.Sum256(f.bytes)
	object := map[string]any{"id": f.id, "mime_type": f.mimeType, "sha256": base64.StdEncoding.EncodeToString(sum[:])}
	if in.Text != "" {
		object["caption"] = in.Text
	}
	switch in.Type {
	case "document":
		object["filename"] = f.name
	case "audio":
		object["voice"] = in.File.Voice
	case "sticker":
		object["animated"] = false
	}
	return object
}

// sendMessage sends a webhook with a message object.
func (s *Simulator) sendMessage(n *number, c *Customer, m map[string]any, echo bool) {
	value := n.value()
	contact := map[string]any{"user_id": c.UserID, "profile": c.profile(!echo)}
	if !c.HidePhone {
		contact["wa_id"] = c.WAID
	}
	value["contacts"] = []any{contact}
	if echo {
		value["message_echoes"] = []any{m}
		s.emit(n, "smb_message_echoes", value)
		return
	}
	value["messages"] = []any{m}
	s.emit(n, "messages", value)
}

func (c *Customer) profile(named bool) map[string]any {
	profile := map[string]any{}
	if named && c.Name != "" {
		profile["name"] = c.Name
	}
	if c.Username != "" {
		profile["username"] = c.Username
	}
	return profile
}

// Edit changes the text of a message that was received or echoed.
func (s *Simulator) Edit(id, text string) (string, error) {
	return s.amend(id, "edit", map[string]any{
		"original_message_id": id,
		"message":             map[string]any{"type": "text", "text": map[string]any{"body": text}},
	})
}

// Revoke deletes a message that was received or echoed, for everyone.
func (s *Simulator) Revoke(id string) (string, error) {
	return s.amend(id, "revoke", map[string]any{"original_message_id": id})
}

func (s *Simulator) amend(id, kind string, content any) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	original, ok := s.inbound[id]
	if !ok {
		return "", fmt.Errorf("no message %s was received", id)
	}
	payload, err := json.Marshal(content)
	if err != nil {
		return "", err
	}
	n, c := s.numbers[original.number], s.customers[original.customer]
	in := Inbound{ID: s.wamid(c.WAID, inbound), At: s.now(), Type: kind, Payload: payload}
	m, err := s.messageObject(n, c, in, original.echo)
	if err != nil {
		return "", err
	}
	s.sendMessage(n, c, m, original.echo)
	return in.ID, nil
}

// WasRead reports whether the business marked a received message as read.
func (s *Simulator) WasRead(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inbound[id].read
}
