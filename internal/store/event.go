package store

import (
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
		err := tx.query(`SELECT id, events, boards_of FROM webhooks WHERE company = $1 AND active`, []any{company}, func(r Row) error {
			tx.subscriberList = append(tx.subscriberList, subscriber{r.ID(0), model.EventSet(r.Int(1)), r.NullID(2)})
			return nil
		})
		if err != nil {
			return nil, err
		}
		tx.subscribersOf = company
	}
	var ids []model.ID
	for _, s := range tx.subscriberList {
		if !s.events.Has(event) {
			continue
		}
		if board != nil && s.boardsOf != nil {
			allowed, err := tx.one(`SELECT 1 FROM key_boards WHERE key_id = $1 AND board = $2`, []any{*s.boardsOf, *board}, func(Row) {})
			if err != nil {
				return nil, err
			}
			if !allowed {
				continue
			}
		}
		ids = append(ids, s.id)
	}
	return ids, nil
}
