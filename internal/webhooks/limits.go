package webhooks

import (
	"time"

	"recado/internal/kernel"
)

const (
	// MaxWebhooks is how many webhooks a company may have.
	MaxWebhooks = 20
	// MaxWebhookFailures is how many deliveries in a row may fail permanently before a webhook is disabled.
	MaxWebhookFailures = 10
	// WebhookTimeout is the time that a receiver has for its whole response.
	WebhookTimeout = 8 * time.Second
	// DeliveryRetention is how long deliveries are kept.
	DeliveryRetention = 14 * 24 * time.Hour
	// EventRetention is how long events are kept.
	EventRetention = 14 * 24 * time.Hour
	// SecretOverlap is how long deliveries are also signed with a replaced secret.
	SecretOverlap = 24 * time.Hour
)

// SubjectWebhook is the subject of responses about webhooks. Who may see one may see all.
const SubjectWebhook = "webhook"

// ChannelDeliver is the name under which nodes wake each other's deliveries.
const ChannelDeliver = "recado_deliver"

// WebhookTest is the event of a test delivery, which goes to one webhook only.
var WebhookTest = kernel.RegisterEvent(kernel.EventInfo{
	Type: "webhook.test", Unlisted: true,
	Description: "A test of one webhook, requested by its owner.",
})

// Limits of each company.
var (
	LimitStreams = kernel.RegisterLimit("streams", 200) // open at once on a node
)

// leaseWebhook is the kind of lease that the node has which delivers to a webhook.
const leaseWebhook = "webhook"
