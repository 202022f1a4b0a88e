// Package reasons lets people say why they close a case: the company's closing reasons, and what they require.
package reasons

import (
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/talk"
)

// Reasons has the verbs of the package.
type Reasons struct{ *kernel.Kernel }

// New returns the verbs of closing reasons. From then on they are checked when a person closes a case.
func New(t *talk.Talk, p *people.People) *Reasons {
	t.Observe(talk.Observer{Closing: choose})
	return &Reasons{p.Kernel}
}

// The verbs of closing reasons.
var (
	VerbReasons      = kernel.Listed(kernel.Verb{Name: "Reasons", Scope: people.ScopeAttendancesRead})
	VerbCreateReason = kernel.Listed(kernel.Verb{Name: "CreateReason", Scope: people.ScopeCompanyManage, Role: kernel.RoleAdmin})
	VerbUpdateReason = kernel.Listed(kernel.Verb{Name: "UpdateReason", Scope: people.ScopeCompanyManage, Role: kernel.RoleAdmin})
	VerbDeleteReason = kernel.Listed(kernel.Verb{Name: "DeleteReason", Scope: people.ScopeCompanyManage, Role: kernel.RoleAdmin})
)

// HTTP returns the routes of the package.
func (d *Reasons) HTTP() httpserver.Capability {
	return httpserver.Capability{
		Tags: []httpserver.Tag{{Name: "attendances", Words: []string{"closing-reasons"}}},
		Routes: []*httpserver.Route{
			httpserver.Get("/closing-reasons", VerbReasons, "List the closing reasons", httpserver.ListAll(d.Reasons),
				httpserver.AsTool(httpserver.Tool{Name: "list_closing_reasons"}),
				httpserver.About("Returns the reasons by position, then by name, including those that are not active.")),
			httpserver.Post("/closing-reasons", VerbCreateReason, "Create a closing reason", d.createReason,
				httpserver.Fails(kernel.CodeNameTaken, kernel.CodeLimitReached), httpserver.Created,
				httpserver.Example(`{"name": "Sale", "sector_ids": ["01a1dd8b-7e31-7000-89e2-ef1640efe6bb"], "require_note": false}`),
				httpserver.About("Requires the role admin or owner. A company can have 100 closing reasons. Without a position, the reason becomes the last one; "+
					"at the position of another reason, that one and those after it move down.")),
			httpserver.Patch("/closing-reasons/{id}", VerbUpdateReason, "Change a closing reason", d.updateReason,
				httpserver.Fails(kernel.CodeNameTaken),
				httpserver.Example(`{"require_note": true, "position": 0}`),
				httpserver.About("Requires the role admin or owner. Omitted fields do not change. A new position moves the reason to the place of the one that has that position; "+
					"the reasons between its old and its new place move by one. A new name is also shown on cases that were closed with the reason.")),
			httpserver.Del("/closing-reasons/{id}", VerbDeleteReason, "Delete a closing reason", httpserver.DeleteByID(d.DeleteReason),
				httpserver.About("Requires the role admin or owner. Cases that were closed with the reason keep its name.")),
		},
	}
}
