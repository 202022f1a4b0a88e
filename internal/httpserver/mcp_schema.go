package httpserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// document is the OpenAPI document, from which the schemas of the tools are made.
type document struct{ Document }

func (h *Handler) document() (document, error) {
	raw, err := h.api.Document()
	if err != nil {
		return document{}, err
	}
	var doc Document
	if err := json.Unmarshal(raw, &doc); err != nil {
		return document{}, err
	}
	return document{doc}, nil
}

// operation is what the document says about the operation of a tool.
type operation struct {
	schema      map[string]any // of the arguments
	result      map[string]any // of the result; nil if that may be null
	description string
	hasBody     bool
}

// operation makes one flat object of the path, the query and the body of an operation.
func (d document) operation(route *Route) (*operation, error) {
	l, found := route.Tool, d.Operation(route.Method, route.Path)
	if found == nil {
		return nil, errors.New("the document does not have the operation")
	}
	out := &operation{}
	text, _ := found["description"].(string)
	about, _, _ := strings.Cut("\n\n"+text, "\n\nScope: ") // the list has only tools that the key may call
	out.description = strings.TrimSpace(strings.TrimSpace(about) + " " + l.About)

	properties, required := map[string]any{}, slices.Clone(l.Needs)
	if err := d.addParameters(found, l, properties, &required); err != nil {
		return nil, err
	}
	inlined, err := d.inline(found["requestBody"], 0)
	if err != nil {
		return nil, err
	}
	body, _ := inlined.(map[string]any)
	if content := JSONContent(body); content != nil {
		out.hasBody = true
		object, _ := content["schema"].(map[string]any)
		fields, _ := object["properties"].(map[string]any)
		for name, field := range fields {
			if properties[name] != nil {
				return nil, fmt.Errorf("the argument %s stands for two things", name)
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
	out.result, err = d.result(found)
	return out, err
}

// result returns the schema of the object that answer.result makes of a response.
func (d document) result(op map[string]any) (map[string]any, error) {
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
		content := JSONContent(response)
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
	return nil, errors.New("the document has no response of success")
}

// addParameters adds the parameters of the path and the query, and an idempotency key where the tool needs one.
func (d document) addParameters(op map[string]any, l *Tool, properties map[string]any, required *[]string) error {
	parameters, _ := op["parameters"].([]any)
	for _, parameter := range parameters {
		resolved, err := d.inline(parameter, 0)
		if err != nil {
			return err
		}
		p := resolved.(map[string]any)
		name, _ := p["name"].(string)
		switch {
		case p["in"] == "path" && name == "id" && l.ID != "":
			name = l.ID
		case p["in"] == "query":
		case name == headerKey && slices.Contains(l.Needs, argumentKey):
			name = argumentKey
		case p["in"] == "header":
			continue
		default:
			return fmt.Errorf("the parameter %s is neither in the table nor in the query", name)
		}
		schema, _ := p["schema"].(map[string]any)
		schema = maps.Clone(schema)
		if text, ok := p["description"].(string); ok && name != l.ID {
			schema["description"] = text
		}
		properties[name] = schema
		if p["required"] == true && !slices.Contains(*required, name) {
			*required = append(*required, name)
		}
	}
	return nil
}

// deepest is how far references may lead. The schemas of the tools do not refer to themselves.
const deepest = 12

// inline puts what is referred to in place of the references: not every client follows them.
func (d document) inline(node any, depth int) (any, error) {
	if depth > deepest {
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
			target, err := d.follow(ref)
			if err != nil {
				return nil, err
			}
			resolved, err := d.inline(target, depth+1)
			if object, ok := resolved.(map[string]any); ok && len(node) > 1 { // beside the reference: a description
				for name, value := range node {
					if name != "$ref" {
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

// follow gives what a reference within the document names.
func (d document) follow(ref string) (any, error) {
	var node any = map[string]any(d.Document)
	for step := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		object, _ := node.(map[string]any)
		if node = object[step]; node == nil {
			return nil, fmt.Errorf("the document has no %s", ref)
		}
	}
	return node, nil
}
