package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"recado/internal/model"
)

func TestConversationsOfAnEarlierVersionTellTheStatusAndTheFileOfTheirLastMessage(t *testing.T) {
	eachUpgrade(t, schemaBefore(t, "0021"), func(t *testing.T, before *Store, company model.ID, upgrade func() *Store) {
		channel := model.NewID()
		name, seconds := "voz.ogg", 42.5
		want := map[string]*model.LastMessage{
			"text":      {Type: "text", Direction: "outbound", Status: "delivered"},
			"recording": {Type: "audio", Direction: "outbound", Status: "read", FileName: &name, DurationSeconds: &seconds},
			"empty":     nil,
		}
		mustWrite(t, before, func(tx *Tx) error {
			tx.later(`
				INSERT INTO channels (id, company, name, phone, provider, status, private, coexistence, created_at, updated_at)
				VALUES ($1, $2, 'n', '+5511400289', 'sandbox', 'connected', FALSE, FALSE, 0, 0)`, channel, company)
			for title, m := range want {
				id := model.NewID()
				var last, media *model.ID
				var kind, direction *string
				if m != nil {
					m.ID = model.NewID()
					last, kind, direction = &m.ID, &m.Type, &m.Direction
					if m.FileName != nil {
						media = new(model.NewID())
						tx.later(`
							INSERT INTO media (id, company, private, kind, mime_type, file_name, size, stored, fetch_tries, created_at, duration_ms)
							VALUES ($1, $2, FALSE, 'audio', 'audio/ogg', $3, 1000, TRUE, 0, 0, 42500)`, *media, company, *m.FileName)
					}
					tx.later(`
						INSERT INTO messages (conversation, seq, id, company, channel, private, direction, origin, type, media, status, created_at)
						VALUES ($1, 1, $2, $3, $4, FALSE, $5, 'api', $6, $7, $8, 0)`,
						id, m.ID, company, channel, m.Direction, m.Type, media, m.Status)
				}
				tx.later(`
					INSERT INTO conversations (id, company, channel, private, kind, name, renamed, archived, pinned, muted, unread_count, last_id, last_type,
						last_direction, last_at, unanswered, sequence, activity_at, folded, unindexed, created_at, updated_at)
					VALUES ($1, $2, $3, FALSE, 'direct', $4, FALSE, FALSE, FALSE, FALSE, 0, $5, $6, $7, 0, FALSE, 9, 9000, $4, FALSE, 0, 0)`,
					id, company, channel, title, last, kind, direction)
			}
			return nil
		})
		after := upgrade()
		got := map[string]*model.LastMessage{}
		mustRead(t, after, func(tx *Tx) error {
			return tx.query(`SELECT`+conversationColumns+` FROM conversations c`, nil, func(r Row) error {
				c := scanConversation(r)
				if c.LastMessage != nil {
					c.LastMessage.CreatedAt = model.LastMessage{}.CreatedAt
				}
				got[c.Name] = c.LastMessage
				return nil
			})
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("last messages (-want +got):\n%s", diff)
		}
	})
}
