package server

import (
	"context"
	"iter"
	"reflect"
	"testing"

	"recado/internal/kernel"
)

// TestEveryVerbChecksItsOwnPermission calls every exported method that takes a principal. A refusal needs
// no database: the check comes before everything else.
func TestEveryVerbChecksItsOwnPermission(t *testing.T) {
	byName := map[string]kernel.Verb{}
	for _, v := range kernel.Verbs {
		if _, twice := byName[v.Name]; twice {
			t.Errorf("two verbs have the name %s", v.Name)
		}
		byName[v.Name] = v
	}
	for method, verb := range verbs(New(Options{})) {
		v, known := byName[method]
		if !known {
			t.Errorf("%s takes a principal and is in no verb", method)
			continue
		}
		delete(byName, method)
		t.Run(method, func(t *testing.T) {
			refuses := func(who string, p *kernel.Principal) {
				t.Helper()
				if err := callWith(verb, p); kernel.CodeOf(err) != kernel.CodeInsufficientScope {
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

// verbs gives the exported methods of all capabilities that begin on their own, with a context, for a principal. One that is
// given a transaction is a part of another, and the kernel has none.
func verbs(d *Desk) iter.Seq2[string, reflect.Value] {
	return func(yield func(string, reflect.Value) bool) {
		capabilities := reflect.ValueOf(d).Elem()
		for i := range capabilities.NumField() {
			capability := capabilities.Field(i)
			for j := range capability.NumMethod() {
				name, in := capability.Type().Method(j).Name, capability.Method(j).Type()
				_, shared := reflect.TypeFor[*kernel.Kernel]().MethodByName(name)
				verb := in.NumIn() > 0 && in.In(0) == reflect.TypeFor[context.Context]() && takesPrincipal(in)
				if verb && !shared && !yield(name, capability.Method(j)) {
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

// callWith calls a verb as p, with zero values for everything else, and gives its error.
func callWith(verb reflect.Value, p *kernel.Principal) error {
	args := make([]reflect.Value, verb.Type().NumIn())
	for i := range args {
		switch in := verb.Type().In(i); in {
		case reflect.TypeFor[context.Context]():
			args[i] = reflect.ValueOf(context.Background())
		case reflect.TypeFor[*kernel.Principal]():
			args[i] = reflect.ValueOf(p)
		default:
			args[i] = reflect.Zero(in)
		}
	}
	out := verb.Call(args)
	err, _ := out[len(out)-1].Interface().(error)
	return err
}
