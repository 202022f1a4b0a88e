// Package provider has the types that are exchanged with a provider of messages: incoming and outgoing items, and errors of
// sending.
package provider

import (
	"cmp"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"recado/internal/kernel"
)

// Referral is the ad or post that a customer came from.
type Referral struct {
	SourceURL      *string `json:"source_url" doc:"The URL of the ad or post."`
	SourceID       *string `json:"source_id" doc:"Meta's id of the ad or post."`
	SourceType     *string `json:"source_type" doc:"ad or post."`
	Headline       *string `json:"headline"`
	Body           *string `json:"body"`
	MediaType      *string `json:"media_type" doc:"image or video."`
	ImageURL       *string `json:"image_url"`
	VideoURL       *string `json:"video_url"`
	ThumbnailURL   *string `json:"thumbnail_url"`
	CTWAClickID    *string `json:"ctwa_clid" doc:"Meta's id of the click, for the Conversions API."`
	WelcomeMessage *string `json:"welcome_message" doc:"The greeting shown by the ad."`
}

// Product is the catalogue item that a customer asks about.
type Product struct {
	CatalogID         string `json:"catalog_id"`
	ProductRetailerID string `json:"product_retailer_id"`
}

// Person is a person as a provider identifies them. At least one of the identifiers is set: a user who hides their number has
// only a UserID.
type Person struct {
	Phone    string // E.164 with its plus, or "". As the provider writes it: a Brazilian mobile may lack its ninth digit
	WAID     string // the provider's address of the person, digits only
	UserID   string // identifies the person only to this business, even if the number is hidden
	Name     string
	Username string

	// Set if the person had another identity until now.
	PreviousWAID   string
	PreviousUserID string
}

// IsZero reports whether nothing identifies the person.
func (p Person) IsZero() bool { return p.Phone == "" && p.WAID == "" && p.UserID == "" }

// Incoming is one item that a provider reported. Exactly one field is set.
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
	Import   *IncomingImport
	Notice   *IncomingNotice
}

// IncomingMessage is a message that a customer wrote, or one that the team typed on the phone.
type IncomingMessage struct {
	ExternalID string
	// ClientID is Recado's id of the message if Recado may have sent it. If that message is stored, only its status changes.
	ClientID string
	// FromPhoneApp marks a message that the team sent from the phone; Customer is then its receiver.
	FromPhoneApp bool
	Customer     Person
	Group        *IncomingGroup
	Type         string // text image audio video document sticker location contacts unsupported
	// Text is the text or the caption. Locations, contacts, pressed buttons and orders are described in words, and so are
	// unsupported messages of a known kind.
	Text     string
	Media    *IncomingMedia
	ReplyTo  string // external id of the quoted message
	Referral *Referral
	Product  *Product
	Choice   *Choice // of the buttons or the list that it answers
	Payload  string  // of the quick reply of a template; "" if it is none
	Form     *Form   // that the customer filled in
	Notice   *MessageNotice
	// Raw is the provider's JSON of this message if the other fields do not contain everything.
	Raw []byte
	At  time.Time
	// Standby marks a message that arrived while another app was handling the conversation. With FromPhoneApp it was sent by
	// that app.
	Standby bool
	// History marks a message older than the connection. It causes no event.
	History bool
	// Status is the status of a message of the team in the history: sent, delivered, read, failed or "".
	Status string
}

// IncomingMedia refers to a file that the provider keeps for a limited time.
type IncomingMedia struct {
	ProviderID string
	URL        string // "": to be requested with ProviderID
	MimeType   string
	FileName   string
	SHA256     string // hex or base64, as the provider wrote it
	Voice      bool   // recorded in the chat, not a music file
}

// IncomingGroup is the group of a message, or a group that was created or renamed.
type IncomingGroup struct {
	ID      string
	Name    string        // "": unknown
	Created bool          // the group is new, so this name does not replace a later one
	Members []GroupMember // all of them; nil: unknown
	Left    []Person      // are no longer members
	History bool          // imported, so it emits no events
	Picture *GroupPicture // nil: unchanged
}

