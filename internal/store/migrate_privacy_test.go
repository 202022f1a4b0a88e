package store

import (
	"testing"

	"recado/internal/model"
)

// TestPrivatePeopleAreSplitFromPublicContacts migrates a database of the first release in which one person
// writes to a public and to two private channels, another to a private one alone, and both to a private group.
func TestPrivatePeopleAreSplitFromPublicContacts(t *testing.T) {
	eachUpgrade(t, firstSchema(t), func(t *testing.T, before *Store, company model.ID, upgrade func() *Store) {
		public, secret, other := model.NewID(), model.NewID(), model.NewID()
		both, hidden, writer := model.NewID(), model.NewID(), model.NewID()
		talks := map[string]model.ID{}
		mustWrite(t, before, func(tx *Tx) error {
			contact := func(id model.ID, phone string, shown bool, channel model.ID) {
				tx.later(`
					INSERT INTO contacts (id, company, name, phone, phone_key, channel, blocked, public, folded, unindexed, created_at, updated_at)
					VALUES ($1, $2, 'Ana', $3, $3, $4, FALSE, $5, 'ana', FALSE, 1, 1)`, id, company, phone, channel, shown)
				tx.later(`INSERT INTO contact_identities (company, kind, value, contact) VALUES ($1, 'wa_id', $2, $3)`, company, phone[1:], id)
			}
			contact(both, "+5511911110001", true, public)
			contact(hidden, "+5511911110002", false, secret)
			contact(writer, "+5511911110003", true, public)
			talk := func(name string, channel model.ID, private bool, contact *model.ID, group *string) {
				id := model.NewID()
				talks[name] = id
				tx.later(`
					INSERT INTO conversations (id, company, channel, private, kind, name, renamed, contact, group_id, archived, pinned, muted,
						unread_count, unanswered, sequence, activity_at, folded, unindexed, created_at, updated_at)
					VALUES ($1, $2, $3, $4, 'direct', 'Ana', FALSE, $5, $6, FALSE, FALSE, FALSE, 0, FALSE, 1, 1, 'ana', FALSE, 1, 1)`,
					id, company, channel, private, contact, group)
				tx.later(`
					INSERT INTO attendances (id, company, number, conversation, channel, contact, private, opened_at, opened_by)
					VALUES ($1, $2, $3, $1, $4, $5, $6, 1, 'customer')`, id, company, len(talks), channel, contact, private)
				tx.later(`
					INSERT INTO cards (id, company, board, stage, title, folded, unindexed, priority, contact, conversation, attendance, private, hidden,
						status, rank, version, created_at, updated_at)
					VALUES ($1, $2, $1, $1, 'Ana', 'ana', FALSE, 'medium', $3, $1, $1, FALSE, $4, 'open', 'a', 1, 1, 1)`, id, company, contact, private)
			}
			talk("public", public, false, &both, nil)
			talk("secret", secret, true, &both, nil)
			talk("other", other, true, &both, nil)
			talk("hidden", secret, true, &hidden, nil)
			talk("group", secret, true, nil, new("group"))
			for i, author := range []model.ID{both, hidden, writer, writer} {
				tx.later(`
					INSERT INTO messages (conversation, seq, id, company, channel, private, direction, origin, type, status, author, created_at)
					VALUES ($1, $2, $3, $4, $5, TRUE, 'inbound', 'customer', 'text', 'received', $6, 1)`,
					talks["group"], i+1, model.NewID(), company, secret, author)
			}
			return nil
		})
		after := upgrade()
		mustRead(t, after, func(tx *Tx) error {
			contactOf := func(name string) model.ID {
				var id, attended, carded model.ID
				_, err := tx.one(`
					SELECT v.contact, a.contact, k.contact
					FROM conversations v
					JOIN attendances a ON a.conversation = v.id
					JOIN cards k ON k.conversation = v.id
					WHERE v.id = $1`, []any{talks[name]}, func(r Row) { id, attended, carded = r.ID(0), r.ID(1), r.ID(2) })
				if err != nil || id != attended || id != carded {
					t.Errorf("%s: contact of the conversation %s, of the attendance %s, of the card %s (error %v)", name, id, attended, carded, err)
				}
				return id
			}
			check := func(what string, id, want model.ID, pool model.ID, phone string) {
				t.Helper()
				if !want.IsZero() && id != want {
					t.Errorf("%s: contact %s, want %s as before", what, id, want)
				}
				c, found, err := tx.Contact(company, id)
				if err != nil || !found || c.Pool != pool {
					t.Errorf("%s: found %v in pool %s, want pool %s (error %v)", what, found, c.Pool, pool, err)
				}
				known, err := tx.ContactsKnownAs(company, pool, [2]string{}, [2]string{phone[1:]}, phone)
				if err != nil || len(known) != 2 || known[0].Contact.ID != id || known[1].Contact.ID != id {
					t.Errorf("%s: the pool knows %v by id and phone, want %s twice (error %v)", what, known, id, err)
				}
			}
			check("public", contactOf("public"), both, company, "+5511911110001")
			secretly := contactOf("secret")
			check("secret", secretly, model.ID{}, secret, "+5511911110001")
			check("other", contactOf("other"), model.ID{}, other, "+5511911110001")
			check("hidden", contactOf("hidden"), hidden, secret, "+5511911110002")
			authors, err := tx.ids(`SELECT author FROM messages WHERE conversation = $1 ORDER BY seq`, talks["group"])
			if err != nil || len(authors) != 4 {
				t.Fatalf("%d authors (error %v)", len(authors), err)
			}
			if authors[0] != secretly || authors[1] != hidden || authors[2] != authors[3] || authors[2] == writer {
				t.Errorf("authors %v, want %s, %s and twice a new contact", authors, secretly, hidden)
			}
			check("author", authors[2], model.ID{}, secret, "+5511911110003")
			check("the author in public", writer, writer, company, "+5511911110003")
			return nil
		})
	})
}
