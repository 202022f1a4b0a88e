package desk

import (
	"context"
	"errors"
	"testing"
)

func TestACompanyCountsItsInboxOneCallAfterTheOtherWhileAnotherIsActive(t *testing.T) {
	eachFixture(t, func(t *testing.T, o *fixture) {
		d := o.nodes[0]
		d.active(testCompany(t, d).Company.ID)
		end, err := d.counts.budget.Begin(t.Context(), o.company.ID)
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

func TestACompanySearchesCountsAndReportsOneAfterTheOtherWhileAnotherIsActive(t *testing.T) {
	eachFixture(t, func(t *testing.T, o *fixture) {
		d := o.nodes[0]
		other := testCompany(t, d).Company.ID
		calls := map[string]func(ctx context.Context) error{
			"a search": func(ctx context.Context) error {
				_, err := d.Contacts(ctx, o.owner, ContactFilter{Q: "order", Limit: 1})
				return err
			},
			"a count": func(ctx context.Context) error { _, err := d.InboxCounts(ctx, o.owner); return err },
			"a report": func(ctx context.Context) error {
				_, err := d.AttendanceReport(ctx, o.owner, ReportFilter{})
				return err
			},
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		for running, e := range map[string]*expensive{"a search": &d.searches, "a count": &d.counts, "a report": &d.reports} {
			d.active(other)
			end, err := e.begin(t.Context(), o.owner)
			if err != nil {
				t.Fatal(err)
			}
			for name, call := range calls {
				d.active(other)
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
