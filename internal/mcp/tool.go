package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"recado/internal/api"
	"recado/internal/desk"
	"recado/internal/model"
)

// headerKey and argumentKey name an idempotency key in a request of the API and among the arguments of a tool.
const (
	headerKey   = "Idempotency-Key"
	argumentKey = "idempotency_key"
)

// tool is what an assistant may call.
type tool struct {
	name      string
	verb      desk.Verb
	described *sdk.Tool
	serve     func(w http.ResponseWriter, from *incoming, arguments map[string]json.RawMessage)
}

// line is a line of the table of tools: an operation and how it is shown.
type line struct {
	name   string
	method string
	path   string
	id     string   // what {id} of the path is called among the arguments
	needs  []string // arguments that are required though the operation also takes them in another way, or not at all
	about  string   // added to the description of the operation
	effect effect
}

// effect is what a call changes.
type effect uint8

const (
	reads   effect = iota // nothing
	adds                  // something new; a repeat with the same id adds nothing
	changes               // something that exists, or what a customer sees
)

// lines is the table of the tools that are operations. The descriptions of the operations belong to it.
var lines = []line{
	{name: "get_me", method: "GET", path: "/me", about: "Tells the member whom the key acts as, the company, and what the key may do."},
	{name: "list_conversations", method: "GET", path: "/conversations"},
	{name: "get_conversation", method: "GET", path: "/conversations/{id}", id: "conversation_id"},
	{name: "list_messages", method: "GET", path: "/conversations/{id}/messages", id: "conversation_id"},
	{name: "get_message", method: "GET", path: "/messages/{id}", id: "message_id"},
	{name: "search_messages", method: "GET", path: "/messages"},
	{name: "list_notes", method: "GET", path: "/conversations/{id}/notes", id: "conversation_id"},
	{name: "list_contacts", method: "GET", path: "/contacts"},
	{name: "get_contact", method: "GET", path: "/contacts/{id}", id: "contact_id"},
	{name: "list_labels", method: "GET", path: "/labels"},
	{name: "list_attendances", method: "GET", path: "/attendances"},
	{name: "get_attendance", method: "GET", path: "/attendances/{id}", id: "attendance_id"},
	{name: "get_open_attendance", method: "GET", path: "/conversations/{id}/attendance", id: "conversation_id"},
	{name: "list_channels", method: "GET", path: "/channels"},
	{name: "list_templates", method: "GET", path: "/channels/{id}/templates", id: "channel_id"},
	{name: "list_team", method: "GET", path: "/team"},
	{name: "list_sectors", method: "GET", path: "/sectors"},
	{name: "get_attendance_report", method: "GET", path: "/reports/attendance"},
	{name: "list_boards", method: "GET", path: "/kanban/boards"},
	{name: "get_board", method: "GET", path: "/kanban/boards/{id}", id: "board_id"},
	{name: "list_cards", method: "GET", path: "/kanban/cards"},
	{name: "get_card", method: "GET", path: "/kanban/cards/{id}", id: "card_id"},

	{
		name: "send_message", method: "POST", path: "/conversations/{id}/messages", id: "conversation_id", needs: []string{"client_id"}, effect: changes,
		about: "The message reaches the customer on WhatsApp and cannot be taken back.",
	},
	{
		name: "start_conversation", method: "POST", path: "/conversations", effect: changes,
		about: "It sends nothing: follow with send_message, on WhatsApp with a template if the customer has not written within 24 hours.",
	},
	{name: "take_conversation", method: "POST", path: "/conversations/{id}/take", id: "conversation_id", effect: changes},
	{name: "update_conversation", method: "PATCH", path: "/conversations/{id}", id: "conversation_id", effect: changes, about: "Use list_labels for the ids of labels."},
	{name: "update_contact", method: "PATCH", path: "/contacts/{id}", id: "contact_id", effect: changes},
	{name: "create_note", method: "POST", path: "/conversations/{id}/notes", id: "conversation_id", needs: []string{"client_id"}, effect: adds},
	{name: "transfer_conversation", method: "POST", path: "/conversations/{id}/transfer", id: "conversation_id", effect: changes},
	{name: "close_attendance", method: "POST", path: "/conversations/{id}/attendance/close", id: "conversation_id", effect: changes},
	{name: "create_card", method: "POST", path: "/kanban/cards", needs: []string{argumentKey}, effect: adds},
	{
		name: "update_card", method: "PATCH", path: "/kanban/cards/{id}", id: "card_id", needs: []string{"version"}, effect: changes,
		about: "Absent fields do not change.",
	},
	{name: "move_card", method: "POST", path: "/kanban/cards/{id}/move", id: "card_id", needs: []string{argumentKey, "version"}, effect: changes},
}

