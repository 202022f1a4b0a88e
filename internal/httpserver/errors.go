package httpserver

import (
	"errors"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"recado/internal/kernel"
)

// errorCodes contains the HTTP status of each error code, and an example of its message. The example begins with the invalid
// field, if there is one.
var errorCodes = map[kernel.Code]struct {
	status  int
	message string
}{
	kernel.CodeInvalidRequest:       {400, "body.phone: must be a phone number with its country code"},
	kernel.CodeInvalidJSON:          {400, "body: is not valid JSON"},
	kernel.CodeInvalidCursor:        {400, "This cursor belongs to another list or another filter. Start again without a cursor."},
	kernel.CodeIdempotencyRequired:  {400, "header.Idempotency-Key: is required: use a new key for each operation, and the same key to retry it."},
	kernel.CodeIdempotencyInvalid:   {400, "header.Idempotency-Key: must have 8 to 128 visible ASCII characters."},
	kernel.CodeFieldRequired:        {400, "These fields are required to close the case: fields.order."},
	kernel.CodeURLNotAllowed:        {400, "body.url: must use https"},
	kernel.CodeMediaTypeNotAllowed:  {400, "WhatsApp does not accept files of this type (application/x-msdownload)."},
	kernel.CodeReasonRequired:       {400, "Choose a closing reason: send its id as reason_id."},
	kernel.CodeKeyMissing:           {401, "Send an API key in the header Authorization: Bearer <key>."},
	kernel.CodeKeyInvalid:           {401, "This is not a valid API key. Check that it is complete."},
	kernel.CodeKeyExpired:           {401, "This API key has expired. Use another one."},
	kernel.CodeKeyRevoked:           {401, "This API key was revoked. Use another one."},
	kernel.CodeSessionMissing:       {401, "You are not signed in, or your session has ended. Sign in again."},
	kernel.CodeLoginFailed:          {401, "The address or the password is wrong."},
	kernel.CodeCodeRequired:         {401, "Two-factor sign-in is on: send the code of your authenticator app."},
	kernel.CodeCodeInvalid:          {401, "The code is wrong, was used before or is too old."},
	kernel.CodeInsufficientScope:    {403, "This key lacks the scope contacts:write."},
	kernel.CodeInsufficientRole:     {403, "Only the author may change a note."},
	kernel.CodeSessionRequired:      {403, "API keys cannot use this operation. Sign in with POST /session."},
	kernel.CodeSessionChanged:       {403, "This cookie belongs to another person than X-Recado-User names. Sign in again."},
	kernel.CodeCrossOrigin:          {403, "Requests with a session must come from the app: Sec-Fetch-Site or Origin names another site."},
	kernel.CodeCompanyRequired:      {409, "This address belongs to several companies. Send one of them as company."},
	kernel.CodeTwoFactorActive:      {409, "Two-factor sign-in is already on. Turn it off first to use another device."},
	kernel.CodeNotFound:             {404, "There is no such conversation."},
	kernel.CodeMethodNotAllowed:     {405, "This address does not support the method PUT."},
	kernel.CodeVersionConflict:      {409, "The card has changed since version 6. Fetch it and apply your change again."},
	kernel.CodeIdempotencyConflict:  {409, "This Idempotency-Key was used for another request. Send a new one for each operation."},
	kernel.CodeIdempotencyPending:   {409, "A request with this Idempotency-Key is in progress or was interrupted. Check whether it took effect before trying again with a new key."},
	kernel.CodeClientIDConflict:     {409, "This client_id was used in another conversation."},
	kernel.CodeContactExists:        {409, "There is already a contact with this phone number."},
	kernel.CodeAttendanceNotOpen:    {409, "The conversation has no open attendance."},
	kernel.CodeReopenTooLate:        {409, "Only the last attendance can be reopened, within a minute after a person closed it."},
	kernel.CodeAttendanceRestricted: {409, "Another person is responsible for this attendance."},
	kernel.CodeNotVisible:           {409, "Your access profile does not include this conversation."},
	kernel.CodeContactBlocked:       {409, "The contact is blocked."},
	kernel.CodeOptedOut:             {409, "The contact has opted out of marketing: templates of that category cannot be sent."},
	kernel.CodeChannelArchived:      {409, "The channel of this conversation is archived. Its history stays readable; nothing can be sent through it."},
	kernel.CodeChannelDisconnected:  {409, "The channel is disconnected. Connect it first."},
	kernel.CodeServiceWindowClosed:  {409, "The customer last wrote more than 24 hours ago. Send a template."},
	kernel.CodeMessageNotSent:       {409, "This message was not sent or was deleted."},
	kernel.CodeTemplateUnavailable:  {409, "The channel has no approved template with this name and language."},
	kernel.CodeNotScheduled:         {409, "The message is no longer scheduled."},
	kernel.CodeNotHeld:              {409, "The message is not held: it is sent."},
	kernel.CodeNotEditable:          {409, "The message can no longer be edited or deleted: it was sent too long ago, or it is not a text."},
	kernel.CodeNoReopenTemplate:     {409, "The channel has no template that asks customers to answer. Set reopen_template of the channel."},
	kernel.CodeNotASectorMember:     {409, "The person is not a member of the sector."},
	kernel.CodeWebhookLimit:         {409, "A company can have 20 webhooks. Delete one first."},
	kernel.CodeLimitReached:         {409, "The company has reached the limit of 1000 labels."},
	kernel.CodeStageNotEmpty:        {409, "The stage still has cards. Move them first."},
	kernel.CodeInUse:                {409, "It is in use."},
	kernel.CodeNameTaken:            {409, "There is already a label called \"VIP\". Choose another name."},
	kernel.CodeJobFinished:          {409, "The job has ended: it is done."},
	kernel.CodeAlreadyLinked:        {409, "The number is linked. Unlink it first."},
	kernel.CodeJobNotCancellable:    {409, "A job of this kind cannot be cancelled after it has begun."},
	kernel.CodeBodyTooLarge:         {413, "The request body is larger than 64 KiB. Send a smaller one."},
	kernel.CodeMediaTooLarge:        {413, "A file of kind image may have at most 5120 KiB."},
	kernel.CodeVersionRequired:      {428, "Send the version of the card that you change, in If-Match or in the body."},
	kernel.CodeRateLimited:          {429, "This key has made too many requests. Wait for the number of seconds in Retry-After."},
	kernel.CodeInternal:             {500, "The server failed to handle this request. Include the request id when you report it."},
	kernel.CodeUnavailable:          {503, "The database cannot be reached at the moment. Try again."},
	kernel.CodeUncertain:            {503, "The connection to the database was lost at the last moment, so it is not known whether the change was stored. Retry the request with the same client_id if it has one; otherwise check whether the change was stored before retrying."},
	kernel.CodeStorageFull:          {507, "The disk of the server is full. Nothing was stored. Try again when there is space."},
}

