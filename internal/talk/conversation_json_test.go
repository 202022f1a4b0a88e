package talk

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/kernel/kerneltest"
)

func TestAConversationWritesItselfAsReflectionWould(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.Custom(anyConversation).Draw(t, "conversation")
		kerneltest.SameAsReflection(t, &c)
	})
}

func TestAContactWritesItselfAsReflectionWould(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kerneltest.SameAsReflection(t, &Contact{
			ID: kerneltest.AnyID(t), Name: rapid.String().Draw(t, "name"), Phone: kerneltest.Maybe(t, rapid.String()), BusinessName: kerneltest.Maybe(t, rapid.String()),
			City: kerneltest.Maybe(t, rapid.String()), Channel: kerneltest.Maybe(t, kerneltest.IDs), LabelIDs: rapid.SliceOfN(kerneltest.IDs, 0, 3).Draw(t, "labels"),
			Blocked: rapid.Bool().Draw(t, "blocked"), CreatedAt: kerneltest.Moments.Draw(t, "created"), UpdatedAt: kerneltest.Moments.Draw(t, "updated"),
		})
	})
}

func anyConversation(t *rapid.T) Conversation {
	c := Conversation{
		ID: kerneltest.AnyID(t), Kind: rapid.SampledFrom([]string{KindDirect, KindGroup}).Draw(t, "kind"), Name: rapid.String().Draw(t, "name"),
		Phone: kerneltest.Maybe(t, rapid.String()), Contact: kerneltest.Maybe(t, kerneltest.IDs), Channel: kerneltest.AnyID(t), Assignee: kerneltest.Maybe(t, kerneltest.IDs), Sector: kerneltest.Maybe(t, kerneltest.IDs),
		Archived: rapid.Bool().Draw(t, "archived"), Pinned: rapid.Bool().Draw(t, "pinned"), Muted: rapid.Bool().Draw(t, "muted"),
		LabelIDs: rapid.SliceOfN(kerneltest.IDs, 0, 3).Draw(t, "labels"), Unread: rapid.Bool().Draw(t, "unread"), UnreadCount: rapid.Int64().Draw(t, "count"),
		CreatedAt: kerneltest.Moments.Draw(t, "created"), UpdatedAt: kerneltest.Moments.Draw(t, "updated"),
	}
	if rapid.Bool().Draw(t, "has a message") {
		c.LastMessage = &LastMessage{
			ID: kerneltest.AnyID(t), Type: provider.TypeText, Text: kerneltest.Maybe(t, rapid.String()), Direction: provider.Inbound, CreatedAt: kerneltest.Moments.Draw(t, "at"),
			Status: provider.StatusReceived, FileName: kerneltest.Maybe(t, rapid.String()),
			DurationSeconds: kerneltest.Maybe(t, rapid.Map(rapid.Int64Range(0, 100_000_000), func(ms int64) float64 { return float64(ms) / 1000 })),
		}
	}
	return c
}

func BenchmarkConversationJSON(b *testing.B) {
	text := "Bom dia! O pão de queijo de hoje já saiu?"
	now := time.Now()
	id := kernel.NewID()
	c := Conversation{
		ID: id, Kind: KindDirect, Name: "João da Silva", Phone: &text, Contact: &id, Channel: id, LabelIDs: []kernel.ID{id},
		LastMessage: &LastMessage{ID: id, Type: provider.TypeText, Text: &text, Direction: provider.Inbound, CreatedAt: now}, CreatedAt: now, UpdatedAt: now,
	}
	b.ReportAllocs()
	var out []byte
	for b.Loop() {
		out = c.AppendJSON(out[:0])
	}
}
