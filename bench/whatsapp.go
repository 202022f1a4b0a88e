package main

import (
	"context"
	"fmt"
	"time"

	"recado/bench/load"
	"recado/internal/channels/simulator"
)

// graph starts a simulated WhatsApp in this process, which servers started after it use. Customers write through signed
// callbacks that the bench makes itself, so the simulator must not check whether they wrote first.
func (b *bench) graph() (*simulator.Simulator, error) {
	sim := simulator.New(simulator.Options{Window: "off", Delivery: simulator.Delivery{Batch: 50, Parallel: 4}})
	b.onClose(sim.Close)
	address, err := b.listen(sim)
	b.arguments = append(b.arguments, "--whatsapp-base-url", address)
	return sim, err
}

// number is the simulator's WhatsApp number, connected to the first company.
type number struct {
	*servedBy
	channel string
	run     int64 // tells its message ids from those of other runs
}

func (s *servedBy) connect(ctx context.Context) (*number, error) {
	var made struct{ ID string }
	err := s.call(ctx, "POST", "/channels", fmt.Sprintf(`{"name":"bench","provider":"whatsapp","credentials":{"phone_number_id":%q,"waba_id":%q,"token":%q,"app_secret":%q}}`,
		simulator.DefaultNumberID, simulator.DefaultWABAID, simulator.DefaultToken, simulator.DefaultAppSecret), &made)
	return &number{s, made.ID, time.Now().UnixNano()}, err
}

// callers are the customers that the messages of callbacks come from, in turn.
const callers = 500

// callback is a call of Meta's with that many messages, signed as Meta signs; the i-th has messages that no other has.
func (n *number) callback(messages int) asking {
	return func(_, i int, r *load.Request) {
		r.Method, r.Path = "POST", "/channels/"+n.channel+"/whatsapp"
		r.Body = append(r.Body, `{"object":"whatsapp_business_account","entry":[{"id":"`+simulator.DefaultWABAID+`","changes":[`...)
		for k := i * messages; k < (i+1)*messages; k++ {
			if k > i*messages {
				r.Body = append(r.Body, ',')
			}
			r.Body = fmt.Appendf(r.Body, `{"field":"messages","value":{"messaging_product":"whatsapp","metadata":{"display_phone_number":%q,"phone_number_id":%q},`+
				`"contacts":[{"profile":{"name":"Cliente %d"},"wa_id":"55117%08d"}],"messages":[{"from":"55117%08d","id":"wamid.bench.%d.%d","timestamp":"%d","type":"text","text":{"body":"Mensagem %d"}}]}}`,
				simulator.DefaultBusinessPhone, simulator.DefaultNumberID, k%callers, k%callers, k%callers, n.run, k, time.Now().Unix(), k)
		}
		r.Body = append(r.Body, `]}]}`...)
		r.Set("X-Hub-Signature-256", "sha256="+simulator.Sign(simulator.DefaultAppSecret, r.Body))
	}
}
