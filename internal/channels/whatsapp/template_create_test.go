package whatsapp

import "testing"

func TestTheFieldThatMetaNames(t *testing.T) {
	fields := []string{"header", "body", "footer", "buttons"}
	for named, want := range map[string]string{
		"(#100) Param components[0]['text'] must have at most 60 characters": "header",
		"components[1].text": "body",
		"(#192) Param components[3]['buttons'][2]['phone_number'] is not a valid phone number.": "buttons[2].phone_number",
		"(#100) Param components[3]['buttons'][0] is invalid":                                   "buttons[0]",
		"(#100) Param name must consist of lower-case letters":                                  "name",
		"components[9]":     "",
		"Invalid parameter": "",
	} {
		if got := templateField(named, fields); got != want {
			t.Errorf("%q: got %q, want %q", named, got, want)
		}
	}
}
