package talk

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/jobs"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// SendDone is the result of a job. If Err is not a *provider.SendError, it is unknown whether the message was sent.
type SendDone struct {
	Job    SendJob
	Result provider.SendResult
	Err    error
}

// ClaimedSends is the result of SendStep.
type ClaimedSends struct {
	Held bool // the owner still holds the lease; if not, there are no jobs
	Jobs []SendJob
	Next *time.Time // when the next message of the channel is due, or nil
}

// WakeIndex is the name of the wakeup for the loop that indexes texts.
const WakeIndex = "index"

// sendAgain sends the queued messages of a channel that was connected again, and fetches its files.
func (d *Talk) sendAgain(tx *kernel.Tx, ch *channels.Channel) {
	if ch.Provider == channels.ProviderLinked {
		makeRoomForHistory(tx, ch.Company, ch.ID)
	}
	makeSendsDue(tx, ch.Company, ch.ID)
	makeFetchesDue(tx, ch.Company, ch.ID)
	tx.AfterCommit(d.notifySend)
	tx.AfterCommit(d.Wakeup(channels.WakeFetch).Notify)
}

func (d *Talk) notifySend() {
	d.Wakeup(channels.WakeSend).Notify()
	d.Store.Notify(ChannelSend, "")
}

// ChannelsToSend lists the connected channels with due messages, or with messages that a stopped node was sending, except those
// whose lease another node holds.
func (d *Talk) ChannelsToSend(ctx context.Context, owner kernel.ID) ([]dueChannel, error) {
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) ([]dueChannel, error) {
		return kernel.Rows(tx, `
			SELECT /* all companies: due work */ ch.company, ch.id, ch.provider = 'linked' AS linked
			FROM channels ch
			WHERE ch.provider <> 'sandbox' AND ch.status = 'connected'
				AND EXISTS (SELECT 1 FROM sends s WHERE s.company = ch.company AND s.channel = ch.id AND s.due_at <= $1)
				AND NOT EXISTS (SELECT 1 FROM lanes l WHERE l.subject = ch.id AND l.owner <> $2 AND l.lease_until >= $1)
			ORDER BY ch.company, ch.id`, []any{tx.Now, owner}, func(r db.Row) dueChannel {
			return dueChannel{r.ID("company"), r.ID("id"), r.Bool("linked")}
		})
	})
}

// dueChannel is a channel with messages to send.
type dueChannel struct {
	company, id kernel.ID
	linked      bool // the number is connected to one node
}

// TakeSendLease takes the lease of a channel for owner. It returns false while another node holds it. Messages that the
// previous owner was sending are marked as uncertain and never sent again, except by linked numbers: there every attempt has the same
// id, and receivers drop a message with a known id.
func (d *Talk) TakeSendLease(
	ctx context.Context, company, channel, owner kernel.ID, length time.Duration,
) (lease kernel.Lease, taken bool, err error) {
	err = d.Store.Write(ctx, func(tx *kernel.Tx) (err error) {
		tx.LockSeveral(channel)
		if lease, taken, err = tx.TakeLease(leaseChannel, channel, owner, length); err != nil || !taken {
			return err
		}
		left, err := listSends(tx, company, channel, `state = 'sending' AND epoch < $3 ORDER BY conversation, seq`, lease.Epoch)
		if err != nil || len(left) == 0 {
			return err
		}
		cause := errLeftInTheMiddle
		if ch, found, err := channels.FindChannel(tx, company, channel); err != nil {
			return err
		} else if found && ch.Provider == channels.ProviderLinked {
			cause = &provider.SendError{
				Code: provider.CodeSendUnavailable, Message: "The process that was sending this message ended.", Retry: true, Offline: true, Cause: cause,
			}
		}
		done := make([]SendDone, len(left))
		for i, q := range left {
			done[i] = SendDone{Job: SendJob{queued: q}, Err: cause}
		}
		_, err = d.recordSends(tx, company, kernel.Lease{Subject: channel}, done)
		return err
	})
	return lease, taken, err
}