// GroupPicture is the picture of a group. It is empty if the picture was removed.
type GroupPicture struct {
	ID    string // changes with every picture
	Image []byte
}

// GroupMember is a member of a group.
type GroupMember struct {
	Person Person
	Role   string // member, admin or owner
}

// The roles of members of a group.
const (
	RoleMember = "member"
	RoleAdmin  = "admin"
	RoleOwner  = "owner"
)

// IncomingStatus is a status of a sent message.
type IncomingStatus struct {
	ExternalID string
	ClientID   string // of the Outgoing, if the provider returned it
	Status     string // sent delivered read failed
	Error      *Reason
	Recipient  Person
	GroupID    string // set when Recipient is one of several in a group
	At         time.Time
	Pricing    *Pricing // nil: not reported in this status
}

// Pricing is how the provider charges for a message.
type Pricing struct {
	Category string `json:"category"` // such as marketing
	Type     string `json:"type"`     // such as regular
	Billable bool   `json:"billable"`
}

// Sender is the author of a change: the team on the phone, or a customer.
type Sender struct {
	FromPhoneApp bool
	Customer     Person // for a change on the phone: the receiver of the message
}

// IncomingEdit replaces the text of a message.
type IncomingEdit struct {
	ExternalID string // of the original message
	Text       string
	Sender     Sender
	At         time.Time
	History    bool // imported history
}

// IncomingRevoke reports that a message was deleted for everyone.
type IncomingRevoke struct {
	ExternalID string // of the original message
	Sender     Sender
	At         time.Time
	History    bool // imported history
}

// IncomingReaction adds an emoji to a message, or removes it if Emoji is empty.
type IncomingReaction struct {
	ExternalID string // of the message
	Emoji      string
	Sender     Sender
	At         time.Time
	History    bool // imported history
}

// IncomingIdentity reports that the number, id or name of a person changed. The Previous fields of Person identify the person.
type IncomingIdentity struct {
	Person Person
	At     time.Time
	// AddressBook marks a name from the phone's address book, and Removed one that was deleted there.
	AddressBook bool
	Removed     bool
	History     bool // imported history
}

// IncomingAccount reports that the provider restricted or closed an account, or reversed that.
type IncomingAccount struct {
	WABAID string
	Phone  string // E.164; "": all numbers of the account
	// Disconnect reports that messages can no longer be sent, Lifted that the restriction is over.
	Disconnect bool
	Lifted     bool
	// Unrestricted reports that restrictions are over under which messages could still be sent. It does not end a ban.
	Unrestricted bool
	Reason       Reason    // for the team; not set with Unrestricted
	Until        time.Time // zero: unknown
	Notice       IncomingNotice
}

// IncomingTemplate reports a change of a template of an account.
type IncomingTemplate struct {
	WABAID   string
	Name     string
	Language string // pt_BR
	Status   string // the new status in lower case; "": it did not change
	Quality  string // the new quality in lower case; "": it did not change
	// Reason is why the template was rejected, in lower case, and ReasonText the provider's own explanation.
	Reason     string
	ReasonText string
	Notice     IncomingNotice
}

// IncomingImport reports the progress of the import of the history of the WhatsApp Business app.
type IncomingImport struct {
	Progress int  // percent
	Declined bool // the business does not share its history
	Notice   IncomingNotice
}

// IncomingNotice is information for the operator: account restrictions, template decisions, and unknown callbacks.
type IncomingNotice struct {
	Kind string
	Text string
	Raw  []byte // as the provider wrote it
}

// Notice is a stored notice.
type Notice struct {
	IncomingNotice
	CreatedAt time.Time
}

// NoticeRetention is how long notices are kept.
const NoticeRetention = 90 * 24 * time.Hour

