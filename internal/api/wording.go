package api

import (
	"strings"

	"github.com/danielgtaylor/huma/v2/validation"

	"recado/internal/model"
)

// requiredMark stands before the name of a required field that is missing: huma gives the place of the
// object and leaves the name to the text.
const requiredMark = "required\x01"

// What does not fit a schema is said in our words: what the value must be, not which document it breaks.
func init() {
	validation.MsgExpectedRequiredProperty = requiredMark + "%s"
	validation.MsgUnexpectedProperty = "unknown field"
	validation.MsgExpectedRFC4122UUID = "must be a UUID%.0s" // the parser's own reason is dropped
	validation.MsgExpectedRFC3986URI = jsonFault(model.CodeURLNotAllowed, "body.url", "The address is not a valid URL.%.0s").Error()
	validation.MsgExpectedRFC3339DateTime = "must be a moment such as 2026-11-14T23:56:54Z"
	validation.MsgExpectedRFC3339Date = "must be a day that exists, such as 2026-11-14"
	validation.MsgExpectedBoolean = "must be true or false"
	validation.MsgExpectedNumber = "must be a number"
	validation.MsgExpectedInteger = "must be a whole number"
	validation.MsgExpectedString = "must be a string"
	validation.MsgExpectedArray = "must be a list"
	validation.MsgExpectedObject = "must be an object"
	validation.MsgExpectedArrayItemsUnique = "must not hold anything twice"
	validation.MsgExpectedOneOf = "must be one of: %s"
	validation.MsgExpectedMinimumNumber = "must be at least %.0f"
	validation.MsgExpectedMaximumNumber = "must be at most %.0f"
	validation.MsgExpectedMinLength = "must have at least %d characters"
	validation.MsgExpectedMaxLength = "must have at most %d characters"
	validation.MsgExpectedMinItems = "must hold at least %d"
	validation.MsgExpectedMaxItems = "must hold at most %d"
}

// wording finishes what huma says about a part of a request: a missing field is named by its own place,
// and a value that refused itself has said why.
func wording(field, text string) (string, string) {
	if name, missing := strings.CutPrefix(text, requiredMark); missing {
		return field + "." + name, "is required"
	}
	return field, strings.TrimPrefix(text, "invalid value: ")
}
