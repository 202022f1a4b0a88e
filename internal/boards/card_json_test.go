package boards

import (
	"testing"

	"pgregory.net/rapid"

	"recado/internal/kernel/kerneltest"
)

func TestACardWritesItselfAsReflectionWould(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kerneltest.SameAsReflection(t, &Card{
			ID: kerneltest.AnyID(t), BoardID: kerneltest.AnyID(t), StageID: kerneltest.AnyID(t), Title: rapid.String().Draw(t, "title"), Description: kerneltest.Maybe(t, rapid.String()),
			Priority: "high", LabelIDs: rapid.SliceOfN(kerneltest.IDs, 0, 3).Draw(t, "labels"), DueAt: kerneltest.Maybe(t, kerneltest.Moments), Assignee: kerneltest.Maybe(t, kerneltest.IDs),
			Contact: kerneltest.Maybe(t, kerneltest.IDs), Conversation: kerneltest.Maybe(t, kerneltest.IDs), Attendance: kerneltest.Maybe(t, kerneltest.IDs), Private: rapid.Bool().Draw(t, "private"),
			Status: CardLost, Position: rapid.String().Draw(t, "position"), Version: rapid.Int64().Draw(t, "version"),
			CreatedAt: kerneltest.Moments.Draw(t, "created"), UpdatedAt: kerneltest.Moments.Draw(t, "updated"), CompletedAt: kerneltest.Maybe(t, kerneltest.Moments),
		})
	})
}
