package api_test

import (
	"testing"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestListEntriesCanBeReadByID(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		label := w.A.Post(t, "/labels", `{"name":"VIP"}`).OK(201).ID()
		person, _ := member(t, w.A.Client, "Ana")
		sector := w.A.Post(t, "/sectors", map[string]any{"name": "Sales", "member_ids": []string{person}}).OK(201).ID()
		key := w.A.Post(t, "/keys", `{"name":"CRM","scopes":["read"]}`).OK(201).ID()
		webhook := w.A.Post(t, "/integrations/webhooks", `{"name":"CRM","url":"https://93.184.216.34/hook","events":["message.sent"]}`).OK(201).ID()
		waiting := customerWrites(t, w, channel, phoneNumber(1))
		w.A.Post(t, "/conversations/"+waiting+"/transfer", map[string]any{"user_id": nil, "sector_id": sector}).OK(200)
		for list, id := range map[string]string{
			"/channels": channel, "/labels": label, "/team": person, "/sectors": sector, "/keys": key, "/integrations/webhooks": webhook,
		} {
			t.Run(list, func(t *testing.T) {
				var want any
				for _, entry := range w.A.Get(t, list).OK(200).List() {
					if entry.(map[string]any)["id"] == id {
						want = entry
					}
				}
				testkit.Diff(t, "the entry read by id", w.A.Get(t, list+"/"+id).OK(200).At(), want)
				for _, unknown := range []string{kernel.NewID().String(), "none"} {
					w.A.Get(t, list+"/"+unknown).Fails(404, "not_found")
				}
				w.B.Get(t, list+"/"+id).Fails(404, "not_found")
			})
		}
		testkit.Diff(t, "queues.0.waiting", w.A.Get(t, "/sectors/"+sector).OK(200).Int("queues", 0, "waiting"), 1)
		t.Run("a removed member, sector or webhook is not found", func(t *testing.T) {
			for _, path := range []string{"/team/" + person, "/sectors/" + sector, "/integrations/webhooks/" + webhook} {
				w.A.Delete(t, path).OK(204)
				w.A.Get(t, path).Fails(404, "not_found")
			}
		})
		t.Run("a revoked key is still shown", func(t *testing.T) {
			w.A.Delete(t, "/keys/"+key).OK(204)
			if w.A.Get(t, "/keys/"+key).OK(200).At("revoked_at") == nil {
				t.Error("revoked_at: got null, want a time")
			}
		})
	})
}

func TestFileMetadataIsReadByID(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		made := w.A.Upload(t, "menu.txt", []byte("a plain note")).OK(201)
		path := "/media/" + made.ID()
		testkit.Diff(t, "metadata", string(w.A.Get(t, path).OK(200).Raw), string(made.Raw))
		w.B.Get(t, path).Fails(404, "not_found")
		w.A.Get(t, "/media/"+kernel.NewID().String()).Fails(404, "not_found")
		_, limited := w.NewKey(t, w.A.ID, keyWithScopes(people.ScopeMediaWrite))
		limited.Get(t, path).Fails(403, "insufficient_scope")
	})
}

func TestOnlyViewersReadAPrivateChannelByID(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		_, email := member(t, w.A.Client, "Ada", `"role":"admin"`)
		owner, admin := w.A.Enter(t, w.A.Owner.ID.String(), password), w.A.SignIn(t, email, password)
		path := "/channels/" + admin.Post(t, "/channels", `{"name":"Board","phone":"+551140028922","provider":"sandbox","private":true}`).OK(201).ID()
		admin.Get(t, path).OK(200)
		owner.Get(t, path).Fails(404, "not_found")
		w.A.Get(t, path).Fails(404, "not_found")
	})
}
