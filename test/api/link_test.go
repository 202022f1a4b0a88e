package api_test

import (
	"fmt"
	"net/url"
	"sync"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/test/servertest"
	"recado/test/testkit"
)

// resetToken issues a reset link for a member and returns its token.
func resetToken(t *testing.T, issuer *servertest.Client, member string) string {
	t.Helper()
	return tokenOf(t, issuer.Post(t, "/team/"+member+"/reset-link", nil).OK(200).Text("url"))
}

// invitationToken invites an agent and returns the token. fields has additional fields of the body.
func invitationToken(t *testing.T, issuer *servertest.Client, fields string) string {
	t.Helper()
	body := fmt.Sprintf(`{"email":"x@%s.example","name":"Xu","role":"agent"%s}`, kernel.NewID(), fields)
	return tokenOf(t, issuer.Post(t, "/team/invitations", body).OK(201).Text("url"))
}

// expectExpiredLink checks that a link is refused like one that does not exist.
func expectExpiredLink(t *testing.T, w *servertest.World, token string) {
	t.Helper()
	w.A.Visitor().Get(t, "/welcome?token="+url.QueryEscape(token)).Fails(404, "not_found")
	w.A.Visitor().Post(t, "/welcome", map[string]string{"token": token, "password": password}).Fails(404, "not_found")
	w.Clock.Advance(time.Hour) // wrong tokens are throttled
}

// useLink uses a link and returns the new session.
func useLink(t *testing.T, w *servertest.World, token string) *servertest.Client {
	t.Helper()
	w.A.Visitor().Get(t, "/welcome?token="+url.QueryEscape(token)).OK(200)
	return w.A.WithSession(t, w.A.Visitor().Post(t, "/welcome", map[string]string{"token": token, "password": password}).OK(200))
}

func TestAResetLinkExpiresWhenItsMembersRightsChange(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		sector := w.A.Post(t, "/sectors", `{"name":"Vendas"}`).OK(201).ID()
		other := w.A.Post(t, "/sectors", `{"name":"Suporte"}`).OK(201).ID()
		owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
		channel := owner.Post(t, "/channels", `{"name":"Board","phone":"+551140028922","provider":"sandbox","private":true}`).OK(201).ID()
		_, email := member(t, w.A.Client, "Mia", `"role":"manager"`)
		manager := w.A.SignIn(t, email, password)
		for name, change := range map[string]func(agent string){
			"role":           func(agent string) { w.A.Patch(t, "/team/"+agent, `{"role":"owner"}`).OK(200) },
			"a lower role":   func(agent string) { w.A.Patch(t, "/team/"+agent, `{"role":"agent"}`).OK(200) },
			"access profile": func(agent string) { w.A.Patch(t, "/team/"+agent, `{"access_profile":"all"}`).OK(200) },
			"sectors": func(agent string) {
				w.A.Patch(t, "/team/"+agent, map[string]any{"sector_ids": []string{sector, other}}).OK(200)
			},
			"members of a sector": func(agent string) {
				w.A.Patch(t, "/sectors/"+other, map[string]any{"member_ids": []string{agent}}).OK(200)
			},
			"viewers": func(agent string) {
				owner.Patch(t, "/channels/"+channel, map[string]any{"viewers": []string{w.A.Owner.ID.String(), agent}}).OK(200)
			},
			"removal": func(agent string) { w.A.Delete(t, "/team/"+agent).OK(204) },
		} {
			issuer, role := manager, "agent"
			if name == "a lower role" {
				issuer, role = owner, "manager"
			}
			agent, _ := member(t, w.A.Client, "Bia", `"access_profile":"sectors"`, `"sector_ids":["`+sector+`"]`, `"role":"`+role+`"`)
			token := resetToken(t, issuer, agent)
			change(agent)
			t.Run(name, func(t *testing.T) { expectExpiredLink(t, w, token) })
		}
		t.Run("a change of the name keeps the link valid", func(t *testing.T) {
			agent, _ := member(t, w.A.Client, "Bia", `"access_profile":"sectors"`, `"sector_ids":["`+sector+`"]`)
			token := resetToken(t, manager, agent)
			w.A.Patch(t, "/team/"+agent, map[string]any{"name": "Beatriz", "role": "agent", "access_profile": "sectors", "sector_ids": []string{sector}}).OK(200)
			useLink(t, w, token)
			expectExpiredLink(t, w, token)
		})
	})
}

