package talk

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"recado/internal/channels"
)

// Receipts shows customers that their messages were read. It tries each once.
type Receipts struct {
	Desk   *Talk
	Graph  *channels.Graph
	Logger *slog.Logger
}

const (
	receiptWorkers = 4
	receiptTimeout = 10 * time.Second
)

// Run ends with ctx.
func (r *Receipts) Run(ctx context.Context) {
	var workers sync.WaitGroup
	for range receiptWorkers {
		workers.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case receipt := <-r.Desk.Receipts():
					r.step(ctx, receipt)
				}
			}
		})
	}
	workers.Wait()
}

func (r *Receipts) step(ctx context.Context, receipt Receipt) {
	ctx, cancel := context.WithTimeout(ctx, receiptTimeout)
	defer cancel()
	_, access, found, err := r.Desk.channels.Access(ctx, receipt.Company, receipt.Channel)
	if err == nil && found {
		err = r.Graph.Client(access).MarkRead(ctx, receipt.ExternalID)
	}
	if err != nil {
		r.Logger.Debug("a message could not be shown as read", slog.String("channel", receipt.Channel.String()), slog.Any("error", err))
	}
}
