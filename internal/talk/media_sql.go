package talk

import (
	"encoding/hex"
	"math"
	"strings"
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// mediaColumns are the columns of a file d. The file is private if it came through a channel that is private now. Whether an
// uploaded file may be seen depends on its messages: see mediaInSight.
const mediaColumns = `
	d.id, d.company, d.channel,
	((d.private OR d.provider_sha256 IS NOT NULL) AND EXISTS (
		SELECT 1 FROM channels x WHERE x.company = d.company AND x.id = d.channel AND x.private)) AS channel_private,
	d.kind, d.mime_type, d.file_name, d.size, d.sha256, d.stored, d.provider_id, d.provider_sha256, d.fetch_at, d.fetch_tries,
	d.fetch_error, d.created_at, d.unattached_at, d.width, d.height, d.duration_ms`

func scanMedia(r db.Row) Media {
	return Media{
		ID: r.ID("id"), Company: r.ID("company"), Channel: r.NullID("channel"), Private: r.Bool("channel_private"),
		Kind: MediaKind(r.Text("kind")), MimeType: r.Text("mime_type"), FileName: r.Text("file_name"), Size: r.Int("size"),
		SHA256: hex.EncodeToString(r.Bytes("sha256")), Stored: r.Bool("stored"),
		Provider: MediaAtProvider{ID: r.Text("provider_id"), SHA256: r.Text("provider_sha256")}, Awaited: !r.Null("fetch_at"),
		FetchError: r.Text("fetch_error"), CreatedAt: r.Time("created_at"), Unattached: !r.Null("unattached_at"),
		MediaShape: scanShape(r),
	}
}

func scanShape(r db.Row) MediaShape {
	return MediaShape{r.NullInt("width"), r.NullInt("height"), durationSeconds(r.NullInt("duration_ms"))}
}

// durationSeconds converts a stored duration, which is in milliseconds.
func durationSeconds(ms *int64) *float64 {
	if ms == nil {
		return nil
	}
	return new(float64(*ms) / 1000)
}

// durationMillis is the inverse of durationSeconds.
func durationMillis(seconds *float64) *int64 {
	if seconds == nil {
		return nil
	}
	return new(int64(math.Round(*seconds * 1000)))
}

// findMedia returns a file of the company, private or not: the caller checks who may see it.
func findMedia(tx *kernel.Tx, company, id kernel.ID) (m Media, found bool, err error) {
	found, err = tx.One(`SELECT`+mediaColumns+` FROM media d WHERE d.company = $1 AND d.id = $2`, []any{company, id},
		func(r db.Row) { m = scanMedia(r) })
	return m, found, err
}

// beginUpload records that a file is about to be stored, or removed, under an id.
func beginUpload(tx *kernel.Tx, company, media kernel.ID, at time.Time) {
	tx.Later(`
		INSERT INTO uploads (company, media, began_at)
		VALUES ($1, $2, $3)
		ON CONFLICT (company, media) DO UPDATE SET began_at = excluded.began_at`, company, media, at)
}

// endUpload removes the record of an upload whose file has a row now or was removed.
func endUpload(tx *kernel.Tx, company, media kernel.ID) {
	tx.Later(`DELETE FROM uploads WHERE company = $1 AND media = $2`, company, media)
}

// insertMedia adds an uploaded file whose bytes are stored under its id. It adds nothing and reports false if the files of the
// company would exceed quota bytes.
func insertMedia(tx *kernel.Tx, m *Media, sha256 [32]byte, quota int64) (bool, error) {
	if fits, err := addMediaUsage(tx, m.Company, m.Size, quota); err != nil || !fits {
		return false, err
	}
	tx.Later(`
		INSERT INTO media (id, company, channel, private, kind, mime_type, file_name, size, sha256, stored, fetch_tries, created_at,
			unattached_at, width, height, duration_ms)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, TRUE, 0, $10, $10, $11, $12, $13)`,
		m.ID, m.Company, m.Channel, m.Private, m.Kind, m.MimeType, m.FileName, m.Size, sha256[:], m.CreatedAt, m.Width, m.Height,
		durationMillis(m.DurationSeconds))
	return true, nil
}

// dueFetches returns files that are due to be fetched. Files of a linked number are left to the node that it is connected to; here
// are those of this node. While it is not connected, every node tries now and then.
func dueFetches(tx *kernel.Tx, here []kernel.ID, limit int, lock ...string) ([]Fetch, error) {
	s := tx.Statement()
	s.WriteString(`
		SELECT /* all companies: due work */` + mediaColumns + `
		FROM media d
		WHERE d.fetch_at <= ` + s.Arg(tx.Now) + `
			AND (d.channel IN (` + db.Listed(here)(s) + `) OR NOT EXISTS (
				SELECT 1
				FROM channels c
				WHERE c.company = d.company AND c.id = d.channel AND c.provider = 'linked' AND c.status = 'connected'
					AND c.archived_at IS NULL))
		ORDER BY d.fetch_at
		LIMIT ` + s.Arg(limit) + strings.Join(lock, ""))
	return kernel.Rows(tx, s.String(), s.Args, func(r db.Row) Fetch {
		return Fetch{Media: scanMedia(r), Tries: r.Int("fetch_tries")}
	})
}

// makeFetchesDue lets the files of a channel that is connected again be fetched at once.
func makeFetchesDue(tx *kernel.Tx, company, channel kernel.ID) {
	tx.Later(`UPDATE media SET fetch_at = $3 WHERE company = $1 AND channel = $2 AND fetch_at > $3`, company, channel, tx.Now)
}

// claimFetches returns files that are due to be fetched and makes each due again after lease, so that no other worker starts on
// it meanwhile. A crash only delays them.
func claimFetches(tx *kernel.Tx, here []kernel.ID, limit int, lease time.Duration) ([]Fetch, error) {
	due, err := dueFetches(tx, here, limit, tx.Dialect().Lock(` FOR UPDATE SKIP LOCKED`))
	for _, f := range due {
		tx.Later(`UPDATE media SET fetch_at = $3 WHERE company = $1 AND id = $2`, f.Media.Company, f.Media.ID, tx.Now.Add(lease))
	}
	return due, err
}

// mediaFetched stores that the bytes of a file have arrived, and their properties. The file gets the date of its message, which
// may be older, because retention counts from it. It reports false if the file was deleted meanwhile; the caller then removes the bytes
// with removeUpload.
func (d *Talk) mediaFetched(tx *kernel.Tx, m *Media, sha256 [32]byte) (kept bool, err error) {
	n, err := tx.Exec(`
		UPDATE media
		SET kind = $3, mime_type = $4, file_name = $5, size = $6, sha256 = $7, stored = TRUE, fetch_at = NULL,
			width = $8, height = $9, duration_ms = $10,
			created_at = COALESCE((SELECT MIN(m.created_at) FROM messages m WHERE m.company = $1 AND m.media = $2), created_at)
		WHERE company = $1 AND id = $2 AND NOT stored`,
		m.Company, m.ID, m.Kind, m.MimeType, m.FileName, m.Size, sha256[:], m.Width, m.Height, durationMillis(m.DurationSeconds))
	if err == nil && n == 0 {
		_, kept, err = findMedia(tx, m.Company, m.ID)
	}
	if err != nil || n == 0 && !kept {
		return false, err
	}
	endUpload(tx, m.Company, m.ID) // an import may have begun to store it
	if n == 0 {                    // it was fetched twice and is already counted
		return true, nil
	}
	tx.Later(`
		UPDATE conversations
		SET last_file_name = $3, last_duration_ms = $4
		WHERE company = $1 AND id IN (SELECT conversation FROM messages WHERE company = $1 AND media = $2)
			AND last_id IN (SELECT id FROM messages WHERE company = $1 AND media = $2)`,
		m.Company, m.ID, m.FileName, durationMillis(m.DurationSeconds))
	fits, err := addMediaUsage(tx, m.Company, m.Size, d.Limit(LimitMediaBytes))
	if err == nil && !fits {
		err = d.errMediaQuota()
	}
	return true, err
}

// mediaInSight reports whether a file is in a conversation in sight, in a canned reply of the team or the member, or unused.
func mediaInSight(tx *kernel.Tx, company, media kernel.ID, sight kernel.Sight) (bool, error) {
	s := tx.Statement()
	s.WriteString(`
		SELECT 1
		FROM messages m
		JOIN conversations c ON c.company = m.company AND c.id = m.conversation
		WHERE m.company = ` + s.Arg(company) + ` AND m.media = ` + s.Arg(media))
	s.And(sight.Conversations(s, "c"))
	s.WriteString(" LIMIT 1")
	if seen, err := tx.One(s.String(), s.Args, func(db.Row) {}); err != nil || seen {
		return seen, err
	}
	offered, err := tx.One(`SELECT 1 FROM replies WHERE company = $1 AND media = $2 AND (owner IS NULL OR owner = $3) LIMIT 1`,
		[]any{company, media, sight.Member}, func(db.Row) {})
	if err != nil || offered {
		return offered, err
	}
	sent, err := tx.One(`SELECT 1 FROM messages WHERE company = $1 AND media = $2 LIMIT 1`, []any{company, media}, func(db.Row) {})
	return !sent, err
}

// mediaUsage returns the total size of the files that a company has stored.
func mediaUsage(tx *kernel.Tx, company kernel.ID) (bytes int64, err error) {
	_, err = tx.One(`SELECT bytes FROM media_usage WHERE company = $1`, []any{company}, func(r db.Row) { bytes = r.Int("bytes") })
	return bytes, err
}

// addMediaUsage counts a stored file. It reports false if the files of the company would exceed quota bytes.
func addMediaUsage(tx *kernel.Tx, company kernel.ID, size, quota int64) (bool, error) {
	if size > quota {
		return false, nil
	}
	n, err := tx.Exec(`
		INSERT INTO media_usage (company, bytes)
		VALUES ($1, $2)
		ON CONFLICT (company) DO UPDATE
		SET bytes = media_usage.bytes + excluded.bytes
		WHERE media_usage.bytes <= $3`, company, size, quota-size)
	return n == 1, err
}

// removeUnattachedMedia deletes the row of a file that was uploaded before a time and never used, and reports whether it did.
// The caller deletes the bytes. Until endUpload they are recorded as an abandoned upload, so that they are deleted after a
// crash too.
func removeUnattachedMedia(tx *kernel.Tx, company, id kernel.ID, before time.Time) (bool, error) {
	var size int64
	removed, err := tx.One(`
		DELETE FROM media
		WHERE company = $1 AND id = $2 AND unattached_at < $3
			AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.company = media.company AND m.media = media.id)
		RETURNING size`, []any{company, id, before}, func(r db.Row) { size = r.Int("size") })
	if err != nil || !removed {
		return false, err
	}
	tx.Later(`UPDATE media_usage SET bytes = bytes - $2 WHERE company = $1`, company, size)
	beginUpload(tx, company, id, before)
	return true, nil
}

// listFiles returns up to limit files of a conversation whose messages have a smaller sequence number, newest first, and reports
// whether there are more.
func listFiles(tx *kernel.Tx, company, conversation kernel.ID, before int64, limit int) ([]File, bool, error) {
	s := tx.Statement()
	s.WriteString(`
		SELECT d.id, d.mime_type, d.file_name, d.size, d.width, d.height, d.duration_ms, m.id AS message, m.created_at, m.seq
		FROM messages m` + IndexedBy(tx, "messages_files") + `
		JOIN media d ON d.company = m.company AND d.id = m.media
		WHERE m.company = ` + s.Arg(company) + ` AND m.conversation = ` + s.Arg(conversation))
	s.And("m.media IS NOT NULL", "m.revoked_at IS NULL", "m.seq < "+s.Arg(before))
	s.WriteString("\n\tORDER BY m.seq DESC")
	tx.Page(s, limit, 0)
	return kernel.Collect(tx, s, limit, func(r db.Row) File {
		return File{
			ID: r.ID("id"), MimeType: r.Text("mime_type"), FileName: r.Text("file_name"), Size: r.Int("size"), MediaShape: scanShape(r),
			Message: r.ID("message"), CreatedAt: r.Time("created_at"), Seq: r.Int("seq"),
		}
	})
}
