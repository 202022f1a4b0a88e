package webhooks

import (
	"recado/internal/kernel"
	"recado/internal/people"
)

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
