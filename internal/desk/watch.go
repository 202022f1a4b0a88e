package desk

import (
	"context"
	"fmt"
	"sync"
	"time"

	"recado/internal/model"
	"recado/internal/store"
)

// The watchdog knows a number by its own habits: the longest silence that passed without harm during
// the last two weeks, nights and weekends included. A silence half as long again, and of an hour at
// least, is strange. Numbers with little history are left alone.
const (
	silenceFactor  = 1.5
	silenceAtLeast = time.Hour
	silenceHistory = 14 * 24 * time.Hour
	silenceDays    = 3  // of the history on which something arrived
	silenceCalls   = 20 // calls of the provider in it
)

// ears gather when providers called, until FlushHeard writes it down: a row per call would cost more
// than the call.
type ears struct {
	since time.Time // this process listens; what came before it was nobody's silence

	mu    sync.Mutex
	heard map[model.ID]*store.Hearing
}

// Heard notes that the provider called about a channel, whatever it had to say.
func (d *Desk) Heard(channel model.ID) {
	now := d.now()
	d.ears.mu.Lock()
	defer d.ears.mu.Unlock()
	h := d.ears.heard[channel]
	if h == nil {
		h = &store.Hearing{First: now, Last: now}
		d.ears.heard[channel] = h
	}
	h.Calls++
	h.Longest = max(h.Longest, now.Sub(h.Last))
	h.Last = now
}

// FlushHeard writes down what was heard. A channel that was heard has nothing to warn of any more.
func (d *Desk) FlushHeard(ctx context.Context) error {
	d.ears.mu.Lock()
	heard := d.ears.heard
	d.ears.heard = map[model.ID]*store.Hearing{}
	d.ears.mu.Unlock()
	if len(heard) == 0 {
		return nil
	}
	_, err := write(ctx, d, nil, func(tx *store.Tx) (struct{}, error) {
		for channel, h := range heard {
			if err := tx.NoteHearing(channel, *h, d.ears.since); err != nil {
				return struct{}{}, err
			}
		}
		tx.ForgetHearings(tx.Now.Add(-silenceHistory))
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
// warning on the channels for which that is strange.
func (d *Desk) WatchSilence(ctx context.Context) ([]Silence, error) {
	return write(ctx, d, nil, func(tx *store.Tx) ([]Silence, error) {
		habits, err := tx.HearingHabits(tx.Now.Add(-silenceHistory))
		if err != nil {
			return nil, err
		}
		out := make([]Silence, len(habits))
		for i, h := range habits {
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
func (d *Desk) silence(h store.Habits, now time.Time) (silent, strange time.Duration) {
	if h.Days < silenceDays || h.Calls < silenceCalls {
		return 0, 0
	}
	last := h.Last
	if d.ears.since.After(last) {
		last = d.ears.since
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
