package kernel

import (
	"strings"
)

// CardVersion is ChangeVersion for a card. Without a version the code is version_required.
func CardVersion(lines []string, body *int64) (int64, *Error) {
	version, err := ChangeVersion(lines, body)
	if err == nil && version == 0 {
		err = Errorf(CodeVersionRequired, "Say which version of the card you are changing: send the value of its ETag as If-Match, or version in the body.")
	}
	return version, err
}

const ifMatch = "header.If-Match"

// ParseIfMatch reads a version from the If-Match lines of a request: 7, "7" or W/"7", since proxies
// weaken entity tags. present is false without the header and for "*", which names no version. A list,
// two lines, and what is not a whole number from 1 on, written without leading zeros, are errors.
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
	number, weak := strings.CutPrefix(value, "W/")
	bare, quotes := strings.CutPrefix(number, `"`)
	if quotes {
		if bare, quotes = strings.CutSuffix(bare, `"`); !quotes {
			return 0, false, errIfMatch(value)
		}
	} else if weak {
		return 0, false, errIfMatch(value)
	}
	version, ok := Positive(bare)
	if !ok || bare[0] == '0' {
		return 0, false, errIfMatch(value)
	}
	return version, true, nil
}

// ChangeVersion settles which version a change is based on: the one in the body, the one in If-Match, or
// either when they agree; 0 without any.
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

func errIfMatch(value string) *Error {
	return Invalid(ifMatch, RuleMalformed, `must be one version such as 7, "7" or W/"7", not `+Quoted(value)+".", Params{"format": "version"})
}
