package httpserver

import (
	"strings"
)

// OpenAnswers lets the schemas of answers have further fields, so that a client that checks them bears a field that a
// newer server adds. Schemas of requests stay closed: the server refuses fields that it does not know.
func (d Document) OpenAnswers() {
	seen := map[string]bool{}
	var open func(node any)
	open = func(node any) {
		switch node := node.(type) {
		case []any:
			for _, child := range node {
				open(child)
			}
		case map[string]any:
			if node["additionalProperties"] == false {
				delete(node, "additionalProperties")
			}
			if ref, ok := node["$ref"].(string); ok && !seen[ref] {
				seen[ref] = true
				open(d.at(ref))
			}
			for name, child := range node {
				if name != "example" && name != "examples" {
					open(child)
				}
			}
		}
	}
	_ = d.Operations(func(_, _ string, op map[string]any) error {
		open(op["responses"])
		return nil
	})
	webhooks, _ := d["webhooks"].(map[string]any)
	open(webhooks)
}

// Share replaces every schema below paths and components that has exactly the values of an enumeration by a reference to
// the component of that name, which it adds.
func (d Document) Share(name, description string, values []any) {
	shared := map[string]any{"type": "string", "description": description, "enum": values}
	ref := map[string]any{"$ref": "#/components/schemas/" + name}
	var replace func(node any)
	replace = func(node any) {
		switch node := node.(type) {
		case []any:
			for _, child := range node {
				replace(child)
			}
		case map[string]any:
			for key, child := range node {
				schema, ok := child.(map[string]any)
				if ok && key != "example" && sameValues(schema["enum"], values) && schema["type"] == "string" && schema["default"] == nil {
					node[key] = ref
					continue
				}
				replace(child)
			}
		}
	}
	replace(d["paths"])
	replace(d["components"])
	d.Schemas()[name] = shared
}

func sameValues(enum any, values []any) bool {
	list, ok := enum.([]any)
	if !ok || len(list) != len(values) {
		return false
	}
	for i := range list {
		if list[i] != values[i] {
			return false
		}
	}
	return true
}

// Schemas are the schemas of the document by their names.
func (d Document) Schemas() map[string]any {
	return d["components"].(map[string]any)["schemas"].(map[string]any)
}

// Component adds a component of a kind, such as responses, unless the document has it, and gives a reference to it.
func (d Document) Component(kind, name string, value map[string]any) map[string]any {
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

// Camel writes invalid_request as InvalidRequest.
func Camel(text string) string {
	var out strings.Builder
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '_' || r == '.' || r == ' ' || r == '-' || r == ':' }) {
		out.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return out.String()
}
