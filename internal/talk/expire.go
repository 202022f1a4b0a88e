package talk

import (
	"context"
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// expireBatch is the number of messages or files that a transaction deletes at most.
const expireBatch = 200

// beforeCase is a condition for a row of messages or notes: it does not belong to the open case of its conversation. What came after
// the previous case was closed belongs to the open one, because a message is stored before it opens a case. Imported history, which
// has negative numbers, does not, unless the case was imported too: then what came after its opening belongs to it.
func beforeCase(row string) string {
	return `NOT EXISTS (
			SELECT 1
			FROM conversations oc
			WHERE oc.company = ` + row + `.company AND oc.id = ` + row + `.conversation AND oc.attendance IS NOT NULL AND ` + row + `.seq > COALESCE((
				SELECT MAX(k.seq)
				FROM attendance_marks k
				WHERE k.company = oc.company AND k.conversation = oc.id AND k.kind = 2 AND k.attendance = oc.attendance AND k.seq < 0), (
				SELECT MAX(k.seq)
				FROM attendance_marks k
				WHERE k.company = oc.company AND k.conversation = oc.id AND k.kind = 3), 0))`
}

// expiredMessages is a condition for messages m of a company from before a time: they belong to no open case and do not wait to be
// sent.
var expiredMessages = `m.company = $1 AND m.created_at > 0 AND m.created_at < $2 AND ` + beforeCase("m") + `
			AND NOT EXISTS (SELECT 1 FROM sends q WHERE q.company = m.company AND q.message = m.id)
			AND NOT EXISTS (SELECT 1 FROM held_messages h WHERE h.company = m.company AND h.message = m.id)`

// expiredNotes is the same for notes n.
var expiredNotes = `n.company = $1 AND n.created_at < $2 AND ` + beforeCase("n")

// expiredFiles is a condition for stored files d of a company that belong only to messages from before a time, and to no open case,
// canned reply or message that waits to be sent.
var expiredFiles = `d.company = $1 AND d.stored AND d.unattached_at IS NULL AND d.created_at < $2
			AND NOT EXISTS (SELECT 1 FROM messages n WHERE n.company = d.company AND n.media = d.id AND n.created_at >= $2)
			AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.company = d.company AND m.media = d.id AND NOT (` + expiredMessages + `))
			AND NOT EXISTS (SELECT 1 FROM replies r WHERE r.company = d.company AND r.media = d.id)
			AND NOT EXISTS (SELECT 1 FROM scheduled_messages s WHERE s.company = d.company AND s.media = d.id AND s.status = 'scheduled')`

// Expired counts what ExpireMessages and ExpireFiles would delete.
type Expired struct {
	Messages  int64
	Notes     int64
	Files     int64
	FileBytes int64
}

// CountExpired counts the messages and notes from before a time and the files from before another one. Nil counts none.
func CountExpired(tx *kernel.Tx, company kernel.ID, messages, files *time.Time) (n Expired, err error) {
	if messages != nil {
		_, err = tx.One(`SELECT COUNT(*) AS total FROM messages m WHERE `+expiredMessages, []any{company, *messages},
			func(r db.Row) { n.Messages = r.Int("total") })
	}
	if err == nil && messages != nil {
		n.Notes, err = countExpiredNotes(tx, company, *messages)
	}
	if files == nil || messages != nil && messages.After(*files) { // files are deleted with their messages
		files = messages
	}
	if err == nil && files != nil {
		_, err = tx.One(`SELECT COUNT(*) AS total, CAST(COALESCE(SUM(d.size), 0) AS BIGINT) AS bytes FROM media d WHERE `+expiredFiles,
			[]any{company, *files}, func(r db.Row) { n.Files, n.FileBytes = r.Int("total"), r.Int("bytes") })
	}
	return n, err
}

// ExpireMessages deletes messages, notes, drafts and messages that were scheduled from before a time with everything that belongs to
// them, a few hundred at a time. It reports whether there may be more. Messages and drafts of open cases stay until the case is closed;
// attendances and figures stay.
func (d *Talk) ExpireMessages(ctx context.Context, company kernel.ID, before time.Time) (more bool, err error) {
	conversations, err := kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) ([]kernel.ID, error) {
		return tx.IDs(`
			SELECT DISTINCT conversation
			FROM (
				SELECT conversation FROM (
					SELECT m.conversation FROM messages m WHERE `+expiredMessages+` ORDER BY m.created_at LIMIT $3) of_messages
				UNION
				SELECT conversation FROM (`+selectExpiredNotes+`) of_notes
				UNION
				SELECT conversation FROM (
					SELECT c.id AS conversation
					FROM scheduled_messages q
					JOIN conversations c ON c.company = q.company AND c.id = q.conversation
					WHERE q.company = $1 AND q.send_at < $2 AND q.status <> 'scheduled'
					LIMIT $3) of_scheduled
				UNION
				SELECT conversation FROM (
					SELECT c.id AS conversation
					FROM drafts d
					JOIN conversations c ON c.company = d.company AND c.id = d.conversation
					WHERE d.company = $1 AND d.updated_at < $2 AND c.attendance IS NULL
					LIMIT $3) of_drafts
			) found
			ORDER BY conversation`, company, before, expireBatch)
	})
	for _, id := range conversations {
		if err == nil {
			err = d.expireIn(ctx, company, id, before)
		}
	}
	return len(conversations) > 0, err
}

