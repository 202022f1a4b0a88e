package api

import "slices"

// correctSchemas mends what huma writes into the document that JSON Schema does not know, or contradicts:
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
