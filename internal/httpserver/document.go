package httpserver

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Document is an OpenAPI document in the form of its JSON, which a caller may change.
type Document map[string]any

// Read makes the document of what huma knows. It corrects what huma writes into schemas.
func Read(api *huma.OpenAPI) (Document, error) {
	raw, err := json.Marshal(api)
	if err != nil {
		return nil, err
	}
	var doc Document
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, err
	}
	correctSchemas(map[string]any(doc))
	return doc, nil
}

// Paths are the paths of the document.
func (d Document) Paths() map[string]any { return d["paths"].(map[string]any) }

// Operation gives an operation by its method, in any case, and its path.
func (d Document) Operation(method, path string) map[string]any {
	item, _ := d.Paths()[path].(map[string]any)
	op, _ := item[strings.ToLower(method)].(map[string]any)
	return op
}

// Operations calls each with the method, in upper case, and the path of every operation.
func (d Document) Operations(each func(method, path string, operation map[string]any) error) error {
	for path, item := range d.Paths() {
		for method, operation := range item.(map[string]any) {
			op, ok := operation.(map[string]any)
			if !ok {
				continue
			}
			if err := each(strings.ToUpper(method), path, op); err != nil {
				return err
			}
		}
	}
	return nil
}

// JSONContent gives the JSON form of a body or a response; nil where it has none.
func JSONContent(of map[string]any) map[string]any {
	content, _ := of["content"].(map[string]any)
	asJSON, _ := content["application/json"].(map[string]any)
	return asJSON
}

// MarkNullable lets pointers to structs and to ids be null: huma does that for scalars only. A field that may be absent is
// never null, unless its tag null says so. It is called when all operations are registered, before the first request.
func MarkNullable(registry huma.Registry) {
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

// correctSchemas corrects what huma writes into the document that JSON Schema does not know, or contradicts:
// null must be a value of an enum that may be null, and a pattern has no description of its own.
func correctSchemas(node any) {
	switch node := node.(type) {
	case []any:
		for _, child := range node {
			correctSchemas(child)
		}
	case map[string]any:
		types, _ := node["type"].([]any)
		if values, ok := node["enum"].([]any); ok && slices.Contains(types, any("null")) && !slices.Contains(values, nil) {
			node["enum"] = append(values, nil)
		}
		if _, isText := node["patternDescription"].(string); isText {
			delete(node, "patternDescription")
		}
		for _, child := range node {
			correctSchemas(child)
		}
	}
}