var errLeftInTheMiddle = errors.New("talk: the process that was sending this message ended")

// SendStep stores the results of jobs, renews the lease, and marks up to limit due messages as being sent, in one transaction.
// At most one message of a conversation is being sent at a time; the response to an earlier one may still be missing if a report said
// that it was sent.
func (d *Talk) SendStep(
	ctx context.Context, company kernel.ID, lease kernel.Lease, owner kernel.ID, length time.Duration, done []SendDone, limit int,
) (ClaimedSends, error) {
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (ClaimedSends, error) {
		if len(done) > 0 { // one may have statuses that arrived before; see mayCountService
			tx.LockSeveral(lease.Subject)
		}
		renewed, taken, err := tx.TakeLease(leaseChannel, lease.Subject, owner, length)
		if err != nil {
			return ClaimedSends{}, err
		}
		step := ClaimedSends{Held: taken && renewed.Epoch == lease.Epoch}
		connected, err := d.recordSends(tx, company, lease, done)
		if err != nil || !step.Held || !connected {
			return step, err
		}
		if limit > 0 {
			if step.Jobs, err = d.startSends(tx, company, lease, limit); err != nil {
				return step, err
			}
		}
		_, err = tx.One(`
			SELECT MIN(due_at) AS next_due
			FROM sends
			WHERE company = $1 AND channel = $2 AND state = 'queued' AND due_at > $3`,
			[]any{company, lease.Subject, tx.Now}, func(r db.Row) { step.Next = r.NullTime("next_due") })
		return step, err
	})
}

// ReclaimSends puts messages back in the queue that are marked as being sent under this lease but are not in hand. A step with
// an unknown commit result may have marked them without handing them to a worker.
func (d *Talk) ReclaimSends(
	ctx context.Context, company kernel.ID, lease kernel.Lease, owner kernel.ID, inHand map[kernel.ID]struct{},
) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		held, err := tx.HoldsLease(lease, owner)
		if err != nil || !held { // the next owner has marked them as uncertain
			return err
		}
		marked, err := tx.IDs(`
			SELECT message
			FROM sends`+IndexedBy(tx, "sends_due")+`
			WHERE company = $1 AND channel = $2 AND state = 'sending' AND epoch = $3
			ORDER BY message`, company, lease.Subject, lease.Epoch)
		for _, message := range marked {
			if _, found := inHand[message]; !found { // as if it had never been marked
				tx.Later(`UPDATE sends SET state = 'queued', attempts = attempts - 1 WHERE company = $1 AND message = $2`, company, message)
			}
		}
		return err
	})
}

// recordSends stores results and reports whether the channel is connected. For several results the caller must have called
// LockSeveral.
func (d *Talk) recordSends(tx *kernel.Tx, company kernel.ID, lease kernel.Lease, done []SendDone) (connected bool, err error) {
	ch, found, err := channels.FindChannel(tx, company, lease.Subject)
	if err != nil || !found {
		return false, err
	}
	in := d.inboundBatch(tx, ch)
	for i := range done {
		if err := in.sendDone(lease, &done[i]); err != nil {
			return false, err
		}
	}
	return in.Channel.Status == channels.ChannelConnected, in.finish()
}

func (in *InboundBatch) sendDone(lease kernel.Lease, done *SendDone) error {
	job := done.Job.queued
	t, err := in.locked(job.Conversation)
	if err != nil || t == nil {
		return err
	}
	if job.ReactsTo != nil {
		return in.reactionDone(t, lease, &done.Job, done.Err)
	}
	m, _, found, err := findMessage(in.Tx, job.Company, job.Message)
	if err != nil || !found {
		return err
	}
	if done.Err == nil {
		return in.wentOut(t, &m, done)
	}
	// A report of the provider or another node may have decided its status meanwhile.
	if m.Status != provider.StatusQueued {
		return nil
	}
	if sending, err := in.stillSending(lease, job, done.Err); err != nil || !sending {
		return err
	}
	since := m.CreatedAt
	kernel.Set(&since, job.ReleasedAt)
	next := retrySend(done.Err, int(job.Attempts)+1, in.Tx.Now.Sub(since))
	if in.Channel.ArchivedAt != nil && next.Decision != Failed {
		return in.failArchived(t, &m)
	}
	if in.requeue(job, done.Err, next) {
		return nil
	}
	return in.report(t, &m, "", statusReport{Status: provider.StatusFailed, Error: next.Reason, At: in.Tx.Now})
}

