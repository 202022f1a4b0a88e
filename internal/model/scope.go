package model

// Scope is one permission of an API key.
type Scope string

// Every scope there is.
const (
	ScopeConversationsRead  Scope = "conversations:read"
	ScopeConversationsWrite Scope = "conversations:write"
	ScopeMessagesRead       Scope = "messages:read"
	ScopeMessagesSend       Scope = "messages:send"
	ScopeMediaWrite         Scope = "media:write"
	ScopeContactsRead       Scope = "contacts:read"
	ScopeContactsWrite      Scope = "contacts:write"
	ScopeAttendancesRead    Scope = "attendances:read"
	ScopeAttendancesWrite   Scope = "attendances:write"
	ScopeTeamRead           Scope = "team:read"
	ScopeReportsRead        Scope = "reports:read"
	ScopeWebhooksManage     Scope = "webhooks:manage"
	ScopeRead               Scope = "read"  // Kanban boards and cards
	ScopeWrite              Scope = "write" // Kanban boards and cards
	ScopeLabelsWrite        Scope = "labels:write"
	ScopeTeamManage         Scope = "team:manage"
	ScopeChannelsManage     Scope = "channels:manage"
	ScopeCompanyManage      Scope = "company:manage"
	ScopeKeysManage         Scope = "keys:manage"
)

// AllScopes lists the scopes in the order in which they are shown. A scope's place is its bit in a
// ScopeSet, which may be stored: new ones go to the end, and none is ever removed.
var AllScopes = []Scope{
	ScopeConversationsRead, ScopeConversationsWrite,
	ScopeMessagesRead, ScopeMessagesSend, ScopeMediaWrite,
	ScopeContactsRead, ScopeContactsWrite,
	ScopeAttendancesRead, ScopeAttendancesWrite,
	ScopeTeamRead, ScopeReportsRead, ScopeWebhooksManage,
	ScopeRead, ScopeWrite,
	ScopeLabelsWrite, ScopeTeamManage, ScopeChannelsManage, ScopeCompanyManage, ScopeKeysManage,
}

// ScopeSet is a set of scopes; its zero value is empty. Sets are equal when they are ==.
type ScopeSet uint32

// EveryScope holds all scopes.
var EveryScope = NewScopeSet(AllScopes...)

// NewScopeSet gives the set of the scopes named.
func NewScopeSet(scopes ...Scope) ScopeSet {
	return ScopeSet(bitsOf(AllScopes, scopes))
}

// ParseScopes reads the names of a request's body. A name given twice counts once.
func ParseScopes(names []string) (ScopeSet, *Error) {
	set, err := parseBits(AllScopes, "scope", "body.scopes", names)
	return ScopeSet(set), err
}

// Has reports whether the set holds the scope. The empty scope, which an operation without one asks for,
// is in every set; an unknown one is in none.
func (set ScopeSet) Has(s Scope) bool {
	return s == "" || uint32(set)&bitOf(AllScopes, s) != 0
}

// Subset reports whether every scope of the set is also in other.
func (set ScopeSet) Subset(other ScopeSet) bool { return set&^other == 0 }

// Without gives the scopes of the set that other lacks: those a creator may not hand out.
func (set ScopeSet) Without(other ScopeSet) ScopeSet { return set &^ other }

// List gives the scopes in the order of AllScopes, never nil.
func (set ScopeSet) List() []Scope {
	return listBits(AllScopes, uint32(set))
}
