package webhooks

import (
	"time"

	"recado/internal/kernel"
)

const (
	// MaxWebhooks is the maximum number of webhooks of a company.
	MaxWebhooks = 20
	// MaxWebhookFailures is the number of deliveries in a row that fail permanently before a webhook is disabled.
	MaxWebhookFailures = 10
	// WebhookTimeout limits the time of a request to a webhook, including its response.
	WebhookTimeout = 8 * time.Second
	// DeliveryRetention is how long deliveries are kept.
	DeliveryRetention = 14 * 24 * time.Hour
	// EventRetention is how long events are kept.
	EventRetention = 14 * 24 * time.Hour
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

// leaseWebhook is the kind of the leases of webhooks.
const leaseWebhook = "webhook"