// TestALinkWorksOnlyWhileItsIssuerMayIssueIt changes the issuers of reset links and invitations.
func TestALinkWorksOnlyWhileItsIssuerMayIssueIt(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		sector := w.A.Post(t, "/sectors", `{"name":"Vendas"}`).OK(201).ID()
		patch := func(body string) func(issuer, key string) {
			return func(issuer, _ string) { w.A.Patch(t, "/team/"+issuer, body).OK(200) }
		}
		for name, test := range map[string]struct {
			role   string
			change func(issuer, key string)
			ends   bool
		}{
			"removed":                       {"manager", func(issuer, _ string) { w.A.Delete(t, "/team/"+issuer).OK(204) }, true},
			"who may no longer issue links": {"manager", patch(`{"role":"agent"}`), true},
			"with a lower role":             {"admin", patch(`{"role":"manager"}`), true},
			"lowered and raised again":      {"manager", func(issuer, _ string) { patch(`{"role":"agent"}`)(issuer, ""); patch(`{"role":"manager"}`)(issuer, "") }, true},
			"who sees less":                 {"manager", patch(`{"access_profile":"own"}`), true},
			"who sees some sectors":         {"manager", patch(`{"access_profile":"sectors","sector_ids":["` + sector + `"]}`), true},
			"with a higher role":            {"manager", patch(`{"role":"owner"}`), false},
			"with another name":             {"manager", patch(`{"name":"Maria"}`), false},
			"whose key is revoked":          {"admin", func(_, key string) { w.A.Delete(t, "/keys/"+key).OK(204) }, true},
			"whose key has expired":         {"admin", func(string, string) { w.Clock.Advance(90 * time.Minute) }, true},
			"whose key has another secret":  {"admin", func(_, key string) { w.A.Post(t, "/keys/"+key+"/rotate", nil).OK(200) }, false},
		} {
			t.Run("an issuer "+name, func(t *testing.T) {
				issuer, email := member(t, w.A.Client, "Mia", `"role":"`+test.role+`"`)
				agent, _ := member(t, w.A.Client, "Bia")
				client, key := w.A.SignIn(t, email, password), ""
				if test.role == "admin" && name != "with a lower role" {
					made := client.Post(t, "/keys", map[string]any{
						"name": "Joins", "scopes": []string{"team:read", "team:manage"}, "expires_at": w.Clock.Now().Add(time.Hour).Format(time.RFC3339),
					}).OK(201)
					client, key = w.A.As(made.Text("key")), made.ID()
				}
				reset, invited := resetToken(t, client, agent), invitationToken(t, client, "")
				test.change(issuer, key)
				if test.ends {
					expectExpiredLink(t, w, reset)
					expectExpiredLink(t, w, invited)
					return
				}
				useLink(t, w, reset)
				useLink(t, w, invited)
			})
		}
	})
}

func TestAnInvitationFromARemovedIssuerIsNotListed(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id, email := member(t, w.A.Client, "Mia", `"role":"manager"`)
		manager := w.A.SignIn(t, email, password)
		useLink(t, w, invitationToken(t, manager, ""))
		invitationToken(t, manager, "")
		w.A.Delete(t, "/team/"+id).OK(204)
		listed := w.A.Get(t, "/team/invitations").OK(200)
		testkit.Diff(t, "invitations", len(listed.List()), 1)
		if listed.At("data", 0, "accepted_at") == nil {
			t.Errorf("invitations: got %s, want only the accepted one", listed.Raw)
		}
	})
}

