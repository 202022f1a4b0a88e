package api

import (
	"strings"

	"recado/internal/model"
)

// bodyExamples shows a body for every operation that takes one as JSON. The ids name nothing.
var bodyExamples = map[string]string{
	"POST /setup":                 `{"token": "3q2-7wAAAAA", "company": "Padaria Aurora", "timezone": "America/Sao_Paulo", "name": "Lia", "email": "lia@example.com", "password": "correct horse battery"}`,
	"POST /session":               `{"email": "lia@example.com", "password": "correct horse battery"}`,
	"POST /welcome":               `{"token": "3q2-7wAAAAA", "password": "correct horse battery"}`,
	"PATCH /me":                   `{"name": "Lia Souza", "signature": "Lia, Sales"}`,
	"PUT /me/presence":            `{"presence": "away"}`,
	"PATCH /me/preferences":       `{"theme": "dark", "send_with": "ctrl_enter"}`,
	"POST /me/two-factor":         `{"password": "correct horse battery"}`,
	"POST /me/two-factor/confirm": `{"code": "123456"}`,
	"POST /me/two-factor/disable": `{"password": "correct horse battery", "code": "123456"}`,
	"DELETE /me/two-factor":       `{"password": "correct horse battery", "code": "123456"}`,
	"POST /team/invitations":      `{"email": "carla@example.com", "name": "Carla", "role": "agent", "access_profile": "sectors"}`,

	"POST /keys":             `{"name": "CRM", "scopes": ["conversations:read", "messages:send"], "rate": {"per_second": 20, "burst": 40}}`,
	"PATCH /keys/{id}":       `{"name": "CRM", "acts_as": "integration"}`,
	"POST /keys/{id}/rotate": `{"overlap_seconds": 3600}`,

	"POST /channels":               `{"name": "Front desk", "provider": "sandbox", "phone": "+55 11 4002-8922"}`,
	"PATCH /channels/{id}":         `{"name": "Front desk"}`,
	"POST /channels/{id}/simulate": `{"from": "+55 11 91234-5678", "name": "Lia", "text": "Oi! Vocês abrem hoje?"}`,

	"PUT /channels/{id}/reception":      `{"enabled": true, "greeting": "Olá!", "away": "Estamos fechados agora.", "menu": {"text": "Como podemos ajudar?", "options": [{"title": "Vendas", "action": {"sector": "01a1dd8b-7e31-7000-89e2-ef1640efe6bb"}}, {"title": "Horário", "action": {"text": "Das 8h às 18h."}}]}}`,
	"POST /channels/{id}/reception/try": `{"texts": ["Oi", "1"]}`,

	"POST /conversations":               `{"channel_id": "01a1dd9b-fad4-7003-a934-f67da22447e0", "phone": "+55 11 91234-5678", "name": "Lia"}`,
	"PATCH /conversations/{id}":         `{"pinned": true, "label_ids": ["01a1dd9b-fad4-7000-a336-f79fc0b0c318"]}`,
	"POST /conversations/{id}/snooze":   `{"until": "2026-12-01T13:00:00Z"}`,
	"PUT /conversations/{id}/bot":       `{"paused_until": "2026-12-01T13:00:00Z"}`,
	"POST /conversations/bulk":          `{"ids": ["01a1dd9b-fad4-7003-a934-f67da22447e0"], "action": "label", "add": ["01a1dd9b-fad4-7000-a336-f79fc0b0c318"]}`,
	"POST /conversations/{id}/messages": `{"client_id": "6f1c3a52-7a53-4b7e-9d6e-0a4d8c1f2b3a", "text": "Oi, Lia! Até as 18h."}`,
	"PUT /messages/{id}/reaction":       `{"emoji": "👍"}`,
	"POST /conversations/{id}/transfer": `{"user_id": "01a1dd9b-f8fc-7000-8a9e-a4a6dad7cd3c", "reason": "speaks Spanish"}`,
	"POST /conversations/{id}/activity": `{"kind": "typing"}`,
	"PUT /conversations/{id}/sector":    `{"sector_id": "01a1dd8b-7e31-7000-89e2-ef1640efe6bb", "reason": "about an invoice"}`,

	"POST /conversations/{id}/attendance/close": `{"reason": "answered"}`,

	"POST /conversations/{id}/notes":     `{"client_id": "0193e0a4-7c9f-7b3a-9d1e-2f4c6a8b0d1e", "text": "Lia asked for a quote: see the e-mail of Monday.", "mentions": []}`,
	"PATCH /notes/{id}":                  `{"text": "Lia asked for a quote: sent."}`,
	"PUT /conversations/{id}/draft":      `{"text": "Good morning! About your order", "reply_to_external_id": null}`,
	"POST /conversations/{id}/scheduled": `{"client_id": "0193e0a4-7c9f-7b3a-9d1e-2f4c6a8b0d1f", "send_at": "2026-12-01T13:00:00Z", "text": "Did the delivery arrive?", "cancel_on_reply": true}`,
	"PATCH /scheduled/{id}":              `{"send_at": "2026-12-02T13:00:00Z"}`,
	"POST /replies":                      `{"shortcut": "hello", "title": "Greeting", "text": "Good morning, {{contact.first_name|friend}}!", "owner": null}`,
	"PATCH /replies/{id}":                `{"title": "Good morning"}`,
	"POST /replies/{id}/render":          `{"conversation_id": "01a1dd8b-7e31-7000-89e2-ef1640efe6bb"}`,
	"POST /me/notifications/read":        `{"all": true}`,

	"POST /views":       `{"name": "Unread of sales", "query": {"status": "open", "unread": "true", "sector": "01a1dd8b-7e31-7000-89e2-ef1640efe6bb"}}`,
	"PATCH /views/{id}": `{"name": "Sales", "position": 2}`,

	"POST /contacts":       `{"name": "Lia", "phone": "+55 11 91234-5678", "company": "Padaria Aurora", "city": "São Paulo"}`,
	"PATCH /contacts/{id}": `{"city": "Santos", "blocked": false}`,
	"POST /labels":         `{"name": "VIP", "color": "#2e7d32"}`,
	"PATCH /labels/{id}":   `{"color": "#c62828"}`,

	"POST /team":                `{"name": "Carla", "email": "carla@example.com", "role": "agent", "access_profile": "sectors"}`,
	"PATCH /team/{id}":          `{"role": "manager", "access_profile": "all"}`,
	"POST /sectors":             `{"name": "Sales", "member_ids": ["01a1dd9b-f8fc-7000-8a9e-a4a6dad7cd3c"]}`,
	"PATCH /sectors/{id}":       `{"name": "Sales and orders"}`,
	"POST /hours":               `{"name": "Shop", "timezone": "America/Sao_Paulo", "weekly": [{"days": ["mon", "tue", "wed", "thu", "fri"], "from": "08:00", "to": "12:00"}], "exceptions": [{"date": "--12-25", "closed": true}]}`,
	"PATCH /hours/{id}":         `{"exceptions": [{"date": "2026-12-24", "periods": [{"from": "08:00", "to": "12:00"}]}]}`,
	"PATCH /company":            `{"name": "Padaria Aurora", "timezone": "America/Recife"}`,
	"PATCH /company/attendance": `{"mode": "restricted", "auto_close": {"enabled": true, "after_minutes": 1440}}`,

	"POST /integrations/webhooks":       `{"name": "CRM", "url": "https://example.com/hooks/recado", "events": ["message.received", "attendance.closed"]}`,
	"PATCH /integrations/webhooks/{id}": `{"active": true}`,

	"POST /kanban/boards":                         `{"name": "Orders", "stages": [{"name": "New"}, {"name": "Doing"}, {"name": "Delivered", "kind": "won"}]}`,
	"PATCH /kanban/boards/{id}":                   `{"archived": true}`,
	"POST /kanban/boards/{id}/stages":             `{"name": "Packed", "position": 2}`,
	"PATCH /kanban/boards/{id}/stages/{stage_id}": `{"name": "Packed and labelled"}`,
	"POST /kanban/cards":                          `{"board_id": "01a1dd8b-804b-7000-9649-f3508b9f92e3", "title": "Call Lia back", "priority": "high", "due_at": "2026-12-01T13:00:00Z"}`,
	"PATCH /kanban/cards/{id}":                    `{"priority": "urgent", "version": 7}`,
	"POST /kanban/cards/{id}/move":                `{"stage_id": "01a1dd8b-804b-7001-935f-491ff6be3c7e", "version": 7}`,
	"DELETE /kanban/cards/{id}":                   `{"version": 7}`,
}

