package boards

import "recado/internal/kernel"

// Events of cards.
var (
	EventCardCreated = kernel.RegisterEvent(kernel.EventInfo{
		Type: "kanban.card.created", Order: 6,
		Description: "A card was added to a board.",
	})
	EventCardMoved = kernel.RegisterEvent(kernel.EventInfo{
		Type: "kanban.card.moved", Order: 7,
		Description: "A card was moved from one stage to another. The event contains both stages and the person who moved it.",
	})
	EventCardCompleted = kernel.RegisterEvent(kernel.EventInfo{
		Type: "kanban.card.completed", Order: 8,
		Description: "A card was moved to a won stage.",
	})
)