func TestAnInvitationToARemovedSectorIsStillValid(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		sector := w.A.Post(t, "/sectors", `{"name":"Vendas"}`).OK(201).ID()
		gone := w.A.Post(t, "/sectors", `{"name":"Suporte"}`).OK(201).ID()
		_, email := member(t, w.A.Client, "Mia", `"role":"manager"`, `"access_profile":"sectors"`, `"sector_ids":["`+sector+`","`+gone+`"]`)
		token := invitationToken(t, w.A.SignIn(t, email, password), `,"access_profile":"sectors","sector_ids":["`+sector+`","`+gone+`"]`)
		w.A.Delete(t, "/sectors/"+gone).OK(204)
		sectors := useLink(t, w, token).Get(t, "/session").OK(200).At("user", "sectors")
		testkit.Diff(t, "sectors", sectors, []any{map[string]any{"id": sector, "name": "Vendas"}})
	})
}

func TestResetLinksExpireWithTheirMembersSessions(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for name, end := range map[string]func(id string, agent *servertest.Client){
			"a new password": func(_ string, agent *servertest.Client) {
				agent.Patch(t, "/me", map[string]any{"password": map[string]string{"current": password, "new": "another password"}}).OK(200)
			},
			"signing out everywhere":  func(_ string, agent *servertest.Client) { agent.Delete(t, "/sessions").OK(204) },
			"signed out by a manager": func(id string, _ *servertest.Client) { w.A.Delete(t, "/team/"+id+"/sessions").OK(204) },
			"a password set by the operator": func(id string, agent *servertest.Client) {
				email := w.A.Get(t, "/team/"+id).OK(200).Text("email")
				if err := w.Desk.People.SetPassword(t.Context(), w.A.ID, email, "another password"); err != nil {
					t.Fatal(err)
				}
			},
		} {
			t.Run(name, func(t *testing.T) {
				id, email := member(t, w.A.Client, "Bia")
				token := resetToken(t, w.A.Client, id)
				end(id, w.A.SignIn(t, email, password))
				expectExpiredLink(t, w, token)
			})
		}
	})
}

func TestALinkFromTheOperatorHasNoIssuer(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
		channel := owner.Post(t, "/channels", `{"name":"Board","phone":"+551140028922","provider":"sandbox","private":true}`).OK(201).ID()
		operator, err := w.Desk.People.Operator(t.Context(), w.A.ID)
		if err != nil {
			t.Fatal(err)
		}
		_, token, err := w.Desk.People.ResetLink(t.Context(), operator, w.A.Owner.ID)
		if err != nil {
			t.Fatal(err)
		}
		useLink(t, w, token).Get(t, "/channels/"+channel).OK(200)
	})
}

