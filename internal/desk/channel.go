package desk

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"recado/internal/model"
	"recado/internal/phone"
	"recado/internal/store"
)

// NewChannel is what a channel is made of.
type NewChannel struct {
	Name     string
	Phone    string // of a WhatsApp number it may be empty: WhatsApp tells it
	Provider string
	Access   *model.Access // of a WhatsApp number
	Private  bool          // for the operator and for people who are signed in
}

// ChannelChange holds what is to change about a channel; nil fields stay.
type ChannelChange struct {
	Name        *string
	Status      *string // connected or disconnected
	Access      *AccessChange
	Coexistence *bool
	Sign        *bool // messages that people send in the app begin with their name
	Hours       model.Optional[model.ID]
	Private     *bool
	Viewers     *[]model.ID // of a private channel
	Confirm     bool        // a private channel may become public
}

// Channels lists the company's channels; private ones for their viewers alone.
func (d *Desk) Channels(ctx context.Context, a *Principal) ([]model.Channel, error) {
	if err := a.May(VerbChannels); err != nil {
		return nil, err
	}
	return read(ctx, d, func(tx *store.Tx) ([]model.Channel, error) {
		if len(a.Views) == 0 {
			return tx.Channels(a.Company.ID)
		}
		all, err := tx.AllChannels(a.Company.ID)
		return slices.DeleteFunc(all, func(ch model.Channel) bool { return !a.knows(ch) }), err
	})
}

// Channel gives one channel of the company; a private one for its viewers alone.
func (d *Desk) Channel(ctx context.Context, a *Principal, id model.ID) (model.Channel, error) {
	if err := a.May(VerbChannel); err != nil {
		return model.Channel{}, err
	}
	return readOne(ctx, d, func(tx *store.Tx) (model.Channel, error) { return d.channel(tx, a, id) })
}

// AllChannels lists the company's channels for the operator, private ones included.
func (d System) AllChannels(ctx context.Context, company model.ID) ([]model.Channel, error) {
	return read(ctx, d.Desk, func(tx *store.Tx) ([]model.Channel, error) { return tx.AllChannels(company) })
}

// Notices gives the newest of what the provider said of a channel that is neither message nor status.
func (d System) Notices(ctx context.Context, company, channel model.ID, limit int) ([]model.Notice, error) {
	return read(ctx, d.Desk, func(tx *store.Tx) ([]model.Notice, error) {
		if _, found, err := tx.Channel(company, channel); err != nil || !found {
			return nil, errOr(err, model.NotFound("channel"))
		}
		return tx.Notices(company, channel, limit)
	})
}

// CreateChannel adds a channel. One of provider sandbox is connected at once; a WhatsApp number once
// WhatsApp has accepted its credentials.
func (d *Desk) CreateChannel(ctx context.Context, a *Principal, in NewChannel) (model.Channel, error) {
	if err := a.May(VerbCreateChannel); err != nil {
		return model.Channel{}, err
	}
	name, invalid := model.Name("body.name", in.Name, model.MaxName)
	if invalid != nil {
		return model.Channel{}, invalid
	}
	if in.Private && a.kind == KindKey {
		return model.Channel{}, model.Invalid("body.private", "can only be set with a session: API keys do not see private channels")
	}
	in.Name = name
	switch in.Provider {
	case model.ProviderSandbox:
		return d.createSandbox(ctx, a, in)
	case model.ProviderWhatsApp:
		return d.connectNumber(ctx, a, in)
	}
	return model.Channel{}, model.Invalid("body.provider", "must be sandbox or whatsapp")
}

func (d *Desk) createSandbox(ctx context.Context, a *Principal, in NewChannel) (model.Channel, error) {
	if in.Access != nil {
		return model.Channel{}, model.Invalid("body.credentials", "must be absent for a sandbox")
	}
	phone, ok := phone.Normalize(in.Phone)
	if !ok {
		return model.Channel{}, errPhone("body.phone")
	}
	return writeAnswer(ctx, d, func(tx *store.Tx) (model.Channel, error) {
		ch := newChannel(tx, a, in, phone)
		if err := d.checkChannelLimit(tx, ch); err != nil {
			return ch, err
		}
		tx.InsertChannel(ch)
		return ch, d.firstViewer(tx, a, ch)
	})
}

