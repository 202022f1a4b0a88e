package api

import (
	"encoding/hex"
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

	"recado/internal/desk"
	"recado/internal/model"
)

// This file holds what the API needs of huma beyond its interface. huma reads and validates requests, calls
// the handlers and describes them in the OpenAPI document. It does these things in another way than the API
// promises, and each has its adaptation:
//
//   - Errors: huma makes errors of its own form. newError makes the API's Error object of them.
//   - Codes and fields of decoding errors: huma keeps only the text of an error. jsonFault packs them into the
//     text, formFault takes them out again.
//   - Costs: huma formats the whole body in every detail's Error. formFault reads the parts of a detail instead.
//   - Stored answers: huma encodes the results of handlers by their type. stored goes out as an error, which
//     brings its status, headers and bytes.
//
// Three more stand beside what they serve: enter in auth.go answers before huma reads the body, so that
// refusals come in the documented order; body.go reads bodies of operations that take none, which huma would
// ignore, and writes the content type in the one spelling that huma knows; wording replaces the texts of
// the validation.

func init() {
	huma.ValidateStrictCasing = true
	huma.DefaultArrayNullable = false
	huma.NewErrorWithContext = newError
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		return newError(nil, status, message, errs...)
	}
}

// newError makes the Error object of what huma found wrong with the form of a request. huma names the cause
// by a status and, for one of them, only by its text.
func newError(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
	var s *Server
	requestID := ""
	if ctx != nil {
		call := callFrom(ctx.Context())
		s, requestID = call.server, call.requestID
	}
	if s == nil { // huma asks once, while it is being set up, what an error looks like
		return &Error{Details: []ErrorDetail{}, status: status}
	}
	switch status {
	case http.StatusRequestEntityTooLarge:
		return s.problem(requestID, errBodyTooLarge())
	case http.StatusUnsupportedMediaType:
		return s.problem(requestID, model.Invalid("header.Content-Type", "must be application/json"))
	case http.StatusRequestTimeout:
		return s.problem(requestID, model.Errorf(model.CodeInvalidRequest, "The request body did not arrive in time. Send it again."))
	case http.StatusInternalServerError:
		if message == "cannot read request body" {
			return s.problem(requestID, errBodyCut())
		}
		return s.problem(requestID, errors.Join(errs...))
	}
	return s.problem(requestID, formError(message, errs))
}

// formFault says which field is wrong and why. It never calls Error on a detail of huma's: that formats
// the whole value in which the field was found, for each of its fields again.
func formFault(err error) (model.Code, model.FieldError) {
	var field, text string
	if detail, ok := errors.AsType[*huma.ErrorDetail](err); ok {
		field, text = wording(detail.Location, detail.Message)
	} else {
		field, text = "body", err.Error()
	}
	code, at, what, ok := readJSONFault(text)
	if ok {
		field, text = at, what
	}
	return code, model.FieldError{Field: shorten(field), Message: text}
}

// jsonFault is a decoding error that carries a code and a field. huma keeps only the text of such an error,
// so both are packed into it, the field as hexadecimal digits because it may hold any byte.
func jsonFault(code model.Code, field, message string) error {
	return errors.New(faultMark + string(code) + faultMark + hex.EncodeToString([]byte(field)) + faultMark + message)
}

// readJSONFault gives what jsonFault packed.
func readJSONFault(text string) (code model.Code, field, message string, ok bool) {
	parts := strings.SplitN(text, faultMark, 4)
	if len(parts) != 4 {
		return "", "", "", false
	}
	at, err := hex.DecodeString(parts[2])
	return model.Code(parts[1]), string(at), parts[3], err == nil
}

const faultMark = "\x00"

// stored is the answer of an idempotent call, which goes out as it was stored. A handler's result is encoded
// again by its type, with one status; an error brings its own status, headers and bytes.
type stored struct{ desk.Result }

func (a *stored) Error() string              { return "api: a stored answer" }
func (a *stored) GetStatus() int             { return a.Answer.Status }
func (a *stored) AppendJSON(b []byte) []byte { return append(b, a.Answer.Body...) }

// GetHeaders reads the stored lines.
func (a *stored) GetHeaders() http.Header {
	h := http.Header{}
	for line := range strings.Lines(a.Answer.Headers) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			h[name] = []string{value}
		}
	}
	if a.Replayed {
		h[headerReplayed] = []string{"true"}
	}
	return h
}

// requiredMark stands before the name of a required field that is missing: huma gives the place of the
// object and leaves the name to the text.
const requiredMark = "required\x01"

// What does not fit a schema is said in our words: what the value must be, not which document it breaks.
func init() {
	validation.MsgExpectedRequiredProperty = requiredMark + "%s"
	validation.MsgUnexpectedProperty = "unknown field"
	validation.MsgExpectedRFC4122UUID = "must be a UUID%.0s" // the parser's own reason is dropped
	validation.MsgExpectedRFC3986URI = jsonFault(model.CodeURLNotAllowed, "body.url", "The address is not a valid URL.%.0s").Error()
	validation.MsgExpectedRFC3339DateTime = "must be a time such as 2026-11-14T23:56:54Z"
	validation.MsgExpectedRFC3339Date = "must be a valid date such as 2026-11-14"
	validation.MsgExpectedBoolean = "must be true or false"
	validation.MsgExpectedNumber = "must be a number"
	validation.MsgExpectedInteger = "must be a whole number"
	validation.MsgExpectedString = "must be a string"
	validation.MsgExpectedArray = "must be a list"
	validation.MsgExpectedObject = "must be an object"
	validation.MsgExpectedArrayItemsUnique = "must not have the same value twice"
	validation.MsgExpectedOneOf = "must be one of: %s"
	validation.MsgExpectedMinimumNumber = "must be at least %.0f"
	validation.MsgExpectedMaximumNumber = "must be at most %.0f"
	validation.MsgExpectedMinLength = "must have at least %d characters"
	validation.MsgExpectedMaxLength = "must have at most %d characters"
	validation.MsgExpectedMinItems = "must have at least %d entries"
	validation.MsgExpectedMaxItems = "must have at most %d entries"
}

// wording finishes what huma says about a part of a request: a missing field is named by its own place,
// and a value that refused itself has said why.
func wording(field, text string) (string, string) {
	if name, missing := strings.CutPrefix(text, requiredMark); missing {
		return field + "." + name, "is required"
	}
	return field, strings.TrimPrefix(text, "invalid value: ")
}
