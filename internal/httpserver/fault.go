package httpserver

import (
	"encoding/hex"
	"encoding/json"
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

// Cause converts an error of huma about a request. huma identifies the cause by a status and, in one case, by its text. An error
// that is not a *kernel.Error is a bug.
func Cause(status int, message string, errs []error) error {
	switch status {
	case http.StatusRequestEntityTooLarge:
		return errBodyTooLarge()
	case http.StatusUnsupportedMediaType:
		return kernel.Malformed("header.Content-Type", "json")
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

// Limits on the size of an error.
const (
	maxDetails   = 20
	maxFieldName = 120
)

// formError returns one error for all invalid parts of a request, up to maxDetails.
func formError(message string, errs []error) *kernel.Error {
	out := &kernel.Error{Code: kernel.CodeInvalidRequest}
	for _, err := range errs[:min(len(errs), maxDetails)] {
		code, field := formFault(err)
		if code != kernel.CodeInvalidRequest {
			out.Code = code
		}
		out.Fields = append(out.Fields, field)
	}
	switch len(out.Fields) {
	case 0:
		out.Message = strings.ToUpper(message[:1]) + message[1:] + "."
		out.Fields = []kernel.FieldError{kernel.RuleMalformed.At("body", message, formatValue)}
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

// shorten truncates a field name from a request.
func shorten(name string) string {
	if utf8.RuneCountInString(name) <= maxFieldName {
		return name
	}
	return string([]rune(name)[:maxFieldName-1]) + "…"
}

// formFault returns the code and the field of an error. It does not call Error on details of huma, which would format the
// whole value that contains the field.
func formFault(err error) (kernel.Code, kernel.FieldError) {
	place, text := "body", ""
	if detail, ok := errors.AsType[*huma.ErrorDetail](err); ok {
		place, text = detail.Location, strings.TrimPrefix(detail.Message, "invalid value: ")
	} else {
		text = err.Error()
	}
	code, field := kernel.CodeInvalidRequest, kernel.FieldError{}
	if _, packed, ok := strings.Cut(text, faultMark); ok {
		code, field = readFault(packed)
	} else {
		field = ruleFault(place, text)
	}
	field.Field = shorten(field.Field)
	return code, field
}

// fault is a decoding error. huma keeps only the text of such an error, so the fault is encoded in the text, in hexadecimal
// because a field may contain any byte.
type fault struct {
	Code  kernel.Code
	Field kernel.FieldError
}

const faultMark = "\x00"

func jsonFault(code kernel.Code, field kernel.FieldError) error {
	packed, _ := json.Marshal(fault{code, field}) // strings and numbers always encode
	return errors.New(faultMark + hex.EncodeToString(packed))
}

// readFault decodes the text of a jsonFault.
func readFault(text string) (kernel.Code, kernel.FieldError) {
	f := fault{Code: kernel.CodeInvalidRequest, Field: kernel.RuleMalformed.At("body", "does not have the expected form", formatValue)}
	if packed, err := hex.DecodeString(text); err == nil {
		_ = json.Unmarshal(packed, &f)
	}
	return f.Code, f.Field
}

var formatValue = kernel.Params{"format": "value"}

// ruleMark separates the parts of a validation text of huma: the code of a rule, a parameter, its value, and the message.
const ruleMark = "\x01"

// ruled returns a validation text. huma may format the first argument into the value and the message.
func ruled(rule kernel.Rule, param, value, message string) string {
	return strings.Join([]string{rule.Code(), param, value, message}, ruleMark)
}

func init() {
	form := func(format string) string {
		return ruled(kernel.RuleMalformed, "format", format, kernel.Malformed("", format).Message)
	}
	count := func(rule kernel.Rule, param, verb, message string) string {
		return ruled(rule, param, verb, strings.ReplaceAll(message, "#", verb))
	}
	validation.MsgExpectedRequiredProperty = ruled(kernel.RuleRequired, "", "%s", "is required")
	validation.MsgUnexpectedProperty = ruled(kernel.RuleUnknown, "", "", "unknown field")
	validation.MsgExpectedRFC4122UUID = form("uuid") + "%.0s" // drops the reason of the parser
	invalidURL := kernel.RuleMalformed.At("body.url", "The address is not a valid URL.", kernel.Params{"format": "url"})
	validation.MsgExpectedRFC3986URI = jsonFault(kernel.CodeURLNotAllowed, invalidURL).Error() + "%.0s"
	validation.MsgExpectedRFC3339DateTime = form("time")
	validation.MsgExpectedRFC3339Date = form("date")
	validation.MsgExpectedBoolean = form("bool")
	validation.MsgExpectedNumber = form("number")
	validation.MsgExpectedInteger = form("integer")
	validation.MsgExpectedString = form("string")
	validation.MsgExpectedArray = form("list")
	validation.MsgExpectedObject = form("object")
	validation.MsgExpectedArrayItemsUnique = ruled(kernel.RuleDuplicate, "", "", "must not have the same value twice")
	validation.MsgExpectedOneOf = count(kernel.RuleOneOf, "values", "%[1]s", "must be one of: #")
	validation.MsgExpectedBePattern = count(kernel.RulePattern, "pattern", "%[1]s", "must be #")
	validation.MsgExpectedMatchPattern = count(kernel.RulePattern, "pattern", "%[1]s", "must match #")
	validation.MsgExpectedMinimumNumber = count(kernel.RuleTooSmall, "min", "%.0[1]f", "must be at least #")
	validation.MsgExpectedMaximumNumber = count(kernel.RuleTooLarge, "max", "%.0[1]f", "must be at most #")
	validation.MsgExpectedMinLength = count(kernel.RuleTooShort, "min", "%[1]d", "must have at least # characters")
	validation.MsgExpectedMaxLength = count(kernel.RuleTooLong, "max", "%[1]d", "must have at most # characters")
	validation.MsgExpectedMinItems = count(kernel.RuleTooFew, "min", "%[1]d", "must have at least # entries")
	validation.MsgExpectedMaxItems = count(kernel.RuleTooMany, "max", "%[1]d", "must have at most # entries")
}

// ruleFault parses a validation text. Other texts come from decoders of values. For a missing field, huma reports the location
// of the object.
func ruleFault(place, text string) kernel.FieldError {
	parts := strings.SplitN(text, ruleMark, 4)
	if len(parts) < 4 {
		return kernel.RuleMalformed.At(place, text, formatValue)
	}
	out := kernel.FieldError{Field: place, Code: parts[0], Message: parts[3]}
	param, value := parts[1], parts[2]
	switch {
	case out.Code == kernel.RuleRequired.Code():
		out.Field += "." + value
	case param == "values":
		out.Params = kernel.Params{param: strings.Split(value, ", ")}
	case param == "min" || param == "max":
		n, _ := strconv.Atoi(value)
		out.Params = kernel.Params{param: n}
		if n == 1 && out.Code == kernel.RuleTooShort.Code() {
			out.Code, out.Params = kernel.RuleRequired.Code(), nil
		}
	case param != "":
		out.Params = kernel.Params{param: value}
	}
	return out
}
