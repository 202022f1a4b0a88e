package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/test/servertest"
)

// TestEveryRouteIsDocumentedAndProtected checks every route in the table, so that a new route needs no new test.
func TestEveryRouteIsDocumentedAndProtected(t *testing.T) {
	t.Parallel()
	w := servertest.Start(t, "")
	document := w.A.Get(t, "/openapi.json").OK(200)
	var doc struct {
		Paths map[string]map[string]struct {
			Responses map[string]json.RawMessage
			Summary   string
		}
	}
	document.Into(&doc)

	anonymous := w.A.Visitor()
	for _, route := range w.API.Routes() {
		path := withRandomIDs(route.Path)
		t.Run(route.Method+" "+route.Path, func(t *testing.T) {
			t.Run("is in the OpenAPI document", func(t *testing.T) {
				op, ok := doc.Paths[route.Path][strings.ToLower(route.Method)]
				if !ok || op.Summary == "" || !route.Open && op.Responses["401"] == nil || op.Responses["429"] == nil {
					t.Fatalf("got %+v, want an operation with a summary and the responses 401 and 429", op)
				}
			})
			if route.Open {
				return
			}
			t.Run("returns 401 without a key and a session", func(t *testing.T) {
				anonymous.Do(t, route.Method, path, nil).Fails(401, "key_missing")
			})
			t.Run("returns 401 with a cookie of an unknown session", func(t *testing.T) {
				anonymous.Do(t, route.Method, path, nil, "Cookie", "recado=abc", "Sec-Fetch-Site", "same-origin").Fails(401, "session_missing")
			})
			if route.Verb.SessionOnly {
				t.Run("returns 403 with a key", func(t *testing.T) {
					w.A.Do(t, route.Method, path, nil).Fails(403, "session_required")
				})
				return
			}
			if route.Verb.Scope == "" {
				if route.Path != "/me" && !strings.HasPrefix(route.Path, "/replies") { // everybody may write their own replies
					t.Fatal("the route needs no scope")
				}
				return
			}
			t.Run("returns 403 with every other scope", func(t *testing.T) {
				others := kernel.EveryScope.Without(kernel.NewScopeSet(route.Verb.Scope, route.Verb.Scope.IncludedIn()))
				_, c := w.NewKey(t, w.A.ID, people.NewKey{Name: "others", Scopes: others})
				refused := c.Do(t, route.Method, path, nil).Fails(403, "insufficient_scope")
				if !strings.Contains(refused.Text("message"), string(route.Verb.Scope)) || refused.Text("details", 0, "message") != string(route.Verb.Scope) {
					t.Fatalf("got %s, want the scope %s in the message and the details", refused.Raw, route.Verb.Scope)
				}
			})
		})
	}
}

// TestEveryRoleIsRefusedExactlyWhatItLacks calls every route with a key and with a session of every role.
func TestEveryRoleIsRefusedExactlyWhatItLacks(t *testing.T) {
	t.Parallel()
	w := servertest.Start(t, "")
	for _, role := range []kernel.Role{kernel.RoleAgent, kernel.RoleManager, kernel.RoleAdmin, kernel.RoleOwner} {
		id, email := member(t, w.A.Client, string(role), `"role":"`+string(role)+`"`)
		user, _ := kernel.ParseID(id)
		_, key := w.NewKey(t, w.A.ID, people.NewKey{Name: "n", Scopes: kernel.EveryScope, User: &user})
		session := w.A.SignIn(t, email, password)
		for _, route := range w.API.Routes() {
			path := withRandomIDs(route.Path)
			lacksRole := !role.AtLeast(route.Verb.Role)
			lacksScope := !kernel.ScopesOf(role).Has(route.Verb.Scope)
			isStream := route.Streams && route.Method == http.MethodGet // the request would not end
			check := func(with string, c *servertest.Client, refused string) {
				t.Helper()
				if refused == "" && isStream {
					return
				}
				a := c.Do(t, route.Method, path, nil)
				if forbidden := a.Status == 401 || a.Status == 403; forbidden != (refused != "") || forbidden && a.Text("code") != refused {
					t.Errorf("%s %s with a %s of the role %s: got %d %s, want the error code %q", route.Method, route.Path, with, role, a.Status, a.Raw, refused)
				}
			}
			switch {
			case route.Open:
				check("key", key, "")
				check("session", session, "")
				continue
			case route.Verb.SessionOnly:
				check("key", key, "session_required")
			default:
				check("key", key, codeIf(lacksRole, "insufficient_scope"))
			}
			check("session", session, codeIf(lacksRole || lacksScope, "insufficient_scope"))
			if route.Method == http.MethodDelete && strings.HasPrefix(route.Path, "/session") {
				session = w.A.SignIn(t, email, password)
			}
		}
	}
}

// codeIf returns an error code if the request must fail, and "" otherwise.
func codeIf(fails bool, code string) string {
	if fails {
		return code
	}
	return ""
}

// withRandomIDs replaces the parameters in a path by random ids.
func withRandomIDs(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, "{") {
			parts[i] = kernel.NewID().String()
		}
	}
	return strings.Join(parts, "/")
}
