package people

import (
	"context"

	"recado/internal/kernel"
)

// Identity is the response of GET /me.
type Identity struct {
	Integration *kernel.Integration `json:"integration" doc:"The API key; null for a signed-in person."`
	User        IdentityUser        `json:"user"`
	Company     kernel.Company      `json:"company"`
	APIVersion  string              `json:"api_version" example:"1.1.0"`
}

// IdentityUser is the member who is signed in, or that the key acts as.
type IdentityUser struct {
	ID    kernel.ID   `json:"id"`
	Name  string      `json:"name"`
	Email string      `json:"email"`
	Role  kernel.Role `json:"role" enum:"owner,admin,manager,agent"`
}

// Identity returns the caller.
func (d *People) Identity(_ context.Context, a *kernel.Principal, apiVersion string) (*Identity, error) {
	if err := a.May(VerbIdentity); err != nil {
		return nil, err
	}
	return &Identity{
		Integration: a.Integration,
		User:        IdentityUser{ID: a.User.ID, Name: a.User.Name, Email: a.Email, Role: a.Role},
		Company:     a.Company,
		APIVersion:  apiVersion,
	}, nil
}
