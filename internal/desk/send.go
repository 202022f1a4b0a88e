package desk

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/model"
	"recado/internal/phone"
	"recado/internal/retry"
	"recado/internal/store"
)

// SendDone is what came of a job. Err is nil or, for whatever is known about the failure, a
// *model.SendError; any other error leaves the message's fate unknown.
type SendDone struct {
	Job    SendJob
	Result model.SendResult
	Err    error
}

// ClaimedSends is what the holder of a lease does next.
type ClaimedSends struct {
	Held bool // the lease is still this owner's; if not, nothing new is started
	Jobs []SendJob
	Next *time.Time // when the channel's next message is due, nil when none waits
}

// BeginSending prepares sending at the start of a process. A single node has no other process beside it,
// so the leases of an earlier one are released at once.
func (d System) BeginSending(ctx context.Context) error {
	if !d.SingleNode() {
		return nil
	}
	return d.store.Write(ctx, func(tx *store.Tx) error {
		tx.ReleaseLeases(model.ID{})
		return nil
	})
}

// ListenSend notifies this node's loop when another node has something to send, until ctx ends.
func (d System) ListenSend(ctx context.Context) {
	d.store.Listen(ctx, channelSend, func(string) { d.wakeups.Send.Notify() })
}

// notifySend wakes the loops that send, on this node and on the others.
func (d *Desk) notifySend() {
	d.wakeups.Send.Notify()
	d.store.Notify(channelSend, "")
}

// ChannelsToSend lists the connected channels that have something due, except those whose lease another
// node than owner holds.
func (d System) ChannelsToSend(ctx context.Context, owner model.ID) ([]model.ID, error) {
	return readOne(ctx, d.Desk, func(tx *store.Tx) ([]model.ID, error) { return tx.ChannelsToSend(owner) })
}

// TakeSendLease makes owner the one who sends for a channel; it reports false while another node does.
// What an earlier owner left in the middle ends uncertain and is never sent again.
func (d System) TakeSendLease(ctx context.Context, channel, owner model.ID, length time.Duration) (lease Lease, taken bool, err error) {
	_, err = write(ctx, d.Desk, func(tx *store.Tx) (_ struct{}, err error) {
		tx.LockSeveral(channel)
		if lease, taken, err = tx.TakeLease(store.LeaseChannel, channel, owner, length); err != nil || !taken {
			return struct{}{}, err
		}
		left, err := tx.LeftInTheMiddle(lease)
		if err != nil || len(left) == 0 {
			return struct{}{}, err
		}
		done := make([]SendDone, len(left))
		for i, q := range left {
			done[i] = SendDone{Job: SendJob{queued: q}, Err: errLeftInTheMiddle}
		}
		_, err = d.recordSends(tx, Lease{Subject: channel}, done)
		return struct{}{}, err
	})
	return lease, taken, err
}

var errLeftInTheMiddle = errors.New("desk: the process that was sending this message ended")

// SendStep records the results of jobs, keeps the lease, and marks up to limit due messages as being
// sent, all in one transaction. At most one message of a conversation is under way at a time.
func (d System) SendStep(ctx context.Context, lease Lease, owner model.ID, length time.Duration, done []SendDone, limit int) (ClaimedSends, error) {
	return write(ctx, d.Desk, func(tx *store.Tx) (ClaimedSends, error) {
		if len(done) > 1 {
			tx.LockSeveral(lease.Subject)
		}
		held, taken, err := tx.TakeLease(store.LeaseChannel, lease.Subject, owner, length)
		if err != nil {
			return ClaimedSends{}, err
		}
		step := ClaimedSends{Held: taken && held.Epoch == lease.Epoch}
		connected, err := d.recordSends(tx, lease, done)
		if err != nil || !step.Held || !connected {
			return step, err
		}
		if limit > 0 {
			jobs, err := tx.StartSends(lease, limit)
			if err != nil {
				return step, err
			}
			for _, j := range jobs {
				step.Jobs = append(step.Jobs, d.sendJob(tx, j))
			}
		}
		step.Next, err = tx.NextSend(lease.Subject)
		return step, err
	})
}

