package kernel

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"time"
)

// EventType names what happened.
type EventType string

// EventInfo describes a type of event.
type EventInfo struct {
	Type        EventType
	Order       int    // where lists show it
	Scope       Scope  // what a caller needs to get it, beside the scope of the feed; "" for nothing
	Description string // when it is raised
	Unlisted    bool   // nobody can subscribe to it
}

// AllEvents lists the events to which one can subscribe, in the order in which they are shown.
var AllEvents []EventType

// EveryEvent contains AllEvents.
var EveryEvent EventSet

var events = map[EventType]EventInfo{}

// RegisterEvent adds a type of event. It is called at start-up, before the first request.
func RegisterEvent(e EventInfo) EventType {
	events[e.Type] = e
	if !e.Unlisted {
		AllEvents = append(AllEvents, e.Type)
		slices.SortStableFunc(AllEvents, func(a, b EventType) int { return cmp.Compare(events[a].Order, events[b].Order) })
		EveryEvent = NewEventSet(AllEvents...)
	}
	return e.Type
}

// Scope returns what a caller needs to get the event, beside the scope of the feed; "" for nothing.
func (e EventType) Scope() Scope { return events[e].Scope }

// Description says in a sentence when the event is raised. It is empty for an unknown event.
func (e EventType) Description() string { return events[e].Description }

// EventSet is a set of events; its zero value is empty. Sets are equal when they are ==.
type EventSet uint64

// NewEventSet gives the set of the events named.
func NewEventSet(events ...EventType) EventSet {
	return EventSet(bitsOf(AllEvents, events))
}

// ParseEvents reads the names in a field of a request, which errors name. A name given twice counts once.
func ParseEvents(field string, names []string) (EventSet, *Error) {
	set, err := parseBits(AllEvents, "event", field, names)
	return EventSet(set), err
}

// Has reports whether the set holds the event.
func (set EventSet) Has(e EventType) bool { return uint64(set)&bitOf(AllEvents, e) != 0 }

// List gives the events in the order of AllEvents, never nil.
func (set EventSet) List() []EventType {
	return listBits(AllEvents, uint64(set))
}

// Record stores an event with the exact bytes that receivers get, in the transaction of the change
// it tells of. data writes the event's data object.
func (d *Kernel) Record(tx *Tx, e Event, data func(b []byte) ([]byte, error)) (err error) {
	e.ID = NewID()
	if e.Body, err = EventBody(e.ID, e.Company, e.Type, tx.Now, data); err != nil {
		return err
	}
	if err := tx.InsertEvent(&e); err != nil {
		return err
	}
	tx.AfterCommit(func() {
		d.WakeFollowers(e.Company)
	})
	return nil
}

// WakeFollowers has everybody who follows the events of a company look again, on this node and on the others.
func (d *Kernel) WakeFollowers(company ID) {
	d.feed.notify(company)
	d.Store.Notify(channelFeed, company.String())
}

// NextEvent returns a channel that is closed at the company's next event. Ask for it before reading the feed, so that no
// event is missed in between.
func (d *Kernel) NextEvent(company ID) <-chan struct{} { return d.feed.next(company) }

// EventBody is an event as every receiver gets it.
func EventBody(id, company ID, kind EventType, at time.Time, data func(b []byte) ([]byte, error)) ([]byte, error) {
	b := make([]byte, 0, 2048)
	b = append(b, `{"id":"`...)
	b = id.AppendText(b)
	b = append(b, `","type":"`...)
	b = append(b, kind...)
	b = append(b, `","created_at":"`...)
	b = at.UTC().AppendFormat(b, Time)
	b = append(b, `","tenant_id":"`...)
	b = company.AppendText(b)
	b = append(b, `","data":`...)
	b, err := data(b)
	return append(b, '}'), err
}

// The names under which nodes of one PostgreSQL wake each other.
const (
	channelFeed   = "recado_feed"
	channelSignal = "recado_signal"
)

// ListenFeed passes on what other nodes recorded, until ctx ends.
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

// StoredEvents reads the form that Stored writes. Names that this version does not know are left out.
func StoredEvents(text string) EventSet {
	var list []EventType
	for name := range strings.FieldsSeq(text) {
		list = append(list, EventType(name))
	}
	return NewEventSet(list...)
}

// Stored returns the names of the events with a space between two of them.
func (set EventSet) Stored() string {
	var names []string
	for _, e := range set.List() {
		names = append(names, string(e))
	}
	return strings.Join(names, " ")
}

// A set of a few known names, such as events, is a bit for each, at its place in the list of all.

// bitOf is zero for a name that is not in the list.
func bitOf[T ~string](all []T, name T) uint64 {
	for i, known := range all {
		if name == known {
			return 1 << i
		}
	}
	return 0
}

func bitsOf[T ~string](all, names []T) (set uint64) {
	for _, name := range names {
		set |= bitOf(all, name)
	}
	return set
}

// parseBits reads the names of a request's field. A name given twice counts once, an unknown one is an error.
func parseBits[T ~string](all []T, noun, field string, names []string) (set uint64, err *Error) {
	for _, name := range names {
		bit := bitOf(all, T(name))
		if bit == 0 {
			return 0, unknownName(field, noun, name, all)
		}
		set |= bit
	}
	return set, nil
}

// listBits gives the names of a set in the order of the list, never nil.
func listBits[T ~string](all []T, set uint64) []T {
	list := make([]T, 0, bits.OnesCount64(set))
	for i, name := range all {
		if set&(1<<i) != 0 {
			list = append(list, name)
		}
	}
	return list
}
