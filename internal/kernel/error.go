package kernel

// Error codes of the API. Package httpserver maps them to HTTP statuses.
const (
	CodeInvalidJSON          Code = "invalid_json"
	CodeInvalidCursor        Code = "invalid_cursor"
	CodeIdempotencyRequired  Code = "idempotency_key_required"
	CodeIdempotencyInvalid   Code = "idempotency_key_invalid"
	CodeFieldRequired        Code = "field_required"
	CodeURLNotAllowed        Code = "url_not_allowed"
	CodeMediaTypeNotAllowed  Code = "media_type_not_allowed"
	CodeKeyMissing           Code = "key_missing"
	CodeKeyInvalid           Code = "key_invalid"
	CodeKeyExpired           Code = "key_expired"
	CodeKeyRevoked           Code = "key_revoked"
	CodeSessionMissing       Code = "session_missing"
	CodeLoginFailed          Code = "login_failed"
	CodeCodeRequired         Code = "code_required"
	CodeCodeInvalid          Code = "code_invalid"
	CodeInsufficientScope    Code = "insufficient_scope"
	CodeInsufficientRole     Code = "insufficient_role"
	CodeSessionRequired      Code = "session_required"
	CodeSessionChanged       Code = "session_changed"
	CodeCrossOrigin          Code = "cross_origin"
	CodeMethodNotAllowed     Code = "method_not_allowed"
	CodeVersionConflict      Code = "version_conflict"
	CodeIdempotencyConflict  Code = "idempotency_conflict"
	CodeIdempotencyPending   Code = "idempotency_pending"
	CodeClientIDConflict     Code = "client_id_conflict"
	CodeContactExists        Code = "contact_exists"
	CodeAttendanceNotOpen    Code = "attendance_not_open"
	CodeReasonRequired       Code = "reason_required"
	CodeReopenTooLate        Code = "reopen_too_late"
	CodeAttendanceRestricted Code = "attendance_restricted"
	CodeNotVisible           Code = "not_visible"
	CodeCompanyRequired      Code = "company_required"
	CodeTwoFactorActive      Code = "two_factor_active"
	CodeContactBlocked       Code = "contact_blocked"
	CodeOptedOut             Code = "opted_out"
	CodeChannelArchived      Code = "channel_archived"
	CodeChannelDisconnected  Code = "channel_disconnected"
	CodeServiceWindowClosed  Code = "service_window_closed"
	CodeMessageNotSent       Code = "message_not_sent"
	CodeTemplateUnavailable  Code = "template_unavailable"
	CodeNotScheduled         Code = "not_scheduled"
	CodeNotHeld              Code = "not_held"
	CodeNotEditable          Code = "not_editable"
	CodeNoReopenTemplate     Code = "no_reopen_template"
	CodeNotASectorMember     Code = "not_a_sector_member"
	CodeWebhookLimit         Code = "webhook_limit"
	CodeLimitReached         Code = "limit_reached"
	CodeStageNotEmpty        Code = "stage_not_empty"
	CodeInUse                Code = "in_use"
	CodeNameTaken            Code = "name_taken"
	CodeJobFinished          Code = "job_finished"
	CodeAlreadyLinked        Code = "already_linked"
	CodeJobNotCancellable    Code = "job_not_cancellable"
	CodeBodyTooLarge         Code = "body_too_large"
	CodeMediaTooLarge        Code = "media_too_large"
	CodeVersionRequired      Code = "version_required"
	CodeRateLimited          Code = "rate_limited"
)

// ErrorReasons lists the values of params.reason for codes that have several meanings.
var ErrorReasons = map[Code][]string{
	CodeServiceWindowClosed: {"expired", "never_wrote"},
	CodeUnavailable:         {"not_configured"},
}

// Rules about the format of a request.
var (
	RuleUnknown         = NewRule("unknown")          // the field or parameter does not exist
	RuleRepeated        = NewRule("repeated")         // sent more than once
	RuleIdempotencyKey  = NewRule("idempotency_key")  // min, max: visible ASCII characters
	RuleVersionMismatch = NewRule("version_mismatch") // If-Match and the body name two versions
	RuleMissingScope    = NewRule("missing_scope")    // scope
	RuleCutShort        = NewRule("cut_short")        // an upload that ended early
	RulePattern         = NewRule("pattern")          // pattern: a regular expression, or words for it
	RuleTooDeep         = NewRule("too_deep")         // max: levels
	RuleMustBeTrue      = NewRule("must_be_true")
	RuleArchived        = NewRule("archived")     // restore it first
	RuleSessionOnly     = NewRule("session_only") // API keys may not send it
)

// ErrOr returns err if it is not nil, and rule otherwise.
func ErrOr(err error, rule error) error {
	if err != nil {
		return err
	}
	return rule
}
