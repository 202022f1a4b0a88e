// Package phone normalizes and compares phone numbers, with care for the forms that WhatsApp gives them.
package phone

import (
	"strings"

	"github.com/nyaruka/phonenumbers"
)

// maxInput bounds what is looked at; fifteen digits with a separator between any two fit.
const maxInput = 64

// Normalize gives the E.164 form, with "+", of a number that a person or a program wrote down, and
// reports whether it is one. Spaces, dashes, dots and brackets may stand anywhere, one "+" before the
// first digit; letters, extensions and digits of other scripts are refused.
//
// With "+" the country is the one given. Without it the number is, in this order:
//   - Brazilian, if it is valid there with ten or eleven digits, with or without the trunk "0";
//   - international, if it is valid with its first digits as country code, as in a WhatsApp id.
//
// A caller with a WhatsApp id puts "+" before it: some ids from abroad read as Brazilian numbers.
// A leading "00" is refused without "+": in Brazil a carrier's code follows it, elsewhere the country's.
//
// Brazilian mobiles get their ninth digit, Mexican ones lose the "1" that WhatsApp still puts after "52".
// Brazilian numbers must lie in a range that is in use. Of other countries only the length is checked
// when "+" tells the country, because new ranges are in use before a table lists them.
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

// Key is equal for two numbers exactly when they reach the same person: a Brazilian mobile with and
// without its ninth digit, a Mexican one with and without "1", an Argentine one with and without "9". It
// takes E.164 or a WhatsApp id, with or without "+", and any other text as it is. It is for comparing
// only: never dial it.
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

// OtherForm gives the other form of a Brazilian mobile number that is older than the ninth digit: without
// the digit where it is there, and with it where it is not. Numbers that were issued with the ninth digit have
// no other form: without it they would be the landline of another person.
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

// digitsOf strips what people put between digits.
func digitsOf(input string) (digits string, plus, ok bool) {
	if len(input) > maxInput {
		return "", false, false
	}
	b := make([]byte, 0, maxInput)
	for i := range len(input) {
		switch c := input[i]; {
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

// parse reads the digits of a number that begin with its country code.
func parse(digits string, strict bool) (e164 string, ok bool) {
	if e164, ok = brazilianMobile(digits); ok {
		return e164, true
	}
	return lookUp(digits, strict)
}

// brazilianMobile reads the numbers that a desk meets most, in a hundredth of the time of a look into the
// library's tables. It says nothing about other numbers.
func brazilianMobile(digits string) (e164 string, ok bool) {
	if len(digits) < 12 || digits[:2] != "55" || strings.IndexByte(brazilianAreas[digits[2]-'0'], digits[3]) < 0 {
		return "", false
	}
	switch {
	case len(digits) == 13 && digits[4] == '9':
		return "+" + digits, true
	case len(digits) == 12 && digits[4] >= '6':
		return "+" + digits[:4] + "9" + digits[4:], true
	}
	return "", false
}

// brazilianAreas holds, for each first digit of a Brazilian area code, the second digits in use.
var brazilianAreas = [10]string{
	1: "123456789", 2: "12478", 3: "1234578", 4: "123456789", 5: "1345", 6: "123456789", 7: "134579", 8: "123456789", 9: "123456789",
}

func lookUp(digits string, strict bool) (e164 string, ok bool) {
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
	if phonenumbers.IsPossibleNumberWithReason(parsed) != phonenumbers.IS_POSSIBLE {
		return "", false
	}
	if strict && !phonenumbers.IsValidNumber(parsed) {
		return "", false
	}
	return phonenumbers.Format(parsed, phonenumbers.E164), true
}