// checkChannelLimit counts public and private channels apart: a refusal of a public one must not tell of private ones.
func (d *Desk) checkChannelLimit(tx *store.Tx, ch model.Channel) error {
	if ch.Private {
		return checkLimit(tx, ch.Company, store.CountPrivate, "private channels", d.limits.Channels)
	}
	return checkLimit(tx, ch.Company, store.CountChannels, "channels", d.limits.Channels)
}

func newChannel(tx *store.Tx, a *Principal, in NewChannel, phone string) model.Channel {
	return model.Channel{
		ID: model.NewID(), Company: a.Company.ID, Name: in.Name, Phone: phone, Provider: in.Provider,
		Status: model.ChannelConnected, Private: in.Private, CreatedAt: tx.Now,
	}
}

// UpdateChannel renames, disconnects and connects a channel, gives it new credentials, which connects it as well,
// and says who sees it. For a caller who does not see the channel afterwards it gives the viewers alone.
func (d *Desk) UpdateChannel(ctx context.Context, a *Principal, id model.ID, change ChannelChange) (model.Channel, *model.PrivateChannel, error) {
	if err := a.May(VerbUpdateChannel); err != nil {
		return model.Channel{}, nil, err
	}
	if change.Name != nil {
		clean, invalid := model.Name("body.name", *change.Name, model.MaxName)
		if invalid != nil {
			return model.Channel{}, nil, invalid
		}
		change.Name = &clean
	}
	if change.privacy() {
		if a.kind != KindSession {
			return model.Channel{}, nil, model.Invalid("body.private", "private and viewers can only be set with a session")
		}
		if err := a.need(model.RoleAdmin); err != nil {
			return model.Channel{}, nil, err
		}
	}
	return d.changeChannel(ctx, a, id, change)
}

// changeChannel makes all of a change in one transaction, after WhatsApp has accepted what it has to accept.
func (d *Desk) changeChannel(ctx context.Context, a *Principal, id model.ID, change ChannelChange) (ch model.Channel, unseen *model.PrivateChannel, err error) {
	var accessed model.Access
	var warning *string
	if change.properties() {
		if accessed, warning, err = d.checkProperties(ctx, a, id, change); err != nil {
			return ch, nil, err
		}
	}
	recount, end, err := d.recountPrivacy(ctx, a, id, change)
	if err != nil {
		return ch, nil, err
	}
	defer end()
	ch, err = write(ctx, d, func(tx *store.Tx) (ch model.Channel, err error) {
		unseen = nil
		if ch, err = d.lockChannel(tx, a, id, change); err != nil {
			return ch, err
		}
		if change.properties() {
			if err := d.setProperties(tx, a, &ch, change, accessed, warning); err != nil {
				return ch, err
			}
		}
		was := ch.Private
		if change.privacy() {
			unseen, err = d.setPrivacy(tx, a, &ch, change)
		}
		if err == nil && ch.Private != was {
			if recount == nil { // another call has just changed it back
				recount = newRecount(ch, ch.Private)
			}
			err = recount.finish(tx)
		}
		return ch, err
	})
	if err == nil && ch.Settling {
		if err := d.settleAll(ctx, ch.ID); err != nil { // the change stands, and the background goes on
			d.log.Warn("a number that became private or public is not settled yet", slog.String("channel", ch.ID.String()), slog.Any("error", err))
		}
	}
	if err == nil && ch.Provider == model.ProviderWhatsApp && change.connects() {
		d.callHere(ctx, &ch, accessed)
	}
	return ch, unseen, err
}

// recountPrivacy begins to count the report as it is when the channel has become private or public; nil: it stays as it is.
// The caller calls end after the change.
func (d *Desk) recountPrivacy(ctx context.Context, a *Principal, id model.ID, change ChannelChange) (r *recount, end func(), err error) {
	end = func() {}
	if change.Private == nil {
		return nil, end, nil
	}
	ch, err := readOne(ctx, d, func(tx *store.Tx) (model.Channel, error) {
		ch, _, err := tx.Channel(a.Company.ID, id)
		return ch, err
	})
	if err != nil || ch.ID.IsZero() || ch.Private == *change.Private {
		return nil, end, err
	}
	if ch.Private && !change.Confirm {
		return nil, end, model.Invalid("body.confirm", "must be true to make a private channel public: everybody will see its history")
	}
	if end, err = d.reports.budget.Begin(ctx, a.Company.ID); err != nil {
		return nil, func() {}, err
	}
	r = newRecount(ch, *change.Private)
	_, err = read(ctx, d, func(tx *store.Tx) (struct{}, error) {
		c, found, err := tx.Company(a.Company.ID)
		if err != nil || !found {
			return struct{}{}, errOr(err, model.NotFound("company"))
		}
		return struct{}{}, r.begin(tx, c.Timezone)
	})
	if err != nil {
		end()
	}
	return r, end, err
}

