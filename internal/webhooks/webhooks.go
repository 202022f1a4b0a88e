// Package webhooks tells others what happens: it has the feed of events, the webhooks that get them, and their deliveries.
package webhooks

import (
	"time"

	"recado/internal/guard"
	"recado/internal/kernel"
	"recado/internal/limits"
	"recado/internal/people"
)

// Webhooks has the verbs of the package.
type Webhooks struct {
	*kernel.Kernel
	people    *people.People
	guard     *guard.Client
	brand     brand
	retries   kernel.Retries
	feeds     kernel.Expensive               // reads of the feed that look through very many events
	tests     *limits.Concurrency[kernel.ID] // of webhooks, by company
	testing   *limits.Concurrency[struct{}]  // likewise, of all companies
	due       due
	followers followers
}

// feedWait is how long a read of the feed waits for its turn before its page stays short.
const feedWait = 2 * time.Second

// Options say how webhooks are delivered.
type Options struct {
	Guard   *guard.Client
	Brand   string         // in the X-<Brand>-* headers of deliveries; "": Service
	Retries kernel.Retries // of deliveries; nil: kernel.DefaultRetries
}

// New returns the verbs of webhooks, and has every event delivered from then on.
func New(p *people.People, o Options) *Webhooks {
	d := &Webhooks{Kernel: p.Kernel, people: p, guard: o.Guard, brand: newBrand(o.Brand), retries: o.Retries}
	if d.retries == nil {
		d.retries = kernel.DefaultRetries
	}
	d.feeds = d.NewExpensive("reads of the feed", feedWait)
	d.tests, d.testing = limits.NewConcurrency[kernel.ID](companyTests, 0), limits.NewConcurrency[struct{}](maxTests, 0)
	d.CheckSubjects(SubjectWebhook, checkWebhook)
	if d.Store != nil {
		d.Store.SetHooks(kernel.Hooks{Event: d.deliver, ExpectEvents: expectEvents})
	}
	return d
}

// countWebhooks counts towards a limit of the company.
const countWebhooks kernel.Countable = `SELECT COUNT(*) FROM webhooks WHERE company = $1`
