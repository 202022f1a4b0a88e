// Package provider has the types that pass between a provider of messages and the rest of the program: what comes in, what
// goes out, and how sending can fail. WhatsApp is the one provider so far.
package provider

import (
	"io"
	"maps"
	"time"

	"recado/internal/kernel"
)

// Referral is the ad or post that led a customer to write.
type Referral struct {
	SourceURL      *string `json:"source_url" doc:"Address of the ad or post."`
	SourceID       *string `json:"source_id" doc:"Meta's id of the ad or post."`
	SourceType     *string `json:"source_type" doc:"ad or post."`
	Headline       *string `json:"headline"`
	Body           *string `json:"body"`
	MediaType      *string `json:"media_type" doc:"image or video."`
	ImageURL       *string `json:"image_url"`
	VideoURL       *string `json:"video_url"`
	ThumbnailURL   *string `json:"thumbnail_url"`
	CTWAClickID    *string `json:"ctwa_clid" doc:"Meta's id of the click, for its conversions API."`
	WelcomeMessage *string `json:"welcome_message" doc:"The greeting that the ad showed."`
}

// Product is the catalogue item that a customer asks about.
type Product struct {
	CatalogID         string `json:"catalog_id"`
	ProductRetailerID string `json:"product_retailer_id"`
}

// Person is a person as a provider knows them. Any of the identifiers may be missing, at least one
// is present: a user who hides their number has only a UserID.
type Person struct {
	Phone    string // E.164 with its plus, or "". The provider's own digits: a Brazilian mobile may lack its ninth
	WAID     string // the provider's address of the person, digits only
	UserID   string // identifies the person to this business alone, also when the number is hidden
	Name     string
	Username string

	// Set when the person was known under another identity until now.
	PreviousWAID   string
	PreviousUserID string
}

// IsZero reports whether nothing identifies the person.
func (p Person) IsZero() bool { return p.Phone == "" && p.WAID == "" && p.UserID == "" }

// Incoming is one thing that a provider reported. Exactly one field is set.
type Incoming struct {
	Message  *IncomingMessage
	Status   *IncomingStatus
	Edit     *IncomingEdit
	Revoke   *IncomingRevoke
	Reaction *IncomingReaction
	Identity *IncomingIdentity
	Group    *IncomingGroup
	Account  *IncomingAccount
	Template *IncomingTemplate
	Notice   *IncomingNotice
}

// IncomingMessage is a message that a customer wrote, or one that the team typed on the phone.
type IncomingMessage struct {
	ExternalID string
	// FromPhoneApp marks a message that the team sent from the phone; Customer is then its receiver.
	FromPhoneApp bool
	Customer     Person
	Group        *IncomingGroup
	Type         string // text image audio video document sticker location contacts unsupported
	// Text is the text or the caption. Location, contacts, pressed buttons and orders get a line that a
	// person can read, and so does an unsupported message where it is known what it was.
	Text     string
	Media    *IncomingMedia
	ReplyTo  string // external id of the message that was quoted
	Referral *Referral
	Product  *Product
	Choice   *Choice // of the buttons or the list that it answers
	Form     *Form   // that the customer filled in
	Notice   *MessageNotice
	// Raw is the provider's JSON of this message, kept where the other fields do not say it all.
	Raw []byte
	At  time.Time
	// Standby marks a message that passed while another app answered in the conversation. With FromPhoneApp it is what
	// that app wrote.
	Standby bool
	// History marks a message older than the connection: it raises no event.
	History bool
	// Status is how far a message of the team in the history got: sent, delivered, read, failed or "".
	Status string
}

// IncomingMedia points at a file that the provider keeps for a limited time.
type IncomingMedia struct {
	ProviderID string
	URL        string // may be empty: it is then looked up with ProviderID
	MimeType   string
	FileName   string
	SHA256     string // hex or base64, as the provider wrote it
	Voice      bool   // recorded in the chat, not a music file
}

// IncomingGroup is the group a message was written in, or one that was created or renamed.
type IncomingGroup struct {
	ID      string
	Name    string // "" where the provider does not tell
	Created bool   // the name is the first one of the group: later ones stay
}

