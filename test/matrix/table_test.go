package matrix

// example is a request to a route in which every id is a slot: {conversation} stands for the id of a conversation. A route
// whose slots cannot all be filled in one request has several examples.
type example struct {
	path, query, body string
	upload            bool   // the body is a form with a file
	form              string // the other fields of the form, as in a query
	refused           int    // the status of an example that cannot succeed here, or 0
}

// table has examples of every route. The tests fail for a route without an example, and for an id in the OpenAPI document
// without a slot.
var table = map[string][]example{
	"GET /me": {{path: "/me"}},

	"GET /setup": {{path: "/setup"}},
	"POST /setup": {{
		path: "/setup", body: `{"token":"{word}","company":"{word}","timezone":"America/Sao_Paulo","name":"n","email":"{word}@x.example","password":"{password}"}`,
		refused: 404, // the installation has companies already
	}},
	"POST /session":                         {{path: "/session", body: `{"email":"{email}","password":"{password}","company":"{company}"}`}},
	"GET /session":                          {{path: "/session"}},
	"DELETE /session":                       {{path: "/session"}},
	"GET /sessions":                         {{path: "/sessions"}},
	"DELETE /sessions/{id}":                 {{path: "/sessions/{session}"}},
	"DELETE /sessions":                      {{path: "/sessions"}},
	"GET /welcome":                          {{path: "/welcome", query: "token={token}"}},
	"POST /welcome":                         {{path: "/welcome", body: `{"token":"{token}","password":"{password}"}`}},
	"PATCH /me":                             {{path: "/me", body: `{"signature":"s"}`}},
	"PUT /me/presence":                      {{path: "/me/presence", body: `{"presence":"auto"}`}},
	"GET /me/preferences":                   {{path: "/me/preferences"}},
	"PATCH /me/preferences":                 {{path: "/me/preferences", body: `{"theme":"dark"}`}},
	"GET /me/notifications":                 {{path: "/me/notifications"}},
	"POST /me/notifications/read":           {{path: "/me/notifications/read", body: `{"ids":["{new}"]}`}}, // unknown ids change nothing
	"GET /me/push-key":                      {{path: "/me/push-key"}},
	"GET /me/push-subscriptions":            {{path: "/me/push-subscriptions"}},
	"POST /me/push-subscriptions":           {{path: "/me/push-subscriptions", body: `{"endpoint":"{receiver}/{new}","keys":{"p256dh":"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4","auth":"BTBZMqHH6r4Tts7J_aSIgg"}}`}},
	"DELETE /me/push-subscriptions/{id}":    {{path: "/me/push-subscriptions/{push subscription}"}},
	"POST /me/push-subscriptions/{id}/test": {{path: "/me/push-subscriptions/{push subscription}/test"}},
	"POST /me/two-factor":                   {{path: "/me/two-factor", body: `{"password":"{password}"}`}},
	"POST /me/two-factor/confirm":           {{path: "/me/two-factor/confirm", body: `{"code":"000000"}`, refused: 400}}, // a wrong code
	"POST /me/two-factor/disable":           {{path: "/me/two-factor/disable", body: `{"password":"{password}","code":"000000"}`}},
	"DELETE /me/two-factor":                 {{path: "/me/two-factor", body: `{"password":"{password}","code":"000000"}`}},
	"GET /team/invitations":                 {{path: "/team/invitations"}},
	"POST /team/invitations":                {{path: "/team/invitations", body: `{"email":"{word}@x.example","name":"n","role":"agent","sector_ids":["{sector}"]}`}},
	"DELETE /team/invitations/{id}":         {{path: "/team/invitations/{invitation}"}},
	"POST /team/{id}/reset-link":            {{path: "/team/{user}/reset-link"}},
	"DELETE /team/{id}/sessions":            {{path: "/team/{user}/sessions"}},

	"GET /audit": {{path: "/audit", query: "actor={user}&subject={key}"}},

	"GET /jobs":                  {{path: "/jobs"}},
	"GET /jobs/{id}":             {{path: "/jobs/{job}"}},
	"POST /jobs/{id}/cancel":     {{path: "/jobs/{job}/cancel", refused: 409}},
	"POST /contacts/{id}/export": {{path: "/contacts/{contact}/export"}},

	"POST /imports": {{path: "/imports", upload: true, form: "kind=contacts"}},

	"POST /contacts/{id}/erase":         {{path: "/contacts/{contact}/erase", body: `{"confirm_phone":"+12025550100","reason":"r"}`, refused: 400}},
	"POST /contacts/{id}/erase/preview": {{path: "/contacts/{contact}/erase/preview"}},

	"GET /company/retention":          {{path: "/company/retention"}},
	"PATCH /company/retention":        {{path: "/company/retention", body: `{"audit_days":400}`}},
	"POST /company/retention/preview": {{path: "/company/retention/preview", body: `{"messages_days":400}`}},

	"GET /keys":              {{path: "/keys"}},
	"GET /keys/{id}":         {{path: "/keys/{key}"}},
	"POST /keys":             {{path: "/keys", body: `{"name":"k","scopes":["read"],"boards":["{board}"],"user_id":"{user}"}`}},
	"PATCH /keys/{id}":       {{path: "/keys/{key}", body: `{"name":"k","acts_as":"integration"}`}},
	"POST /keys/{id}/rotate": {{path: "/keys/{key}/rotate"}},
	"DELETE /keys/{id}":      {{path: "/keys/{key}"}},

	"GET /channels":                          {{path: "/channels"}},
	"GET /channels/{id}":                     {{path: "/channels/{channel}"}},
	"POST /channels":                         {{path: "/channels", body: `{"name":"n","phone":"{phone}","provider":"sandbox"}`}},
	"PATCH /channels/{id}":                   {{path: "/channels/{channel}", body: `{"name":"n","hours_id":"{hours}"}`}, {path: "/channels/{channel}", body: `{"viewers":["{user}"]}`, refused: 400}}, // keys cannot set viewers
	"GET /private-channels":                  {{path: "/private-channels"}},
	"DELETE /channels/{id}":                  {{path: "/channels/{channel}"}},
	"GET /channels/{id}/connection":          {{path: "/channels/{channel}/connection"}},
	"POST /channels/{id}/test":               {{path: "/channels/{channel}/test"}},
	"GET /channels/{id}/templates":           {{path: "/channels/{channel}/templates"}},
	"POST /channels/{id}/templates":          {{path: "/channels/{channel}/templates", body: `{"name":"n","language":"pt_BR","category":"utility","body":"x"}`, refused: 400}}, // a sandbox has no templates
	"DELETE /channels/{id}/templates/{name}": {{path: "/channels/{channel}/templates/n", refused: 400}},
	"POST /channels/{id}/templates/sync":     {{path: "/channels/{channel}/templates/sync", refused: 400}}, // a sandbox has no templates
	"GET /channels/{id}/link":                {{path: "/channels/{channel}/link", refused: 400}},           // only for linked numbers
	"POST /channels/{id}/link":               {{path: "/channels/{channel}/link", body: `{"phone":"{phone}"}`, refused: 400}},
	"DELETE /channels/{id}/link":             {{path: "/channels/{channel}/link", refused: 400}},
	"GET /channels/{id}/reception":           {{path: "/channels/{channel}/reception"}},
	"PUT /channels/{id}/reception": {{path: "/channels/{channel}/reception", body: `{"enabled":false,"menu":{"text":"x","fallback_sector":"{sector}","options":[` +
		`{"title":"a","action":{"sector":"{sector}"}},{"title":"b","action":{"user":"{user}"}}]}}`}},
	"POST /channels/{id}/reception/try": {{path: "/channels/{channel}/reception/try", body: `{"texts":["x"],"reception":{"menu":{"text":"x","fallback_sector":"{sector}","options":[` +
		`{"title":"a","action":{"sector":"{sector}"}},{"title":"b","action":{"user":"{user}"}}]}}}`}},
	"POST /channels/{id}/simulate": {
		{path: "/channels/{channel}/simulate", body: `{"from":"{phone}","text":"x","media_id":"{media}"}`},
		{path: "/channels/{channel}/simulate", body: `{"from":"{phone of conversation}","text":"x","reply_to_external_id":"{external}"}`},
		{path: "/channels/{channel}/simulate", body: `{"external_id":"{external sent}","status":"delivered"}`},
		{path: "/channels/{channel}/simulate", body: `{"from":"{phone of conversation}","reaction":{"external_id":"{external sent}","emoji":"👍"}}`},
		{path: "/channels/{channel}/simulate", body: `{"from":"{phone of conversation}","edit":{"external_id":"{external}","text":"x"}}`},
		{path: "/channels/{channel}/simulate", body: `{"from":"{phone of conversation}","revoke":{"external_id":"{external}"}}`},
		{path: "/channels/{channel}/simulate", body: `{"from_phone_app":true,"to":"{phone}","text":"x"}`},
	},

	"GET /conversations": {{path: "/conversations", query: "channel={channel}&assignee={user}&sector={sector}&label={label}&contact={contact}"}},
	"POST /conversations": {
		{path: "/conversations", body: `{"channel_id":"{channel}","contact_id":"{contact}"}`},
		{path: "/conversations", body: `{"channel_id":"{channel}","phone":"{phone}"}`},
	},
	"GET /inbox/counts":               {{path: "/inbox/counts"}},
	"GET /conversations/{id}":         {{path: "/conversations/{conversation}"}},
	"PATCH /conversations/{id}":       {{path: "/conversations/{conversation}", body: `{"label_ids":["{label}"]}`}},
	"GET /conversations/{id}/members": {{path: "/conversations/{conversation}/members"}},
	"GET /conversations/{id}/picture": {{path: "/conversations/{conversation}/picture"}},
	"POST /conversations/{id}/read":   {{path: "/conversations/{conversation}/read"}},
	"POST /conversations/{id}/unread": {{path: "/conversations/{conversation}/unread"}},
	"POST /conversations/{id}/take":   {{path: "/conversations/{conversation}/take"}},
	"POST /conversations/{id}/snooze": {{path: "/conversations/{conversation}/snooze", body: `{"until":"2099-01-01T00:00:00Z"}`}},
	"PUT /conversations/{id}/bot":     {{path: "/conversations/{conversation}/bot", body: `{"paused_until":"2099-01-01T00:00:00Z"}`}},
	"POST /conversations/bulk": {
		{path: "/conversations/bulk", body: `{"ids":["{conversation}"],"action":"transfer","user_id":"{user}","sector_id":"{sector}"}`},
		{path: "/conversations/bulk", body: `{"ids":["{conversation}"],"action":"label","add":["{label}"],"remove":["{label}"]}`},
		{path: "/conversations/bulk", body: `{"ids":["{conversation}"],"action":"close","reason_id":"{closing reason}"}`},
	},
	"POST /conversations/{id}/transfer":          {{path: "/conversations/{conversation}/transfer", body: `{"user_id":"{user}","sector_id":"{sector}"}`}},
	"PUT /conversations/{id}/sector":             {{path: "/conversations/{conversation}/sector", body: `{"sector_id":"{sector}"}`}},
	"GET /conversations/{id}/rates":              {{path: "/conversations/{conversation}/rates"}},
	"GET /conversations/{id}/attendance":         {{path: "/conversations/{conversation}/attendance"}},
	"GET /conversations/{id}/assignments":        {{path: "/conversations/{conversation}/assignments"}},
	"POST /conversations/{id}/attendance/close":  {{path: "/conversations/{conversation}/attendance/close", body: `{"reason_id":"{closing reason}"}`}},
	"POST /conversations/{id}/attendance/reopen": {{path: "/conversations/{conversation}/attendance/reopen", refused: 409}}, // it is open
	"GET /conversations/{id}/messages":           {{path: "/conversations/{conversation}/messages"}},
	"GET /conversations/{id}/timeline":           {{path: "/conversations/{conversation}/timeline", query: "around={message}"}},
	"POST /conversations/{id}/messages": {
		{path: "/conversations/{conversation}/messages", body: `{"client_id":"{new}","text":"x","media_id":"{media}"}`},
		{path: "/conversations/{conversation}/messages", body: `{"client_id":"{new}","text":"x","reply_to_external_id":"{external}"}`},
		{path: "/conversations/{conversation}/messages", body: `{"client_id":"{new}","template":{"name":"n","language":"pt_BR","parameters":[{"component":"header","media_id":"{media}"}]}}`, refused: 400}, // a sandbox has no templates
	},
	"GET /conversations/{id}/media": {{path: "/conversations/{conversation}/media"}},

	"GET /conversations/{id}/notes":    {{path: "/conversations/{conversation}/notes"}},
	"POST /conversations/{id}/notes":   {{path: "/conversations/{conversation}/notes", body: `{"client_id":"{new}","text":"x","mentions":["{user}"]}`}},
	"PATCH /notes/{id}":                {{path: "/notes/{note}", body: `{"mentions":["{user}"]}`}},
	"DELETE /notes/{id}":               {{path: "/notes/{note}"}},
	"PUT /conversations/{id}/draft":    {{path: "/conversations/{conversation}/draft", body: `{"text":"x","reply_to_external_id":"{external}"}`}},
	"DELETE /conversations/{id}/draft": {{path: "/conversations/{conversation}/draft"}},

	"GET /conversations/{id}/scheduled":  {{path: "/conversations/{conversation}/scheduled"}},
	"POST /conversations/{id}/scheduled": {{path: "/conversations/{conversation}/scheduled", body: `{"client_id":"{new}","send_at":"{tomorrow}","text":"x","media_id":"{media}"}`}},
	"PATCH /scheduled/{id}":              {{path: "/scheduled/{scheduled}", body: `{"text":"x","media_id":"{media}"}`}},
	"DELETE /scheduled/{id}":             {{path: "/scheduled/{scheduled}"}},

	"GET /replies": {{path: "/replies"}},
	"POST /replies": {
		{path: "/replies", body: `{"shortcut":"{word}","title":"t","text":"x","media_id":"{media}","sector_ids":["{sector}"],"owner":null}`},
		{path: "/replies", body: `{"shortcut":"{word}","title":"t","text":"x","owner":"{me}"}`},
	},
	"PATCH /replies/{id}":       {{path: "/replies/{reply}", body: `{"media_id":"{media}","sector_ids":["{sector}"]}`}},
	"DELETE /replies/{id}":      {{path: "/replies/{reply}"}},
	"POST /replies/{id}/render": {{path: "/replies/{reply}/render", body: `{"conversation_id":"{conversation}"}`}},

	"GET /views":         {{path: "/views"}},
	"POST /views":        {{path: "/views", body: `{"name":"n","query":{"channel":"{channel}","sector":"{sector}","label":"{label}"}}`}},
	"PATCH /views/{id}":  {{path: "/views/{view}", body: `{"query":{"channel":"{channel}","sector":"{sector}","label":"{label}"}}`}},
	"DELETE /views/{id}": {{path: "/views/{view}"}},

	"GET /messages":                  {{path: "/messages", query: "q=word&conversation={conversation}&contact={contact}&channel={channel}&user={user}"}},
	"GET /messages/{id}":             {{path: "/messages/{message}"}},
	"PATCH /messages/{id}":           {{path: "/messages/{message}", body: `{"text":"x"}`, refused: 409}}, // a sandbox holds no messages
	"DELETE /messages/{id}":          {{path: "/messages/{message}", refused: 409}},
	"PUT /messages/{id}/reaction":    {{path: "/messages/{message}/reaction", body: `{"emoji":"👍"}`}},
	"DELETE /messages/{id}/reaction": {{path: "/messages/{message}/reaction"}},
	"POST /media":                    {{path: "/media", upload: true}},
	"GET /media/{id}":                {{path: "/media/{media}"}},
	"GET /media/{id}/url":            {{path: "/media/{media}/url"}},

	"GET /live":                         {{path: "/live"}},
	"POST /conversations/{id}/activity": {{path: "/conversations/{conversation}/activity", body: `{"kind":"viewing"}`}},

	"GET /media/{id}/content": {{path: "/media/{media}/content"}},

	"GET /contacts":         {{path: "/contacts", query: "label={label}&channel={channel}"}},
	"POST /contacts":        {{path: "/contacts", body: `{"name":"n","phone":"{phone}","channel_id":"{channel}"}`}},
	"GET /contacts/{id}":    {{path: "/contacts/{contact}"}},
	"PATCH /contacts/{id}":  {{path: "/contacts/{contact}", body: `{"label_ids":["{label}"]}`}},
	"DELETE /contacts/{id}": {{path: "/contacts/{free contact}"}},

	"GET /closing-reasons":         {{path: "/closing-reasons"}},
	"POST /closing-reasons":        {{path: "/closing-reasons", body: `{"name":"{word}","sector_ids":["{sector}"]}`}},
	"PATCH /closing-reasons/{id}":  {{path: "/closing-reasons/{closing reason}", body: `{"sector_ids":["{sector}"]}`}},
	"DELETE /closing-reasons/{id}": {{path: "/closing-reasons/{closing reason}"}},

	"GET /labels":         {{path: "/labels"}},
	"GET /labels/{id}":    {{path: "/labels/{label}"}},
	"POST /labels":        {{path: "/labels", body: `{"name":"{word}"}`}},
	"PATCH /labels/{id}":  {{path: "/labels/{label}", body: `{"color":"#123456"}`}},
	"DELETE /labels/{id}": {{path: "/labels/{label}"}},

	"GET /fields":         {{path: "/fields", query: "entity=contact"}},
	"POST /fields":        {{path: "/fields", body: `{"entity":"contact","key":"{word}","name":"n","type":"text"}`}},
	"PATCH /fields/{id}":  {{path: "/fields/{field}", body: `{"name":"n","position":0}`}},
	"DELETE /fields/{id}": {{path: "/fields/{field}", query: "confirm=true"}},

	"GET /attendances":        {{path: "/attendances", query: "assignee={user}&sector={sector}&conversation={conversation}&protocol={protocol}&channel={channel}&label={label}&reason={closing reason}"}},
	"GET /attendances/{id}":   {{path: "/attendances/{attendance}"}},
	"PATCH /attendances/{id}": {{path: "/attendances/{attendance}", body: `{"fields":{ }}`}},

	"GET /team":                      {{path: "/team"}},
	"GET /team/{id}":                 {{path: "/team/{user}"}},
	"POST /team":                     {{path: "/team", body: `{"name":"n","email":"{word}@x.example","sector_ids":["{sector}"]}`}},
	"PATCH /team/{id}":               {{path: "/team/{user}", body: `{"sector_ids":["{sector}"]}`}},
	"DELETE /team/{id}":              {{path: "/team/{user}"}},
	"GET /sectors":                   {{path: "/sectors"}},
	"GET /sectors/{id}":              {{path: "/sectors/{sector}"}},
	"POST /sectors":                  {{path: "/sectors", body: `{"name":"{word}","member_ids":["{user}"],"hours_id":"{hours}"}`}},
	"PATCH /sectors/{id}":            {{path: "/sectors/{sector}", body: `{"member_ids":["{user}"],"hours_id":"{hours}"}`}},
	"GET /sectors/{id}/distribution": {{path: "/sectors/{sector}/distribution"}},
	"DELETE /sectors/{id}":           {{path: "/sectors/{sector}"}},

	"GET /company":              {{path: "/company"}},
	"PATCH /company":            {{path: "/company", body: `{"name":"n"}`}},
	"GET /company/attendance":   {{path: "/company/attendance"}},
	"PATCH /company/attendance": {{path: "/company/attendance", body: `{"mode":"liberal"}`}, {path: "/company/attendance", body: `{"hours_id":"{hours}"}`}},
	"GET /company/survey":       {{path: "/company/survey"}},
	"GET /company/rates":        {{path: "/company/rates"}},
	"PUT /company/rates":        {{path: "/company/rates", body: `{"currency":"BRL","rates":[{"country":"BR","category":"marketing","amount":0.3,"from":"2026-01-01"}]}`}},
	"GET /company/opt-out":      {{path: "/company/opt-out"}},
	"PATCH /company/opt-out":    {{path: "/company/opt-out", body: `{"welcome_back":null}`}},
	"GET /company/budget":       {{path: "/company/budget"}},
	"PATCH /company/budget":     {{path: "/company/budget", body: `{"monthly_amount":100}`}},
	"PUT /company/survey":       {{path: "/company/survey", body: `{"enabled":false,"sector_ids":["{sector}"]}`}},
	"GET /hours":                {{path: "/hours"}},
	"POST /hours":               {{path: "/hours", body: `{"name":"n"}`}},
	"GET /hours/holidays":       {{path: "/hours/holidays"}},
	"GET /hours/{id}":           {{path: "/hours/{hours}"}},
	"PATCH /hours/{id}":         {{path: "/hours/{hours}", body: `{"name":"n"}`}},
	"DELETE /hours/{id}":        {{path: "/hours/{free hours}"}},
	"GET /hours/{id}/status":    {{path: "/hours/{hours}/status"}},

	"GET /sla-policies":         {{path: "/sla-policies"}},
	"POST /sla-policies":        {{path: "/sla-policies", body: `{"name":"{word}","sector_ids":["{free sector}"]}`}},
	"PATCH /sla-policies/{id}":  {{path: "/sla-policies/{sla policy}", body: `{"warn_percent":90}`}, {path: "/sla-policies/{sla policy}", body: `{"sector_ids":["{free sector}"]}`}},
	"DELETE /sla-policies/{id}": {{path: "/sla-policies/{sla policy}"}},

	"GET /reports/now":        {{path: "/reports/now"}},
	"GET /reports/cost":       {{path: "/reports/cost", query: "by=channel"}},
	"GET /reports/attendance": {{path: "/reports/attendance", query: "sector={sector}&user={user}"}},

	"GET /integrations/webhooks":                                          {{path: "/integrations/webhooks"}},
	"POST /integrations/webhooks":                                         {{path: "/integrations/webhooks", body: `{"name":"n","url":"{receiver}","events":["message.sent"]}`}},
	"GET /integrations/webhooks/events":                                   {{path: "/integrations/webhooks/events"}},
	"GET /integrations/webhooks/{id}":                                     {{path: "/integrations/webhooks/{webhook}"}},
	"PATCH /integrations/webhooks/{id}":                                   {{path: "/integrations/webhooks/{webhook}", body: `{"name":"n"}`}},
	"DELETE /integrations/webhooks/{id}":                                  {{path: "/integrations/webhooks/{webhook}"}},
	"POST /integrations/webhooks/{id}/rotate-secret":                      {{path: "/integrations/webhooks/{webhook}/rotate-secret"}},
	"POST /integrations/webhooks/{id}/test":                               {{path: "/integrations/webhooks/{webhook}/test"}},
	"GET /integrations/webhooks/{id}/deliveries":                          {{path: "/integrations/webhooks/{webhook}/deliveries"}},
	"GET /integrations/webhooks/{id}/deliveries/{delivery_id}":            {{path: "/integrations/webhooks/{webhook}/deliveries/{delivery}"}},
	"POST /integrations/webhooks/{id}/deliveries/{delivery_id}/redeliver": {{path: "/integrations/webhooks/{webhook}/deliveries/{delivery}/redeliver"}},
	"GET /events":        {{path: "/events"}},
	"GET /events/stream": {{path: "/events/stream"}},

	"GET /kanban/boards":                           {{path: "/kanban/boards"}},
	"POST /kanban/boards":                          {{path: "/kanban/boards", body: `{"name":"{word}"}`}},
	"GET /kanban/boards/{id}":                      {{path: "/kanban/boards/{board}"}},
	"GET /kanban/boards/{id}/counts":               {{path: "/kanban/boards/{board}/counts"}},
	"PATCH /kanban/boards/{id}":                    {{path: "/kanban/boards/{board}", body: `{"name":"{word}"}`}},
	"POST /kanban/boards/{id}/stages":              {{path: "/kanban/boards/{board}/stages", body: `{"name":"{word}"}`}},
	"PATCH /kanban/boards/{id}/stages/{stage_id}":  {{path: "/kanban/boards/{board}/stages/{stage}", body: `{"name":"{word}"}`}},
	"DELETE /kanban/boards/{id}/stages/{stage_id}": {{path: "/kanban/boards/{board}/stages/{stage}"}},
	"GET /kanban/cards":                            {{path: "/kanban/cards", query: "board_id={board}&stage_id={stage}&label={label}&assignee={user}&conversation={conversation}"}},
	"POST /kanban/cards": {{path: "/kanban/cards", body: `{"title":"t","board_id":"{board}","stage_id":"{stage}","before_card_id":"{card}",` +
		`"label_ids":["{label}"],"assignee":"{user}","contact":"{contact}","conversation":"{conversation}"}`}},
	"GET /kanban/cards/{id}": {{path: "/kanban/cards/{card}"}},
	"PATCH /kanban/cards/{id}": {{path: "/kanban/cards/{card}", body: `{"version":1,"label_ids":["{label}"],"assignee":"{user}","contact":"{contact}",` +
		`"conversation":"{conversation}"}`}},
	"POST /kanban/cards/{id}/move": {{path: "/kanban/cards/{card}/move", body: `{"version":1,"stage_id":"{stage}","before_card_id":"{other card}","reason_id":"{closing reason}"}`}},
	"DELETE /kanban/cards/{id}":    {{path: "/kanban/cards/{card}"}},
}
