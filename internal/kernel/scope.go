package kernel

import (
	"slices"
	"strings"
)

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
	ScopeEventsRead         Scope = "events:read" // the feed and its streams
	ScopeNotesRead          Scope = "notes:read"
	ScopeNotesWrite         Scope = "notes:write"
	ScopeRepliesManage      Scope = "replies:manage"
	ScopeAuditRead          Scope = "audit:read"
	ScopeDataManage         Scope = "data:manage"
)

// AllScopes lists the scopes in the order in which they are shown. Nothing else depends on the order.
var AllScopes = []Scope{
	ScopeConversationsRead, ScopeConversationsWrite,
	ScopeMessagesRead, ScopeMessagesSend, ScopeMediaWrite,
	ScopeContactsRead, ScopeContactsWrite,
	ScopeAttendancesRead, ScopeAttendancesWrite,
	ScopeTeamRead, ScopeReportsRead, ScopeWebhooksManage,
	ScopeRead, ScopeWrite,
	ScopeLabelsWrite, ScopeTeamManage, ScopeChannelsManage, ScopeCompanyManage, ScopeKeysManage,
	ScopeEventsRead, ScopeNotesRead, ScopeNotesWrite, ScopeRepliesManage, ScopeAuditRead, ScopeDataManage,
}

// includedIn names, for a scope, the wider scope that includes it.
var includedIn = map[Scope]Scope{ScopeEventsRead: ScopeWebhooksManage}

// IncludedIn gives the wider scope that includes this one, or "" where there is none.
func (s Scope) IncludedIn() Scope { return includedIn[s] }

// ScopeSet is a set of scopes; its zero value is empty. A set is not changed after it was made, so it may
// be shared.
type ScopeSet struct {
	names []Scope // in the order of AllScopes, each once
}

// EveryScope holds all scopes.
var EveryScope = NewScopeSet(AllScopes...)

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

// ScopesOf returns the scopes that a role has in the app: each role has those of the lower ones too.
func ScopesOf(role Role) ScopeSet { return scopesOf[role] }

// scopesOf is made once: a node asks for the scopes of everyone who is signed in every few seconds.
var scopesOf = sumScopes()

func sumScopes() map[Role]ScopeSet {
	sets, scopes := map[Role]ScopeSet{}, []Scope(nil)
	for _, step := range scopesByRole {
		scopes = append(scopes, step.adds...)
		sets[step.role] = NewScopeSet(scopes...)
	}
	return sets
}

// RegisterScope adds a scope, which people of a role and above have in the app. It is called at start-up, before the first
// request.
func RegisterScope(s Scope, role Role) {
	AllScopes = append(AllScopes, s)
	for i := range scopesByRole {
		if scopesByRole[i].role == role {
			scopesByRole[i].adds = append(scopesByRole[i].adds, s)
		}
	}
	EveryScope, scopesOf = NewScopeSet(AllScopes...), sumScopes()
}

var scopesByRole = []struct {
	role Role
	adds []Scope
}{
	{RoleAgent, []Scope{
		ScopeConversationsRead, ScopeConversationsWrite, ScopeMessagesRead, ScopeMessagesSend, ScopeMediaWrite, ScopeContactsRead,
		ScopeContactsWrite, ScopeAttendancesRead, ScopeAttendancesWrite, ScopeTeamRead, ScopeRead, ScopeWrite, ScopeEventsRead,
		ScopeNotesRead, ScopeNotesWrite,
	}},
	{RoleManager, []Scope{ScopeReportsRead, ScopeLabelsWrite, ScopeTeamManage, ScopeRepliesManage}},
	{RoleAdmin, []Scope{ScopeChannelsManage, ScopeCompanyManage, ScopeWebhooksManage, ScopeKeysManage, ScopeAuditRead}},
	{RoleOwner, []Scope{ScopeDataManage}},
}
