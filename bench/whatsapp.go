package main

import (
	"context"
	"fmt"
	"time"

	"recado/bench/load"
	"recado/internal/channels/simulator"
)

// graph starts a simulated WhatsApp for all servers that start later. The bench sends the callbacks of customers itself,
// so the simulator does not know them and must not check the 24-hour window.
func (b *bench) graph() (*simulator.Simulator, error) {
	sim := simulator.New(simulator.Options{Window: "off", Delivery: simulator.Delivery{Batch: 50, Parallel: 4}})
	b.onClose(sim.Close)
	address, err := b.listen(sim)
	b.arguments = append(b.arguments, "--whatsapp-base-url", address)
	return sim, err
}

// number is a simulated WhatsApp number of the first company.
type number struct {
	*testServer
	channel string
	run     int64 // part of the message ids
}

func (s *testServer) connect(ctx context.Context) (*number, error) {
	var made struct{ ID string }
	body := fmt.Sprintf(`{"name":"bench","provider":"whatsapp",`+
		`"credentials":{"phone_number_id":%q,"waba_id":%q,"token":%q,"app_secret":%q}}`,
		simulator.DefaultNumberID, simulator.DefaultWABAID, simulator.DefaultToken, simulator.DefaultAppSecret)
	err := s.call(ctx, "POST", "/channels", body, &made)
	return &number{s, made.ID, time.Now().UnixNano()}, err
}

const callers = 500 // customers in callbacks

// callback sets a signed callback with that many unique messages.
func (n *number) callback(messages int) requestFunc {
	return func(_, i int, r *load.Request) {
		r.Method, r.Path = "POST", "/channels/"+n.channel+"/whatsapp"
		r.Body = append(r.Body, `{"object":"whatsapp_business_account","entry":[{"id":"`+simulator.DefaultWABAID+`","changes":[`...)
		for k := i * messages; k < (i+1)*messages; k++ {
			if k > i*messages {
				r.Body = append(r.Body, ',')
			}
			r.Body = fmt.Appendf(r.Body, `{"field":"messages","value":{"messaging_product":"whatsapp",`+
				`"metadata":{"display_phone_number":%q,"phone_number_id":%q},`+
				`"contacts":[{"profile":{"name":"Cliente %d"},"wa_id":"55117%08d"}],"messages":[{"from":"55117%08d",`+
				`"id":"wamid.bench.%d.%d","timestamp":"%d","type":"text","text":{"body":"Mensagem %d"}}]}}`,
				simulator.DefaultBusinessPhone, simulator.DefaultNumberID, k%callers, k%callers, k%callers, n.run, k, time.Now().Unix(), k)
		}
		r.Body = append(r.Body, `]}]}`...)
		r.Set("X-Hub-Signature-256", "sha256="+simulator.Sign(simulator.DefaultAppSecret, r.Body))
	}
}