// newRecount counts the report for when a channel has become private or public.
func newRecount(ch model.Channel, private bool) *recount {
	r := &recount{Reported: store.Reported{Company: ch.Company, Shown: ch.ID}}
	if private {
		r.Shown, r.Hidden = model.ID{}, ch.ID
	}
	return r
}

// privacy reports whether the change says who sees the channel.
func (c ChannelChange) privacy() bool { return c.Private != nil || c.Viewers != nil }

// properties reports whether the change is about anything but privacy, which takes a caller who sees the channel. A
// change of nothing does, too.
func (c ChannelChange) properties() bool {
	return !c.privacy() || c.Name != nil || c.Status != nil || c.Access != nil || c.Coexistence != nil || c.Sign != nil || c.Hours.Set
}

// lockChannel gives the channel of a change. Owners and admins change the viewers of channels that they do not see.
func (d *Desk) lockChannel(tx *store.Tx, a *Principal, id model.ID, change ChannelChange) (model.Channel, error) {
	if change.Private != nil {
		tx.LockVisibility(a.Company.ID)
	}
	if change.privacy() {
		tx.LockCompany(a.Company.ID)
	}
	ch, found, err := tx.Channel(a.Company.ID, id)
	if err != nil || !found || change.properties() && !a.knows(ch) {
		return model.Channel{}, errOr(err, model.NotFound("channel"))
	}
	if ch.ArchivedAt != nil && change.properties() {
		return model.Channel{}, errChannelArchived()
	}
	return ch, nil
}

// checkProperties gives the access that a change results in, and what there is to warn of about the number then.
func (d *Desk) checkProperties(ctx context.Context, a *Principal, id model.ID, change ChannelChange) (model.Access, *string, error) {
	ch, access, err := d.channelAccess(ctx, a, id)
	if err != nil {
		return model.Access{}, nil, err
	}
	if ch.Provider != model.ProviderWhatsApp && (change.Access != nil || change.Coexistence != nil) {
		return model.Access{}, nil, model.Invalid("body.credentials", "are only for a WhatsApp number")
	}
	return d.checkChange(ctx, ch, access, change)
}

// setProperties writes all of a change but privacy.
func (d *Desk) setProperties(tx *store.Tx, a *Principal, ch *model.Channel, change ChannelChange, accessed model.Access, warning *string) error {
	if change.Name != nil {
		ch.Name = *change.Name
		tx.RenameChannel(a.Company.ID, ch.ID, ch.Name)
	}
	if change.Sign != nil {
		ch.Sign = *change.Sign
		tx.SignChannel(a.Company.ID, ch.ID, ch.Sign)
	}
	if change.Hours.Set {
		ch.HoursID = change.Hours.Pointer()
		if err := keepHours(tx, a.Company.ID, ch.HoursID); err != nil {
			return err
		}
		tx.SetChannelHours(a.Company.ID, ch.ID, ch.HoursID)
	}
	if change.Access != nil || change.Coexistence != nil {
		free, err := tx.SaveAccess(a.Company.ID, ch.ID, d.seal(*ch, accessed))
		if err == nil && !free {
			err = d.errNumberTaken(tx, a, accessed.PhoneNumberID)
		}
		if err != nil {
			return err
		}
	}
	d.setChannelStatus(tx, ch, change, warning)
	return nil
}

// connects reports whether the change leaves the channel connected that may not have been so before.
func (c ChannelChange) connects() bool {
	if c.Status != nil {
		return *c.Status == model.ChannelConnected
	}
	return c.Access != nil
}

// setChannelStatus connects or disconnects a channel where the change says so; warning is what there is to
// warn of about a number that is connected.
func (d *Desk) setChannelStatus(tx *store.Tx, ch *model.Channel, change ChannelChange, warning *string) {
	switch {
	case change.connects():
		ch.Status, ch.StatusReason = model.ChannelConnected, nil
	case change.Status != nil && ch.Status == model.ChannelConnected:
		ch.Status, ch.StatusReason = model.ChannelDisconnected, new("The team disconnected it.")
	default:
		return
	}
	ch.Warning = warning
	tx.WarnOfChannel(ch.Company, ch.ID, warning)
	tx.SetChannelStatus(ch.Company, ch.ID, ch.Status, ch.StatusReason)
	if ch.Status == model.ChannelConnected { // messages that waited can be sent now
		tx.MakeSendsDue(ch.ID)
		tx.AfterCommit(d.notifySend)
	}
}