// Reason is why a message failed, or a problem of a channel.
type Reason struct {
	Code    string         `json:"code" doc:"A stable identifier of the reason. Newer versions may add values." example:"token_rejected"`
	Params  map[string]any `json:"params" doc:"Values to use with the code when composing a message; {} if there are none. reason: a more specific identifier. cause: the code of the underlying reason. provider_message and provider_code: the message and code reported by WhatsApp. Durations are in seconds."`
	Message string         `json:"message" doc:"A description in English, for logs. The wording may change at any time."`
}

// NewReason returns a reason. Its params are never nil.
func NewReason(code, message string, params ...kernel.Params) Reason {
	r := Reason{Code: code, Params: kernel.Params{}, Message: message}
	for _, p := range params {
		maps.Copy(r.Params, p)
	}
	return r
}

// reasonDetail is the JSON in the column error_detail.
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

// ReadReason parses the values of the columns error_code and error_detail.
func ReadReason(code, detail string) *Reason {
	r := NewReason(code, "")
	if d := kernel.FromJSON[reasonDetail](detail); d != nil {
		r.Message = d.Message
		maps.Copy(r.Params, d.Params)
	}
	return &r
}

// Outgoing is one message for a provider to send: Text, Media with Text as its caption, Interactive, Template, a
// Reaction to an earlier message, or a change of one that linked numbers can make.
type Outgoing struct {
	ClientID string // returned in every IncomingStatus of this message
	To       Person
	GroupID  string // set instead of To
	Text     string
	Mentions []Person // people whose names, or numbers as the name, stand after an @ in Text to a group
	Media    *OutgoingMedia
	Template *Template
	ReplyTo  string      // external id of the message to quote
	Quoted   *MessageRef // the message with the id ReplyTo, if it is known

	Interactive *Interactive
	Reaction    *OutgoingReaction
	Edits       string // external id of the message whose text Text replaces
	Revokes     string // external id of the message to delete for everyone

	// Expired is called right before the message is sent, after everything that may take long. If it returns true the message
	// is not sent, because another node may handle it by now. nil means never.
	Expired func() bool
}

// ReadMessages are messages of a customer that the team has read.
type ReadMessages struct {
	ExternalIDs []string // in order; at least one
	Customer    Person
	At          time.Time
}

// OutgoingReaction adds an emoji to a message, or removes the previous one if Emoji is empty.
type OutgoingReaction struct {
	ExternalID string // of the message
	Emoji      string
	To         MessageRef
}

// MessageRef describes an earlier message of a conversation.
type MessageRef struct {
	FromUs bool
	Author Person // of a customer's message in a group
	Text   string
}

// OutgoingMedia is a file to send. It is uploaded unless it has a ProviderID.
type OutgoingMedia struct {
	Kind       string // image audio video document sticker
	MimeType   string
	FileName   string
	Size       int64
	Voice      bool
	ProviderID string
	Open       func() (io.ReadCloser, error)
}

// SendResult is a provider's response to a message that it accepted.
type SendResult struct {
	ExternalID string
	// WAID and UserID are the addresses of the receiver. WAID may differ from the requested number, and replaces it.
	WAID   string
	UserID string
	// MediaID is the provider's id of the file. With it the next message needs no upload.
	MediaID string
}

// SendFate is whether a failed message can have reached the customer.
type SendFate int

// The fates of a failed message.
const (
	// NotSent means that the provider certainly does not have the message.
	NotSent SendFate = iota
	// Uncertain means that the provider may have accepted the message. Sending it again could duplicate it.
	Uncertain
)

// String returns the name for logs.
func (f SendFate) String() string {
	if f == Uncertain {
		return "uncertain"
	}
	return "not sent"
}

// SendError is the error of a failed send.
type SendError struct {
	Code    string // not_on_whatsapp, service_window_closed, rate_limited, token_rejected, ...
	Detail  string // a more precise name if the code has several meanings
	Message string // for people
	Fate    SendFate
	// Retry reports that the message may be retried, after RetryAfter if that is known. It is never set if Fate is Uncertain.
	Retry      bool
	RetryAfter time.Duration
	// Offline reports that there was no connection to the provider, so that the message waits for as long as it takes. With
	// RetryAfter, the provider was not asked.
	Offline bool
	// Disconnect reports that the channel cannot send until a person fixes it.
	Disconnect   bool
	ProviderCode int    // 0: no response of the provider
	ProviderText string // the provider's own text
	// ProviderSubcode is the provider's more specific code; 0: none.
	ProviderSubcode int
	// ProviderField is the field of the request that the provider found invalid, as it writes it; "": unknown.
	ProviderField string
	Cause         error
}

