package boards

import (
	"recado/internal/kernel"
	"recado/internal/people"
)

// Verbs of boards and cards.
var (
	VerbBoards      = kernel.Listed(kernel.Verb{Name: "Boards", Scope: people.ScopeRead})
	VerbBoard       = kernel.Listed(kernel.Verb{Name: "Board", Scope: people.ScopeRead})
	VerbBoardCounts = kernel.Listed(kernel.Verb{Name: "BoardCounts", Scope: people.ScopeRead})
	VerbCreateBoard = kernel.Listed(kernel.Verb{Name: "CreateBoard", Scope: people.ScopeWrite})
	VerbUpdateBoard = kernel.Listed(kernel.Verb{Name: "UpdateBoard", Scope: people.ScopeWrite})
	VerbCreateStage = kernel.Listed(kernel.Verb{Name: "CreateStage", Scope: people.ScopeWrite})
	VerbUpdateStage = kernel.Listed(kernel.Verb{Name: "UpdateStage", Scope: people.ScopeWrite})
	VerbDeleteStage = kernel.Listed(kernel.Verb{Name: "DeleteStage", Scope: people.ScopeWrite})
	VerbCards       = kernel.Listed(kernel.Verb{Name: "Cards", Scope: people.ScopeRead})
	VerbCard        = kernel.Listed(kernel.Verb{Name: "Card", Scope: people.ScopeRead})
	VerbCreateCard  = kernel.Listed(kernel.Verb{Name: "CreateCard", Scope: people.ScopeWrite})
	VerbUpdateCard  = kernel.Listed(kernel.Verb{Name: "UpdateCard", Scope: people.ScopeWrite})
	VerbMoveCard    = kernel.Listed(kernel.Verb{Name: "MoveCard", Scope: people.ScopeWrite})
	VerbDeleteCard  = kernel.Listed(kernel.Verb{Name: "DeleteCard", Scope: people.ScopeWrite})
)
