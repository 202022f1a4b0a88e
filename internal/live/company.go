package live

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/webhooks"
)

const (
	feedPage = 100 // events per read
	feedSoon = 5 * time.Millisecond
	feedPoll = time.Second // on PostgreSQL, where a notification may be lost
)

// company contains the streams of a company on this node. One goroutine reads the feed for all of them.
type company struct {
	hub   *Hub
	of    kernel.Company
	stop  context.CancelFunc
	ctx   context.Context
	known sync.Once // presence was read

	mu       sync.Mutex
	streams  []*Stream // oldest first
	reading  bool
	place    webhooks.FeedPlace // of the last published event
	presence map[kernel.ID]people.Presence
}

// remove removes a stream and returns the number of remaining ones.
func (c *company) remove(s *Stream) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.Index(c.streams, s); i >= 0 {
		c.streams = slices.Delete(c.streams, i, i+1)
	}
	return len(c.streams)
}

// streamsOf returns the ids of a member's streams.
func (c *company) streamsOf(member kernel.ID) []kernel.ID {
	c.mu.Lock()
	defer c.mu.Unlock()
	var ids []kernel.ID
	for _, s := range c.streams {
		if s.person == member && !s.ended() {
			ids = append(ids, s.id)
		}
	}
	return ids
}

// replace ends streams of a member who has opened too many.
func (c *company) replace(ids []kernel.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.streams {
		if slices.Contains(ids, s.id) {
			s.end(frame("session", []byte(`{"state":"replaced"}`)))
		}
	}
}

func (c *company) endAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.streams {
		s.end(nil)
	}
}

// attach lets a stream that has read the feed up to a place get the following events. It returns false if the company has
// read further: then the stream must catch up first.
func (c *company) attach(s *Stream, place webhooks.FeedPlace) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reading && c.place.After(place) {
		return false
	}
	if !c.reading {
		c.reading, c.place = true, place
		go c.read()
	}
	s.attached, s.after = true, place
	return true
}

// published returns the place of the last published event.
func (c *company) published() webhooks.FeedPlace {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.place
}

// read publishes the company's events until its last stream is removed.
func (c *company) read() {
	wait := feedPoll
	timer := time.NewTimer(wait)
	defer timer.Stop()
	place := c.published()
	for {
		changed := c.hub.webhooks.NextEvent(c.of.ID)
		events, err := c.hub.webhooks.LiveEvents(c.ctx, c.of.ID, place, feedPage)
		if c.ctx.Err() != nil {
			return
		}
		if err != nil {
			c.hub.log.Warn("cannot read the feed for live streams", slog.Any("error", err))
		}
		if len(events) > 0 {
			place = events[len(events)-1].Place()
			c.publish(events)
		}
		if len(events) == feedPage {
			continue
		}
		var poll <-chan time.Time // with a single node, no notification is lost
		if err != nil || !c.hub.kernel.SingleNode() {
			timer.Reset(wait)
			poll = timer.C
		}
		select {
		case <-changed:
			wait = feedSoon // an event may be held back for a moment by an older transaction
		case <-poll:
			wait = min(2*wait, feedPoll)
		case <-c.ctx.Done():
			return
		}
	}
}

// publish sends events to the streams whose principals may see them. Each event is encoded once.
func (c *company) publish(events []webhooks.LiveEvent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range events {
		e := &events[i]
		place := e.Place()
		var f []byte
		for _, s := range c.streams {
			if !s.attached || !place.After(s.after) || !s.sends(e, s.principal) {
				continue
			}
			if f == nil {
				f = eventFrame(e)
			}
			s.push(f)
		}
		c.place = place
	}
}

// heartbeat sends every stream a comment with the current place of the feed, so that a client that resumes skips the events
// that it may not see.
func (c *company) heartbeat() {
	c.mu.Lock()
	defer c.mu.Unlock()
	var checkpoint []byte
	for _, s := range c.streams {
		switch {
		case !s.attached || s.after.After(c.place):
			s.push(comment)
		default:
			if checkpoint == nil {
				checkpoint = []byte(": \nid: " + c.hub.webhooks.LiveCursor(c.of.ID, c.place) + "\n\n")
			}
			s.push(checkpoint)
		}
	}
}

// markSeen marks the members with open streams as active.
func (c *company) markSeen() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.streams {
		if s.renewal == nil {
			c.hub.people.MarkLive(c.of.ID, s.session, s.person)
		}
	}
}

// refresh updates the rights of the streams of members, ends those whose sessions have ended, and sends changes of presence.
func (c *company) refresh(ctx context.Context) error {
	c.mu.Lock()
	// A stream that is added during the query may be newer than its result.
	opened := slices.DeleteFunc(slices.Clone(c.streams), func(s *Stream) bool { return s.renewal != nil })
	c.mu.Unlock()
	if len(opened) == 0 {
		return nil
	}
	now, err := c.hub.people.LiveState(ctx, c.of)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range opened {
		s.renew(now.Sessions[s.session])
	}
	var changed []byte // in one piece, because after a restart all members come online at once
	for id, is := range now.Presence {
		if was, known := c.presence[id]; known && was.Shown != is.Shown {
			s := kernel.NewSignal(people.SignalPresence, c.of.ID, kernel.Audience{}, presence{kernel.Ref{ID: id, Name: is.Name}, is.Shown})
			changed = append(changed, frame(s.Kind, s.Data)...)
		}
	}
	c.presence = now.Presence
	if changed == nil {
		return nil
	}
	for _, s := range c.streams {
		if s.renewal == nil {
			s.push(changed)
		}
	}
	return nil
}

// renewFollowers updates the rights of the streams of integrations, and ends those whose keys are no longer valid.
func (c *company) renewFollowers(ctx context.Context) {
	c.mu.Lock()
	followers := slices.DeleteFunc(slices.Clone(c.streams), func(s *Stream) bool { return s.renewal == nil })
	c.mu.Unlock()
	for _, s := range followers {
		limited, cancel := context.WithTimeout(ctx, renewalTimeout)
		now, err := s.renewal(limited)
		cancel()
		if err != nil || now.May(webhooks.VerbEvents) != nil {
			s.end(nil)
			continue
		}
		c.mu.Lock()
		s.principal = now
		c.mu.Unlock()
	}
}

// presence is the data of the signal about a member's presence.
type presence struct {
	User     kernel.Ref `json:"user"`
	Presence string     `json:"presence"`
}