// expireIn deletes a batch of a conversation.
func (d *Talk) expireIn(ctx context.Context, company, id kernel.ID, before time.Time) error {
	var files []kernel.ID
	err := d.Store.Write(ctx, func(tx *kernel.Tx) error {
		c, found, err := lockConversation(tx, `c.company = $1 AND c.id = $2`, company, id)
		if err != nil || !found {
			return err
		}
		gone, err := kernel.Rows(tx, `
			SELECT `+goneColumns+`
			FROM messages m
			WHERE m.conversation = $3 AND `+expiredMessages+`
			ORDER BY m.seq
			LIMIT $4`, []any{company, before, id, expireBatch}, scanGone)
		if err != nil {
			return err
		}
		media := deleteMessages(tx, company, gone)
		deleteExpiredNotes(tx, company, id, before)
		err = tx.Query(`DELETE FROM scheduled_messages WHERE company = $1 AND conversation = $2 AND send_at < $3 AND status <> 'scheduled' RETURNING media`,
			[]any{company, id, before}, func(r db.Row) error {
				if file := r.NullID("media"); file != nil {
					media = append(media, *file)
				}
				return nil
			})
		if err != nil {
			return err
		}
		if c.Attendance == nil {
			tx.Later(`DELETE FROM drafts WHERE company = $1 AND conversation = $2 AND updated_at < $3`, company, id, before)
		}
		if files, err = dropUnusedFiles(tx, company, media); err != nil {
			return err
		}
		tx.AfterCommit(d.Wakeup(WakeIndex).Notify)
		return d.showRemaining(tx, &c)
	})
	d.removeFiles(ctx, company, files, err)
	return err
}

// goneMessage is a message to delete.
type goneMessage struct {
	id, conversation kernel.ID
	media            *kernel.ID
	hasText          bool
	external         *string
	outbound         bool
}

const goneColumns = `m.id, m.conversation, m.media, (m.text IS NOT NULL) AS has_text, m.external_id,
	(m.direction = 'outbound') AS outbound`

func scanGone(r db.Row) goneMessage {
	return goneMessage{r.ID("id"), r.ID("conversation"), r.NullID("media"), r.Bool("has_text"), r.NullText("external_id"), r.Bool("outbound")}
}

// deleteMessages deletes messages and returns their files; see dropUnusedFiles.
func deleteMessages(tx *kernel.Tx, company kernel.ID, gone []goneMessage) (files []kernel.ID) {
	var ids []kernel.ID
	for _, m := range gone {
		ids = append(ids, m.id)
		if m.media != nil {
			files = append(files, *m.media)
		}
		if m.hasText { // the index forgets it
			tx.Later(`INSERT INTO messages_unindexed (company, id) VALUES ($1, $2) ON CONFLICT DO NOTHING`, company, m.id)
		}
	}
	if len(ids) > 0 {
		s := tx.Statement()
		s.WriteString(`DELETE FROM messages WHERE company = ` + s.Arg(company) + ` AND id IN (` + db.Listed(ids)(s) + `)`)
		tx.Later(s.String(), s.Args...)
	}
	return files
}

