package httpserver

import (
	"encoding/json"
	"slices"
	"strings"
)

// Version30 gives the document for tools that do not read OpenAPI 3.1. It is also made small for generators of clients:
// the refusals of an operation are one response, default, and the headers of answers are left out.
func (d Document) Version30() (Document, error) {
	raw, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	var doc Document
	if err := json.Unmarshal(raw, &doc); err != nil {
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
		"description": "A refusal. The document for OpenAPI 3.1 lists the statuses and codes of each operation.",
		"content":     map[string]any{"application/json": map[string]any{"schema": map[string]any{"$ref": "#/components/schemas/Error"}}},
	}}
	_ = doc.Operations(func(_, _ string, op map[string]any) error {
		joinRefusals(op)
		if text, ok := op["description"].(string); ok {
			op["description"] = strings.ReplaceAll(text, "\n\n", " ") // generators repeat each line of it several times
		}
		return nil
	})
	doc.convert(map[string]any(doc), false)
	return doc, nil
}

// joinRefusals makes one response of all that are no success.
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

// convert rewrites what OpenAPI 3.0 says in another way: null, constants and examples. names says that the members of
// node have names of the API's, and not of OpenAPI's.
func (d Document) convert(node any, names bool) {
	switch node := node.(type) {
	case []any:
		for _, child := range node {
			d.convert(child, false)
		}
	case map[string]any:
		if !names {
			d.convertSchema(node)
		}
		for name, child := range node {
			if names || name != "example" && name != "x-extensible-enum" {
				d.convert(child, name == "properties" && !names)
			}
		}
	}
}

func (d Document) convertSchema(schema map[string]any) {
	if ref, ok := schema["$ref"]; ok { // nothing may stand beside it
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
			schema["type"] = typeOf(d.at(ref)) // null is the value of a type here
		}
	}
	if open, ok := schema["anyOf"].([]any); ok && isOpenEnum(open) {
		delete(schema, "anyOf")
		schema["type"], schema["x-extensible-enum"] = "string", open[0].(map[string]any)["enum"]
	}
}

func isNull(schema any) bool { return schema.(map[string]any)["type"] == "null" }

// isOpenEnum recognizes an enumeration beside any other text.
func isOpenEnum(choices []any) bool {
	if len(choices) != 2 {
		return false
	}
	first, second := choices[0].(map[string]any), choices[1].(map[string]any)
	return first["enum"] != nil && second["type"] == "string" && len(second) == 1
}
