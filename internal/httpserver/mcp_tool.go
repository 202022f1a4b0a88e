package httpserver

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

	"recado/internal/kernel"
)

// headerKey and argumentKey name an idempotency key in a request of the API and among the arguments of a tool.
const (
	headerKey   = "Idempotency-Key"
	argumentKey = ArgumentKey
)

// tool is what an assistant may call.
type tool struct {
	name      string
	verb      kernel.Verb
	described *sdk.Tool
	serve     func(w http.ResponseWriter, from *incoming, arguments map[string]json.RawMessage)
}

// tools makes the tools of the operations, and those that are no operations.
func (h *Handler) tools() (map[string]*tool, error) {
	doc, err := h.document()
	if err != nil {
		return nil, err
	}
	out := map[string]*tool{}
	for _, route := range h.api.Routes() {
		l := route.Tool
		if l == nil {
			continue
		}
		op, err := doc.operation(route)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.Name, err)
		}
		out[l.Name] = &tool{
			name: l.Name, verb: route.Verb, serve: h.operation(route, op),
			described: describe(l, route.Summary, op.description, op.schema, op.result),
		}
	}
	for _, own := range h.api.Tools() {
		out[own.Name] = &tool{
			name: own.Name, verb: own.Verb, serve: h.own(own),
			described: describe(&own.Tool, own.Title, own.About, own.Schema, map[string]any{"type": "object"}),
		}
	}
	return out, nil
}

// describe is a tool as clients see it. A tool that changes something counts as destructive, one that only adds does not.
// Without a result schema, a result may be null.
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

// operation makes a tool's call the call of its operation.
func (h *Handler) operation(route *Route, op *operation) func(http.ResponseWriter, *incoming, map[string]json.RawMessage) {
	return func(w http.ResponseWriter, from *incoming, arguments map[string]json.RawMessage) {
		l, rest := route.Tool, maps.Clone(arguments)
		path, header := route.Path, from.header()
		if l.ID != "" {
			id, invalid := takeText(rest, l.ID)
			if invalid != nil {
				h.api.Refuse(w, from.request, invalid)
				return
			}
			if _, ok := kernel.ParseID(id); !ok {
				id = "none" // the operation answers 404; .. would lead to another address, or to none
			}
			path = strings.Replace(path, "{id}", id, 1)
		}
		if slices.Contains(l.Needs, argumentKey) {
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
				h.api.Refuse(w, from.request, kernel.Errorf(kernel.CodeInvalidJSON, "The arguments are not valid JSON."))
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
		r, err := http.NewRequestWithContext(from.request.Context(), route.Method, target, body)
		if err != nil { // a path that no URL can have
			h.api.Refuse(w, from.request, kernel.Errorf(kernel.CodeNotFound, "There is no resource with this id."))
			return
		}
		r.Header, r.Host, r.RemoteAddr = header, from.request.Host, from.request.RemoteAddr
		h.api.ServeHTTP(w, r)
	}
}

// own serves a tool that is no operation.
func (h *Handler) own(t OwnTool) func(http.ResponseWriter, *incoming, map[string]json.RawMessage) {
	return func(w http.ResponseWriter, from *incoming, arguments map[string]json.RawMessage) {
		if !h.api.Spend(w, from.request, from.holder) {
			return
		}
		answer, err := toolCall(t, from, arguments)
		if err != nil {
			h.api.Refuse(w, from.request, err)
			return
		}
		_, _ = w.Write(answer)
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
