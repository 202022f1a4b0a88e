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
			companies: map[kernel.ID]kernel.ID{}, here: map[kernel.ID]kernel.ID{}, there: map[kernel.ID]kernel.ID{},
		},
	}
	if d.retries == nil {
		d.retries = kernel.DefaultRetries
	}
	d.feeds = d.NewExpensive("reads of the feed", feedWait)
	d.CheckSubjects(SubjectWebhook, func(_ *kernel.Tx, a *kernel.Principal, _ kernel.ID) error { return maySeeEveryEvent(a) })
	if d.Store != nil {
		d.Store.SetHooks(kernel.Hooks{Event: d.deliver, ExpectEvents: expectEvents})
	}
	return d
}

const countWebhooks kernel.Countable = `SELECT COUNT(*) FROM webhooks WHERE company = $1`

const (
	// MaxWebhooks is the maximum number of webhooks of a company.
	MaxWebhooks = 20
	// MaxWebhookFailures is the number of deliveries in a row that fail permanently before a webhook is disabled.
	MaxWebhookFailures = 10
	// WebhookTimeout limits the time of a request to a webhook, including its response.
	WebhookTimeout = 8 * time.Second
	// DeliveryRetention is how long deliveries are kept.
	DeliveryRetention = 14 * 24 * time.Hour
	// SecretOverlap is how long deliveries are also signed with the previous secret after a rotation.
	SecretOverlap = 24 * time.Hour
)

// SubjectWebhook is the subject of responses about webhooks. A principal may see all webhooks or none.
const SubjectWebhook = "webhook"

// ChannelDeliver is the notification channel by which nodes wake each other's delivery loops.
const ChannelDeliver = "recado_deliver"

// WebhookTest is the event of a test delivery. Only the tested webhook gets it.
var WebhookTest = kernel.RegisterEvent(kernel.EventInfo{
	Type: "webhook.test", Unlisted: true,
	Description: "A test event, requested for one webhook.",
})

// LimitStreams limits the streams of a company that are open on a node.
var LimitStreams = kernel.RegisterLimit("streams", 200)

const leaseWebhook = "webhook"

// The verbs of webhooks and events.
var (
	VerbWebhooks            = kernel.Listed(kernel.Verb{Name: "Webhooks", Scope: people.ScopeWebhooksManage})
	VerbWebhook             = kernel.Listed(kernel.Verb{Name: "Webhook", Scope: people.ScopeWebhooksManage})
	VerbCreateWebhook       = kernel.Listed(kernel.Verb{Name: "CreateWebhook", Scope: people.ScopeWebhooksManage})
	VerbUpdateWebhook       = kernel.Listed(kernel.Verb{Name: "UpdateWebhook", Scope: people.ScopeWebhooksManage})
	VerbDeleteWebhook       = kernel.Listed(kernel.Verb{Name: "DeleteWebhook", Scope: people.ScopeWebhooksManage})
	VerbRotateWebhookSecret = kernel.Listed(kernel.Verb{Name: "RotateWebhookSecret", Scope: people.ScopeWebhooksManage})
	VerbTestWebhook         = kernel.Listed(kernel.Verb{Name: "TestWebhook", Scope: people.ScopeWebhooksManage})
	VerbDeliveries          = kernel.Listed(kernel.Verb{Name: "Deliveries", Scope: people.ScopeWebhooksManage})
	VerbDelivery            = kernel.Listed(kernel.Verb{Name: "Delivery", Scope: people.ScopeWebhooksManage})
	VerbRedeliver           = kernel.Listed(kernel.Verb{Name: "Redeliver", Scope: people.ScopeWebhooksManage})
	VerbWebhookEvents       = kernel.Listed(kernel.Verb{Name: "WebhookEvents", Scope: people.ScopeWebhooksManage})
	VerbEvents              = kernel.Listed(kernel.Verb{Name: "Events", Scope: people.ScopeEventsRead})
	VerbFeedStart           = kernel.Listed(kernel.Verb{Name: "FeedStart", Scope: people.ScopeEventsRead})
	VerbLive                = kernel.Listed(kernel.Verb{Name: "Live", SessionOnly: true})
)
