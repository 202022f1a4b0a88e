package agree

import (
	"fmt"
	"slices"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/talk"
)

// step performs one random operation on the desk and on the ledger, a moment after the previous one.
func (o *fixture) step(chats []*chat) {
	o.wait()
	c := pick(o, chats)
	switch n := o.random.IntN(100); {
	case n < 4 && !c.private:
		o.start(c)
	case n < 22 || !c.exists:
		o.receive(c)
	case n < 30:
		o.answerOnPhone(c)
	case n < 36:
		o.changeRules()
	case n < 46:
		o.note("sweep")
		for looked := 1; looked > 0; {
			var err error
			looked, err = o.desk.Talk.CloseIdle(o.ctx, o.clock.Now(), 100)
			o.must(err)
		}
		o.closeSilent(o.clock.Now())
	case n < 50:
		o.reorganise()
	case c.private:
		o.receive(c)
	case n < 66:
		o.answer(c)
	case n < 82:
		o.transfer(c)
	case n < 86:
		o.setSector(c)
	default:
		o.close(c)
	}
}

// wait advances the clock, mostly by seconds, sometimes by days.
func (o *fixture) wait() {
	steps := []time.Duration{time.Millisecond, time.Second, time.Minute, 20 * time.Minute, 3 * time.Hour, 30 * time.Hour}
	longest := steps[o.random.IntN(len(steps))]
	o.clock.Advance(time.Duration(1+o.random.Int64N(longest.Milliseconds())) * time.Millisecond)
	if o.random.IntN(12) == 0 { // to the last moment of a day, or the first of the next
		day, _ := kernel.ParseDate(o.clock.Now().In(o.zone).Format(time.DateOnly))
		at := day.Next().StartOfDay(o.zone).Add(time.Duration(o.random.IntN(2)-1) * time.Millisecond)
		if at.After(o.clock.Now()) {
			o.clock.Set(at.UTC())
		}
	}
}

func (o *fixture) receive(c *chat) {
	o.note("%s: %s writes", o.clock.Now().Format(time.RFC3339Nano), c.phone)
	text := "Bom dia"
	if c.private { // the API cannot reach the sandbox of a private number
		o.must(o.desk.Talk.Receive(o.ctx, o.owner.Company.ID, c.channel, []provider.Incoming{{Message: o.incoming(c, false)}}))
	} else {
		m, err := o.desk.Talk.Simulate(o.ctx, o.owner, c.channel, talk.Simulation{From: &c.phone, Text: &text})
		o.must(err)
		c.id = m.Conversation
	}
	o.receiveMessage(c, o.clock.Now())
}

// start opens a conversation as a member, without a message.
func (o *fixture) start(c *chat) {
	who := pick(o, o.people)
	o.note("%s starts to talk to %s", who.User.Name, c.phone)
	opened, err := o.desk.Talk.OpenConversation(o.ctx, who, talk.NewConversation{Channel: c.channel, Phone: &c.phone})
	o.must(err)
	if opened.Created == c.exists {
		o.t.Fatalf("got created %t, want %t\nafter %v", opened.Created, !c.exists, o.log)
	}
	c.id = opened.Conversation.ID
	o.openCase(c, talk.OpenedByTeam, o.clock.Now())
}

func (o *fixture) incoming(c *chat, fromPhone bool) *provider.IncomingMessage {
	return &provider.IncomingMessage{
		ExternalID: kernel.NewID().String(), Type: provider.TypeText, Text: "Bom dia", At: o.clock.Now(), FromPhoneApp: fromPhone,
		Customer: provider.Person{Phone: c.phone, WAID: c.phone[1:]},
	}
}

func (o *fixture) answerOnPhone(c *chat) {
	o.note("%s is answered on the phone", c.phone)
	o.must(o.desk.Talk.Receive(o.ctx, o.owner.Company.ID, c.channel, []provider.Incoming{{Message: o.incoming(c, true)}}))
	o.ledger.sendMessage(c, nil, o.clock.Now())
}

func (o *fixture) answer(c *chat) {
	who := pick(o, o.people)
	o.note("%s answers %s", who.User.Name, c.phone)
	text := "Bom dia!"
	_, _, err := o.desk.Talk.SendMessage(o.ctx, who, c.id, talk.NewMessage{ClientID: kernel.NewID(), Text: &text})
	if !o.mayAnswer(c, who) {
		o.refused(err, kernel.CodeAttendanceRestricted)
		return
	}
	o.must(err)
	o.sendMessage(c, &who.User, o.clock.Now())
}