// channel finds a channel that the principal may know of.
func (d *Desk) channel(tx *store.Tx, a *Principal, id model.ID) (model.Channel, error) {
	ch, found, err := tx.Channel(a.Company.ID, id)
	if err != nil || !found || !a.knows(ch) {
		return model.Channel{}, errOr(err, model.NotFound("channel"))
	}
	return ch, nil
}

// knows reports whether a channel exists for the principal: a private one does for the operator and for those
// who may view it.
func (a *Principal) knows(ch model.Channel) bool {
	return ch.Company == a.Company.ID && (!ch.Private || a.kind == KindSystem || slices.Contains(a.Views, ch.ID))
}

func errChannelArchived() error {
	return model.Errorf(model.CodeChannelArchived, "The channel of this conversation is archived. Its history stays readable; nothing can be sent through it.")
}

// ArchiveChannel disconnects a channel for good. What waits to be sent fails afterwards; its history stays as it is, and its open
// attendances stay open. Its number may be connected again as another channel.
func (d *Desk) ArchiveChannel(ctx context.Context, a *Principal, id model.ID) error {
	if err := a.May(VerbArchiveChannel); err != nil {
		return err
	}
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		tx.LockSeveral(id)
		tx.LockCompany(a.Company.ID)
		ch, err := d.channel(tx, a, id)
		if err != nil || ch.ArchivedAt != nil {
			return struct{}{}, err
		}
		tx.ArchiveChannel(a.Company.ID, id)
		return struct{}{}, nil
	})
	if err == nil {
		d.failQueue(ctx, id)
	}
	return err
}

const (
	failAtOnce   = 3 * time.Second // how long a caller waits until the queue of a channel that it archived has failed
	failedInStep = 100             // messages that one transaction fails
)

// failQueue fails what waits in the queue of an archived channel, for as long as a caller can be kept waiting. FailArchived does the rest.
func (d *Desk) failQueue(ctx context.Context, channel model.ID) {
	for end := time.Now().Add(failAtOnce); time.Now().Before(end); {
		more, err := d.failSome(ctx, channel)
		if err != nil {
			d.log.Warn("messages of an archived channel have yet to fail", slog.String("channel", channel.String()), slog.Any("error", err))
		}
		if err != nil || !more {
			return
		}
	}
}

// FailArchived fails messages that wait in the queues of archived channels, a batch of each, and reports whether there are more.
func (d System) FailArchived(ctx context.Context) (more bool, err error) {
	channels, err := readOne(ctx, d.Desk, func(tx *store.Tx) ([]model.ID, error) { return tx.ArchivedWithSends() })
	for _, id := range channels {
		further, err := d.failSome(ctx, id)
		if err != nil {
			d.log.Warn("messages of an archived channel have yet to fail", slog.String("channel", id.String()), slog.Any("error", err))
		}
		more = more || further
	}
	return more, err
}

