package talk

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"recado/internal/channels"
	"recado/internal/kernel"
)

// Receipt is a read receipt for a message of a customer.
type Receipt struct {
	Company    kernel.ID
	Channel    kernel.ID
	ExternalID string
}

// markReadAtProvider queues a receipt for the customer's latest message after the commit. Groups have no receipts. Receipts are
// lost if the queue is full or when the process ends.
func (d *Talk) markReadAtProvider(t *LockedConversation) {
	if t.Kind != KindDirect || t.LastInboundExt == nil {
		return
	}
	receipt := Receipt{Company: t.Company, Channel: t.Channel, ExternalID: *t.LastInboundExt}
	t.Tx.AfterCommit(func() {
		select {
		case d.receipts <- receipt:
		default:
		}
	})
}

// Receipts sends read receipts to customers. It does not retry.
type Receipts struct {
	Desk   *Talk
	Graph  *channels.Graph
	Logger *slog.Logger
}

const (
	receiptWorkers = 4
	receiptTimeout = 10 * time.Second
)

// Run sends receipts until ctx is done.
func (r *Receipts) Run(ctx context.Context) {
	var workers sync.WaitGroup
	for range receiptWorkers {
		workers.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case receipt := <-r.Desk.receipts:
					r.send(ctx, receipt)
				}
			}
		})
	}
	workers.Wait()
}

func (r *Receipts) send(ctx context.Context, receipt Receipt) {
	ctx, cancel := context.WithTimeout(ctx, receiptTimeout)
	defer cancel()
	_, access, found, err := r.Desk.channels.Access(ctx, receipt.Company, receipt.Channel)
	if err == nil && found {
		err = r.Graph.Client(access).MarkRead(ctx, receipt.ExternalID)
	}
	if err != nil {
		r.Logger.Debug("a read receipt could not be sent", slog.String("channel", receipt.Channel.String()), slog.Any("error", err))
	}
}
