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
	Code   NoticeCode     `json:"code" doc:"The kind of event or content." example:"missed_voice_call"`
	Params map[string]any `json:"params" doc:"Values to use with the code when composing a message; {} if there are none. voice_call and video_call: duration_seconds, if known. payment_method: method and reference. file_not_delivered and on_phone_only: kind, another code for the type of the original message, if known."`
}

// IsCall reports whether the notice is about a call. It returns false for nil.
func (n *MessageNotice) IsCall() bool {
	calls := []NoticeCode{NoticeVoiceCall, NoticeMissedVoiceCall, NoticeVideoCall, NoticeMissedVideoCall}
	return n != nil && slices.Contains(calls, n.Code)
}

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
