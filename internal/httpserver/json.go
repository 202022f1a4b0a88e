package httpserver

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"recado/internal/kernel"
)

// Limits on the nesting of a request body and on the fields of an object. No operation comes close to them.
const (
	maxDepth  = 32
	maxFields = 256
)

// UnmarshalJSON decodes a body strictly. huma decodes every body twice: into `any` to validate it, and then into its type. The
// strict checks happen the first time.
func UnmarshalJSON(data []byte, v any) error {
	if _, first := v.(*any); first {
		if fault := checkJSON(data); fault != nil {
			return fault
		}
		return json.Unmarshal(data, v)
	}
	if err := json.Unmarshal(data, v, decodeOptions); err != nil {
		return decodingFault(err)
	}
	return nil
}

// decodeOptions refuse unknown fields, and null where it has no meaning.
var decodeOptions = json.JoinOptions(
	json.RejectUnknownMembers(true),
	json.WithUnmarshalers(json.UnmarshalFromFunc(func(dec *jsontext.Decoder, v any) error {
		if dec.PeekKind() == 'n' {
			if _, ok := v.(json.Unmarshaler); !ok { // kernel.Optional is one
				return kernel.Invalid("", kernel.RuleRequired, "must not be null")
			}
		}
		return errors.ErrUnsupported // decode it as usual
	})),
)

// checkJSON refuses what other decoders accept: duplicate names, invalid UTF-8, lone surrogates, NUL, trailing data, deep
// nesting and too many fields.
func checkJSON(data []byte) error {
	dec := jsontext.NewDecoder(bytes.NewReader(data))
	for {
		token, err := dec.ReadToken()
		if errors.Is(err, io.EOF) && dec.StackDepth() == 0 && dec.InputOffset() > 0 {
			return nil
		}
		if err != nil {
			return decodingFault(err)
		}
		switch {
		case dec.StackDepth() > maxDepth:
			return jsonFault(kernel.CodeInvalidJSON, kernel.RuleTooDeep.At("body",
				"nested deeper than "+strconv.Itoa(maxDepth)+" levels", kernel.Params{"max": maxDepth}))
		case fields(dec) > maxFields:
			return jsonFault(kernel.CodeInvalidRequest, kernel.RuleTooMany.At("body",
				"an object has more than "+strconv.Itoa(maxFields)+" fields", kernel.Params{"max": maxFields}))
		case token.Kind() == '"' && strings.ContainsRune(token.String(), 0):
			return jsonFault(kernel.CodeInvalidJSON, kernel.RuleMalformed.At(fieldName(dec.StackPointer()),
				"must not contain the NUL character", kernel.Params{"format": "no_nul"}))
		case dec.StackDepth() == 0:
			if rest := bytes.TrimLeft(data[dec.InputOffset():], " \t\r\n"); len(rest) > 0 {
				return jsonFault(kernel.CodeInvalidJSON, ruleNotJSON.At("body", "unexpected data after the JSON value"))
			}
			if token.Kind() == 'n' {
				return jsonFault(kernel.CodeInvalidRequest, kernel.RuleRequired.At("body", "must be an object, not null"))
			}
			return nil
		}
	}
}

// fields returns the number of fields so far in the current object, or zero in a list.
func fields(dec *jsontext.Decoder) int64 {
	if kind, length := dec.StackIndex(dec.StackDepth()); kind == '{' {
		return (length + 1) / 2
	}
	return 0
}

var ruleNotJSON = kernel.NewRule("not_json")

// decodingFault converts an error of the decoder.
func decodingFault(err error) error {
	if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
		field := fieldName(semantic.JSONPointer)
		if errors.Is(err, json.ErrUnknownName) {
			return jsonFault(kernel.CodeInvalidRequest, kernel.RuleUnknown.At(field, "unknown field"))
		}
		if known, ok := errors.AsType[*kernel.Error](err); ok && len(known.Fields) == 1 {
			known.Fields[0].Field = field
			return jsonFault(kernel.CodeInvalidRequest, known.Fields[0])
		}
		return jsonFault(kernel.CodeInvalidRequest, kernel.RuleMalformed.At(field, "does not have the expected form", formatValue))
	}
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return jsonFault(kernel.CodeInvalidJSON, ruleNotJSON.At("body", "this is not valid JSON"))
	}
	rule, message := ruleNotJSON, "this is not valid JSON"
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		rule, message = kernel.RuleRepeated, "the same name appears twice"
	case errors.Is(err, io.ErrUnexpectedEOF):
		message = "unexpected end of JSON"
	case strings.Contains(err.Error(), "UTF-8") || strings.Contains(err.Error(), "surrogate"):
		message = "must be valid UTF-8 without lone surrogates"
	}
	return jsonFault(kernel.CodeInvalidJSON, rule.At(fieldName(syntactic.JSONPointer), message))
}

// fieldName converts a JSON pointer: /label_ids/0 becomes body.label_ids[0].
func fieldName(pointer jsontext.Pointer) string {
	name := "body"
	for token := range pointer.Tokens() {
		if _, err := strconv.Atoi(token); err == nil {
			name += "[" + token + "]"
		} else {
			name += "." + token
		}
	}
	return name
}
