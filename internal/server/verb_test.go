package server

import (
	"context"
	"iter"
	"reflect"
	"testing"

	"recado/internal/kernel"
)

// TestEveryMethodForAPrincipalIsAVerb checks that every exported method that takes a principal has a verb, and the permission of
// each verb. The API checks it before it calls the method.
func TestEveryMethodForAPrincipalIsAVerb(t *testing.T) {
	byName := map[string]kernel.Verb{}
	for _, v := range kernel.Verbs {
		if _, twice := byName[v.Name]; twice {
			t.Errorf("two verbs have the name %s", v.Name)
		}
		byName[v.Name] = v
	}
	for method := range verbs(New(Options{})) {
		v, known := byName[method]
		if !known {
			t.Errorf("%s takes a principal and is in no verb", method)
			continue
		}
		delete(byName, method)
		t.Run(method, func(t *testing.T) {
			refuses := func(who string, p *kernel.Principal) {
				t.Helper()
				if err := p.May(v); kernel.CodeOf(err) != kernel.CodeInsufficientScope {
					t.Errorf("%s: got %v, want %s", who, err, kernel.CodeInsufficientScope)
				}
			}
			refuses("no principal", nil)
			refuses("a zero principal", &kernel.Principal{})
			refuses("a principal of no kind that has every scope and the highest role", &kernel.Principal{
				Scopes: kernel.EveryScope, Member: kernel.Member{Role: kernel.RoleOwner, Profile: kernel.AccessAll},
			})
			if v.Scope != "" && !v.SessionOnly {
				refuses("a key with every other scope", keyWith(kernel.RoleOwner, kernel.EveryScope.Without(kernel.NewScopeSet(v.Scope, v.Scope.IncludedIn()))))
			}
			for _, role := range []kernel.Role{kernel.RoleAgent, kernel.RoleManager, kernel.RoleAdmin} {
				if !role.AtLeast(v.Role) && !v.SessionOnly {
					refuses("a key of the role "+string(role), keyWith(role, kernel.EveryScope))
				}
				if !role.AtLeast(v.Role) || !kernel.ScopesOf(role).Has(v.Scope) {
					refuses("a session of the role "+string(role), kernel.SessionPrincipal(kernel.Company{}, kernel.Member{Role: role}, kernel.NewID(), nil, kernel.Rate{}))
				}
			}
			session := kernel.SessionPrincipal(kernel.Company{}, kernel.Member{Role: kernel.RoleOwner}, kernel.NewID(), nil, kernel.Rate{})
			if err := session.May(v); err != nil {
				t.Errorf("a session with the permission: %v", err)
			}
			for _, p := range []*kernel.Principal{keyWith(kernel.RoleOwner, kernel.NewScopeSet(v.Scope)), kernel.SystemPrincipal(kernel.Company{}, kernel.Ref{}, kernel.Rate{})} {
				err := p.May(v)
				if v.SessionOnly && kernel.CodeOf(err) != kernel.CodeSessionRequired {
					t.Errorf("a %v: got %v, want %s", p.Kind(), err, kernel.CodeSessionRequired)
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

// verbs returns the names of the exported methods of all capabilities that take a context and a principal. A method that takes a
// transaction is part of another one.
func verbs(d *Desk) iter.Seq[string] {
	return func(yield func(string) bool) {
		capabilities := reflect.ValueOf(d).Elem()
		for i := range capabilities.NumField() {
			capability := capabilities.Field(i)
			for j := range capability.NumMethod() {
				name, in := capability.Type().Method(j).Name, capability.Method(j).Type()
				_, shared := reflect.TypeFor[*kernel.Kernel]().MethodByName(name)
				verb := in.NumIn() > 0 && in.In(0) == reflect.TypeFor[context.Context]() && takesPrincipal(in)
				if verb && !shared && !yield(name) {
					return
				}
			}
		}
	}
}

func keyWith(role kernel.Role, scopes kernel.ScopeSet) *kernel.Principal {
	return kernel.KeyPrincipal(kernel.Company{}, kernel.Member{Role: role, Profile: kernel.AccessAll}, kernel.Integration{ID: kernel.NewID(), Scopes: scopes.List()}, "", kernel.Rate{})
}

func takesPrincipal(method reflect.Type) bool {
	for i := range method.NumIn() {
		if method.In(i) == reflect.TypeFor[*kernel.Principal]() {
			return true
		}
	}
	return false
}