// Statuses returns the HTTP status of each error code.
func Statuses() map[kernel.Code]int {
	out := map[kernel.Code]int{}
	for code, e := range errorCodes {
		out[code] = e.status
	}
	return out
}

// Error is the body of error responses.
type Error struct {
	Code      kernel.Code    `json:"code" doc:"A stable identifier of the error." example:"invalid_request"`
	Message   string         `json:"message" doc:"A description of the error and how to fix it, in English, for logs. The wording may change at any time."`
	RequestID string         `json:"request_id" doc:"The X-Request-Id of the response. Include it when you report a problem."`
	Params    map[string]any `json:"params" doc:"Values that accompany the code; {} if there are none. service_window_closed: reason is never_wrote or expired."`
	Details   []ErrorDetail  `json:"details" doc:"The invalid parts of the request. Empty if the error does not concern specific fields."`

	status  int
	headers http.Header
}

// ErrorDetail is an invalid part of a request.
type ErrorDetail struct {
	Field   string         `json:"field" example:"body.phone"`
	Code    string         `json:"code" doc:"A stable identifier of the rule that the value violates. Newer versions may add values." example:"malformed"`
	Params  map[string]any `json:"params" doc:"Values to use with the code when composing a message; {} if there are none. too_short, too_few, too_small: min. too_long, too_many, too_large: max. one_of: values. no_such: noun. malformed: format."`
	Message string         `json:"message" doc:"A description in English, for logs. The wording may change at any time."`
	Value   string         `json:"value,omitempty" doc:"A valid value to send instead, if there are several to choose from."`
}

// Error returns the text of the error.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// GetStatus implements huma.StatusError.
func (e *Error) GetStatus() int { return e.status }

// GetHeaders implements huma.HeadersError.
func (e *Error) GetHeaders() http.Header { return e.headers }

// problem converts an error for the client. An error that is not a kernel.Error is a bug: it is logged and not shown. The
// causes of database and disk failures are logged too.
func (s *Server) problem(requestID string, err error) *Error {
	var known *kernel.Error
	switch {
	case !errors.As(err, &known):
		s.log.Error("request failed", slog.String("request_id", requestID), slog.Any("error", err))
		known = errInternal()
	case known.Code != kernel.CodeUnavailable && known.Code != kernel.CodeStorageFull:
	case err.Error() != known.Error():
		s.log.Warn("request failed",
			slog.String("request_id", requestID), slog.String("code", string(known.Code)), slog.Any("error", err))
	}
	out := &Error{
		Code: known.Code, Message: known.Message, RequestID: requestID, Params: known.Params, Details: []ErrorDetail{},
		status: errorCodes[known.Code].status, headers: http.Header{},
	}
	if out.Params == nil {
		out.Params = map[string]any{}
	}
	for _, f := range known.Fields {
		if f.Params == nil {
			f.Params = kernel.Params{}
		}
		out.Details = append(out.Details, ErrorDetail(f))
	}
	switch out.status {
	case 0:
		out.status = http.StatusInternalServerError
	case http.StatusUnauthorized:
		out.headers.Set("WWW-Authenticate", "Bearer")
	case http.StatusServiceUnavailable, http.StatusTooManyRequests, http.StatusInsufficientStorage:
		seconds := max(1, int(math.Ceil(known.RetryAfter.Seconds())))
		out.headers.Set("Retry-After", strconv.Itoa(seconds))
	}
	return out
}

// writeError responds with an error outside of an operation.
func (s *Server) writeError(w http.ResponseWriter, requestID string, err error) {
	writeProblem(w, s.problem(requestID, err))
}

func writeProblem(w http.ResponseWriter, p *Error) {
	maps.Copy(w.Header(), p.headers)
	body, _ := kernel.EncodeJSON(p)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(p.status)
	_, _ = w.Write(body)
}

func init() {
	huma.NewErrorWithContext = newError
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		return newError(nil, status, message, errs...)
	}
}

// newError returns the Error for a request that huma refuses.
func newError(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
	c := &call{}
	if ctx != nil {
		c = callFrom(ctx.Context())
	}
	if c.server == nil { // huma calls it once during setup, to get the type of errors
		return &Error{Params: map[string]any{}, Details: []ErrorDetail{}, status: status}
	}
	return c.server.problem(c.requestID, Cause(status, message, errs))
}

func errInternal() *kernel.Error {
	return kernel.Errorf(kernel.CodeInternal, "The server failed to handle this request. Include the request id when you report it.")
}
