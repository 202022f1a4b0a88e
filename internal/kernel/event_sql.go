package kernel

import (
	"context"
	"fmt"
	"strconv"

	"recado/internal/kernel/db"
)

// Event is a stored event. Its body is what receivers get and what signatures cover.
type Event struct {
	ID      ID
	Company ID
	Type    EventType
	// What the event is about. A caller who may not see one of them may not see the event.
	Conversation *ID
	Board        *ID
	Card         *ID
	Body         []byte
}

// InsertEvent stores an event and calls Hooks.Event.
func (tx *Tx) InsertEvent(e *Event) error {
	tx.InsertSilentEvent(e)
	if tx.hooks.Event == nil {
		return nil
	}
	return tx.hooks.Event(tx, e)
}

// InsertSilentEvent stores an event without notifying subscribers.
func (tx *Tx) InsertSilentEvent(e *Event) {
	tx.Later(`
		INSERT INTO events (id, company, type, conversation, board, card, body, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		e.ID, e.Company, e.Type, e.Conversation, e.Board, e.Card, e.Body, tx.Now)
}

// ExecWithEvents is Exec for a change that records events of the company. The data that events need is read in the same
// round trip.
func (tx *Tx) ExecWithEvents(company ID, sql string, args ...any) (int64, error) {
	if tx.hooks.ExpectEvents != nil {
		tx.hooks.ExpectEvents(tx, company)
	}
	return tx.Exec(sql, args...)
}

// OrFirst returns id, or the smallest id that is not stored as NULL if id is zero.
func OrFirst(id ID) ID {
	if id.IsZero() {
		return ID{15: 1}
	}
	return id
}

// FeedMark returns a query for a position after all events that a database has ever recorded.
func FeedMark(d db.Dialect) string {
	return d.Pick(
		`SELECT COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0)`,
		`SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint + `+feedOffset)
}

// feedOffset is the number that PostgreSQL adds to the id of a transaction to get the positions of its events. It is
// stored in the default of the column, so that every dump contains it.
const feedOffset = `COALESCE((
	SELECT substring(pg_get_expr(d.adbin, d.adrelid) FROM '\+ ''?([0-9]+)')::bigint
	FROM pg_attrdef d
	JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
	WHERE d.adrelid = 'events'::regclass AND a.attname = 'position'), 0)`

// ContinueFeed returns statements that make new events get positions after mark.
func ContinueFeed(d db.Dialect, mark int64) []string {
	number := strconv.FormatInt(mark, 10)
	if d.FullTextTables() {
		return []string{
			`INSERT INTO sqlite_sequence (name, seq) SELECT 'events', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'events')`,
			`UPDATE sqlite_sequence SET seq = MAX(seq, ` + number + `) WHERE name = 'events'`,
		}
	}
	return []string{`
		DO $$
		DECLARE missing BIGINT := ` + number + ` + 1 - pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
		BEGIN
			IF missing > ` + feedOffset + ` THEN
				EXECUTE format('ALTER TABLE events ALTER COLUMN position SET DEFAULT (pg_current_xact_id()::text::bigint + %s)', missing);
			END IF;
		END $$`}
}

// feedLock is the key of the advisory lock for alignFeed.
const feedLock = db.LockKey + 2

// alignFeed ensures that new events come after all stored ones. On PostgreSQL, positions derive from transaction ids,
// and after a dump is restored, those of the new server may be lower than those of the old one.
func (s *Store) alignFeed(ctx context.Context) error {
	last, err := s.readFeedOffset(ctx)
	if err != nil || last == 0 {
		return err
	}
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		// Nodes that start together take turns. The next statement sees the changes of the previous node.
		if _, err := tx.Exec(`SELECT pg_advisory_xact_lock($1)`, int64(feedLock)); err != nil {
			return err
		}
		_, err := tx.Exec(ContinueFeed(tx.Dialect(), last)[0])
		return err
	})
	if err != nil {
		return fmt.Errorf("the event feed cannot be continued after restoring this dump: %w", err)
	}
	_, err = s.readFeedOffset(ctx)
	return err
}

// readFeedOffset reads the offset. It returns the last position if new events would not come after it, and zero otherwise.
func (s *Store) readFeedOffset(ctx context.Context) (last int64, err error) {
	err = s.DB.ReadOne(ctx, func(tx *db.Tx) error {
		_, err := tx.One(`
			SELECT /* all companies: one feed */ o.added,
				CASE WHEN o.last >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint + o.added THEN o.last ELSE 0 END AS ahead
			FROM (SELECT `+feedOffset+` AS added, (SELECT COALESCE(MAX(position), 0) FROM events) AS last) o`, nil, func(r db.Row) {
			s.feedOffset, last = r.Int("added"), r.Int("ahead")
		})
		return err
	})
	return last, err
}
