package main

import (
	"context"
	"fmt"

	"recado/bench/load"
)

const minWithReception = 1 / 1.3 // of the rate without a reception

// runReception compares inbound messages with and without a reception. Every customer writes ten messages: the reception
// responds to the first with a menu, the second chooses an option, and the others follow.
func runReception(ctx context.Context, b *bench) error {
	var contenders []contender
	for i, name := range []string{"receive, reception on", "receive, reception off"} {
		s, err := b.serveTalk(ctx, smallTalk)
		if err != nil {
			return err
		}
		own := s.demo.Companies[0]
		menu := fmt.Sprintf(`{"enabled":%t,"greeting":"Olá!","menu":{"text":"Como podemos ajudar?","options":[
			{"title":"Vendas","action":{"sector":%q}},{"title":"Suporte","action":{"sector":%q}}]}}`,
			i == 0, own.Sectors[0], own.Sectors[1])
		if err := s.call(ctx, "PUT", "/channels/"+own.Channel+"/reception", menu, nil); err != nil {
			return err
		}
		v := &visits{talkServer: s, written: make([]int, b.conns)}
		contenders = append(contenders, contender{name, s.process, b.drive(s.address, v.write)})
	}
	outcomes, err := b.compare(ctx, contenders...)
	if err != nil {
		return err
	}
	b.add(minWithReception, outcomes[0], outcomes[1])
	return nil
}

// visits are customers who write ten messages each.
type visits struct {
	*talkServer
	written []int // by worker
}

func (v *visits) write(worker, _ int, r *load.Request) {
	n := v.written[worker]
	v.written[worker]++
	text := fmt.Sprint("Mensagem ", n)
	if n%10 == 1 {
		text = "1"
	}
	r.Method, r.Path = "POST", "/v1/channels/"+v.demo.Companies[0].Channel+"/simulate"
	r.Set("Authorization", v.bearer())
	r.Body = fmt.Appendf(r.Body, `{"from":"+55119%08d","text":%q}`, 10_000_000+worker*1_000_000+n/10, text)
}
