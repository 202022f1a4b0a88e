package kernel

import (
	"context"
	"log/slog"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// SignalMissed is the kind of signal that receivers get if signals of other nodes may have been lost.
const SignalMissed = "missed"

// Signal is a notification that is not stored. Live streams send it as an event named after its kind, with its data.
type Signal struct {
	Kind    string         `json:"kind"`
	Quiet   bool           `json:"quiet,omitempty"` // for nodes only; streams do not send it
	Node    ID             `json:"node"`            // the sender; zero on the sending node itself
	Company ID             `json:"company,omitzero"`
	Data    jsontext.Value `json:"data,omitempty"`
	To      Audience       `json:"to,omitzero"`
}

// NewSignal returns a signal whose data is the JSON of v.
func NewSignal(kind string, company ID, to Audience, v any) Signal {
	data, err := json.Marshal(v)
	if err != nil {
		panic("kernel: the data of a signal: " + err.Error())
	}
	return Signal{Kind: kind, Company: company, Data: data, To: to}
}

// Audience selects the signed-in members of a company who get a signal. The zero value selects all of them; each field
// narrows the selection.
type Audience struct {
	Seeing  *Visibility `json:"seeing,omitempty"`  // may see this
	Unless  *Visibility `json:"unless,omitempty"`  // may not see this
	Scope   Scope       `json:"scope,omitempty"`   // have this scope
	Members []ID        `json:"members,omitzero"`  // are one of these; empty: nobody
	OrRole  Role        `json:"or_role,omitempty"` // with Members: or have this role or a higher one
}

// Includes reports whether the principal is part of the audience.
func (t *Audience) Includes(a *Principal) bool {
	switch {
	case t.Seeing != nil && !a.MaySeeBy(t.Seeing), t.Unless != nil && a.MaySeeBy(t.Unless), !a.Scopes.Has(t.Scope):
		return false
	case t.Members == nil || slices.Contains(t.Members, a.User.ID):
		return true
	}
	return t.OrRole != "" && a.Role.AtLeast(t.OrRole)
}

type signals struct {
	node      ID
	receivers []func(Signal)
	greeters  []func(a *Principal, send func(Signal))
}

// OnSignal adds a function that gets every signal. The function must not block. Call OnSignal before the first request.
func (d *Kernel) OnSignal(receive func(Signal)) {
	d.signals.receivers = append(d.signals.receivers, receive)
}

// OnStream adds a function that sends the first signals of a new live stream. Call it before the first request.
func (d *Kernel) OnStream(greet func(a *Principal, send func(Signal))) {
	d.signals.greeters = append(d.signals.greeters, greet)
}

// Greet sends the first signals of a new live stream.
func (d *Kernel) Greet(a *Principal, send func(Signal)) {
	for _, greet := range d.signals.greeters {
		greet(a, send)
	}
}

// Signal sends a signal to the receivers of all nodes: immediately on this node, and through the database to the others.
func (d *Kernel) Signal(s Signal) {
	d.SignalHere(s)
	if d.Store.SingleNode() {
		return
	}
	s.Node = d.signals.node
	text, err := json.Marshal(s)
	if err != nil {
		d.Log.Error("cannot encode a signal", slog.Any("error", err))
		return
	}
	d.Store.Notify(channelSignal, string(text))
}

// SignalHere sends a signal to the receivers of this node only.
func (d *Kernel) SignalHere(s Signal) {
	for _, receive := range d.signals.receivers {
		receive(s)
	}
}

// ListenSignals receives the signals of other nodes until ctx ends.
func (d *Kernel) ListenSignals(ctx context.Context) {
	d.Store.Listen(ctx, channelSignal, func(payload string) {
		s := Signal{Kind: SignalMissed}
		if payload != "" {
			if err := json.Unmarshal([]byte(payload), &s); err != nil || s.Node == d.signals.node {
				return
			}
		}
		d.SignalHere(s)
	})
}

// Wakeup wakes a loop that receives from C. Several notifications before it receives count as one.
type Wakeup struct{ C chan struct{} }

// TakeBack removes a pending notification.
func (s Wakeup) TakeBack() {
	select {
	case <-s.C:
	default:
	}
}

// Notify wakes the loop. It never blocks.
func (s Wakeup) Notify() {
	select {
	case s.C <- struct{}{}:
	default:
	}
}

// Wakeup returns the wakeup of the background work with the name.
func (d *Kernel) Wakeup(name string) Wakeup {
	w, _ := d.wakeups.LoadOrStore(name, Wakeup{make(chan struct{}, 1)})
	return w.(Wakeup)
}
