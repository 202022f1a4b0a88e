package admin

import (
	"recado/internal/channels/provider"
	"recado/internal/costs"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/talk"
)

// examplePrice is the price of every category in the demo. It is an example, not a price of WhatsApp.
const examplePrice = kernel.Amount(1_000_000)

// costs prices the team's messages, for the report: most are free replies, some are charged.
func (m *maker) costs() error {
	if len(m.plan.weeks) == 0 {
		return nil
	}
	rates := costs.MessageRates{Currency: new("BRL")}
	for _, category := range []string{"marketing", "utility"} {
		rates.Rates = append(rates.Rates, costs.MessageRate{Country: "*", Category: category, Amount: examplePrice, From: "2026-01-01"})
	}
	if _, err := m.desk.Costs.SetRates(m.ctx, m.owner, rates); err != nil {
		return err
	}
	sent, err := kernel.Read(m.ctx, m.desk.Kernel, func(tx *kernel.Tx) ([]string, error) {
		return kernel.Rows(tx, `
			SELECT external_id
			FROM messages
			WHERE company = $1 AND channel = $2 AND direction = 'outbound' AND external_id IS NOT NULL
			ORDER BY id`, []any{m.out.ID, m.out.Channel}, func(r db.Row) string { return r.Text("external_id") })
	})
	if err != nil {
		return err
	}
	var items []provider.Incoming
	for i, id := range sent {
		pricing := &provider.Pricing{Category: talk.CategoryService, Type: "free_customer_service"}
		switch i % 12 {
		case 3, 8:
			pricing = &provider.Pricing{Category: "utility", Type: "regular", Billable: true}
		case 11:
			pricing = &provider.Pricing{Category: "marketing", Type: "regular", Billable: true}
		}
		items = append(items, provider.Incoming{Status: &provider.IncomingStatus{ExternalID: id, Status: provider.StatusSent, Pricing: pricing}})
	}
	return m.desk.Talk.Receive(m.ctx, m.out.ID, m.out.Channel, items)
}
