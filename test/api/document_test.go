package api_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/webhooks"
	"recado/test/servertest"
	"recado/test/testkit"
)

// keywords lists the keywords of JSON Schema 2020-12 and OpenAPI 3.1 that the document may use.
var keywords = []string{
	"$ref", "$schema", "additionalProperties", "allOf", "anyOf", "const", "contentEncoding", "contentMediaType", "default", "deprecated", "description",
	"enum", "example", "examples", "exclusiveMaximum", "exclusiveMinimum", "format", "items", "maxItems", "maxLength", "maxProperties", "maximum",
	"minItems", "minLength", "minProperties", "minimum", "multipleOf", "not", "oneOf", "pattern", "properties", "readOnly", "required", "title", "type",
	"uniqueItems", "writeOnly",
}

// eachSchema calls visit with every schema below a node of the document and with its place.
func eachSchema(node any, place string, visit func(place string, schema map[string]any)) {
	switch node := node.(type) {
	case []any:
		for _, child := range node {
			eachSchema(child, place+"[]", visit)
		}
	case map[string]any:
		for name, child := range node {
			here := place + "/" + name
			schema, isObject := child.(map[string]any)
			switch {
			case name == "example" || name == "examples" || name == "default":
			case isObject && (name == "schema" || name == "items" || name == "additionalProperties" || name == "not"):
				visit(here, schema)
				eachSchema(schema, here, visit)
			case isObject && (name == "schemas" || name == "properties"):
				for property, schema := range schema {
					visit(here+"/"+property, schema.(map[string]any))
					eachSchema(schema, here+"/"+property, visit)
				}
			case name == "oneOf" || name == "anyOf" || name == "allOf":
				for _, schema := range child.([]any) {
					visit(here, schema.(map[string]any))
				}
				eachSchema(child, here, visit)
			default:
				eachSchema(child, here, visit)
			}
		}
	}
}

func TestTheOpenAPIDocumentIsValidJSONSchema(t *testing.T) {
	t.Parallel()
	w := servertest.Start(t, "")
	doc := w.A.Get(t, "/openapi.json").OK(200).At()
	seen, nullableEnums := 0, 0
	eachSchema(doc, "", func(place string, schema map[string]any) {
		seen++
		for keyword := range schema {
			if !slices.Contains(keywords, keyword) {
				t.Errorf("%s: JSON Schema has no keyword %s", place, keyword)
			}
		}
		types, _ := schema["type"].([]any)
		values, isEnum := schema["enum"].([]any)
		if isEnum && slices.Contains(types, any("null")) {
			nullableEnums++
			if !slices.Contains(values, nil) {
				t.Errorf("%s may be null, but its enum has no null: %v", place, values)
			}
		}
	})
	if seen < 500 || nullableEnums == 0 {
		t.Errorf("got %d schemas and %d nullable enums, want at least 500 and 1", seen, nullableEnums)
	}
}

func TestEveryErrorCodeIsDocumentedByAnOperation(t *testing.T) {
	t.Parallel()
	w := servertest.Start(t, "")
	document := string(w.A.Get(t, "/openapi.json").OK(200).Raw)
	for code, status := range httpserver.Statuses() {
		if code == kernel.CodeMethodNotAllowed {
			continue // only addresses without such an operation return it
		}
		if !strings.Contains(document, http.StatusText(status)+": `") || !strings.Contains(document, "`"+string(code)+"`") {
			t.Errorf("no operation in the document returns %d %s", status, code)
		}
	}
}

func TestOnlyOperationsThatReserveTheirKeyDocumentIdempotencyPending(t *testing.T) {
	t.Parallel()
	w := servertest.Start(t, "")
	doc, err := openapi3.NewLoader().LoadFromData(w.A.Get(t, "/openapi.json").OK(200).Raw)
	if err != nil {
		t.Fatal(err)
	}
	for path, pending := range map[string]bool{
		"/conversations/{id}/messages": false, "/labels": false, "/kanban/cards": false, "/conversations/bulk": true, "/integrations/webhooks/{id}/test": true,
	} {
		conflict := *doc.Paths.Value(path).Post.Responses.Status(409).Value.Description
		testkit.Diff(t, "POST "+path+" names idempotency_conflict", strings.Contains(conflict, "`idempotency_conflict`"), true)
		testkit.Diff(t, "POST "+path+" names idempotency_pending", strings.Contains(conflict, "`idempotency_pending`"), pending)
	}
}

