package admin

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/reception"
	"recado/internal/server"
	"recado/internal/talk"
)

// Demo is the content of demo.json.
type Demo struct {
	BaseURL   string    `json:"base_url"`
	Login     Login     `json:"login"`
	Companies []Company `json:"companies"`
}

// Login is the login of the owner of the first company.
type Login struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

// Company is a demo company with ids for examples.
type Company struct {
	ID               kernel.ID   `json:"id"`
	Name             string      `json:"name"`
	APIKey           string      `json:"api_key"`
	Channel          kernel.ID   `json:"channel"`
	PrivateChannel   kernel.ID   `json:"private_channel"`
	User             kernel.ID   `json:"user"`
	Sectors          []kernel.ID `json:"sectors"`
	Users            []kernel.ID `json:"users"`
	Labels           []kernel.ID `json:"labels"`
	Board            kernel.ID   `json:"board"`
	AttendancesBoard kernel.ID   `json:"attendances_board"`
}

// plan describes a demo company.
type plan struct {
	name, domain string
	people       []person
	sectors      []string
	labels       []label
	reasons      []reason
	replies      []reply
	hours        *reception.HoursChange
	reception    receptionPlan
	phone        string // of the public channel
	privatePhone string
	customers    []customer
	stories      []story // of a busy morning, in place of customers
	weeks        []past  // before the morning
	boards       []board // the first one is that of demo.json

	privateCustomer string // writes to the private channel
}

type person struct {
	name    string
	role    kernel.Role
	access  kernel.AccessProfile
	sectors []int
}

type label struct{ name, color string }

type customer struct{ name, phone, says, answer string }

// Make creates the demo. All members have the same password. The clock must be that of the desk; it sets the times of past events.
// If it is nil, everything happens now.
func Make(ctx context.Context, d *server.Desk, clock *Clock, password string) (*Demo, error) {
	out := &Demo{}
	for _, p := range plans {
		c, err := p.make(ctx, d, clock, password)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		out.Companies = append(out.Companies, *c)
	}
	out.Login = Login{Email: plans[0].email(plans[0].people[0]), Password: password}
	return out, nil
}

func (p plan) email(who person) string {
	first, _, _ := strings.Cut(strings.ToLower(who.name), " ")
	return first + "@" + p.domain
}

// maker creates a company.
type maker struct {
	ctx   context.Context
	desk  *server.Desk
	clock *Clock
	plan  plan
	owner *kernel.Principal
	out   *Company

	talks   map[string]talk.Conversation // by the name of the customer
	closing map[string]talk.CloseInput   // with closing reasons, by the text of a case
}

