package desk

import (
	"slices"

	"recado/internal/model"
	"recado/internal/store"
)

// Actor is who makes a call: a key, the member it acts as, and their company. Every query of a verb
// is bound to the actor's company.
type Actor struct {
	Company model.Company
	Key     model.ID // zero for the system itself and for the command line
	User    model.Ref
	Email   string
	Role    model.Role
	Profile model.AccessProfile
	Sectors []model.ID // the member's
	Scopes  model.ScopeSet
	Boards  []model.ID // nil: all
	Rate    model.Rate

	integration model.Integration
	once        *Once
}

// Identity answers GET /me.
func (a *Actor) Identity(apiVersion string) *model.Identity {
	return &model.Identity{
		Integration: a.integration,
		User:        model.IdentityUser{ID: a.User.ID, Name: a.User.Name, Email: a.Email, Role: a.Role},
		Company:     a.Company,
		APIVersion:  apiVersion,
	}
}

// MaySee is the one policy on conversations, and on all that belongs to them: nothing private, and
// within the member's access profile.
func (a *Actor) MaySee(c *model.Conversation) bool {
	if c.Private || c.Company != a.Company.ID {
		return false
	}
	return a.sees(c.Assignee, c.Sector)
}

func (a *Actor) sees(assignee, sector *model.ID) bool {
	mine := assignee != nil && *assignee == a.User.ID
	switch a.Profile {
	case model.AccessAll:
		return true
	case model.AccessSectors:
		return mine || sector != nil && slices.Contains(a.Sectors, *sector)
	}
	return mine
}

// sight is MaySee for queries.
func (a *Actor) sight() store.Sight {
	s := store.Sight{All: a.Profile == model.AccessAll, Member: a.User.ID}
	if a.Profile == model.AccessSectors {
		s.Sectors = a.Sectors
	}
	return s
}

// MaySeeBoard reports whether the key's list of boards allows a board.
func (a *Actor) MaySeeBoard(board model.ID) bool {
	return a.Boards == nil || slices.Contains(a.Boards, board)
}

// need is the check of verbs that manage the company.
func (a *Actor) need(role model.Role) error {
	if a.Role.AtLeast(role) {
		return nil
	}
	return model.Errorf(model.CodeInsufficientScope, "This needs the role %s or above; this key acts as %s.", role, a.Role)
}
