package provider

import "slices"

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
	Code   NoticeCode     `json:"code" doc:"What happened or what was sent." example:"missed_voice_call"`
	Params map[string]any `json:"params" doc:"What the code needs to be put into words; {} where it needs nothing. voice_call and video_call: duration_seconds, where it is known. payment_method: method and reference. file_not_delivered and on_phone_only: kind, another code that says what the message was, where it is known."`
}

// IsCall reports whether the notice is about a call. It returns false for nil.
func (n *MessageNotice) IsCall() bool {
	calls := []NoticeCode{NoticeVoiceCall, NoticeMissedVoiceCall, NoticeVideoCall, NoticeMissedVideoCall}
	return n != nil && slices.Contains(calls, n.Code)
}

// Form is a form that a customer filled in: a Flow or an address.
type Form struct {
	Name   string      `json:"name" doc:"What WhatsApp calls the form: flow, address_message; empty where it gives no name."`
	Fields []FormField `json:"fields" doc:"The answers in the order of the form."`
}

// FormField is one answer.
type FormField struct {
	Name  string `json:"name" doc:"The name of the field in the form; the parts of a nested one are joined with dots. Empty where the whole answer is one value."`
	Label string `json:"label" doc:"The name as people read it: without the number of the screen, with spaces."`
	Value string `json:"value" doc:"The answer in words. Several are separated by commas; a file is shown by its name."`
}
