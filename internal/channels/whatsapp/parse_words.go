package whatsapp

import (
	"recado/internal/channels/provider"
)

// words is what a notice says in English.
type words struct {
	code provider.NoticeCode
	text string
}

// unsupportedWords says what a message was that WhatsApp names but does not hand over.
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

// unsupportedError says why a message is not handed over, where its error code tells.
var unsupportedError = map[number]words{
	131052: {provider.NoticeNotDelivered, "The customer sent a file that WhatsApp could not hand over."},
	131060: {provider.NoticeOnPhoneOnly, "This message is not available here. It can be read on the phone."},
}

// unsupported is what a person can read about a message whose content is missing; nothing where nothing is known.
func (m *messageContent) unsupported() (string, *provider.MessageNotice) {
	kind := unsupportedWords[m.Unsupported.value.Type]
	if kind.code == "" && m.Type != "interactive" && m.Type != "button" {
		kind = unsupportedWords[m.Type]
	}
	for _, e := range m.Errors {
		if why := unsupportedError[e.Code]; why.code != "" {
			said := notice(why.code)
			if kind.code != "" {
				said.Params = map[string]any{"kind": string(kind.code)}
			}
			return joined(": ", kind.text, why.text), said
		}
	}
	if kind.code == "" {
		return "", nil
	}
	return kind.text, notice(kind.code)
}
