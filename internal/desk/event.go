package desk

import (
	"time"

	"recado/internal/model"
	"recado/internal/store"
)

// record stores an event with the exact bytes that receivers get, in the transaction of the change
// it tells of. data writes the event's data object.
func (d *Desk) record(tx *store.Tx, e store.Event, data func(b []byte) ([]byte, error)) (err error) {
	e.ID = model.NewID()
	if e.Body, err = eventBody(e.ID, e.Company, e.Type, tx.Now, data); err != nil {
		return err
	}
	webhooks, err := tx.InsertEvent(e)
	if err != nil {
		return err
	}
	tx.AfterCommit(func() {
		d.feed.ring(e.Company)
		d.store.Notify(channelFeed, e.Company.String())
		if len(webhooks) > 0 {
			d.announce(webhooks...)
		}
	})
	return nil
}

// eventBody is an event as every receiver gets it.
func eventBody(id, company model.ID, kind model.EventType, at time.Time, data func(b []byte) ([]byte, error)) ([]byte, error) {
	b := make([]byte, 0, 2048)
	b = append(b, `{"id":"`...)
	b = id.AppendText(b)
	b = append(b, `","type":"`...)
	b = append(b, kind...)
	b = append(b, `","created_at":"`...)
	b = at.UTC().AppendFormat(b, model.JSONTime)
	b = append(b, `","tenant_id":"`...)
	b = company.AppendText(b)
	b = append(b, `","data":`...)
	b, err := data(b)
	return append(b, '}'), err
}

// The names under which nodes of one PostgreSQL wake each other.
const (
	channelDeliver = "recado_deliver"
	channelSend    = "recado_send"
	channelFeed    = "recado_feed"
	channelSignal  = "recado_signal"
)
