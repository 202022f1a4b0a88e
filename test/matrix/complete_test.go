package matrix

import (
	"strings"
	"testing"

	"recado/test/servertest"
)

// TestTheTableIsComplete checks that the examples have a slot for every id in the OpenAPI document.
func TestTheTableIsComplete(t *testing.T) {
	w := servertest.Start(t, "")
	var doc document
	w.A.Get(t, "/openapi.json").OK(200).Into(&doc)
	known := map[string]bool{}
	for _, route := range w.API.Routes() {
		known[route.Method+" "+route.Path] = true
		op := doc.Paths[route.Path][strings.ToLower(route.Method)]
		var texts []string
		for _, ex := range table[route.Method+" "+route.Path] {
			texts = append(texts, "&"+ex.query, ex.body)
			if got, want := len(slots(ex.path)), strings.Count(route.Path, "{")-strings.Count(route.Path, "{name}"); got != want {
				t.Errorf("%s %s: got an example with %d ids in its path, want %d", route.Method, route.Path, got, want)
			}
		}
		all := strings.Join(texts, "\n")
		for _, p := range op.Parameters {
			if p.In == "query" && (p.Schema.Format == "uuid" || p.Name == "assignee") && !strings.Contains(all, "&"+p.Name+"={") {
				t.Errorf("%s %s: no example has a slot for the filter %s", route.Method, route.Path, p.Name)
			}
		}
		for name := range doc.ids(op.RequestBody.Content["application/json"].Schema) {
			if !strings.Contains(all, `"`+name+`":"{`) && !strings.Contains(all, `"`+name+`":["{`) {
				t.Errorf("%s %s: no example has a slot for the field %s", route.Method, route.Path, name)
			}
		}
	}
	for name := range table {
		if !known[name] {
			t.Errorf("the table has %s, which is not a route", name)
		}
	}
}

// document is the part of the OpenAPI document that shows where ids occur.
type document struct {
	Paths map[string]map[string]struct {
		Parameters []struct {
			Name, In string
			Schema   schema
		}
		RequestBody struct {
			Content map[string]struct{ Schema *schema }
		}
	}
	Components struct{ Schemas map[string]*schema }
}

type schema struct {
	Ref        string `json:"$ref"`
	Format     string
	Properties map[string]*schema
	Items      *schema
}

// ids returns the names of the fields in a body that hold ids, at any depth.
func (d *document) ids(s *schema) map[string]bool {
	found, seen := map[string]bool{}, map[string]bool{}
	var walk func(name string, s *schema)
	walk = func(name string, s *schema) {
		if s == nil {
			return
		}
		if s.Ref != "" {
			if seen[s.Ref] { // menus contain menus
				return
			}
			seen[s.Ref] = true
			s = d.Components.Schemas[s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]]
		}
		if s.Format == "uuid" {
			found[name] = true
		}
		walk(name, s.Items)
		for below, property := range s.Properties {
			walk(below, property)
		}
	}
	walk("", s)
	return found
}
