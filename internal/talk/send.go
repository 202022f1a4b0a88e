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

// SendDone is what came of a job. Err is nil or, for whatever is known about the failure, a
// *provider.SendError; any other error leaves the message's fate unknown.
type SendDone struct {
	Job    SendJob
	Result provider.SendResult
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
func (d *Talk) BeginSending(ctx context.Context) error {
	if !d.SingleNode() {
		return nil
	}
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		tx.ReleaseLeases(kernel.ID{})
		return nil
	})
}

// ListenSend notifies this node's loop when another node has something to send, until ctx ends.
func (d *Talk) ListenSend(ctx context.Context) {
	d.Store.Listen(ctx, ChannelSend, func(string) { d.Wakeup(WakeSend).Notify() })
}

// What wakes the loops that send messages, fetch files and index texts for search.
const (
	WakeSend  = "send"
	WakeFetch = "fetch"
	WakeIndex = "index"
)

// sendAgain makes the messages due that waited for a channel to be connected.
func (d *Talk) sendAgain(tx *kernel.Tx, ch *channels.Channel) {
	makeSendsDue(tx, ch.Company, ch.ID)
	tx.AfterCommit(d.notifySend)
}

// notifySend wakes the loops that send, on this node and on the others.
func (d *Talk) notifySend() {
	d.Wakeup(WakeSend).Notify()
	d.Store.Notify(ChannelSend, "")
}

// ChannelsToSend lists the connected channels that have something due, except those whose lease another
// node than owner holds.
func (d *Talk) ChannelsToSend(ctx context.Context, owner kernel.ID) ([]rowAt, error) {
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) ([]rowAt, error) { return channelsToSend(tx, owner) })
}

// TakeSendLease makes owner the one who sends for a channel; it reports false while another node does.
// What an earlier owner left in the middle ends uncertain and is never sent again.
func (d *Talk) TakeSendLease(ctx context.Context, company, channel, owner kernel.ID, length time.Duration) (lease kernel.Lease, taken bool, err error) {
	_, err = kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (_ struct{}, err error) {
		tx.LockSeveral(channel)
		if lease, taken, err = tx.TakeLease(leaseChannel, channel, owner, length); err != nil || !taken {
			return struct{}{}, err
		}
		left, err := leftInTheMiddle(tx, company, lease)
		if err != nil || len(left) == 0 {
			return struct{}{}, err
		}
		done := make([]SendDone, len(left))
		for i, q := range left {
			done[i] = SendDone{Job: SendJob{queued: q}, Err: errLeftInTheMiddle}
		}
		_, err = d.recordSends(tx, company, kernel.Lease{Subject: channel}, done)
		return struct{}{}, err
	})
	return lease, taken, err
}

var errLeftInTheMiddle = errors.New("talk: the process that was sending this message ended")

// SendStep records the results of jobs, keeps the lease, and marks up to limit due messages as being
// sent, all in one transaction. At most one message of a conversation is under way at a time.
func (d *Talk) SendStep(ctx context.Context, company kernel.ID, lease kernel.Lease, owner kernel.ID, length time.Duration, done []SendDone, limit int) (ClaimedSends, error) {
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (ClaimedSends, error) {
		if len(done) > 1 {
			tx.LockSeveral(lease.Subject)
		}
		held, taken, err := tx.TakeLease(leaseChannel, lease.Subject, owner, length)
		if err != nil {
			return ClaimedSends{}, err
		}
		step := ClaimedSends{Held: taken && held.Epoch == lease.Epoch}
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

// ReclaimSends puts back in the queue what is marked as being sent under this lease and is not in hand: a
// step whose commit got no answer marked it, and no worker was told to send it.
func (d *Talk) ReclaimSends(ctx context.Context, company kernel.ID, lease kernel.Lease, owner kernel.ID, inHand map[kernel.ID]struct{}) error {
	_, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		held, err := tx.HoldsLease(lease, owner)
		if err != nil || !held { // the present holder has settled them
			return struct{}{}, err
		}
		marked, err := beingSent(tx, company, lease)
		for _, message := range marked {
			if _, mine := inHand[message]; !mine {
				unmarkSend(tx, company, message)
			}
		}
		return struct{}{}, err
	})
	return err
}