// IncomingStatus reports what became of a message that was sent.
type IncomingStatus struct {
	ExternalID string
	ClientID   string // of the Outgoing, where the provider gave it back
	Status     string // sent delivered read failed
	Error      *Reason
	Recipient  Person
	GroupID    string // set when Recipient is one of several in a group
	At         time.Time
}

// Sender is who changed a message: the team on the phone, or a customer.
type Sender struct {
	FromPhoneApp bool
	Customer     Person // of a change from the phone: whom the message is with
}

// IncomingEdit replaces the text of a message.
type IncomingEdit struct {
	ExternalID string // of the original message
	Text       string
	Sender     Sender
	At         time.Time
}

// IncomingRevoke says that a message was deleted for everyone.
type IncomingRevoke struct {
	ExternalID string // of the original message
	Sender     Sender
	At         time.Time
}

// IncomingReaction puts an emoji on a message, or takes it back where Emoji is empty.
type IncomingReaction struct {
	ExternalID string // of the message it is on
	Emoji      string
	Sender     Sender
	At         time.Time
}

// IncomingIdentity says that a person changed number, id or name. Person holds the new values, its
// Previous fields the ones to look for.
type IncomingIdentity struct {
	Person Person
	At     time.Time
	// AddressBook marks a name from the phone's address book, and Removed one that was deleted there.
	AddressBook bool
	Removed     bool
}

// IncomingAccount says that the provider restricted or ended a whole account, or took that back.
type IncomingAccount struct {
	WABAID string
	Phone  string // E.164; "" where all numbers of the account are meant
	// Disconnect says that no message passes any more, Lifted that the restriction is over.
	Disconnect bool
	Lifted     bool
	// Unrestricted says that restrictions under which messages still passed are over. It does not end a ban.
	Unrestricted bool
	Reason       Reason    // for the team; not of Unrestricted
	Until        time.Time // zero where no end is known
	Notice       IncomingNotice
}

// IncomingTemplate says that templates of an account changed.
type IncomingTemplate struct {
	WABAID   string
	Name     string
	Language string // pt_BR
	Status   string // the new one in lower case; "" where something else changed
	Notice   IncomingNotice
}

// IncomingNotice is for the operator: account restrictions, template decisions, and what this version
// does not know.
type IncomingNotice struct {
	Kind string
	Text string
	Raw  []byte // as the provider wrote it
}

// Notice is one that was kept.
type Notice struct {
	IncomingNotice
	CreatedAt time.Time
}

// NoticeRetention is how long notices are kept.
const NoticeRetention = 90 * 24 * time.Hour

// Reason says why a message failed, or what is wrong with a channel.
type Reason struct {
	Code    string         `json:"code" doc:"The stable name of the reason. Newer versions may have more." example:"token_rejected"`
	Params  map[string]any `json:"params" doc:"What a program needs beside the code to put it into words; {} where the code says it all. reason: a more precise name. cause: the code of another reason behind this one. provider_message and provider_code: what WhatsApp itself says. Durations are seconds."`
	Message string         `json:"message" doc:"The same in English, for people who read logs. It may change at any time."`
}

// NewReason returns a reason. Its params are never nil.
func NewReason(code, message string, params ...kernel.Params) Reason {
	r := Reason{Code: code, Params: kernel.Params{}, Message: message}
	for _, p := range params {
		maps.Copy(r.Params, p)
	}
	return r
}

// reasonDetail is what a column has of a reason beside its code.
type reasonDetail struct {
	Params  map[string]any `json:"params"`
	Message string         `json:"message"`
}

// Columns returns the values of the columns error_code and error_detail.
func (r *Reason) Columns() (code, detail *string) {
	if r == nil {
		return nil, nil
	}
	return &r.Code, kernel.WriteJSON(&reasonDetail{r.Params, r.Message})
}

// ReadReason reads the values of the columns error_code and error_detail.
func ReadReason(code, detail string) *Reason {
	r := NewReason(code, "")
	if d := kernel.FromJSON[reasonDetail](detail); d != nil {
		r.Message = d.Message
		maps.Copy(r.Params, d.Params)
	}
	return &r
}