// tools makes the tools of the table and save_draft.
func (h *Handler) tools() (map[string]*tool, error) {
	doc, err := h.document()
	if err != nil {
		return nil, err
	}
	out := map[string]*tool{}
	for _, l := range lines {
		i := slices.IndexFunc(h.api.Routes(), func(r *api.Route) bool { return r.Method == l.method && r.Path == l.path })
		if i < 0 {
			return nil, fmt.Errorf("%s: there is no operation %s %s", l.name, l.method, l.path)
		}
		route := h.api.Routes()[i]
		op, err := doc.operation(l)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.name, err)
		}
		out[l.name] = &tool{
			name: l.name, verb: route.Verb, serve: h.operation(l, op),
			described: describe(l.name, route.Summary, op.description, l.effect, op.schema, op.result),
		}
	}
	draft := h.draft()
	out[draft.name] = draft
	return out, nil
}

// describe is a tool as clients see it. A tool that changes something counts as destructive, one that only adds does not.
// Without a result schema, a result may be null.
func describe(name, title, about string, e effect, schema, result map[string]any) *sdk.Tool {
	t := &sdk.Tool{
		Name: name, Title: title, Description: strings.TrimSpace(title + ". " + about), InputSchema: schema,
		Annotations: &sdk.ToolAnnotations{
			Title: title, ReadOnlyHint: e == reads, DestructiveHint: new(e == changes), IdempotentHint: true,
			OpenWorldHint: new(name == "send_message"),
		},
	}
	if result != nil {
		t.OutputSchema = result
	}
	return t
}

// operation makes a tool's call the call of its operation.
func (h *Handler) operation(l line, op *operation) func(http.ResponseWriter, *incoming, map[string]json.RawMessage) {
	return func(w http.ResponseWriter, from *incoming, arguments map[string]json.RawMessage) {
		rest := maps.Clone(arguments)
		path, header := l.path, from.header()
		if l.id != "" {
			id, invalid := takeText(rest, l.id)
			if invalid != nil {
				h.api.Refuse(w, from.request, invalid)
				return
			}
			if _, ok := model.ParseID(id); !ok {
				id = "none" // the operation answers 404; .. would lead to another address, or to none
			}
			path = strings.Replace(path, "{id}", id, 1)
		}
		if slices.Contains(l.needs, argumentKey) {
			key, invalid := takeText(rest, argumentKey)
			if invalid != nil {
				h.api.Refuse(w, from.request, invalid)
				return
			}
			header.Set(headerKey, key)
		}
		target, body := h.api.Base()+"/v1"+path, io.Reader(http.NoBody)
		if op.hasBody {
			raw, err := json.Marshal(rest) // sorted by name, so that a repeat is the same to an idempotency key
			if err != nil {
				h.api.Refuse(w, from.request, model.Errorf(model.CodeInvalidJSON, "The arguments are not valid JSON."))
				return
			}
			header.Set("Content-Type", "application/json")
			body = bytes.NewReader(raw)
		} else {
			query, invalid := queryOf(rest)
			if invalid != nil {
				h.api.Refuse(w, from.request, invalid)
				return
			}
			target += query
		}
		r, err := http.NewRequestWithContext(from.request.Context(), l.method, target, body)
		if err != nil { // a path that no URL can have
			h.api.Refuse(w, from.request, model.Errorf(model.CodeNotFound, "There is no resource with this id."))
			return
		}
		r.Header, r.Host, r.RemoteAddr = header, from.request.Host, from.request.RemoteAddr
		h.api.ServeHTTP(w, r)
	}
}

// header has what the API reads of the request of the assistant.
func (f *incoming) header() http.Header {
	out := http.Header{}
	for _, name := range []string{"Authorization", "User-Agent", headerRequestID, "X-Forwarded-For", "X-Forwarded-Proto"} {
		if values := f.request.Header[name]; len(values) > 0 {
			out[name] = values
		}
	}
	return out
}
