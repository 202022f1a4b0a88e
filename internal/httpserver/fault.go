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

// Cause turns what huma found wrong with a request into an error of the API. huma names the cause by a status
// and, for one of them, only by its text. An error that is not a *kernel.Error is a defect of the server.
func Cause(status int, message string, errs []error) error {
	switch status {
	case http.StatusRequestEntityTooLarge:
		return ErrBodyTooLarge()
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

// fault is a decoding error. huma keeps only the text of such an error, so that all of it is packed into the text, as hexadecimal
// digits because a field may hold any byte.
type fault struct {
	Code  kernel.Code
	Field kernel.FieldError
}

const faultMark = "\x00"

// jsonFault packs a decoding error.
func jsonFault(code kernel.Code, field kernel.FieldError) error {
	packed, _ := json.Marshal(fault{code, field}) // strings and numbers always encode
	return errors.New(faultMark + hex.EncodeToString(packed))
}

// readFault reads what jsonFault packed.
func readFault(text string) (kernel.Code, kernel.FieldError) {
	f := fault{Code: kernel.CodeInvalidRequest, Field: kernel.RuleMalformed.At("body", "does not have the expected form", formatValue)}
	if packed, err := hex.DecodeString(text); err == nil {
		_ = json.Unmarshal(packed, &f)
	}
	return f.Code, f.Field
}

var formatValue = kernel.Params{"format": "value"}

// ruleMark separates what the texts of huma's validation carry: the code of a rule, a parameter, its value, and the message.
const ruleMark = "\x01"

// ruled is a text of huma's validation. The value may be formatted from the first argument, which the message then shows, too.
func ruled(rule kernel.Rule, param, value, message string) string {
	return strings.Join([]string{rule.Code(), param, value, message}, ruleMark)
}

// The texts say what a value must be, not which schema it breaks.
func init() {
	form := func(format string) string {
		return ruled(kernel.RuleMalformed, "format", format, kernel.Malformed("", format).Message)
	}
	count := func(rule kernel.Rule, param, verb, message string) string {
		return ruled(rule, param, verb, strings.ReplaceAll(message, "#", verb))
	}
	validation.MsgExpectedRequiredProperty = ruled(kernel.RuleRequired, "", "%s", "is required")
	validation.MsgUnexpectedProperty = ruled(kernel.RuleUnknown, "", "", "unknown field")
	validation.MsgExpectedRFC4122UUID = form("uuid") + "%.0s" // the parser's own reason is dropped
	validation.MsgExpectedRFC3986URI = jsonFault(kernel.CodeURLNotAllowed, kernel.RuleMalformed.At("body.url", "The address is not a valid URL.", kernel.Params{"format": "url"})).Error() + "%.0s"
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
	validation.MsgExpectedMinimumNumber = count(kernel.RuleTooSmall, "min", "%[1].0f", "must be at least #")
	validation.MsgExpectedMaximumNumber = count(kernel.RuleTooLarge, "max", "%[1].0f", "must be at most #")
	validation.MsgExpectedMinLength = count(kernel.RuleTooShort, "min", "%[1]d", "must have at least # characters")
	validation.MsgExpectedMaxLength = count(kernel.RuleTooLong, "max", "%[1]d", "must have at most # characters")
	validation.MsgExpectedMinItems = count(kernel.RuleTooFew, "min", "%[1]d", "must have at least # entries")
	validation.MsgExpectedMaxItems = count(kernel.RuleTooMany, "max", "%[1]d", "must have at most # entries")
}

// ruleFault reads a text of huma's validation. A missing field is named by its own place: huma gives the place of the object.
// A text of another kind comes from the decoder of a value.
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