// stillSending reports whether a message is being sent under this epoch of the lease, or was when its process ended.
func (in *InboundBatch) stillSending(lease kernel.Lease, job Queued, cause error) (bool, error) {
	if errors.Is(cause, errLeftInTheMiddle) {
		return true, nil
	}
	return in.Tx.One(`SELECT 1 FROM sends WHERE company = $1 AND message = $2 AND state = 'sending' AND epoch = $3`,
		[]any{job.Company, job.Message, lease.Epoch}, func(db.Row) {})
}

// requeue puts a message that was certainly not sent back in the queue, unless it fails. A channel that the provider refuses is
// disconnected.
func (in *InboundBatch) requeue(job Queued, cause error, next NextSend) bool {
	if next.Decision == Held {
		in.disconnectFor(cause)
	}
	if next.Decision != Failed {
		in.Tx.Later(`UPDATE sends SET state = 'queued', due_at = $3 WHERE company = $1 AND message = $2`,
			job.Company, job.Message, in.Tx.Now.Add(next.Wait))
	}
	return next.Decision != Failed
}

// wentOut stores the result of a message that the provider accepted.
func (in *InboundBatch) wentOut(t *BatchConversation, m *Message, done *SendDone) error {
	result := done.Result
	if err := in.report(t, m, result.ExternalID, statusReport{Status: provider.StatusSent, At: in.Tx.Now}); err != nil {
		return err
	}
	if t.Contact != nil {
		for _, id := range identitiesOf(provider.Person{WAID: result.WAID, UserID: result.UserID}) {
			in.Tx.Later(linkIdentity, t.Company, *t.Contact, id.kind, id.value)
		}
	}
	if job := &done.Job; job.media != nil && result.MediaID != "" && (job.Out.Media == nil || job.Out.Media.ProviderID != result.MediaID) {
		// It need not be uploaded again.
		in.Tx.Later(`UPDATE media SET channel = $3, provider_id = $4, provider_at = $5 WHERE company = $1 AND id = $2`,
			m.Company, *job.media, in.Channel.ID, result.MediaID, in.Tx.Now)
	}
	return in.settleEarly(t, m)
}

// disconnectFor disconnects the channel because sending failed with cause. Its queue waits until it is connected again.
func (in *InboundBatch) disconnectFor(cause error) {
	failure, known := errors.AsType[*provider.SendError](cause)
	if !known || in.Channel.Status == channels.ChannelDisconnected {
		return
	}
	reason := failure.Reason()
	in.Channel.Status = channels.ChannelDisconnected
	channels.SetChannelStatus(in.Tx, in.Channel.Company, in.Channel.ID, channels.ChannelDisconnected, &reason)
	channels.AuditDisconnected(in.Tx, in.Channel.Company, in.Channel.ID, in.Channel.Name, nil, reason)
	id := in.Channel.ID
	in.Tx.AfterCommit(func() {
		in.d.Log.Error("a channel was disconnected: its provider refuses it", slog.String("channel", id.String()), slog.Any("error", failure))
	})
}

// status applies a provider's report about a sent message. The report contains the provider's id of the message or the id that
// was sent along with it. A report about an unknown message is kept until the message is stored.
func (in *InboundBatch) status(s *provider.IncomingStatus) error {
	if reaction, err := in.reactionStatus(s); err != nil || reaction {
		return err
	}
	ours, _ := kernel.ParseID(s.ClientID)
	t, m, err := in.lockMessage(s.ExternalID, ours)
	if err != nil {
		return err
	}
	report := statusReport{Status: s.Status, Error: s.Error, At: moment(s.At, in.Tx.Now), Pricing: s.Pricing}
	if m == nil {
		erased, err := in.d.erasedSince(in.Tx, &in.Channel, s.Recipient, report.At)
		if err == nil && !erased {
			in.parkStatus(s.ExternalID, report)
		}
		return err
	}
	return in.report(t, m, s.ExternalID, report)
}

