package api_test

import (
	"context"
	"testing"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/server"
	"recado/test/kerneltest"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestAKeyWithoutARateUsesTheConfiguredRate(t *testing.T) {
	ctx, raised, own := context.Background(), kernel.Rate{PerSecond: 7, Burst: 9}, kernel.Rate{PerSecond: 3, Burst: 4}
	kerneltest.EachURL(t, func(t *testing.T, url string) {
		var config server.Config
		w := servertest.Start(t, url, func(c *server.Config) { config = *c })
		plain, c := w.NewKey(t, w.A.ID, people.NewKey{Name: "plain", Scopes: kernel.NewScopeSet(people.ScopeRead)})
		testkit.Equal(t, "rate of a key without a rate", plain.Rate, config.Rate)
		_, limited := w.NewKey(t, w.A.ID, people.NewKey{Name: "own", Scopes: kernel.NewScopeSet(people.ScopeRead), Rate: &own})

		config.Rate = raised
		later, err := server.Open(ctx, config)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = later.Stop(ctx) }()
		for secret, want := range map[string]kernel.Rate{c.Secret(): raised, limited.Secret(): own} {
			if principal, err := later.Desk.People.Authenticate(ctx, secret); err != nil || principal.Rate != want {
				t.Errorf("principal: got %+v and error %v, want the rate %v", principal, err, want)
			}
		}
		operator, err := later.Desk.People.Operator(ctx, w.A.ID)
		if err != nil {
			t.Fatal(err)
		}
		keys, err := later.Desk.People.Keys(ctx, operator)
		if err != nil || keys[0].Rate != own || keys[1].Rate != raised {
			t.Errorf("keys: got %+v and error %v, want the rates %v and %v", keys, err, own, raised)
		}
	})
}
