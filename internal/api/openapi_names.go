package api

import (
	"net/http"
	"strings"
)

// operationNames are the ids of operations that do not follow from the name of the verb. Generated clients name their
// methods after the ids, so that an id never changes.
var operationNames = map[string]string{
	"GET /setup":                        "getSetup",
	"POST /setup":                       "setUp",
	"POST /session":                     "signIn",
	"GET /welcome":                      "getWelcome",
	"POST /welcome":                     "acceptWelcome",
	"GET /me/preferences":               "getPreferences",
	"DELETE /me/two-factor":             "removeTwoFactor",
	"POST /channels/{id}/simulate":      "simulateChannel",
	"GET /inbox/counts":                 "getInboxCounts",
	"POST /conversations/{id}/read":     "markConversationRead",
	"POST /conversations/{id}/unread":   "markConversationUnread",
	"POST /conversations/{id}/take":     "takeConversation",
	"POST /conversations/{id}/snooze":   "snoozeConversation",
	"PUT /conversations/{id}/bot":       "setConversationBot",
	"POST /conversations/bulk":          "changeConversations",
	"PATCH /scheduled/{id}":             "updateScheduledMessage",
	"DELETE /scheduled/{id}":            "cancelScheduledMessage",
	"GET /messages":                     "searchMessages",
	"PUT /messages/{id}/reaction":       "reactToMessage",
	"DELETE /messages/{id}/reaction":    "removeReaction",
	"GET /media/{id}/url":               "getMediaLink",
	"POST /conversations/{id}/transfer": "transferConversation",
	"PUT /conversations/{id}/sector":    "setConversationSector",
	"GET /team":                         "listTeam",
	"POST /team/invitations":            "inviteMember",
	"POST /team/{id}/reset-link":        "createResetLink",
	"GET /company/attendance":           "getAttendanceRules",
	"GET /hours":                        "listHours",
	"GET /hours/{id}":                   "getHours",
	"GET /hours/{id}/status":            "getHoursStatus",
	"POST /integrations/webhooks/{id}/deliveries/{delivery_id}/redeliver": "redeliverWebhook",
	"GET /events/stream":                "followEvents",
	"GET /live":                         "followLive",
	"POST /conversations/{id}/activity": "reportActivity",
	"GET /kanban/boards/{id}/counts":    "getBoardCounts",
}

// operationID is a verb: sendMessage, listKeys, getKey.
func (r *Route) operationID() string {
	if name, ok := operationNames[r.Method+" "+r.Path]; ok {
		return name
	}
	name := r.Verb.Name
	switch {
	case r.Method != http.MethodGet:
		return strings.ToLower(name[:1]) + name[1:]
	case strings.HasSuffix(name, "s"):
		return "list" + name
	}
	return "get" + name
}

// tags are the groups of operations, in the order in which the API page shows them.
var tags = []struct{ name, description string }{
	{"conversations", "Conversations with customers: find, open, change, transfer and snooze them; saved views and counts of the inbox."},
	{"messages", "Messages of conversations: read, search, send, schedule and react."},
	{"notes", "Internal notes of the team in conversations, which are never sent to a customer."},
	{"replies", "Canned replies of the team and of single people."},
	{"media", "Files: upload, describe, link and read them."},
	{"contacts", "The address book of the company."},
	{"labels", "Labels of contacts, conversations and cards."},
	{"attendances", "Attendances: what a customer wants, from the first message to the close, with a protocol number."},
	{"team", "Team members, invitations and sectors with their queues."},
	{"company", "The company, its attendance rules and opening hours."},
	{"reports", "Figures of the team's work."},
	{"kanban", "Boards, stages and cards. Every POST needs an Idempotency-Key, every change of a card its version."},
	{"channels", "WhatsApp numbers and sandboxes, their templates and what they answer by themselves."},
	{"webhooks", "Addresses that receive events, and their deliveries."},
	{"events", "The feed of events, page by page or as a stream."},
	{"keys", "API keys, and who a key or session is."},
	{"app", "For the app: signing in, and what only people who are signed in may do. API keys cannot make these calls."},
}

// tagOf is the tag of the paths that begin with a word, where it is another word.
var tagOf = map[string]string{
	"me": "keys", "inbox": "conversations", "views": "conversations", "scheduled": "messages", "sectors": "team", "hours": "company",
	"integrations": "webhooks", "private-channels": "channels",
}

// tag is the group of an operation.
func (r *Route) tag() string {
	if r.Open || r.Verb.SessionOnly {
		return "app"
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(r.Path, "/"), "/")
	if name, ok := tagOf[first]; ok {
		return name
	}
	return first
}

// describedTags are those of the tags that operations have.
func describedTags(used map[string]bool) []any {
	out := []any{}
	for _, tag := range tags {
		if used[tag.name] {
			out = append(out, map[string]any{"name": tag.name, "description": tag.description})
		}
	}
	return out
}
