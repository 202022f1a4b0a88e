package desk

import "recado/internal/model"

// Receipt tells a customer, by way of their message, that the team has read it.
type Receipt struct {
	Channel    model.ID
	ExternalID string
}

// Receipts gives the loop that sends them what there is to send. They are a courtesy: those that find
// no room, or are under way when the process ends, are lost.
func (d System) Receipts() <-chan Receipt { return d.receipts }

// markReadAtProvider leaves a receipt for the customer's latest message once the conversation is known
// to be read. Groups have none.
func (d *Desk) markReadAtProvider(t *lockedConversation) {
	if t.Kind != model.KindDirect || t.LastInboundExt == nil {
		return
	}
	receipt := Receipt{Channel: t.Channel, ExternalID: *t.LastInboundExt}
	t.tx.AfterCommit(func() {
		select {
		case d.receipts <- receipt:
		default:
		}
	})
}
