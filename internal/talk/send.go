package talk

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/jobs"
	"recado/internal/kernel"
	"recado/internal/phone"
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

// BeginSending prepares sending when the process starts. On a single node it releases the leases of earlier processes.
func (d *Talk) BeginSending(ctx context.Context) error {
	if !d.SingleNode() {
		return nil
	}
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		tx.ReleaseLeases(kernel.ID{})
		return nil
	})
}

// The names of the wakeups for the loops that send messages, fetch files and index texts.
const (
	WakeSend  = "send"
	WakeFetch = "fetch"
	WakeIndex = "index"
)

// sendAgain sends the queued messages of a channel that was connected again.
func (d *Talk) sendAgain(tx *kernel.Tx, ch *channels.Channel) {
	makeSendsDue(tx, ch.Company, ch.ID)
	tx.AfterCommit(d.notifySend)
}

func (d *Talk) notifySend() {
	d.Wakeup(WakeSend).Notify()
	d.Store.Notify(ChannelSend, "")
}

// ChannelsToSend lists the connected channels with due messages, except those whose lease another node holds.
func (d *Talk) ChannelsToSend(ctx context.Context, owner kernel.ID) ([]rowAt, error) {
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) ([]rowAt, error) { return channelsToSend(tx, owner) })
}

// TakeSendLease takes the lease of a channel for owner. It returns false while another node holds it. Messages that the
// previous owner was sending are marked as uncertain and never sent again.
func (d *Talk) TakeSendLease(
	ctx context.Context, company, channel, owner kernel.ID, length time.Duration,
) (lease kernel.Lease, taken bool, err error) {
	err = d.Store.Write(ctx, func(tx *kernel.Tx) (err error) {
		tx.LockSeveral(channel)
		if lease, taken, err = tx.TakeLease(leaseChannel, channel, owner, length); err != nil || !taken {
			return err
		}
		left, err := leftInTheMiddle(tx, company, lease)
		if err != nil || len(left) == 0 {
			return err
		}
		done := make([]SendDone, len(left))
		for i, q := range left {
			done[i] = SendDone{Job: SendJob{queued: q}, Err: errLeftInTheMiddle}
		}
		_, err = d.recordSends(tx, company, kernel.Lease{Subject: channel}, done)
		return err
	})
	return lease, taken, err
}

var errLeftInTheMiddle = errors.New("talk: the process that was sending this message ended")

