// Package demo fills an empty desk with two small companies, through the same verbs that the API
// uses, so that a newcomer has something to look at and a key to try.
package demo

import (
	"context"
	"fmt"
	"strings"

	"recado/internal/desk"
	"recado/internal/model"
)

// Demo is what demo.json tells.
type Demo struct {
	BaseURL   string    `json:"base_url"`
	Login     Login     `json:"login"`
	Companies []Company `json:"companies"`
}

// Login opens the first company's app.
type Login struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

// Company is one demo company and the ids to try things with.
type Company struct {
	ID               model.ID   `json:"id"`
	Name             string     `json:"name"`
	APIKey           string     `json:"api_key"`
	Channel          model.ID   `json:"channel"`
	PrivateChannel   model.ID   `json:"private_channel"`
	User             model.ID   `json:"user"`
	Sectors          []model.ID `json:"sectors"`
	Users            []model.ID `json:"users"`
	Labels           []model.ID `json:"labels"`
	Board            model.ID   `json:"board"`
	AttendancesBoard model.ID   `json:"attendances_board"`
}

// plan is what a demo company is made of.
type plan struct {
	name, domain string
	people       []person
	sectors      []string
	labels       []label
	phone        string // of the public channel; the private one's ends one higher
	customers    []customer
}

type person struct {
	name    string
	role    model.Role
	access  model.AccessProfile
	sectors []int
}

type label struct{ name, color string }

type customer struct{ name, phone, says, answer string }

// Make fills the desk. Every demo password is the same.
func Make(ctx context.Context, d *desk.Desk, password string) (*Demo, error) {
	out := &Demo{}
	for _, p := range plans {
		c, err := p.make(ctx, d, password)
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

func (p plan) make(ctx context.Context, d *desk.Desk, password string) (*Company, error) {
	company, err := d.CreateCompany(ctx, desk.NewCompany{Name: p.name, Rules: desk.DefaultRules})
	if err != nil {
		return nil, err
	}
	c := &Company{ID: company.ID, Name: company.Name}
	for _, who := range p.people {
		u, err := d.CreateUser(ctx, c.ID, desk.NewUser{
			Name: who.name, Email: p.email(who), Password: password, Role: who.role, AccessProfile: who.access,
		})
		if err != nil {
			return nil, err
		}
		c.Users = append(c.Users, u.ID)
	}
	c.User = c.Users[0]
	owner, err := d.Operator(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	for _, l := range p.labels {
		made, err := d.CreateLabel(ctx, owner, l.name, l.color)
		if err != nil {
			return nil, err
		}
		c.Labels = append(c.Labels, made.ID)
	}
	_, c.APIKey, err = d.CreateKey(ctx, owner, desk.NewKey{Name: "Demo", Scopes: model.EveryScope})
	return c, err
}
