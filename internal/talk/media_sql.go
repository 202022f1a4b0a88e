package talk

import (
	"encoding/hex"
	"math"
	"strings"
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// mediaPrivate is whether a file d came through a channel that is private. Files that people uploaded are where their messages
// are: see MediaInSight.
const mediaPrivate = `((d.private OR d.provider_sha256 IS NOT NULL) AND EXISTS (SELECT 1 FROM channels x WHERE x.company = d.company AND x.id = d.channel AND x.private))`

const mediaColumns = `
	d.id, d.company, d.channel, ` + mediaPrivate + `, d.kind, d.mime_type, d.file_name, d.size, d.sha256, d.stored, d.provider_id, d.fetch_at, d.created_at,
	d.unattached_at, d.fetch_error, d.provider_sha256, d.width, d.height, d.duration_ms`

// mediaWidth is the number of mediaColumns: where a statement's own columns begin.
var mediaWidth = strings.Count(mediaColumns, ",") + 1

func scanMedia(r db.Row) Media {
	m := Media{
		ID: r.ID(0), Company: r.ID(1), Channel: r.NullID(2), Private: r.Bool(3), Kind: MediaKind(r.Text(4)), MimeType: r.Text(5),
		FileName: r.Text(6), Size: r.Int(7), SHA256: hex.EncodeToString(r.Bytes(8)), Stored: r.Bool(9), Awaited: !r.Null(11), CreatedAt: r.Time(12),
		Unattached: !r.Null(13), MediaShape: scanShape(r, 16),
	}
	if !r.Null(14) {
		m.FetchError = r.Text(14)
	}
	if !r.Null(10) {
		m.Provider.ID = r.Text(10)
	}
	if !r.Null(15) {
		m.Provider.SHA256 = r.Text(15)
	}
	return m
}

// scanShape reads width, height and duration from column at on.
func scanShape(r db.Row, at int) MediaShape {
	return MediaShape{Width: r.NullInt(at), Height: r.NullInt(at + 1), DurationSeconds: durationSeconds(r.NullInt(at + 2))}
}

// durationSeconds is a stored duration, which is in milliseconds, in seconds.
func durationSeconds(ms *int64) *float64 {
	if ms == nil {
		return nil
	}
	return new(float64(*ms) / 1000)
}

// durationMillis is a duration in seconds as it is stored.
func durationMillis(seconds *float64) *int64 {
	if seconds == nil {
		return nil
	}
	return new(int64(math.Round(*seconds * 1000)))
}

// findMedia gives one file of the company, private or not: the caller checks who may see it.
func findMedia(tx *kernel.Tx, company, id kernel.ID) (Media, bool, error) {
	var m Media
	found, err := tx.One(`SELECT`+mediaColumns+` FROM media d WHERE d.company = $1 AND d.id = $2`, []any{company, id}, func(r db.Row) { m = scanMedia(r) })
	return m, found, err
}

// beginUpload notes that a file is about to be stored under an id.
func beginUpload(tx *kernel.Tx, company, media kernel.ID) {
	tx.Later(`INSERT INTO uploads (company, media, began_at) VALUES ($1, $2, $3)`, company, media, tx.Now)
}

// endUpload forgets an upload: its file has a row now, or is gone.
func endUpload(tx *kernel.Tx, company, media kernel.ID) {
	tx.Later(`DELETE FROM uploads WHERE company = $1 AND media = $2`, company, media)
}

// uploadsLeft gives up to limit uploads that began before a moment and never ended.
func uploadsLeft(tx *kernel.Tx, before time.Time, limit int) ([]rowAt, error) {
	return rowsAt(tx, `SELECT /* all companies: what a crash left */ company, media FROM uploads WHERE began_at < $1 ORDER BY company, media LIMIT $2`, before, limit)
}

// insertMedia adds an uploaded file whose bytes are stored under its id. It reports false, and adds nothing,
// when the company would have more bytes than quota.
func insertMedia(tx *kernel.Tx, m *Media, sha256 [32]byte, quota int64) (bool, error) {
	if fits, err := addMediaUsage(tx, m.Company, m.Size, quota); err != nil || !fits {
		return false, err
	}
	tx.Later(`
		INSERT INTO media (id, company, channel, private, kind, mime_type, file_name, size, sha256, stored, fetch_tries, created_at, unattached_at,
			width, height, duration_ms)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, TRUE, 0, $10, $10, $11, $12, $13)`,
		m.ID, m.Company, m.Channel, m.Private, m.Kind, m.MimeType, m.FileName, m.Size, sha256[:], m.CreatedAt, m.Width, m.Height, durationMillis(m.DurationSeconds))
	return true, nil
}

// insertAwaitedMedia adds a file that the provider still holds, to be fetched at once.
func insertAwaitedMedia(tx *kernel.Tx, m *Media) {
	tx.Later(`
		INSERT INTO media (id, company, channel, private, kind, mime_type, file_name, size, stored, provider_id, fetch_at, fetch_tries, created_at,
			provider_sha256)
		VALUES ($1, $2, $3, $4, $5, $6, $7, 0, FALSE, $8, $9, 0, $9, $10)`,
		m.ID, m.Company, m.Channel, m.Private, m.Kind, m.MimeType, m.FileName, m.Provider.ID, m.CreatedAt, m.Provider.SHA256)
}

// AwaitedMedia is a file to be fetched from its provider.
type AwaitedMedia struct {
	Media
	Tries int64
}

// fetchesWait reports whether any file is due to be fetched.
func fetchesWait(tx *kernel.Tx) (bool, error) {
	return tx.One(`SELECT /* all companies: due work */ 1 FROM media WHERE fetch_at <= $1 LIMIT 1`, []any{tx.Now}, func(db.Row) {})
}

// dueFetches gives files whose fetching is due, and puts each off by lease, so that no other worker starts
// on it meanwhile. A crash only delays them.
func dueFetches(tx *kernel.Tx, limit int, lease time.Duration) ([]AwaitedMedia, error) {
	lock := tx.Dialect().Lock(` FOR UPDATE SKIP LOCKED`)
	var out []AwaitedMedia
	err := tx.Query(`
		SELECT /* all companies: due work */`+mediaColumns+`, d.fetch_tries
		FROM media d
		WHERE d.fetch_at <= $1
		ORDER BY d.fetch_at
		LIMIT $2`+lock, []any{tx.Now, limit}, func(r db.Row) error {
		out = append(out, AwaitedMedia{scanMedia(r), r.Int(mediaWidth)})
		return nil
	})
	for _, m := range out {
		tx.Later(`UPDATE media SET fetch_at = $3 WHERE company = $1 AND id = $2`, m.Company, m.ID, tx.Now.Add(lease))
	}
	return out, err
}

// mediaFetched notes that a file's bytes have arrived, and what they turned out to be. It reports false when
// the company would have more bytes than quota; the transaction must fail then.
func mediaFetched(tx *kernel.Tx, m *Media, sha256 [32]byte, quota int64) (bool, error) {
	n, err := tx.Exec(`
		UPDATE media
		SET kind = $3, mime_type = $4, file_name = $5, size = $6, sha256 = $7, stored = TRUE, fetch_at = NULL,
			width = $8, height = $9, duration_ms = $10
		WHERE company = $1 AND id = $2 AND NOT stored`,
		m.Company, m.ID, m.Kind, m.MimeType, m.FileName, m.Size, sha256[:], m.Width, m.Height, durationMillis(m.DurationSeconds))
	if err != nil || n == 0 { // 0: it was fetched twice, and is counted already
		return err == nil, err
	}
	tx.Later(`
		UPDATE conversations
		SET last_file_name = $3, last_duration_ms = $4
		WHERE company = $1 AND id IN (SELECT conversation FROM messages WHERE company = $1 AND media = $2)
			AND last_id IN (SELECT id FROM messages WHERE company = $1 AND media = $2)`,
		m.Company, m.ID, m.FileName, durationMillis(m.DurationSeconds))
	return addMediaUsage(tx, m.Company, m.Size, quota)
}

// mediaNotFetched notes a failed attempt; next is when to try again, nil when there is no point, and reason
// says why then.
func mediaNotFetched(tx *kernel.Tx, company, id kernel.ID, next *time.Time, reason string) {
	tx.Later(`UPDATE media SET fetch_at = $3, fetch_error = $4, fetch_tries = fetch_tries + 1 WHERE company = $1 AND id = $2 AND NOT stored`, company, id, next, reason)
}

// keepProviderMedia remembers what a channel's provider calls a file, which spares the next upload.
func keepProviderMedia(tx *kernel.Tx, company, media, channel kernel.ID, id string) {
	tx.Later(`UPDATE media SET channel = $3, provider_id = $4, provider_at = $5 WHERE company = $1 AND id = $2`, company, media, channel, id, tx.Now)
}

// mediaInSight reports whether a file is in a conversation that sight reaches, in a canned reply of the team or of the
// member, or in none at all.
func mediaInSight(tx *kernel.Tx, company, media kernel.ID, sight kernel.Sight) (bool, error) {
	s := tx.Statement()
	s.WriteString("SELECT 1 FROM messages m JOIN conversations c ON c.company = m.company AND c.id = m.conversation WHERE m.company = " + s.Arg(company) + " AND m.media = " + s.Arg(media))
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

// mediaUsage gives the bytes of the files that a company has stored.
func mediaUsage(tx *kernel.Tx, company kernel.ID) (int64, error) {
	var n int64
	_, err := tx.One(`SELECT bytes FROM media_usage WHERE company = $1`, []any{company}, func(r db.Row) { n = r.Int(0) })
	return n, err
}

// addMediaUsage counts a file that is stored from now on, or reports false when the company would have more
// bytes than quota.
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

// attachMedia notes that something refers to an uploaded file from now on, which keeps it from being removed.
// It reports false when the file has just been removed.
func attachMedia(tx *kernel.Tx, company, id kernel.ID) (bool, error) {
	n, err := tx.Exec(`UPDATE media SET unattached_at = NULL WHERE company = $1 AND id = $2`, company, id)
	return n == 1, err
}

// unattachedMedia gives up to limit files that were uploaded before a moment and never used.
func unattachedMedia(tx *kernel.Tx, before time.Time, limit int) ([]rowAt, error) {
	return rowsAt(tx, `SELECT /* all companies: purge by age */ company, id FROM media WHERE unattached_at < $1 ORDER BY unattached_at LIMIT $2`, before, limit)
}

// removeUnattachedMedia removes the row of a file that was uploaded before a moment and never used, and
// reports whether it did. The bytes are left to the caller; until EndUpload they count as an upload that was
// cut off, so that they are removed after a crash too.
func removeUnattachedMedia(tx *kernel.Tx, company, id kernel.ID, before time.Time) (bool, error) {
	var size int64
	removed, err := tx.One(`
		DELETE FROM media
		WHERE company = $1 AND id = $2 AND unattached_at < $3
			AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.company = media.company AND m.media = media.id)
		RETURNING size`, []any{company, id, before}, func(r db.Row) { size = r.Int(0) })
	if err != nil || !removed {
		return false, err
	}
	tx.Later(`UPDATE media_usage SET bytes = bytes - $2 WHERE company = $1`, company, size)
	tx.Later(`INSERT INTO uploads (company, media, began_at) VALUES ($1, $2, $3)`, company, id, before)
	return true, nil
}

// listFiles lists up to limit files of a conversation whose messages have a smaller sequence number, the newest first, and
// whether there are more.
func listFiles(tx *kernel.Tx, company, conversation kernel.ID, before int64, limit int) ([]File, bool, error) {
	s := tx.Statement()
	s.WriteString(`
		SELECT d.id, d.mime_type, d.file_name, d.size, d.width, d.height, d.duration_ms, m.id, m.created_at, m.seq
		FROM messages m` + IndexedBy(tx, "messages_files") + `
		JOIN media d ON d.company = m.company AND d.id = m.media
		WHERE m.company = ` + s.Arg(company) + ` AND m.conversation = ` + s.Arg(conversation))
	s.And("m.media IS NOT NULL", "m.revoked_at IS NULL", "m.seq < "+s.Arg(before))
	s.WriteString("\n\tORDER BY m.seq DESC")
	tx.Page(s, limit, 0)
	return kernel.Collect(tx, s, limit, func(r db.Row) File {
		return File{
			ID: r.ID(0), MimeType: r.Text(1), FileName: r.Text(2), Size: r.Int(3), MediaShape: scanShape(r, 4),
			Message: r.ID(7), CreatedAt: r.Time(8), Seq: r.Int(9),
		}
	})
}
