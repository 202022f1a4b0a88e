package talk

import (
	"context"
	"log/slog"
	"time"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
)

const (
	failAtOnce   = 3 * time.Second // how long a caller waits until the queue of a channel that it archived has failed
	failedInStep = 100             // messages that one transaction fails
)

// failQueue fails what waits in the queue of an archived channel, for as long as a caller can be kept waiting. FailArchived does the rest.
func (d *Talk) failQueue(ctx context.Context, company, channel kernel.ID) {
	for end := time.Now().Add(failAtOnce); time.Now().Before(end); {
		more, err := d.failSome(ctx, company, channel)
		if err != nil {
			d.Log.Warn("messages of an archived channel have yet to fail", slog.String("channel", channel.String()), slog.Any("error", err))
		}
		if err != nil || !more {
			return
		}
	}
}

// FailArchived fails messages that wait in the queues of archived channels, a batch of each, and reports whether there are more.
func (d *Talk) FailArchived(ctx context.Context) (more bool, err error) {
	channels, err := kernel.ReadOne(ctx, d.Kernel, archivedWithSends)
	for _, ch := range channels {
		further, err := d.failSome(ctx, ch.company, ch.id)
		if err != nil {
			d.Log.Warn("messages of an archived channel have yet to fail", slog.String("channel", ch.id.String()), slog.Any("error", err))
		}
		more = more || further
	}
	return more, err
}

// failSome fails a batch of what waits in the queue of an archived channel, and reports whether there may be more.
func (d *Talk) failSome(ctx context.Context, company, channel kernel.ID) (more bool, err error) {
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) {
		tx.LockSeveral(channel)
		ch, found, err := channels.FindChannel(tx, company, channel)
		if err != nil || !found || ch.ArchivedAt == nil {
			return false, err
		}
		waiting, err := waitingSends(tx, company, channel, failedInStep)
		if err != nil {
			return false, err
		}
		in := d.inboundBatch(tx, ch)
		for _, job := range waiting {
			if err := in.failWaiting(job); err != nil {
				return false, err
			}
		}
		return len(waiting) == failedInStep, in.finish()
	})
}

// failWaiting fails a message that waits in the queue of an archived channel.
func (in *InboundBatch) failWaiting(job Queued) error {
	if job.ReactsTo != nil {
		deleteSend(in.Tx, job.Company, job.Message)
		return nil
	}
	t, err := in.locked(job.Conversation)
	if err != nil {
		return err
	}
	m, _, found, err := findMessage(in.Tx, job.Company, job.Message)
	if err != nil {
		return err
	}
	if t == nil || !found {
		deleteSend(in.Tx, job.Company, job.Message)
		return nil
	}
	return in.failArchived(t, &m)
}

// failArchived fails a message whose channel was archived before it was sent.
func (in *InboundBatch) failArchived(t *BatchConversation, m *Message) error {
	return in.report(t, m, "", EarlyStatus{
		Status: provider.StatusFailed, Error: new(provider.NewReason(string(kernel.CodeChannelArchived), "The channel was archived before the message was sent.")), At: in.Tx.Now,
	})
}
