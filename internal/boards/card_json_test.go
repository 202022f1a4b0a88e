package boards

import (
	"strings"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/test/testkit"
)

// TestCardJSON fixes the JSON that clients read and that events store. ID and AT stand for id and at.
func TestCardJSON(t *testing.T) {
	id, at, text := kernel.ID{15: 1}, time.Date(2026, 11, 17, 12, 0, 0, 5e6, time.UTC), "Olá"
	for _, c := range []struct {
		card Card
		want string
	}{
		{Card{ID: id, BoardID: id, StageID: id, Title: "Pão", Priority: PriorityMedium, Status: CardOpen, Position: "a0", Version: 1, CreatedAt: at, UpdatedAt: at}, `{"id":"ID","board_id":"ID","stage_id":"ID","title":"Pão","description":null,"priority":"medium","label_ids":[],
"due_at":null,"assignee":null,"contact":null,"conversation":null,"attendance":null,"fields":{},"private":false,"erased":false,
"status":"open","position":"a0","version":1,"created_at":"AT","updated_at":"AT","completed_at":null}`},
		{Card{
			ID: id, BoardID: id, StageID: id, Title: "Pão", Description: &text, Priority: PriorityMedium, LabelIDs: []kernel.ID{id, id}, DueAt: &at, Assignee: &id,
			Contact: &id, Conversation: &id, Attendance: &id, Private: true, Status: CardCompleted, Position: "a0", Version: 2, CreatedAt: at, UpdatedAt: at, CompletedAt: &at,
		}, `{"id":"ID","board_id":"ID","stage_id":"ID","title":"Pão","description":"Olá","priority":"medium","label_ids":["ID","ID"],
"due_at":"AT","assignee":"ID","contact":"ID","conversation":"ID","attendance":"ID","fields":{},"private":true,"erased":false,
"status":"completed","position":"a0","version":2,"created_at":"AT","updated_at":"AT","completed_at":"AT"}`},
	} {
		got, err := kernel.EncodeJSON(&c.card)
		if err != nil {
			t.Fatal(err)
		}
		short := strings.NewReplacer(id.String(), "ID", at.Format(kernel.Time), "AT").Replace(string(got))
		testkit.Equal(t, "the JSON", short, strings.ReplaceAll(c.want, "\n", ""))
	}
}
