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
		Description: "A card moved from one stage to another; the event says from where, to where and by whom.",
	})
	EventCardCompleted = kernel.RegisterEvent(kernel.EventInfo{
		Type: "kanban.card.completed", Order: 8,
		Description: "A card reached a stage that counts as won.",
	})
)
