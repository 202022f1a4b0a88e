// Package reception answers customers automatically and assigns their cases: opening hours, menus and distribution.
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
	receptions sync.Map // channel -> *cachedReception
	shownMenus shownMenus
}

// New returns the verbs of reception. From then on receptions answer customers.
func New(t *talk.Talk, c *channels.Channels, p *people.People) *Receptionist {
	d := &Receptionist{Kernel: p.Kernel, people: p, channels: c, talk: t}
	t.Observe(talk.Observer{CustomerWrote: d.answerCustomer})
	return d
}