// ReclaimSends puts back in the queue what is marked as being sent under this lease and is not in hand: a
// step whose commit got no answer marked it, and no worker was told to send it.
func (d System) ReclaimSends(ctx context.Context, lease Lease, owner model.ID, inHand map[model.ID]struct{}) error {
	_, err := write(ctx, d.Desk, func(tx *store.Tx) (struct{}, error) {
		held, err := tx.HoldsLease(lease, owner)
		if err != nil || !held { // the present holder has settled them
			return struct{}{}, err
		}
		marked, err := tx.BeingSent(lease)
		for _, message := range marked {
			if _, mine := inHand[message]; !mine {
				tx.UnmarkSend(message)
			}
		}
		return struct{}{}, err
	})
	return err
}

// recordSends writes results down. A caller with several results has called LockSeveral. It reports whether the channel is connected.
func (d *Desk) recordSends(tx *store.Tx, lease Lease, done []SendDone) (connected bool, err error) {
	ch, found, err := tx.AnyChannel(lease.Subject)
	if err != nil || !found {
		return false, err
	}
	in := d.inboundBatch(tx, ch)
	for i := range done {
		if err := in.sendDone(lease, &done[i]); err != nil {
			return false, err
		}
	}
	return in.channel.Status == model.ChannelConnected, in.finish()
}

// sendDone settles one message, or puts it back in the queue.
func (in *inboundBatch) sendDone(lease Lease, done *SendDone) error {
	job := done.Job.queued
	t, err := in.locked(job.Conversation)
	if err != nil || t == nil {
		return err
	}
	if job.ReactsTo != nil {
		return in.reactionDone(t, lease, job, done.Err)
	}
	m, _, found, err := in.tx.Message(job.Company, job.Message)
	if err != nil || !found {
		return err
	}
	if done.Err == nil {
		return in.wentOut(t, &m, done)
	}
	// A report of the provider may have settled it meanwhile, or another node may have given it up.
	if m.Status != model.StatusQueued {
		return nil
	}
	if !errors.Is(done.Err, errLeftInTheMiddle) {
		if mine, err := in.tx.StillSending(lease, m.ID); err != nil || !mine {
			return err
		}
	}
	return in.notSent(t, &m, done.Err, int(job.Attempts)+1)
}

// notSent settles a message that did not go out, or for which that is not known, as retry.Send says.
func (in *inboundBatch) notSent(t *batchConversation, m *model.Message, cause error, attempts int) error {
	now := in.tx.Now
	next := retry.Send(cause, attempts, now.Sub(m.CreatedAt))
	if in.channel.ArchivedAt != nil && (next.Decision == retry.Again || next.Decision == retry.Held) {
		return in.failArchived(t, m)
	}
	switch next.Decision {
	case retry.Again:
		in.tx.RequeueSend(m.ID, now.Add(next.Wait))
		return nil
	case retry.Held:
		in.disconnectFor(cause)
		in.tx.RequeueSend(m.ID, now)
		return nil
	}
	return in.report(t, m, "", store.EarlyStatus{Status: model.StatusFailed, Error: next.Reason, At: now})
}

// wentOut notes what the provider said when it took a message.
func (in *inboundBatch) wentOut(t *batchConversation, m *model.Message, done *SendDone) error {
	result := done.Result
	if err := in.report(t, m, result.ExternalID, store.EarlyStatus{Status: model.StatusSent, At: in.tx.Now}); err != nil {
		return err
	}
	if t.Contact != nil {
		for _, id := range identitiesOf(model.Person{WAID: result.WAID, UserID: result.UserID}) {
			in.tx.LinkIdentity(t.Company, id.kind, id.value, *t.Contact)
		}
	}
	if done.Job.media != nil && result.MediaID != "" && (done.Job.Out.Media == nil || done.Job.Out.Media.ProviderID != result.MediaID) {
		in.tx.KeepProviderMedia(*done.Job.media, in.channel.ID, result.MediaID)
	}
	return in.settleEarly(t, m)
}

