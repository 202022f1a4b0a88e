// Package reports counts cases for managers. The figures are kept up to date by the transactions that change cases.
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
	recounts kernel.Expensive // of a company one at a time
}

// reportWait is how long a report waits for its turn: a page may show several, and a year of a large team takes a while.
const reportWait = 10 * time.Second

// New returns the verbs of reports, and counts cases from then on.
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
