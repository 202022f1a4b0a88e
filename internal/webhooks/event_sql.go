package webhooks

import (
	"math"
	"time"

	"recado/internal/boards"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/talk"
)

// insertDeliveries stores a due delivery of an event for each active webhook of the company that asked for it. It returns
// these webhooks.
func insertDeliveries(tx *kernel.Tx, e *kernel.Event) ([]kernel.ID, error) {
	webhooks, err := subscribers(tx, e.Company, e.Type, e.Board)
	for _, webhook := range webhooks {
		tx.Later(`
			INSERT INTO deliveries (company, webhook, id, event, event_type, status, attempts, next_attempt_at, created_at, log)
			VALUES ($1, $2, $3, $4, $5, 'pending', 0, $6, $6, '')`,
			e.Company, webhook, kernel.NewID(), e.ID, e.Type, tx.Now)
	}
	return webhooks, err
}

// subscriber is an active webhook and the events it asked for.
type subscriber struct {
	id       kernel.ID
	events   kernel.EventSet
	boardsOf *kernel.ID
}

// subscribers gives the company's active webhooks for a type of event, on a board if it is about one. A
// transaction usually raises several events of one company, so it looks once.
func subscribers(tx *kernel.Tx, company kernel.ID, event kernel.EventType, board *kernel.ID) ([]kernel.ID, error) {
	known := kernel.Value[subscriptions](tx, subscriptionsKey{})
	if known.company != company {
		known.list = known.list[:0]
		if err := tx.Query(selectSubscribers, []any{company}, known.add); err != nil {
			return nil, err
		}
		known.company = company
	}
	var ids []kernel.ID
	for _, s := range known.list {
		if !s.events.Has(event) {
			continue
		}
		allowed, err := allowsBoard(tx, company, s.boardsOf, board)
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

// subscriptions are the active webhooks of a company as a transaction has read them; zero: of no company.
type subscriptions struct {
	company kernel.ID
	list    []subscriber
}

// subscriptionsKey is the key of the subscriptions of a transaction.
type subscriptionsKey struct{}

func (s *subscriptions) add(r db.Row) error {
	s.list = append(s.list, subscriber{r.ID(0), kernel.StoredEvents(r.Text(1)), r.NullID(2)})
	return nil
}

// forgetSubscribers has the transaction read the webhooks again.
func forgetSubscribers(tx *kernel.Tx) {
	*kernel.Value[subscriptions](tx, subscriptionsKey{}) = subscriptions{}
}

// expectEvents reads the subscribers of a company together with the next statement.
func expectEvents(tx *kernel.Tx, company kernel.ID) {
	known := kernel.Value[subscriptions](tx, subscriptionsKey{})
	if known.company == company {
		return
	}
	known.company, known.list = company, known.list[:0]
	tx.On.Ahead(selectSubscribers, []any{company}, known.add)
}

// FeedRow is one event of the feed with what decides who may see it.
type FeedRow struct {
	Position     int64
	ID           kernel.ID
	Type         kernel.EventType
	CreatedAt    time.Time
	Conversation *talk.Conversation // company, private, assignee and sector alone; nil when it is about none
	Board        *kernel.ID
	Card         *boards.CardRow // what decides who sees it now; nil when the event is about none
	Body         []byte          // nil when the type was not asked for
}

// feedHorizon is the place before which the feed cannot change any more.
//
// On SQLite events commit in the order of the feed: everything is. PostgreSQL makes commits visible
// out of order, so an event is held back until every transaction of this database that began to write
// before its own has ended. Where sessions of roles that this one may not look into are connected,
// the transactions of the whole server count instead.
//
// The horizon must come from a transaction before the one that reads the feed: what ends in between
// is then seen, and what is still running lies beyond the horizon.
func feedHorizon(tx *kernel.Tx) (horizon int64, err error) {
	if !tx.Dialect().ConcurrentWrites() {
		return math.MaxInt64, nil
	}
	// A session's transaction id has 32 bits; those before the snapshot's end are brought to 64.
	_, err = tx.One(`
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
		GROUP BY s.low, s.high`, nil, func(r db.Row) { horizon = r.Int(0) + tx.FeedOffset })
	return horizon, err
}

// feedHeld reports whether an event of the company is recorded and held back by the horizon for a moment.
func feedHeld(tx *kernel.Tx, company kernel.ID, horizon int64) (bool, error) {
	if !tx.Dialect().ConcurrentWrites() {
		return false, nil
	}
	return tx.One(`SELECT 1 FROM events WHERE company = $1 AND position >= $2 LIMIT 1`, []any{company, horizon}, func(db.Row) {})
}

// eventPosition tells where in the feed an event of the company stands.
func eventPosition(tx *kernel.Tx, company, id kernel.ID) (position int64, found bool, err error) {
	found, err = tx.One(`SELECT position FROM events WHERE company = $1 AND id = $2`, []any{company, id}, func(r db.Row) { position = r.Int(0) })
	return position, found, err
}

// findFeed hands out the company's events between a place and the horizon, in the order of the feed, up
// to limit. Bodies come only with the types asked for, named between commas:
// ",message.sent,attendance.opened,".
func findFeed(tx *kernel.Tx, company kernel.ID, position int64, id kernel.ID, horizon int64, types string, limit int, each func(e FeedRow)) error {
	return readFeed(tx, selectFeed, []any{company, position, kernel.OrFirst(id), types, limit, horizon}, each)
}

// feedBack is Feed in the opposite direction: it hands out the events before a place, newest first.
func feedBack(tx *kernel.Tx, company kernel.ID, position int64, id kernel.ID, horizon int64, types string, limit int, each func(e FeedRow)) error {
	return readFeed(tx, selectFeedBack, []any{company, position, id, types, limit, horizon}, each)
}

// feedFrom is FeedBack if back, else Feed.
func feedFrom(tx *kernel.Tx, back bool, company kernel.ID, position int64, id kernel.ID, horizon int64, types string, limit int, each func(e FeedRow)) error {
	if back {
		return feedBack(tx, company, position, id, horizon, types, limit, each)
	}
	return findFeed(tx, company, position, id, horizon, types, limit, each)
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
		LEFT JOIN conversations c ON c.company = e.company AND c.id = e.conversation
		LEFT JOIN channels cx ON cx.company = c.company AND cx.id = c.channel
		LEFT JOIN cards k ON k.company = e.company AND k.id = e.card
		LEFT JOIN conversations t ON t.company = k.company AND t.id = k.conversation
		LEFT JOIN channels tx ON tx.company = t.company AND tx.id = t.channel`
)

func readFeed(tx *kernel.Tx, sql string, args []any, each func(e FeedRow)) error {
	company := args[0].(kernel.ID)
	return tx.Query(sql, args, func(r db.Row) error {
		e := FeedRow{Position: r.Int(0), ID: r.ID(1), Type: kernel.EventType(r.Text(2)), CreatedAt: r.Time(3), Board: r.NullID(4), Body: r.Bytes(15)}
		if !r.Null(5) {
			e.Conversation = &talk.Conversation{
				ID: r.ID(5), Company: company, Private: r.Null(6) || r.Bool(6), Assignee: r.NullID(7), Sector: r.NullID(8),
			}
		}
		if !r.Null(9) {
			e.Card = &boards.CardRow{
				Card:                 boards.Card{ID: r.ID(9), BoardID: *e.Board, Private: r.Null(10) || r.Bool(10), Hidden: r.Null(11) || r.Bool(11), Conversation: r.NullID(12)},
				ConversationAssignee: r.NullID(13), ConversationSector: r.NullID(14),
			}
		}
		each(e)
		return nil
	})
}

// feedEnd is the place behind everything that Feed would hand out now.
func feedEnd(tx *kernel.Tx, company kernel.ID) (position int64, id kernel.ID, err error) {
	if tx.Dialect().ConcurrentWrites() {
		horizon, err := feedHorizon(tx)
		return horizon - 1, kernel.MaxID, err
	}
	_, err = tx.One(`SELECT COALESCE(MAX(position), 0) FROM events WHERE company = $1`, []any{company}, func(r db.Row) { position = r.Int(0) })
	return position, kernel.MaxID, err
}

// feedAhead reports whether a place lies beyond everything this database has ever handed out: the
// cursor is from before an older backup was brought back, or from another server.
func feedAhead(tx *kernel.Tx, position int64) (bool, error) {
	sql := tx.Dialect().Pick(
		`SELECT 1 WHERE $1 > COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0)`,
		`SELECT 1 WHERE $1 >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint`)
	return tx.One(sql, []any{position - tx.FeedOffset}, func(db.Row) {})
}

// eventKept reports whether an event of the company is still there to be sent: not too old, and not
// of a card that no key may see any more.
func eventKept(tx *kernel.Tx, company, id kernel.ID) (bool, error) {
	return tx.One(`
		SELECT 1
		FROM events e
		LEFT JOIN cards k ON k.company = e.company AND k.id = e.card
		WHERE e.company = $1 AND e.id = $2 AND NOT `+withheld, []any{company, id}, func(db.Row) {})
}

// eventBody gives the bytes of an event as webhooks receive them and the board of its card, if it has one. It
// reports false where EventKept does.
func eventBody(tx *kernel.Tx, company, id kernel.ID) (body []byte, board *kernel.ID, found bool, err error) {
	found, err = tx.One(`
		SELECT e.body, e.board
		FROM events e
		LEFT JOIN cards k ON k.company = e.company AND k.id = e.card
		WHERE e.company = $1 AND e.id = $2 AND NOT `+withheld, []any{company, id}, func(r db.Row) {
		body, board = append([]byte{}, r.Bytes(0)...), r.NullID(1)
	})
	return body, board, found, err
}

// withheld holds for an event e of a conversation of a private channel, or of a card k that is deleted by now, private, or of
// a private channel.
const withheld = `(e.card IS NOT NULL AND (k.id IS NULL OR k.private) OR EXISTS (
	SELECT 1 FROM conversations xv JOIN channels x ON x.company = xv.company AND x.id = xv.channel
	WHERE xv.company = e.company AND xv.id IN (e.conversation, k.conversation) AND x.private))`

// purgeEvents deletes events made before a moment, oldest first, about limit of them.
func purgeEvents(tx *kernel.Tx, before time.Time, limit int) (int64, error) {
	return tx.Exec(deleteOldEvents, before, limit)
}

// A list of positions would have SQLite go through all events.
const deleteOldEvents = `
	DELETE /* all companies: by age */ FROM events
	WHERE position <= (SELECT MAX(position) FROM (SELECT position FROM events ORDER BY position LIMIT $2) oldest) AND created_at < $1`
