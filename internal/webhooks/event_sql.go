package webhooks

import (
	"math"
	"time"

	"recado/internal/boards"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/talk"
)

// deliver stores a due delivery of an event for each active webhook that subscribed to it, in the transaction that records it.
func (d *Webhooks) deliver(tx *kernel.Tx, e *kernel.Event) error {
	company := e.Company
	webhooks, err := subscribers(tx, company, e.Type, e.Board)
	for _, webhook := range webhooks {
		tx.Later(`
			INSERT INTO deliveries (company, webhook, id, event, event_type, status, attempts, next_attempt_at, created_at, log)
			VALUES ($1, $2, $3, $4, $5, 'pending', 0, $6, $6, '')`,
			company, webhook, kernel.NewID(), e.ID, e.Type, tx.Now)
	}
	if len(webhooks) > 0 {
		tx.AfterCommit(func() { d.announce(company, webhooks...) })
	}
	return err
}

const selectSubscribers = `SELECT id, events, boards_of FROM webhooks WHERE company = $1 AND active`

// subscriptions caches the active webhooks of a company for a transaction, which usually records several events.
type subscriptions struct {
	company kernel.ID // zero: nothing is cached
	list    []subscriber
}

type subscriber struct {
	id       kernel.ID
	events   kernel.EventSet
	boardsOf *kernel.ID
}

type subscriptionsKey struct{}

func (s *subscriptions) add(r db.Row) error {
	s.list = append(s.list, subscriber{r.ID("id"), kernel.StoredEvents(r.Text("events")), r.NullID("boards_of")})
	return nil
}

// subscribers returns the company's active webhooks that get a type of event, on a board unless that is nil.
func subscribers(tx *kernel.Tx, company kernel.ID, event kernel.EventType, board *kernel.ID) ([]kernel.ID, error) {
	cached := kernel.Value[subscriptions](tx, subscriptionsKey{})
	if cached.company != company {
		cached.list = nil
		if err := tx.Query(selectSubscribers, []any{company}, cached.add); err != nil {
			return nil, err
		}
		cached.company = company
	}
	var ids []kernel.ID
	for _, s := range cached.list {
		if !s.events.Has(event) {
			continue
		}
		allowed, err := allowsBoard(tx, company, s.boardsOf, board)
		if err != nil {
			return nil, err
		}
		if allowed {
			ids = append(ids, s.id)
		}
	}
	return ids, nil
}

// forgetSubscribers makes the transaction read the webhooks again.
func forgetSubscribers(tx *kernel.Tx) {
	*kernel.Value[subscriptions](tx, subscriptionsKey{}) = subscriptions{}
}

// expectEvents reads the subscribers of a company together with the next statement.
func expectEvents(tx *kernel.Tx, company kernel.ID) {
	cached := kernel.Value[subscriptions](tx, subscriptionsKey{})
	if cached.company == company {
		return
	}
	*cached = subscriptions{company: company}
	tx.Ahead(selectSubscribers, []any{company}, cached.add)
}

// FeedRow is one event of the feed with the fields that decide who may see it.
type FeedRow struct {
	FeedPlace
	Type         kernel.EventType
	CreatedAt    time.Time
	Conversation *talk.Conversation // only ID, Company, Private, Assignee and Sector; nil: not about a conversation
	Board        *kernel.ID
	Card         *boards.CardRow // only the fields that decide who sees it now; nil: not about a card
	Body         []byte          // nil: the type was not requested
}

// feedHorizon returns the position before which the feed cannot change any more.
//
// On SQLite events commit in the order of the feed, so there is no such limit. PostgreSQL makes commits visible out of order, so
// an event is held back until every transaction of this database that began to write before its own has ended. If there are
// sessions of roles whose transactions this role may not see, the transactions of the whole server count instead.
//
// The horizon must be read in a transaction before the one that reads the feed: whatever ends in between is then visible, and
// whatever is still running is beyond the horizon.
func feedHorizon(tx *kernel.Tx) (horizon int64, err error) {
	if !tx.Dialect().ConcurrentWrites() {
		return math.MaxInt64, nil
	}
	// The transaction ids of sessions have 32 bits. They are extended to 64 by their distance from the snapshot's end.
	_, err = tx.One(`
		SELECT CASE
			WHEN BOOL_OR(a.usename <> current_user) AND NOT pg_has_role('pg_read_all_stats', 'USAGE') THEN s.low
			ELSE LEAST(s.high, MIN(s.high - a.behind) FILTER (WHERE a.behind < 2147483648)) END AS horizon
		FROM (
			SELECT pg_snapshot_xmin(c)::text::bigint AS low, pg_snapshot_xmax(c)::text::bigint AS high
			FROM pg_current_snapshot() c
		) s
		CROSS JOIN LATERAL (
			SELECT usename, (s.high - backend_xid::text::bigint) & 4294967295 AS behind
			FROM pg_stat_activity
			WHERE datname = current_database()
		) a
		GROUP BY s.low, s.high`, nil, func(r db.Row) { horizon = r.Int("horizon") + tx.FeedOffset })
	return horizon, err
}

// eventPosition returns the position of an event in the company's feed.
func eventPosition(tx *kernel.Tx, company, id kernel.ID) (position int64, found bool, err error) {
	return kernel.Row(tx, `SELECT position FROM events WHERE company = $1 AND id = $2`, []any{company, id},
		func(r db.Row) int64 { return r.Int("position") })
}