// recordSends writes results down. A caller with several results has called LockSeveral. It reports whether the channel is connected.
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

// sendDone settles one message, or puts it back in the queue.
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
	// A report of the provider may have settled it meanwhile, or another node may have given it up.
	if m.Status != provider.StatusQueued {
		return nil
	}
	if !errors.Is(done.Err, errLeftInTheMiddle) {
		if mine, err := stillSending(in.Tx, m.Company, lease, m.ID); err != nil || !mine {
			return err
		}
	}
	return in.notSent(t, &m, done.Err, int(job.Attempts)+1)
}

// notSent settles a message that did not go out, or for which that is not known, as retrySend says.
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

// wentOut notes what the provider said when it took a message.
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
	if done.Job.media != nil && result.MediaID != "" && (done.Job.Out.Media == nil || done.Job.Out.Media.ProviderID != result.MediaID) {
		keepProviderMedia(in.Tx, m.Company, *done.Job.media, in.Channel.ID, result.MediaID)
	}
	return in.settleEarly(t, m)
}

// disconnectFor disconnects the channel for the reason that a send failed with.
func (in *InboundBatch) disconnectFor(cause error) {
	if failure, known := errors.AsType[*provider.SendError](cause); known {
		in.disconnect(failure)
	}
}

// disconnect stops a channel that cannot send until a person acts. Its queue waits.
func (in *InboundBatch) disconnect(why *provider.SendError) {
	if in.Channel.Status == channels.ChannelDisconnected {
		return
	}
	reason := why.Reason()
	in.Channel.Status = channels.ChannelDisconnected
	channels.SetChannelStatus(in.Tx, in.Channel.Company, in.Channel.ID, channels.ChannelDisconnected, &reason)
	id := in.Channel.ID
	in.Tx.AfterCommit(func() {
		in.d.Log.Error("a channel was disconnected: its provider refuses it", slog.String("channel", id.String()), slog.Any("error", why))
	})
}

// SendJob is a message that is marked as being sent: it is handed to its provider once, and what came
// of it is reported with SendStep.
type SendJob struct {
	Out provider.Outgoing

	queued Queued
	media  *kernel.ID
}

// JobID is the id of the message.
func (j SendJob) JobID() kernel.ID { return j.queued.Message }

// providerMediaLife is how long a file once uploaded to a provider is counted on; WhatsApp keeps it for 30 days.
const providerMediaLife = 25 * 24 * time.Hour

