package api

import "recado/internal/model"

// routes is the one table: what is not here does not exist.
func (s *Server) routes() []*Route {
	return []*Route{
		get("/me", noScope, "Who this key is", s.me),

		get("/keys", model.ScopeKeysManage, "List the API keys", s.listKeys),
		post("/keys", model.ScopeKeysManage, "Issue an API key", s.createKey, created,
			about("The key itself is shown this once. A key never gains a scope that its creator lacks.")),
		post("/keys/{id}/rotate", model.ScopeKeysManage, "Give an integration a new key", s.rotateKey,
			about("The old key lives on for overlap_seconds.")),
		del("/keys/{id}", model.ScopeKeysManage, "Revoke an API key", s.revokeKey),

		get("/channels", model.ScopeConversationsRead, "List the WhatsApp numbers", s.listChannels),
		post("/channels", model.ScopeChannelsManage, "Add a channel", s.createChannel, created),
		patch("/channels/{id}", model.ScopeChannelsManage, "Change a channel", s.updateChannel),

		get("/labels", model.ScopeContactsRead, "List the labels", s.listLabels),
		post("/labels", model.ScopeLabelsWrite, "Create a label", s.createLabel, created),
		patch("/labels/{id}", model.ScopeLabelsWrite, "Change a label", s.updateLabel),
		del("/labels/{id}", model.ScopeLabelsWrite, "Delete a label", s.deleteLabel),

		get("/reports/attendance", model.ScopeReportsRead, "Report on attendances", s.attendanceReport,
			about("Attendances opened and closed, first-response and resolution times: in all, per responsible person, per sector and per day. "+
				"Days are those of the company's time zone. Without dates it is the last 30 days; with from alone it ends today, with to alone it has 30 days. "+
				"What an attendance counts stands under its present responsible person and sector.")),
	}
}
