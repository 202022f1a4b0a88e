package store

import (
	"testing"

	"recado/internal/model"
	"recado/internal/testkit"
)

func TestMessagesFromBeforeTheSearchAreFound(t *testing.T) {
	eachUpgrade(t, schemaBefore(t, "0016"), func(t *testing.T, before *Store, company model.ID, upgrade func() *Store) {
		channel, conversation, message := model.NewID(), model.NewID(), model.NewID()
		mustWrite(t, before, func(tx *Tx) error {
			tx.later(`
				INSERT INTO channels (id, company, name, phone, provider, status, private, coexistence, created_at, updated_at)
				VALUES ($1, $2, 'Main', '+551133334444', 'sandbox', 'connected', FALSE, FALSE, 0, 0)`, channel, company)
			tx.later(`
				INSERT INTO conversations (id, company, channel, kind, name, folded, unindexed, renamed, private, archived, pinned, muted, unread_count, unanswered, sequence, activity_at, created_at, updated_at)
				VALUES ($1, $2, $3, 'group', 'Ana', 'ana', FALSE, FALSE, FALSE, FALSE, FALSE, FALSE, 0, FALSE, 1, 0, 0, 0)`, conversation, company, channel)
			tx.later(`
				INSERT INTO messages (conversation, seq, id, company, channel, private, direction, origin, type, text, status, created_at)
				VALUES ($1, 1, $2, $3, $4, FALSE, 'inbound', 'customer', 'text', 'Um ORÇAMENTO, por favor', 'received', 0)`, conversation, message, company, channel)
			return nil
		})
		after := upgrade()
		find := func() (found []model.ID) {
			mustRead(t, after, func(tx *Tx) error {
				page, err := tx.SearchMessages(MessageFilter{Company: company, Sight: Sight{All: true}, Q: "orcamento", Limit: 10})
				for _, f := range page.Data {
					found = append(found, f.Message.ID)
				}
				return err
			})
			return found
		}
		testkit.Diff(t, "found before it is indexed", find(), []model.ID{message})
		mustWrite(t, after, func(tx *Tx) error {
			_, err := tx.IndexMessages(100)
			return err
		})
		mustRead(t, after, func(tx *Tx) error {
			waiting, err := tx.ids(`SELECT id FROM messages_unindexed WHERE company = $1`, company)
			testkit.Equal(t, "messages that wait", len(waiting), 0)
			return err
		})
		testkit.Diff(t, "found after it", find(), []model.ID{message})
	})
}