// Error returns the text of the error.
func (e *SendError) Error() string {
	text := e.Code + ": " + e.Message
	if e.ProviderText != "" {
		text += " (" + e.ProviderText + ")"
	}
	return text
}

// Unreachable reports whether the provider certainly never got the message because it cannot be reached. The message may be
// retried until it expires.
func (e *SendError) Unreachable() bool {
	return e.Retry && e.Fate == NotSent && (e.Code == CodeSendUnavailable || e.Code == CodeProviderUnavailable)
}

// The codes of messages that wait until their provider can be reached again.
const (
	CodeSendUnavailable     = "unavailable"
	CodeProviderUnavailable = "provider_unavailable"
)

// Unwrap returns the cause.
func (e *SendError) Unwrap() error { return e.Cause }

// Reason returns the reason to store with the message.
func (e *SendError) Reason() Reason { return NewReason(e.Code, e.Message, e.Params()) }

// Params returns the parameters of the code.
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

// CauseParams returns the parameters of a reason whose cause is this error.
func (e *SendError) CauseParams() kernel.Params {
	params := e.Params()
	params["cause"] = e.Code
	return params
}

// The maximum lengths of a text and of a caption, in characters.
const (
	MaxText    = 4096
	MaxCaption = 1024
)

// Directions, origins, types and statuses of messages, as in the API.
const (
	Inbound  = "inbound"
	Outbound = "outbound"

	OriginCustomer = "customer"
	OriginApp      = "app"
	OriginPhone    = "phone"
	OriginAPI      = "api"

	// OriginAutomation is the origin of messages of a reception, which do not count as a response of the team.
	OriginAutomation = "automation"

	TypeText        = "text"
	TypeImage       = "image"
	TypeAudio       = "audio"
	TypeVideo       = "video"
	TypeDocument    = "document"
	TypeSticker     = "sticker"
	TypeLocation    = "location"
	TypeContacts    = "contacts"
	TypeInteractive = "interactive"
	TypeUnsupported = "unsupported"

	StatusHeld      = "held" // until the customer writes
	StatusQueued    = "queued"
	StatusSent      = "sent"
	StatusDelivered = "delivered"
	StatusRead      = "read"
	StatusFailed    = "failed"
	StatusReceived  = "received"
)

// NoticeCode is the kind of a notice about a message without text. The text of the message is the notice in English.
type NoticeCode string

// The codes of notices.
const (
	NoticeVoiceCall       NoticeCode = "voice_call"
	NoticeMissedVoiceCall NoticeCode = "missed_voice_call"
	NoticeVideoCall       NoticeCode = "video_call"
	NoticeMissedVideoCall NoticeCode = "missed_video_call"

	NoticeCallsAllowed  NoticeCode = "calls_allowed"
	NoticeCallsRefused  NoticeCode = "calls_refused"
	NoticePaymentMethod NoticeCode = "payment_method"

	NoticeButton       NoticeCode = "button"
	NoticeEdit         NoticeCode = "edit"
	NoticeFile         NoticeCode = "file"
	NoticeGIF          NoticeCode = "gif"
	NoticeGroupInvite  NoticeCode = "group_invite"
	NoticeImage        NoticeCode = "image"
	NoticeInteractive  NoticeCode = "interactive"
	NoticeKeptMessage  NoticeCode = "kept_message"
	NoticeLinkPreview  NoticeCode = "link_preview"
	NoticeList         NoticeCode = "list"
	NoticeLocation     NoticeCode = "location"
	NoticeOrder        NoticeCode = "order"
	NoticePinned       NoticeCode = "pinned_message"
	NoticePoll         NoticeCode = "poll"
	NoticePollVote     NoticeCode = "poll_vote"
	NoticeProduct      NoticeCode = "product"
	NoticeReaction     NoticeCode = "reaction"
	NoticeTemplate     NoticeCode = "template"
	NoticeNotDelivered NoticeCode = "file_not_delivered"
	NoticeOnPhoneOnly  NoticeCode = "on_phone_only"
)

