package admin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/people"
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

	talks map[string]talk.Conversation // by the name of the customer
}

func (p plan) make(ctx context.Context, d *server.Desk, clock *Clock, password string) (*Company, error) {
	company, err := d.People.CreateCompany(ctx, people.NewCompany{Name: p.name, Rules: people.DefaultRules})
	if err != nil {
		return nil, err
	}
	m := &maker{ctx: ctx, desk: d, clock: clock, plan: p, out: &Company{ID: company.ID, Name: company.Name}, talks: map[string]talk.Conversation{}}
	if err := m.people(password); err != nil {
		return nil, err
	}
	for _, step := range []func() error{m.sectors, m.labels, m.channels, m.key, m.conversations, m.stories, m.privateConversations, m.boards} {
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
			sector := kernel.Optional[kernel.ID]{Set: true, Value: m.out.Sectors[i%len(m.out.Sectors)]}
			if _, err := m.desk.Talk.Transfer(m.ctx, m.owner, heard.Conversation, talk.NewTransfer{Sector: sector}); err != nil {
				return err
			}
		}
		labels := []kernel.ID{m.out.Labels[i%len(m.out.Labels)]}
		talk, err := m.desk.Talk.UpdateConversation(m.ctx, m.owner, heard.Conversation, talk.ConversationChange{LabelIDs: &labels})
		if err != nil {
			return err
		}
		m.talks[c.name] = *talk
		if i == 0 {
			if _, err := m.desk.Talk.CloseAttendance(m.ctx, m.owner, heard.Conversation, "answered"); err != nil {
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
