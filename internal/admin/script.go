package admin

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/talk"
)

// story is a conversation of a busy morning.
type story struct {
	name, phone string
	group       string // "": a conversation with one person
	label       int    // of the plan; -1: none
	sector      int    // of the plan; -1: none
	pinned      bool
	muted       bool
	company     string // of the contact
	city        string
	steps       []step
}

// step is an event of a story.
type step struct {
	ago time.Duration // before now

	says    string // the customer writes
	sends   string // the customer sends a file: a picture, "voice" or a document
	seconds int    // of a voice message
	answers string // a colleague writes
	by      int    // index of the colleague in the plan's people; 0 is the owner
	file    string // attached to the reply
	takes   bool   // the colleague takes the conversation
	hands   bool   // the conversation moves to the queue of the story's sector
	closes  string // the colleague closes the attendance with this reason
	phone   string // the team writes with the phone
	reacts  string // the customer reacts to the last reply
	status  string // of the last reply: delivered, read or failed
	reads   bool   // the colleague has read everything
	quotes  bool   // the customer quotes the last reply
}

type player struct {
	*maker
	clock  *Clock
	start  time.Time
	people []*kernel.Principal
}

func (m *maker) stories() error {
	p := &player{maker: m, clock: m.clock, start: time.Now()}
	defer m.clock.reset()
	company := m.owner.Company
	for i, who := range m.plan.people {
		var sectors []kernel.ID
		for _, s := range who.sectors {
			sectors = append(sectors, m.out.Sectors[s])
		}
		p.people = append(p.people, kernel.SessionPrincipal(company, kernel.Member{
			User: kernel.Ref{ID: m.out.Users[i], Name: who.name}, Email: m.plan.email(who), Role: who.role, Profile: kernel.AccessAll, Sectors: sectors,
		}, kernel.NewID(), nil, m.owner.Rate))
	}
	return p.play(m.plan.stories)
}

// scene is the state of a story.
type scene struct {
	story
	conversation kernel.ID
	answered     *talk.Message
}

// play runs the steps of all stories in order of time, so that attendances are numbered in that order.
func (p *player) play(stories []story) error {
	type happening struct {
		scene *scene
		step  step
	}
	var scenes []*scene
	var all []happening
	for _, s := range stories {
		sc := &scene{story: s}
		scenes = append(scenes, sc)
		for _, c := range p.plan.weeks {
			if c.customer == s.name {
				s.steps = append(slices.Clip(s.steps), c.steps()...)
			}
		}
		for _, step := range s.steps {
			all = append(all, happening{sc, step})
		}
	}
	slices.SortStableFunc(all, func(a, b happening) int { return cmp.Compare(b.step.ago, a.step.ago) })
	past := len(p.plan.weeks) > 0
	for _, h := range all {
		if past && h.step.ago < day {
			past = false
			if err := p.readNotifications(); err != nil {
				return err
			}
		}
		p.clock.set(p.start.Add(-h.step.ago))
		if err := p.step(h.scene, h.step); err != nil {
			return fmt.Errorf("%s, %v ago: %w", h.scene.name, h.step.ago, err)
		}
	}
	for _, sc := range scenes {
		if err := p.finish(sc); err != nil {
			return fmt.Errorf("%s: %w", sc.name, err)
		}
	}
	return nil
}

// readNotifications marks the notifications of all people as read.
func (p *player) readNotifications() error {
	for _, who := range p.people {
		if err := p.desk.Talk.ReadNotifications(p.ctx, who, nil, true); err != nil {
			return err
		}
	}
	return nil
}

// finish labels, pins or mutes a conversation, and adds details of the contact.
func (p *player) finish(sc *scene) error {
	change := talk.ConversationChange{}
	if sc.label >= 0 {
		change.LabelIDs = &[]kernel.ID{p.out.Labels[sc.label]}
	}
	if sc.pinned {
		change.Pinned = &sc.pinned
	}
	if sc.muted {
		change.Muted = &sc.muted
	}
	c, err := p.desk.Talk.UpdateConversation(p.ctx, p.owner, sc.conversation, change)
	if err != nil {
		return err
	}
	p.talks[sc.name] = *c
	if c.Contact == nil {
		return nil
	}
	_, err = p.desk.Talk.UpdateContact(p.ctx, p.owner, *c.Contact, talk.ContactChange{
		BusinessName: optionalText(sc.company), City: optionalText(sc.city), LabelIDs: change.LabelIDs,
	})
	return err
}