func TestOperationIDsBeginWithAVerb(t *testing.T) {
	t.Parallel()
	w := servertest.Start(t, "")
	verbs := regexp.MustCompile(`^(accept|archive|begin|cancel|change|close|confirm|create|delete|disable|end|erase|export|follow|get|import|invite|link|list|mark|move|open|pair|preview|react|read|redeliver|remove|render|reopen|report|reset|revoke|rotate|save|schedule|search|send|set|sign|simulate|snooze|sync|take|test|transfer|try|unlink|update|upload)[A-Z][A-Za-z]*$`)
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
			Tags        []string
		}
		Tags     []struct{ Name, Description string }
		Webhooks map[string]any
	}
	w.A.Get(t, "/openapi.json").OK(200).Into(&doc)
	described := map[string]bool{}
	for _, tag := range doc.Tags {
		described[tag.Name] = tag.Description != ""
	}
	ids := map[string]string{}
	for path, item := range doc.Paths {
		for method, op := range item {
			here := method + " " + path
			if !verbs.MatchString(op.OperationID) {
				t.Errorf("%s: the id %q does not begin with a known verb", here, op.OperationID)
			}
			if other := ids[op.OperationID]; other != "" {
				t.Errorf("%s and %s have the same operation id %s", here, other, op.OperationID)
			}
			ids[op.OperationID] = here
			if len(op.Tags) != 1 || !described[op.Tags[0]] {
				t.Errorf("%s: the tags %v are not described", here, op.Tags)
			}
		}
	}
	testkit.Diff(t, "sendMessage", ids["sendMessage"], "post /conversations/{id}/messages")
	for _, event := range append([]kernel.EventType{webhooks.WebhookTest}, kernel.AllEvents...) {
		if doc.Webhooks[string(event)] == nil {
			t.Errorf("the webhooks section lacks %s", event)
		}
	}
}

func TestEveryResponseHasAValidExample(t *testing.T) {
	t.Parallel()
	w := servertest.Start(t, "")
	doc, err := openapi3.NewLoader().LoadFromData(w.A.Get(t, "/openapi-3.0.json").OK(200).Raw)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context(), openapi3.DisableExamplesValidation()); err != nil {
		t.Errorf("the document for OpenAPI 3.0: %v", err)
	}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			for status, response := range op.Responses.Map() {
				content := response.Value.Content["application/json"]
				if content == nil || status == "default" {
					continue
				}
				if content.Example == nil {
					t.Errorf("%s %s: %s has no example", method, path, status)
				} else if err := content.Schema.Value.VisitJSON(content.Example); err != nil {
					t.Errorf("%s %s: the example of %s: %v", method, path, status, err)
				}
			}
		}
	}
}

func TestResponseSchemasAllowAdditionalFields(t *testing.T) {
	t.Parallel()
	w := servertest.Start(t, "")
	var doc struct {
		Components struct{ Schemas map[string]map[string]any }
	}
	w.A.Get(t, "/openapi.json").OK(200).Into(&doc)
	for _, name := range []string{"Conversation", "Message", "Card", "Error", "ListLabel", "MessageReceivedEvent"} {
		if value, present := doc.Components.Schemas[name]["additionalProperties"]; present {
			t.Errorf("%s: additionalProperties: got %v, want none", name, value)
		}
	}
	testkit.Diff(t, "additionalProperties of a request", doc.Components.Schemas["CreateLabelInputBody"]["additionalProperties"], false)
}

func TestTheGuideListsEveryErrorCodeWithItsStatus(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join("..", "..", "docs", "api.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| ([45][0-9]{2}) \\| ((?:`[a-z_]+`(?:, )?)+) \\| [^|]+ \\|$").FindAllStringSubmatch(string(raw), -1)
	statuses := map[string]string{}
	for _, row := range rows {
		for _, code := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(row[2], -1) {
			if statuses[code[1]] != "" {
				t.Errorf("the table lists %s twice", code[1])
			}
			statuses[code[1]] = row[1]
		}
	}
	for code, status := range httpserver.Statuses() {
		testkit.Diff(t, "status of "+string(code), statuses[string(code)], strconv.Itoa(status))
		delete(statuses, string(code))
	}
	for code := range statuses {
		t.Errorf("the table lists %s, which is not an error code", code)
	}
}
