// Package reports counts cases for managers. The transactions that change cases keep the figures up to date.
package reports

import (
	"time"

	"recado/internal/channels"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/talk"
)

// Reports has the verbs of the package.
type Reports struct {
	*kernel.Kernel
	queries  kernel.Expensive
	recounts kernel.Expensive // one at a time per company
}

// reportWait is how long a report waits for a slot: a page may show several, and a year of a large team takes a while.
const reportWait = 10 * time.Second

// New returns the verbs of reports. From then on cases are counted.
func New(t *talk.Talk, c *channels.Channels, p *people.People) *Reports {
	d := &Reports{Kernel: p.Kernel, queries: p.NewExpensive("reports", reportWait), recounts: p.NewQueue("recounts", 1, reportWait)}
	p.ObserveTeam(people.TeamObserver{ZoneChanges: d.recountZone})
	c.ObserveChannels(channels.ChannelObserver{PrivacyChanges: d.recountPrivacy})
	t.Observe(d.countCases())
	return d
}

// The days of a report.
const (
	DefaultReportDays = 30
	MaxReportDays     = 366
)
