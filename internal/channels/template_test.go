package channels

import (
	"testing"

	"recado/internal/kernel"
)

func TestTemplatesThatAreRequestedDuringAFetchAreFetchedAgain(t *testing.T) {
	eachCompany(t, func(t *testing.T, d *Channels, owner *kernel.Principal) {
		ch := Channel{ID: kernel.NewID(), Company: owner.Company.ID, Name: "Loja", Phone: "+5511912345678", Provider: ProviderWhatsApp, Status: ChannelConnected}
		_, err := kernel.Write(t.Context(), d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
			ch.CreatedAt = tx.Now
			insertChannel(tx, ch)
			d.TemplatesDue(tx, owner.Company.ID, ch.ID)
			return struct{}{}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		fetch := func(meanwhile func()) {
			t.Helper()
			claim, found, err := d.ClaimTemplates(t.Context())
			if err != nil || !found || claim.Channel != ch.ID {
				t.Fatalf("claim: got channel %v, found %v, error %v; want %v", claim.Channel, found, err, ch.ID)
			}
			meanwhile()
			if err := d.KeepTemplates(t.Context(), claim, nil); err != nil {
				t.Fatal(err)
			}
		}
		fetch(func() {
			if _, err := d.SyncTemplates(t.Context(), owner, ch.ID); err != nil {
				t.Fatal(err)
			}
		})
		fetch(func() {})
		if _, found, err := d.ClaimTemplates(t.Context()); err != nil || found {
			t.Errorf("after a fetch without an interruption: got found %v, error %v; want none due", found, err)
		}
	})
}
