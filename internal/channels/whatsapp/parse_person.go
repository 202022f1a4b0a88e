package whatsapp

import (
	"regexp"
	"strings"

	"recado/internal/channels/provider"
	"recado/internal/phone"
)

type contact struct {
	WAID    text                 `json:"wa_id"`
	UserID  text                 `json:"user_id"`
	Profile lenient[userProfile] `json:"profile"`
	// A thread of history names the person directly.
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

// userID matches the ids that Meta gives a person towards one business.
var userID = regexp.MustCompile(`^[A-Z]{2}\.(ENT\.)?[0-9A-Za-z]{1,128}$`)

// person makes one of an address and a user id. Meta has been seen to put the latter in the place of
// the former.
func person(address, id text) provider.Person {
	var p provider.Person
	p.UserID = string(id)
	switch a := strings.TrimPrefix(string(address), "+"); {
	case userID.MatchString(a):
		if p.UserID == "" {
			p.UserID = a
		}
	case e164(a) == "+"+a:
		p.WAID, p.Phone = a, "+"+a
	case strings.Trim(a, "0123456789") == "":
		p.WAID = a
	}
	return p
}

// customer finds who wrote a message or, for one typed on the phone, who it was for.
func (p *parser) customer(m message, from origin) provider.Person {
	who := person(m.From, m.FromUser)
	if from.echo {
		who = person(m.To, m.ToUser)
	}
	if from.thread != nil {
		t := person(from.thread.WAID, from.thread.UserID)
		if who.WAID == "" {
			who.WAID, who.Phone = t.WAID, t.Phone
		}
		if who.UserID == "" {
			who.UserID = t.UserID
		}
		who.Username = string(from.thread.Username)
	}
	if c, ok := p.contactOf(who, from); ok {
		known := person(c.WAID, c.UserID)
		if who.WAID == "" {
			who.WAID, who.Phone = known.WAID, known.Phone
		}
		if who.UserID == "" {
			who.UserID = known.UserID
		}
		who.Name, who.Username = string(c.Profile.value.Name), string(c.Profile.value.Username)
	}
	return who
}

// isOurs reports whether the number itself wrote a message: Meta may spell it in another way than in the metadata, and
// leaves it out of imported history.
func (p *parser) isOurs(m message) bool {
	if m.From == "" {
		return m.FromMe.value
	}
	business := e164(string(p.value.Metadata.value.DisplayPhone))
	return business != "" && phone.Key(e164(string(m.From))) == phone.Key(business)
}

// sharedNumber is the number of a person who was asked for it and shared it.
func (m *message) sharedNumber() provider.Person {
	for _, card := range m.Contacts {
		if m.Origin != contactRequest && card.Origin != contactRequest {
			continue
		}
		for _, p := range card.numbers() {
			address := p.WAID
			if address == "" {
				address = text(e164(string(p.Phone)))
			}
			if who := person(address, ""); who.WAID != "" {
				return who
			}
		}
	}
	return provider.Person{}
}

// contactRequest is the origin of a card that answers a request for the customer's own number.
const contactRequest = "contact_request"

// contactOf finds the entry of contacts[] that belongs to a person. WhatsApp may spell the number in two
// ways within one callback, so numbers are compared by what they reach; the only entry is that of the only
// message's person unless another user id contradicts.
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

// system reads a change of number or of user id. Other kinds, such as a new security code, do
// not change the identity of a person.
func (p *parser) system(m message, raw []byte) {
	s := m.System.value
	address := s.WAID
	if address == "" {
		address = s.NewWAID
	}
	who := person(address, s.UserID)
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

// previousUserID finds, in the sentence that tells of a change, the user id that is not the new one.
func previousUserID(body, current string) string {
	for _, word := range strings.FieldsFunc(body, func(r rune) bool { return r == ' ' || r == ',' || r == '\n' || r == '"' }) {
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

// stateSync reads the address book of the phone. A person removed there stays a contact.
func (p *parser) stateSync(s stateSync) {
	c := s.Contact.value
	who := person(c.Phone, c.UserID)
	who.Name, who.Username = string(c.FullName), string(c.Username)
	if who.Name == "" {
		who.Name = string(c.FirstName)
	}
	if s.Type != "contact" || s.Action != "add" && s.Action != "remove" || who.IsZero() {
		p.notice(p.field, joined(" ", string(s.Action), string(s.Type)), nil)
		return
	}
	p.add(provider.Incoming{Identity: &provider.IncomingIdentity{
		Person: who, At: s.Metadata.value.Timestamp.Time, AddressBook: true, Removed: s.Action == "remove",
	}})
}