// disconnectFor disconnects the channel for the reason that a send failed with.
func (in *inboundBatch) disconnectFor(cause error) {
	if failure, known := errors.AsType[*model.SendError](cause); known {
		in.disconnect(failure)
	}
}

// disconnect stops a channel that cannot send until a person acts. Its queue waits.
func (in *inboundBatch) disconnect(why *model.SendError) {
	if in.channel.Status == model.ChannelDisconnected {
		return
	}
	reason := why.Message
	in.channel.Status = model.ChannelDisconnected
	in.tx.SetChannelStatus(in.channel.Company, in.channel.ID, model.ChannelDisconnected, &reason)
	id := in.channel.ID
	in.tx.AfterCommit(func() {
		in.d.log.Error("a channel was disconnected: its provider refuses it", slog.String("channel", id.String()), slog.Any("error", why))
	})
}

// SendJob is a message that is marked as being sent: it is handed to its provider once, and what came
// of it is reported with SendStep.
type SendJob struct {
	Out model.Outgoing

	queued store.Queued
	media  *model.ID
}

// JobID is the id of the message.
func (j SendJob) JobID() model.ID { return j.queued.Message }

// providerMediaLife is how long a file once uploaded to a provider is counted on; WhatsApp keeps it for 30 days.
const providerMediaLife = 25 * 24 * time.Hour

// sendJob is what a provider needs to send a message.
func (d *Desk) sendJob(tx *store.Tx, j store.Job) SendJob {
	out := model.Outgoing{ClientID: j.Message.String(), To: receiver(j)}
	if j.GroupID != nil {
		out.GroupID, out.To = *j.GroupID, model.Person{}
	}
	if j.Text != nil {
		out.Text = *j.Text
	}
	if j.ReplyTo != nil {
		out.ReplyTo = *j.ReplyTo
	}
	if j.ReactsTo != nil {
		out.ClientID, out.Reaction = reactionClientID(*j.ReactsTo, j.Message), j.Reaction
	}
	out.Interactive = j.Interactive
	if j.Template != nil {
		out.Template = &model.Template{}
		if err := json.Unmarshal([]byte(*j.Template), out.Template); err != nil {
			d.log.Error("a stored template cannot be read", slog.String("message", j.Message.String()), slog.Any("error", err))
		}
		out.Text = ""
	}
	job := SendJob{Out: out, queued: j.Queued}
	if m := j.Media; m != nil {
		job.media = &m.ID
		job.Out.Media = &model.OutgoingMedia{
			Kind: string(m.Kind), MimeType: m.MimeType, FileName: m.FileName, Size: m.Size, Voice: j.Voice,
			Open: func() (io.ReadCloser, error) {
				file, _, err := d.blob.Open(context.Background(), m.ID)
				return file, err
			},
		}
		if at := m.Provider.At; at != nil && tx.Now.Sub(*at) < providerMediaLife {
			job.Out.Media.ProviderID = m.Provider.ID
		}
	}
	return job
}

// receiver prefers the id under which the provider knows the contact's present number.
func receiver(j store.Job) model.Person {
	var p model.Person
	if j.Phone != nil {
		p.Phone = *j.Phone
	}
	for _, id := range j.WAIDs {
		if j.Phone == nil || phone.Key(id) == phone.Key(*j.Phone) {
			p.WAID = id
		}
	}
	if len(j.UserIDs) > 0 {
		p.UserID = j.UserIDs[len(j.UserIDs)-1]
	}
	return p
}

// Receipt tells a customer, by way of their message, that the team has read it.
type Receipt struct {
	Channel    model.ID
	ExternalID string
}