func optionalText(text string) kernel.Optional[string] {
	return kernel.Optional[string]{Set: text != "", Value: text}
}

func (p *player) step(sc *scene, s step) (err error) {
	who := p.people[s.by]
	switch {
	case s.says != "" || s.sends != "":
		return p.hear(sc, s)
	case s.answers != "" || s.file != "":
		return p.answer(sc, s, who)
	case s.takes:
		_, err = p.desk.Talk.Transfer(p.ctx, who, sc.conversation, talk.NewTransfer{User: optionalID(who.User.ID)})
	case s.hands:
		_, err = p.desk.Talk.Transfer(p.ctx, p.owner, sc.conversation, talk.NewTransfer{Sector: optionalID(p.out.Sectors[sc.sector])})
	case s.closes != "":
		if _, err := p.desk.Talk.MarkRead(p.ctx, who, sc.conversation); err != nil {
			return err
		}
		_, err = p.desk.Talk.CloseAttendance(p.ctx, who, sc.conversation, s.closes)
	case s.phone != "":
		_, err = p.desk.Talk.Simulate(p.ctx, p.owner, p.out.Channel, talk.Simulation{FromPhoneApp: true, To: &sc.story.phone, Text: &s.phone})
	case s.reacts != "":
		err = p.desk.Talk.Receive(p.ctx, p.out.ID, p.out.Channel, []provider.Incoming{{Reaction: &provider.IncomingReaction{
			ExternalID: *sc.answered.ExternalID, Emoji: s.reacts, Sender: provider.Sender{Customer: provider.Person{Phone: sc.story.phone}}, At: p.clock.Now(),
		}}})
	case s.status != "":
		_, err = p.desk.Talk.Simulate(p.ctx, p.owner, p.out.Channel, talk.Simulation{ExternalID: sc.answered.ExternalID, Status: &s.status})
	case s.reads:
		_, err = p.desk.Talk.MarkRead(p.ctx, who, sc.conversation)
	}
	return err
}

// hear receives a text or a file from the customer.
func (p *player) hear(sc *scene, s step) error {
	in := talk.Simulation{From: &sc.story.phone, Name: &sc.name}
	if sc.group != "" {
		in.Group = &provider.IncomingGroup{ID: "demo-" + sc.group, Name: sc.group}
	}
	if s.says != "" {
		in.Text = &s.says
	}
	if s.quotes && sc.answered != nil {
		in.ReplyTo = sc.answered.ExternalID
	}
	if s.sends != "" {
		media, err := p.upload(s)
		if err != nil {
			return err
		}
		in.MediaID = &media
	}
	heard, err := p.desk.Talk.Simulate(p.ctx, p.owner, p.out.Channel, in)
	if err != nil {
		return err
	}
	sc.conversation = heard.Conversation
	return nil
}

func (p *player) answer(sc *scene, s step, who *kernel.Principal) error {
	in := talk.NewMessage{ClientID: kernel.NewID()}
	if s.answers != "" {
		in.Text = &s.answers
	}
	if s.file != "" {
		media, err := p.upload(step{sends: s.file})
		if err != nil {
			return err
		}
		in.MediaID = &media
	}
	sent, _, err := p.desk.Talk.SendMessage(p.ctx, who, sc.conversation, in)
	sc.answered = sent
	return err
}

// upload stores the file of a step.
func (p *player) upload(s step) (kernel.ID, error) {
	name, content := s.sends, picture(s.sends)
	switch s.sends {
	case "voice":
		name, content = "voz.ogg", voice(s.seconds)
	case fileMenu:
		content = document("Padaria Aurora", "", "Bolo de chocolate (20 fatias)     R$ 140", "Cesta de cafe da manha     R$ 95", "Salgados (cento)     R$ 80")
	case fileInvoice:
		content = document("Nota fiscal 4182", "", "Mercado Bom Preco", "40 kg de pao frances     R$ 560", "Vencimento em 10 dias")
	}
	media, err := p.desk.Talk.UploadMedia(p.ctx, p.owner, name, bytes.NewReader(content))
	return media.ID, err
}

// The documents.
const (
	fileMenu    = "cardapio.pdf"
	fileInvoice = "nota-fiscal-4182.pdf"
)

func optionalID(id kernel.ID) kernel.Optional[kernel.ID] {
	return kernel.Optional[kernel.ID]{Set: true, Value: id}
}
