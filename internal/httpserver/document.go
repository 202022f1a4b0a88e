package httpserver

import (
	"encoding/json"
	"iter"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Document is an OpenAPI document as decoded JSON. Callers may change it.
type Document map[string]any

// newDocument returns the JSON of a value as a document.
func newDocument(v any) (doc Document, err error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(raw, &doc)
	return doc, err
}

// Operation returns the operation with a method and a path, or nil.
func (d Document) Operation(method, path string) map[string]any {
	item, _ := d["paths"].(map[string]any)[path].(map[string]any)
	op, _ := item[strings.ToLower(method)].(map[string]any)
	return op
}

// operations iterates over all operations.
func (d Document) operations() iter.Seq[map[string]any] {
	return func(yield func(map[string]any) bool) {
		for _, item := range d["paths"].(map[string]any) {
			for _, operation := range item.(map[string]any) {
				if op, ok := operation.(map[string]any); ok && !yield(op) {
					return
				}
			}
		}
	}
}

// jsonContent returns the JSON content of a request body or a response, or nil.
func jsonContent(body map[string]any) map[string]any {
	content, _ := body["content"].(map[string]any)
	asJSON, _ := content["application/json"].(map[string]any)
	return asJSON
}

// markNullable makes pointers to structs and ids nullable, which huma does only for scalars. A field that may be absent is
// not nullable, unless it has the tag null. Call it when all operations are registered.
func markNullable(registry huma.Registry) {
	for name, schema := range registry.Map() {
		t := registry.TypeFromRef("#/components/schemas/" + name)
		if t == nil || t.Kind() != reflect.Struct {
			continue
		}
		for _, field := range reflect.VisibleFields(t) {
			jsonName, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			property := schema.Properties[jsonName]
			neverNull := strings.Contains(options, "omit") && field.Tag.Get("null") == ""
			if property == nil || field.Type.Kind() != reflect.Pointer || neverNull {
				continue
			}
			if property.Ref == "" {
				property.Nullable = true
				continue
			}
			schema.Properties[jsonName] = &huma.Schema{
				Description: property.Description,
				OneOf:       []*huma.Schema{{Ref: property.Ref}, {Type: "null"}},
			}
		}
	}
}

// walk calls visit for all objects of a document below a node, outer ones first. visit may change the object.
func walk(node any, visit func(object map[string]any)) {
	switch node := node.(type) {
	case []any:
		for _, child := range node {
			walk(child, visit)
		}
	case map[string]any:
		visit(node)
		for _, child := range node {
			walk(child, visit)
		}
	}
}

// correctSchema corrects a schema of huma that is not valid JSON Schema: nullable enums must contain null, and there is no
// patternDescription.
func correctSchema(schema map[string]any) {
	types, _ := schema["type"].([]any)
	if values, ok := schema["enum"].([]any); ok && slices.Contains(types, any("null")) && !slices.Contains(values, nil) {
		schema["enum"] = append(values, nil)
	}
	if _, isText := schema["patternDescription"].(string); isText {
		delete(schema, "patternDescription")
	}
}

// openResponses allows additional fields in the schemas of responses, so that clients that validate them accept the fields of
// newer servers. Schemas of requests stay closed, because the server refuses unknown fields.
func (d Document) openResponses() {
	seen := map[string]bool{}
	var open func(object map[string]any)
	open = func(object map[string]any) {
		if object["additionalProperties"] == false {
			delete(object, "additionalProperties")
		}
		if ref, ok := object["$ref"].(string); ok && !seen[ref] {
			seen[ref] = true
			walk(d.at(ref), open)
		}
	}
	for op := range d.operations() {
		walk(op["responses"], open)
	}
	walk(d["webhooks"], open)
}

// Share adds a component for an enumeration, and replaces all schemas that list exactly its values by a reference to it.
func (d Document) Share(name, description string, values []any) {
	ref := map[string]any{"$ref": "#/components/schemas/" + name}
	replace := func(object map[string]any) {
		for key, child := range object {
			schema, _ := child.(map[string]any)
			enum, _ := schema["enum"].([]any)
			if slices.Equal(enum, values) && schema["type"] == "string" && schema["default"] == nil {
				object[key] = ref
			}
		}
	}
	walk(d["paths"], replace)
	walk(d["components"], replace)
	d.Schemas()[name] = map[string]any{"type": "string", "description": description, "enum": values}
}

// Schemas returns the schemas by name.
func (d Document) Schemas() map[string]any {
	return d["components"].(map[string]any)["schemas"].(map[string]any)
}

// component adds a component of a kind, such as responses, unless it exists, and returns a reference to it.
func (d Document) component(kind, name string, value map[string]any) map[string]any {
	components := d["components"].(map[string]any)
	all, _ := components[kind].(map[string]any)
	if all == nil {
		all = map[string]any{}
		components[kind] = all
	}
	if all[name] == nil {
		all[name] = value
	}
	return map[string]any{"$ref": "#/components/" + kind + "/" + name}
}

// camelCase converts invalid_request to InvalidRequest.
func camelCase(text string) string {
	out := ""
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("_. -:", r) }) {
		out += strings.ToUpper(part[:1]) + part[1:]
	}
	return out
}
