// Package sla measures how long cases wait: it keeps the service level of each open attendance, and warns when a target is near
// or missed.
package sla

import (
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/talk"
)

// The verbs of service levels.
var (
	VerbPolicies     = kernel.Listed(kernel.Verb{Name: "Policies", Scope: people.ScopeAttendancesRead})
	VerbCreatePolicy = kernel.Listed(kernel.Verb{Name: "CreatePolicy", Scope: people.ScopeCompanyManage, Role: kernel.RoleAdmin})
	VerbUpdatePolicy = kernel.Listed(kernel.Verb{Name: "UpdatePolicy", Scope: people.ScopeCompanyManage, Role: kernel.RoleAdmin})
	VerbDeletePolicy = kernel.Listed(kernel.Verb{Name: "DeletePolicy", Scope: people.ScopeCompanyManage, Role: kernel.RoleAdmin})
)

// Levels has the verbs of the package.
type Levels struct {
	*kernel.Kernel
	talk *talk.Talk
}

// New returns the verbs of service levels. From then on the attendances of companies with policies are measured.
func New(t *talk.Talk, p *people.People) *Levels {
	d := &Levels{Kernel: p.Kernel, talk: t}
	t.Observe(talk.Observer{Opened: d.opened, Saving: d.saving, Closed: d.closed, Reopened: d.reopened})
	p.ObserveTeam(people.TeamObserver{HoursChanged: d.recomputeNow})
	return d
}

// HTTP returns what the package adds to the API.
func (d *Levels) HTTP() httpserver.Capability {
	s := &handlers{d}
	return httpserver.Capability{
		Routes: []*httpserver.Route{
			httpserver.Get("/sla-policies", VerbPolicies, "List the service level policies", httpserver.ListAll(d.Policies),
				httpserver.Named("listSlaPolicies"),
				httpserver.AsTool(httpserver.Tool{Name: "list_sla_policies"}),
				httpserver.About("Returns the policies by name. A case has the policy of its sector, or else the one without sectors. The targets of a case are in its attendance, under sla.")),
			httpserver.Post("/sla-policies", VerbCreatePolicy, "Create a service level policy", s.createPolicy,
				httpserver.Named("createSlaPolicy"), httpserver.Created, httpserver.Fails(kernel.CodeNameTaken, kernel.CodeLimitReached),
				httpserver.Example(`{"name": "Standard", "first_response_minutes": 15, "next_response_minutes": 30, "resolution_minutes": 480, "clock": "hours"}`),
				httpserver.About("Requires the role admin or owner. A company can have 100 policies. A sector can have one policy, and one policy can be without sectors: "+
					"it applies to all cases for which no other does. The policy applies to open cases too. "+
					"409 name_taken: another policy has the same name or one of the sectors, or is without sectors too.")),
			httpserver.Patch("/sla-policies/{id}", VerbUpdatePolicy, "Change a service level policy", s.updatePolicy,
				httpserver.Named("updateSlaPolicy"), httpserver.Fails(kernel.CodeNameTaken),
				httpserver.Example(`{"first_response_minutes": 30, "resolution_minutes": null}`),
				httpserver.About("Omitted fields do not change. Targets of open cases that are not met yet are computed again. "+
					"A target warns once and is breached once, even if its time changes afterwards.")),
			httpserver.Del("/sla-policies/{id}", VerbDeletePolicy, "Delete a service level policy", httpserver.DeleteByID(d.DeletePolicy),
				httpserver.Named("deleteSlaPolicy"),
				httpserver.About("Open cases get the policy that applies now, or none. Closed cases keep theirs.")),
		},
		Tags: []httpserver.Tag{{Name: "attendances", Words: []string{"sla-policies"}}},
	}
}

// handlers serve the verbs over HTTP.
type handlers struct{ verbs *Levels }
