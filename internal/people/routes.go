package people

import (
	"recado/internal/httpserver"
	"recado/internal/kernel"
)

// HTTP returns the routes of the package.
func (d *People) HTTP(setup *Setup) httpserver.Capability {
	s := &handlers{d}
	return httpserver.Capability{
		Routes:  s.routes(setup),
		Schemas: []httpserver.Schema{httpserver.SchemaOf[kernel.Optional[QuietHours], quietSchema]()},
		Tags: []httpserver.Tag{
			{Name: "team", Description: "Team members, invitations and sectors with their queues.", Words: []string{"sectors"}},
			{Name: "company", Description: "The company, its attendance rules and opening hours."},
			{Name: "audit", Description: "Who changed what, and when."},
			{Name: "keys", Description: "API keys and the identity of the caller.", Words: []string{"me"}},
		},
		Describe: func(doc httpserver.Document) {
			doc.Share("Role", "The role of a team member, which determines what the member can do.", []any{"owner", "admin", "manager", "agent"})
			doc.Share("AccessProfile", "The conversations a team member can see.", []any{"all", "sectors", "own"})
		},
	}
}

func (s *handlers) routes(setup *Setup) []*httpserver.Route {
	return []*httpserver.Route{
		httpserver.Get("/me", VerbIdentity, "Get the identity of the key or session", httpserver.NoInput(s.verbs.Identity),
			httpserver.AsTool(httpserver.Tool{Name: "get_me", About: "Returns the member the key acts as, the company and the scopes of the key."})),

		httpserver.ByVisitors("GET", "/setup", "Get the setup status of this installation", setup.get, httpserver.Secret(), httpserver.Named("getSetup")),
		httpserver.ByVisitors("POST", "/setup", "Create the first company and its owner", s.setUp, httpserver.Secret(), httpserver.Created, httpserver.Fails(kernel.CodeLoginFailed, kernel.CodeNotFound), httpserver.Named("setUp"),
			httpserver.Example(`{"token": "3q2-7wAAAAA", "company": "Padaria Aurora", "timezone": "America/Sao_Paulo", "name": "Lia", "email": "lia@example.com", "password": "correct horse battery"}`),
			httpserver.About("The token is part of the link that recado serve prints while there is no company. A wrong token returns 401 login_failed. If a company already exists, the response is 404.")),
		httpserver.ByVisitors("POST", "/session", "Sign in", s.signIn, httpserver.Fails(kernel.CodeLoginFailed, kernel.CodeCodeRequired, kernel.CodeCodeInvalid, kernel.CodeCompanyRequired), httpserver.Named("signIn"),
			httpserver.Example(`{"email": "lia@example.com", "password": "correct horse battery"}`),
			httpserver.About("If the request contains a session cookie, that session ends. The message of 401 login_failed is the same for every cause. With two-factor sign-in, 401 code_required means that code is missing and 401 code_invalid that it is wrong. After too many failures, the response is 429. "+
				"409 company_required: the e-mail address belongs to several companies and the password is valid for more than one of them. Send the value of one of the details as company.")),
		httpserver.Get("/session", VerbSession, "Get the current session", httpserver.NoInput(s.verbs.Session)),
		httpserver.Del("/session", VerbSignOut, "Sign out", s.signOut),
		httpserver.Get("/sessions", VerbSessions, "List your sessions", httpserver.ListAll(s.verbs.Sessions)),
		httpserver.Del("/sessions/{id}", VerbEndSession, "End one of your sessions", httpserver.DeleteByID(s.verbs.EndSession)),
		httpserver.Del("/sessions", VerbEndOtherSessions, "End all your sessions except this one", s.endOtherSessions),
		httpserver.ByVisitors("GET", "/welcome", "Get the purpose of an invitation or reset link", s.welcome, httpserver.Fails(kernel.CodeNotFound), httpserver.Named("getWelcome")),
		httpserver.ByVisitors("POST", "/welcome", "Accept an invitation, or set a new password", s.acceptWelcome, httpserver.Fails(kernel.CodeCodeRequired, kernel.CodeCodeInvalid, kernel.CodeNotFound, kernel.CodeNameTaken, kernel.CodeLimitReached), httpserver.Named("acceptWelcome"),
			httpserver.Example(`{"token": "3q2-7wAAAAA", "password": "correct horse battery"}`),
			httpserver.About("Setting a new password ends all other sessions of the person. With two-factor sign-in, code is required. If the request contains a session cookie, that session ends.")),
		httpserver.Patch("/me", VerbUpdateProfile, "Change your profile", s.updateProfile, httpserver.Fails(kernel.CodeNameTaken),
			httpserver.Example(`{"name": "Lia Souza", "signature": "Lia, Sales"}`),
			httpserver.About("Setting a new password ends all other sessions. A wrong current password counts as a failed sign-in.")),
		httpserver.Put("/me/presence", VerbSetPresence, "Set your presence", s.setPresence,
			httpserver.Example(`{"presence": "away"}`)),
		httpserver.Get("/me/preferences", VerbPreferences, "Get your preferences", httpserver.NoInput(s.verbs.Preferences), httpserver.Named("getPreferences")),
		httpserver.Patch("/me/preferences", VerbUpdatePreferences, "Change your preferences", s.updatePreferences,
			httpserver.Example(`{"theme": "dark", "push": {"kinds": ["message", "assigned", "mention"], "quiet": {"from": "22:00", "to": "07:00"}}}`),
			httpserver.About("push says which notifications are sent to the devices of POST /me/push-subscriptions. Omitted fields do not change.")),
		httpserver.Post("/me/two-factor", VerbBeginTwoFactor, "Create a secret for two-factor sign-in", s.beginTwoFactor, httpserver.Secret("secret", "url"), httpserver.Fails(kernel.CodeTwoFactorActive),
			httpserver.Example(`{"password": "correct horse battery"}`),
			httpserver.About("The secret takes effect once it is confirmed with a code.")),
		httpserver.Post("/me/two-factor/confirm", VerbConfirmTwoFactor, "Turn two-factor sign-in on", s.confirmTwoFactor, httpserver.Secret("recovery_codes"), httpserver.Fails(kernel.CodeTwoFactorActive),
			httpserver.Example(`{"code": "123456"}`)),
		httpserver.Post("/me/two-factor/disable", VerbDisableTwoFactor, "Turn two-factor sign-in off", s.disableTwoFactor, httpserver.Fails(kernel.CodeCodeInvalid), httpserver.NoContent,
			httpserver.Example(`{"password": "correct horse battery", "code": "123456"}`)),
		httpserver.Del("/me/two-factor", VerbDisableTwoFactor, "Turn two-factor sign-in off", s.disableTwoFactor, httpserver.Fails(kernel.CodeCodeInvalid), httpserver.Named("removeTwoFactor"),
			httpserver.Example(`{"password": "correct horse battery", "code": "123456"}`),
			httpserver.About("The same as POST /me/two-factor/disable, for clients that send a body with DELETE.")),

		httpserver.Get("/keys", VerbKeys, "List the API keys", httpserver.ListAll(s.verbs.Keys)),
		httpserver.Get("/keys/{id}", VerbKey, "Get an API key", httpserver.ByID(s.verbs.Key),
			httpserver.About("The response does not contain the key itself.")),
		httpserver.Post("/keys", VerbCreateKey, "Issue an API key", s.createKey, httpserver.Secret("key"), httpserver.Fails(kernel.CodeLimitReached), httpserver.Created,
			httpserver.Example(`{"name": "CRM", "scopes": ["conversations:read", "messages:send"], "rate": {"per_second": 20, "burst": 40}}`),
			httpserver.About("The key itself is returned only in this response. A key cannot have scopes that its creator lacks, expire later or have a higher rate. It is revoked together with the key that issued it. A key never permits more than its issuer can do, and is revoked when the issuer leaves the team.")),
		httpserver.Patch("/keys/{id}", VerbUpdateKey, "Rename an API key, or change what it acts as", s.updateKey,
			httpserver.Example(`{"name": "CRM", "acts_as": "integration"}`),
			httpserver.About("Omitted fields do not change. A caller can change the keys it can revoke; for a revoked key, the response is 404. Changes take effect within a second.")),
		httpserver.Post("/keys/{id}/rotate", VerbRotateKey, "Rotate an API key", s.rotateKey, httpserver.Secret("key"),
			httpserver.Example(`{"overlap_seconds": 3600}`),
			httpserver.About("Creates a new key for the same integration. The old key remains valid for overlap_seconds. A key rotated by another key is treated as issued by that key, and is revoked together with it. "+
				"A key cannot rotate the keys it was issued by. A person who rotates a key becomes its issuer.")),
		httpserver.Del("/keys/{id}", VerbRevokeKey, "Revoke an API key", httpserver.DeleteByID(s.verbs.RevokeKey),
			httpserver.About("Keys issued or rotated by it are revoked too.")),

		httpserver.Get("/team", VerbTeam, "List the team", httpserver.ListAll(s.verbs.Team), httpserver.Named("listTeam"),
			httpserver.AsTool(httpserver.Tool{Name: "list_team"}),
			httpserver.About("Returns the members with their role, access profile, presence and sectors. online: a session of the person was used in the last 2 minutes, or a live stream is open. away: a session was used in the last 15 minutes. A presence chosen by the person is shown instead if a session was used in the last 15 minutes. API keys do not affect presence.")),
		httpserver.Get("/team/{id}", VerbMember, "Get a team member", httpserver.ByID(s.verbs.Member)),
		httpserver.Post("/team", VerbCreateMember, "Add a team member", s.createMember, httpserver.Fails(kernel.CodeNameTaken, kernel.CodeLimitReached), httpserver.Created,
			httpserver.Example(`{"name": "Carla", "email": "carla@example.com", "role": "agent", "access_profile": "sectors"}`),
			httpserver.About("Owners can manage all members; admins and managers can manage members with a lower role than their own. The new member cannot have a wider access profile than the caller.")),
		httpserver.Patch("/team/{id}", VerbUpdateMember, "Change a team member", s.updateMember, httpserver.Fails(kernel.CodeNameTaken, kernel.CodeLimitReached),
			httpserver.Example(`{"role": "manager", "access_profile": "all"}`),
			httpserver.About("Members can change their own name and e-mail address. The e-mail address, role and access profile of a member cannot be changed by a caller "+
				"with a narrower access profile. The last owner must remain an owner.")),
		httpserver.Del("/team/{id}", VerbRemoveMember, "Remove a team member", httpserver.DeleteByID(s.verbs.RemoveMember),
			httpserver.About("Keys that act as the person are revoked. Conversations assigned to the person return to their queue.")),
		httpserver.Get("/team/invitations", VerbInvitations, "List the invitations", httpserver.ListAll(s.verbs.Invitations),
			httpserver.About("Returns the invitations newest first. Accepted and expired invitations stay in the list for 30 days.")),
		httpserver.Post("/team/invitations", VerbInvite, "Invite a person to the team", s.invite, httpserver.Secret("url"), httpserver.Fails(kernel.CodeNameTaken, kernel.CodeLimitReached), httpserver.Created, httpserver.Named("inviteMember"),
			httpserver.Example(`{"email": "carla@example.com", "name": "Carla", "role": "agent", "access_profile": "sectors"}`),
			httpserver.About("The link is returned only in this response, can be used once and is valid for 7 days. A second invitation for the same e-mail address replaces the first. The link becomes invalid if the caller loses the permission to make this invitation.")),
		httpserver.Del("/team/invitations/{id}", VerbCancelInvitation, "Cancel an invitation", httpserver.DeleteByID(s.verbs.CancelInvitation)),
		httpserver.Post("/team/{id}/reset-link", VerbResetLink, "Create a link for setting a new password", s.createResetLink, httpserver.Secret("url"), httpserver.Named("createResetLink"),
			httpserver.About("Owners can create a link for any member, other callers for members with a lower role. The member's access profile cannot be wider than the caller's. An API key can create a link for admins and owners only if it has the scopes that their role adds to those of managers. The link can be used once, is valid for 24 hours and invalidates earlier links. It becomes invalid if the caller loses the permission to create it, if the role, access profile, sectors or private numbers of the member change, or if the member sets a password or is signed out everywhere. "+
				"After the member uses the link, private numbers that the caller cannot see are hidden from the member until an owner or admin saves the viewers of those numbers again.")),
		httpserver.Del("/team/{id}/sessions", VerbEndMemberSessions, "End all sessions of a member", httpserver.DeleteByID(s.verbs.EndMemberSessions),
			httpserver.About("Also invalidates the member's reset links.")),
		httpserver.Get("/sectors", VerbSectors, "List the sectors with members and queues", httpserver.ListAll(s.verbs.Sectors),
			httpserver.AsTool(httpserver.Tool{Name: "list_sectors"}),
			httpserver.About("queues contains an entry for each channel with waiting attendances in the sector.")),
		httpserver.Get("/sectors/{id}", VerbSector, "Get a sector with its members and queues", httpserver.ByID(s.verbs.Sector)),
		httpserver.Post("/sectors", VerbCreateSector, "Add a sector", s.createSector, httpserver.Fails(kernel.CodeNameTaken, kernel.CodeLimitReached), httpserver.Created,
			httpserver.Example(`{"name": "Sales", "member_ids": ["01a1dd9b-f8fc-7000-8a9e-a4a6dad7cd3c"]}`)),
		httpserver.Patch("/sectors/{id}", VerbUpdateSector, "Change a sector", s.updateSector, httpserver.Fails(kernel.CodeNameTaken, kernel.CodeLimitReached),
			httpserver.Example(`{"name": "Sales and orders"}`)),
		httpserver.Del("/sectors/{id}", VerbRemoveSector, "Remove a sector", httpserver.DeleteByID(s.verbs.RemoveSector),
			httpserver.About("Its conversations and open attendances are left without a sector. Their responsible person does not change.")),
		httpserver.Get("/company", VerbCompany, "Get the company", httpserver.NoInput(s.verbs.Company)),
		httpserver.Patch("/company", VerbUpdateCompany, "Change the company's name, time zone or notifications", s.updateCompany,
			httpserver.Example(`{"name": "Padaria Aurora", "timezone": "America/Recife"}`),
			httpserver.About("Requires the role admin or owner. Changing the time zone recalculates all days of the report.")),
		httpserver.Get("/audit", VerbAudit, "List the audit entries", httpserver.ListCursor(s.verbs.Audit), httpserver.Named("listAudit"), httpserver.CSV("audit", nil),
			httpserver.About("Returns who changed what in the settings, the team, the keys and the numbers, who signed in or failed to, and who exported or erased data, newest first. Entries about a private number are visible only to its viewers, with a session.")),
	}
}

// handlers serve the verbs over HTTP.
type handlers struct{ verbs *People }
