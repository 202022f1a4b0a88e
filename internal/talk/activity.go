package talk

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/kernel"
)

// The kinds of activity.
const (
	ActivityViewing = "viewing"
	ActivityTyping  = "typing"
	ActivityLeft    = "left"
)

const (
	// activityRepeat is how soon the same activity is not reported again.
	activityRepeat = 2 * time.Second

	// viewerExpires is when a viewer who reports nothing more is removed.
	viewerExpires = 20 * time.Second
)

// activities has the activity of members in conversations. Every node has the viewers of all of them, from the signals.
type activities struct {
	mu       sync.Mutex
	reported map[reportedActivity]time.Time           // by this node
	viewed   map[kernel.ID]map[kernel.ID]*viewedByAll // by company and conversation
}

type reportedActivity struct {
	member, conversation kernel.ID
	kind                 string
}

// viewedByAll is a conversation that members are viewing.
type viewedByAll struct {
	visibility *kernel.Visibility
	viewers    []viewer // in the order in which they came
}

type viewer struct {
	user  kernel.Ref
	until time.Time
}

func (v *viewedByAll) index(member kernel.ID) int {
	return slices.IndexFunc(v.viewers, func(one viewer) bool { return one.user.ID == member })
}

// signal returns the signal that lists the viewers.
func (v *viewedByAll) signal(company, conversation kernel.ID) kernel.Signal {
	users := make([]kernel.Ref, len(v.viewers))
	for i, one := range v.viewers {
		users[i] = one.user
	}
	return kernel.NewSignal("viewing", company, kernel.Audience{Seeing: v.visibility}, struct {
		Conversation kernel.ID    `json:"conversation"`
		Users        []kernel.Ref `json:"users"`
	}{conversation, users})
}

// activitySignal is the data of the signal by which nodes learn of activity.
type activitySignal struct {
	Conversation kernel.ID  `json:"conversation"`
	User         kernel.Ref `json:"user"`
	Kind         string     `json:"kind"`
}

// Activity reports to the other members what the caller does in a conversation. The same activity is reported once in two
// seconds.
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
	if err != nil || !d.activities.isNew(a.User.ID, id, kind, d.Now()) {
		return err
	}
	s := kernel.NewSignal(signalActivity, a.Company.ID, kernel.Audience{Seeing: c.Visibility()}, activitySignal{id, a.User, kind})
	s.Quiet = true
	d.Signal(s)
	return nil
}

// isNew reports whether an activity was not reported within the last two seconds, and remembers it.
func (s *activities) isNew(member, conversation kernel.ID, kind string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := func(kind string) reportedActivity { return reportedActivity{member, conversation, kind} }
	if last, known := s.reported[of(kind)]; known && now.Sub(last) < activityRepeat {
		return false
	}
	maps.DeleteFunc(s.reported, func(_ reportedActivity, last time.Time) bool { return now.Sub(last) >= activityRepeat })
	if s.reported == nil {
		s.reported = map[reportedActivity]time.Time{}
	}
	if kind == ActivityLeft {
		delete(s.reported, of(ActivityViewing))
		delete(s.reported, of(ActivityTyping))
	} else {
		delete(s.reported, of(ActivityLeft))
	}
	s.reported[of(kind)] = now
	return true
}

// receive updates the viewers of a conversation. The live streams get the changes in their order, because they are signalled
// under the lock.
func (d *Talk) receive(s kernel.Signal) {
	if s.Kind != signalActivity && s.Kind != signalGone {
		return
	}
	var of activitySignal
	if json.Unmarshal(s.Data, &of) != nil {
		return
	}
	d.activities.mu.Lock()
	defer d.activities.mu.Unlock()
	v := d.activities.viewed[s.Company][of.Conversation]
	if s.Kind == signalGone {
		if v != nil {
			v.visibility = s.To.Unless
		}
		return
	}
	if v == nil {
		v = &viewedByAll{}
	}
	v.visibility = s.To.Seeing
	i, until := v.index(of.User.ID), d.Now().Add(viewerExpires)
	switch of.Kind {
	case ActivityTyping:
		if i >= 0 { // who types is still viewing
			v.viewers[i].until = until
		}
		d.SignalHere(kernel.NewSignal("typing", s.Company, s.To, struct {
			Conversation kernel.ID  `json:"conversation"`
			User         kernel.Ref `json:"user"`
		}{of.Conversation, of.User}))
		return
	case ActivityViewing:
		if i < 0 {
			v.viewers = append(v.viewers, viewer{})
			i = len(v.viewers) - 1
		}
		v.viewers[i] = viewer{of.User, until}
		d.activities.keep(s.Company, of.Conversation, v)
	case ActivityLeft:
		if i >= 0 {
			v.viewers = slices.Delete(v.viewers, i, i+1)
		}
	}
	d.SignalHere(v.signal(s.Company, of.Conversation)) // also for a member who was only typing: that has ended
}

func (s *activities) keep(company, conversation kernel.ID, v *viewedByAll) {
	if s.viewed == nil {
		s.viewed = map[kernel.ID]map[kernel.ID]*viewedByAll{}
	}
	if s.viewed[company] == nil {
		s.viewed[company] = map[kernel.ID]*viewedByAll{}
	}
	s.viewed[company][conversation] = v
}

// ExpireViewers removes viewers who have not reported for a while. It is called every second.
func (d *Talk) ExpireViewers() {
	d.activities.mu.Lock()
	defer d.activities.mu.Unlock()
	now := d.Now()
	for company, conversations := range d.activities.viewed {
		for id, v := range conversations {
			before := len(v.viewers)
			v.viewers = slices.DeleteFunc(v.viewers, func(one viewer) bool { return !now.Before(one.until) })
			if len(v.viewers) < before {
				d.SignalHere(v.signal(company, id))
			}
			if len(v.viewers) == 0 {
				delete(conversations, id)
			}
		}
		if len(conversations) == 0 {
			delete(d.activities.viewed, company)
		}
	}
}

// greet returns the signals that list the viewers of the conversations that a principal may see.
func (d *Talk) greet(a *kernel.Principal) (all []kernel.Signal) {
	d.activities.mu.Lock()
	defer d.activities.mu.Unlock()
	for id, v := range d.activities.viewed[a.Company.ID] {
		if len(v.viewers) > 0 && a.MaySeeBy(v.visibility) {
			all = append(all, v.signal(a.Company.ID, id))
		}
	}
	return all
}
