package talk

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// Receipt is a read receipt for messages of a customer.
type Receipt struct {
	Company  kernel.ID             `json:"-"`
	Channel  kernel.ID             `json:"channel"`
	Messages provider.ReadMessages `json:"messages"`

	forwarded bool // by another node
}

// maxReceipt is the maximum number of messages in a receipt.
const maxReceipt = 50

// markReadAtProvider queues a receipt for the customer's unread messages after the commit. Groups have no receipts. Receipts are
// lost if the queue is full or when the process ends.
func (d *Talk) markReadAtProvider(t *LockedConversation) error {
	if t.Kind != KindDirect || t.LastInboundExt == nil {
		return nil
	}
	var ids []string
	err := t.Tx.Query(`
		SELECT external_id, notice
		FROM messages
		WHERE company = $1 AND conversation = $2 AND direction = 'inbound' AND external_id IS NOT NULL
		ORDER BY seq DESC
		LIMIT $3`, []any{t.Company, t.ID, min(t.UnreadCount, maxReceipt)}, func(r db.Row) error {
		if !kernel.ReadJSON[provider.MessageNotice](r, "notice").IsCall() { // a call cannot be marked as read
			ids = append(ids, r.Text("external_id"))
		}
		return nil
	})
	if err != nil || len(ids) == 0 {
		return err
	}
	slices.Reverse(ids)
	receipt := Receipt{Company: t.Company, Channel: t.Channel, Messages: provider.ReadMessages{ExternalIDs: ids, At: t.Tx.Now}}
	customer := &receipt.Messages.Customer
	if t.Phone != nil {
		customer.Phone = *t.Phone
	}
	if t.Contact != nil {
		if err := addIdentities(t.Tx, t.Company, t.Channel, *t.Contact, customer); err != nil {
			return err
		}
	}
	t.Tx.AfterCommit(func() { d.queueReceipt(receipt) })
	return nil
}

func (d *Talk) queueReceipt(receipt Receipt) {
	select {
	case d.receipts <- receipt:
	default:
	}
}

// forwardReceipt passes a receipt to the node that the number is connected to.
func (d *Talk) forwardReceipt(receipt Receipt) {
	if receipt.forwarded {
		return
	}
	s := kernel.NewSignal(signalReceipt, receipt.Company, kernel.Audience{}, receipt)
	s.Quiet = true
	d.Signal(s)
}

// receiveReceipt queues a receipt of another node.
func (d *Talk) receiveReceipt(s kernel.Signal) {
	receipt := Receipt{Company: s.Company, forwarded: true}
	if s.Kind == signalReceipt && !s.Node.IsZero() && json.Unmarshal(s.Data, &receipt) == nil && len(receipt.Messages.ExternalIDs) > 0 {
		d.queueReceipt(receipt)
	}
}

// Receipts sends read receipts to customers. It does not retry.
type Receipts struct {
	Desk     *Talk
	Provider *channels.Providers
	Logger   *slog.Logger
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
	err := r.Provider.MarkRead(ctx, receipt.Company, receipt.Channel, receipt.Messages)
	if errors.Is(err, channels.ErrNotHere) {
		r.Desk.forwardReceipt(receipt)
		return
	}
	if err != nil {
		r.Logger.Debug("a read receipt could not be sent", slog.String("channel", receipt.Channel.String()), slog.Any("error", err))
	}
}
