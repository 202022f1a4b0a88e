package live

import (
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/webhooks"
)

// Sources are what streams are fed from: signals, the sessions of people, and the feed of events.
type Sources struct {
	*kernel.Kernel
	people   *people.People
	webhooks *webhooks.Webhooks
}

// NewSources returns the sources of a process.
func NewSources(p *people.People, w *webhooks.Webhooks) *Sources {
	return &Sources{Kernel: p.Kernel, people: p, webhooks: w}
}