// locked returns the batch entry for a conversation, locking it on first use. It returns nil if there is no such conversation.
func (in *InboundBatch) locked(conversation kernel.ID) (*BatchConversation, error) {
	if t := in.conversations[conversation]; t != nil {
		return t, nil
	}
	c, found, err := LockConversation(in.Tx, in.Channel.Company, conversation)
	if err != nil || !found {
		return nil, err
	}
	return in.hold(in.d.Locked(in.Tx, c)), nil
}

// statusReport is a status of a sent message. It may arrive before the external id of its message is stored.
type statusReport struct {
	Status  string
	Error   *provider.Reason
	At      time.Time
	Pricing *provider.Pricing // nil: not reported
	History bool              // imported, so it emits no event unless the message was not known to be sent
}

// report applies a status to a message of a locked conversation and stores the external id. The status only moves forward.
// message.sent is emitted once, when the message is first known to be sent, and message.updated for other status changes; a price
// alone emits nothing.
func (in *InboundBatch) report(t *BatchConversation, m *Message, external string, s statusReport) error {
	hadLeft := m.Left()
	isNew := m.ExternalID == nil && external != "" && m.Direction == provider.Outbound
	if isNew {
		_, _, taken, err := in.stored(external) // by another message
		if err != nil {
			return err
		}
		isNew = !taken
	}
	advanced := m.Advance(s.Status, s.At, s.Error)
	if isNew {
		m.ExternalID = &external
	}
	priced, err := in.price(t, m, s.Pricing)
	if err != nil || !isNew && !advanced && !priced {
		return err
	}
	saveMessageStatus(in.Tx, m)
	t.showStatus(m)
	if !hadLeft {
		deleteSend(in.Tx, m.Company, m.ID)
	}
	if hadLeft || !m.Left() {
		if !advanced || s.History {
			return nil
		}
		t.silent = false
		if m.Status == provider.StatusFailed {
			if err := t.notifyFailed(m); err != nil {
				return err
			}
		}
		return t.emitUpdated(m, "status")
	}
	t.changed, t.emits, t.silent = true, true, false
	return t.emitWith(EventMessageSent, "message", m)
}

// settleEarly applies the reports that arrived before the external id of their message was stored.
func (in *InboundBatch) settleEarly(t *BatchConversation, m *Message) error {
	if m.ExternalID == nil {
		return nil
	}
	early, err := in.takeStatuses(*m.ExternalID)
	for _, s := range early {
		if err == nil {
			err = in.report(t, m, *m.ExternalID, s)
		}
	}
	return err
}

const (
	sendSlots = 64 // concurrent calls to providers
	sendEach  = 16 // per channel

	sendPoll   = time.Second           // between polls, beside the wakeup
	sendLease  = 20 * time.Second      // the default
	sendIdle   = 5 * time.Second       // without work before a lease is released
	sendPace   = 50 * time.Millisecond // before a provider at its rate limit is asked again, so that messages gather
	sendGrace  = 10 * time.Second      // for running calls when the server stops
	sendSettle = 5 * time.Second       // between searches for reports that missed their message
)

// Provider returns the senders of channels; see channels.Providers.
type Provider interface {
	For(ctx context.Context, company, channel kernel.ID) (channels.NumberSender, error)
	Free(channel kernel.ID) (n int, wait time.Duration)
	Here(channel kernel.ID) bool
}

// SendLoop sends queued messages. For each channel one node marks due messages as being sent, passes them to the provider
// outside of any transaction, and stores the results. Messages of a conversation are sent in order; conversations and channels
// do not wait for each other.
type SendLoop struct {
	Desk     *Talk
	Provider Provider
	Logger   *slog.Logger
	Lease    time.Duration // default: 20 seconds

	begun     bool
	settled   time.Time
	companies sync.Map // dueChannel by id, for the channels that Due has returned
}

