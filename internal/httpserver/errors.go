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

// statusOf maps error codes to HTTP statuses.
var statusOf = map[kernel.Code]int{
	kernel.CodeInvalidRequest:       http.StatusBadRequest,
	kernel.CodeInvalidJSON:          http.StatusBadRequest,
	kernel.CodeInvalidCursor:        http.StatusBadRequest,
	kernel.CodeIdempotencyRequired:  http.StatusBadRequest,
	kernel.CodeIdempotencyInvalid:   http.StatusBadRequest,
	kernel.CodeURLNotAllowed:        http.StatusBadRequest,
	kernel.CodeMediaTypeNotAllowed:  http.StatusBadRequest,
	kernel.CodeKeyMissing:           http.StatusUnauthorized,
	kernel.CodeKeyInvalid:           http.StatusUnauthorized,
	kernel.CodeKeyExpired:           http.StatusUnauthorized,
	kernel.CodeKeyRevoked:           http.StatusUnauthorized,
	kernel.CodeSessionMissing:       http.StatusUnauthorized,
	kernel.CodeLoginFailed:          http.StatusUnauthorized,
	kernel.CodeCodeRequired:         http.StatusUnauthorized,
	kernel.CodeCodeInvalid:          http.StatusUnauthorized,
	kernel.CodeInsufficientScope:    http.StatusForbidden,
	kernel.CodeInsufficientRole:     http.StatusForbidden,
	kernel.CodeSessionRequired:      http.StatusForbidden,
	kernel.CodeSessionChanged:       http.StatusForbidden,
	kernel.CodeCrossOrigin:          http.StatusForbidden,
	kernel.CodeCompanyRequired:      http.StatusConflict,
	kernel.CodeTwoFactorActive:      http.StatusConflict,
	kernel.CodeNotFound:             http.StatusNotFound,
	kernel.CodeMethodNotAllowed:     http.StatusMethodNotAllowed,
	kernel.CodeVersionConflict:      http.StatusConflict,
	kernel.CodeIdempotencyConflict:  http.StatusConflict,
	kernel.CodeIdempotencyPending:   http.StatusConflict,
	kernel.CodeClientIDConflict:     http.StatusConflict,
	kernel.CodeContactExists:        http.StatusConflict,
	kernel.CodeAttendanceNotOpen:    http.StatusConflict,
	kernel.CodeAttendanceRestricted: http.StatusConflict,
	kernel.CodeNotVisible:           http.StatusConflict,
	kernel.CodeContactBlocked:       http.StatusConflict,
	kernel.CodeChannelArchived:      http.StatusConflict,
	kernel.CodeChannelDisconnected:  http.StatusConflict,
	kernel.CodeServiceWindowClosed:  http.StatusConflict,
	kernel.CodeMessageNotSent:       http.StatusConflict,
	kernel.CodeTemplateUnavailable:  http.StatusConflict,
	kernel.CodeNotScheduled:         http.StatusConflict,
	kernel.CodeNotASectorMember:     http.StatusConflict,
	kernel.CodeWebhookLimit:         http.StatusConflict,
	kernel.CodeLimitReached:         http.StatusConflict,
	kernel.CodeStageNotEmpty:        http.StatusConflict,
	kernel.CodeInUse:                http.StatusConflict,
	kernel.CodeNameTaken:            http.StatusConflict,
	kernel.CodeBodyTooLarge:         http.StatusRequestEntityTooLarge,
	kernel.CodeMediaTooLarge:        http.StatusRequestEntityTooLarge,
	kernel.CodeVersionRequired:      http.StatusPreconditionRequired,
	kernel.CodeRateLimited:          http.StatusTooManyRequests,
	kernel.CodeInternal:             http.StatusInternalServerError,
	kernel.CodeUnavailable:          http.StatusServiceUnavailable,
	kernel.CodeUncertain:            http.StatusServiceUnavailable,
	kernel.CodeStorageFull:          http.StatusInsufficientStorage,
}

// Statuses returns the HTTP status of each error code.
func Statuses() map[kernel.Code]int { return maps.Clone(statusOf) }

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
		status: statusOf[known.Code], headers: http.Header{},
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
	body, _ := kernel.AppendJSON(nil, p)
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
