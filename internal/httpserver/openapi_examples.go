package httpserver

import (
	"strings"

	"recado/internal/kernel"
)

// codeMessages contains an example of the message for each code. It begins with the invalid field, if there is one.
var codeMessages = map[kernel.Code]string{
	kernel.CodeInvalidRequest:       "body.phone: must be a phone number with its country code",
	kernel.CodeInvalidJSON:          "body: is not valid JSON",
	kernel.CodeInvalidCursor:        "This cursor belongs to another list or another filter. Start again without a cursor.",
	kernel.CodeIdempotencyRequired:  "header.Idempotency-Key: is required: use a new key for each operation, and the same key to retry it.",
	kernel.CodeIdempotencyInvalid:   "header.Idempotency-Key: must have 8 to 128 visible ASCII characters.",
	kernel.CodeURLNotAllowed:        "body.url: must use https",
	kernel.CodeMediaTypeNotAllowed:  "WhatsApp does not accept files of this type (application/x-msdownload).",
	kernel.CodeKeyMissing:           "Send an API key in the header Authorization: Bearer <key>.",
	kernel.CodeKeyInvalid:           "This is not a valid API key. Check that it is complete.",
	kernel.CodeKeyExpired:           "This API key has expired. Use another one.",
	kernel.CodeKeyRevoked:           "This API key was revoked. Use another one.",
	kernel.CodeSessionMissing:       "You are not signed in, or your session has ended. Sign in again.",
	kernel.CodeLoginFailed:          "The address or the password is wrong.",
	kernel.CodeCodeRequired:         "Two-factor sign-in is on: send the code of your authenticator app.",
	kernel.CodeCodeInvalid:          "The code is wrong, was used before or is too old.",
	kernel.CodeInsufficientScope:    "This key lacks the scope contacts:write.",
	kernel.CodeInsufficientRole:     "Only the author may change a note.",
	kernel.CodeSessionRequired:      "API keys cannot use this operation. Sign in with POST /session.",
	kernel.CodeSessionChanged:       "This cookie belongs to another person than X-Recado-User names. Sign in again.",
	kernel.CodeCrossOrigin:          "Requests with a session must come from the app: Sec-Fetch-Site or Origin names another site.",
	kernel.CodeCompanyRequired:      "This address belongs to several companies. Send one of them as company.",
	kernel.CodeTwoFactorActive:      "Two-factor sign-in is already on. Turn it off first to use another device.",
	kernel.CodeNotFound:             "There is no such conversation.",
	kernel.CodeMethodNotAllowed:     "This address does not support the method PUT.",
	kernel.CodeVersionConflict:      "The card has changed since version 6. Fetch it and apply your change again.",
	kernel.CodeIdempotencyConflict:  "This Idempotency-Key was used for another request. Send a new one for each operation.",
	kernel.CodeIdempotencyPending:   "A request with this Idempotency-Key is in progress or was interrupted. Check whether it took effect before trying again with a new key.",
	kernel.CodeClientIDConflict:     "This client_id was used in another conversation.",
	kernel.CodeContactExists:        "There is already a contact with this phone number.",
	kernel.CodeAttendanceNotOpen:    "The conversation has no open attendance.",
	kernel.CodeAttendanceRestricted: "Another person is responsible for this attendance.",
	kernel.CodeNotVisible:           "Your access profile does not include this conversation.",
	kernel.CodeContactBlocked:       "The contact is blocked.",
	kernel.CodeChannelArchived:      "The channel of this conversation is archived. Its history stays readable; nothing can be sent through it.",
	kernel.CodeChannelDisconnected:  "The channel is disconnected. Connect it first.",
	kernel.CodeServiceWindowClosed:  "The customer last wrote more than 24 hours ago. Send a template.",
	kernel.CodeMessageNotSent:       "The message has not been sent yet, so it cannot have a reaction.",
	kernel.CodeTemplateUnavailable:  "The channel has no approved template with this name and language.",
	kernel.CodeNotScheduled:         "The message is no longer scheduled.",
	kernel.CodeNotASectorMember:     "The person is not a member of the sector.",
	kernel.CodeWebhookLimit:         "A company can have 20 webhooks. Delete one first.",
	kernel.CodeLimitReached:         "The company has reached the limit of 1000 labels.",
	kernel.CodeStageNotEmpty:        "The stage still has cards. Move them first.",
	kernel.CodeInUse:                "It is in use.",
	kernel.CodeNameTaken:            "There is already a label called \"VIP\". Choose another name.",
	kernel.CodeBodyTooLarge:         "The request body is larger than 64 KiB. Send a smaller one.",
	kernel.CodeMediaTooLarge:        "A file of kind image may have at most 5120 KiB.",
	kernel.CodeVersionRequired:      "Send the version of the card that you change, in If-Match or in the body.",
	kernel.CodeRateLimited:          "This key has made too many requests. Wait for the number of seconds in Retry-After.",
	kernel.CodeInternal:             "The server failed to handle this request. Include the request id when you report it.",
	kernel.CodeUnavailable:          "The database cannot be reached at the moment. Try again.",
	kernel.CodeStorageFull:          "The disk of the server is full. Nothing was stored. Try again when there is space.",
	kernel.CodeUncertain:            "The connection to the database was lost at the last moment, so it is not known whether the change was stored. Retry the request with the same client_id if it has one; otherwise check whether the change was stored before retrying.",
}

// codeExample returns an example of an Error with a code.
func codeExample(code kernel.Code) *Error {
	e := &Error{Code: code, Message: codeMessages[code], RequestID: "01a1dd8b-94d3-7000-8e09-23922c17c8f4", Params: map[string]any{}, Details: []ErrorDetail{}}
	if code == kernel.CodeServiceWindowClosed {
		e.Params["reason"] = "expired"
	}
	rule := map[kernel.Code]string{kernel.CodeInvalidRequest: "malformed", kernel.CodeInvalidJSON: "not_json", kernel.CodeURLNotAllowed: "malformed"}[code]
	if rule == "" {
		rule = kernel.RuleRequired.Code()
	}
	if field, message, ok := strings.Cut(e.Message, ": "); ok && (strings.HasPrefix(field, "body") || strings.HasPrefix(field, "header.")) {
		e.Details = append(e.Details, ErrorDetail{Field: field, Code: rule, Params: kernel.Params{}, Message: message})
	}
	return e
}
