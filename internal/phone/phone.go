// Package phone normalizes and compares phone numbers, including the variants that WhatsApp uses.
package phone

import (
	"slices"
	"strings"

	"github.com/nyaruka/phonenumbers"
)

const maxInput = 64 // bytes; enough for fifteen digits with separators

// Normalize returns a phone number in E.164 form, with "+", and reports whether it is valid. Spaces, dashes, dots and
// brackets are ignored; letters, extensions and digits of other scripts are invalid.
//
// A number with "+" starts with its country code. A number without it is, in this order:
//   - Brazilian, if it is valid there with ten or eleven digits, with or without the trunk "0";
//   - international, if it is valid with its first digits as country code, as in a WhatsApp id.
//
// Callers put "+" before a WhatsApp id, because some foreign ids look like Brazilian numbers. A leading "00" without
// "+" is invalid: in Brazil a carrier code follows it, elsewhere a country code.
//
// Brazilian mobile numbers get their ninth digit. Mexican ones lose the "1" that WhatsApp adds after "52". Brazilian
// numbers must be in a range that is in use. For other countries with "+", only the length is checked, because new
// ranges are in use before the library lists them.
func Normalize(input string) (e164 string, ok bool) {
	digits, plus, ok := digitsOf(input)
	if !ok {
		return "", false
	}
	if plus {
		return parse(digits, false)
	}
	national := strings.TrimPrefix(digits, "0")
	if len(national) == 10 || len(national) == 11 {
		if e164, ok = parse("55"+national, true); ok {
			return e164, true
		}
	}
	return parse(digits, true)
}

// Key returns the same text for all forms of a number: a Brazilian mobile number with and without its ninth digit, a
// Mexican one with and without "1", an Argentine one with and without "9". It accepts E.164 or a WhatsApp id, with or
// without "+", and returns other text unchanged. It is only for comparison.
func Key(phone string) string {
	d := strings.TrimPrefix(phone, "+")
	switch {
	case len(d) == 12 && d[:2] == "55" && d[4] >= '6' && d[4] <= '9':
		return d[:4] + "9" + d[4:]
	case len(d) == 13 && d[:3] == "521":
		return "52" + d[3:]
	case len(d) == 13 && d[:3] == "549":
		return "54" + d[3:]
	}
	return d
}

// OtherForm adds or removes the ninth digit of a Brazilian mobile number that is older than this digit. Numbers issued
// with the ninth digit have no other form: without it they would be landlines of other people.
func OtherForm(phone string) (other string, ok bool) {
	d := strings.TrimPrefix(phone, "+")
	switch {
	case len(d) == 13 && d[:2] == "55" && d[4] == '9' && d[5] >= '6' && d[5] <= '9':
		return d[:4] + d[5:], true
	case len(d) == 12 && d[:2] == "55" && d[4] >= '6' && d[4] <= '9':
		return d[:4] + "9" + d[4:], true
	}
	return "", false
}

// Forms returns all forms of a number that have its Key, without "+", and the number itself first.
func Forms(phone string) []string {
	forms := []string{strings.TrimPrefix(phone, "+")}
	add := func(form string) {
		if Key(form) == Key(phone) && !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	key := Key(phone)
	add(key)
	switch {
	case len(key) == 13 && key[:2] == "55":
		add(key[:4] + key[5:])
	case len(key) == 12 && key[:2] == "52":
		add("521" + key[2:])
	case len(key) == 12 && key[:2] == "54":
		add("549" + key[2:])
	}
	return forms
}

func digitsOf(input string) (digits string, plus, ok bool) {
	if len(input) > maxInput {
		return "", false, false
	}
	var b []byte
	for _, c := range []byte(input) {
		switch {
		case c >= '0' && c <= '9':
			b = append(b, c)
		case c == '+' && !plus && len(b) == 0:
			plus = true
		case c == ' ' || c == '-' || c == '.' || c == '(' || c == ')':
		default:
			return "", false, false
		}
	}
	return string(b), plus, len(b) > 0
}

// parse parses digits that start with a country code. If strict is set, the number must be in a range that is in use.
func parse(digits string, strict bool) (e164 string, ok bool) {
	parsed, err := phonenumbers.Parse("+"+digits, "ZZ")
	if err != nil {
		return "", false
	}
	n := parsed.GetNationalNumber()
	switch parsed.GetCountryCode() {
	case 55:
		strict = true
		if first := n / 1e7 % 10; n >= 11e8 && n < 1e10 && first >= 6 {
			n = n/1e8*1e9 + 9e8 + n%1e8
		}
	case 52:
		if n >= 1e10 && n < 2e10 {
			n -= 1e10
		}
	}
	parsed.NationalNumber = &n
	possible := phonenumbers.IsPossibleNumberWithReason(parsed) == phonenumbers.IS_POSSIBLE
	if !possible || strict && !phonenumbers.IsValidNumber(parsed) {
		return "", false
	}
	return phonenumbers.Format(parsed, phonenumbers.E164), true
}

// Country returns the ISO 3166 code of the country of a number in E.164 form, such as "BR", or "" if it is unknown.
func Country(e164 string) string {
	parsed, err := phonenumbers.Parse(e164, "ZZ")
	if err != nil {
		return ""
	}
	region := phonenumbers.GetRegionCodeForNumber(parsed)
	if !IsCountry(region) { // in a range that the library does not know
		region = phonenumbers.GetRegionCodeForCountryCode(int(parsed.GetCountryCode()))
	}
	if !IsCountry(region) {
		return ""
	}
	return region
}

// IsCountry reports whether code is the ISO 3166 code of a country with phone numbers.
func IsCountry(code string) bool { return phonenumbers.GetSupportedRegions()[code] }