// SendStep stores the results of jobs, renews the lease, and marks up to limit due messages as being sent, in one transaction.
// At most one message of a conversation is being sent at a time.
func (d *Talk) SendStep(
	ctx context.Context, company kernel.ID, lease kernel.Lease, owner kernel.ID, length time.Duration, done []SendDone, limit int,
) (ClaimedSends, error) {
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (ClaimedSends, error) {
		if len(done) > 1 {
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
			jobs, err := startSends(tx, company, lease, limit)
			if err != nil {
				return step, err
			}
			for _, j := range jobs {
				step.Jobs = append(step.Jobs, d.sendJob(tx, j))
			}
		}
		step.Next, err = nextSend(tx, company, lease.Subject)
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
		marked, err := beingSent(tx, company, lease)
		for _, message := range marked {
			if _, found := inHand[message]; !found {
				unmarkSend(tx, company, message)
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
		return in.reactionDone(t, lease, job, done.Err)
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
	if !errors.Is(done.Err, errLeftInTheMiddle) {
		if sending, err := stillSending(in.Tx, m.Company, lease, m.ID); err != nil || !sending {
			return err
		}
	}
	return in.notSent(t, &m, done.Err, int(job.Attempts)+1)
}

// notSent requeues or fails a message that was not sent, or perhaps not; see retrySend.
func (in *InboundBatch) notSent(t *BatchConversation, m *Message, cause error, attempts int) error {
	now := in.Tx.Now
	next := retrySend(cause, attempts, now.Sub(m.CreatedAt))
	if in.Channel.ArchivedAt != nil && (next.Decision == Again || next.Decision == Held) {
		return in.failArchived(t, m)
	}
	switch next.Decision {
	case Again:
		requeueSend(in.Tx, m.Company, m.ID, now.Add(next.Wait))
		return nil
	case Held:
		in.disconnectFor(cause)
		requeueSend(in.Tx, m.Company, m.ID, now)
		return nil
	}
	return in.report(t, m, "", EarlyStatus{Status: provider.StatusFailed, Error: next.Reason, At: now})
}

// wentOut stores the result of a message that the provider accepted.
func (in *InboundBatch) wentOut(t *BatchConversation, m *Message, done *SendDone) error {
	result := done.Result
	if err := in.report(t, m, result.ExternalID, EarlyStatus{Status: provider.StatusSent, At: in.Tx.Now}); err != nil {
		return err
	}
	if t.Contact != nil {
		for _, id := range identitiesOf(provider.Person{WAID: result.WAID, UserID: result.UserID}) {
			linkIdentity(in.Tx, t.Company, id.kind, id.value, *t.Contact)
		}
	}
	if job := &done.Job; job.media != nil && result.MediaID != "" && (job.Out.Media == nil || job.Out.Media.ProviderID != result.MediaID) {
		keepProviderMedia(in.Tx, m.Company, *job.media, in.Channel.ID, result.MediaID)
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
	id := in.Channel.ID
	in.Tx.AfterCommit(func() {
		in.d.Log.Error("a channel was disconnected: its provider refuses it", slog.String("channel", id.String()), slog.Any("error", failure))
	})
}

// SendJob is a message that is marked as being sent. It is passed to the provider once; SendStep stores the result.
type SendJob struct {
	Out provider.Outgoing

	queued Queued
	media  *kernel.ID
}

// JobID returns the id of the message.
func (j SendJob) JobID() kernel.ID { return j.queued.Message }

// providerMediaLife is how long an upload to a provider is used again. WhatsApp keeps files for 30 days.
const providerMediaLife = 25 * 24 * time.Hour

func (d *Talk) sendJob(tx *kernel.Tx, j Job) SendJob {
	out := provider.Outgoing{ClientID: j.Message.String(), To: receiver(j)}
	if j.GroupID != nil {
		out.GroupID, out.To = *j.GroupID, provider.Person{}
	}
	kernel.Set(&out.Text, j.Text)
	kernel.Set(&out.ReplyTo, j.ReplyTo)
	if j.ReactsTo != nil {
		out.ClientID, out.Reaction = reactionClientID(*j.ReactsTo, j.Message), j.Reaction
	}
	out.Interactive = j.Interactive
	if j.Template != nil {
		out.Template = &provider.Template{}
		if err := json.Unmarshal([]byte(*j.Template), out.Template); err != nil {
			d.Log.Error("a stored template cannot be decoded", slog.String("message", j.Message.String()), slog.Any("error", err))
		}
		out.Text = ""
	}
	job := SendJob{Out: out, queued: j.Queued}
	if m := j.Media; m != nil {
		job.media = &m.ID
		job.Out.Media = &provider.OutgoingMedia{
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

// receiver returns the contact. It prefers the WhatsApp id of the current phone number.
func receiver(j Job) provider.Person {
	var p provider.Person
	kernel.Set(&p.Phone, j.Phone)
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

// status applies a provider's report about a sent message. The report contains the provider's id of the message or the id that
// was sent along with it. A report about an unknown message is kept until the message is stored.
func (in *InboundBatch) status(s *provider.IncomingStatus) error {
	if reaction, err := in.reactionStatus(s); err != nil || reaction {
		return err
	}
	at := moment(s.At, in.Tx.Now)
	conversation, found, err := conversationOfExternalID(in.Tx, in.Channel.Company, in.Channel.ID, s.ExternalID)
	if err != nil {
		return err
	}
	ours, isOurs := kernel.ParseID(s.ClientID)
	if !found && isOurs {
		if conversation, found, err = conversationOfMessage(in.Tx, in.Channel.Company, in.Channel.ID, ours); err != nil {
			return err
		}
	}
	if !found {
		parkStatus(in.Tx, in.Channel.Company, in.Channel.ID, s.ExternalID, EarlyStatus{Status: s.Status, Error: s.Error, At: at})
		return nil
	}
	t, err := in.locked(conversation)
	if err != nil || t == nil {
		return err
	}
	m, found, err := messageWithExternalID(in.Tx, in.Channel.Company, in.Channel.ID, s.ExternalID)
	if err == nil && !found && isOurs {
		m, _, found, err = findMessage(in.Tx, in.Channel.Company, ours)
	}
	if err != nil || !found {
		return err
	}
	return in.report(t, &m, s.ExternalID, EarlyStatus{Status: s.Status, Error: s.Error, At: at})
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

// report applies a status to a message of a locked conversation and stores the external id. The status only moves forward.
// message.sent is emitted once, when the message is first known to be sent, and message.updated for other status changes.
func (in *InboundBatch) report(t *BatchConversation, m *Message, external string, s EarlyStatus) error {
	hadLeft := m.Left()
	isNew, err := in.isNewExternalID(m, external)
	if err != nil {
		return err
	}
	advanced := m.Advance(s.Status, s.At, s.Error)
	if isNew {
		m.ExternalID = &external
	}
	if !isNew && !advanced {
		return nil
	}
	saveMessageStatus(in.Tx, m)
	t.showStatus(m)
	if !hadLeft {
		deleteSend(in.Tx, m.Company, m.ID)
	}
	if hadLeft || !m.Left() {
		if !advanced {
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

// isNewExternalID reports whether m has no external id yet and no other message has this one.
func (in *InboundBatch) isNewExternalID(m *Message, external string) (bool, error) {
	if m.ExternalID != nil || external == "" || m.Direction != provider.Outbound {
		return false, nil
	}
	_, taken, err := conversationOfExternalID(in.Tx, in.Channel.Company, in.Channel.ID, external)
	return !taken, err
}

// settleEarly applies the reports that arrived before the external id of their message was stored.
func (in *InboundBatch) settleEarly(t *BatchConversation, m *Message) error {
	if m.ExternalID == nil {
		return nil
	}
	early, err := takeEarlyStatuses(in.Tx, in.Channel.Company, in.Channel.ID, *m.ExternalID)
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

// Provider returns the senders of channels.
type Provider interface {
	For(ctx context.Context, company, channel kernel.ID) (channels.NumberSender, error)
	// Free returns how many messages the channel may send now, and the time until it may send one more. Other messages stay in
	// the queue, where a crash does not make them uncertain.
	Free(channel kernel.ID) (n int, wait time.Duration)
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
	companies sync.Map // by channel, for the channels that Due has returned
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
		Signal: s.Desk.Wakeup(WakeSend).C,
		Listen: func(ctx context.Context) {
			s.Desk.Store.Listen(ctx, ChannelSend, func(string) { s.Desk.Wakeup(WakeSend).Notify() })
		},
	}).Run(ctx)
}

// Due returns the channels with due messages.
func (s *SendLoop) Due(ctx context.Context, owner kernel.ID) (channels []kernel.ID, next time.Duration, err error) {
	if !s.begun {
		if err := s.Desk.BeginSending(ctx); err != nil {
			return nil, 0, err
		}
		s.begun = true
	}
	if now := time.Now(); now.Sub(s.settled) >= sendSettle {
		if err := s.Desk.SettleEarly(ctx); err != nil {
			return nil, 0, err
		}
		s.settled = now
	}
	due, err := s.Desk.ChannelsToSend(ctx, owner)
	for _, ch := range due {
		s.companies.Store(ch.id, ch.company)
		channels = append(channels, ch.id)
	}
	return channels, 0, err
}

func (s *SendLoop) company(channel kernel.ID) kernel.ID {
	company, _ := s.companies.Load(channel)
	return company.(kernel.ID)
}

// Open returns the work of one channel.
func (s *SendLoop) Open(channel kernel.ID) jobs.Subject[SendJob, SendDone] {
	return &channelWork{s: s, company: s.company(channel), id: channel}
}

type channelLeases struct {
	jobs.StoredLeases
	loop *SendLoop
}

// Take takes the lease of a channel; see TakeSendLease.
func (l channelLeases) Take(ctx context.Context, channel, owner kernel.ID, length time.Duration) (int64, bool, error) {
	lease, taken, err := l.loop.Desk.TakeSendLease(ctx, l.loop.company(channel), channel, owner, length)
	return lease.Epoch, taken, err
}
