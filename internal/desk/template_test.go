package desk

import (
	"testing"

	"recado/internal/model"
	"recado/internal/store"
)

func TestTemplatesAskedForWhileTheyAreFetchedAreFetchedAgain(t *testing.T) {
	eachFixture(t, func(t *testing.T, o *fixture) {
		d := o.nodes[0]
		ch := model.Channel{ID: model.NewID(), Company: o.company.ID, Name: "Loja", Phone: "+5511912345678", Provider: model.ProviderWhatsApp, Status: model.ChannelConnected}
		_, err := write(t.Context(), d, func(tx *store.Tx) (struct{}, error) {
			ch.CreatedAt = tx.Now
			tx.InsertChannel(ch)
			d.templatesDue(tx, o.company.ID, ch.ID)
			return struct{}{}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		fetch := func(meanwhile func()) {
			t.Helper()
			claim, found, err := d.System().ClaimTemplates(t.Context())
			if err != nil || !found || claim.Channel != ch.ID {
				t.Fatalf("claim: got channel %v, found %v, error %v; want %v", claim.Channel, found, err, ch.ID)
			}
			meanwhile()
			if err := d.System().KeepTemplates(t.Context(), claim, nil); err != nil {
				t.Fatal(err)
			}
		}
		fetch(func() {
			if _, err := d.SyncTemplates(t.Context(), o.owner, ch.ID); err != nil {
				t.Fatal(err)
			}
		})
		fetch(func() {})
		if _, found, err := d.System().ClaimTemplates(t.Context()); err != nil || found {
			t.Errorf("after a fetch without an interruption: got found %v, error %v; want none due", found, err)
		}
	})
}
