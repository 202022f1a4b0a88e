package httpserver

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// operation describes the operation of a tool.
type operation struct {
	schema      map[string]any // of the arguments
	result      map[string]any // of the result; nil if it may be null
	description string
	hasBody     bool
}

// toolOperation combines the path, the query and the body of an operation to a flat object of arguments.
func (d Document) toolOperation(route *Route) (*operation, error) {
	tool, found := route.Tool, d.Operation(route.Method, route.Path)
	if found == nil {
		return nil, errors.New("the document does not have the operation")
	}
	out := &operation{}
	text, _ := found["description"].(string)
	about, _, _ := strings.Cut("\n\n"+text, "\n\nScope: ") // the list only contains tools that the key may call
	out.description = strings.TrimSpace(strings.TrimSpace(about) + " " + tool.About)

	properties, required := map[string]any{}, slices.Clone(tool.Needs)
	if err := d.addParameters(found, tool, properties, &required); err != nil {
		return nil, err
	}
	inlined, err := d.inline(found["requestBody"], 0)
	if err != nil {
		return nil, err
	}
	body, _ := inlined.(map[string]any)
	if content := jsonContent(body); content != nil {
		out.hasBody = true
		object, _ := content["schema"].(map[string]any)
		fields, _ := object["properties"].(map[string]any)
		for name, field := range fields {
			if properties[name] != nil {
				return nil, fmt.Errorf("the argument %s is ambiguous", name)
			}
			properties[name] = field
		}
		names, _ := object["required"].([]any)
		for _, name := range names {
			required = append(required, name.(string))
		}
	}
	for _, name := range required {
		if properties[name] == nil {
			return nil, fmt.Errorf("the required argument %s does not exist", name)
		}
	}
	slices.Sort(required)
	out.schema = map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		out.schema["required"] = slices.Compact(required)
	}
	out.result, err = d.toolResult(found)
	return out, err
}

// toolResult returns the schema of recorder.result for the response of an operation.
func (d Document) toolResult(op map[string]any) (map[string]any, error) {
	responses, _ := op["responses"].(map[string]any)
	for _, status := range []string{"200", "201", "204"} {
		if responses[status] == nil {
			continue
		}
		inlined, err := d.inline(responses[status], 0)
		if err != nil {
			return nil, err
		}
		response, _ := inlined.(map[string]any)
		content := jsonContent(response)
		if content == nil {
			return map[string]any{"type": "object"}, nil
		}
		schema, _ := content["schema"].(map[string]any)
		switch schema["type"] {
		case "object":
			return schema, nil
		case "array":
			return map[string]any{"type": "object", "required": []string{"data"}, "properties": map[string]any{"data": schema}}, nil
		}
		return nil, nil
	}
	return nil, errors.New("the document has no successful response")
}

// addParameters adds the parameters of the path and the query, and an idempotency key if the tool needs one.
func (d Document) addParameters(op map[string]any, tool *Tool, properties map[string]any, required *[]string) error {
	parameters, _ := op["parameters"].([]any)
	for _, parameter := range parameters {
		resolved, err := d.inline(parameter, 0)
		if err != nil {
			return err
		}
		p := resolved.(map[string]any)
		name, _ := p["name"].(string)
		switch {
		case p["in"] == "path" && name == "id" && tool.ID != "":
			name = tool.ID
		case p["in"] == "query" && name == "format": // tools return JSON
			continue
		case p["in"] == "query":
		case name == headerIdempotencyKey && slices.Contains(tool.Needs, ArgumentKey):
			name = ArgumentKey
		case p["in"] == "header":
			continue
		default:
			return fmt.Errorf("the parameter %s cannot be an argument", name)
		}
		schema, _ := p["schema"].(map[string]any)
		schema = maps.Clone(schema)
		if text, ok := p["description"].(string); ok && name != tool.ID {
			schema["description"] = text
		}
		properties[name] = schema
		if p["required"] == true && !slices.Contains(*required, name) {
			*required = append(*required, name)
		}
	}
	return nil
}

// maxReferences is the maximum number of nested references. The schemas of tools do not refer to themselves.
const maxReferences = 12

// inline replaces references by what they refer to, because not every client resolves them.
func (d Document) inline(node any, depth int) (any, error) {
	if depth > maxReferences {
		return nil, errors.New("a schema refers to itself")
	}
	switch node := node.(type) {
	case []any:
		out := make([]any, len(node))
		for i, child := range node {
			var err error
			if out[i], err = d.inline(child, depth); err != nil {
				return nil, err
			}
		}
		return out, nil
	case map[string]any:
		if ref, ok := node["$ref"].(string); ok {
			target := d.at(ref)
			if target == nil {
				return nil, fmt.Errorf("the document has no %s", ref)
			}
			resolved, err := d.inline(target, depth+1)
			if object, ok := resolved.(map[string]any); ok {
				for name, value := range node {
					if name != "$ref" { // such as a description
						object[name] = value
					}
				}
			}
			return resolved, err
		}
		out := make(map[string]any, len(node))
		for name, child := range node {
			var err error
			if out[name], err = d.inline(child, depth); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return node, nil
}
