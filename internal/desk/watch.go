package desk

import (
	"context"
	"fmt"
	"sync"
	"time"

	"recado/internal/model"
	"recado/internal/store"
)

// The watchdog judges a number by its own callbacks: the longest silence that passed without harm during
// the last two weeks, nights and weekends included. A silence half as long again, and of an hour at
// least, is strange. Numbers with little history are left alone.
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
	Strange   bool // it is connected, and silent for longer than it ever is
}

// WatchSilence compares how long each WhatsApp number has been silent with its own history, and puts a
// warning on the channels for which that is strange. It also ends the restrictions whose time is over.
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
			out[i].Strange = h.Connected && usual > 0 && silent > usual
			if out[i].Strange && !h.Warned {
				tx.WarnOfChannel(h.Company, h.Channel, new(silenceWarning(silent, h.Longest)))
			}
		}
		return out, nil
	})
}

// silence says how long a number has been silent, and from when on that is strange: never, when 0.
func (d *Desk) silence(h store.CallbackStats, now time.Time) (silent, strange time.Duration) {
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

// roughly says a duration as people do.
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
