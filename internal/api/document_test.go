package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"recado/internal/api"
	"recado/internal/model"
	"recado/internal/servertest"
)

// keywords are those of JSON Schema 2020-12 and OpenAPI 3.1 that the document may use.
var keywords = []string{
	"$ref", "$schema", "additionalProperties", "allOf", "anyOf", "const", "contentEncoding", "contentMediaType", "default", "deprecated", "description",
	"enum", "example", "examples", "exclusiveMaximum", "exclusiveMinimum", "format", "items", "maxItems", "maxLength", "maxProperties", "maximum",
	"minItems", "minLength", "minProperties", "minimum", "multipleOf", "not", "oneOf", "pattern", "properties", "readOnly", "required", "title", "type",
	"uniqueItems", "writeOnly",
}

// eachSchema calls visit for every schema below a node of the document, and says where it is.
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

func TestTheDocumentIsValidJSONSchema(t *testing.T) {
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
		t.Errorf("only %d schemas and %d enums with null were found", seen, nullableEnums)
	}
}

func TestEveryErrorCodeIsDocumentedAtAnOperation(t *testing.T) {
	t.Parallel()
	w := servertest.Start(t, "")
	document := string(w.A.Get(t, "/openapi.json").OK(200).Raw)
	for code, status := range api.StatusOf {
		if code == model.CodeMethodNotAllowed {
			continue // it is the answer of addresses that have no such operation
		}
		if !strings.Contains(document, http.StatusText(status)+": `") || !strings.Contains(document, "`"+string(code)+"`") {
			t.Errorf("the document names no operation that answers %d %s", status, code)
		}
	}
}