// Run sends messages until ctx is done. It then waits a while for running calls and stores their results.
func (s *SendLoop) Run(ctx context.Context) {
	if s.Lease <= 0 {
		s.Lease = sendLease
	}
	jobs.NewPool(s, jobs.Options[SendDone]{
		Name: "sends", Logger: s.Logger, Slots: jobs.SlotLimits{All: sendSlots, Group: sendEach},
		Poll: sendPoll, Idle: sendIdle, Grace: sendGrace,
		Leases: channelLeases{jobs.StoredLeases{Desk: s.Desk.Kernel, Kind: leaseChannel, Wake: ChannelSend}, s}, Lease: s.Lease,
		Signal: s.Desk.Wakeup(channels.WakeSend).C,
		Listen: func(ctx context.Context) {
			s.Desk.Store.Listen(ctx, ChannelSend, func(string) { s.Desk.Wakeup(channels.WakeSend).Notify() })
		},
	}).Run(ctx)
}

// Due returns the channels with due messages.
func (s *SendLoop) Due(ctx context.Context, owner kernel.ID) (channels []kernel.ID, next time.Duration, err error) {
	if !s.begun && s.Desk.SingleNode() { // the leases of earlier processes
		err := s.Desk.Store.Write(ctx, func(tx *kernel.Tx) error {
			tx.ReleaseLeases(kernel.ID{})
			return nil
		})
		if err != nil {
			return nil, 0, err
		}
	}
	s.begun = true
	if now := time.Now(); now.Sub(s.settled) >= sendSettle {
		if err := s.Desk.SettleEarly(ctx); err != nil {
			return nil, 0, err
		}
		s.settled = now
	}
	due, err := s.Desk.ChannelsToSend(ctx, owner)
	for _, ch := range due {
		if ch.linked && !s.Provider.Here(ch.id) {
			continue
		}
		s.companies.Store(ch.id, ch)
		channels = append(channels, ch.id)
	}
	return channels, 0, err
}

func (s *SendLoop) due(channel kernel.ID) dueChannel {
	due, _ := s.companies.Load(channel)
	return due.(dueChannel)
}

// Open returns the work of one channel.
func (s *SendLoop) Open(channel kernel.ID) jobs.Subject[SendJob, SendDone] {
	due := s.due(channel)
	return &channelWork{s: s, company: due.company, id: channel, linked: due.linked}
}

type channelLeases struct {
	jobs.StoredLeases
	loop *SendLoop
}

// Take takes the lease of a channel; see TakeSendLease.
func (l channelLeases) Take(ctx context.Context, channel, owner kernel.ID, length time.Duration) (int64, bool, error) {
	lease, taken, err := l.loop.Desk.TakeSendLease(ctx, l.loop.due(channel).company, channel, owner, length)
	return lease.Epoch, taken, err
}

// channelWork sends for one channel.
type channelWork struct {
	s       *SendLoop
	company kernel.ID
	id      kernel.ID
	free    int           // messages that the provider accepts now
	wait    time.Duration // until it accepts more
	linked  bool          // the number is connected to one node
	unclear bool          // the last step may have marked messages that are not in hand
}

// Free returns how many messages the provider accepts, up to the limit of a channel.
func (c *channelWork) Free(running int) (int, time.Duration) {
	c.free, c.wait = c.s.Provider.Free(c.id)
	c.wait = max(c.wait, sendPace)
	if own := sendEach - running; own < c.free {
		return own, 0
	}
	return c.free, c.wait
}

// Group returns the channel, so that each channel has its own share of the slots.
func (c *channelWork) Group() (group kernel.ID, unproven bool) { return c.id, false }

