package httpserver

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"recado/internal/kernel"
)

// readArguments parses the arguments of a call: an object or nothing.
func readArguments(raw json.RawMessage) (map[string]json.RawMessage, *kernel.Error) {
	out := map[string]json.RawMessage{}
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" {
		return out, nil
	}
	if json.Unmarshal(raw, &out) != nil {
		return nil, kernel.Malformed("arguments", "object")
	}
	return out, nil
}

// takeText removes a required text argument and returns it.
func takeText(arguments map[string]json.RawMessage, name string) (string, *kernel.Error) {
	raw, given := arguments[name]
	delete(arguments, name)
	var text string
	switch {
	case !given || string(raw) == "null":
		return "", kernel.Required(name)
	case json.Unmarshal(raw, &text) != nil:
		return "", kernel.Malformed(name, "string")
	case text == "":
		return "", kernel.Invalid(name, kernel.RuleRequired, "must not be empty")
	}
	return text, nil
}

// queryOf encodes arguments as a query with its question mark. It ignores null.
func queryOf(arguments map[string]json.RawMessage) (string, *kernel.Error) {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		value, ok := queryValue(arguments[name])
		switch {
		case !ok:
			return "", kernel.Malformed(name, "scalar")
		case value != nil:
			parts = append(parts, url.QueryEscape(name)+"="+url.QueryEscape(*value))
		}
	}
	if len(parts) == 0 {
		return "", nil
	}
	return "?" + strings.Join(parts, "&"), nil
}

// queryValue returns the text of a scalar, or nil for null.
func queryValue(raw json.RawMessage) (*string, bool) {
	var text string
	switch raw = bytes.TrimSpace(raw); {
	case string(raw) == "null":
		return nil, true
	case len(raw) == 0 || raw[0] == '{' || raw[0] == '[':
		return nil, false
	case raw[0] != '"':
		return new(string(raw)), true
	case json.Unmarshal(raw, &text) != nil:
		return nil, false
	}
	return &text, true
}
