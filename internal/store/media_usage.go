package store

import (
	"time"

	"recado/internal/model"
)

// MediaUsage gives the bytes of the files that a company has stored.
func (tx *Tx) MediaUsage(company model.ID) (int64, error) {
	var n int64
	_, err := tx.one(`SELECT bytes FROM media_usage WHERE company = $1`, []any{company}, func(r Row) { n = r.Int(0) })
	return n, err
}

// addMediaUsage counts a file that is stored from now on, or reports false when the company would have more
// bytes than quota.
func (tx *Tx) addMediaUsage(company model.ID, size, quota int64) (bool, error) {
	if size > quota {
		return false, nil
	}
	n, err := tx.exec(`
		INSERT INTO media_usage (company, bytes)
		VALUES ($1, $2)
		ON CONFLICT (company) DO UPDATE
		SET bytes = media_usage.bytes + excluded.bytes
		WHERE media_usage.bytes <= $3`, company, size, quota-size)
	return n == 1, err
}

// AttachMedia notes that something refers to an uploaded file from now on, which keeps it from being removed.
// It reports false when the file has just been removed.
func (tx *Tx) AttachMedia(company, id model.ID) (bool, error) {
	n, err := tx.exec(`UPDATE media SET unattached_at = NULL WHERE id = $1 AND company = $2`, id, company)
	return n == 1, err
}

// UnattachedMedia gives up to limit files that were uploaded before a moment and never used.
func (tx *Tx) UnattachedMedia(before time.Time, limit int) ([]model.ID, error) {
	return tx.ids(`SELECT id FROM media WHERE unattached_at < $1 ORDER BY unattached_at LIMIT $2`, before, limit)
}

// RemoveUnattachedMedia removes the row of a file that was uploaded before a moment and never used, and
// reports whether it did. The bytes are left to the caller; until EndUpload they count as an upload that was
// cut off, so that they are removed after a crash too.
func (tx *Tx) RemoveUnattachedMedia(id model.ID, before time.Time) (bool, error) {
	var company model.ID
	var size int64
	removed, err := tx.one(`
		DELETE FROM media
		WHERE id = $1 AND unattached_at < $2 AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.media = media.id)
		RETURNING company, size`, []any{id, before}, func(r Row) { company, size = r.ID(0), r.Int(1) })
	if err != nil || !removed {
		return false, err
	}
	tx.later(`UPDATE media_usage SET bytes = bytes - $2 WHERE company = $1`, company, size)
	tx.later(`INSERT INTO uploads (media, began_at) VALUES ($1, $2)`, id, before)
	return true, nil
}