// NoticeCodes returns all codes.
func NoticeCodes() []NoticeCode {
	return []NoticeCode{
		NoticeVoiceCall, NoticeMissedVoiceCall, NoticeVideoCall, NoticeMissedVideoCall, NoticeCallsAllowed, NoticeCallsRefused,
		NoticePaymentMethod, NoticeButton, NoticeEdit, NoticeFile, NoticeGIF, NoticeGroupInvite, NoticeImage, NoticeInteractive,
		NoticeKeptMessage, NoticeLinkPreview, NoticeList, NoticeLocation, NoticeOrder, NoticePinned, NoticePoll, NoticePollVote,
		NoticeProduct, NoticeReaction, NoticeTemplate, NoticeNotDelivered, NoticeOnPhoneOnly,
	}
}

// MessageNotice describes a message whose author wrote no text.
type MessageNotice struct {
	Code   NoticeCode     `json:"code" doc:"The kind of event or content." example:"missed_voice_call"`
	Params map[string]any `json:"params" doc:"Values to use with the code when composing a message; {} if there are none. voice_call and video_call: duration_seconds, if known. payment_method: method and reference. file_not_delivered and on_phone_only: kind, another code for the type of the original message, if known."`
}

// IsCall reports whether the notice is about a call. It returns false for nil.
func (n *MessageNotice) IsCall() bool {
	calls := []NoticeCode{NoticeVoiceCall, NoticeMissedVoiceCall, NoticeVideoCall, NoticeMissedVideoCall}
	return n != nil && slices.Contains(calls, n.Code)
}

// IsOnPhoneOnly reports whether the message can only be read on the phone. n may be nil.
func (n *MessageNotice) IsOnPhoneOnly() bool { return n != nil && n.Code == NoticeOnPhoneOnly }

// Form is a form that a customer filled in: a Flow or an address.
type Form struct {
	Name   string      `json:"name" doc:"WhatsApp's name for the form, such as flow or address_message; empty if WhatsApp does not provide one."`
	Fields []FormField `json:"fields" doc:"The answers, in the order of the form."`
}

// FormField is one answer.
type FormField struct {
	Name  string `json:"name" doc:"The name of the form field. The parts of a nested field are joined with dots. Empty if the whole response is a single value."`
	Label string `json:"label" doc:"The display name of the field: spaces instead of underscores, and no screen number."`
	Value string `json:"value" doc:"The answer as text. Multiple values are separated by commas; a file is represented by its name."`
}

// ChannelTemplate is a stored template of a channel, which the provider approves before it can be sent.
type ChannelTemplate struct {
	ID         kernel.ID        `json:"id"`
	Name       string           `json:"name"`
	Language   string           `json:"language" example:"pt_BR"`
	Category   string           `json:"category" doc:"Meta's word in lower case." example:"utility"`
	Status     string           `json:"status" doc:"The status reported by Meta, in lower case. Only approved templates can be sent." example:"approved"`
	Body       string           `json:"body" doc:"The text with its placeholders, such as {{1}} or {{name}}."`
	Header     *string          `json:"header" doc:"The text above the body. A file header is a parameter instead."`
	Footer     *string          `json:"footer"`
	Buttons    []TemplateButton `json:"buttons"`
	Parameters []TemplateGap    `json:"parameters" doc:"The parameters required to send the template."`
	Quality    *string          `json:"quality" doc:"The quality reported by Meta, in lower case: green, yellow, red or unknown; null if Meta has not rated the template." example:"green"`
	Reason     *string          `json:"reason" doc:"Why Meta rejected the template: Meta's word in lower case, such as incorrect_category, invalid_format, promotional, abusive_content, scam or tag_content_mismatch. null unless the status is rejected." example:"null"`
	ReasonText *string          `json:"reason_text" doc:"Meta's own explanation of a rejection, if it gave one."`

	ProviderID string `json:"-"`
}

