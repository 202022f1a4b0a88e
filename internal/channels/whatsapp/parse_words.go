package whatsapp

import "recado/internal/channels/provider"

// words is a notice with its English text.
type words struct {
	code provider.NoticeCode
	text string
}

// unsupportedWords are the notices of messages whose type WhatsApp reports without their content.
var unsupportedWords = map[text]words{
	"button":            {provider.NoticeButton, "Button"},
	"edit":              {provider.NoticeEdit, "Edited message"},
	"gif":               {provider.NoticeGIF, "GIF"},
	"group_invite":      {provider.NoticeGroupInvite, "Group invitation"},
	"hsm":               {provider.NoticeTemplate, "Template"},
	"image":             {provider.NoticeImage, "Image"},
	"interactive":       {provider.NoticeInteractive, "Interactive message"},
	"keep_in_chat":      {provider.NoticeKeptMessage, "Kept message"},
	"link_preview":      {provider.NoticeLinkPreview, "Link preview"},
	"list":              {provider.NoticeList, "List"},
	"location":          {provider.NoticeLocation, "Location"},
	"media_placeholder": {provider.NoticeFile, "File"},
	"order":             {provider.NoticeOrder, "Order"},
	"pin":               {provider.NoticePinned, "Pinned message"},
	"poll_creation":     {provider.NoticePoll, "Poll"},
	"poll_update":       {provider.NoticePollVote, "Vote in a poll"},
	"product":           {provider.NoticeProduct, "Product"},
	"reaction":          {provider.NoticeReaction, "Reaction"},
}

// unsupportedError are the notices for error codes of messages without content.
var unsupportedError = map[number]words{
	131052: {provider.NoticeNotDelivered, "The customer sent a file that WhatsApp could not hand over."},
	131060: {provider.NoticeOnPhoneOnly, "This message is not available here. It can be read on the phone."},
}

// unsupported returns the text and the notice for a message without content. They are empty if nothing is known about it.
func (m *messageContent) unsupported() (string, *provider.MessageNotice) {
	kind := unsupportedWords[m.Unsupported.value.Type]
	if kind.code == "" && m.Type != "interactive" && m.Type != "button" {
		kind = unsupportedWords[m.Type]
	}
	for _, e := range m.Errors {
		if reason := unsupportedError[e.Code]; reason.code != "" {
			n := notice(reason.code)
			if kind.code != "" {
				n.Params = map[string]any{"kind": string(kind.code)}
			}
			return joined(": ", kind.text, reason.text), n
		}
	}
	if kind.code == "" {
		return "", nil
	}
	return kind.text, notice(kind.code)
}
