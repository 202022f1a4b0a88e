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
	feedPage = 100 // events that one read gives
	feedSoon = 5 * time.Millisecond
	feedLook = time.Second // how often the feed is looked at on PostgreSQL, where a notification may be lost
)

// company has the streams of one company on this node. One goroutine reads its feed for all of them.
type company struct {
	hub   *Hub
	of    kernel.Company
	stop  context.CancelFunc
	ctx   context.Context
	known sync.Once // presence was read for the first time

	mu       sync.Mutex
	streams  []*Stream // in the order of their opening
	reading  bool
	place    webhooks.FeedPlace // up to which events were published
	presence map[kernel.ID]people.Presence
}

func newCompany(h *Hub, of kernel.Company) *company {
	c := &company{hub: h, of: of}
	c.ctx, c.stop = context.WithCancel(context.Background())
	return c
}

func (c *company) add(s *Stream) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.streams = append(c.streams, s)
}

// remove gives how many streams remain.
func (c *company) remove(s *Stream) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.Index(c.streams, s); i >= 0 {
		c.streams = slices.Delete(c.streams, i, i+1)
	}
	return len(c.streams)
}

// streamsOf gives the ids of a member's streams.
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

// replace ends streams because their holder has opened too many.
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

// attach has a stream that has read the feed up to a place get what comes after it. It reports false where
// others have read further: the stream reads on by itself first.
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

// published returns the place up to which events were published.
func (c *company) published() webhooks.FeedPlace {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.place
}

// read publishes the company's events until its last stream is gone.
func (c *company) read() {
	d := c.hub.system
	wait := feedLook
	timer := time.NewTimer(wait)
	defer timer.Stop()
	c.mu.Lock()
	place := c.place
	c.mu.Unlock()
	for {
		changed := d.webhooks.LiveChanged(c.of.ID)
		events, err := d.webhooks.LiveEvents(c.ctx, c.of.ID, place, feedPage)
		if c.ctx.Err() != nil {
			return
		}
		if err != nil {
			c.hub.log.Warn("the feed could not be read for live streams", slog.Any("error", err))
		}
		if len(events) > 0 {
			place = events[len(events)-1].Place()
			c.publish(events)
		}
		if len(events) == feedPage {
			continue
		}
		var look <-chan time.Time // where one node writes in the order of the feed, nothing can be missed
		if err != nil || !d.SingleNode() {
			timer.Reset(wait)
			look = timer.C
		}
		select {
		case <-changed:
			wait = feedSoon // an event may be held back for a moment by an older transaction
		case <-look:
			wait = min(2*wait, feedLook)
		case <-c.ctx.Done():
			return
		}
	}
}

// publish gives events to the streams whose holders may see them, each encoded once.
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

// heartbeat sends every stream a comment, with the place that the feed has reached: a client that resumes
// need not go through events again that it may not see.
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
				checkpoint = []byte(": \nid: " + c.hub.system.webhooks.LiveCursor(c.of.ID, c.place) + "\n\n")
			}
			s.push(checkpoint)
		}
	}
}

// markSeen notes that the holders of open streams are active.
func (c *company) markSeen() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.streams {
		if s.renewal == nil {
			c.hub.system.people.MarkLive(c.of.ID, s.session, s.person)
		}
	}
}

// refresh looks at the sessions of the streams and at the presence of the members.
func (c *company) refresh(ctx context.Context) error {
	c.mu.Lock()
	opened := slices.DeleteFunc(slices.Clone(c.streams), func(s *Stream) bool { return s.renewal != nil }) // one that is added meanwhile may be younger than what is read
	c.mu.Unlock()
	if len(opened) == 0 {
		return nil
	}
	now, err := c.hub.system.people.LiveState(ctx, c.of)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range opened {
		s.renew(now.Sessions[s.session])
	}
	var changed []byte // all in one piece: after a restart all members come online at the same time
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

// renewFollowers gives the streams of integrations their present rights, and ends those whose key has ended.
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

// presence is the data of the event that shows a member differently.
type presence struct {
	User     kernel.Ref `json:"user"`
	Presence string     `json:"presence"`
}