// codeMessages are what an error with each code says, or says like. Where a part of the request is wrong, it comes first.
var codeMessages = map[model.Code]string{
	model.CodeInvalidRequest:       "body.phone: must be a phone number with its country code",
	model.CodeInvalidJSON:          "body: is not valid JSON",
	model.CodeInvalidCursor:        "This cursor belongs to another list or another filter. Start again without a cursor.",
	model.CodeIdempotencyRequired:  "header.Idempotency-Key: is required: choose a new one for each operation, and repeat it when repeating the call.",
	model.CodeIdempotencyInvalid:   "header.Idempotency-Key: must have 8 to 128 visible ASCII characters.",
	model.CodeURLNotAllowed:        "body.url: must use https",
	model.CodeMediaTypeNotAllowed:  "WhatsApp does not accept files of this type (application/x-msdownload).",
	model.CodeKeyMissing:           "Send an API key in the header Authorization: Bearer <key>.",
	model.CodeKeyInvalid:           "This is not a valid API key. Check that it is complete.",
	model.CodeKeyExpired:           "This API key has expired. Use another one.",
	model.CodeKeyRevoked:           "This API key was revoked. Use another one.",
	model.CodeSessionMissing:       "You are not signed in, or your session has ended. Sign in again.",
	model.CodeLoginFailed:          "The address or the password is wrong.",
	model.CodeCodeRequired:         "Two-factor sign-in is on: send the code of your authenticator app.",
	model.CodeCodeInvalid:          "The code is wrong, was used before or is too old.",
	model.CodeInsufficientScope:    "This key lacks the scope contacts:write.",
	model.CodeInsufficientRole:     "Only the author may change a note.",
	model.CodeSessionRequired:      "An API key cannot make this call. Sign in with POST /session.",
	model.CodeSessionChanged:       "Another person is signed in with this cookie than X-Recado-User names. Sign in again.",
	model.CodeCrossOrigin:          "Requests with a session must come from the app: Sec-Fetch-Site or Origin names another site.",
	model.CodeCompanyRequired:      "This address belongs to several companies. Send one of them as company.",
	model.CodeTwoFactorActive:      "Two-factor sign-in is already on. Turn it off first to use another device.",
	model.CodeNotFound:             "There is no such conversation.",
	model.CodeMethodNotAllowed:     "This address does not support the method PUT.",
	model.CodeVersionConflict:      "The card has changed since version 6. Fetch it and apply your change again.",
	model.CodeIdempotencyConflict:  "This Idempotency-Key was used for another call. Send a new one for each operation.",
	model.CodeIdempotencyPending:   "A call with this Idempotency-Key is in progress, or was interrupted. Look at what it was to change before trying again with a new key.",
	model.CodeClientIDConflict:     "This client_id was used in another conversation.",
	model.CodeContactExists:        "There is a contact with this phone number.",
	model.CodeAttendanceNotOpen:    "The conversation has no open attendance.",
	model.CodeAttendanceRestricted: "Another person is responsible for this attendance.",
	model.CodeNotVisible:           "Your access profile does not include this conversation.",
	model.CodeContactBlocked:       "The contact is blocked.",
	model.CodeChannelArchived:      "The channel of this conversation is archived. Its history stays readable; nothing can be sent through it.",
	model.CodeChannelDisconnected:  "The channel is disconnected. Connect it first.",
	model.CodeServiceWindowClosed:  "The customer last wrote more than 24 hours ago. Send a template.",
	model.CodeMessageNotSent:       "The message was not sent yet, so that there is nothing to react to.",
	model.CodeTemplateUnavailable:  "The channel has no approved template with this name and language.",
	model.CodeNotScheduled:         "The message is no longer scheduled.",
	model.CodeNotASectorMember:     "The person is no member of the sector.",
	model.CodeWebhookLimit:         "A company can have 20 webhooks. Delete one first.",
	model.CodeLimitReached:         "The company has reached the limit of 1000 labels.",
	model.CodeStageNotEmpty:        "The stage still has cards. Move them first.",
	model.CodeInUse:                "It is in use.",
	model.CodeNameTaken:            "There is a label with the name VIP.",
	model.CodeBodyTooLarge:         "The request body is larger than 64 KiB. Send a smaller one.",
	model.CodeMediaTooLarge:        "A file of kind image may have at most 5120 KiB.",
	model.CodeVersionRequired:      "Send the version of the card that you change, in If-Match or in the body.",
	model.CodeRateLimited:          "This key has made too many requests. Wait for the seconds in Retry-After.",
	model.CodeInternal:             "The server failed to handle this request. Report it with this request id.",
	model.CodeUnavailable:          "The database cannot be reached at the moment. Try again.",
	model.CodeStorageFull:          "The disk of the server is full. Nothing was stored. Try again when there is space.",
	model.CodeUncertain:            "The connection to the database was lost at the last moment, so it is not known whether the change was stored. Repeat the call with the same client_id if it has one; otherwise look before you make it again.",
}

// codeExample is an Error with a code, as the document shows it.
func codeExample(code model.Code) *Error {
	e := &Error{Code: code, Message: codeMessages[code], RequestID: "01a1dd8b-94d3-7000-8e09-23922c17c8f4", Params: map[string]any{}, Details: []ErrorDetail{}}
	if code == model.CodeServiceWindowClosed {
		e.Params["reason"] = "expired"
	}
	if field, message, ok := strings.Cut(e.Message, ": "); ok && (strings.HasPrefix(field, "body") || strings.HasPrefix(field, "header.")) {
		e.Details = append(e.Details, ErrorDetail{Field: field, Message: message})
	}
	return e
}
