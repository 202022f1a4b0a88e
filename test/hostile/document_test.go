// Package hostile attacks a running server: it sends values of the wrong type, length and encoding to every operation in
// the OpenAPI document, and opens connections that are slow, idle, oversized or broken. None of this may cause a 500, a
// hang or a memory leak.
package hostile

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"recado/internal/kernel"
	"recado/test/servertest"
)

// document is the part of the OpenAPI document that is needed to generate requests.
type document struct {
	Paths      map[string]map[string]operation
	Components struct{ Schemas map[string]*schema }
}

type operation struct {
	Parameters []struct {
		Name, In string
		Required bool
		Schema   *schema
	}
	RequestBody struct {
		Required bool
		Content  map[string]struct{ Schema *schema }
	}
}

type schema struct {
	Ref        string `json:"$ref"`
	Type       any
	Format     string
	Pattern    string
	Enum       []any
	Example    any
	Examples   []any
	OneOf      []*schema
	Properties map[string]*schema
	Required   []string
	Items      *schema
	MinItems   int
	Minimum    *float64
	MinLength  int
}

func (s *schema) is(kind string) bool {
	if kinds, several := s.Type.([]any); several {
		return slices.Contains(kinds, any(kind))
	}
	return s.Type == kind
}

func readDocument(t *testing.T, c *servertest.Client) *document {
	t.Helper()
	doc := &document{}
	c.Get(t, "/openapi.json").OK(200).Into(doc)
	if len(doc.Paths) < 10 {
		t.Fatalf("got %d paths in the OpenAPI document, want at least 10", len(doc.Paths))
	}
	return doc
}

// pool holds ids from responses by the name of their collection, such as conversations or labels.
type pool map[string][]string

// fill reads every list of the API and adds the ids in it.
func (p pool) fill(t *testing.T, c *servertest.Client, doc *document) {
	t.Helper()
	for path, item := range doc.Paths {
		if _, list := item["get"]; !list || strings.Contains(path, "{") || strings.HasSuffix(path, "/stream") {
			continue
		}
		if a := c.Get(t, path); a.Status == 200 {
			p.keep(lastName(path), a.At())
		}
	}
}

func (p pool) keep(name string, v any) {
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			p.keep(name, element)
		}
	case map[string]any:
		if id, ok := v["id"].(string); ok {
			p[name] = append(p[name], id)
		}
		for member, below := range v {
			if member == "data" {
				member = name
			}
			p.keep(member, below)
		}
	}
}

// of returns an id for a parameter or field of that name: a real one if the pool has any.
func (p pool) of(r *rand.Rand, name string) string {
	name = strings.TrimSuffix(strings.TrimSuffix(name, "_ids"), "_id")
	name = strings.TrimPrefix(name, "before_")
	switch name {
	case "user", "assignee":
		name = "team"
	case "client":
		return kernel.NewID().String()
	}
	known := p[name]
	if len(known) == 0 {
		known = p[name+"s"]
	}
	if len(known) == 0 {
		return kernel.NewID().String()
	}
	return known[r.IntN(len(known))]
}

func lastName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// builder generates well-formed requests from the document.
type builder struct {
	doc      *document
	ids      pool
	r        *rand.Rand
	receiver string // the only URL used, so that no request leaves the machine
	depth    int    // of the object that is being generated
}

// deepest is the depth from which objects get only their required fields, because menus can contain menus.
const deepest = 8

// request is a request of which every part can be mutated.
type request struct {
	method, path, query string
	headers             [][2]string
	body                []byte
	fields              map[string]any // of the body, before encoding
	mutations           []string       // descriptions of the mutations
}

