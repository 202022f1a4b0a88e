package talk

import (
	"context"
	"errors"
	"fmt"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/jobs"
	"recado/internal/kernel"
)

// channelWork sends for one channel.
type channelWork struct {
	s       *SendLoop
	company kernel.ID
	id      kernel.ID
	free    int           // messages that the provider accepts now
	wait    time.Duration // until it accepts more
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
	sent, err := c.s.Desk.SendStep(ctx, c.company, lease, owner, c.s.Lease, step.Results, step.Limit)
	c.unclear = kernel.CodeOf(err) == kernel.CodeUncertain
	if err != nil {
		return claimed, err
	}
	claimed = jobs.Claimed[SendJob]{Jobs: sent.Jobs, Lease: jobs.LeaseRenewed}
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
	// A process that was suspended beyond its lease must not send: the next owner has marked the message as uncertain.
	job.Out.Expired = held.Expired
	done.Result, done.Err = sender.Send(ctx, job.Out)
	return done, true, nil
}

// Finished does nothing.
func (c *channelWork) Finished(SendDone) {}

// Close does nothing.
func (c *channelWork) Close() {}
