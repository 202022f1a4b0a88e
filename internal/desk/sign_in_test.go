package desk

import (
	"context"
	"net/netip"
	"sync"
	"testing"
	"time"

	"recado/internal/model"
)

func TestASignInWhosePasswordWasNotComparedDoesNotCountAsFailed(t *testing.T) {
	eachFixture(t, func(t *testing.T, o *fixture) {
		const email, password = "ana@padaria.example", "correct horse battery"
		d, company := o.nodes[0], o.company.ID
		if err := d.System().SetPassword(t.Context(), company, email, password); err != nil {
			t.Fatal(err)
		}
		signIn := func() error {
			_, err := d.System().SignIn(t.Context(), Visitor{IP: netip.MustParseAddr("203.0.113.7")}, Credentials{Email: email, Password: password, Company: &company})
			return err
		}

		// Another company is active, so one hash of this one runs at a time, and too many wait.
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		other := testCompany(t, d).Company.ID
		d.active(other)
		running.Go(func() {
			for ; ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
				d.active(other)
			}
		})
		end, err := d.hashing.Begin(ctx, company)
		if err != nil {
			t.Fatal(err)
		}
		refused := make(chan error, 64)
		for range cap(refused) {
			running.Go(func() {
				if _, err := d.passwords.Hash(ctx, company, password); model.CodeOf(err) == model.CodeUnavailable {
					refused <- err
				}
			})
		}
		<-refused
		for range freeFailures + 1 {
			if err := signIn(); model.CodeOf(err) != model.CodeUnavailable {
				t.Errorf("too many wait: got error %v, want code %s", err, model.CodeUnavailable)
			}
		}
		cancel()
		end()
		running.Wait()
		if err := signIn(); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	})
}
