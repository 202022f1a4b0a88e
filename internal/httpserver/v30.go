package httpserver

import (
	"slices"
	"strings"
)

// version30 converts the document to OpenAPI 3.0. It is smaller for generators of clients: an operation has one response for
// all errors, and responses have no headers.
func (d Document) version30() (Document, error) {
	doc, err := newDocument(d)
	if err != nil {
		return nil, err
	}
	doc["openapi"] = "3.0.3"
	delete(doc, "webhooks")
	if license, ok := doc["info"].(map[string]any)["license"].(map[string]any); ok {
		license["url"] = "https://www.apache.org/licenses/LICENSE-2.0"
		delete(license, "identifier")
	}
	components := doc["components"].(map[string]any)
	delete(components, "headers")
	components["responses"] = map[string]any{"Error": map[string]any{
		"description": "An error. The OpenAPI 3.1 document lists the status codes and error codes of each operation.",
		"content":     map[string]any{"application/json": map[string]any{"schema": map[string]any{"$ref": "#/components/schemas/Error"}}},
	}}
	for op := range doc.operations() {
		joinRefusals(op)
		if text, ok := op["description"].(string); ok {
			op["description"] = strings.ReplaceAll(text, "\n\n", " ") // generators repeat each line several times
		}
	}
	doc.convert(map[string]any(doc), false)
	return doc, nil
}

// joinRefusals replaces all error responses by one.
func joinRefusals(op map[string]any) {
	responses := op["responses"].(map[string]any)
	for status, response := range responses {
		if status >= "300" {
			delete(responses, status)
			continue
		}
		delete(response.(map[string]any), "headers")
	}
	responses["default"] = map[string]any{"$ref": "#/components/responses/Error"}
}

// convert rewrites what OpenAPI 3.0 expresses differently: null, constants and examples. If isProperties is true, the keys of
// node are names of fields and not keywords.
func (d Document) convert(node any, isProperties bool) {
	switch node := node.(type) {
	case []any:
		for _, child := range node {
			d.convert(child, false)
		}
	case map[string]any:
		if !isProperties {
			d.convertSchema(node)
		}
		for name, child := range node {
			if isProperties || name != "example" && name != "x-extensible-enum" {
				d.convert(child, name == "properties" && !isProperties)
			}
		}
	}
}

func (d Document) convertSchema(schema map[string]any) {
	if ref, ok := schema["$ref"]; ok { // no other keyword is allowed
		clear(schema)
		schema["$ref"] = ref
		return
	}
	if kinds, ok := schema["type"].([]any); ok {
		kinds = slices.DeleteFunc(slices.Clone(kinds), func(kind any) bool { return kind == "null" })
		schema["type"], schema["nullable"] = kinds[0], true
	}
	if values, ok := schema["enum"].([]any); ok && slices.Contains(values, nil) {
		schema["enum"] = slices.DeleteFunc(slices.Clone(values), func(value any) bool { return value == nil })
	}
	if value, ok := schema["const"]; ok {
		schema["enum"] = []any{value}
		delete(schema, "const")
	}
	if list, ok := schema["examples"].([]any); ok && len(list) > 0 {
		schema["example"] = list[0]
		delete(schema, "examples")
	}
	choices, _ := schema["oneOf"].([]any)
	if len(choices) == 2 && isNull(choices[1]) {
		delete(schema, "oneOf")
		schema["allOf"], schema["nullable"] = choices[:1], true
		if ref, ok := choices[0].(map[string]any)["$ref"].(string); ok {
			schema["type"] = typeOf(d.at(ref)) // nullable needs a type
		}
	}
	if open, ok := schema["anyOf"].([]any); ok && slices.ContainsFunc(open, isNull) {
		schema["anyOf"] = slices.DeleteFunc(slices.Clone(open), isNull)
		schema["anyOf"].([]any)[0].(map[string]any)["nullable"] = true
	}
	if open, ok := schema["anyOf"].([]any); ok && isOpenEnum(open) {
		delete(schema, "anyOf")
		schema["type"], schema["x-extensible-enum"] = "string", open[0].(map[string]any)["enum"]
	}
}

func isNull(schema any) bool { return schema.(map[string]any)["type"] == "null" }

// isOpenEnum reports whether the choices are an enumeration and any other text.
func isOpenEnum(choices []any) bool {
	if len(choices) != 2 {
		return false
	}
	first, second := choices[0].(map[string]any), choices[1].(map[string]any)
	return first["enum"] != nil && second["type"] == "string" && len(second) == 1
}
