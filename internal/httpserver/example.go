package httpserver

import (
	"maps"
	"slices"
	"strings"
)

// words contains example values by field name. Other texts get the name of the field.
var words = map[string]any{
	"name": "Lia", "title": "Call Lia back", "text": "Oi! Vocês abrem hoje?", "email": "lia@example.com", "phone": "+5511912345678",
	"color": "#2e7d32", "protocol": "ATD-000123", "timezone": "America/Sao_Paulo", "mime_type": "image/png", "file_name": "menu.png",
	"sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "city": "São Paulo", "company": "Padaria Aurora",
	"client_id": "6f1c3a52-7a53-4b7e-9d6e-0a4d8c1f2b3a", "external_id": "wamid.HBgMNTUxMTkxMjM0NTY3OBUCABIYFA", "language": "pt_BR", "position": "a0",
	"emoji": "👍", "reason": "answered", "request_id": "01a1dd8b-94d3-7000-8e09-23922c17c8f4", "ip": "203.0.113.7", "user_agent": "Mozilla/5.0",
	"date": "2026-12-24", "from": "08:00", "to": "18:00", "version": 7, "status_code": 200, "size": 48213, "duration_ms": 42,
}

// formats contains example values by format.
var formats = map[string]any{
	"uuid": "01a1dd8b-7e31-7000-89e2-ef1640efe6bb", "date-time": "2026-11-14T23:56:54.123Z", "date": "2026-11-14",
	"uri": "https://example.com/hooks/recado", "email": "lia@example.com",
}

// Example returns a value that fits a schema. It uses the examples of the schema, if there are any.
func (d Document) Example(schema map[string]any) any { return d.example(schema, "", nil) }

// example returns an example for a field. outer lists the enclosing schemas, because a schema may refer to itself.
func (d Document) example(schema map[string]any, name string, outer []string) any {
	if ref, ok := schema["$ref"].(string); ok {
		if slices.Contains(outer, ref) {
			return nil
		}
		return d.example(d.at(ref), name, append(slices.Clone(outer), ref))
	}
	for _, from := range []string{"example", "const", "default"} {
		if value, ok := schema[from]; ok {
			return value
		}
	}
	if list, ok := schema["examples"].([]any); ok && len(list) > 0 {
		return list[0]
	}
	if values, ok := schema["enum"].([]any); ok && len(values) > 0 {
		return values[0]
	}
	for _, several := range []string{"oneOf", "anyOf", "allOf"} {
		if choices, ok := schema[several].([]any); ok && len(choices) > 0 {
			return d.example(choices[0].(map[string]any), name, outer)
		}
	}
	return d.plainExample(schema, name, outer)
}

// plainExample returns the example of a schema that only has a type.
func (d Document) plainExample(schema map[string]any, name string, outer []string) any {
	switch typeOf(schema) {
	case "object":
		return d.objectExample(schema, outer)
	case "array":
		if name == "parameters" { // linters mistake the parameters of a template for schemas
			return []any{}
		}
		items, _ := schema["items"].(map[string]any)
		value := d.example(items, strings.TrimSuffix(name, "s"), outer)
		if value == nil {
			return []any{}
		}
		least, _ := schema["minItems"].(float64)
		return slices.Repeat([]any{value}, max(1, int(least)))
	case "boolean":
		return false
	case "integer", "number":
		if value, ok := words[name].(int); ok {
			return value
		}
		if least, ok := schema["minimum"].(float64); ok {
			return max(least, 1)
		}
		return 1
	case "string", "": // without a type any value fits
		return textExample(schema, name)
	}
	return nil
}

func (d Document) objectExample(schema map[string]any, outer []string) any {
	out := map[string]any{}
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		property := properties[name].(map[string]any)
		if value := d.example(property, name, outer); value != nil || slices.Contains(required, any(name)) {
			out[name] = value
		}
	}
	return out
}

func textExample(schema map[string]any, name string) any {
	if format, ok := schema["format"].(string); ok && formats[format] != nil {
		return formats[format]
	}
	if word, ok := words[name].(string); ok {
		return word
	}
	if name == "" {
		return "text"
	}
	return strings.ReplaceAll(name, "_", " ")
}

// typeOf returns the type of a schema other than null.
func typeOf(schema map[string]any) string {
	switch kind := schema["type"].(type) {
	case string:
		return kind
	case []any:
		for _, one := range kind {
			if one != "null" {
				return one.(string)
			}
		}
	}
	if schema["properties"] != nil {
		return "object"
	}
	return ""
}

// at returns the component of a reference.
func (d Document) at(ref string) map[string]any {
	node := map[string]any(d)
	for step := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		node, _ = node[step].(map[string]any)
	}
	return node
}