func TestALinkFromANonViewerHidesPrivateChannelsUntilConfirmed(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		ownerID := w.A.Owner.ID.String()
		owner := w.A.Enter(t, ownerID, password)
		managerID, email := member(t, w.A.Client, "Mia", `"role":"manager"`)
		manager := w.A.SignIn(t, email, password)
		agent, _ := member(t, w.A.Client, "Bia")
		private := func(name, phone string, viewers ...string) string {
			id := owner.Post(t, "/channels", fmt.Sprintf(`{"name":%q,"phone":%q,"provider":"sandbox","private":true}`, name, phone)).OK(201).ID()
			owner.Patch(t, "/channels/"+id, map[string]any{"viewers": viewers}).OK(200)
			return id
		}
		hidden := private("Board", phoneNumber(1), ownerID, agent)
		shared := private("Sales", phoneNumber(2), ownerID, agent, managerID)
		conversation := owner.Post(t, simulatePath(hidden), fmt.Sprintf(`{"from":%q,"text":"oi"}`, phoneNumber(3))).OK(201).Text("conversation")
		pending := func(channel string) any {
			t.Helper()
			for i, ch := range owner.Get(t, "/private-channels").OK(200).At().([]any) {
				if ch.(map[string]any)["id"] != channel {
					continue
				}
				for j := range ch.(map[string]any)["viewers"].([]any) {
					if viewer := owner.Get(t, "/private-channels").OK(200).At(i, "viewers", j).(map[string]any); viewer["id"] == agent {
						return viewer["pending"]
					}
				}
			}
			return "no viewer"
		}

		bia := useLink(t, w, resetToken(t, manager, agent))
		bia.Get(t, "/channels/"+hidden).Fails(404, "not_found")
		bia.Get(t, "/conversations/"+conversation).Fails(404, "not_found")
		bia.Get(t, "/conversations/"+conversation+"/messages").Fails(404, "not_found")
		testkit.Diff(t, "conversations", len(bia.Get(t, "/conversations").OK(200).List()), 0)
		bia.Get(t, "/channels/"+shared).OK(200) // the manager sees it too
		testkit.Diff(t, "pending", pending(hidden), true)
		testkit.Diff(t, "pending on the channel that the manager sees", pending(shared), nil)
		owner.Patch(t, "/channels/"+hidden, `{"name":"Board"}`).OK(200) // does not change the viewers
		bia.Get(t, "/channels/"+hidden).Fails(404, "not_found")

		owner.Patch(t, "/channels/"+hidden, map[string]any{"viewers": []string{ownerID, agent}}).OK(200)
		testkit.Diff(t, "pending after the owner saved the viewers", pending(hidden), nil)
		confirmed := owner.Get(t, "/audit?action=channel.updated&subject="+hidden).OK(200)
		testkit.Equal(t, "audit entries about the viewers", len(confirmed.List()), 3) // chosen, hidden and confirmed
		testkit.Diff(t, "audit entry of the link", confirmed.At("data", 1, "changes"), any([]any{
			map[string]any{"field": "viewers", "from": []any{"Bia", w.A.Owner.Name}, "to": []any{w.A.Owner.Name}},
		}))
		testkit.Diff(t, "audit entry of the confirmation", confirmed.At("data", 0, "changes"), any([]any{
			map[string]any{"field": "viewers", "from": []any{w.A.Owner.Name}, "to": []any{"Bia", w.A.Owner.Name}},
		}))
		bia.Get(t, "/conversations/"+conversation).OK(200)

		bia = useLink(t, w, resetToken(t, owner, agent)) // the owner sees both channels
		bia.Get(t, "/channels/"+hidden).OK(200)
		bia = useLink(t, w, resetToken(t, w.A.Client, agent)) // a key sees neither
		bia.Get(t, "/channels/"+hidden).Fails(404, "not_found")
		bia.Get(t, "/channels/"+shared).Fails(404, "not_found")

		// A viewer who is pending cannot vouch for others.
		useLink(t, w, resetToken(t, w.A.Client, managerID))
		owner.Patch(t, "/channels/"+hidden, map[string]any{"viewers": []string{ownerID}}).OK(200)
		testkit.Diff(t, "pending after the viewer was removed", pending(hidden), "no viewer")
		other, _ := member(t, w.A.Client, "Caio")
		third := private("Law", phoneNumber(4), ownerID, other, managerID)
		manager = useLink(t, w, resetToken(t, w.A.Client, managerID))
		manager.Get(t, "/channels/"+third).Fails(404, "not_found")
		useLink(t, w, resetToken(t, manager, other)).Get(t, "/channels/"+third).Fails(404, "not_found")
	})
}