func (o *fixture) transfer(c *chat) {
	by := pick(o, o.people)
	var in talk.NewTransfer
	var to *kernel.Ref
	place, code := c.sector, kernel.Code("")
	if form := o.random.IntN(6); form != 0 { // to a person, or with null back to the queue
		in.User.Set, in.User.Null = true, form == 1
		if form > 1 {
			to = &pick(o, o.people).User
			in.User.Value = to.ID
		}
	}
	if form := o.random.IntN(5); !in.User.Set || form < 3 { // to a sector, or with null to none
		in.Sector.Set, in.Sector.Null, place = true, form == 0, nil
		if form > 0 {
			s := pick(o, o.sectors)
			in.Sector.Value, place = s.id, &s.id
			if to != nil && !s.has(to.ID) {
				code = kernel.CodeNotASectorMember
			}
		}
	}
	reason := o.reason()
	if reason != nil {
		in.Reason = *reason
	}
	o.note("%s transfers %s: %+v", by.User.Name, c.phone, in)
	_, err := o.desk.Talk.Transfer(o.ctx, by, c.id, in)
	o.refused(err, code)
	if code == "" {
		o.assign(c, to, place, &by.User, reason, o.clock.Now())
	}
}

// reason returns a random reason, or none.
func (o *fixture) reason() *string {
	if o.random.IntN(3) > 0 {
		return nil
	}
	return new(fmt.Sprint("because ", o.random.IntN(1000)))
}

func (o *fixture) setSector(c *chat) {
	by, to := pick(o, o.people), kernel.Optional[kernel.ID]{Set: true, Null: true}
	if o.random.IntN(3) > 0 {
		to = kernel.Optional[kernel.ID]{Set: true, Value: pick(o, o.sectors).id}
	}
	o.note("%s puts %s into %+v", by.User.Name, c.phone, to)
	_, err := o.desk.Talk.SetSector(o.ctx, by, c.id, to, "")
	o.must(err)
	place := to.Pointer()
	if (place == nil) != (c.sector == nil) || place != nil && *place != *c.sector {
		o.assign(c, c.assignee, place, &by.User, nil, o.clock.Now())
	}
}

func (o *fixture) close(c *chat) {
	who, reason, why := pick(o, o.people), o.reason(), ""
	if reason != nil {
		why = *reason
	}
	o.note("%s closes %s", who.User.Name, c.phone)
	_, err := o.desk.Talk.CloseAttendance(o.ctx, who, c.id, talk.CloseInput{Reason: why})
	switch {
	case c.open == nil:
		o.refused(err, kernel.CodeAttendanceNotOpen)
	case !o.mayClose(c, who):
		o.refused(err, kernel.CodeAttendanceRestricted)
	default:
		o.must(err)
		o.closeCase(c, &who.User, reason, o.clock.Now())
	}
}

func (o *fixture) changeRules() {
	coin := func() bool { return o.random.IntN(2) == 0 }
	o.rules = people.AttendanceRules{
		Enabled: o.random.IntN(4) > 0, FirstResponderTakesOwnership: coin(), Mode: people.ModeLiberal,
		AutoClose:    people.AutoClose{Enabled: coin(), AfterMinutes: 1 + o.random.Int64N(600)},
		GraceMinutes: o.random.Int64N(3) * 20, GraceForCustomers: coin(),
	}
	if coin() {
		o.rules.Mode = people.ModeRestricted
	}
	o.setRules()
}

func (o *fixture) setRules() {
	o.note("rules: %+v", o.rules)
	change := talk.RulesChange{
		Enabled: &o.rules.Enabled, FirstResponder: &o.rules.FirstResponderTakesOwnership, Mode: &o.rules.Mode,
		GraceMinutes: &o.rules.GraceMinutes, GraceForCustomers: &o.rules.GraceForCustomers,
	}
	change.AutoClose.Enabled, change.AutoClose.AfterMinutes = &o.rules.AutoClose.Enabled, &o.rules.AutoClose.AfterMinutes
	got, err := o.desk.Talk.UpdateAttendanceRules(o.ctx, o.owner, change)
	o.must(err)
	if got != o.rules {
		o.t.Fatalf("got the rules %+v, want %+v\nafter %v", got, o.rules, o.log)
	}
}

// reorganise changes the members of sectors, and sometimes removes a member or a sector.
func (o *fixture) reorganise() {
	switch o.random.IntN(4) {
	case 0:
		i := 1 + o.random.IntN(len(o.people)-1) // never the owner
		gone := o.people[i]
		o.note("%s leaves", gone.User.Name)
		o.must(o.desk.People.RemoveMember(o.ctx, o.owner, gone.User.ID))
		o.people = slices.Delete(o.people, i, i+1)
		for _, s := range o.sectors {
			s.members = slices.DeleteFunc(s.members, func(id kernel.ID) bool { return id == gone.User.ID })
		}
		o.removeMember(gone.User.ID, &o.owner.User, o.clock.Now())
		o.addMember(gone.Role)
	case 1:
		i := o.random.IntN(len(o.sectors))
		gone := o.sectors[i].id
		o.note("sector %s is removed", gone)
		o.must(o.desk.People.RemoveSector(o.ctx, o.owner, gone))
		o.sectors = slices.Delete(o.sectors, i, i+1)
		o.removeSector(gone, &o.owner.User, o.clock.Now())
		o.addSector()
	default:
		s := pick(o, o.sectors)
		s.members = o.some()
		o.note("sector %s has %d members", s.id, len(s.members))
		_, err := o.desk.People.UpdateSector(o.ctx, o.owner, s.id, people.SectorChange{Members: &s.members})
		o.must(err)
	}
}
