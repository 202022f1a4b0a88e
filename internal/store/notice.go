package store

import (
	"crypto/sha256"
	"time"

	"recado/internal/model"
)

// InsertNotice keeps what a channel's provider said. The same again adds nothing.
func (tx *Tx) InsertNotice(channel *model.Channel, n *model.IncomingNotice) {
	digest := sha256.New()
	for _, part := range [][]byte{[]byte(n.Kind), []byte(n.Text), n.Raw} {
		digest.Write(part)
		digest.Write([]byte{0})
	}
	tx.later(`
		INSERT INTO notices (channel, digest, company, kind, text, raw, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT DO NOTHING`, channel.ID, digest.Sum(nil)[:16], channel.Company, n.Kind, n.Text, n.Raw, tx.Now)
}

// Notices gives the newest notices of a channel.
func (tx *Tx) Notices(company, channel model.ID, limit int) (all []model.Notice, err error) {
	err = tx.query(`
		SELECT kind, text, raw, created_at
		FROM notices
		WHERE company = $1 AND channel = $2
		ORDER BY created_at DESC, digest
		LIMIT $3`, []any{company, channel, limit}, func(r Row) error {
		all = append(all, model.Notice{IncomingNotice: model.IncomingNotice{Kind: r.Text(0), Text: r.Text(1), Raw: r.Bytes(2)}, CreatedAt: r.Time(3)})
		return nil
	})
	return all, err
}

// PurgeNotices deletes notices kept before a moment, oldest first, up to limit of them.
func (tx *Tx) PurgeNotices(before time.Time, limit int) (int64, error) {
	return tx.exec(`
		DELETE FROM notices
		WHERE (channel, digest) IN (SELECT channel, digest FROM notices WHERE created_at < $1 ORDER BY created_at LIMIT $2)`, before, limit)
}
