package talk

import (
	"testing"

	"recado/internal/channels/provider"
)

func TestPhonesAreNormalized(t *testing.T) {
	for name, tt := range map[string]struct {
		person provider.Person
		want   string
	}{
		"a phone":                          {provider.Person{Phone: "+5511987654321"}, "+5511987654321"},
		"a WhatsApp id":                    {provider.Person{WAID: "5511987654321"}, "+5511987654321"},
		"a mobile without its ninth digit": {provider.Person{Phone: "+551187654321", WAID: "551187654321"}, "+5511987654321"},
		"a Mexican one with its old digit": {provider.Person{WAID: "5215512345678"}, "+525512345678"},
		"a foreign id that reads as Brazilian without its plus": {provider.Person{WAID: "34912345678"}, "+34912345678"},
		"not a number":              {provider.Person{WAID: "12"}, "+12"},
		"a number that is withheld": {provider.Person{UserID: "BR.1"}, ""},
	} {
		items := []provider.Incoming{
			{Message: &provider.IncomingMessage{Customer: tt.person}}, {Identity: &provider.IncomingIdentity{Person: tt.person}}, {Status: &provider.IncomingStatus{}},
		}
		out := normalizePhones(items)
		if got := out[0].Message.Customer.Phone; got != tt.want {
			t.Errorf("%s in a message: got %q, want %q", name, got, tt.want)
		}
		if got := out[1].Identity.Person.Phone; got != tt.want {
			t.Errorf("%s in a change: got %q, want %q", name, got, tt.want)
		}
		if items[0].Message.Customer != tt.person || items[1].Identity.Person != tt.person || out[2] != items[2] {
			t.Errorf("%s: the items of the caller have changed", name)
		}
	}
}
