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
)

// checker compares every answer with the OpenAPI document that the server itself serves. Its schemas are schemas of
// JSON Schema 2020-12, and each is compiled once: to compile it for each answer took a fifth of the time of the tests.
type checker struct {
	router  routers.Router
	answers *recorder

	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema // by their places in the document
}

// documentName is what the compiler calls the document.
const documentName = "openapi.json"

// The checker of this process: all its servers have the same operations, and reading the document takes longer than
// most tests.
var (
	shared  *checker
	sharing sync.Mutex
	servers = regexp.MustCompile(`"servers":\[[^]]*\]`)
)

func newChecker(t testing.TB, handler http.Handler) *checker {
	t.Helper()
	sharing.Lock()
	defer sharing.Unlock()
	if shared != nil {
		return shared
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest("GET", documentPath(handler), nil))
	text := servers.ReplaceAllString(w.Body.String(), `"servers":[]`) // the base path and port differ from test to test
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
		t.Fatalf("the OpenAPI document is no JSON: %v", err)
	}
	closeSchemas(content)
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource(documentName, content); err != nil {
		t.Fatalf("the OpenAPI document has no schemas: %v", err)
	}
	shared = &checker{router: router, answers: newRecorder(t, text), compiler: compiler, compiled: map[string]*jsonschema.Schema{}}
	return shared
}

// closeSchemas refuses fields that the document does not name. The document lets answers have further ones, for clients of
// older versions; an answer of this server has those that are documented.
func closeSchemas(node any) {
	switch node := node.(type) {
	case []any:
		for _, child := range node {
			closeSchemas(child)
		}
	case map[string]any:
		_, isSchema := node["properties"].(map[string]any)
		if _, said := node["additionalProperties"]; isSchema && !said {
			node["additionalProperties"] = false
		}
		for name, child := range node {
			if name != "example" && name != "examples" {
				closeSchemas(child)
			}
		}
	}
}

// documentPath gives the path of the OpenAPI document, base path included.
func documentPath(handler http.Handler) string {
	if d, ok := handler.(interface{ Base() string }); ok {
		return d.Base() + "/v1/openapi.json"
	}
	return "/v1/openapi.json"
}

// check fails the test when an answer of a documented operation is not as documented.
func (c *checker) check(t *testing.T, r *http.Request, resp *http.Response, raw []byte) {
	t.Helper()
	_, path, found := strings.Cut(r.URL.Path, "/v1")
	if !found || c == nil {
		return
	}
	documented := r.Clone(context.Background())
	documented.URL.Path, documented.URL.RawPath, documented.URL.Host, documented.URL.Scheme = path, "", "", ""
	documented.Host = ""
	route, _, err := c.router.FindRoute(documented)
	if err != nil {
		return // no such operation: 404 and 405 are checked by their own tests
	}
	if err := c.asDocumented(route, resp, raw); err != nil {
		t.Errorf("%s %s: the answer is not as documented: %v\n%s", r.Method, path, err, raw)
	}
	checkCode(t, route, resp.StatusCode, raw)
	if route.Path == "/events" && resp.StatusCode == http.StatusOK {
		c.checkEvents(t, raw)
	}
}

// checkEvents compares the events of the feed, which are those that webhooks receive, with the schemas of the webhooks.
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
		if err := c.matches(pointer("#", "webhooks", kind, "post", "requestBody", "content", "application/json", "schema"), value); err != nil {
			t.Errorf("the event %s is not as documented: %v\n%s", kind, err, event)
		}
	}
}

// asDocumented compares an answer's status, headers, type and body with those of its operation.
func (c *checker) asDocumented(route *routers.Route, resp *http.Response, raw []byte) error {
	status := strconv.Itoa(resp.StatusCode)
	response := route.Operation.Responses.Value(status)
	if response == nil {
		return fmt.Errorf("status %s is not documented", status)
	}
	place := pointer("#", "paths", route.Path, strings.ToLower(route.Method), "responses", status)
	if response.Ref != "" {
		place = response.Ref
	}
	for name, header := range response.Value.Headers {
		if err := c.header(pointer(place, "headers", name), header, resp.Header.Values(name)); err != nil {
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
		return nil // the bytes of files and streams
	}
	body, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	if err := c.matches(pointer(place, "content", kind, "schema"), body); err != nil {
		return err
	}
	return c.answers.record(answer{route.Method, route.Path, status, kind, raw}, body)
}

// header compares the values of a header with its schema.
func (c *checker) header(place string, header *openapi3.HeaderRef, values []string) error {
	if header.Ref != "" {
		place = header.Ref
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
	if !header.Value.Schema.Value.Type.Is("string") { // a number or a truth value is written as in JSON
		var err error
		if value, err = jsonschema.UnmarshalJSON(strings.NewReader(values[0])); err != nil {
			return err
		}
	}
	return c.matches(pointer(place, "schema"), value)
}

// matches compares a value with the schema at a place of the document.
func (c *checker) matches(place string, value any) error {
	c.mu.Lock()
	schema, err := c.compiled[place], error(nil)
	if schema == nil {
		if schema, err = c.compiler.Compile(documentName + place); err == nil {
			c.compiled[place] = schema
		}
	}
	c.mu.Unlock()
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// pointer is the place of something below another place of the document.
func pointer(place string, steps ...string) string {
	for _, step := range steps {
		place += "/" + url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(step))
	}
	return place
}

// checkCode fails the test when the documentation of the operation does not name the error code of an answer.
func checkCode(t *testing.T, route *routers.Route, status int, raw []byte) {
	t.Helper()
	var refused struct {
		Code string `json:"code"`
	}
	response := route.Operation.Responses.Status(status)
	if status < 400 || response == nil || json.Unmarshal(raw, &refused) != nil || refused.Code == "" {
		return
	}
	if !strings.Contains(*response.Value.Description, "`"+refused.Code+"`") {
		t.Errorf("%s %s: the documentation of status %d names %s, not the code %s", route.Method, route.Path, status, *response.Value.Description, refused.Code)
	}
}
