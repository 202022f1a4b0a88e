package kernel

import (
	"slices"
	"strings"
)

// Scope is a permission of an API key.
type Scope string

// AllScopes lists the registered scopes in display order.
var AllScopes []Scope

// EveryScope contains all scopes.
var EveryScope ScopeSet

var (
	includedIn = map[Scope]Scope{} // the wider scope that includes a scope
	scopesOf   = map[Role]ScopeSet{}
)

// RegisterScope adds a scope. In the app, members with the role or a higher one have it. Call it at start-up, before the
// first request.
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

// ScopesOf returns the scopes that a role has in the app, including those of lower roles.
func ScopesOf(role Role) ScopeSet { return scopesOf[role] }

// ScopeSet is an immutable set of scopes. Its zero value is empty.
type ScopeSet struct {
	names []Scope // in the order of AllScopes, each once
}

// NewScopeSet returns the set of the given scopes. Unknown scopes are left out.
func NewScopeSet(scopes ...Scope) ScopeSet {
	var set ScopeSet
	for _, known := range AllScopes {
		if slices.Contains(scopes, known) {
			set.names = append(set.names, known)
		}
	}
	return set
}

// ParseScopes parses the names in body.scopes. Names may be repeated.
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

// StoredScopes parses the result of Stored. Unknown names are left out.
func StoredScopes(text string) ScopeSet { return NewScopeSet(storedNames[Scope](text)...) }

// Stored returns the names of the scopes, separated by spaces.
func (set ScopeSet) Stored() string { return strings.Join(texts(set.names), " ") }

// Has reports whether the set contains the scope, or a wider one that includes it. Every set has the empty scope; no set
// has an unknown one.
func (set ScopeSet) Has(s Scope) bool {
	if s == "" || slices.Contains(set.names, s) {
		return true
	}
	wider := s.IncludedIn()
	return wider != "" && slices.Contains(set.names, wider)
}

// Subset reports whether other has every scope of the set.
func (set ScopeSet) Subset(other ScopeSet) bool { return len(set.Without(other).names) == 0 }

// Without returns the scopes of the set that other lacks.
func (set ScopeSet) Without(other ScopeSet) ScopeSet {
	return ScopeSet{slices.DeleteFunc(set.List(), other.Has)}
}

// List returns a copy of the scopes in the order of AllScopes, never nil.
func (set ScopeSet) List() []Scope {
	return append(make([]Scope, 0, len(set.names)), set.names...)
}
