package desk

import (
	"recado/internal/model"
	"recado/internal/store"
)

// record stores an event with the exact bytes that receivers get, in the transaction of the change
// it tells of. data writes the event's data object.
func (d *Desk) record(tx *store.Tx, company model.ID, kind model.EventType, conversation, board *model.ID, data func(b []byte) ([]byte, error)) error {
	e := store.Event{ID: model.NewID(), Company: company, Type: kind, Conversation: conversation, Board: board}
	b := make([]byte, 0, 2048)
	b = append(b, `{"id":"`...)
	b = e.ID.AppendText(b)
	b = append(b, `","type":"`...)
	b = append(b, kind...)
	b = append(b, `","created_at":"`...)
	b = tx.Now.UTC().AppendFormat(b, model.JSONTime)
	b = append(b, `","tenant_id":"`...)
	b = company.AppendText(b)
	b = append(b, `","data":`...)
	b, err := data(b)
	if err != nil {
		return err
	}
	e.Body = append(b, '}')
	due, err := tx.InsertEvent(e)
	if err != nil {
		return err
	}
	tx.AfterCommit(func() {
		d.bells.Feed.Ring()
		d.store.Notify(channelFeed, "")
		if due {
			d.bells.Deliver.Ring()
			d.store.Notify(channelDeliver, "")
		}
	})
	return nil
}

// The names under which nodes of one PostgreSQL wake each other.
const (
	channelDeliver = "recado_deliver"
	channelSend    = "recado_send"
	channelFeed    = "recado_feed"
)
