package store

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"recado/internal/db"
	"recado/internal/model"
)

// Event is one event as it is stored: its exact body is what every receiver gets and every signature
// covers.
type Event struct {
	ID           model.ID
	Company      model.ID
	Type         model.EventType
	Conversation *model.ID // whose conversation it is about, for the feed's access rules
	Board        *model.ID // whose board it is about
	Card         *model.ID // the card it tells of: who may not see the card may not see the event
	Body         []byte
}

// InsertEvent stores an event and one due delivery for each active webhook of the company that asked
// for it. It gives these webhooks.
func (tx *Tx) InsertEvent(e Event) ([]model.ID, error) {
	tx.insertEvent(e)
	webhooks, err := tx.subscribers(e.Company, e.Type, e.Board)
	for _, webhook := range webhooks {
		tx.later(`
			INSERT INTO deliveries (webhook, id, company, event, event_type, status, attempts, next_attempt_at, created_at, log)
			VALUES ($1, $2, $3, $4, $5, 'pending', 0, $6, $6, '')`,
			webhook, model.NewID(), e.Company, e.ID, e.Type, tx.Now)
	}
	return webhooks, err
}

// InsertTestEvent stores an event that is delivered to no subscriber.
func (tx *Tx) InsertTestEvent(e Event) { tx.insertEvent(e) }

