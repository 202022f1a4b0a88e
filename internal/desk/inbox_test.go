package desk

import (
	"context"
	"errors"
	"testing"

	"recado/internal/model"
	"recado/internal/slots"
)

func TestACompanyCountsItsInboxOneCallAfterTheOtherWhileAnotherIsActive(t *testing.T) {
	eachFixture(t, func(t *testing.T, o *fixture) {
		d := o.nodes[0]
		d.active(testCompany(t, d).Company.ID)
		end, err := d.counting.Begin(t.Context(), o.company.ID)
		if err != nil {
			t.Fatal(err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := d.InboxCounts(ended, o.owner); !errors.Is(err, context.Canceled) {
			t.Errorf("a second count: got error %v, want it to wait", err)
		}
		end()
		if _, err := d.InboxCounts(t.Context(), o.owner); err != nil {
			t.Errorf("a count after the first has ended: %v", err)
		}
	})
}

func TestACompanySearchesAndCountsOneAfterTheOtherWhileAnotherIsActive(t *testing.T) {
	eachFixture(t, func(t *testing.T, o *fixture) {
		d := o.nodes[0]
		d.active(testCompany(t, d).Company.ID)
		calls := map[string]func(ctx context.Context) error{
			"a search": func(ctx context.Context) error {
				release, err := d.searchSlot(ctx, o.owner)
				if err == nil {
					release()
				}
				return err
			},
			"a count": func(ctx context.Context) error {
				release, err := d.countSlot(ctx, o.owner)
				if err == nil {
					release()
				}
				return err
			},
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		for running, budget := range map[string]*slots.Budget[model.ID]{"a search": d.searching, "a count": d.counting} {
			end, err := budget.Begin(t.Context(), o.company.ID)
			if err != nil {
				t.Fatal(err)
			}
			for name, call := range calls {
				d.active(testCompany(t, d).Company.ID)
				if err := call(ended); !errors.Is(err, context.Canceled) {
					t.Errorf("%s during %s: got error %v, want it to wait", name, running, err)
				}
			}
			if _, err := d.passwords.Hash(t.Context(), o.company.ID, "correct horse battery"); err != nil {
				t.Errorf("a hash, which pauses by itself, during %s: %v", running, err)
			}
			end()
		}
		for name, call := range calls {
			if err := call(t.Context()); err != nil {
				t.Errorf("%s after the others have ended: %v", name, err)
			}
		}
	})
}
