package work

import (
	"context"
	"log/slog"
	"time"

	"recado/internal/desk"
	"recado/internal/jobs"
	"recado/internal/model"
)

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
	For(ctx context.Context, channel model.ID) (Sender, error)
	// Free says how many messages the channel may send at this moment, and how long until one more
	// fits. What does not fit stays in the queue, where a crash cannot put it in doubt.
	Free(channel model.ID) (n int, wait time.Duration)
}

// Sender hands one message to a provider, once. Its errors are *model.SendError; after any other it is not
// known whether the message went out.
type Sender interface {
	Send(ctx context.Context, out model.Outgoing) (model.SendResult, error)
}

// Send is the worker that brings queued messages to their providers: one subject for each channel that has
// something due, on one node, which marks messages as being sent, hands them over outside of any
// transaction, and records the results. Order is kept within a conversation; conversations
// and channels do not wait for each other.
type Send struct {
	Desk     desk.System
	Provider Provider
	Logger   *slog.Logger
	Lease    time.Duration // default: 20 seconds

	begun   bool
	settled time.Time
}

// Run ends with ctx: calls under way get a while to finish, and what came of them is written.
func (s *Send) Run(ctx context.Context) {
	if s.Lease <= 0 {
		s.Lease = sendLease
	}
	jobs.NewPool(s, jobs.Options[desk.SendDone]{
		Name: "sends", Logger: s.Logger, Slots: jobs.SlotLimits{All: sendSlots, Group: sendEach},
		Poll: sendPoll, Idle: sendIdle, Grace: sendGrace,
		Leases: channelLeases{leases{s.Desk, desk.LeaseChannel}}, Lease: s.Lease,
		Signal: s.Desk.Wakeups().Send.C, Listen: s.Desk.ListenSend,
	}).Run(ctx)
}

// Due lists the channels that have something to send.
func (s *Send) Due(ctx context.Context, owner model.ID) (channels []model.ID, next time.Duration, err error) {
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
	channels, err = s.Desk.ChannelsToSend(ctx, owner)
	return channels, 0, err
}

// Open returns the work of one channel.
func (s *Send) Open(channel model.ID) jobs.Subject[desk.SendJob, desk.SendDone] {
	return &channelWork{s: s, id: channel}
}
