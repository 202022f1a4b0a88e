package model

import (
	"testing"

	"pgregory.net/rapid"
)

func TestACardWritesItselfAsReflectionWould(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sameAsReflection(t, &Card{
			ID: anyID(t), BoardID: anyID(t), StageID: anyID(t), Title: rapid.String().Draw(t, "title"), Description: maybe(t, rapid.String()),
			Priority: "high", LabelIDs: rapid.SliceOfN(ids, 0, 3).Draw(t, "labels"), DueAt: maybe(t, moments), Assignee: maybe(t, ids),
			Contact: maybe(t, ids), Conversation: maybe(t, ids), Attendance: maybe(t, ids), Private: rapid.Bool().Draw(t, "private"),
			Status: CardLost, Position: rapid.String().Draw(t, "position"), Version: rapid.Int64().Draw(t, "version"),
			CreatedAt: moments.Draw(t, "created"), UpdatedAt: moments.Draw(t, "updated"), CompletedAt: maybe(t, moments),
		})
	})
}
