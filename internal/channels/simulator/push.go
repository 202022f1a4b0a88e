package simulator

import (
	"cmp"
	"encoding/json"
	"maps"
	"strconv"
	"strings"
)

// value returns the fields that all webhooks of a number have.
func (n *number) value() map[string]any {
	return map[string]any{
		"messaging_product": "whatsapp",
		"metadata":          map[string]any{"display_phone_number": n.Phone, "phone_number_id": n.ID},
	}
}

// emit sends a webhook to the subscriber.
func (s *Simulator) emit(n *number, field string, value any) {
	if t, ok := s.target(n); ok {
		s.emitter.add(update{target: t, waba: n.WABAID, field: field, value: value})
	}
}

// target returns the address of the number, of the account or of the app, in Meta's order of precedence.
func (s *Simulator) target(n *number) (target, bool) {
	a := s.accounts[n.WABAID]
	t := target{url: cmp.Or(n.override, a.override, n.CallbackURL), secret: cmp.Or(n.AppSecret, s.options.AppSecret)}
	return t, a.subscribed && t.url != ""
}

// Push sends a webhook for any field: history, groups, templates, account updates. Metadata is added where
// the field has it and the value does not.
func (s *Simulator) Push(numberID, field string, value json.RawMessage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.numberOrFirst(numberID)
	if err != nil {
		return err
	}
	var object map[string]any
	if err := json.Unmarshal(value, &object); err != nil {
		return err
	}
	account := strings.HasPrefix(field, "account_") || strings.HasPrefix(field, "message_template_")
	if _, has := object["metadata"]; !has && !account {
		maps.Copy(object, n.value())
	}
	s.emit(n, field, object)
	return nil
}

// PushRaw sends a signed webhook with exactly this body.
func (s *Simulator) PushRaw(numberID string, body []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.numberOrFirst(numberID)
	if err != nil {
		return err
	}
	if t, ok := s.target(n); ok {
		s.emitter.addRaw(t, body)
	}
	return nil
}

// ChangeNumber moves a customer to another phone number and user id.
func (s *Simulator) ChangeNumber(numberID, from, to string) (Customer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.numberOrFirst(numberID)
	if err != nil {
		return Customer{}, err
	}
	before, after := s.customer(strings.TrimPrefix(from, "+")), s.customer(strings.TrimPrefix(to, "+"))
	after.Name, after.Username, after.HidePhone = before.Name, before.Username, before.HidePhone
	value := n.value()
	value["messages"] = []any{map[string]any{
		"id": s.wamid(after.WAID, inbound), "from": before.WAID, "from_user_id": before.UserID,
		"timestamp": strconv.FormatInt(s.now().Unix(), 10), "type": "system",
		"system": map[string]any{
			"type": "user_changed_number", "body": "User changed from " + before.WAID + " to " + after.WAID,
			"wa_id": after.WAID, "user_id": after.UserID, "previous_user_id": before.UserID,
		},
	}}
	s.emit(n, "messages", value)
	return *after, nil
}