// failSome fails a batch of what waits in the queue of an archived channel, and reports whether there may be more.
func (d *Desk) failSome(ctx context.Context, channel model.ID) (more bool, err error) {
	return write(ctx, d, func(tx *store.Tx) (bool, error) {
		tx.LockSeveral(channel)
		ch, found, err := tx.AnyChannel(channel)
		if err != nil || !found || ch.ArchivedAt == nil {
			return false, err
		}
		waiting, err := tx.WaitingSends(channel, failedInStep)
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
func (in *inboundBatch) failWaiting(job store.Queued) error {
	if job.ReactsTo != nil {
		in.tx.DeleteSend(job.Message)
		return nil
	}
	t, err := in.locked(job.Conversation)
	if err != nil {
		return err
	}
	m, _, found, err := in.tx.Message(job.Company, job.Message)
	if err != nil {
		return err
	}
	if t == nil || !found {
		in.tx.DeleteSend(job.Message)
		return nil
	}
	return in.failArchived(t, &m)
}

// failArchived fails a message whose channel was archived before it was sent.
func (in *inboundBatch) failArchived(t *batchConversation, m *model.Message) error {
	return in.report(t, m, "", store.EarlyStatus{
		Status: model.StatusFailed, Error: &model.MessageError{Code: string(model.CodeChannelArchived), Message: "The channel was archived before the message was sent."}, At: in.tx.Now,
	})
}

func errPhone(field string) error {
	return model.Invalid(field, "must be a phone number with its country code, such as +5511912345678")
}

// PrivateChannels lists the company's private channels with their viewers, for those who choose the viewers.
func (d *Desk) PrivateChannels(ctx context.Context, a *Principal) ([]model.PrivateChannel, error) {
	if err := a.May(VerbPrivateChannels); err != nil {
		return nil, err
	}
	return readOne(ctx, d, func(tx *store.Tx) ([]model.PrivateChannel, error) { return tx.PrivateChannels(a.Company.ID) })
}

// firstViewer lets the person who makes a private channel see it.
func (d *Desk) firstViewer(tx *store.Tx, a *Principal, ch model.Channel) error {
	if !ch.Private || a.User.ID.IsZero() {
		return nil
	}
	if err := d.checkViewerLimit(tx, ch.Company, 0, 1); err != nil {
		return err
	}
	tx.SetViewers(ch.Company, ch.ID, []model.ID{a.User.ID})
	d.forgetHolders(tx, a.Company.ID)
	return nil
}

// checkViewerLimit refuses a change after which the company's private channels have more viewers than its limit, unless
// they have fewer than before. The list of private channels shows each of them.
func (d *Desk) checkViewerLimit(tx *store.Tx, company model.ID, before, after int) error {
	return checkGrowth(tx, company, store.CountViewers, "viewers of private channels", d.limits.Viewers, before, after)
}

// setPrivacy makes a channel private or public and says who sees it. A principal who does not see the channel afterwards
// gets the viewers alone.
func (d *Desk) setPrivacy(tx *store.Tx, a *Principal, ch *model.Channel, change ChannelChange) (*model.PrivateChannel, error) {
	viewers := change.Viewers
	if change.Private != nil && *change.Private != ch.Private {
		if ch.Private && !change.Confirm {
			return nil, model.Invalid("body.confirm", "must be true to make a private channel public: everybody will see its history")
		}
		ch.Private, ch.Settling = *change.Private, true
		if ch.ArchivedAt == nil {
			if err := d.checkChannelLimit(tx, *ch); err != nil {
				return nil, err
			}
		}
		tx.SetChannelPrivate(a.Company.ID, ch.ID, ch.Private)
		tx.AfterCommit(func() { // nobody is given the events that were read before
			d.feed.notify(a.Company.ID)
			d.store.Notify(channelFeed, a.Company.ID.String())
		})
		if viewers == nil && ch.Private {
			viewers = &[]model.ID{a.User.ID}
		} else if !ch.Private {
			tx.SetViewers(a.Company.ID, ch.ID, nil)
		}
	}
	if viewers != nil {
		if err := d.checkViewers(tx, a, *ch, *viewers); err != nil {
			return nil, err
		}
		tx.SetViewers(a.Company.ID, ch.ID, *viewers)
	}
	d.forgetHolders(tx, a.Company.ID)
	if !ch.Private {
		return nil, nil
	}
	return unseenChannel(tx, a, *ch)
}

// unseenChannel gives a private channel with its viewers, or nil where the principal is one of them.
func unseenChannel(tx *store.Tx, a *Principal, ch model.Channel) (*model.PrivateChannel, error) {
	viewers, err := tx.ChannelViewers(a.Company.ID, ch.ID)
	if err != nil || slices.ContainsFunc(viewers, func(v model.Viewer) bool { return v.ID == a.User.ID && !v.Pending }) {
		return nil, err
	}
	return &model.PrivateChannel{ID: ch.ID, Name: ch.Name, Viewers: viewers}, nil
}

// checkViewers refuses a list that leaves the channel without a viewer, or the company with more than its limit.
func (d *Desk) checkViewers(tx *store.Tx, a *Principal, ch model.Channel, viewers []model.ID) error {
	switch {
	case !ch.Private:
		return model.Invalid("body.viewers", "only a private channel has viewers")
	case len(viewers) == 0:
		return model.Invalid("body.viewers", "must have at least one team member")
	}
	after := 0
	for i, id := range viewers {
		if slices.Contains(viewers[:i], id) {
			continue
		}
		after++
		_, found, err := tx.MemberPowers(a.Company.ID, id)
		if err != nil || !found {
			return errOr(err, model.Invalid(indexed("body.viewers", i), "there is no such team member"))
		}
	}
	before, err := tx.ChannelViewers(a.Company.ID, ch.ID)
	if err != nil {
		return err
	}
	return d.checkViewerLimit(tx, a.Company.ID, len(before), after)
}

// The watchdog compares the silence of a number with the longest one between two of its callbacks during the last
// two weeks, nights and weekends included, that raised no warning. A silence half as long again, and of an hour at
// least, is unusual. Numbers with little history are not checked.
const (
	silenceFactor  = 1.5
	silenceAtLeast = time.Hour
	silenceHistory = 14 * 24 * time.Hour
	silenceDays    = 3  // of the history on which something arrived
	silenceCalls   = 20 // calls of the provider in it
)

// callbackActivity collects when providers called, until FlushCallbackActivity stores it: a row per call
// would cost more than the call.
type callbackActivity struct {
	since time.Time // the process started; a silence before that does not count

	mu    sync.Mutex
	calls map[model.ID]*store.CallbackActivity
}

// NoteCallback notes that the provider called about a channel, whatever it had to say.
func (d System) NoteCallback(channel model.ID) {
	now := d.now()
	d.activity.mu.Lock()
	defer d.activity.mu.Unlock()
	h := d.activity.calls[channel]
	if h == nil {
		h = &store.CallbackActivity{First: now, Last: now}
		d.activity.calls[channel] = h
	}
	h.Calls++
	h.Longest = max(h.Longest, now.Sub(h.Last))
	h.Last = now
}

// FlushCallbackActivity stores the activity since the last call and clears the warnings of these channels.
func (d System) FlushCallbackActivity(ctx context.Context) error {
	d.activity.mu.Lock()
	calls := d.activity.calls
	d.activity.calls = map[model.ID]*store.CallbackActivity{}
	d.activity.mu.Unlock()
	if len(calls) == 0 {
		return nil
	}
	_, err := write(ctx, d.Desk, func(tx *store.Tx) (struct{}, error) {
		for channel, h := range calls {
			if err := tx.AddCallbackActivity(channel, *h, d.activity.since); err != nil {
				return struct{}{}, err
			}
		}
		tx.PurgeCallbackActivity(tx.Now.Add(-silenceHistory))
		return struct{}{}, nil
	})
	return err
}

// Silence is what the watchdog found about one WhatsApp number.
type Silence struct {
	Channel   model.ID
	Connected bool
	Unusual   bool // the channel is connected and has been silent for an unusual time
}

// WatchSilence compares how long each WhatsApp number has been silent with its own history, and puts a
// warning on the channels for which that is unusual. It also ends the restrictions whose time is over.
func (d System) WatchSilence(ctx context.Context) ([]Silence, error) {
	return write(ctx, d.Desk, func(tx *store.Tx) ([]Silence, error) {
		tx.EndRestrictions()
		stats, err := tx.CallbackStats(tx.Now.Add(-silenceHistory))
		if err != nil {
			return nil, err
		}
		out := make([]Silence, len(stats))
		for i, h := range stats {
			out[i] = Silence{Channel: h.Channel, Connected: h.Connected}
			silent, usual := d.silence(h, tx.Now)
			out[i].Unusual = h.Connected && usual > 0 && silent > usual
			if out[i].Unusual && !h.Warned {
				tx.WarnOfChannel(h.Company, h.Channel, new(silenceWarning(silent, h.Longest)))
			}
		}
		return out, nil
	})
}

// silence says how long a number has been silent, and from when on that is unusual; 0: never.
func (d *Desk) silence(h store.CallbackStats, now time.Time) (silent, unusual time.Duration) {
	if h.Days < silenceDays || h.Calls < silenceCalls {
		return 0, 0
	}
	last := h.Last
	if d.activity.since.After(last) {
		last = d.activity.since
	}
	return now.Sub(last), max(silenceAtLeast, time.Duration(float64(h.Longest)*silenceFactor))
}

func silenceWarning(silent, longest time.Duration) string {
	return fmt.Sprintf("Nothing has arrived from WhatsApp for %s; the longest silence of the last two weeks was %s. Test the channel, and look at its callback address at Meta.",
		roughly(silent), roughly(longest))
}

// roughly formats a duration in whole minutes, hours or days.
func roughly(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", d/(24*time.Hour))
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours", d/time.Hour)
	default:
		return fmt.Sprintf("%d minutes", d/time.Minute)
	}
}
