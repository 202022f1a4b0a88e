package httpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"recado/internal/kernel"
)

type tool struct {
	name      string
	verb      kernel.Verb
	described *sdk.Tool
	serve     func(w http.ResponseWriter, from *incoming, arguments map[string]json.RawMessage)
}

// tools returns the tools for operations and the other tools of capabilities.
func (h *Handler) tools() (map[string]*tool, error) {
	raw, err := h.api.Document()
	if err != nil {
		return nil, err
	}
	var doc Document
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, err
	}
	out := map[string]*tool{}
	for _, route := range h.api.table {
		t := route.Tool
		if t == nil {
			continue
		}
		op, err := doc.toolOperation(route)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Name, err)
		}
		out[t.Name] = &tool{
			name: t.Name, verb: route.Verb, serve: h.operation(route, op),
			described: describe(t, route.Summary, op.description, op.schema, op.result),
		}
	}
	for _, own := range h.api.tools {
		out[own.Name] = &tool{
			name: own.Name, verb: own.Verb, serve: h.own(own),
			described: describe(&own.Tool, own.Title, own.About, own.Schema, map[string]any{"type": "object"}),
		}
	}
	return out, nil
}

// describe describes a tool for clients. Tools that change something are destructive; those that only add something are not.
// result is nil if the result may be null.
func describe(d *Tool, title, about string, schema, result map[string]any) *sdk.Tool {
	t := &sdk.Tool{
		Name: d.Name, Title: title, Description: strings.TrimSpace(title + ". " + about), InputSchema: schema,
		Annotations: &sdk.ToolAnnotations{
			Title: title, ReadOnlyHint: d.Effect == Reads, DestructiveHint: new(d.Effect == Changes), IdempotentHint: true,
			OpenWorldHint: new(d.Reaches),
		},
	}
	if result != nil {
		t.OutputSchema = result
	}
	return t
}

// operation returns a function that calls the operation of a tool.
func (h *Handler) operation(route *Route, op *operation) func(http.ResponseWriter, *incoming, map[string]json.RawMessage) {
	return func(w http.ResponseWriter, from *incoming, arguments map[string]json.RawMessage) {
		r, err := h.request(route, op, from, maps.Clone(arguments))
		if err != nil {
			h.api.Refuse(w, from.request, err)
			return
		}
		h.api.ServeHTTP(w, r)
	}
}

func (h *Handler) request(
	route *Route, op *operation, from *incoming, arguments map[string]json.RawMessage,
) (*http.Request, error) {
	path, header := route.Path, from.header()
	if name := route.Tool.ID; name != "" {
		id, invalid := takeText(arguments, name)
		if invalid != nil {
			return nil, invalid
		}
		if _, ok := kernel.ParseID(id); !ok {
			id = "none" // the operation responds with 404; ".." would be another path
		}
		path = strings.Replace(path, "{id}", id, 1)
	}
	if slices.Contains(route.Tool.Needs, ArgumentKey) {
		key, invalid := takeText(arguments, ArgumentKey)
		if invalid != nil {
			return nil, invalid
		}
		header.Set(headerIdempotencyKey, key)
	}
	target, body := h.api.base+"/v1"+path, io.Reader(http.NoBody)
	if op.hasBody {
		raw, err := json.Marshal(arguments) // sorted, so that repeated calls have the same fingerprint
		if err != nil {
			return nil, kernel.Errorf(kernel.CodeInvalidJSON, "The arguments are not valid JSON.")
		}
		header.Set("Content-Type", "application/json")
		body = bytes.NewReader(raw)
	} else {
		if invalid := route.family.expand(arguments); invalid != nil {
			return nil, invalid
		}
		query, invalid := queryOf(arguments)
		if invalid != nil {
			return nil, invalid
		}
		target += query
	}
	r, err := http.NewRequestWithContext(from.request.Context(), route.Method, target, body)
	if err != nil {
		return nil, kernel.Errorf(kernel.CodeNotFound, "There is no resource with this id.")
	}
	r.Header, r.Host, r.RemoteAddr = header, from.request.Host, from.request.RemoteAddr
	return r, nil
}

// own returns a function that calls a tool that is not an operation.
func (h *Handler) own(t OwnTool) func(http.ResponseWriter, *incoming, map[string]json.RawMessage) {
	return func(w http.ResponseWriter, from *incoming, arguments map[string]json.RawMessage) {
		if !h.api.Spend(w, from.request, from.holder) {
			return
		}
		result, err := toolCall(t, from, arguments)
		if err != nil {
			h.api.Refuse(w, from.request, err)
			return
		}
		_, _ = w.Write(result)
	}
}

