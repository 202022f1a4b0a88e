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
	archiveTimeout = 3 * time.Second // how long archiving a channel waits for its queue to be failed
	failedInStep   = 100             // messages failed per transaction
)

// failQueue fails the queued messages of an archived channel until archiveTimeout. FailArchived does the rest.
func (d *Talk) failQueue(ctx context.Context, company, channel kernel.ID) {
	for end := time.Now().Add(archiveTimeout); time.Now().Before(end); {
		if !d.failBatch(ctx, company, channel) {
			return
		}
	}
}

// FailArchived fails a batch of queued messages of each archived channel and reports whether there are more.
func (d *Talk) FailArchived(ctx context.Context) (more bool, err error) {
	channels, err := kernel.ReadOne(ctx, d.Kernel, archivedWithSends)
	for _, ch := range channels {
		if d.failBatch(ctx, ch.company, ch.id) {
			more = true
		}
	}
	return more, err
}

// failBatch fails a batch of queued messages of an archived channel and reports whether there may be more. It logs errors.
func (d *Talk) failBatch(ctx context.Context, company, channel kernel.ID) bool {
	more, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) {
		tx.LockSeveral(channel)
		ch, found, err := channels.FindChannel(tx, company, channel)
		if err != nil || !found || ch.ArchivedAt == nil {
			return false, err
		}
		queued, err := waitingSends(tx, company, channel, failedInStep)
		if err != nil {
			return false, err
		}
		in := d.inboundBatch(tx, ch)
		for _, job := range queued {
			if err := in.failQueued(job); err != nil {
				return false, err
			}
		}
		return len(queued) == failedInStep, in.finish()
	})
	if err != nil {
		d.Log.Warn("could not fail queued messages of an archived channel", slog.String("channel", channel.String()), slog.Any("error", err))
	}
	return more && err == nil
}

// failQueued fails a queued message of an archived channel. A reaction is only deleted.
func (in *InboundBatch) failQueued(job Queued) error {
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
	reason := provider.NewReason(string(kernel.CodeChannelArchived), "The channel was archived before the message was sent.")
	return in.report(t, m, "", EarlyStatus{Status: provider.StatusFailed, Error: &reason, At: in.Tx.Now})
}