// Step stores results and marks messages as being sent. After a step with an unknown commit result it first calls ReclaimSends.
func (c *channelWork) Step(ctx context.Context, step jobs.Step[SendDone]) (claimed jobs.Claimed[SendJob], err error) {
	lease, owner := jobs.DeskLease(step.Lease), step.Lease.Owner
	if c.unclear {
		if err := c.s.Desk.ReclaimSends(ctx, c.company, lease, owner, step.InHand); err != nil {
			return claimed, err
		}
		c.unclear = false
	}
	elsewhere := c.linked && !c.s.Provider.Here(c.id)
	if elsewhere {
		step.Limit = 0
	}
	sent, err := c.s.Desk.SendStep(ctx, c.company, lease, owner, c.s.Lease, step.Results, step.Limit)
	c.unclear = kernel.CodeOf(err) == kernel.CodeUncertain
	if err != nil {
		return claimed, err
	}
	claimed = jobs.Claimed[SendJob]{Jobs: sent.Jobs, Lease: jobs.LeaseRenewed}
	if elsewhere && sent.Held && len(step.InHand) <= len(step.Results) { // the node with the connection sends the rest
		err := c.s.Desk.Store.Write(ctx, func(tx *kernel.Tx) error {
			tx.ReleaseLease(lease, owner)
			return nil
		})
		if err != nil {
			return claimed, err
		}
		sent.Held = false
	}
	if !sent.Held {
		claimed.Lease = jobs.LeaseLost
	}
	if sent.Next != nil {
		claimed.Next = max(sent.Next.Sub(c.s.Desk.Now()), time.Millisecond)
	}
	switch full := len(sent.Jobs) == step.Limit; {
	case full && step.Limit == c.free && claimed.Next > 0: // there may be more than the provider accepts
		claimed.Next = min(claimed.Next, c.wait)
	case full && step.Limit == c.free:
		claimed.Next = c.wait
	default:
		claimed.More = full
	}
	return claimed, nil
}

// Attempt sends one message. After a panic it is unknown whether it was sent.
func (c *channelWork) Attempt(ctx context.Context, held jobs.Held, job SendJob) (done SendDone, record bool, err error) {
	done.Job, record = job, true
	defer func() {
		if p := recover(); p != nil {
			done.Err = fmt.Errorf("talk: panic while sending: %v", p)
		}
	}()
	sender, err := c.s.Provider.For(ctx, c.company, c.id)
	if err != nil {
		if _, known := errors.AsType[*provider.SendError](err); !known {
			err = &provider.SendError{
				Code: provider.CodeProviderUnavailable, Message: "The provider of this channel cannot be used at the moment.", Retry: true, Cause: err,
			}
		}
		done.Err = err
		return done, true, nil
	}
	if job.tooLate {
		done.Err = errTooLate
		return done, true, nil
	}
	// A process that was suspended beyond its lease must not send: the next owner has marked the message as uncertain.
	job.Out.Expired = held.Expired
	done.Result, done.Err = sender.Send(ctx, job.Out)
	return done, true, nil
}

// Finished does nothing.
func (c *channelWork) Finished(SendDone) {}

// Close does nothing.
func (c *channelWork) Close() {}

// sendRetries are the delays before each further attempt to send a message that was certainly not sent. Later messages of the
// conversation wait too.
var sendRetries = kernel.Retries{2 * time.Second, 5 * time.Second, 15 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute}

const (
	maxUnreachable = 24 * time.Hour // a message fails if its provider cannot be reached for so long
	maxSendPause   = time.Minute    // between attempts
)

// Decision is what to do with a message after a failed attempt.
type Decision int

// The decisions.
const (
	Failed Decision = iota // it fails permanently
	Again                  // it is retried after a delay
	Held                   // it waits until its channel is connected again
)

// NextSend is a decision with its details.
type NextSend struct {
	Decision Decision
	Wait     time.Duration    // of Again
	Reason   *provider.Reason // of Failed
}

