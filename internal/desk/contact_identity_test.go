package desk

import (
	"testing"

	"recado/internal/model"
)

func TestPhonesAreNormalized(t *testing.T) {
	for name, tt := range map[string]struct {
		person model.Person
		want   string
	}{
		"a phone":                          {model.Person{Phone: "+5511987654321"}, "+5511987654321"},
		"a WhatsApp id":                    {model.Person{WAID: "5511987654321"}, "+5511987654321"},
		"a mobile without its ninth digit": {model.Person{Phone: "+551187654321", WAID: "551187654321"}, "+5511987654321"},
		"a Mexican one with its old digit": {model.Person{WAID: "5215512345678"}, "+525512345678"},
		"a foreign id that reads as Brazilian without its plus": {model.Person{WAID: "34912345678"}, "+34912345678"},
		"what is no number":         {model.Person{WAID: "12"}, "+12"},
		"a number that is withheld": {model.Person{UserID: "BR.1"}, ""},
	} {
		items := []model.Incoming{
			{Message: &model.IncomingMessage{Customer: tt.person}}, {Identity: &model.IncomingIdentity{Person: tt.person}}, {Status: &model.IncomingStatus{}},
		}
		out := normalizePhones(items)
		if got := out[0].Message.Customer.Phone; got != tt.want {
			t.Errorf("%s, of a message: %q, want %q", name, got, tt.want)
		}
		if got := out[1].Identity.Person.Phone; got != tt.want {
			t.Errorf("%s, of a change: %q, want %q", name, got, tt.want)
		}
		if items[0].Message.Customer != tt.person || items[1].Identity.Person != tt.person || out[2] != items[2] {
			t.Errorf("%s: what the caller holds has changed", name)
		}
	}
}
