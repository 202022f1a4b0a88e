package kernel

import (
	"regexp"
	"strings"
)

// CardVersion is ChangeVersion for a card, which requires a version.
func CardVersion(lines []string, body *int64) (int64, *Error) {
	version, err := ChangeVersion(lines, body)
	if err == nil && version == 0 {
		err = Errorf(CodeVersionRequired,
			"Specify the version of the card: send its ETag as If-Match, or version in the body.")
	}
	return version, err
}

const ifMatch = "header.If-Match"

var versionForm = regexp.MustCompile(`^(?:([1-9][0-9]*)|(?:W/)?"([1-9][0-9]*)")$`)

// ParseIfMatch parses a version from the If-Match lines of a request: 7, "7" or W/"7", because proxies
// weaken entity tags. present is false without the header and for "*". Everything else, such as a list, is an error.
func ParseIfMatch(lines []string) (version int64, present bool, err *Error) {
	switch {
	case len(lines) == 0:
		return 0, false, nil
	case len(lines) > 1:
		return 0, false, Invalid(ifMatch, RuleRepeated, "must be sent once.")
	}
	value := strings.Trim(lines[0], " \t")
	if value == "*" {
		return 0, false, nil
	}
	if digits := versionForm.FindStringSubmatch(value); digits != nil {
		if version, ok := Positive(digits[1] + digits[2]); ok {
			return version, true, nil
		}
	}
	return 0, false, Invalid(ifMatch, RuleMalformed, `must be one version such as 7, "7" or W/"7", not `+Quoted(value)+".",
		Params{"format": "version"})
}

// ChangeVersion returns the version that a change is based on, from the body or from If-Match; 0 without any. If both are
// present, they must agree.
func ChangeVersion(lines []string, body *int64) (int64, *Error) {
	version, present, err := ParseIfMatch(lines)
	switch {
	case err != nil:
		return 0, err
	case body != nil && *body < 1:
		return 0, AtLeast("body.version", 1)
	case body != nil && present && *body != version:
		return 0, Invalid("body.version", RuleVersionMismatch, "differs from the version in If-Match; send one of them.")
	case body != nil:
		return *body, nil
	}
	return version, nil
}