// Outgoing is one message for a provider to send: Text, Media with Text as its caption, Interactive, Template, or a
// Reaction to an earlier message.
type Outgoing struct {
	ClientID string // comes back in every IncomingStatus of this message
	To       Person
	GroupID  string // set instead of To
	Text     string
	Media    *OutgoingMedia
	Template *Template
	ReplyTo  string // external id of the message to quote

	Interactive *Interactive
	Reaction    *OutgoingReaction

	// Expired is asked right before the message leaves, after all that may take long. True keeps it
	// here: another node may have decided about it by now. nil means never.
	Expired func() bool
}

// OutgoingReaction puts an emoji on a message, or takes back the one before where it is empty.
type OutgoingReaction struct {
	ExternalID string // of the message that it is on
	Emoji      string
}

// OutgoingMedia is a file to send. With a ProviderID that is still valid nothing is uploaded.
type OutgoingMedia struct {
	Kind       string // image audio video document sticker
	MimeType   string
	FileName   string
	Size       int64
	Voice      bool
	ProviderID string
	Open       func() (io.ReadCloser, error)
}

// SendResult is what a provider said when it took a message.
type SendResult struct {
	ExternalID string
	// WAID and UserID are the addresses the provider resolved the receiver to; WAID may differ from
	// the number that was asked for, and is then the one to use.
	WAID   string
	UserID string
	// MediaID is the provider's id of the file, worth keeping: it spares the next upload.
	MediaID string
}

// SendFate says whether a message that failed can have reached the customer.
type SendFate int

// The two fates of a send that failed.
const (
	// NotSent: the provider certainly does not have it.
	NotSent SendFate = iota
	// Uncertain: the provider may have taken it. Sending again could repeat it.
	Uncertain
)

// String gives the name for logs and messages.
func (f SendFate) String() string {
	if f == Uncertain {
		return "uncertain"
	}
	return "not sent"
}

// SendError is the error of every send that failed.
type SendError struct {
	Code    string // not_on_whatsapp, service_window_closed, rate_limited, token_rejected, ...
	Detail  string // a more precise name, where the code has several meanings
	Message string // a sentence that a person can act on
	Fate    SendFate
	// Retry says that the same message may be tried again, after RetryAfter where that is known. It
	// is never set on an uncertain send.
	Retry      bool
	RetryAfter time.Duration
	// Disconnect says that nothing will go out through this channel until a person acts.
	Disconnect   bool
	ProviderCode int    // 0 when the provider did not answer
	ProviderText string // the provider's own words
	Cause        error
}

// Error gives the text of the error.
func (e *SendError) Error() string {
	text := e.Code + ": " + e.Message
	if e.ProviderText != "" {
		text += " (" + e.ProviderText + ")"
	}
	return text
}

// Unreachable reports whether the provider certainly never saw the message, because nothing at its
// address answers or because what comes before the message already failed: it may be tried again for
// as long as it is to be sent.
func (e *SendError) Unreachable() bool {
	return e.Retry && e.Fate == NotSent && (e.Code == CodeSendUnavailable || e.Code == CodeProviderUnavailable)
}

// Codes of messages that wait for their provider to be reached again.
const (
	CodeSendUnavailable     = "unavailable"
	CodeProviderUnavailable = "provider_unavailable"
)

// Unwrap gives the cause.
func (e *SendError) Unwrap() error { return e.Cause }

// Reason returns what is stored on the message.
func (e *SendError) Reason() Reason { return NewReason(e.Code, e.Message, e.Params()) }

// Params returns what a program needs beside the code.
func (e *SendError) Params() kernel.Params {
	params := kernel.Params{}
	if e.Detail != "" {
		params["reason"] = e.Detail
	}
	if e.ProviderCode != 0 {
		params["provider_code"] = e.ProviderCode
	}
	if e.ProviderText != "" {
		params["provider_message"] = e.ProviderText
	}
	return params
}

// CauseParams returns the parameters of a reason that this error is behind.
func (e *SendError) CauseParams() kernel.Params {
	params := e.Params()
	params["cause"] = e.Code
	return params
}

// The length of a text and of a caption, in characters.
const (
	MaxText    = 4096
	MaxCaption = 1024
)
