package whatsapp

import (
	"regexp"
	"strings"

	"recado/internal/model"
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
func person(address, id text) model.Person {
	var p model.Person
	p.UserID = string(id)
	switch a := strings.TrimPrefix(string(address), "+"); {
	case userID.MatchString(a):
		if p.UserID == "" {
			p.UserID = a
		}
	case e164(a) == "+"+a:
		p.WAID, p.Phone = a, "+"+a
	default:
		p.WAID = a
	}
	return p
}

// customer finds who wrote a message or, for one typed on the phone, who it was for.
func (p *parser) customer(m message, from origin) model.Person {
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
	for _, c := range p.value.Contacts {
		known := person(c.WAID, c.UserID)
		same := known.WAID != "" && known.WAID == who.WAID || known.UserID != "" && known.UserID == who.UserID
		alone := who.IsZero() && len(p.value.Contacts) == 1
		if !same && !alone {
			continue
		}
		if who.WAID == "" {
			who.WAID, who.Phone = known.WAID, known.Phone
		}
		if who.UserID == "" {
			who.UserID = known.UserID
		}
		who.Name, who.Username = string(c.Profile.value.Name), string(c.Profile.value.Username)
		break
	}
	return who
}

// system reads a change of number or of user id. Other kinds, such as a new security code, change
// nobody's identity.
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
	changes := s.Type == "user_changed_number" || s.Type == "user_changed_user_id"
	if !changes || who.IsZero() || who.PreviousWAID == "" && who.PreviousUserID == "" {
		p.notice("system", joined(": ", string(s.Type), string(s.Body)), raw)
		return
	}
	p.add(model.Incoming{Identity: &model.IncomingIdentity{Person: who, At: m.Timestamp.Time}})
}

func (p *parser) userIDUpdate(u userIDUpdate) {
	if u.UserIDs.Previous == "" || u.UserIDs.Current == "" {
		return
	}
	who := person(u.WAID, u.UserIDs.Current)
	who.PreviousUserID = string(u.UserIDs.Previous)
	p.add(model.Incoming{Identity: &model.IncomingIdentity{Person: who, At: u.At.Time}})
}

// stateSync reads the address book of the phone. A contact removed there is still one of ours.
func (p *parser) stateSync(s stateSync) {
	c := s.Contact.value
	who := person(c.Phone, c.UserID)
	who.Name, who.Username = string(c.FullName), string(c.Username)
	if who.Name == "" {
		who.Name = string(c.FirstName)
	}
	if s.Type != "contact" || s.Action != "add" || who.IsZero() {
		p.notice(p.field, joined(" ", string(s.Action), string(s.Type)), nil)
		return
	}
	p.add(model.Incoming{Identity: &model.IncomingIdentity{Person: who, At: s.Metadata.value.Timestamp.Time}})
}