func toolCall(t OwnTool, from *incoming, arguments map[string]json.RawMessage) ([]byte, error) {
	if err := from.holder.May(t.Verb); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(arguments)
	if err != nil {
		return nil, kernel.Errorf(kernel.CodeInvalidJSON, "The arguments are not valid JSON.")
	}
	return t.Call(from.request.Context(), from.holder, raw)
}

// header returns the headers of the request that the operation needs.
func (f *incoming) header() http.Header {
	out := http.Header{}
	for _, name := range []string{"Authorization", "User-Agent", headerRequestID, "X-Forwarded-For", "X-Forwarded-Proto"} {
		if values := f.request.Header[name]; len(values) > 0 {
			out[name] = values
		}
	}
	return out
}

// ArgumentKey is the argument of a tool for the idempotency key.
const ArgumentKey = "idempotency_key"

// Tool offers an operation to assistants.
type Tool struct {
	Name    string
	ID      string   // the argument for {id} in the path
	Needs   []string // arguments that are required although they are optional for the operation
	About   string   // added to the description of the operation
	Effect  Effect
	Reaches bool // has effects on people outside of the team
}

// Effect says what a tool changes.
type Effect uint8

// Effects of tools.
const (
	Reads   Effect = iota // nothing
	Adds                  // something new; a repeat with the same id adds nothing
	Changes               // something that exists, or what a customer sees
)

// OwnTool is a tool that is not an operation of the API. About describes it.
type OwnTool struct {
	Tool
	Title  string
	Verb   kernel.Verb
	Schema map[string]any // of the arguments
	// Call returns the result as a JSON object. The caller checks the permission of the verb.
	Call func(ctx context.Context, a *kernel.Principal, arguments []byte) ([]byte, error)
}

// AsTool offers an operation to assistants.
func AsTool(t Tool) option { return func(r *Route) { r.Tool = &t } }

// readArguments parses the arguments of a call: an object or nothing.
func readArguments(raw json.RawMessage) (map[string]json.RawMessage, *kernel.Error) {
	out := map[string]json.RawMessage{}
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" {
		return out, nil
	}
	if json.Unmarshal(raw, &out) != nil {
		return nil, kernel.Malformed("arguments", "object")
	}
	return out, nil
}

// takeText removes a required text argument and returns it.
func takeText(arguments map[string]json.RawMessage, name string) (string, *kernel.Error) {
	raw, given := arguments[name]
	delete(arguments, name)
	var text string
	switch {
	case !given || string(raw) == "null":
		return "", kernel.Required(name)
	case json.Unmarshal(raw, &text) != nil:
		return "", kernel.Malformed(name, "string")
	case text == "":
		return "", kernel.Invalid(name, kernel.RuleRequired, "must not be empty")
	}
	return text, nil
}

// expand replaces the argument of a family, which is an object, by its parameters.
func (f *family) expand(arguments map[string]json.RawMessage) *kernel.Error {
	if f == nil || arguments[f.name] == nil {
		return nil
	}
	var values map[string]json.RawMessage
	if json.Unmarshal(arguments[f.name], &values) != nil {
		return kernel.Malformed(f.name, "object")
	}
	delete(arguments, f.name)
	for key, value := range values {
		arguments[f.prefix+strings.TrimPrefix(key, f.prefix)] = value
	}
	return nil
}

// queryOf encodes arguments as a query with its question mark. It ignores null.
func queryOf(arguments map[string]json.RawMessage) (string, *kernel.Error) {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		value, ok := queryValue(arguments[name])
		switch {
		case !ok:
			return "", kernel.Malformed(name, "scalar")
		case value != nil:
			parts = append(parts, url.QueryEscape(name)+"="+url.QueryEscape(*value))
		}
	}
	if len(parts) == 0 {
		return "", nil
	}
	return "?" + strings.Join(parts, "&"), nil
}

// queryValue returns the text of a scalar, or nil for null.
func queryValue(raw json.RawMessage) (*string, bool) {
	var text string
	switch raw = bytes.TrimSpace(raw); {
	case string(raw) == "null":
		return nil, true
	case len(raw) == 0 || raw[0] == '{' || raw[0] == '[':
		return nil, false
	case raw[0] != '"':
		return new(string(raw)), true
	case json.Unmarshal(raw, &text) != nil:
		return nil, false
	}
	return &text, true
}