// dropUnusedFiles deletes the rows of those files that nothing uses any more and returns them. The caller deletes the bytes with
// removeUpload after the commit; until then they are recorded as abandoned uploads. The bytes of a file that is not stored may be on
// their way, so it is recorded as an upload that begins when every fetch has ended.
func dropUnusedFiles(tx *kernel.Tx, company kernel.ID, files []kernel.ID) (dropped []kernel.ID, err error) {
	if len(files) == 0 {
		return nil, nil
	}
	var bytes int64
	var began []time.Time
	s := tx.Statement()
	s.WriteString(`
		DELETE FROM media
		WHERE company = ` + s.Arg(company) + ` AND id IN (` + db.Listed(files)(s) + `)
			AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.company = media.company AND m.media = media.id)
			AND NOT EXISTS (SELECT 1 FROM replies r WHERE r.company = media.company AND r.media = media.id)
			AND NOT EXISTS (SELECT 1 FROM scheduled_messages q WHERE q.company = media.company AND q.media = media.id AND q.status = 'scheduled')
		RETURNING id, size, stored`)
	err = tx.Query(s.String(), s.Args, func(r db.Row) error {
		dropped = append(dropped, r.ID("id"))
		if r.Bool("stored") {
			bytes += r.Int("size")
			began = append(began, tx.Now.Add(-uploadAbandoned))
		} else {
			began = append(began, tx.Now.Add(fetchLease))
		}
		return nil
	})
	for i, id := range dropped {
		beginUpload(tx, company, id, began[i])
	}
	if bytes > 0 {
		tx.Later(`UPDATE media_usage SET bytes = bytes - $2 WHERE company = $1`, company, bytes)
	}
	return dropped, err
}

// showRemaining stores the last message and the number of unread messages of a locked conversation after some were deleted.
func (d *Talk) showRemaining(tx *kernel.Tx, c *Conversation) error {
	t := d.Locked(tx, *c)
	last, found, err := kernel.Row(tx, `
		SELECT`+messageColumns+`
		FROM messages m`+messageFile+`
		WHERE m.company = $1 AND m.conversation = $2
		ORDER BY m.seq DESC
		LIMIT 1`, []any{c.Company, c.ID}, scanMessage)
	if err != nil {
		return err
	}
	switch {
	case !found:
		t.LastMessage = nil
	case t.LastMessage == nil || t.LastMessage.ID != last.ID:
		t.showLast(&last)
	}
	if t.UnreadCount > 0 {
		_, err = tx.One(`SELECT COUNT(*) AS total FROM messages WHERE company = $1 AND conversation = $2 AND direction = 'inbound'`,
			[]any{c.Company, c.ID}, func(r db.Row) { t.UnreadCount = min(t.UnreadCount, r.Int("total")) })
	}
	m := t.LastMessage
	if m == nil {
		m = &LastMessage{}
	}
	var at *time.Time
	if t.LastMessage != nil {
		at = &m.CreatedAt
	}
	tx.Later(`
		UPDATE conversations
		SET unread_count = $3, open = $4, last_id = $5, last_type = $6, last_text = $7, last_direction = $8, last_at = $9, last_status = $10,
			last_file_name = $11, last_duration_ms = $12, last_notice = $13, folded = $14, unindexed = unindexed OR folded <> $14
		WHERE company = $1 AND id = $2`,
		c.Company, c.ID, t.UnreadCount, t.Open(), m.ID, kernel.TextOrNil(m.Type), m.Text, kernel.TextOrNil(m.Direction), at,
		kernel.TextOrNil(m.Status), m.FileName, durationMillis(m.DurationSeconds), kernel.WriteJSON(m.Notice), conversationText(&t.Conversation))
	return err
}

// fileExpired is the fetch_error of a file that ExpireFiles deleted.
const fileExpired = "expired"

// ExpireFiles deletes files whose messages are from before a time, a few hundred at a time. The messages keep the names of their
// files. It reports whether there may be more.
func (d *Talk) ExpireFiles(ctx context.Context, company kernel.ID, before time.Time) (more bool, err error) {
	var files []kernel.ID
	err = d.Store.Write(ctx, func(tx *kernel.Tx) error {
		files = nil
		var bytes int64
		err := tx.Query(`
			UPDATE media
			SET stored = FALSE, sha256 = NULL, fetch_at = NULL, fetch_error = $4
			WHERE company = $1 AND stored AND id IN (SELECT d.id FROM media d WHERE `+expiredFiles+` ORDER BY d.created_at LIMIT $3)
			RETURNING id, size`, []any{company, before, expireBatch, fileExpired}, func(r db.Row) error {
			files = append(files, r.ID("id"))
			bytes += r.Int("size")
			return nil
		})
		for _, id := range files {
			beginUpload(tx, company, id, tx.Now.Add(-uploadAbandoned))
		}
		if bytes > 0 {
			tx.Later(`UPDATE media_usage SET bytes = bytes - $2 WHERE company = $1`, company, bytes)
		}
		return err
	})
	d.removeFiles(ctx, company, files, err)
	return len(files) == expireBatch, err
}
