package desk

import (
	"context"
	"reflect"
	"testing"

	"recado/internal/model"
)

// TestEveryVerbChecksItsOwnPermission calls every exported method that takes a principal. A refusal needs
// no database: the check comes before everything else.
func TestEveryVerbChecksItsOwnPermission(t *testing.T) {
	byName := map[string]Verb{}
	for _, v := range verbs {
		if _, twice := byName[v.Name]; twice {
			t.Errorf("two verbs have the name %s", v.Name)
		}
		byName[v.Name] = v
	}
	desk := reflect.ValueOf(New(Options{}))
	for i := range desk.NumMethod() {
		method := desk.Type().Method(i)
		if !takesPrincipal(method.Type) {
			continue
		}
		v, known := byName[method.Name]
		if !known {
			t.Errorf("%s takes a principal and is in no verb", method.Name)
			continue
		}
		delete(byName, method.Name)
		t.Run(method.Name, func(t *testing.T) {
			refuses := func(who string, p *Principal) {
				t.Helper()
				if err := callWith(desk.Method(i), p); model.CodeOf(err) != model.CodeInsufficientScope {
					t.Errorf("%s: got %v, want %s", who, err, model.CodeInsufficientScope)
				}
			}
			refuses("no principal", nil)
			refuses("a zero principal", &Principal{})
			refuses("a principal of no kind that has every scope and the highest role", &Principal{
				Scopes: model.EveryScope, Member: Member{Role: model.RoleOwner, Profile: model.AccessAll},
			})
			if v.Scope != "" && !v.SessionOnly {
				refuses("a key with every other scope", keyWith(model.RoleOwner, model.EveryScope.Without(model.NewScopeSet(v.Scope, v.Scope.IncludedIn()))))
			}
			for _, role := range []model.Role{model.RoleAgent, model.RoleManager, model.RoleAdmin} {
				if !role.AtLeast(v.Role) && !v.SessionOnly {
					refuses("a key of the role "+string(role), keyWith(role, model.EveryScope))
				}
				if !role.AtLeast(v.Role) || !model.ScopesOf(role).Has(v.Scope) {
					refuses("a session of the role "+string(role), SessionPrincipal(model.Company{}, Member{Role: role}, model.NewID(), nil, model.Rate{}))
				}
			}
			session := SessionPrincipal(model.Company{}, Member{Role: model.RoleOwner}, model.NewID(), nil, model.Rate{})
			if err := session.May(v); err != nil {
				t.Errorf("a session with the permission: %v", err)
			}
			for _, p := range []*Principal{keyWith(model.RoleOwner, model.NewScopeSet(v.Scope)), SystemPrincipal(model.Company{}, model.Ref{}, model.Rate{})} {
				err := p.May(v)
				if v.SessionOnly && model.CodeOf(err) != model.CodeSessionRequired {
					t.Errorf("a %v: got %v, want %s", p.Kind(), err, model.CodeSessionRequired)
				} else if !v.SessionOnly && err != nil {
					t.Errorf("a %v with the permission: %v", p.Kind(), err)
				}
			}
		})
	}
	for name := range byName {
		t.Errorf("the verb %s has no method", name)
	}
}

func TestOnlyMethodsOfSystemTakeNoPrincipal(t *testing.T) {
	desk := reflect.TypeFor[*Desk]()
	for i := range desk.NumMethod() {
		if method := desk.Method(i); method.Name != "System" && !takesPrincipal(method.Type) {
			t.Errorf("%s takes no principal: declare it on System", method.Name)
		}
	}
}

func keyWith(role model.Role, scopes model.ScopeSet) *Principal {
	return KeyPrincipal(model.Company{}, Member{Role: role, Profile: model.AccessAll}, model.Key{ID: model.NewID(), Scopes: scopes.List()})
}

func takesPrincipal(method reflect.Type) bool {
	for i := range method.NumIn() {
		if method.In(i) == reflect.TypeFor[*Principal]() {
			return true
		}
	}
	return false
}

// callWith calls a verb as p, with zero values for everything else, and gives its error.
func callWith(verb reflect.Value, p *Principal) error {
	args := make([]reflect.Value, verb.Type().NumIn())
	for i := range args {
		switch in := verb.Type().In(i); in {
		case reflect.TypeFor[context.Context]():
			args[i] = reflect.ValueOf(context.Background())
		case reflect.TypeFor[*Principal]():
			args[i] = reflect.ValueOf(p)
		default:
			args[i] = reflect.Zero(in)
		}
	}
	out := verb.Call(args)
	err, _ := out[len(out)-1].Interface().(error)
	return err
}

func TestWhoSendsDecidesOnTheOriginOfAMessage(t *testing.T) {
	for want, p := range map[string]*Principal{
		model.OriginAPI: keyWith(model.RoleAgent, model.EveryScope),
		model.OriginApp: SessionPrincipal(model.Company{}, Member{Role: model.RoleAgent}, model.NewID(), nil, model.Rate{}),
	} {
		if got := p.origin(); got != want {
			t.Errorf("a %v sends with origin %q, want %q", p.Kind(), got, want)
		}
	}
}

func TestAPrivateChannelExistsForItsViewersAndTheOperator(t *testing.T) {
	company := model.Company{ID: model.NewID()}
	ch := model.Channel{ID: model.NewID(), Company: company.ID, Private: true}
	owner := Member{Role: model.RoleOwner, Profile: model.AccessAll}
	for who, tt := range map[string]struct {
		p    *Principal
		want bool
	}{
		"the owner's key":            {KeyPrincipal(company, owner, model.Key{ID: model.NewID(), Scopes: model.AllScopes}), false},
		"the owner, not a viewer":    {SessionPrincipal(company, owner, model.NewID(), nil, model.Rate{}), false},
		"a viewer":                   {SessionPrincipal(company, Member{Role: model.RoleAgent}, model.NewID(), []model.ID{ch.ID}, model.Rate{}), true},
		"a viewer of another":        {SessionPrincipal(company, owner, model.NewID(), []model.ID{model.NewID()}, model.Rate{}), false},
		"the operator":               {SystemPrincipal(company, model.Ref{}, model.Rate{}), true},
		"another company's operator": {SystemPrincipal(model.Company{ID: model.NewID()}, model.Ref{}, model.Rate{}), false},
	} {
		if got := tt.p.knows(ch); got != tt.want {
			t.Errorf("%s: got %v, want %v", who, got, tt.want)
		}
	}
}
