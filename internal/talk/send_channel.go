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
	most    int           // messages that the provider could take
	again   time.Duration // until it can take more
	doubt   bool          // the last step may have marked messages that are not in hand
}

// Free is what the provider can take, up to the limit of a channel.
func (c *channelWork) Free(running int) (int, time.Duration) {
	c.most, c.again = c.s.Provider.Free(c.id)
	c.again = max(c.again, sendPace)
	if own := sendEach - running; own < c.most {
		return own, 0
	}
	return c.most, c.again
}

// Group gives each channel its own share of the slots.
func (c *channelWork) Group() (group kernel.ID, unproven bool) { return c.id, false }

// Step writes results and marks messages as being sent, in one transaction. One whose commit got no answer
// may have marked messages that are not in hand; they go back to the queue first.
func (c *channelWork) Step(ctx context.Context, step jobs.Step[SendDone]) (claimed jobs.Claimed[SendJob], err error) {
	lease, owner := jobs.DeskLease(step.Lease), step.Lease.Owner
	if c.doubt {
		if err := c.s.Desk.ReclaimSends(ctx, c.company, lease, owner, step.InHand); err != nil {
			return claimed, err
		}
		c.doubt = false
	}
	sent, err := c.s.Desk.SendStep(ctx, c.company, lease, owner, c.s.Lease, step.Results, step.Limit)
	c.doubt = kernel.CodeOf(err) == kernel.CodeUncertain
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
	case full && step.Limit == c.most && claimed.Next > 0: // there may be more than the provider can take
		claimed.Next = min(claimed.Next, c.again)
	case full && step.Limit == c.most:
		claimed.Next = c.again
	default:
		claimed.More = full
	}
	return claimed, nil
}

// Attempt hands one message over. After a panic it is not known whether it went out.
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
			err = &provider.SendError{Code: provider.CodeProviderUnavailable, Message: "The provider of this channel cannot be used at the moment.", Retry: true, Cause: err}
		}
		done.Err = err
		return done, true, nil
	}
	// A process that was suspended past the end of its lease must not send what it had marked before: the
	// next owner has settled that by now.
	job.Out.Expired = held.Expired
	done.Result, done.Err = sender.Send(ctx, job.Out)
	return done, true, nil
}

// Finished has nothing to adapt: the provider knows its own pace.
func (c *channelWork) Finished(SendDone) {}

// Close has nothing to end.
func (c *channelWork) Close() {}
