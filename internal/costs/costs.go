// Package costs computes what messages cost: from what WhatsApp reports about them and the prices that the company has entered.
package costs

import (
	"time"

	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/talk"
)

// The verbs of costs.
var (
	VerbRates             = kernel.Listed(kernel.Verb{Name: "Rates", Scope: people.ScopeCompanyManage})
	VerbSetRates          = kernel.Listed(kernel.Verb{Name: "SetRates", Scope: people.ScopeCompanyManage, Role: kernel.RoleAdmin})
	VerbBudget            = kernel.Listed(kernel.Verb{Name: "Budget", Scope: people.ScopeCompanyManage})
	VerbUpdateBudget      = kernel.Listed(kernel.Verb{Name: "UpdateBudget", Scope: people.ScopeCompanyManage, Role: kernel.RoleAdmin})
	VerbCostReport        = kernel.Listed(kernel.Verb{Name: "CostReport", Scope: people.ScopeReportsRead})
	VerbConversationRates = kernel.Listed(kernel.Verb{Name: "ConversationRates", Scope: people.ScopeMessagesSend})
)

// Costs has the verbs of the package.
type Costs struct {
	*kernel.Kernel
	talk    *talk.Talk
	queries kernel.Expensive
}

// reportWait is how long a report waits for a slot.
const reportWait = 10 * time.Second

// New returns the verbs of costs. From then on the messages whose pricing WhatsApp reports are counted.
func New(t *talk.Talk, p *people.People) *Costs {
	d := &Costs{Kernel: p.Kernel, talk: t, queries: p.NewExpensive("cost reports", reportWait)}
	t.Observe(talk.Observer{Priced: d.priced, MayAutomate: mayAutomate})
	return d
}

// HTTP returns what the package adds to the API.
func (d *Costs) HTTP() httpserver.Capability {
	return httpserver.Capability{
		Routes: []*httpserver.Route{
			httpserver.Get("/company/rates", VerbRates, "Get the prices of messages", httpserver.NoInput(d.Rates), httpserver.Named("getRates")),
			httpserver.Put("/company/rates", VerbSetRates, "Set the prices of messages", d.setRates,
				httpserver.Named("setRates"),
				httpserver.Example(`{"currency": "BRL", "free_service_per_month": 1000, "rates": [{"country": "BR", "category": "marketing", "amount": 0.3125, "from": "2026-10-01"}, {"country": "*", "category": "utility", "amount": 0.05, "from": "2026-10-01"}]}`),
				httpserver.About("Requires the role admin or owner. Replaces all prices. The server has no prices of its own: enter those of your agreement with WhatsApp. "+
					"The price of a message is the rate of its category with the latest from that is not after the day of the message: the one of the country of "+
					"the recipient's number, or else the one of *. Without a rate the amount is null. Amounts of earlier messages stay as they are.")),
			httpserver.Get("/company/budget", VerbBudget, "Get the budget for messages", httpserver.NoInput(d.Budget), httpserver.Named("getBudget")),
			httpserver.Patch("/company/budget", VerbUpdateBudget, "Change the budget for messages", d.updateBudget,
				httpserver.Named("updateBudget"),
				httpserver.Example(`{"monthly_amount": 500, "warn_percent": 80}`),
				httpserver.About("Requires the role admin or owner. The budget applies to a calendar month in the company's time zone. The owners are notified once a month "+
					"when warn_percent of it is spent. When all of it is spent, automatic messages fail with budget_reached and surveys are not sent, until the "+
					"budget is raised or the month ends. Messages of people, integrations and scheduled messages are never stopped.")),
			httpserver.Get("/reports/cost", VerbCostReport, "Report on the cost of messages", d.costReport,
				httpserver.AsTool(httpserver.Tool{Name: "get_cost_report"}), httpserver.CSV("cost", nil),
				httpserver.About("Returns what messages cost, by the day on which they were sent in the company's time zone. If from and to are absent, the report covers "+
					"the last 30 days; with only from, it ends today; with only to, it covers 30 days. "+
					"by=day returns every day in order; other rows are ordered by their total. user is the person who sent the message. "+
					"Amounts in a currency other than the present one are not added. Private numbers are not counted.")),
			httpserver.Get("/conversations/{id}/rates", VerbConversationRates, "Estimate the price of a message", d.conversationRates,
				httpserver.Named("getConversationRates"),
				httpserver.About("Returns what one message to the customer of the conversation would cost now, by category. An amount is null if the company has no rate for it.")),
		},
	}
}
