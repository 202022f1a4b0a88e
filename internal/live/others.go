package live

import (
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/kernel"
)

// othersLast is how long the streams of a node count that says nothing more; it repeats itself every minute.
const othersLast = 3 * time.Minute

// others are the streams on other nodes of members who have streams here: together they must not be too many.
type others struct {
	mu      sync.Mutex
	streams map[kernel.ID]map[kernel.ID]elsewhere // by member and node
}

type elsewhere struct {
	company kernel.ID
	ids     []kernel.ID
	at      time.Time
}

// signalStreams is the kind of the signal by which nodes learn of each other's streams.
const signalStreams = "streams"

// streamsOfMember is its data.
type streamsOfMember struct {
	Member  kernel.ID   `json:"member"`
	Streams []kernel.ID `json:"streams"`
	Ask     bool        `json:"ask,omitempty"` // the other nodes report theirs
}

// of gives a member's streams on other nodes.
func (o *others) of(member kernel.ID) (ids []kernel.ID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, e := range o.streams[member] {
		if time.Since(e.at) < othersLast {
			ids = append(ids, e.ids...)
		}
	}
	return ids
}

func (o *others) put(member, node kernel.ID, e elsewhere) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.streams == nil {
		o.streams = map[kernel.ID]map[kernel.ID]elsewhere{}
	}
	if o.streams[member] == nil {
		o.streams[member] = map[kernel.ID]elsewhere{}
	}
	o.streams[member][node] = e
}

// members drops what is too old and gives whose streams are known, with their company.
func (o *others) members() map[kernel.ID]kernel.ID {
	o.mu.Lock()
	defer o.mu.Unlock()
	known := map[kernel.ID]kernel.ID{}
	for member, nodes := range o.streams {
		for node, e := range nodes {
			if time.Since(e.at) >= othersLast || len(e.ids) == 0 {
				delete(nodes, node)
				continue
			}
			known[member] = e.company
		}
		if len(nodes) == 0 {
			delete(o.streams, member)
		}
	}
	return known
}

// tellStreams ends a member's oldest streams where there are too many, and tells other nodes which there are
// here. With ask they say what they have.
func (h *Hub) tellStreams(c *company, member kernel.ID, ask bool) {
	ids := c.streamsOf(member)
	elsewhere := h.others.of(member)
	if tooMany := oldest(slices.Concat(ids, elsewhere)); len(tooMany) > 0 {
		c.replace(tooMany)
	}
	if !h.system.SingleNode() && (ask || len(elsewhere) > 0) {
		h.system.Signal(kernel.NewSignal(signalStreams, c.of.ID, kernel.Audience{}, streamsOfMember{member, ids, ask}))
	}
}

// learnStreams notes which streams a member has on another node.
func (h *Hub) learnStreams(s kernel.Signal) {
	var on streamsOfMember
	c := h.company(s.Company)
	if s.Node.IsZero() || c == nil || json.Unmarshal(s.Data, &on) != nil { // zero: from this node
		return
	}
	ids := c.streamsOf(on.Member)
	if len(ids) == 0 {
		return
	}
	h.others.put(on.Member, s.Node, elsewhere{s.Company, on.Streams, time.Now()})
	if on.Ask {
		h.tellStreams(c, on.Member, false)
		return
	}
	c.replace(oldest(slices.Concat(ids, h.others.of(on.Member))))
}

// repeatStreams tells the other nodes again of members who have streams on several.
func (h *Hub) repeatStreams() {
	for member, company := range h.others.members() {
		if c := h.company(company); c != nil {
			h.tellStreams(c, member, false)
		}
	}
}
