package boards

import (
	"recado/internal/fields"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/people"
)

// HTTP returns the routes and events of the package.
func (d *Boards) HTTP() httpserver.Capability {
	s := &handlers{d}
	return httpserver.Capability{
		Routes: s.routes(),
		Events: cardEvents,
		Tags: []httpserver.Tag{
			{Name: "kanban", Description: "Boards, stages and cards. Every POST requires an Idempotency-Key, and every change to a card requires its version."},
		},
		Describe: func(doc httpserver.Document) {
			doc.Share("Priority", "The priority of a card.", []any{"low", "medium", "high", "urgent"})
		},
	}
}

// cardEvents describes the events of cards.
var cardEvents = []httpserver.Event{
	{Type: EventCardCreated, Data: []httpserver.EventPart{httpserver.EventNoun("card", "Card")}},
	{Type: EventCardMoved, Data: []httpserver.EventPart{
		httpserver.EventNoun("card", "Card"),
		{Name: "from_stage_id", Schema: map[string]any{"type": "string", "format": "uuid"}},
		{Name: "to_stage_id", Schema: map[string]any{"type": "string", "format": "uuid"}},
		{Name: "moved_by", Schema: map[string]any{
			"oneOf":       []any{map[string]any{"$ref": "#/components/schemas/Ref"}, map[string]any{"type": "null"}},
			"description": "The person who moved the card; null if the system moved it.",
		}},
	}},
	{Type: EventCardCompleted, Data: []httpserver.EventPart{httpserver.EventNoun("card", "Card")}},
}

func (s *handlers) routes() []*httpserver.Route {
	return []*httpserver.Route{
		httpserver.Get("/kanban/boards", VerbBoards, "List the boards", s.listBoards, httpserver.Conditional,
			httpserver.AsTool(httpserver.Tool{Name: "list_boards"})),
		httpserver.Post("/kanban/boards", VerbCreateBoard, "Create a board", s.createBoard, httpserver.KeyRequired, httpserver.Fails(kernel.CodeNameTaken, kernel.CodeLimitReached), httpserver.Created,
			httpserver.Example(`{"name": "Orders", "stages": [{"name": "New"}, {"name": "Doing"}, {"name": "Delivered", "kind": "won"}]}`),
			httpserver.About("A key that is restricted to certain boards can also see the boards it creates.")),
		httpserver.Get("/kanban/boards/{id}", VerbBoard, "Get a board", httpserver.ByID(s.verbs.Board), httpserver.Conditional,
			httpserver.AsTool(httpserver.Tool{Name: "get_board", ID: "board_id"})),
		httpserver.Get("/kanban/boards/{id}/counts", VerbBoardCounts, "Count the cards of a board", s.countBoard, httpserver.Named("getBoardCounts"),
			httpserver.About("Returns the number of cards in each stage, from left to right. Archived cards are excluded.")),
		httpserver.Patch("/kanban/boards/{id}", VerbUpdateBoard, "Rename, archive or restore a board", s.updateBoard, httpserver.Fails(kernel.CodeNameTaken),
			httpserver.Example(`{"archived": true}`)),
		httpserver.Post("/kanban/boards/{id}/stages", VerbCreateStage, "Add a stage", s.createStage, httpserver.KeyRequired, httpserver.Fails(kernel.CodeNameTaken, kernel.CodeLimitReached), httpserver.Created, httpserver.Subject(people.SubjectBoard),
			httpserver.Example(`{"name": "Packed", "position": 2}`)),
		httpserver.Patch("/kanban/boards/{id}/stages/{stage_id}", VerbUpdateStage, "Change a stage", s.updateStage, httpserver.Fails(kernel.CodeNameTaken, kernel.CodeStageNotEmpty),
			httpserver.Example(`{"name": "Packed and labelled"}`),
			httpserver.About("The kind can be changed only while the stage has no cards; otherwise the response is 409 stage_not_empty.")),
		httpserver.Del("/kanban/boards/{id}/stages/{stage_id}", VerbDeleteStage, "Delete an empty stage", s.deleteStage, httpserver.Fails(kernel.CodeStageNotEmpty)),
		httpserver.Get("/kanban/cards", VerbCards, "List the cards", s.listCards, httpserver.Conditional, fields.Filtered,
			httpserver.AsTool(httpserver.Tool{Name: "list_cards"}), httpserver.CSV("cards", fields.Keys(s.verbs.Kernel, fields.EntityCard)),
			httpserver.About("Returns the cards newest first, or in the order of their board. To get one column of a board, use stage_id with sort=position.")),
		httpserver.Post("/kanban/cards", VerbCreateCard, "Create a card", s.createCard, httpserver.KeyRequired, httpserver.Created,
			httpserver.AsTool(httpserver.Tool{Name: "create_card", Needs: []string{httpserver.ArgumentKey}, Effect: httpserver.Adds}),
			httpserver.Example(`{"board_id": "01a1dd8b-804b-7000-9649-f3508b9f92e3", "title": "Call Lia back", "priority": "high", "due_at": "2026-12-01T13:00:00Z"}`)),
		httpserver.Get("/kanban/cards/{id}", VerbCard, "Get a card", s.getCard, httpserver.Conditional,
			httpserver.AsTool(httpserver.Tool{Name: "get_card", ID: "card_id"})),
		httpserver.Patch("/kanban/cards/{id}", VerbUpdateCard, "Change a card", s.updateCard, httpserver.Fails(kernel.CodeVersionConflict, kernel.CodeVersionRequired),
			httpserver.AsTool(httpserver.Tool{Name: "update_card", ID: "card_id", About: "Omitted fields do not change.", Needs: []string{"version"}, Effect: httpserver.Changes}),
			httpserver.Example(`{"priority": "urgent", "version": 7}`),
			httpserver.About("Requires the version of the card, in If-Match or in the body.")),
		httpserver.Post("/kanban/cards/{id}/move", VerbMoveCard, "Move a card", s.moveCard, httpserver.KeyRequired,
			httpserver.AsTool(httpserver.Tool{Name: "move_card", ID: "card_id", Needs: []string{httpserver.ArgumentKey, "version"}, Effect: httpserver.Changes}),
			httpserver.Fails(kernel.CodeVersionConflict, kernel.CodeVersionRequired, kernel.CodeAttendanceRestricted, kernel.CodeFieldRequired, kernel.CodeReasonRequired), httpserver.Subject(SubjectCard),
			httpserver.Example(`{"stage_id": "01a1dd8b-804b-7001-935f-491ff6be3c7e", "version": 7}`),
			httpserver.About("Requires the version of the card, in If-Match or in the body. Moving an archived card restores it. Moving the card of an open attendance to the stage Done closes the attendance, with reason_id and note as in closing the attendance of a conversation; a key needs the scope attendances:write for this. In restricted mode, callers other than the responsible person and managers get 409 attendance_restricted. Moving it back does not reopen the attendance.")),
		httpserver.Del("/kanban/cards/{id}", VerbDeleteCard, "Delete a card permanently", s.deleteCard, httpserver.Fails(kernel.CodeVersionConflict),
			httpserver.Example(`{"version": 7}`),
			httpserver.About("If a version is sent, in If-Match or in the body, the card is deleted only if it has that version.")),
	}
}

// handlers serve the verbs over HTTP.
type handlers struct{ verbs *Boards }
