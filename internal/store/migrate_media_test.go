package store

import (
	"testing"

	"recado/internal/model"
)

func TestFilesThatWereStoredBeforeThereWasAQuotaAreCounted(t *testing.T) {
	eachUpgrade(t, firstSchema(t), func(t *testing.T, before *Store, company model.ID, upgrade func() *Store) {
		sent, unused := model.NewID(), model.NewID()
		mustWrite(t, before, func(tx *Tx) error {
			for _, m := range []struct {
				id     model.ID
				stored bool
			}{{sent, true}, {unused, true}, {model.NewID(), false}} {
				tx.later(`
					INSERT INTO media (id, company, private, kind, mime_type, file_name, size, stored, fetch_tries, created_at)
					VALUES ($1, $2, FALSE, 'image', 'image/png', 'a.png', 1000, $3, 0, 5)`, m.id, company, m.stored)
			}
			tx.later(`
				INSERT INTO messages (conversation, seq, id, company, channel, private, direction, origin, type, media, status, created_at)
				VALUES ($1, 1, $2, $3, $4, FALSE, 'outbound', 'api', 'image', $5, 'sent', 5)`,
				model.NewID(), model.NewID(), company, model.NewID(), sent)
			return nil
		})
		after := upgrade()
		mustRead(t, after, func(tx *Tx) error {
			if used, err := tx.MediaUsage(company); err != nil || used != 2000 {
				t.Errorf("%d bytes are counted, want 2000 (%v)", used, err)
			}
			ids, err := tx.UnattachedMedia(tx.Now, 10)
			if len(ids) != 1 || ids[0] != unused {
				t.Errorf("unattached: got %v, want %v", ids, unused)
			}
			return err
		})
	})
}
