package talk

import (
	"fmt"
	"testing"
	"time"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/test/testkit"
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

// TestAPersonOfALinkedAndOfACloudNumberIsOneContact receives three messages of one person in every order.
func TestAPersonOfALinkedAndOfACloudNumberIsOneContact(t *testing.T) {
	const number, lid, user = "5511987654321", "77788899900@lid", "BR.1411"
	eachOffice(t, func(t *testing.T, o *office) {
		linked := channels.Channel{ID: kernel.NewID(), Company: o.company.ID, Name: "Shop", Phone: new("+5511912345678"), Provider: channels.ProviderLinked}
		o.insertChannel(t, linked)
		cloud := o.number(t)
		d := o.nodes[0]
		type message struct {
			channel kernel.ID
			person  provider.Person
		}
		both := message{linked.ID, provider.Person{WAID: number, UserID: lid}}
		meta := message{cloud.ID, provider.Person{WAID: number, UserID: user}}
		n := 0
		receive := func(t *testing.T, m message) {
			t.Helper()
			n++
			err := d.Receive(t.Context(), o.company.ID, m.channel, []provider.Incoming{{Message: &provider.IncomingMessage{
				ExternalID: fmt.Sprint("IN", n), Customer: m.person, Type: "text", Text: "Oi", At: time.Now(),
			}}})
			if err != nil {
				t.Fatal(err)
			}
		}
		contacts := func(t *testing.T) (ids []kernel.ID) {
			t.Helper()
			o.tx(t, func(tx *kernel.Tx) (err error) {
				ids, err = tx.IDs(`SELECT id FROM contacts WHERE company = $1`, o.company.ID)
				return err
			})
			return ids
		}
		reset := func(t *testing.T) {
			t.Helper()
			o.tx(t, func(tx *kernel.Tx) error {
				tx.Later(`DELETE FROM contact_identities WHERE company = $1`, o.company.ID)
				tx.Later(`UPDATE contacts SET phone = NULL, phone_key = NULL WHERE company = $1`, o.company.ID)
				return nil
			})
		}
		for name, first := range map[string]message{
			"known by LID":     {linked.ID, provider.Person{UserID: lid}},
			"known by user id": {cloud.ID, provider.Person{UserID: user}},
		} {
			m := []message{first, meta, both}
			for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
				t.Run(fmt.Sprint(name, order), func(t *testing.T) {
					reset(t)
					before := len(contacts(t))
					for _, i := range order {
						receive(t, m[i])
					}
					if added := len(contacts(t)) - before; added != 1 {
						t.Fatalf("there are %d contacts, want 1", added)
					}
					found := map[kernel.ID]string{}
					o.tx(t, func(tx *kernel.Tx) error {
						var contact kernel.ID
						if _, err := tx.One(`SELECT contact FROM contact_identities WHERE company = $1 AND value = $2`, []any{o.company.ID, lid},
							func(r db.Row) { contact = r.ID("contact") }); err != nil {
							return err
						}
						for _, channel := range []kernel.ID{linked.ID, cloud.ID} {
							var p provider.Person
							if err := addIdentities(tx, o.company.ID, channel, contact, &p); err != nil {
								return err
							}
							found[channel] = p.WAID + " " + p.UserID
						}
						return nil
					})
					testkit.Diff(t, "the ids that each number uses", found, map[kernel.ID]string{linked.ID: number + " " + lid, cloud.ID: number + " " + user})
				})
			}
		}
		t.Run("another LID is another person", func(t *testing.T) {
			reset(t)
			before := len(contacts(t))
			receive(t, message{linked.ID, provider.Person{UserID: "1@lid"}})
			receive(t, both)
			receive(t, message{linked.ID, provider.Person{WAID: number, UserID: "1@lid"}})
			if added := len(contacts(t)) - before; added != 2 {
				t.Errorf("there are %d contacts, want 2", added)
			}
		})
	})
}
