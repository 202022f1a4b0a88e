package live

import (
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/kernel"
)

// othersLast is how long a report of another node counts. Nodes repeat their reports every minute.
const othersLast = 3 * time.Minute

// others contains the streams on other nodes of members who have streams on this node, because the limit counts all of them.
type others struct {
	mu      sync.Mutex
	streams map[kernel.ID]map[kernel.ID]elsewhere // by member and node
}

type elsewhere struct {
	company kernel.ID
	ids     []kernel.ID
	at      time.Time
}

// signalStreams is the kind of the signal with the streams of a node.
const signalStreams = "streams"

// streamsOfMember is its data.
type streamsOfMember struct {
	Member  kernel.ID   `json:"member"`
	Streams []kernel.ID `json:"streams"`
	Ask     bool        `json:"ask,omitempty"` // requests the reports of the other nodes
}

// of returns a member's streams on other nodes.
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

// members removes outdated reports, and returns the company of each remaining member.
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

// reportStreams ends a member's oldest streams if there are too many, and reports the streams of this node to the others. ask
// requests their reports.
func (h *Hub) reportStreams(c *company, member kernel.ID, ask bool) {
	ids := c.streamsOf(member)
	elsewhere := h.others.of(member)
	if tooMany := oldest(slices.Concat(ids, elsewhere)); len(tooMany) > 0 {
		c.replace(tooMany)
	}
	if !h.kernel.SingleNode() && (ask || len(elsewhere) > 0) {
		h.kernel.Signal(kernel.NewSignal(signalStreams, c.of.ID, kernel.Audience{}, streamsOfMember{member, ids, ask}))
	}
}

// learnStreams stores a report of another node.
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
		h.reportStreams(c, on.Member, false)
		return
	}
	c.replace(oldest(slices.Concat(ids, h.others.of(on.Member))))
}

// repeatStreams reports the members again who have streams on several nodes.
func (h *Hub) repeatStreams() {
	for member, company := range h.others.members() {
		if c := h.company(company); c != nil {
			h.reportStreams(c, member, false)
		}
	}
}
