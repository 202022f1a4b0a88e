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
