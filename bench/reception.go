package main

import (
	"context"
	"fmt"

	"recado/bench/load"
)

// leastWithReception is what receiving with a reception is to reach of receiving without one: at most 1.3 times the cost.
const leastWithReception = 1 / 1.3

// runReception lets customers write to a channel with a reception, beside one without. Every customer writes ten messages: the first
// opens an attendance, which the reception answers with a menu, the second chooses, and the others follow.
func runReception(ctx context.Context, b *bench) error {
	var contenders []contender
	for i, name := range []string{"receive, reception on", "receive, reception off"} {
		s, err := b.serveTalk(ctx, littleTalk)
		if err != nil {
			return err
		}
		own := s.demo.Companies[0]
		menu := fmt.Sprintf(`{"enabled":%t,"greeting":"Olá!","menu":{"text":"Como podemos ajudar?","options":[
			{"title":"Vendas","action":{"sector":%q}},{"title":"Suporte","action":{"sector":%q}}]}}`, i == 0, own.Sectors[0], own.Sectors[1])
		if err := s.call(ctx, "PUT", "/channels/"+own.Channel+"/reception", menu, nil); err != nil {
			return err
		}
		v := &visits{talking: s, written: make([]int, b.conns)}
		contenders = append(contenders, contender{name, s.process, b.drive(s.address, v.write)})
	}
	outcomes, err := b.compare(ctx, contenders...)
	if err != nil {
		return err
	}
	b.add(leastWithReception, outcomes[0], outcomes[1])
	return nil
}

// visits are customers of whom each writes ten messages, one after the other.
type visits struct {
	*talking
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
