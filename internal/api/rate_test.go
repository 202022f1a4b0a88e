package api_test

import (
	"context"
	"testing"

	"recado/internal/desk"
	"recado/internal/model"
	"recado/internal/server"
	"recado/internal/servertest"
	"recado/internal/store/storetest"
)

func TestAKeyWithoutARateFollowsTheInstallation(t *testing.T) {
	ctx, raised, own := context.Background(), model.Rate{PerSecond: 7, Burst: 9}, model.Rate{PerSecond: 3, Burst: 4}
	storetest.EachURL(t, func(t *testing.T, url string) {
		var config server.Config
		w := servertest.Start(t, url, func(c *server.Config) { config = *c })
		plain, c := w.NewKey(t, w.A.ID, desk.NewKey{Name: "plain", Scopes: model.NewScopeSet(model.ScopeRead)})
		if plain.Rate != config.Rate {
			t.Errorf("want plain.Rate == config.Rate; got %+v", plain.Rate)
		}
		_, limited := w.NewKey(t, w.A.ID, desk.NewKey{Name: "own", Scopes: model.NewScopeSet(model.ScopeRead), Rate: &own})

		config.Rate = raised
		later, err := server.Open(ctx, config)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = later.Stop(ctx) }()
		for secret, want := range map[string]model.Rate{c.Secret(): raised, limited.Secret(): own} {
			if principal, err := later.Desk.System().Authenticate(ctx, secret); err != nil || principal.Rate != want {
				t.Errorf("%v, want %v: %v", principal, want, err)
			}
		}
		operator, err := later.Desk.System().Operator(ctx, w.A.ID)
		if err != nil {
			t.Fatal(err)
		}
		keys, err := later.Desk.Keys(ctx, operator)
		if err != nil || keys[0].Rate != own || keys[1].Rate != raised {
			t.Errorf("want err == nil and keys[0].Rate == own and keys[1].Rate == raised; got %+v, %+v", keys, err)
		}
	})
}
