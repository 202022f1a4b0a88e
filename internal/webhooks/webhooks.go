// Package webhooks delivers events to other systems: by webhooks and by the feed of events.
package webhooks

import (
	"math"
	"time"

	"recado/internal/guard"
	"recado/internal/kernel"
	"recado/internal/limits"
	"recado/internal/people"
)

// Webhooks has the verbs of the package.
type Webhooks struct {
	*kernel.Kernel
	guard    *guard.Client
	brand    brand
	retries  kernel.Retries
	feeds    kernel.Expensive               // reads of the feed that scan very many events
	catchUps *limits.Concurrency[kernel.ID] // reads of the feed by streams that are behind, by company
	tests    *limits.Concurrency[kernel.ID] // of webhooks, by company
	allTests *limits.Concurrency[struct{}]
	due      dueWebhooks
}

// feedWait is how long a read of the feed waits for a slot before it returns a short page.
const feedWait = 2 * time.Second

// catchUpsAtOnce is how many streams of a company read past events at once; the others wait.
const catchUpsAtOnce = 4

// Options say how webhooks are delivered.
type Options struct {
	Guard   *guard.Client
	Brand   string         // in the X-<Brand>-* headers of deliveries; "": Service
	Retries kernel.Retries // of deliveries; nil: kernel.DefaultRetries
}

// New returns the verbs of webhooks. From then on every event is delivered.
func New(p *people.People, o Options) *Webhooks {
	d := &Webhooks{
		Kernel: p.Kernel, guard: o.Guard, brand: newBrand(o.Brand), retries: o.Retries,
		catchUps: limits.NewConcurrency[kernel.ID](catchUpsAtOnce, math.MaxInt64),
		tests:    limits.NewConcurrency[kernel.ID](companyTests, 0),
		allTests: limits.NewConcurrency[struct{}](maxTests, 0),
		due: dueWebhooks{
			companies: map[kernel.ID]kernel.ID{}, here: map[kernel.ID]struct{}{}, there: map[kernel.ID]struct{}{},
		},
	}
	if d.retries == nil {
		d.retries = kernel.DefaultRetries
	}
	d.feeds = d.NewExpensive("reads of the feed", feedWait)
	d.CheckSubjects(SubjectWebhook, checkWebhook)
	if d.Store != nil {
		d.Store.SetHooks(kernel.Hooks{Event: d.deliver, ExpectEvents: expectEvents})
	}
	return d
}

const countWebhooks kernel.Countable = `SELECT COUNT(*) FROM webhooks WHERE company = $1`