// IsMarketing reports whether the category of the template is marketing.
func (t *ChannelTemplate) IsMarketing() bool { return t.Category == "marketing" }

// NewTemplate is a template to create. Its parts are valid for the provider.
type NewTemplate struct {
	Name     string
	Language string // pt_BR
	Category string // marketing utility
	Header   string // "": none, or a file
	// HeaderFile is the sample of a header that is a file; nil: none.
	HeaderFile *OutgoingMedia
	Body       string
	Footer     string
	Buttons    []NewTemplateButton

	HeaderExamples, BodyExamples []string // in the order in which the gaps first occur
}

// NewTemplateButton is a button of a template to create.
type NewTemplateButton struct {
	Type        string // quick_reply url phone
	Text        string
	URL         string
	PhoneNumber string
	Example     string // an address, if URL has a gap
}

// TemplateButton is a button of a template.
type TemplateButton struct {
	Type        string  `json:"type" doc:"quick_reply, url or phone; other buttons have Meta's word in lower case." example:"quick_reply"`
	Text        string  `json:"text"`
	URL         *string `json:"url"`
	PhoneNumber *string `json:"phone_number"`
	Example     *string `json:"example,omitempty" doc:"An example of a URL with a variable."`
}

// TemplateGap is a parameter that a template takes.
type TemplateGap struct {
	Component string  `json:"component" enum:"header,body,button"`
	Index     int     `json:"index" doc:"The position of the parameter in its component, counted from 1; for a button, the position of the button."`
	Name      *string `json:"name" doc:"The name of the parameter; null if the template uses numbered parameters."`
	Type      string  `json:"type" enum:"text,image,video,document"`
	Example   *string `json:"example"`
}

// The components of a template that have gaps.
const (
	ComponentHeader = "header"
	ComponentBody   = "body"
	ComponentButton = "button"
)

// The statuses of a template that can be sent, and of one that the provider rejected.
const (
	TemplateApproved = "approved"
	TemplateRejected = "rejected"
)

// String returns the name of the gap: body.1 or body.name.
func (g *TemplateGap) String() string {
	if g.Name != nil {
		return g.Component + "." + *g.Name
	}
	return g.Component + "." + strconv.Itoa(g.Index)
}

// Template is a template to send, with the values of its gaps.
type Template struct {
	Name       string
	Language   string // pt_BR
	Parameters []TemplateParameter
}

// TemplateParameter fills one gap with a text or a file. Either all parameters of a component have names or none; without names
// they are in the order of the gaps.
type TemplateParameter struct {
	Name      string
	Text      string
	Component string // "": the body
	MediaID   *kernel.ID
	Kind      string // of the file: image video document

	Button  int    // position of the button, from 0
	SubType string // of the button: url quick_reply copy_code
}

// In returns the component of the parameter.
func (p *TemplateParameter) In() string { return cmp.Or(p.Component, ComponentBody) }

var templateGap = regexp.MustCompile(`\{\{\s*(\w+)\s*\}\}`)

// TemplateGaps returns the names of the gaps of a text in the order in which they first occur.
func TemplateGaps(text string) (names []string) {
	for _, m := range templateGap.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}

// Fill returns the body with its gaps filled.
func (t *ChannelTemplate) Fill(parameters []TemplateParameter) string {
	values := map[string]string{}
	n := 0
	for _, p := range parameters {
		if p.In() != ComponentBody {
			continue
		}
		n++
		values[cmp.Or(p.Name, strconv.Itoa(n))] = p.Text
	}
	return templateGap.ReplaceAllStringFunc(t.Body, func(gap string) string {
		if value, ok := values[strings.Trim(gap, "{} \t\n")]; ok {
			return value
		}
		return gap
	})
}