// Statements for readFeed: the events after a place, oldest first, or before it, newest first.
const (
	selectFeed = selectFeedEvents + `
		WHERE e.company = $1 AND (e.position, e.id) > ($2, $3) AND e.position < $6
		ORDER BY e.position, e.id
		LIMIT $5`

	selectFeedBefore = selectFeedEvents + `
		WHERE e.company = $1 AND (e.position, e.id) < ($2, $3) AND e.position < $6
		ORDER BY e.position DESC, e.id DESC
		LIMIT $5`

	selectFeedEvents = `
		SELECT e.position, e.id, e.type, e.created_at, e.board, e.conversation, cx.private, c.assignee, c.sector, e.card,
			k.private AS card_private, COALESCE(tx.private, k.hidden) AS card_hidden, k.conversation AS card_conversation,
			t.assignee AS card_assignee, t.sector AS card_sector, CASE WHEN $4 LIKE '%,' || e.type || ',%' THEN e.body END AS body
		FROM events e
		LEFT JOIN conversations c ON c.company = e.company AND c.id = e.conversation
		LEFT JOIN channels cx ON cx.company = c.company AND cx.id = c.channel
		LEFT JOIN cards k ON k.company = e.company AND k.id = e.card
		LEFT JOIN conversations t ON t.company = k.company AND t.id = k.conversation
		LEFT JOIN channels tx ON tx.company = t.company AND tx.id = t.channel`
)

// readFeed calls each for up to limit events of the company on one side of a place and before the horizon. Only events of the
// given types have bodies.
func readFeed(
	tx *kernel.Tx, sql string, company kernel.ID, place FeedPlace, horizon int64, types kernel.EventSet, limit int,
	each func(e FeedRow),
) error {
	// A conversation, channel or card that is gone counts as private.
	private := func(r db.Row, column string) bool { return r.Null(column) || r.Bool(column) }
	args := []any{company, place.Position, kernel.OrFirst(place.ID), typeNames(types), limit, horizon}
	return tx.Query(sql, args, func(r db.Row) error {
		e := FeedRow{
			FeedPlace: FeedPlace{r.Int("position"), r.ID("id")}, Type: kernel.EventType(r.Text("type")),
			CreatedAt: r.Time("created_at"), Board: r.NullID("board"), Body: r.Bytes("body"),
		}
		if !r.Null("conversation") {
			e.Conversation = &talk.Conversation{
				ID: r.ID("conversation"), Company: company, Private: private(r, "private"),
				Assignee: r.NullID("assignee"), Sector: r.NullID("sector"),
			}
		}
		if !r.Null("card") {
			e.Card = &boards.CardRow{
				Card: boards.Card{
					ID: r.ID("card"), BoardID: *e.Board, Private: private(r, "card_private"), Hidden: private(r, "card_hidden"),
					Conversation: r.NullID("card_conversation"),
				},
				ConversationAssignee: r.NullID("card_assignee"), ConversationSector: r.NullID("card_sector"),
			}
		}
		each(e)
		return nil
	})
}

// feedEnd returns the place after every event that readFeed would return now.
func feedEnd(tx *kernel.Tx, company kernel.ID) (place FeedPlace, err error) {
	place.ID = kernel.MaxID
	if tx.Dialect().ConcurrentWrites() {
		place.Position, err = feedHorizon(tx)
		place.Position--
		return place, err
	}
	_, err = tx.One(`SELECT COALESCE(MAX(position), 0) AS last FROM events WHERE company = $1`, []any{company},
		func(r db.Row) { place.Position = r.Int("last") })
	return place, err
}

// feedAhead reports whether a position is beyond every event that this database ever had: the cursor comes from another server,
// or an older backup was restored.
func feedAhead(tx *kernel.Tx, position int64) (bool, error) {
	sql := tx.Dialect().Pick(
		`SELECT 1 WHERE $1 > COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0)`,
		`SELECT 1 WHERE $1 >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint`)
	return tx.One(sql, []any{position - tx.FeedOffset}, func(db.Row) {})
}

// eventBody returns the body of an event as webhooks receive it and the board of its card, if any. It reports false for an event
// that has been purged and for one that no key may see any more.
func eventBody(tx *kernel.Tx, company, id kernel.ID) (body []byte, board *kernel.ID, found bool, err error) {
	found, err = tx.One(`
		SELECT e.body, e.board
		FROM events e
		LEFT JOIN cards k ON k.company = e.company AND k.id = e.card
		WHERE e.company = $1 AND e.id = $2 AND NOT `+withheld,
		[]any{company, id}, func(r db.Row) { body, board = r.Bytes("body"), r.NullID("board") })
	return body, board, found, err
}

// withheld is true for an event e that no key may see any more: its conversation is on a private channel, or its card k is
// deleted, private or on a private channel.
const withheld = `(e.card IS NOT NULL AND (k.id IS NULL OR k.private) OR EXISTS (
	SELECT 1 FROM conversations xv JOIN channels x ON x.company = xv.company AND x.id = xv.channel
	WHERE xv.company = e.company AND xv.id IN (e.conversation, k.conversation) AND x.private))`

// A list of positions would make SQLite scan all events.
const deleteOldEvents = `
	DELETE /* all companies: by age */ FROM events
	WHERE position <= (SELECT MAX(position) FROM (SELECT position FROM events ORDER BY position LIMIT $2) oldest) AND created_at < $1`
