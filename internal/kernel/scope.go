package kernel

import (
	"slices"
	"strings"
)

// Scope is one permission of an API key.
type Scope string

// AllScopes lists the registered scopes in the order in which they are shown. Nothing else depends on the order.
var AllScopes []Scope

// EveryScope contains all scopes.
var EveryScope ScopeSet

var (
	includedIn = map[Scope]Scope{}   // the wider scope that includes a scope
	scopesOf   = map[Role]ScopeSet{} // what a role has in the app
	roles      = []Role{RoleAgent, RoleManager, RoleAdmin, RoleOwner}
)

// RegisterScope adds a scope, which members with a role and those above it have in the app. It is called at start-up, before
// the first request.
func RegisterScope(s Scope, role Role) Scope {
	AllScopes = append(AllScopes, s)
	EveryScope = NewScopeSet(AllScopes...)
	for _, other := range roles {
		if other.AtLeast(role) {
			scopesOf[other] = NewScopeSet(append(scopesOf[other].List(), s)...)
		}
	}
	return s
}

// RegisterIncluded is RegisterScope for a scope that a wider one includes.
func RegisterIncluded(s Scope, role Role, wider Scope) Scope {
	includedIn[s] = wider
	return RegisterScope(s, role)
}

// IncludedIn returns the wider scope that includes this one, or "".
func (s Scope) IncludedIn() Scope { return includedIn[s] }

// ScopesOf returns the scopes that a role has in the app. Each role has those of the lower ones too.
func ScopesOf(role Role) ScopeSet { return scopesOf[role] }

// ScopeSet is a set of scopes; its zero value is empty. A set is not changed after it was made, so it may
// be shared.
type ScopeSet struct {
	names []Scope // in the order of AllScopes, each once
}

// NewScopeSet gives the set of the scopes named. Unknown scopes are left out.
func NewScopeSet(scopes ...Scope) ScopeSet {
	var set ScopeSet
	for _, known := range AllScopes {
		if slices.Contains(scopes, known) {
			set.names = append(set.names, known)
		}
	}
	return set
}

// ParseScopes reads the names of a request's body. A name given twice counts once.
func ParseScopes(names []string) (ScopeSet, *Error) {
	scopes := make([]Scope, len(names))
	for i, name := range names {
		scopes[i] = Scope(name)
		if !slices.Contains(AllScopes, scopes[i]) {
			return ScopeSet{}, unknownName("body.scopes", "scope", name, AllScopes)
		}
	}
	return NewScopeSet(scopes...), nil
}

// StoredScopes reads the form that Stored writes. Names that this version does not know are left out.
func StoredScopes(text string) ScopeSet {
	var scopes []Scope
	for name := range strings.FieldsSeq(text) {
		scopes = append(scopes, Scope(name))
	}
	return NewScopeSet(scopes...)
}

// Stored gives the names of the scopes with a space between two of them.
func (set ScopeSet) Stored() string {
	var b strings.Builder
	for i, name := range set.names {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(string(name))
	}
	return b.String()
}

// Has reports whether the set holds the scope, or a wider one that includes it. The empty scope, which a
// verb without one asks for, is in every set; an unknown one is in none.
func (set ScopeSet) Has(s Scope) bool {
	if s == "" || slices.Contains(set.names, s) {
		return true
	}
	wider := s.IncludedIn()
	return wider != "" && slices.Contains(set.names, wider)
}

// Subset reports whether other has every scope of the set.
func (set ScopeSet) Subset(other ScopeSet) bool { return len(set.Without(other).names) == 0 }

// Without gives the scopes of the set that other lacks: those a creator may not hand out.
func (set ScopeSet) Without(other ScopeSet) ScopeSet {
	return ScopeSet{slices.DeleteFunc(set.List(), other.Has)}
}

// List gives the scopes in the order of AllScopes, never nil. The list is the caller's.
func (set ScopeSet) List() []Scope {
	return append(make([]Scope, 0, len(set.names)), set.names...)
}