func (tx *Tx) insertEvent(e Event) {
	tx.later(`
		INSERT INTO events (id, company, type, conversation, board, card, body, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		e.ID, e.Company, e.Type, e.Conversation, e.Board, e.Card, e.Body, tx.Now)
}

// subscriber is an active webhook and the events it asked for.
type subscriber struct {
	id       model.ID
	events   model.EventSet
	boardsOf *model.ID
}

// subscribers gives the company's active webhooks for a type of event, on a board if it is about one. A
// transaction usually raises several events of one company, so it looks once.
func (tx *Tx) subscribers(company model.ID, event model.EventType, board *model.ID) ([]model.ID, error) {
	if tx.subscribersOf != company {
		tx.subscriberList = tx.subscriberList[:0]
		if err := tx.query(selectSubscribers, []any{company}, tx.addSubscriber); err != nil {
			return nil, err
		}
		tx.subscribersOf = company
	}
	var ids []model.ID
	for _, s := range tx.subscriberList {
		if !s.events.Has(event) {
			continue
		}
		allowed, err := tx.AllowsBoard(s.boardsOf, board)
		if err != nil {
			return nil, err
		}
		if !allowed {
			continue
		}
		ids = append(ids, s.id)
	}
	return ids, nil
}

const selectSubscribers = `SELECT id, events, boards_of FROM webhooks WHERE company = $1 AND active`

func (tx *Tx) addSubscriber(r Row) error {
	tx.subscriberList = append(tx.subscriberList, subscriber{r.ID(0), model.EventSet(r.Int(1)), r.NullID(2)})
	return nil
}

// execWithEvents is exec for a change of the company that events tell of: the webhooks that they go to are read in the
// same round trip.
func (tx *Tx) execWithEvents(company model.ID, sql string, args ...any) (int64, error) {
	if tx.subscribersOf == company {
		return tx.exec(sql, args...)
	}
	tx.subscribersOf, tx.subscriberList = model.ID{}, tx.subscriberList[:0]
	tx.on.Ahead(selectSubscribers, []any{company}, tx.addSubscriber)
	n, err := tx.exec(sql, args...)
	if err == nil {
		tx.subscribersOf = company
	}
	return n, err
}

// FeedEvent is one event of the feed with what decides who may see it.
type FeedEvent struct {
	Position     int64
	ID           model.ID
	Type         model.EventType
	CreatedAt    time.Time
	Conversation *model.Conversation // company, private, assignee and sector alone; nil when it is about none
	Board        *model.ID
	Card         *Card  // what decides who sees it now; nil when the event is about none
	Body         []byte // nil when the type was not asked for
}

// FeedHorizon is the place before which the feed cannot change any more.
//
// On SQLite events commit in the order of the feed: everything is. PostgreSQL makes commits visible
// out of order, so an event is held back until every transaction of this database that began to write
// before its own has ended. Where sessions of roles that this one may not look into are connected,
// the transactions of the whole server count instead.
//
// The horizon must come from a transaction before the one that reads the feed: what ends in between
// is then seen, and what is still running lies beyond the horizon.
func (tx *Tx) FeedHorizon() (horizon int64, err error) {
	if !tx.dialect().ConcurrentWrites() {
		return math.MaxInt64, nil
	}
	// A session's transaction id has 32 bits; those before the snapshot's end are brought to 64.
	_, err = tx.one(`
		SELECT CASE
			WHEN BOOL_OR(a.usename <> current_user) AND NOT pg_has_role('pg_read_all_stats', 'USAGE') THEN s.low
			ELSE LEAST(s.high, MIN(s.high - a.behind) FILTER (WHERE a.behind < 2147483648)) END
		FROM (
			SELECT pg_snapshot_xmin(c)::text::bigint AS low, pg_snapshot_xmax(c)::text::bigint AS high
			FROM pg_current_snapshot() c
		) s
		CROSS JOIN LATERAL (
			SELECT usename, (s.high - backend_xid::text::bigint) & 4294967295 AS behind
			FROM pg_stat_activity
			WHERE datname = current_database()
		) a
		GROUP BY s.low, s.high`, nil, func(r Row) { horizon = r.Int(0) + tx.feedOffset })
	return horizon, err
}

// FeedHeld reports whether an event of the company is recorded and held back by the horizon for a moment.
func (tx *Tx) FeedHeld(company model.ID, horizon int64) (bool, error) {
	if !tx.dialect().ConcurrentWrites() {
		return false, nil
	}
	return tx.one(`SELECT 1 FROM events WHERE company = $1 AND position >= $2 LIMIT 1`, []any{company, horizon}, func(Row) {})
}

// EventPosition tells where in the feed an event of the company stands.
func (tx *Tx) EventPosition(company, id model.ID) (position int64, found bool, err error) {
	found, err = tx.one(`SELECT position FROM events WHERE id = $1 AND company = $2`, []any{id, company}, func(r Row) { position = r.Int(0) })
	return position, found, err
}

// Feed hands out the company's events between a place and the horizon, in the order of the feed, up
// to limit. Bodies come only with the types asked for, named between commas:
// ",message.sent,attendance.opened,".
func (tx *Tx) Feed(company model.ID, position int64, id model.ID, horizon int64, types string, limit int, each func(e FeedEvent)) error {
	return tx.feed(selectFeed, []any{company, position, orFirst(id), types, limit, horizon}, each)
}

// FeedBack is Feed in the opposite direction: it hands out the events before a place, newest first.
func (tx *Tx) FeedBack(company model.ID, position int64, id model.ID, horizon int64, types string, limit int, each func(e FeedEvent)) error {
	return tx.feed(selectFeedBack, []any{company, position, id, types, limit, horizon}, each)
}

const (
	selectFeed = selectFeedEvents + `
		WHERE e.company = $1 AND (e.position, e.id) > ($2, $3) AND e.position < $6
		ORDER BY e.position, e.id
		LIMIT $5`

	selectFeedBack = selectFeedEvents + `
		WHERE e.company = $1 AND (e.position, e.id) < ($2, $3) AND e.position < $6
		ORDER BY e.position DESC, e.id DESC
		LIMIT $5`

	selectFeedEvents = `
		SELECT e.position, e.id, e.type, e.created_at, e.board, e.conversation, cx.private, c.assignee, c.sector, e.card, k.private, COALESCE(tx.private, k.hidden),
			k.conversation, t.assignee, t.sector,
			CASE WHEN $4 LIKE '%,' || e.type || ',%' THEN e.body END
		FROM events e
		LEFT JOIN conversations c ON c.id = e.conversation AND c.company = e.company
		LEFT JOIN channels cx ON cx.id = c.channel
		LEFT JOIN cards k ON k.id = e.card AND k.company = e.company
		LEFT JOIN conversations t ON t.id = k.conversation AND t.company = e.company
		LEFT JOIN channels tx ON tx.id = t.channel`
)

func (tx *Tx) feed(sql string, args []any, each func(e FeedEvent)) error {
	company := args[0].(model.ID)
	return tx.query(sql, args, func(r Row) error {
		e := FeedEvent{Position: r.Int(0), ID: r.ID(1), Type: model.EventType(r.Text(2)), CreatedAt: r.Time(3), Board: r.NullID(4), Body: r.Bytes(15)}
		if !r.Null(5) {
			e.Conversation = &model.Conversation{
				ID: r.ID(5), Company: company, Private: r.Null(6) || r.Bool(6), Assignee: r.NullID(7), Sector: r.NullID(8),
			}
		}
		if !r.Null(9) {
			e.Card = &Card{
				Card:                 model.Card{ID: r.ID(9), BoardID: *e.Board, Private: r.Null(10) || r.Bool(10), Hidden: r.Null(11) || r.Bool(11), Conversation: r.NullID(12)},
				ConversationAssignee: r.NullID(13), ConversationSector: r.NullID(14),
			}
		}
		each(e)
		return nil
	})
}

// orFirst gives the least id that is not NULL in place of none.
func orFirst(id model.ID) model.ID {
	if id.IsZero() {
		return model.ID{15: 1}
	}
	return id
}

// FeedEnd is the place behind everything that Feed would hand out now.
func (tx *Tx) FeedEnd(company model.ID) (position int64, id model.ID, err error) {
	if tx.dialect().ConcurrentWrites() {
		horizon, err := tx.FeedHorizon()
		return horizon - 1, model.MaxID, err
	}
	_, err = tx.one(`SELECT COALESCE(MAX(position), 0) FROM events WHERE company = $1`, []any{company}, func(r Row) { position = r.Int(0) })
	return position, model.MaxID, err
}

// FeedAhead reports whether a place lies beyond everything this database has ever handed out: the
// cursor is from before an older backup was brought back, or from another server.
func (tx *Tx) FeedAhead(position int64) (bool, error) {
	sql := tx.dialect().Pick(
		`SELECT 1 WHERE $1 > COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0)`,
		`SELECT 1 WHERE $1 >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint`)
	return tx.one(sql, []any{position - tx.feedOffset}, func(Row) {})
}

// feedMark is a query of the place behind everything that the feed of a database has ever handed out.
func feedMark(d db.Dialect) string {
	return d.Pick(
		`SELECT COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0)`,
		`SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint + `+feedOffset)
}

// feedOffset is what PostgreSQL adds to the id of a transaction to make the positions of its events. It stands in the
// default of the column, so that it is part of every dump.
const feedOffset = `COALESCE((
	SELECT substring(pg_get_expr(d.adbin, d.adrelid) FROM '\+ ''?([0-9]+)')::bigint
	FROM pg_attrdef d
	JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
	WHERE d.adrelid = 'events'::regclass AND a.attname = 'position'), 0)`

// continueFeed are the statements after which new events get positions beyond mark.
func continueFeed(d db.Dialect, mark int64) []string {
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

// feedLock is the key of the advisory lock of the node that aligns the feed.
const feedLock = db.LockKey + 2

// alignFeed sees to it that new events come after all stored ones. On PostgreSQL positions are made from ids of
// transactions, and a server into which a dump was restored may be behind those of the server that the dump is from.
func (s *Store) alignFeed(ctx context.Context) error {
	last, err := s.readFeedOffset(ctx)
	if err != nil || last == 0 {
		return err
	}
	err = s.db.Write(ctx, func(tx *db.Tx) error {
		// Nodes that start together take turns. The next statement sees what the one before has done.
		if _, err := tx.Exec(`SELECT pg_advisory_xact_lock($1)`, int64(feedLock)); err != nil {
			return err
		}
		_, err := tx.Exec(continueFeed(tx.Dialect(), last)[0])
		return err
	})
	if err != nil {
		return fmt.Errorf("the feed of events cannot be continued after this restored dump: %w", err)
	}
	_, err = s.readFeedOffset(ctx)
	return err
}

// readFeedOffset reads what is added to the ids of transactions, and gives the last position when new events would not
// come after it.
func (s *Store) readFeedOffset(ctx context.Context) (last int64, err error) {
	err = s.db.ReadOne(ctx, func(tx *db.Tx) error {
		_, err := tx.One(`
			SELECT o.added, CASE WHEN o.last >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint + o.added THEN o.last ELSE 0 END
			FROM (SELECT `+feedOffset+` AS added, (SELECT COALESCE(MAX(position), 0) FROM events) AS last) o`, nil, func(r db.Row) {
			s.feedOffset, last = r.Int(0), r.Int(1)
		})
		return err
	})
	return last, err
}

// EventKept reports whether an event of the company is still there to be sent: not too old, and not
// of a card that no key may see any more.
func (tx *Tx) EventKept(company, id model.ID) (bool, error) {
	return tx.one(`
		SELECT 1
		FROM events e
		LEFT JOIN cards k ON k.id = e.card
		WHERE e.id = $1 AND e.company = $2 AND NOT `+withheld, []any{id, company}, func(Row) {})
}

// EventBody gives the bytes of an event as webhooks receive them and the board of its card, if it has one. It
// reports false where EventKept does.
func (tx *Tx) EventBody(company, id model.ID) (body []byte, board *model.ID, found bool, err error) {
	found, err = tx.one(`
		SELECT e.body, e.board
		FROM events e
		LEFT JOIN cards k ON k.id = e.card
		WHERE e.id = $1 AND e.company = $2 AND NOT `+withheld, []any{id, company}, func(r Row) {
		body, board = append([]byte{}, r.Bytes(0)...), r.NullID(1)
	})
	return body, board, found, err
}

// withheld holds for an event e of a conversation of a private channel, or of a card k that is deleted by now, private, or of
// a private channel.
const withheld = `(e.card IS NOT NULL AND (k.id IS NULL OR k.private) OR EXISTS (
	SELECT 1 FROM conversations xv JOIN channels x ON x.id = xv.channel WHERE xv.id IN (e.conversation, k.conversation) AND x.private))`

// PurgeEvents deletes events made before a moment, oldest first, about limit of them.
func (tx *Tx) PurgeEvents(before time.Time, limit int) (int64, error) {
	return tx.exec(purgeEvents, before, limit)
}

// A list of positions would have SQLite go through all events.
const purgeEvents = `
	DELETE FROM events
	WHERE position <= (SELECT MAX(position) FROM (SELECT position FROM events ORDER BY position LIMIT $2) oldest) AND created_at < $1`
