package reception

import (
	"cmp"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/talk"
)

// findReception returns the reception of a channel. It is empty if none was ever saved.
func findReception(tx *kernel.Tx, company, channel kernel.ID) (Reception, error) {
	r := Reception{Version: 1}
	var decodeErr error
	_, err := tx.One(`SELECT content, version FROM receptions WHERE company = $1 AND channel = $2`,
		[]any{company, channel}, func(row db.Row) {
			decodeErr = json.Unmarshal([]byte(row.Text("content")), &r)
			r.Version = row.Int("version") + 1
		})
	return r, cmp.Or(err, decodeErr)
}

// saveReception stores the reception of a channel with a new version.
func saveReception(tx *kernel.Tx, company, channel kernel.ID, r *Reception) error {
	content, err := json.Marshal(r)
	if err != nil {
		return err
	}
	tx.Later(`
		INSERT INTO receptions (company, channel, version, content, updated_at)
		VALUES ($1, $2, 1, $3, $4)
		ON CONFLICT (company, channel) DO UPDATE
		SET version = receptions.version + 1, content = excluded.content, updated_at = excluded.updated_at`,
		company, channel, string(content), tx.Now)
	tx.Later(`
		UPDATE channels
		SET reception = CASE WHEN $3 THEN (SELECT version FROM receptions WHERE company = $1 AND channel = $2) END
		WHERE company = $1 AND id = $2`, company, channel, r.Enabled)
	return nil
}

// dueMenus returns up to limit conversations whose menu has timed out, oldest first.
func dueMenus(tx *kernel.Tx, now time.Time, limit int) ([]talk.ConversationAt, error) {
	return kernel.Rows(tx, `
		SELECT /* all companies: due work */ company, id
		FROM conversations
		WHERE reception_due <= $1
		ORDER BY reception_due
		LIMIT $2`, []any{now, limit}, func(r db.Row) talk.ConversationAt {
		return talk.ConversationAt{Company: r.ID("company"), ID: r.ID("id")}
	})
}