// sendJob is what a provider needs to send a message.
func (d *Talk) sendJob(tx *kernel.Tx, j Job) SendJob {
	out := provider.Outgoing{ClientID: j.Message.String(), To: receiver(j)}
	if j.GroupID != nil {
		out.GroupID, out.To = *j.GroupID, provider.Person{}
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
		out.Template = &provider.Template{}
		if err := json.Unmarshal([]byte(*j.Template), out.Template); err != nil {
			d.Log.Error("a stored template cannot be read", slog.String("message", j.Message.String()), slog.Any("error", err))
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

// receiver prefers the id under which the provider knows the contact's present number.
func receiver(j Job) provider.Person {
	var p provider.Person
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
	Company    kernel.ID
	Channel    kernel.ID
	ExternalID string
}

// Receipts gives the loop that sends them what there is to send. They are not essential: those that
// find no free place, or are under way when the process ends, are lost.
func (d *Talk) Receipts() <-chan Receipt { return d.receipts }

// markReadAtProvider leaves a receipt for the customer's latest message once the conversation is known
// to be read. Groups have none.
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

// status takes a report about a message that was sent. It names the message by the provider's id, or by the id that
// was sent along with it; a report about an unknown message waits until the message is stored.
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

// locked opens a conversation of the channel by its id.
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

// report applies a status to a message of a locked conversation: forwards only. The message learns its
// external id; message.sent is raised once, when it is first known to have left, and message.updated when its
// status changes otherwise.
func (in *InboundBatch) report(t *BatchConversation, m *Message, external string, s EarlyStatus) error {
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
	saveMessageStatus(in.Tx, m)
	t.showStatus(m)
	if !had {
		deleteSend(in.Tx, m.Company, m.ID)
	}
	if had || !m.Left() {
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

// learns reports whether an external id is new to a message. One that another message has is not
// taken: it would be the provider's mistake.
func (in *InboundBatch) learns(m *Message, external string) (bool, error) {
	if m.ExternalID != nil || external == "" || m.Direction != provider.Outbound {
		return false, nil
	}
	_, taken, err := conversationOfExternalID(in.Tx, in.Channel.Company, in.Channel.ID, external)
	return !taken, err
}

// settleEarly applies the reports that came before their message knew its external id.
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
	sendSlots = 64 // calls to providers under way at once
	sendEach  = 16 // of one channel

	sendPoll   = time.Second           // beside the signal, and for retries
	sendLease  = 20 * time.Second      // the default
	sendIdle   = 5 * time.Second       // without work, before a lease is given up
	sendPace   = 50 * time.Millisecond // between looks at a provider that takes no more, so that some gather
	sendGrace  = 10 * time.Second      // for calls under way when the server stops
	sendSettle = 5 * time.Second       // between looks for reports that missed their message
)

// Provider gives the sender of a channel: what is known about reaching it right now.
type Provider interface {
	For(ctx context.Context, company, channel kernel.ID) (channels.NumberSender, error)
	// Free says how many messages the channel may send at this moment, and how long until one more
	// fits. What does not fit stays in the queue, where a crash cannot put it in doubt.
	Free(channel kernel.ID) (n int, wait time.Duration)
}

// SendLoop is the worker that brings queued messages to their providers: one subject for each channel that has
// something due, on one node, which marks messages as being sent, hands them over outside of any
// transaction, and records the results. Order is kept within a conversation; conversations
// and channels do not wait for each other.
type SendLoop struct {
	Desk     *Talk
	Provider Provider
	Logger   *slog.Logger
	Lease    time.Duration // default: 20 seconds

	begun     bool
	settled   time.Time
	companies sync.Map // of the channels that Due has listed: kernel.ID -> kernel.ID
}

// Run ends with ctx: calls under way get a while to finish, and what came of them is written.
func (s *SendLoop) Run(ctx context.Context) {
	if s.Lease <= 0 {
		s.Lease = sendLease
	}
	jobs.NewPool(s, jobs.Options[SendDone]{
		Name: "sends", Logger: s.Logger, Slots: jobs.SlotLimits{All: sendSlots, Group: sendEach},
		Poll: sendPoll, Idle: sendIdle, Grace: sendGrace,
		Leases: channelLeases{jobs.StoredLeases{Desk: s.Desk.Kernel, Kind: leaseChannel, Wake: ChannelSend}, s}, Lease: s.Lease,
		Signal: s.Desk.Wakeup(WakeSend).C, Listen: s.Desk.ListenSend,
	}).Run(ctx)
}

// Due lists the channels that have something to send.
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

// company returns the company of a channel that Due has listed.
func (s *SendLoop) company(channel kernel.ID) kernel.ID {
	company, _ := s.companies.Load(channel)
	return company.(kernel.ID)
}

// Open returns the work of one channel.
func (s *SendLoop) Open(channel kernel.ID) jobs.Subject[SendJob, SendDone] {
	return &channelWork{s: s, company: s.company(channel), id: channel}
}

// channelLeases are the leases of channels.
type channelLeases struct {
	jobs.StoredLeases
	loop *SendLoop
}

// Take takes the lease of a channel, and ends as uncertain what an earlier owner left in the middle.
func (l channelLeases) Take(ctx context.Context, channel, owner kernel.ID, length time.Duration) (int64, bool, error) {
	lease, taken, err := l.loop.Desk.TakeSendLease(ctx, l.loop.company(channel), channel, owner, length)
	return lease.Epoch, taken, err
}
