package model

import (
	"slices"
	"strings"
	"testing"
)

func TestParseScopes(t *testing.T) {
	tests := []struct {
		name    string
		in      []string
		want    []Scope
		unknown string
	}{
		{"nothing gives the empty set", nil, []Scope{}, ""},
		{"every scope is known by its name", strings.Split(joined(AllScopes), ", "), AllScopes, ""},
		{"a scope given twice counts once", []string{"read", "read"}, []Scope{ScopeRead}, ""},
		{"the list has one order", []string{"write", "team:read", "read"}, []Scope{ScopeTeamRead, ScopeRead, ScopeWrite}, ""},
		{"an unknown scope is named", []string{"read", "messages:write"}, nil, `"messages:write"`},
		{"case counts", []string{"Read"}, nil, `"Read"`},
		{"spaces count", []string{" read"}, nil, `" read"`},
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

func TestScopeSet(t *testing.T) {
	some := NewScopeSet(ScopeRead, ScopeTeamRead)
	if len(AllScopes) != 19 || len(EveryScope.List()) != 19 {
		t.Errorf("%d scopes", len(AllScopes))
	}
	if !some.Has(ScopeRead) || some.Has(ScopeWrite) || some.Has("nonsense") {
		t.Error("Has is wrong")
	}
	if !ScopeSet(0).Has("") {
		t.Error("an operation without a scope must be open to every key")
	}
	if !some.Subset(EveryScope) || !some.Subset(some) || EveryScope.Subset(some) || !ScopeSet(0).Subset(0) {
		t.Error("Subset is wrong")
	}
	if got := some.Without(NewScopeSet(ScopeRead)); got != NewScopeSet(ScopeTeamRead) {
		t.Errorf("Without gives %v", got.List())
	}
	if ScopeSet(0).List() == nil {
		t.Error("an empty list must be a list, not null")
	}
}

func FuzzParseScopes(f *testing.F) {
	f.Add("read,write")
	f.Add("read,,x\x00\xff")
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
		if again, err := ParseScopes(strings.Split(joined(set.List()), ", ")); err != nil || again != set {
			t.Errorf("%v does not survive a round trip", set.List())
		}
	})
}
