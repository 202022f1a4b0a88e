package talk

import (
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"recado/internal/channels/provider"
)

func TestAStatusOnlyAdvances(t *testing.T) {
	statuses := []string{provider.StatusSent, provider.StatusDelivered, provider.StatusRead, provider.StatusFailed}
	rapid.Check(t, func(t *rapid.T) {
		m := Message{Direction: provider.Outbound, Status: provider.StatusQueued}
		now := time.Unix(1_700_000_000, 0)
		best, failed := 0, false
		for range rapid.IntRange(0, 8).Draw(t, "reports") {
			now = now.Add(time.Second)
			status := rapid.SampledFrom(statuses).Draw(t, "status")
			before := m
			changed := m.Advance(status, now, nil)
			if status == provider.StatusFailed && best <= 1 {
				failed = true
			} else if !failed {
				best = max(best, progress(status))
			}
			switch {
			case failed && m.Status != provider.StatusFailed, !failed && progress(m.Status) != best:
				t.Fatalf("%s after %s: %s", status, before.Status, m.Status)
			case !changed && !reflect.DeepEqual(m, before):
				t.Fatal("Advance changed the message and reported false")
			case (m.SentAt != nil) != (best > 0), best > 1 && m.DeliveredAt == nil, (m.ReadAt != nil) != (best == 3):
				t.Fatalf("times of %+v", m)
			}
		}
	})

	t.Run("a report decides about an uncertain message", func(t *testing.T) {
		m := Message{Direction: provider.Outbound, Status: provider.StatusFailed, Error: UncertainError()}
		changed := m.Advance(provider.StatusDelivered, time.Now(), nil)
		if !changed || m.Status != provider.StatusDelivered || m.Error != nil || !m.Left() {
			t.Fatalf("changed %t, got %+v; want a delivered message without an error", changed, m)
		}
	})
	t.Run("no status is earlier than the previous one", func(t *testing.T) {
		created := time.Date(2026, 11, 14, 12, 0, 0, 400e6, time.UTC)
		m := Message{Direction: provider.Outbound, Status: provider.StatusQueued, CreatedAt: created}
		m.Advance(provider.StatusSent, created.Add(time.Second), nil)
		m.Advance(provider.StatusDelivered, created.Truncate(time.Second), nil)
		m.Advance(provider.StatusRead, created.Truncate(time.Second), nil)
		if m.DeliveredAt.Before(*m.SentAt) || m.ReadAt.Before(*m.DeliveredAt) {
			t.Fatalf("sent %v, delivered %v, read %v; want this order", m.SentAt, m.DeliveredAt, m.ReadAt)
		}
	})
	t.Run("a customer's message has no progress", func(t *testing.T) {
		m := Message{Direction: provider.Inbound, Status: provider.StatusReceived}
		if m.Advance(provider.StatusRead, time.Now(), nil) {
			t.Fatal("it advanced")
		}
	})
}
