package model

import (
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"recado/internal/testkit"
)

func TestAMessageWritesItselfAsReflectionWould(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.Custom(anyMessage).Draw(t, "message")
		sameAsReflection(t, &m)
	})
}

func anyMessage(t *rapid.T) Message {
	m := Message{
		ID: anyID(t), ClientID: maybe(t, ids), Conversation: anyID(t), Direction: rapid.SampledFrom([]string{Inbound, Outbound}).Draw(t, "direction"),
		Origin: OriginAPI, Type: TypeText, Text: maybe(t, rapid.String()), MediaID: maybe(t, ids), ReplyTo: maybe(t, rapid.String()),
		ExternalID: maybe(t, rapid.String()), Status: StatusSent, CreatedAt: moments.Draw(t, "created"), SentAt: maybe(t, moments),
		DeliveredAt: maybe(t, moments), ReadAt: maybe(t, moments),
	}
	if rapid.Bool().Draw(t, "has a file") {
		m.Media = &MessageMedia{ID: anyID(t), MimeType: rapid.String().Draw(t, "mime"), FileName: rapid.String().Draw(t, "name"), Size: rapid.Int64().Draw(t, "size")}
	}
	if rapid.Bool().Draw(t, "failed") {
		m.Error = &MessageError{Code: rapid.String().Draw(t, "code"), Message: rapid.String().Draw(t, "why")}
	}
	if rapid.Bool().Draw(t, "has a sender") {
		m.SentBy = &Ref{ID: anyID(t), Name: rapid.String().Draw(t, "sender")}
	}
	return m
}

func TestAStatusNeverGoesBackwards(t *testing.T) {
	statuses := []string{StatusSent, StatusDelivered, StatusRead, StatusFailed}
	rapid.Check(t, func(t *rapid.T) {
		m := Message{Direction: Outbound, Status: StatusQueued}
		now := time.Unix(1_700_000_000, 0)
		best, failed := 0, false
		for range rapid.IntRange(0, 8).Draw(t, "reports") {
			now = now.Add(time.Second)
			status := rapid.SampledFrom(statuses).Draw(t, "status")
			was := m
			changed := m.Advance(status, now, nil)
			if status == StatusFailed && best <= 1 {
				failed = true
			} else if !failed {
				best = max(best, progress(status))
			}
			switch {
			case failed && m.Status != StatusFailed, !failed && progress(m.Status) != best:
				t.Fatalf("%s after %s: %s", status, was.Status, m.Status)
			case !changed && !reflect.DeepEqual(m, was):
				t.Fatal("it said that nothing changed")
			case (m.SentAt != nil) != (best > 0), best > 1 && m.DeliveredAt == nil, (m.ReadAt != nil) != (best == 3):
				t.Fatalf("times of %+v", m)
			}
		}
	})

	t.Run("a report settles an uncertain message", func(t *testing.T) {
		m := Message{Direction: Outbound, Status: StatusFailed, Error: UncertainError()}
		if !m.Advance(StatusDelivered, time.Now(), nil) {
			t.Fatalf("want m.Advance(StatusDelivered, time.Now(), nil); got %+v", m)
		}
		testkit.Equal(t, "m.Status", m.Status, StatusDelivered)
		if m.Error != nil {
			t.Fatalf("want m.Error == nil; got %+v", m)
		}
		if !m.Left() {
			t.Fatalf("want m.Left(); got %+v", m)
		}
	})
	t.Run("no step is earlier than the one before it", func(t *testing.T) {
		created := time.Date(2026, 11, 14, 12, 0, 0, 400e6, time.UTC)
		m := Message{Direction: Outbound, Status: StatusQueued, CreatedAt: created}
		m.Advance(StatusSent, created.Add(time.Second), nil)
		m.Advance(StatusDelivered, created.Truncate(time.Second), nil)
		m.Advance(StatusRead, created.Truncate(time.Second), nil)
		if m.DeliveredAt.Before(*m.SentAt) || m.ReadAt.Before(*m.DeliveredAt) {
			t.Fatalf("want !m.DeliveredAt.Before(*m.SentAt) and !m.ReadAt.Before(*m.DeliveredAt); got %+v, %+v, %+v", m.SentAt, m.DeliveredAt, m.ReadAt)
		}
	})
	t.Run("a customer's message has no progress", func(t *testing.T) {
		m := Message{Direction: Inbound, Status: StatusReceived}
		if m.Advance(StatusRead, time.Now(), nil) {
			t.Fatal("it advanced")
		}
	})
}
