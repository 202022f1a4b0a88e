package whatsapp

import (
	"cmp"
	"regexp"
	"strings"

	"recado/internal/channels/provider"
	"recado/internal/phone"
)

type contact struct {
	WAID    text                 `json:"wa_id"`
	UserID  text                 `json:"user_id"`
	Profile lenient[userProfile] `json:"profile"`
	// Username is set in threads of history.
	Username text `json:"username"`
}

type userProfile struct {
	Name     text `json:"name"`
	Username text `json:"username"`
}

type systemContent struct {
	Type           text `json:"type"`
	Body           text `json:"body"`
	WAID           text `json:"wa_id"`
	NewWAID        text `json:"new_wa_id"`
	UserID         text `json:"user_id"`
	PreviousUserID text `json:"previous_user_id"`
}

type userIDUpdate struct {
	WAID    text   `json:"wa_id"`
	At      moment `json:"timestamp"`
	UserIDs struct {
		Previous text `json:"previous"`
		Current  text `json:"current"`
	} `json:"user_id"`
}

type stateSync struct {
	Type    text `json:"type"`
	Action  text `json:"action"`
	Contact lenient[struct {
		FullName  text `json:"full_name"`
		FirstName text `json:"first_name"`
		Phone     text `json:"phone_number"`
		UserID    text `json:"user_id"`
		Username  text `json:"username"`
	}] `json:"contact"`
	Metadata lenient[struct {
		Timestamp moment `json:"timestamp"`
	}] `json:"metadata"`
}

// userID matches the ids of a person for one business.
var userID = regexp.MustCompile(`^[A-Z]{2}\.(ENT\.)?[0-9A-Za-z]{1,128}$`)

// person returns the person with an address and a user id. Meta sometimes sends the user id as the address.
func person(address, id text) provider.Person {
	p := provider.Person{UserID: string(id)}
	switch a := strings.TrimPrefix(string(address), "+"); {
	case userID.MatchString(a):
		p.UserID = cmp.Or(p.UserID, a)
	case e164(a) == "+"+a:
		p.WAID, p.Phone = a, "+"+a
	case strings.Trim(a, "0123456789") == "":
		p.WAID = a
	}
	return p
}

// complete adds the missing identifiers of a person.
func complete(p *provider.Person, from provider.Person) {
	if p.WAID == "" {
		p.WAID, p.Phone = from.WAID, from.Phone
	}
	p.UserID = cmp.Or(p.UserID, from.UserID)
}

// customer returns the author of a message or, if the team sent it from the phone, its receiver.
func (p *parser) customer(m message, from origin) provider.Person {
	who := person(m.From, m.FromUser)
	if from.echo {
		who = person(m.To, m.ToUser)
	}
	if from.thread != nil {
		complete(&who, person(from.thread.WAID, from.thread.UserID))
		who.Username = string(from.thread.Username)
	}
	if c, ok := p.contactOf(who, from); ok {
		complete(&who, person(c.WAID, c.UserID))
		who.Name, who.Username = string(c.Profile.value.Name), string(c.Profile.value.Username)
	}
	return who
}

// isOurs reports whether the number itself sent a message. Meta may write the number in another way than in the metadata, and
// leaves it out of imported history.
func (p *parser) isOurs(m message) bool {
	if m.From == "" {
		return m.FromMe.value
	}
	business := e164(string(p.value.Metadata.value.DisplayPhone))
	return business != "" && phone.Key(e164(string(m.From))) == phone.Key(business)
}

// sharedNumber returns the number that a person shared on request.
func (m *message) sharedNumber() provider.Person {
	for _, card := range m.Contacts {
		if m.Origin != contactRequest && card.Origin != contactRequest {
			continue
		}
		for _, p := range card.numbers() {
			if who := person(cmp.Or(p.WAID, text(e164(string(p.Phone)))), ""); who.WAID != "" {
				return who
			}
		}
	}
	return provider.Person{}
}

// contactRequest is the origin of a card that a customer sent on request.
const contactRequest = "contact_request"

// contactOf returns the entry of contacts[] for a person. WhatsApp may write a number in two ways within one callback, so
// numbers are compared by phone.Key. A single entry belongs to the author of a single message, unless the user ids differ.
func (p *parser) contactOf(who provider.Person, from origin) (contact, bool) {
	for _, c := range p.value.Contacts {
		known := person(c.WAID, c.UserID)
		if known.WAID != "" && who.WAID != "" && phone.Key(known.WAID) == phone.Key(who.WAID) ||
			known.UserID != "" && known.UserID == who.UserID {
			return c, true
		}
	}
	if len(p.value.Contacts) != 1 || len(p.value.Messages)+len(p.value.Echoes) > 1 || from.thread != nil {
		return contact{}, false
	}
	only := p.value.Contacts[0]
	other := only.UserID != "" && who.UserID != "" && string(only.UserID) != who.UserID
	return only, !other
}

// system parses a change of number or user id. Other system messages, such as a new security code, become notices.
func (p *parser) system(m message, raw []byte) {
	s := m.System.value
	who := person(cmp.Or(s.WAID, s.NewWAID), s.UserID)
	previous := person(m.From, m.FromUser)
	if previous.WAID != who.WAID {
		who.PreviousWAID = previous.WAID
	}
	switch {
	case s.PreviousUserID != "":
		who.PreviousUserID = string(s.PreviousUserID)
	case previous.UserID != who.UserID:
		who.PreviousUserID = previous.UserID
	}
	number := s.Type == "user_changed_number" || s.Type == "customer_changed_number"
	if s.Type == "user_changed_user_id" && who.PreviousUserID == "" && who.PreviousWAID == "" {
		who.PreviousUserID = previousUserID(string(s.Body), who.UserID)
	}
	if !number && s.Type != "user_changed_user_id" || who.IsZero() || who.PreviousWAID == "" && who.PreviousUserID == "" {
		p.notice("system", string(s.Type), raw)
		return
	}
	p.add(provider.Incoming{Identity: &provider.IncomingIdentity{Person: who, At: m.Timestamp.Time}})
}

// previousUserID returns the user id in the text of a change that is not the new one.
func previousUserID(body, current string) string {
	for _, word := range strings.FieldsFunc(body, func(r rune) bool { return strings.ContainsRune(" ,\n\"", r) }) {
		if word = strings.TrimRight(word, "."); word != current && userID.MatchString(word) {
			return word
		}
	}
	return ""
}

func (p *parser) userIDUpdate(u userIDUpdate) {
	if u.UserIDs.Previous == "" || u.UserIDs.Current == "" {
		return
	}
	who := person(u.WAID, u.UserIDs.Current)
	who.PreviousUserID = string(u.UserIDs.Previous)
	p.add(provider.Incoming{Identity: &provider.IncomingIdentity{Person: who, At: u.At.Time}})
}

// stateSync parses a change of the address book of the phone.
func (p *parser) stateSync(s stateSync) {
	c := s.Contact.value
	who := person(c.Phone, c.UserID)
	who.Name, who.Username = string(cmp.Or(c.FullName, c.FirstName)), string(c.Username)
	if s.Type != "contact" || s.Action != "add" && s.Action != "remove" || who.IsZero() {
		p.notice(p.field, joined(" ", string(s.Action), string(s.Type)), nil)
		return
	}
	p.add(provider.Incoming{Identity: &provider.IncomingIdentity{
		Person: who, At: s.Metadata.value.Timestamp.Time, AddressBook: true, Removed: s.Action == "remove",
	}})
}