func TestAConcurrentSignInDoesNotOutliveANewPassword(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		_, email := member(t, w.A.Client, "Bia")
		current := password
		for round := range 6 {
			bia := w.A.SignIn(t, email, current)
			next := fmt.Sprintf("password number %d", round)
			made := make([]*servertest.Answer, 4) // few enough that failed sign-ins are not throttled
			var running sync.WaitGroup
			for i := range made {
				running.Go(func() {
					made[i] = w.A.Visitor().Post(t, "/session", map[string]string{"email": email, "password": current})
				})
			}
			bia.Patch(t, "/me", map[string]any{"password": map[string]string{"current": current, "new": next}}).OK(200)
			running.Wait()
			for _, a := range made {
				if a.Status == 200 {
					w.A.WithSession(t, a).Get(t, "/session").Fails(401, "session_missing")
				} else {
					a.Fails(401, "login_failed")
				}
			}
			bia.Get(t, "/session").OK(200)
			testkit.Diff(t, "sessions", len(bia.Get(t, "/sessions").OK(200).List()), 1)
			current = next
			w.Clock.Advance(2 * time.Hour) // earlier failures no longer count
		}
	})
}

func TestAConcurrentSignInNeedsTheNewTwoFactorCode(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for range 4 {
			_, email := member(t, w.A.Client, "Bia")
			bia := w.A.SignIn(t, email, password)
			secret := bia.Post(t, "/me/two-factor", map[string]string{"password": password}).OK(200).Text("secret")
			code, err := people.TOTPCode(secret, w.Clock.Now())
			if err != nil {
				t.Fatal(err)
			}
			sessions := func() int { return len(bia.Get(t, "/sessions").OK(200).List()) }
			made := make([]*servertest.Answer, 4)
			var running sync.WaitGroup
			for i := range made {
				running.Go(func() {
					made[i] = w.A.Visitor().Post(t, "/session", map[string]string{"email": email, "password": password})
				})
			}
			bia.Post(t, "/me/two-factor/confirm", map[string]string{"code": code}).OK(200)
			before := sessions()
			running.Wait()
			for _, a := range made {
				if a.Status != 200 {
					a.Fails(401, "code_required")
				}
			}
			testkit.Diff(t, "number of sessions that began after two-factor was enabled", sessions()-before, 0)
		}
	})
}

func TestSigningInAgainEndsThePreviousSession(t *testing.T) {
	t.Parallel()
	servertest.EachLive(t, func(t *testing.T, w *servertest.World) {
		id, email := member(t, w.A.Client, "Bia")
		_, other := member(t, w.B.Client, "Caio")
		for name, signIn := range map[string]func(c *servertest.Client) *servertest.Answer{
			"the same person": func(c *servertest.Client) *servertest.Answer {
				return c.Post(t, "/session", map[string]string{"email": email, "password": password}, "Sec-Fetch-Site", "same-origin")
			},
			"a person of another company": func(c *servertest.Client) *servertest.Answer {
				return c.Post(t, "/session", map[string]string{"email": other, "password": password}, "Sec-Fetch-Site", "same-origin")
			},
			"an invitation": func(c *servertest.Client) *servertest.Answer {
				return c.Post(t, "/welcome", map[string]string{"token": invitationToken(t, w.A.Client, ""), "password": password}, "Sec-Fetch-Site", "same-origin")
			},
			"a reset link": func(c *servertest.Client) *servertest.Answer {
				someone, _ := member(t, w.A.Client, "Davi")
				return c.Post(t, "/welcome", map[string]string{"token": resetToken(t, w.A.Client, someone), "password": password}, "Sec-Fetch-Site", "same-origin")
			},
		} {
			t.Run(name, func(t *testing.T) {
				bia, elsewhere := w.A.SignIn(t, email, password), w.A.SignIn(t, email, password)
				messages, _ := bia.Follow(t, "/live")
				bia.Post(t, "/session", map[string]string{"email": email, "password": "not the password"}).Fails(401, "login_failed")
				bia.Get(t, "/session").OK(200)
				w.A.WithSession(t, signIn(bia).OK(200)).Get(t, "/session").OK(200)
				bia.Get(t, "/session").Fails(401, "session_missing")
				elsewhere.Get(t, "/session").OK(200)
				testkit.Eventually(t, "the live stream ends", func() bool {
					for {
						select {
						case _, open := <-messages:
							if !open {
								return true
							}
						default:
							return false
						}
					}
				})
			})
		}
		w.A.Get(t, "/team/"+id).OK(200)
	})
}
