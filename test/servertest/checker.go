package servertest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"recado/internal/server"
)

// checker compares every response with the OpenAPI document of the server. Each JSON schema is compiled once, because
// compilation is slow.
type checker struct {
	router  routers.Router
	answers *recorder

	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema // by JSON pointer
}

const documentName = "openapi.json"

// The checker is shared by all servers of the process, because parsing the document takes longer than most tests.
var (
	shared  *checker
	sharing sync.Mutex
	servers = regexp.MustCompile(`"servers":\[[^]]*\]`)
)

func newChecker(t testing.TB, s *server.Server) *checker {
	t.Helper()
	sharing.Lock()
	defer sharing.Unlock()
	if shared != nil {
		return shared
	}
	address, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	s.API.ServeHTTP(w, httptest.NewRequest("GET", address.Path+"/v1/openapi.json", nil))
	text := servers.ReplaceAllString(w.Body.String(), `"servers":[]`) // base path and port differ between tests
	doc, err := openapi3.NewLoader().LoadFromData([]byte(text))
	if err != nil {
		t.Fatalf("the OpenAPI document cannot be read: %v", err)
	}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		t.Fatalf("the OpenAPI document is not consistent: %v", err)
	}
	content, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("the OpenAPI document is not JSON: %v", err)
	}
	closeSchemas(content)
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource(documentName, content); err != nil {
		t.Fatalf("the OpenAPI document has no schemas: %v", err)
	}
	shared = &checker{
		router: router, answers: newRecorder(t, text), compiler: compiler, compiled: map[string]*jsonschema.Schema{},
	}
	return shared
}

// closeSchemas forbids undocumented fields. The document allows them for clients of older versions, but this server must
// not return any.
func closeSchemas(node any) {
	switch node := node.(type) {
	case []any:
		for _, child := range node {
			closeSchemas(child)
		}
	case map[string]any:
		_, isSchema := node["properties"].(map[string]any)
		if _, ok := node["additionalProperties"]; isSchema && !ok {
			node["additionalProperties"] = false
		}
		for name, child := range node {
			if name != "example" && name != "examples" {
				closeSchemas(child)
			}
		}
	}
}

// underRace is true with the race detector, which makes comparing slow. All tests also run without it.
var underRace bool

// check fails the test if the response of a documented operation does not match the document.
func (c *checker) check(t *testing.T, r *http.Request, resp *http.Response, raw []byte) {
	t.Helper()
	_, path, found := strings.Cut(r.URL.Path, "/v1")
	if !found || c == nil || underRace {
		return
	}
	documented := r.Clone(context.Background())
	documented.URL.Path, documented.URL.RawPath, documented.URL.Host, documented.URL.Scheme = path, "", "", ""
	documented.Host = ""
	route, _, err := c.router.FindRoute(documented)
	if err != nil {
		return // other tests check 404 and 405
	}
	if err := c.compare(route, resp, raw); err != nil {
		t.Errorf("%s %s: the response does not match the document: %v\n%s", r.Method, path, err, raw)
	}
	checkCode(t, route, resp.StatusCode, raw)
	if route.Path == "/events" && resp.StatusCode == http.StatusOK {
		c.checkEvents(t, raw)
	}
}

// checkEvents compares the events of the feed with the schemas of webhooks, which have the same events.
func (c *checker) checkEvents(t *testing.T, raw []byte) {
	t.Helper()
	var feed struct {
		Data []json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(raw, &feed); err != nil {
		t.Errorf("the feed: %v", err)
	}
	for _, event := range feed.Data {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(event))
		if err != nil {
			t.Errorf("an event: %v", err)
			continue
		}
		kind, _ := value.(map[string]any)["type"].(string)
		schema := pointer("#", "webhooks", kind, "post", "requestBody", "content", "application/json", "schema")
		if err := c.validate(schema, value); err != nil {
			t.Errorf("the event %s does not match the document: %v\n%s", kind, err, event)
		}
	}
}

// compare compares the status, headers, type and body of a response with its operation.
func (c *checker) compare(route *routers.Route, resp *http.Response, raw []byte) error {
	status := strconv.Itoa(resp.StatusCode)
	response := route.Operation.Responses.Value(status)
	if response == nil {
		return fmt.Errorf("status %s is not documented", status)
	}
	at := pointer("#", "paths", route.Path, strings.ToLower(route.Method), "responses", status)
	if response.Ref != "" {
		at = response.Ref
	}
	for name, header := range response.Value.Headers {
		if err := c.header(pointer(at, "headers", name), header, resp.Header.Values(name)); err != nil {
			return fmt.Errorf("header %s: %w", name, err)
		}
	}
	if len(response.Value.Content) == 0 {
		return nil
	}
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		return fmt.Errorf("content type %q: %w", resp.Header.Get("Content-Type"), err)
	}
	content := response.Value.Content[kind]
	switch {
	case content == nil && response.Value.Content.Get(kind) == nil:
		return fmt.Errorf("content type %q is not documented", kind)
	case content == nil || content.Schema == nil || !strings.HasSuffix(kind, "json"):
		return nil // files and streams
	}
	body, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	if err := c.validate(pointer(at, "content", kind, "schema"), body); err != nil {
		return err
	}
	return c.answers.record(answer{route.Method, route.Path, status, kind, raw}, body)
}

func (c *checker) header(at string, header *openapi3.HeaderRef, values []string) error {
	if header.Ref != "" {
		at = header.Ref
	}
	if len(values) == 0 {
		if header.Value.Required {
			return errors.New("is missing")
		}
		return nil
	}
	if header.Value.Schema == nil {
		return nil
	}
	var value any = values[0]
	if !header.Value.Schema.Value.Type.Is("string") { // numbers and booleans are written as in JSON
		var err error
		if value, err = jsonschema.UnmarshalJSON(strings.NewReader(values[0])); err != nil {
			return err
		}
	}
	return c.validate(pointer(at, "schema"), value)
}

// validate compares a value with the schema at a JSON pointer.
func (c *checker) validate(at string, value any) error {
	c.mu.Lock()
	schema, err := c.compiled[at], error(nil)
	if schema == nil {
		if schema, err = c.compiler.Compile(documentName + at); err == nil {
			c.compiled[at] = schema
		}
	}
	c.mu.Unlock()
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// pointer extends a JSON pointer.
func pointer(at string, steps ...string) string {
	for _, step := range steps {
		at += "/" + url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(step))
	}
	return at
}

// checkCode fails the test if the documentation of the operation does not name the error code of a response.
func checkCode(t *testing.T, route *routers.Route, status int, raw []byte) {
	t.Helper()
	var failed struct {
		Code string `json:"code"`
	}
	response := route.Operation.Responses.Status(status)
	if status < 400 || response == nil || json.Unmarshal(raw, &failed) != nil || failed.Code == "" {
		return
	}
	if description := *response.Value.Description; !strings.Contains(description, "`"+failed.Code+"`") {
		t.Errorf("%s %s: the documentation of status %d does not name the code %s: %s",
			route.Method, route.Path, status, failed.Code, description)
	}
}
