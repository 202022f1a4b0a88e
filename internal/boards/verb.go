package boards

import (
	"recado/internal/kernel"
)

// The verbs of boards and cards.
var (
	// Boards and cards.
	VerbBoards      = kernel.Listed(kernel.Verb{Name: "Boards", Scope: kernel.ScopeRead})
	VerbBoard       = kernel.Listed(kernel.Verb{Name: "Board", Scope: kernel.ScopeRead})
	VerbBoardCounts = kernel.Listed(kernel.Verb{Name: "BoardCounts", Scope: kernel.ScopeRead})
	VerbCreateBoard = kernel.Listed(kernel.Verb{Name: "CreateBoard", Scope: kernel.ScopeWrite})
	VerbUpdateBoard = kernel.Listed(kernel.Verb{Name: "UpdateBoard", Scope: kernel.ScopeWrite})
	VerbCreateStage = kernel.Listed(kernel.Verb{Name: "CreateStage", Scope: kernel.ScopeWrite})
	VerbUpdateStage = kernel.Listed(kernel.Verb{Name: "UpdateStage", Scope: kernel.ScopeWrite})
	VerbDeleteStage = kernel.Listed(kernel.Verb{Name: "DeleteStage", Scope: kernel.ScopeWrite})
	VerbCards       = kernel.Listed(kernel.Verb{Name: "Cards", Scope: kernel.ScopeRead})
	VerbCard        = kernel.Listed(kernel.Verb{Name: "Card", Scope: kernel.ScopeRead})
	VerbCreateCard  = kernel.Listed(kernel.Verb{Name: "CreateCard", Scope: kernel.ScopeWrite})
	VerbUpdateCard  = kernel.Listed(kernel.Verb{Name: "UpdateCard", Scope: kernel.ScopeWrite})
	VerbMoveCard    = kernel.Listed(kernel.Verb{Name: "MoveCard", Scope: kernel.ScopeWrite})
	VerbDeleteCard  = kernel.Listed(kernel.Verb{Name: "DeleteCard", Scope: kernel.ScopeWrite})
)
