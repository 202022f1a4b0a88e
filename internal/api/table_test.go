package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"recado/internal/desk"
	"recado/internal/model"
	"recado/internal/servertest"
)

// TestTable reads the table of routes as data: a new line is checked without a new test.
func TestTable(t *testing.T) {
	w := servertest.Start(t, "")
	document := w.A.Get(t, "/openapi.json").OK(200)
	var doc struct {
		Paths map[string]map[string]struct {
			Responses map[string]json.RawMessage
			Summary   string
		}
	}
	document.Into(&doc)

	anonymous := *w.A.Client
	for _, route := range w.API.Routes() {
		path := someID(route.Path)
		t.Run(route.Method+" "+route.Path, func(t *testing.T) {
			t.Run("stands in the OpenAPI document", func(t *testing.T) {
				op, ok := doc.Paths[route.Path][strings.ToLower(route.Method)]
				if !ok || op.Summary == "" || op.Responses["401"] == nil || op.Responses["429"] == nil {
					t.Fatalf("%+v", op)
				}
			})
			t.Run("is 401 without a key", func(t *testing.T) {
				r, _ := http.NewRequest(route.Method, w.A.Base()+path, nil)
				anonymous.Send(t, r).Fails(401, "key_missing")
			})
			if route.Verb.Scope == "" {
				if route.Path != "/me" {
					t.Fatal("a route without a scope")
				}
				return
			}
			t.Run("is 403 with every other scope", func(t *testing.T) {
				others := model.EveryScope.Without(model.NewScopeSet(route.Verb.Scope, route.Verb.Scope.IncludedIn()))
				_, c := w.NewKey(t, w.A.ID, desk.NewKey{Name: "others", Scopes: others})
				refused := c.Do(t, route.Method, path, nil).Fails(403, "insufficient_scope")
				if !strings.Contains(refused.Text("message"), string(route.Verb.Scope)) || refused.Text("details", 0, "message") != string(route.Verb.Scope) {
					t.Fatalf("the scope is not named: %s", refused.Raw)
				}
			})
		})
	}
}

// someID fills the ids of a path with one that nobody has.
func someID(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, "{") {
			parts[i] = model.NewID().String()
		}
	}
	return strings.Join(parts, "/")
}
