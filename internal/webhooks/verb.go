package webhooks

import (
	"recado/internal/kernel"
)

// The verbs of webhooks and events.
var (
	// Webhooks and events.
	VerbWebhooks            = kernel.Listed(kernel.Verb{Name: "Webhooks", Scope: kernel.ScopeWebhooksManage})
	VerbWebhook             = kernel.Listed(kernel.Verb{Name: "Webhook", Scope: kernel.ScopeWebhooksManage})
	VerbCreateWebhook       = kernel.Listed(kernel.Verb{Name: "CreateWebhook", Scope: kernel.ScopeWebhooksManage})
	VerbUpdateWebhook       = kernel.Listed(kernel.Verb{Name: "UpdateWebhook", Scope: kernel.ScopeWebhooksManage})
	VerbDeleteWebhook       = kernel.Listed(kernel.Verb{Name: "DeleteWebhook", Scope: kernel.ScopeWebhooksManage})
	VerbRotateWebhookSecret = kernel.Listed(kernel.Verb{Name: "RotateWebhookSecret", Scope: kernel.ScopeWebhooksManage})
	VerbTestWebhook         = kernel.Listed(kernel.Verb{Name: "TestWebhook", Scope: kernel.ScopeWebhooksManage})
	VerbDeliveries          = kernel.Listed(kernel.Verb{Name: "Deliveries", Scope: kernel.ScopeWebhooksManage})
	VerbDelivery            = kernel.Listed(kernel.Verb{Name: "Delivery", Scope: kernel.ScopeWebhooksManage})
	VerbRedeliver           = kernel.Listed(kernel.Verb{Name: "Redeliver", Scope: kernel.ScopeWebhooksManage})
	VerbWebhookEvents       = kernel.Listed(kernel.Verb{Name: "WebhookEvents", Scope: kernel.ScopeWebhooksManage})
	VerbEvents              = kernel.Listed(kernel.Verb{Name: "Events", Scope: kernel.ScopeEventsRead})
	VerbFollow              = kernel.Listed(kernel.Verb{Name: "Follow", Scope: kernel.ScopeEventsRead})
	VerbFeedEnd             = kernel.Listed(kernel.Verb{Name: "FeedEnd", Scope: kernel.ScopeEventsRead})
	VerbFeedChanged         = kernel.Listed(kernel.Verb{Name: "FeedChanged", Scope: kernel.ScopeEventsRead})
	VerbLive                = kernel.Listed(kernel.Verb{Name: "Live", SessionOnly: true})
)