// Receipts gives the loop that sends them what there is to send. They are not essential: those that
// find no free place, or are under way when the process ends, are lost.
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

// status takes a report about a message that was sent. It names the message by the provider's id, or by the id that
// was sent along with it; a report about an unknown message waits until the message is stored.
func (in *inboundBatch) status(s *model.IncomingStatus) error {
	if reaction, err := in.reactionStatus(s); err != nil || reaction {
		return err
	}
	at := moment(s.At, in.tx.Now)
	conversation, found, err := in.tx.ConversationOfExternalID(in.channel.ID, s.ExternalID)
	if err != nil {
		return err
	}
	ours, isOurs := model.ParseID(s.ClientID)
	if !found && isOurs {
		if conversation, found, err = in.tx.ConversationOfMessage(in.channel.ID, ours); err != nil {
			return err
		}
	}
	if !found {
		in.tx.ParkStatus(in.channel.ID, s.ExternalID, store.EarlyStatus{Status: s.Status, Error: s.Error, At: at})
		return nil
	}
	t, err := in.locked(conversation)
	if err != nil || t == nil {
		return err
	}
	m, found, err := in.tx.MessageWithExternalID(in.channel.ID, s.ExternalID)
	if err == nil && !found && isOurs {
		m, _, found, err = in.tx.Message(in.channel.Company, ours)
	}
	if err != nil || !found {
		return err
	}
	return in.report(t, &m, s.ExternalID, store.EarlyStatus{Status: s.Status, Error: s.Error, At: at})
}

// locked opens a conversation of the channel by its id.
func (in *inboundBatch) locked(conversation model.ID) (*batchConversation, error) {
	if t := in.conversations[conversation]; t != nil {
		return t, nil
	}
	c, found, err := in.tx.LockConversation(in.channel.Company, conversation)
	if err != nil || !found {
		return nil, err
	}
	return in.hold(in.d.locked(in.tx, c)), nil
}

// report applies a status to a message of a locked conversation: forwards only. The message learns its
// external id; message.sent is raised once, when it is first known to have left, and message.updated when its
// status changes otherwise.
func (in *inboundBatch) report(t *batchConversation, m *model.Message, external string, s store.EarlyStatus) error {
	had := m.Left()
	learned, err := in.learns(m, external)
	if err != nil {
		return err
	}
	advanced := m.Advance(s.Status, s.At, s.Error)
	if learned {
		m.ExternalID = &external
	}
	if !learned && !advanced {
		return nil
	}
	in.tx.SaveMessageStatus(m)
	t.showStatus(m)
	if !had {
		in.tx.DeleteSend(m.ID)
	}
	if had || !m.Left() {
		if !advanced {
			return nil
		}
		t.silent = false
		if m.Status == model.StatusFailed {
			if err := t.notifyFailed(m); err != nil {
				return err
			}
		}
		return t.emitUpdated(m, "status")
	}
	t.changed, t.emits, t.silent = true, true, false
	return t.emitWith(model.EventMessageSent, "message", m)
}

// learns reports whether an external id is new to a message. One that another message has is not
// taken: it would be the provider's mistake.
func (in *inboundBatch) learns(m *model.Message, external string) (bool, error) {
	if m.ExternalID != nil || external == "" || m.Direction != model.Outbound {
		return false, nil
	}
	_, taken, err := in.tx.ConversationOfExternalID(in.channel.ID, external)
	return !taken, err
}

// settleEarly applies the reports that came before their message knew its external id.
func (in *inboundBatch) settleEarly(t *batchConversation, m *model.Message) error {
	if m.ExternalID == nil {
		return nil
	}
	early, err := in.tx.TakeEarlyStatuses(in.channel.ID, *m.ExternalID)
	for _, s := range early {
		if err == nil {
			err = in.report(t, m, *m.ExternalID, s)
		}
	}
	return err
}
