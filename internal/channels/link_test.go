package channels

import (
	"context"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/test/kerneltest"
	"recado/test/testkit"
)

func TestAPairingCodeIsWantedUntilItExpires(t *testing.T) {
	eachCompany(t, func(t *testing.T, d *Channels, owner *kernel.Principal) {
		d.AllowLinks()
		ch, err := d.CreateChannel(t.Context(), owner, NewChannel{Name: "Shop", Provider: ProviderLinked})
		if err == nil {
			_, err = d.PairByPhone(t.Context(), owner, ch.ID, "+5511912345678")
		}
		h := &LinkHolder{Desk: d, Owner: kernel.NewID(), Length: time.Minute}
		var links []Link
		if err == nil {
			links, err = h.Hold(t.Context())
		}
		if err != nil || len(links) != 1 {
			t.Fatalf("holding %d links, want 1: %v", len(links), err)
		}
		wantedFor := func() (left time.Duration) {
			kerneltest.Read(t, d.Store, func(tx *kernel.Tx) error {
				_, err := tx.One(`SELECT wanted_until FROM links WHERE company = $1 AND channel = $2`, []any{ch.Company, ch.ID},
					func(r db.Row) { left = r.Time("wanted_until").Sub(d.Now()) })
				return err
			})
			return left
		}
		step := func(what string, least, most time.Duration, do func() error) {
			t.Helper()
			if err := do(); err != nil {
				t.Fatal(err)
			}
			if left := wantedFor(); left < least || left > most {
				t.Errorf("%s: the link is wanted for %v, want %v to %v", what, left, least, most)
			}
		}
		code := func(qr, pairing *string) func() error {
			return func() error { return h.SetCode(t.Context(), links[0], qr, pairing, d.Now().Add(160*time.Second)) }
		}
		step("a QR code", 30*time.Second, time.Minute, code(new("QR"), nil))
		step("a pairing code", 130*time.Second, 160*time.Second, code(nil, new("ABCD-EFGH")))
		step("a viewer of it", 130*time.Second, 160*time.Second, func() error {
			_, err := d.keepLink(t.Context(), owner, ch.ID)
			return err
		})
		step("a scanned code", 4*time.Minute, 5*time.Minute, func() error { return h.SetScanned(t.Context(), links[0]) })
	})
}

func TestALinkThatANodeTakesOverIsOffline(t *testing.T) {
	eachCompany(t, func(t *testing.T, d *Channels, owner *kernel.Principal) {
		d.AllowLinks()
		ch, err := d.CreateChannel(t.Context(), owner, NewChannel{Name: "Shop", Provider: ProviderLinked})
		if err == nil {
			_, err = d.Link(t.Context(), owner, ch.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
		dead, next := &LinkHolder{Desk: d, Owner: kernel.NewID()}, &LinkHolder{Desk: d, Owner: kernel.NewID()}
		online := func(h *LinkHolder) bool {
			t.Helper()
			links, err := h.Hold(t.Context())
			if err != nil || len(links) != 1 {
				t.Fatalf("holding %d links, want 1: %v", len(links), err)
			}
			l, err := d.readLink(t.Context(), owner, ch.ID)
			if err == nil {
				err = h.SetHeard(t.Context(), links[0])
			}
			if err != nil {
				t.Fatal(err)
			}
			return l.Online
		}
		testkit.Diff(t, "a new link is online", online(dead), false)
		testkit.Diff(t, "a link that its node still holds is online", online(dead), true)
		testkit.Diff(t, "a link whose node is dead is online", online(next), false)
	})
}

// TestARequestForALinkKeepsAChangeThatIsBeingCommitted runs a request while the transaction of another change is open.
func TestARequestForALinkKeepsAChangeThatIsBeingCommitted(t *testing.T) {
	type row struct {
		State, PairingPhone string
		Generation          int64
	}
	eachCompany(t, func(t *testing.T, d *Channels, owner *kernel.Principal) {
		d.AllowLinks()
		pair := func(ctx context.Context, a *kernel.Principal, id kernel.ID) (Link, error) {
			return d.PairByPhone(ctx, a, id, "+5511900001111")
		}
		type request = func(context.Context, *kernel.Principal, kernel.ID) (Link, error)
		for name, tt := range map[string]struct {
			change  string
			want    row
			request request
			code    kernel.Code
		}{
			"a viewer stays while the code is scanned":           {`state = 'scanned', qr = NULL`, row{"scanned", "", 1}, d.keepLink, ""},
			"a viewer stays while the number is linked":          {`state = 'linked', wanted_until = NULL`, row{"linked", "", 1}, d.keepLink, ""},
			"a viewer stays while linking fails":                 {`state = 'failed', wanted_until = NULL`, row{"failed", "", 1}, d.keepLink, ""},
			"a viewer stays while another asks for a code":       {`pairing_phone = '+5511912345678', generation = 2`, row{"waiting", "+5511912345678", 2}, d.keepLink, ""},
			"a viewer comes while the number is linked":          {`state = 'linked', wanted_until = NULL`, row{"linked", "", 1}, d.Link, ""},
			"a viewer comes while the number is unlinked":        {`state = 'leaving', generation = 2`, row{"leaving", "", 2}, d.Link, ""},
			"a pairing code is wanted while it is linked":        {`state = 'linked', wanted_until = NULL`, row{"linked", "", 1}, pair, kernel.CodeAlreadyLinked},
			"a pairing code is wanted while it is unlinked":      {`state = 'leaving', generation = 2`, row{"leaving", "", 2}, pair, kernel.CodeUnavailable},
			"a pairing code is wanted while the code is scanned": {`state = 'scanned', qr = NULL`, row{"waiting", "+5511900001111", 2}, pair, ""},
		} {
			t.Run(name, func(t *testing.T) {
				ch, err := d.CreateChannel(t.Context(), owner, NewChannel{Name: "Shop", Provider: ProviderLinked})
				if err == nil {
					_, err = d.Link(t.Context(), owner, ch.ID)
				}
				if err != nil {
					t.Fatal(err)
				}
				done := make(chan error)
				kerneltest.Write(t, d.Store, func(tx *kernel.Tx) error {
					_, err := tx.Exec(`UPDATE links SET `+tt.change+` WHERE company = $1 AND channel = $2`, ch.Company, ch.ID)
					go func() {
						_, err := tt.request(t.Context(), owner, ch.ID)
						done <- err
					}()
					time.Sleep(200 * time.Millisecond) // so that a request that does not wait for the lock reads the old link
					return err
				})
				err, _ = testkit.Receive(t, "the request", done)
				if code := kernel.CodeOf(err); err != nil && code != tt.code || err == nil && tt.code != "" {
					t.Errorf("the request returned %v, want %q", err, tt.code)
				}
				var got row
				kerneltest.Read(t, d.Store, func(tx *kernel.Tx) error {
					_, err := tx.One(`SELECT state, pairing_phone, generation FROM links WHERE company = $1 AND channel = $2`,
						[]any{ch.Company, ch.ID}, func(r db.Row) { got = row{r.Text("state"), r.Text("pairing_phone"), r.Int("generation")} })
					return err
				})
				testkit.Diff(t, "the link", got, tt.want)
			})
		}
	})
}
