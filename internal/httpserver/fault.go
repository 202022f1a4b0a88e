package httpserver

import (
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

	"recado/internal/kernel"
)

func init() {
	huma.ValidateStrictCasing = true
}

// Cause turns what huma found wrong with a request into an error of the API. huma names the cause by a status
// and, for one of them, only by its text. An error that is not a *kernel.Error is a defect of the server.
func Cause(status int, message string, errs []error) error {
	switch status {
	case http.StatusRequestEntityTooLarge:
		return ErrBodyTooLarge()
	case http.StatusUnsupportedMediaType:
		return kernel.Invalid("header.Content-Type", "must be application/json")
	case http.StatusRequestTimeout:
		return kernel.Errorf(kernel.CodeInvalidRequest, "The request body did not arrive in time. Send it again.")
	case http.StatusInternalServerError:
		if message == "cannot read request body" {
			return errBodyCut()
		}
		return errors.Join(errs...)
	}
	return formError(message, errs)
}

// maxDetails is how many wrong parts of a request an answer names, and maxFieldName how much of each name.
const (
	maxDetails   = 20
	maxFieldName = 120
)

// formError makes one 400 of the parts of a request that do not fit. Its cost and the size of the answer
// do not grow with the number of wrong parts.
func formError(message string, errs []error) *kernel.Error {
	out := &kernel.Error{Code: kernel.CodeInvalidRequest}
	for _, err := range errs[:min(len(errs), maxDetails)] {
		code, field := formFault(err)
		if code != "" {
			out.Code = code
		}
		out.Fields = append(out.Fields, field)
	}
	switch len(out.Fields) {
	case 0:
		out.Message = strings.ToUpper(message[:1]) + message[1:] + "."
		out.Fields = []kernel.FieldError{{Field: "body", Message: message}}
	case 1:
		out.Message = out.Fields[0].Field + ": " + out.Fields[0].Message
	default:
		names := make([]string, len(out.Fields))
		for i, f := range out.Fields {
			names[i] = f.Field
		}
		out.Message = "Several parts of the request are wrong: " + strings.Join(names, ", ")
		if more := len(errs) - maxDetails; more > 0 {
			out.Message += " and " + strconv.Itoa(more) + " more"
		}
		out.Message += "."
	}
	return out
}

// shorten cuts a name that a caller made up.
func shorten(name string) string {
	if utf8.RuneCountInString(name) <= maxFieldName {
		return name
	}
	return string([]rune(name)[:maxFieldName-1]) + "…"
}

// formFault says which field is wrong and why. It never calls Error on a detail of huma's: that formats
// the whole value in which the field was found, for each of its fields again.
func formFault(err error) (kernel.Code, kernel.FieldError) {
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
	return code, kernel.FieldError{Field: shorten(field), Message: text}
}

// jsonFault is a decoding error that carries a code and a field. huma keeps only the text of such an error,
// so both are packed into it, the field as hexadecimal digits because it may hold any byte.
func jsonFault(code kernel.Code, field, message string) error {
	return errors.New(faultMark + string(code) + faultMark + hex.EncodeToString([]byte(field)) + faultMark + message)
}

// readJSONFault gives what jsonFault packed.
func readJSONFault(text string) (code kernel.Code, field, message string, ok bool) {
	parts := strings.SplitN(text, faultMark, 4)
	if len(parts) != 4 {
		return "", "", "", false
	}
	at, err := hex.DecodeString(parts[2])
	return kernel.Code(parts[1]), string(at), parts[3], err == nil
}

const faultMark = "\x00"

// requiredMark is put before the name of a required field that is missing: huma gives the place of the
// object and leaves the name to the text.
const requiredMark = "required\x01"

// The texts say what a value must be, not which schema it breaks.
func init() {
	validation.MsgExpectedRequiredProperty = requiredMark + "%s"
	validation.MsgUnexpectedProperty = "unknown field"
	validation.MsgExpectedRFC4122UUID = "must be a UUID%.0s" // the parser's own reason is dropped
	validation.MsgExpectedRFC3986URI = jsonFault(kernel.CodeURLNotAllowed, "body.url", "The address is not a valid URL.%.0s").Error()
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

// wording finishes what huma says about a part of a request: a missing field is named by its own place, and the text
// of a value that was refused by its own decoder stays as it is.
func wording(field, text string) (string, string) {
	if name, missing := strings.CutPrefix(text, requiredMark); missing {
		return field + "." + name, "is required"
	}
	return field, strings.TrimPrefix(text, "invalid value: ")
}