// retrySend decides what to do with a message of the given age after a failed attempt. If cause is not a *provider.SendError, the
// message may have been sent, so it is never sent again.
func retrySend(cause error, attempts int, age time.Duration) NextSend {
	failure, known := errors.AsType[*provider.SendError](cause)
	if !known || failure.Fate == provider.Uncertain {
		return NextSend{Reason: UncertainError()}
	}
	wait, again := sendRetries.Next(attempts)
	switch {
	case failure.Disconnect:
		return NextSend{Decision: Held}
	case failure.Unreachable() && (age < maxUnreachable || failure.Offline):
		if !again {
			wait = maxSendPause
		}
		return NextSend{Decision: Again, Wait: max(min(wait, maxSendPause), failure.RetryAfter)}
	case failure.Unreachable():
		reason := failure.Reason()
		reason.Message = "The provider could not be reached for 24 hours. The message was not sent."
		return NextSend{Reason: &reason}
	case failure.Retry && (again || failure.Code == string(kernel.CodeRateLimited)): // rate limits are retried forever
		return NextSend{Decision: Again, Wait: max(wait, failure.RetryAfter, time.Second)}
	}
	reason := failure.Reason()
	return NextSend{Reason: &reason}
}

// retryReaction is retrySend for a reaction. One that may have been sent is retried, because sending it twice is harmless.
func retryReaction(cause error, attempts int, age time.Duration) NextSend {
	next := retrySend(cause, attempts, age)
	if next.Decision == Failed && next.Reason.Code == ErrorUncertain {
		if wait, again := sendRetries.Next(attempts); again {
			return NextSend{Decision: Again, Wait: wait}
		}
	}
	return next
}

const (
	archiveTimeout = 3 * time.Second // how long archiving a channel waits for its queue to be failed
	failedInStep   = 100             // messages failed per transaction
)

// failQueue fails the queued messages of an archived channel until archiveTimeout. FailArchived does the rest.
func (d *Talk) failQueue(ctx context.Context, company, channel kernel.ID) {
	for end := time.Now().Add(archiveTimeout); time.Now().Before(end) && d.failBatch(ctx, company, channel); {
	}
}

// FailArchived fails a batch of queued messages of each archived channel and reports whether there are more.
func (d *Talk) FailArchived(ctx context.Context) (more bool, err error) {
	channels, err := kernel.ReadOne(ctx, d.Kernel, archivedWithSends)
	for _, ch := range channels {
		more = d.failBatch(ctx, ch.company, ch.id) || more
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
		queued, err := listSends(tx, company, channel, `state = 'queued' ORDER BY conversation, seq LIMIT $3`, failedInStep)
		if err != nil {
			return false, err
		}
		in := d.inboundBatch(tx, ch)
		for _, job := range queued {
			if err := in.failQueued(job); err != nil {
				return false, err
			}
		}
		held, err := tx.IDs(`SELECT message FROM held_messages WHERE company = $1 AND channel = $2 ORDER BY message LIMIT $3`,
			company, channel, failedInStep)
		if err != nil {
			return false, err
		}
		for _, id := range held {
			t, m, err := in.lockMessage("", id)
			if err == nil && m != nil {
				err = t.failHeld(m, errArchived())
			}
			if err != nil {
				return false, err
			}
		}
		return max(len(queued), len(held)) == failedInStep, in.finish()
	})
	if err != nil {
		d.Log.Warn("could not fail queued messages of an archived channel", slog.String("channel", channel.String()), slog.Any("error", err))
	}
	return more && err == nil
}

// failQueued fails a queued message of an archived channel. A reaction is only deleted.
func (in *InboundBatch) failQueued(job Queued) error {
	t, m, err := in.lockMessage("", job.Message)
	if err != nil {
		return err
	}
	if m == nil && job.Change != "" {
		if t, err = in.locked(job.Conversation); err != nil || t == nil {
			return err
		}
		return in.changeRefused(t, job)
	}
	if m == nil {
		deleteSend(in.Tx, job.Company, job.Message)
		return nil
	}
	return in.failArchived(t, m)
}

// failArchived fails a message whose channel was archived before it was sent.
func (in *InboundBatch) failArchived(t *BatchConversation, m *Message) error {
	reason := errArchived()
	return in.report(t, m, "", statusReport{Status: provider.StatusFailed, Error: &reason, At: in.Tx.Now})
}

func errArchived() provider.Reason {
	return provider.NewReason(string(kernel.CodeChannelArchived), "The channel was archived before the message was sent.")
}
