package people

import (
	"context"

	"recado/internal/httpserver"
	"recado/internal/kernel"
)

// HTTP returns the routes of the package.
func (d *People) HTTP(setup *Setup) httpserver.Capability {
	s := &handlers{d}
	return httpserver.Capability{
		Routes: s.routes(setup),
		Tags: []httpserver.Tag{
			{Name: "team", Description: "Team members, invitations and sectors with their queues.", Words: []string{"sectors"}},
			{Name: "company", Description: "The company, its attendance rules and opening hours."},
			{Name: "keys", Description: "API keys, and who a key or session is.", Words: []string{"me"}},
		},
		Describe: func(doc httpserver.Document) {
			doc.Share("Role", "What a team member may do.", []any{"owner", "admin", "manager", "agent"})
			doc.Share("AccessProfile", "Which conversations a team member sees.", []any{"all", "sectors", "own"})
		},
	}
}

func (s *handlers) routes(setup *Setup) []*httpserver.Route {
	return []*httpserver.Route{
		httpserver.Get("/me", VerbIdentity, "Get the identity of the key or session", s.me,
			httpserver.AsTool(httpserver.Tool{Name: "get_me", About: "Returns the member that the key acts as, the company, and what the key may do."})),

		httpserver.ByVisitors("GET", "/setup", "Report whether this installation must be set up", setup.get, httpserver.Secret(), httpserver.Named("getSetup")),
		httpserver.ByVisitors("POST", "/setup", "Create the first company and its owner", s.setUp, httpserver.Secret(), httpserver.Created, httpserver.Fails(kernel.CodeLoginFailed, kernel.CodeNotFound), httpserver.Named("setUp"),
			httpserver.Example(`{"token": "3q2-7wAAAAA", "company": "Padaria Aurora", "timezone": "America/Sao_Paulo", "name": "Lia", "email": "lia@example.com", "password": "correct horse battery"}`),
			httpserver.About("The token is in the link that recado serve prints while there is no company. A wrong token gives 401 login_failed. When a company exists, the response is 404.")),
		httpserver.ByVisitors("POST", "/session", "Sign in", s.signIn, httpserver.Fails(kernel.CodeLoginFailed, kernel.CodeCodeRequired, kernel.CodeCodeInvalid, kernel.CodeCompanyRequired), httpserver.Named("signIn"),
			httpserver.Example(`{"email": "lia@example.com", "password": "correct horse battery"}`),
			httpserver.About("The session of a cookie that is sent along ends. 401 login_failed has the same text for every cause. With two-factor sign-in, 401 code_required asks for code and 401 code_invalid refuses it. After too many failures the response is 429. "+
				"409 company_required: the address belongs to several companies and the password fits more than one. Send the value of one of details as company.")),
		httpserver.Get("/session", VerbSession, "Get the current session", reply(s.verbs.Session)),
		httpserver.Del("/session", VerbSignOut, "Sign out", s.signOut),
		httpserver.Get("/sessions", VerbSessions, "List your sessions", list(s.verbs.Sessions)),
		httpserver.Del("/sessions/{id}", VerbEndSession, "End one of your sessions", remove("session", s.verbs.EndSession)),
		httpserver.Del("/sessions", VerbEndOtherSessions, "End all your sessions except this one", s.endOtherSessions),
		httpserver.ByVisitors("GET", "/welcome", "Get what an invitation or reset link is for", s.welcome, httpserver.Fails(kernel.CodeNotFound), httpserver.Named("getWelcome")),
		httpserver.ByVisitors("POST", "/welcome", "Accept an invitation, or set a new password", s.acceptWelcome, httpserver.Fails(kernel.CodeCodeRequired, kernel.CodeCodeInvalid, kernel.CodeNotFound, kernel.CodeNameTaken, kernel.CodeLimitReached), httpserver.Named("acceptWelcome"),
			httpserver.Example(`{"token": "3q2-7wAAAAA", "password": "correct horse battery"}`),
			httpserver.About("A new password ends all other sessions of the person. With two-factor sign-in, code is required. The session of a cookie that is sent along ends.")),
		httpserver.Patch("/me", VerbUpdateProfile, "Change your profile", s.updateProfile, httpserver.Fails(kernel.CodeNameTaken),
			httpserver.Example(`{"name": "Lia Souza", "signature": "Lia, Sales"}`),
			httpserver.About("A new password ends all other sessions. A wrong current password counts as a failed sign-in.")),
		httpserver.Put("/me/presence", VerbSetPresence, "Set your presence", s.setPresence,
			httpserver.Example(`{"presence": "away"}`)),
		httpserver.Get("/me/preferences", VerbPreferences, "Get your preferences", reply(s.verbs.Preferences), httpserver.Named("getPreferences")),
		httpserver.Patch("/me/preferences", VerbUpdatePreferences, "Change your preferences", s.updatePreferences,
			httpserver.Example(`{"theme": "dark", "send_with": "ctrl_enter"}`)),
		httpserver.Post("/me/two-factor", VerbBeginTwoFactor, "Create a secret for two-factor sign-in", s.beginTwoFactor, httpserver.Secret("secret", "url"), httpserver.Fails(kernel.CodeTwoFactorActive),
			httpserver.Example(`{"password": "correct horse battery"}`),
			httpserver.About("The secret takes effect when it is confirmed with a code.")),
		httpserver.Post("/me/two-factor/confirm", VerbConfirmTwoFactor, "Turn two-factor sign-in on", s.confirmTwoFactor, httpserver.Secret("recovery_codes"), httpserver.Fails(kernel.CodeTwoFactorActive),
			httpserver.Example(`{"code": "123456"}`)),
		httpserver.Post("/me/two-factor/disable", VerbDisableTwoFactor, "Turn two-factor sign-in off", s.disableTwoFactor, httpserver.Fails(kernel.CodeCodeInvalid), httpserver.NoContent,
			httpserver.Example(`{"password": "correct horse battery", "code": "123456"}`)),
		httpserver.Del("/me/two-factor", VerbDisableTwoFactor, "Turn two-factor sign-in off", s.disableTwoFactor, httpserver.Fails(kernel.CodeCodeInvalid), httpserver.Named("removeTwoFactor"),
			httpserver.Example(`{"password": "correct horse battery", "code": "123456"}`),
			httpserver.About("The same as POST /me/two-factor/disable, for clients that send a body with DELETE.")),

		httpserver.Get("/keys", VerbKeys, "List the API keys", list(s.verbs.Keys)),
		httpserver.Get("/keys/{id}", VerbKey, "Get an API key", httpserver.ByID("key", s.verbs.Key),
			httpserver.About("The response does not contain the key itself.")),
		httpserver.Post("/keys", VerbCreateKey, "Issue an API key", s.createKey, httpserver.Secret("key"), httpserver.Fails(kernel.CodeLimitReached), httpserver.Created,
			httpserver.Example(`{"name": "CRM", "scopes": ["conversations:read", "messages:send"], "rate": {"per_second": 20, "burst": 40}}`),
			httpserver.About("The key itself is only in this response. A key cannot have a scope that its creator lacks, expire later or have a higher rate. It ends together with the key that issued it. A key never allows more than its issuer may do, and ends when the issuer leaves the team.")),
		httpserver.Patch("/keys/{id}", VerbUpdateKey, "Rename an API key, or change what it acts as", s.updateKey,
			httpserver.Example(`{"name": "CRM", "acts_as": "integration"}`),
			httpserver.About("Absent fields do not change. A caller may change the keys that it may revoke; a revoked key is 404. Both take effect within a second.")),
		httpserver.Post("/keys/{id}/rotate", VerbRotateKey, "Rotate an API key", s.rotateKey, httpserver.Secret("key"),
			httpserver.Example(`{"overlap_seconds": 3600}`),
			httpserver.About("Creates a new key for the same integration. The old key stays valid for overlap_seconds. A key that another key rotates is revoked together with that one from then on, as if it had issued it. "+
				"A key cannot rotate the keys that it was issued by. A person who rotates a key is its issuer from then on.")),
		httpserver.Del("/keys/{id}", VerbRevokeKey, "Revoke an API key", remove("key", s.verbs.RevokeKey),
			httpserver.About("Keys that it issued or rotated are revoked too.")),

		httpserver.Get("/team", VerbTeam, "List the team", list(s.verbs.Team), httpserver.Named("listTeam"),
			httpserver.AsTool(httpserver.Tool{Name: "list_team"}),
			httpserver.About("With role, access profile, presence and sectors. online: a session of the person was used within 2 minutes, or a live stream is open; away: within 15. A presence that the person chose is shown instead while a session was used within 15 minutes. API keys never make a member online.")),
		httpserver.Get("/team/{id}", VerbMember, "Get a team member", httpserver.ByID("team member", s.verbs.Member)),
		httpserver.Post("/team", VerbCreateMember, "Add a team member", s.createMember, httpserver.Fails(kernel.CodeNameTaken, kernel.CodeLimitReached), httpserver.Created,
			httpserver.Example(`{"name": "Carla", "email": "carla@example.com", "role": "agent", "access_profile": "sectors"}`),
			httpserver.About("Owners manage all members; admins and managers manage members whose role is lower than their own. The new member cannot have a wider access profile than the caller.")),
		httpserver.Patch("/team/{id}", VerbUpdateMember, "Change a team member", s.updateMember, httpserver.Fails(kernel.CodeNameTaken, kernel.CodeLimitReached),
			httpserver.Example(`{"role": "manager", "access_profile": "all"}`),
			httpserver.About("Members may change their own name and e-mail address. The e-mail address, role and access profile of a member cannot be changed by a caller "+
				"whose access profile is narrower. The last owner must stay an owner.")),
		httpserver.Del("/team/{id}", VerbRemoveMember, "Remove a team member", remove("team member", s.verbs.RemoveMember),
			httpserver.About("Keys that act as the person are revoked. Conversations that the person was responsible for return to their queue.")),
		httpserver.Get("/team/invitations", VerbInvitations, "List the invitations", list(s.verbs.Invitations),
			httpserver.About("Newest first. Accepted and expired invitations stay in the list for 30 days.")),
		httpserver.Post("/team/invitations", VerbInvite, "Invite a person to the team", s.invite, httpserver.Secret("url"), httpserver.Fails(kernel.CodeNameTaken, kernel.CodeLimitReached), httpserver.Created, httpserver.Named("inviteMember"),
			httpserver.Example(`{"email": "carla@example.com", "name": "Carla", "role": "agent", "access_profile": "sectors"}`),
			httpserver.About("The link is only in this response, works once and is valid for 7 days. A second invitation for the same address replaces the first. The link stops working when the caller could no longer make this invitation.")),
		httpserver.Del("/team/invitations/{id}", VerbCancelInvitation, "Cancel an invitation", remove("invitation", s.verbs.CancelInvitation)),
		httpserver.Post("/team/{id}/reset-link", VerbResetLink, "Create a link for setting a new password", s.createResetLink, httpserver.Secret("url"), httpserver.Named("createResetLink"),
			httpserver.About("For members whose role is lower than that of the caller; owners may create one for any member. Not for a member whose access profile is wider than that of the caller, and with a key for admins and owners only if it has the scopes that their role adds to those of managers. It works once and is valid for 24 hours; earlier links stop working. It also stops working when the caller could no longer make it, when role, access profile, sectors or private numbers of the member change, and when the member sets a password or is signed out everywhere. "+
				"When the member uses the link, private numbers that the caller cannot see stay hidden from them until an owner or admin saves their viewers again.")),
		httpserver.Del("/team/{id}/sessions", VerbEndMemberSessions, "End all sessions of a member", remove("team member", s.verbs.EndMemberSessions),
			httpserver.About("Reset links of the member stop working.")),
		httpserver.Get("/sectors", VerbSectors, "List the sectors with members and queues", list(s.verbs.Sectors),
			httpserver.AsTool(httpserver.Tool{Name: "list_sectors"}),
			httpserver.About("queues has an entry for each channel with waiting attendances in the sector.")),
		httpserver.Get("/sectors/{id}", VerbSector, "Get a sector with its members and queues", httpserver.ByID("sector", s.verbs.Sector)),
		httpserver.Post("/sectors", VerbCreateSector, "Add a sector", s.createSector, httpserver.Fails(kernel.CodeNameTaken, kernel.CodeLimitReached), httpserver.Created,
			httpserver.Example(`{"name": "Sales", "member_ids": ["01a1dd9b-f8fc-7000-8a9e-a4a6dad7cd3c"]}`)),
		httpserver.Patch("/sectors/{id}", VerbUpdateSector, "Change a sector", s.updateSector, httpserver.Fails(kernel.CodeNameTaken, kernel.CodeLimitReached),
			httpserver.Example(`{"name": "Sales and orders"}`)),
		httpserver.Del("/sectors/{id}", VerbRemoveSector, "Remove a sector", remove("sector", s.verbs.RemoveSector),
			httpserver.About("Its conversations and open attendances then have no sector. Responsible persons stay.")),
		httpserver.Get("/company", VerbCompany, "Get the company", reply(s.verbs.Company)),
		httpserver.Patch("/company", VerbUpdateCompany, "Change the company's name or time zone", s.updateCompany,
			httpserver.Example(`{"name": "Padaria Aurora", "timezone": "America/Recife"}`),
			httpserver.About("Needs the role admin or owner. With another time zone all days of the report are counted again.")),
	}
}

