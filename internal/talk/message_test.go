package talk

import (
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"recado/internal/channels/provider"
	"recado/test/testkit"
)

func TestAStatusNeverGoesBackwards(t *testing.T) {
	statuses := []string{provider.StatusSent, provider.StatusDelivered, provider.StatusRead, provider.StatusFailed}
	rapid.Check(t, func(t *rapid.T) {
		m := Message{Direction: provider.Outbound, Status: provider.StatusQueued}
		now := time.Unix(1_700_000_000, 0)
		best, failed := 0, false
		for range rapid.IntRange(0, 8).Draw(t, "reports") {
			now = now.Add(time.Second)
			status := rapid.SampledFrom(statuses).Draw(t, "status")
			was := m
			changed := m.Advance(status, now, nil)
			if status == provider.StatusFailed && best <= 1 {
				failed = true
			} else if !failed {
				best = max(best, progress(status))
			}
			switch {
			case failed && m.Status != provider.StatusFailed, !failed && progress(m.Status) != best:
				t.Fatalf("%s after %s: %s", status, was.Status, m.Status)
			case !changed && !reflect.DeepEqual(m, was):
				t.Fatal("it said that nothing changed")
			case (m.SentAt != nil) != (best > 0), best > 1 && m.DeliveredAt == nil, (m.ReadAt != nil) != (best == 3):
				t.Fatalf("times of %+v", m)
			}
		}
	})

	t.Run("a report settles an uncertain message", func(t *testing.T) {
		m := Message{Direction: provider.Outbound, Status: provider.StatusFailed, Error: UncertainError()}
		if !m.Advance(provider.StatusDelivered, time.Now(), nil) {
			t.Fatalf("want m.Advance(StatusDelivered, time.Now(), nil); got %+v", m)
		}
		testkit.Equal(t, "m.Status", m.Status, provider.StatusDelivered)
		if m.Error != nil {
			t.Fatalf("want m.Error == nil; got %+v", m)
		}
		if !m.Left() {
			t.Fatalf("want m.Left(); got %+v", m)
		}
	})
	t.Run("no step is earlier than the one before it", func(t *testing.T) {
		created := time.Date(2026, 11, 14, 12, 0, 0, 400e6, time.UTC)
		m := Message{Direction: provider.Outbound, Status: provider.StatusQueued, CreatedAt: created}
		m.Advance(provider.StatusSent, created.Add(time.Second), nil)
		m.Advance(provider.StatusDelivered, created.Truncate(time.Second), nil)
		m.Advance(provider.StatusRead, created.Truncate(time.Second), nil)
		if m.DeliveredAt.Before(*m.SentAt) || m.ReadAt.Before(*m.DeliveredAt) {
			t.Fatalf("want !m.DeliveredAt.Before(*m.SentAt) and !m.ReadAt.Before(*m.DeliveredAt); got %+v, %+v, %+v", m.SentAt, m.DeliveredAt, m.ReadAt)
		}
	})
	t.Run("a customer's message has no progress", func(t *testing.T) {
		m := Message{Direction: provider.Inbound, Status: provider.StatusReceived}
		if m.Advance(provider.StatusRead, time.Now(), nil) {
			t.Fatal("it advanced")
		}
	})
}
