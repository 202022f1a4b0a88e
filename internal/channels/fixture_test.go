package channels

import (
	"context"
	"testing"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/vault"
	"recado/test/kerneltest"
)

// eachCompany runs a test on both engines with a company and its operator, who acts as the owner.
func eachCompany(t *testing.T, body func(t *testing.T, d *Channels, owner *kernel.Principal)) {
	kerneltest.EachOne(t, func(t *testing.T, s *kernel.Store) {
		keys, err := vault.FromEnv("MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")
		if err != nil {
			t.Fatal(err)
		}
		p := people.New(kernel.New(kernel.Options{Store: s, Vault: keys}), people.PasswordCost{Memory: 64, Passes: 1})
		company, err := p.CreateCompany(t.Context(), people.NewCompany{Name: "Padaria", Rules: people.DefaultRules})
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.CreateUser(t.Context(), company.ID, people.NewUser{Name: "Ana", Email: "ana@padaria.example", Role: kernel.RoleOwner, AccessProfile: kernel.AccessAll})
		if err != nil {
			t.Fatal(err)
		}
		operator, err := p.Operator(t.Context(), company.ID)
		if err != nil {
			t.Fatal(err)
		}
		body(t, New(p, agreeable{}), operator)
	})
}

// agreeable is a provider that accepts all credentials.
type agreeable struct{}

func (agreeable) Check(_ context.Context, a Access) (NumberState, error) {
	return NumberState{Phone: "+55113234" + a.PhoneNumberID, Status: "CONNECTED"}, nil
}

func (agreeable) Subscribe(context.Context, Access) error { return nil }

func (agreeable) CallHere(context.Context, Access, kernel.ID) error { return nil }

func (agreeable) CreateTemplate(_ context.Context, _ Access, t provider.NewTemplate) (provider.ChannelTemplate, error) {
	return provider.ChannelTemplate{Name: t.Name, Language: t.Language, Status: "pending", Category: t.Category, Body: t.Body}, nil
}

func (agreeable) DeleteTemplates(context.Context, Access, string) error { return nil }
