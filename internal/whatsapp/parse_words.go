package whatsapp

import "recado/internal/model"

// words is what a notice says in English.
type words struct {
	code model.NoticeCode
	text string
}

// unsupportedWords says what a message was that WhatsApp names but does not hand over.
var unsupportedWords = map[text]words{
	"button":            {model.NoticeButton, "Button"},
	"edit":              {model.NoticeEdit, "Edited message"},
	"gif":               {model.NoticeGIF, "GIF"},
	"group_invite":      {model.NoticeGroupInvite, "Group invitation"},
	"hsm":               {model.NoticeTemplate, "Template"},
	"image":             {model.NoticeImage, "Image"},
	"interactive":       {model.NoticeInteractive, "Interactive message"},
	"keep_in_chat":      {model.NoticeKeptMessage, "Kept message"},
	"link_preview":      {model.NoticeLinkPreview, "Link preview"},
	"list":              {model.NoticeList, "List"},
	"location":          {model.NoticeLocation, "Location"},
	"media_placeholder": {model.NoticeFile, "File"},
	"order":             {model.NoticeOrder, "Order"},
	"pin":               {model.NoticePinned, "Pinned message"},
	"poll_creation":     {model.NoticePoll, "Poll"},
	"poll_update":       {model.NoticePollVote, "Vote in a poll"},
	"product":           {model.NoticeProduct, "Product"},
	"reaction":          {model.NoticeReaction, "Reaction"},
}

// unsupportedError says why a message is not handed over, where its error code tells.
var unsupportedError = map[number]words{
	131052: {model.NoticeNotDelivered, "The customer sent a file that WhatsApp could not hand over."},
	131060: {model.NoticeOnPhoneOnly, "This message is not available here. It can be read on the phone."},
}

// unsupported is what a person can read about a message whose content is missing; nothing where nothing is known.
func (m *messageContent) unsupported() (string, *model.MessageNotice) {
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