// handlers serve the verbs over HTTP.
type handlers struct{ verbs *People }

// reply returns the handler of a verb without parameters.
func reply[T any](
	verb func(context.Context, *kernel.Principal) (T, error),
) func(context.Context, *kernel.Principal, *httpserver.None) (*httpserver.Reply[T], error) {
	return func(ctx context.Context, a *kernel.Principal, _ *httpserver.None) (*httpserver.Reply[T], error) {
		body, err := verb(ctx, a)
		return &httpserver.Reply[T]{Body: body}, err
	}
}

// list returns the handler of a verb that returns a list.
func list[T any](
	verb func(context.Context, *kernel.Principal) ([]T, error),
) func(context.Context, *kernel.Principal, *httpserver.None) (*httpserver.Reply[httpserver.List[T]], error) {
	return reply(func(ctx context.Context, a *kernel.Principal) (httpserver.List[T], error) {
		data, err := verb(ctx, a)
		return httpserver.List[T]{Data: data}, err
	})
}

// remove returns the handler of a verb that removes the noun with the id in the path.
func remove(
	noun string, verb func(context.Context, *kernel.Principal, kernel.ID) error,
) func(context.Context, *kernel.Principal, *httpserver.AtID) (*httpserver.None, error) {
	return func(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.None, error) {
		id, err := httpserver.PathID(in.ID, noun)
		if err != nil {
			return nil, err
		}
		return &httpserver.None{}, verb(ctx, a, id)
	}
}
