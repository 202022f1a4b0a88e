// Package reception has what answers customers and finds them a person: opening hours, menus and the distribution of cases.
package reception

import (
	"sync"

	"recado/internal/channels"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/talk"
)

// Receptionist has the verbs of the package.
type Receptionist struct {
	*kernel.Kernel
	people     *people.People
	channels   *channels.Channels
	talk       *talk.Talk
	receptions sync.Map // channel -> *knownReception
	shownMenus shownMenus
}

// New returns the verbs of reception, and lets receptions answer customers.
func New(t *talk.Talk, c *channels.Channels, p *people.People) *Receptionist {
	d := &Receptionist{Kernel: p.Kernel, people: p, channels: c, talk: t}
	t.Observe(d.answerCustomers())
	return d
}
