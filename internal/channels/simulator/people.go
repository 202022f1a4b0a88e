package simulator

import (
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"strings"
)

// Customer is a person on WhatsApp. One is created for every phone number on first use.
type Customer struct {
	WAID          string `json:"wa_id"`
	UserID        string `json:"user_id"`
	Name          string `json:"name,omitempty"`
	Username      string `json:"username,omitempty"`
	HidePhone     bool   `json:"hide_phone,omitempty"` // webhooks contain only the user id
	NotOnWhatsApp bool   `json:"not_on_whatsapp,omitempty"`
}

// SetCustomer changes the customer with a phone number and returns the result.
func (s *Simulator) SetCustomer(phone string, change func(*Customer)) Customer {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.customer(strings.TrimPrefix(phone, "+"))
	change(c)
	s.userIDs[c.UserID] = c.WAID
	return *c
}

// customer returns the customer with a phone number, creating it on first use.
func (s *Simulator) customer(digits string) *Customer {
	address, reachable := digits, true
	if mobile := len(digits) == 13 && strings.HasPrefix(digits, "55") && digits[4] == '9'; mobile {
		switch s.options.Brazil {
		case "drop":
			address = digits[:4] + digits[5:]
		case "refuse":
			reachable = false
		}
	}
	c := s.customers[address]
	if c == nil {
		c = &Customer{WAID: address, UserID: userID(address), NotOnWhatsApp: !reachable}
		s.customers[address], s.userIDs[c.UserID] = c, address
	}
	return c
}

// userID returns the id that identifies a customer whose number is hidden.
func userID(address string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(address))
	country := "US"
	if strings.HasPrefix(address, "55") {
		country = "BR"
	}
	return fmt.Sprintf("%s.%016d", country, h.Sum64()%1e16)
}

const (
	outbound = 0x11
	inbound  = 0x12
)

// wamid returns a new message id in Meta's format.
func (s *Simulator) wamid(address string, direction byte) string {
	unique := fmt.Sprintf("%06X%012X", s.options.Seed&0xffffff, s.nextID())
	if direction == inbound {
		unique = "3A" + unique
	}
	b := append([]byte{0x1c, 0x18, byte(len(address))}, address...)
	b = append(b, 0x15, 0x02, 0x00, direction, 0x18, byte(len(unique)))
	b = append(b, unique...)
	return "wamid." + base64.StdEncoding.EncodeToString(append(b, 0))
}

// phoneDigits removes the characters that Graph ignores in a phone number.
func phoneDigits(text string) string { return phoneMarks.Replace(text) }

var phoneMarks = strings.NewReplacer("+", "", "-", "", "(", "", ")", "", " ", "")

func isPhone(digits string) bool {
	return len(digits) >= 7 && len(digits) <= 15 && strings.Trim(digits, "0123456789") == ""
}
