package channels

import (
	"context"
	"sync"
	"testing"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

func TestTemplatesThatAreRequestedDuringAFetchAreFetchedAgain(t *testing.T) {
	eachCompany(t, func(t *testing.T, d *Channels, owner *kernel.Principal) {
		ch := Channel{ID: kernel.NewID(), Company: owner.Company.ID, Name: "Loja", Phone: new("+5511912345678"), Provider: ProviderWhatsApp, Status: ChannelConnected}
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

func TestConcurrentChangesOfTheTemplatesOfAnAccountDoNotDeadlock(t *testing.T) {
	eachCompany(t, func(t *testing.T, d *Channels, owner *kernel.Principal) {
		company := owner.Company.ID
		var numbers []kernel.ID
		for _, id := range []string{"0001", "0002", "0003"} {
			ch, err := d.CreateChannel(t.Context(), owner, NewChannel{
				Name: id, Provider: ProviderWhatsApp, Access: &Access{PhoneNumberID: id, WABAID: "w", Token: "t", AppSecret: "s"},
			})
			if err != nil {
				t.Fatal(err)
			}
			numbers = append(numbers, ch.ID)
		}
		template := func(name string) NewTemplate {
			return NewTemplate{Name: name, Language: "en", Category: "utility", Body: "Hello"}
		}
		names := []string{"a", "b", "c"}
		var all sync.WaitGroup
		for worker, number := range numbers {
			name := names[worker]
			work := func(do func() error) {
				all.Go(func() {
					for range 15 {
						if err := do(); err != nil {
							t.Error(err)
						}
					}
				})
			}
			work(func() error {
				if _, err := d.CreateTemplate(context.Background(), owner, number, template(name)); err != nil {
					return err
				}
				err := d.DeleteTemplate(context.Background(), owner, number, name)
				if kernel.CodeOf(err) == kernel.CodeNotFound { // a fetch without it was stored
					err = nil
				}
				return err
			})
			work(func() error {
				return d.Store.Write(context.Background(), func(tx *kernel.Tx) error { // as callbacks about templates do
					ids, err := LockAccount(tx, company, "w")
					for _, id := range ids {
						UpdateTemplate(tx, company, id, &provider.IncomingTemplate{Name: name, Language: "en", Status: "approved"})
						d.TemplatesDue(tx, company, id)
					}
					return err
				})
			})
			work(func() error {
				claim, found, err := d.ClaimTemplates(context.Background())
				if err == nil && found {
					err = d.KeepTemplates(context.Background(), claim, []provider.ChannelTemplate{
						{Name: names[(worker+1)%3], Language: "en", Status: "approved"}, {Name: name, Language: "en", Status: "approved"},
					})
				}
				return err
			})
		}
		all.Wait()
		deadlocks, err := kernel.Read(t.Context(), d.Kernel, func(tx *kernel.Tx) (n int64, err error) {
			counted := tx.Dialect().Pick(`SELECT 0 AS deadlocks`, `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`)
			_, err = tx.One(counted, nil, func(r db.Row) { n = r.Int("deadlocks") })
			return n, err
		})
		if err != nil || deadlocks != 0 {
			t.Errorf("deadlocks: got %d, %v, want 0", deadlocks, err)
		}
	})
}