func (p plan) make(ctx context.Context, d *server.Desk, clock *Clock, password string) (*Company, error) {
	company, err := d.People.CreateCompany(ctx, people.NewCompany{Name: p.name, Rules: people.DefaultRules})
	if err != nil {
		return nil, err
	}
	m := &maker{ctx: ctx, desk: d, clock: clock, plan: p, out: &Company{ID: company.ID, Name: company.Name}, talks: map[string]talk.Conversation{}, closing: map[string]talk.CloseInput{}}
	for _, step := range []func() error{
		func() error { return m.people(password) }, m.sectors, m.labels, m.reasons, m.channels, m.key, m.replies, m.hours,
		m.conversations, m.stories, m.privateConversations, m.boards, m.fields, m.reception, m.ratings, m.costs,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return m.out, nil
}

func (m *maker) people(password string) error {
	for _, who := range m.plan.people {
		u, err := m.desk.People.CreateUser(m.ctx, m.out.ID, people.NewUser{
			Name: who.name, Email: m.plan.email(who), Password: password, Role: who.role, AccessProfile: who.access,
		})
		if err != nil {
			return err
		}
		m.out.Users = append(m.out.Users, u.ID)
	}
	m.out.User = m.out.Users[0]
	var err error
	m.owner, err = m.desk.People.Operator(m.ctx, m.out.ID)
	return err
}

func (m *maker) sectors() error {
	for i, name := range m.plan.sectors {
		var members []kernel.ID
		for j, who := range m.plan.people {
			if slices.Contains(who.sectors, i) {
				members = append(members, m.out.Users[j])
			}
		}
		made, err := m.desk.People.CreateSector(m.ctx, m.owner, people.SectorChange{Name: &name, Members: &members})
		if err != nil {
			return err
		}
		m.out.Sectors = append(m.out.Sectors, made.ID)
	}
	return nil
}

func (m *maker) labels() error {
	for _, l := range m.plan.labels {
		made, err := m.desk.Talk.CreateLabel(m.ctx, m.owner, l.name, l.color)
		if err != nil {
			return err
		}
		m.out.Labels = append(m.out.Labels, made.ID)
	}
	return nil
}

func (m *maker) channels() error {
	public, err := m.desk.Channels.CreateChannel(m.ctx, m.owner, channels.NewChannel{Name: "Loja", Phone: m.plan.phone, Provider: channels.ProviderSandbox})
	if err != nil {
		return err
	}
	private, err := m.desk.Channels.CreateChannel(m.ctx, m.owner, channels.NewChannel{
		Name: "Diretoria", Phone: m.plan.privatePhone, Provider: channels.ProviderSandbox, Private: true,
	})
	m.out.Channel, m.out.PrivateChannel = public.ID, private.ID
	return err
}

func (m *maker) key() (err error) {
	_, m.out.APIKey, err = m.desk.People.CreateKey(m.ctx, m.owner, people.NewKey{Name: "Demo", Scopes: kernel.EveryScope})
	return err
}

// conversations creates messages of customers, replies to some of them, and closes one attendance.
func (m *maker) conversations() error {
	for i, c := range m.plan.customers {
		heard, err := m.desk.Talk.Simulate(m.ctx, m.owner, m.out.Channel, talk.Simulation{From: &c.phone, Name: &c.name, Text: &c.says})
		if err != nil {
			return err
		}
		if c.answer != "" {
			if _, _, err := m.desk.Talk.SendMessage(m.ctx, m.owner, heard.Conversation, talk.NewMessage{ClientID: kernel.NewID(), Text: &c.answer}); err != nil {
				return err
			}
		} else {
			sector := optionalID(m.out.Sectors[i%len(m.out.Sectors)])
			if _, err := m.desk.Talk.Transfer(m.ctx, m.owner, heard.Conversation, talk.NewTransfer{Sector: sector}); err != nil {
				return err
			}
		}
		labels := []kernel.ID{m.out.Labels[i%len(m.out.Labels)]}
		updated, err := m.desk.Talk.UpdateConversation(m.ctx, m.owner, heard.Conversation, talk.ConversationChange{LabelIDs: &labels})
		if err != nil {
			return err
		}
		m.talks[c.name] = *updated
		if i == 0 {
			if _, err := m.desk.Talk.CloseAttendance(m.ctx, m.owner, heard.Conversation, talk.CloseInput{Reason: "answered"}); err != nil {
				return err
			}
		}
	}
	return nil
}

// privateConversations creates a message on the private channel, which no key may see.
func (m *maker) privateConversations() error {
	return m.desk.Talk.Receive(m.ctx, m.out.ID, m.out.PrivateChannel, []provider.Incoming{{Message: &provider.IncomingMessage{
		ExternalID: "demo." + m.out.ID.String(), Type: provider.TypeText, Text: "Podemos falar em particular?", At: time.Now(),
		Customer: provider.Person{Phone: m.plan.privateCustomer, Name: "Confidential"},
	}}})
}

// Clock is the clock of a server with a demo. While the demo is created, it shows past times; afterwards the real time.
type Clock struct{ offset atomic.Int64 }

// Now returns the time.
func (c *Clock) Now() time.Time { return time.Now().Add(time.Duration(c.offset.Load())) }

func (c *Clock) set(t time.Time) {
	if c != nil {
		c.offset.Store(int64(time.Until(t)))
	}
}

func (c *Clock) reset() {
	if c != nil {
		c.offset.Store(0)
	}
}

// story is a conversation of a busy morning.
type story struct {
	name, phone string
	group       string // "": a conversation with one person
	labels      []int  // of the plan
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

	says    string             // the customer writes
	greeted bool               // the reception replies with the menu
	chooses string             // the customer chooses an option of the menu
	shares  string             // the type of what says describes: a location or contacts
	ad      *provider.Referral // brought the customer
	sends   string             // the customer sends a file: a picture, "voice" or a document
	seconds int                // of a voice message
	answers string             // a colleague writes
	by      int                // index of the colleague in the plan's people; 0 is the owner
	file    string             // attached to the reply
	takes   bool               // the colleague takes the conversation
	hands   bool               // the conversation moves to the queue of the story's sector
	closes  string             // the colleague closes the attendance with this reason
	phone   string             // the team writes with the phone
	reacts  string             // the customer reacts to the last reply
	status  string             // of the last reply: delivered, read or failed
	reads   bool               // the colleague has read everything
	quotes  bool               // the customer quotes the last reply
}

// player plays the stories of a company.
type player struct {
	*maker
	start  time.Time
	people []*kernel.Principal
}

func (m *maker) stories() error {
	p := &player{maker: m, start: time.Now()}
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
			for _, who := range p.people {
				if err := p.desk.Talk.ReadNotifications(p.ctx, who, nil, true); err != nil {
					return err
				}
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

// finish labels, pins or mutes a conversation, and adds details of the contact.
func (p *player) finish(sc *scene) error {
	change := talk.ConversationChange{}
	if len(sc.labels) > 0 {
		change.LabelIDs = new(pick(p.out.Labels, sc.labels))
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
	case s.shares != "" || s.ad != nil:
		return p.receive(sc, s)
	case s.greeted || s.chooses != "":
		return p.withReception(func() error { return p.hear(sc, s) })
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
		in := p.closing[s.closes]
		in.Reason = s.closes
		_, err = p.desk.Talk.CloseAttendance(p.ctx, who, sc.conversation, in)
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
	in.Text = kernel.TextOrNil(s.says)
	if s.chooses != "" {
		in.Choice = p.plan.reception.choice(s.chooses)
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
	sc.conversation = heard.Conversation
	return err
}

// receive stores a message that cannot be simulated, in a conversation that has begun.
func (p *player) receive(sc *scene, s step) error {
	return p.desk.Talk.Receive(p.ctx, p.out.ID, p.out.Channel, []provider.Incoming{{Message: &provider.IncomingMessage{
		ExternalID: "demo." + kernel.NewID().String(), Type: cmp.Or(s.shares, provider.TypeText), Text: s.says, Referral: s.ad, At: p.clock.Now(),
		Customer: provider.Person{Phone: sc.story.phone, WAID: sc.story.phone[1:], Name: sc.name},
	}}})
}

func (p *player) answer(sc *scene, s step, who *kernel.Principal) error {
	in := talk.NewMessage{ClientID: kernel.NewID(), Text: kernel.TextOrNil(s.answers)}
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
		content = menuDocument()
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
