package kernel

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Scopes of these tests, with the roles that have them.
var (
	scopeRead   = RegisterScope("things:read", RoleAgent)
	scopeWrite  = RegisterScope("things:write", RoleManager)
	scopeAll    = RegisterScope("things:manage", RoleAdmin)
	scopeListen = RegisterIncluded("things:listen", RoleAgent, scopeAll)
	_           = RegisterScope("things:erase", RoleOwner)
)

func TestParseScopes(t *testing.T) {
	tests := []struct {
		name    string
		in      []string
		want    []Scope
		unknown string
	}{
		{"nothing gives the empty set", nil, []Scope{}, ""},
		{"every scope is accepted", strings.Fields(EveryScope.Stored()), AllScopes, ""},
		{"a scope given twice counts once", []string{"things:read", "things:read"}, []Scope{scopeRead}, ""},
		{"the list has one order", []string{"things:manage", "things:write", "things:read"}, []Scope{scopeRead, scopeWrite, scopeAll}, ""},
		{"an unknown scope is named", []string{"things:read", "messages:write"}, nil, `"messages:write"`},
		{"case counts", []string{"Things:read"}, nil, `"Things:read"`},
		{"spaces count", []string{" things:read"}, nil, `" things:read"`},
		{"the empty name is no scope", []string{""}, nil, `""`},
		{"a hostile name is shown short and printable", []string{"\n" + strings.Repeat("x", 1000)}, nil, `"\n` + strings.Repeat("x", 39) + `..."`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			set, err := ParseScopes(tt.in)
			if tt.unknown != "" {
				if err == nil || err.Code != CodeInvalidRequest || len(err.Fields) != 1 || err.Fields[0].Field != "body.scopes" {
					t.Fatalf("error %v", err)
				}
				if !strings.Contains(err.Message, tt.unknown) {
					t.Errorf("the message does not name %s: %s", tt.unknown, err.Message)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := set.List(); !slices.Equal(got, tt.want) {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestAWiderScopeIncludesAnother(t *testing.T) {
	manage, read := NewScopeSet(scopeAll), NewScopeSet(scopeListen)
	if !manage.Has(scopeListen) || !read.Subset(manage) {
		t.Error("the wider scope does not include the other")
	}
	if read.Has(scopeAll) || manage.Subset(read) {
		t.Error("the included scope includes the wider one")
	}
	if diff := cmp.Diff([]Scope{scopeAll}, manage.List()); diff != "" {
		t.Errorf("an included scope is listed only where it was given (-want +got):\n%s", diff)
	}
}

func TestScopesAreStoredByName(t *testing.T) {
	const stored = "things:read things:write things:listen"
	if diff := cmp.Diff([]Scope{scopeRead, scopeWrite, scopeListen}, StoredScopes(stored).List()); diff != "" {
		t.Errorf("StoredScopes (-want +got):\n%s", diff)
	}
	if got := StoredScopes("things:listen of:a:newer:version things:write things:read").Stored(); got != stored {
		t.Errorf("got %q, want %q", got, stored)
	}
	if got := StoredScopes(EveryScope.Stored()).List(); !slices.Equal(got, AllScopes) {
		t.Errorf("a set of %d scopes is read as %v", len(AllScopes), got)
	}
}

func FuzzParseScopes(f *testing.F) {
	f.Add("things:read,things:write")
	f.Add("things:read,,x\x00\xff")
	f.Fuzz(func(t *testing.T, s string) {
		names := strings.Split(s, ",")
		set, err := ParseScopes(names)
		if err != nil {
			return
		}
		for _, name := range names {
			if !set.Has(Scope(name)) {
				t.Errorf("%q is lost", name)
			}
		}
		if again, err := ParseScopes(strings.Fields(set.Stored())); err != nil || !slices.Equal(again.List(), set.List()) {
			t.Errorf("%v does not survive a round trip", set.List())
		}
	})
}

func TestEachRoleHasTheScopesOfTheLowerOnes(t *testing.T) {
	roles := []Role{RoleAgent, RoleManager, RoleAdmin, RoleOwner}
	for i, role := range roles[1:] {
		lower, higher := ScopesOf(roles[i]), ScopesOf(role)
		if !lower.Subset(higher) || higher.Subset(lower) {
			t.Errorf("%s has %v, %s has %v", roles[i], lower.List(), role, higher.List())
		}
	}
	if diff := cmp.Diff(AllScopes, ScopesOf(RoleOwner).List()); diff != "" {
		t.Errorf("an owner's scopes (-want +got):\n%s", diff)
	}
	if got := ScopesOf("").List(); len(got) != 0 {
		t.Errorf("no role has %v", got)
	}
}
