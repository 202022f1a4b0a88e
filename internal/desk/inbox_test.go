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
