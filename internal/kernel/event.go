package kernel

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"
)

// EventType is the name of an event.
type EventType string

// EventInfo describes a type of event.
type EventInfo struct {
	Type        EventType
	Order       int    // in lists
	Scope       Scope  // that a caller needs besides the scope of the feed; "": none
	Description string // a sentence that says when it is raised
	Unlisted    bool   // nobody can subscribe to it
}

// AllEvents lists the events to which clients can subscribe, in display order.
var AllEvents []EventType

// EveryEvent contains AllEvents.
var EveryEvent EventSet

var events = map[EventType]EventInfo{}

// RegisterEvent adds a type of event. Call it at start-up, before the first request.
func RegisterEvent(e EventInfo) EventType {
	events[e.Type] = e
	if !e.Unlisted {
		AllEvents = append(AllEvents, e.Type)
		slices.SortStableFunc(AllEvents, func(a, b EventType) int { return cmp.Compare(events[a].Order, events[b].Order) })
		EveryEvent = NewEventSet(AllEvents...)
	}
	return e.Type
}

// Scope returns the scope that a caller needs besides the scope of the feed; "" if none.
func (e EventType) Scope() Scope { return events[e].Scope }

// Description returns a sentence that says when the event is raised. It is empty for an unknown event.
func (e EventType) Description() string { return events[e].Description }

// EventSet is a set of events: a bit for each, at its index in AllEvents. Sets can be compared with ==.
type EventSet uint64

// NewEventSet returns the set of the given events. Unknown events are left out.
func NewEventSet(events ...EventType) (set EventSet) {
	for _, e := range events {
		set |= e.bit()
	}
	return set
}

// bit returns zero for an event that is not in AllEvents.
func (e EventType) bit() EventSet {
	i := slices.Index(AllEvents, e)
	if i < 0 {
		return 0
	}
	return 1 << i
}

// ParseEvents parses the event names in a field of a request. Names may be repeated.
func ParseEvents(field string, names []string) (set EventSet, err *Error) {
	for _, name := range names {
		bit := EventType(name).bit()
		if bit == 0 {
			return 0, unknownName(field, "event", name, AllEvents)
		}
		set |= bit
	}
	return set, nil
}

// Has reports whether the set contains the event.
func (set EventSet) Has(e EventType) bool { return set&e.bit() != 0 }

// List returns the events in the order of AllEvents, never nil.
func (set EventSet) List() []EventType {
	list := []EventType{}
	for _, e := range AllEvents {
		if set.Has(e) {
			list = append(list, e)
		}
	}
	return list
}

// Record stores an event with the exact bytes that receivers get, in the transaction of the change that it reports.
func (d *Kernel) Record(tx *Tx, e Event, data any) (err error) {
	e.ID = NewID()
	if e.Body, err = EventBody(&e, tx.Now, data); err != nil {
		return err
	}
	if err := tx.InsertEvent(&e); err != nil {
		return err
	}
	tx.AfterCommit(func() { d.WakeFollowers(e.Company) })
	return nil
}

// WakeFollowers wakes everyone who follows the events of a company, on all nodes.
func (d *Kernel) WakeFollowers(company ID) {
	d.feed.notify(company)
	d.Store.Notify(channelFeed, company.String())
}

// NextEvent returns a channel that is closed at the company's next event. Call it before reading the feed, so that no
// event is missed in between.
func (d *Kernel) NextEvent(company ID) <-chan struct{} { return d.feed.next(company) }

// EventBody returns the JSON of an event as receivers get it.
func EventBody(e *Event, at time.Time, data any) ([]byte, error) {
	return EncodeJSON(struct {
		ID        ID        `json:"id"`
		Type      EventType `json:"type"`
		CreatedAt time.Time `json:"created_at"`
		Company   ID        `json:"tenant_id"`
		Data      any       `json:"data"`
	}{e.ID, e.Type, at, e.Company, data})
}

// Channels of PostgreSQL notifications between nodes.
const (
	channelFeed   = "recado_feed"
	channelSignal = "recado_signal"
)

// ListenFeed wakes followers of events that other nodes recorded, until ctx ends.
func (d *Kernel) ListenFeed(ctx context.Context) {
	d.Store.Listen(ctx, channelFeed, func(payload string) {
		if company, ok := ParseID(payload); ok {
			d.feed.notify(company)
		} else {
			d.feed.notifyAll()
		}
	})
}

// feed wakes the callers that follow the events of a company.
type feed struct {
	mu      sync.Mutex
	waiting map[ID]chan struct{}
}

func (f *feed) next(company ID) <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.waiting[company]
	if c == nil {
		if f.waiting == nil {
			f.waiting = map[ID]chan struct{}{}
		}
		c = make(chan struct{})
		f.waiting[company] = c
	}
	return c
}

func (f *feed) notify(company ID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c := f.waiting[company]; c != nil {
		close(c)
		delete(f.waiting, company)
	}
}

func (f *feed) notifyAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.waiting {
		close(c)
	}
	clear(f.waiting)
}

// StoredEvents parses the result of Stored. Unknown names are left out.
func StoredEvents(text string) EventSet { return NewEventSet(storedNames[EventType](text)...) }

// Stored returns the names of the events, separated by spaces.
func (set EventSet) Stored() string { return strings.Join(texts(set.List()), " ") }