func (b *builder) request(method, path string, op operation) *request {
	q := &request{method: strings.ToUpper(method)}
	for i, part := range strings.Split(path, "/") {
		if i == 0 {
			continue
		}
		if strings.HasPrefix(part, "{") {
			name := strings.Trim(part, "{}")
			if name == "id" {
				name = lastName(q.path)
			}
			part = b.ids.of(b.r, name)
		}
		q.path += "/" + part
	}
	var query []string
	for _, p := range op.Parameters {
		switch {
		case p.In == "query" && b.r.IntN(3) == 0:
			if text, ok := b.value(p.Name, p.Schema).(string); ok && !strings.ContainsAny(text, "&=;+%# ") {
				query = append(query, p.Name+"="+text)
			}
		case p.In == "header" && p.Required:
			q.headers = append(q.headers, [2]string{p.Name, "hostile-" + kernel.NewID().String()})
		}
	}
	q.query = strings.Join(query, "&")
	if content, ok := op.RequestBody.Content["application/json"]; ok {
		q.headers = append(q.headers, [2]string{"Content-Type", "application/json"})
		q.fields, _ = b.value("", content.Schema).(map[string]any)
		q.body = encode(q.fields)
	}
	return q
}

// value returns a random value that fits a schema.
func (b *builder) value(name string, s *schema) any {
	switch {
	case s == nil:
		return "x"
	case s.Ref != "":
		return b.value(name, b.doc.Components.Schemas[lastName(s.Ref)])
	case len(s.OneOf) > 0:
		return b.value(name, s.OneOf[0])
	case name == "url":
		return b.receiver
	case name == "provider":
		return "sandbox"
	case name == "phone" || name == "from" || name == "to" && s.Format == "":
		return "+55119" + string([]byte{'1' + byte(b.r.IntN(9))}) + digits(b.r, 7)
	case len(s.Enum) > 0:
		return s.Enum[b.r.IntN(len(s.Enum))]
	case s.is("object"):
		return b.object(s)
	case s.is("array"):
		list := []any{}
		for range s.MinItems + b.r.IntN(2) {
			list = append(list, b.value(name, s.Items))
		}
		return list
	case s.is("boolean"):
		return b.r.IntN(2) == 0
	case s.is("integer"), s.is("number"):
		least := 1.0
		if s.Minimum != nil {
			least = *s.Minimum
		}
		return least + float64(b.r.IntN(3))
	case s.Format == "uuid":
		return b.ids.of(b.r, name)
	case s.Format == "date-time":
		return "2030-05-06T07:08:09.123Z"
	case s.Format == "date":
		return "2026-05-06"
	case len(s.Examples) > 0:
		return s.Examples[0]
	case s.Example != nil:
		return s.Example
	}
	return "word" + digits(b.r, max(6, s.MinLength))
}

func (b *builder) object(s *schema) map[string]any {
	b.depth++
	defer func() { b.depth-- }()
	out := map[string]any{}
	for name, property := range s.Properties {
		if slices.Contains(s.Required, name) || b.depth < deepest && b.r.IntN(2) == 0 {
			out[name] = b.value(name, property)
		}
	}
	return out
}

func digits(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = '0' + byte(r.IntN(10))
	}
	return string(b)
}

// verbatim is written into the body unchanged, valid or not. twice writes a member two times.
type (
	verbatim string
	twice    struct{ value any }
)

// encode returns v as JSON, which is invalid if v contains such values.
func encode(v any) []byte {
	switch v := v.(type) {
	case verbatim:
		return []byte(v)
	case []any:
		parts := make([]string, len(v))
		for i, element := range v {
			parts[i] = string(encode(element))
		}
		return []byte("[" + strings.Join(parts, ",") + "]")
	case map[string]any:
		var parts []string
		for name, member := range v {
			if again, ok := member.(twice); ok {
				member = again.value
				parts = append(parts, string(encode(name))+":"+string(encode(member)))
			}
			parts = append(parts, string(encode(name))+":"+string(encode(member)))
		}
		slices.Sort(parts)
		return []byte("{" + strings.Join(parts, ",") + "}")
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return []byte("null")
	}
	return raw
}
