package talk

import (
	"context"
	"sync"
	"time"

	"recado/internal/kernel"
)

// activityRepeat is how soon the same activity again is not passed on.
const activityRepeat = 2 * time.Second

// activities remembers what was passed on lately.
type activities struct {
	mu     sync.Mutex
	latest map[activityOf]time.Time // when an activity was last passed on
}

type activityOf struct {
	member, conversation kernel.ID
	kind                 string
}

// Activity tells the live streams what the caller does in a conversation. The same again within two seconds
// is not passed on.
func (d *Talk) Activity(ctx context.Context, a *kernel.Principal, id kernel.ID, kind string) error {
	if err := a.May(VerbActivity); err != nil {
		return err
	}
	c, err := kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (Conversation, error) {
		c, found, err := FindConversation(tx, a.Company.ID, id)
		if err != nil || !found || !MaySee(a, &c) {
			return c, kernel.ErrOr(err, kernel.NotFound("conversation"))
		}
		return c, nil
	})
	if err != nil || !d.activities.toPassOn(a.User.ID, id, kind, d.Now()) {
		return err
	}
	d.Signal(kernel.Signal{Kind: kernel.SignalActivity, Company: a.Company.ID, Conversation: id, Is: c.Visibility(), User: a.User, Activity: kind})
	return nil
}

// toPassOn reports whether an activity is to be passed on, and notes that it is.
func (s *activities) toPassOn(member, conversation kernel.ID, kind string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := func(kind string) activityOf { return activityOf{member, conversation, kind} }
	if last, known := s.latest[of(kind)]; known && now.Sub(last) < activityRepeat {
		return false
	}
	if s.latest == nil {
		s.latest = map[activityOf]time.Time{}
	}
	for old, last := range s.latest {
		if now.Sub(last) >= activityRepeat {
			delete(s.latest, old)
		}
	}
	if kind == kernel.ActivityLeft {
		delete(s.latest, of(kernel.ActivityViewing))
		delete(s.latest, of(kernel.ActivityTyping))
	} else {
		delete(s.latest, of(kernel.ActivityLeft))
	}
	s.latest[of(kind)] = now
	return true
}
