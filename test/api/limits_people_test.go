package api_test

import (
	"fmt"
	"strings"
	"testing"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/talk"
	"recado/test/servertest"
)

func TestACompanyHasALimitedNumberOfInvitations(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		invite := func(n int) *servertest.Answer {
			return w.A.Post(t, "/team/invitations", fmt.Sprintf(`{"email":"p%d@padaria.example","name":"Bia","role":"agent","access_profile":"all"}`, n))
		}
		for n := range 4 {
			invite(n).OK(201)
		}
		if refused := invite(4).Fails(409, "limit_reached"); !strings.Contains(refused.Text("message"), "4 invitations") {
			t.Errorf("the message does not name the limit: %s", refused.Raw)
		}
		again := invite(3).OK(201) // it replaces the earlier invitation
		w.A.Delete(t, "/team/invitations/"+again.ID()).OK(204)
		invite(4).OK(201)
		w.B.Post(t, "/team/invitations", `{"email":"p@padaria.example","name":"Bia","role":"agent","access_profile":"all"}`).OK(201)
	}, withLimits(kernel.Limits{"invitations": 4}))
}

func TestAnAcceptedInvitationAddsNoMembershipsBeyondTheLimit(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		sectors := []string{w.A.Post(t, "/sectors", `{"name":"Vendas"}`).OK(201).ID(), w.A.Post(t, "/sectors", `{"name":"Caixa"}`).OK(201).ID()}
		accept := func(n int) *servertest.Answer {
			made := w.A.Post(t, "/team/invitations", map[string]any{
				"email": fmt.Sprintf("p%d@padaria.example", n), "name": "Bia", "role": "agent", "access_profile": "all", "sector_ids": sectors,
			}).OK(201)
			return w.A.Visitor().Post(t, "/welcome", map[string]string{"token": tokenOf(t, made.Text("url")), "password": password})
		}
		accept(1).OK(200)
		accept(2).Fails(409, "limit_reached")
	}, withLimits(kernel.Limits{"memberships": 3}))
}

func TestAPersonHasALimitedNumberOfSessions(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		_, email := member(t, w.A.Client, "Ana")
		_, other := member(t, w.A.Client, "Bia")
		bia := w.A.SignIn(t, other, password)
		first := w.A.SignIn(t, email, password)
		var last *servertest.Client
		for range people.MaxSessions {
			last = w.A.SignIn(t, email, password)
		}
		if n := len(last.Get(t, "/sessions").OK(200).List()); n != people.MaxSessions {
			t.Errorf("got %d sessions, want %d", n, people.MaxSessions)
		}
		first.Get(t, "/session").Fails(401, "session_missing")
		bia.Get(t, "/session").OK(200)
	})
}

func TestACompanyHasALimitedNumberOfSharedViews(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		_, first := member(t, w.A.Client, "Mia", `"role":"manager"`)
		_, second := member(t, w.A.Client, "Rui", `"role":"manager"`)
		mia, rui := w.A.SignIn(t, first, password), w.A.SignIn(t, second, password)
		for range talk.MaxSharedViews {
			mia.Post(t, "/views", `{"name":"x","query":{},"shared":true}`).OK(201)
		}
		rui.Post(t, "/views", `{"name":"x","query":{},"shared":true}`).Fails(409, "limit_reached")
		own := rui.Post(t, "/views", `{"name":"x","query":{}}`).OK(201).ID()
		rui.Patch(t, "/views/"+own, `{"shared":true}`).Fails(409, "limit_reached")
		shared := mia.Get(t, "/views").OK(200).Text("data", 0, "id")
		rui.Patch(t, "/views/"+shared, `{"shared":true,"name":"y"}`).OK(200)
		rui.Delete(t, "/views/"+shared).OK(204)
		rui.Patch(t, "/views/"+own, `{"shared":true}`).OK(200)
	})
}
