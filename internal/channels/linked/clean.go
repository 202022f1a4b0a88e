package linked

import (
	"recado/internal/channels/provider"
	"recado/internal/channels/whatsapp"
	"recado/internal/kernel"
)

// maxID is the maximum length of a message id. WhatsApp's have about 32 bytes, but a sender can choose any.
const maxID = 512

// clean returns the items without NUL and invalid UTF-8 in what people can choose, which the database would always reject. It drops
// items with unusable ids.
func clean(items []provider.Incoming) []provider.Incoming {
	cleaned := make([]provider.Incoming, 0, len(items))
	for _, in := range items {
		ok := true
		switch {
		case in.Message != nil:
			m := *in.Message
			ok = cleanID(&m.ExternalID)
			if !cleanID(&m.ReplyTo) {
				m.ReplyTo = ""
			}
			m.Customer, m.Text, m.Group = cleanPerson(m.Customer), kernel.CleanText(m.Text), cleanGroup(m.Group)
			in.Message = &m
		case in.Status != nil:
			s := *in.Status
			ok = cleanID(&s.ExternalID)
			s.Recipient = cleanPerson(s.Recipient)
			in.Status = &s
		case in.Edit != nil:
			e := *in.Edit
			ok = cleanID(&e.ExternalID)
			e.Text, e.Sender.Customer = kernel.CleanText(e.Text), cleanPerson(e.Sender.Customer)
			in.Edit = &e
		case in.Revoke != nil:
			r := *in.Revoke
			ok = cleanID(&r.ExternalID)
			r.Sender.Customer = cleanPerson(r.Sender.Customer)
			in.Revoke = &r
		case in.Reaction != nil:
			r := *in.Reaction
			ok = cleanID(&r.ExternalID)
			r.Emoji, r.Sender.Customer = whatsapp.Emoji(kernel.CleanText(r.Emoji)), cleanPerson(r.Sender.Customer)
			in.Reaction = &r
		case in.Identity != nil:
			i := *in.Identity
			i.Person = cleanPerson(i.Person)
			in.Identity = &i
		case in.Group != nil:
			in.Group = cleanGroup(in.Group)
		}
		if ok {
			cleaned = append(cleaned, in)
		}
	}
	return cleaned
}

// cleanID cleans the id of a message. It reports false if the id is unusable.
func cleanID(id *string) bool {
	*id = kernel.CleanText(*id)
	return *id != "" && len(*id) <= maxID
}

func cleanPerson(p provider.Person) provider.Person {
	for _, s := range []*string{&p.Name, &p.Phone, &p.WAID, &p.UserID} {
		*s = kernel.CleanText(*s)
	}
	return p
}

func cleanGroup(g *provider.IncomingGroup) *provider.IncomingGroup {
	if g == nil {
		return nil
	}
	c := *g
	c.ID, c.Name = kernel.CleanText(c.ID), kernel.CleanText(c.Name)
	if g.Members != nil {
		c.Members = make([]provider.GroupMember, len(g.Members))
	}
	for i, m := range g.Members {
		c.Members[i] = provider.GroupMember{Person: cleanPerson(m.Person), Role: m.Role}
	}
	return &c
}
