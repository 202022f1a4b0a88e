package push

import (
	"strings"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/talk"
)

// message is the content of a notification, as the service worker of the app shows it.
type message struct {
	Conversation *kernel.ID `json:"conversation"` // nil: a test
	Title        string     `json:"title"`
	Text         *string    `json:"text"` // nil: the company forbids texts, or there is none

	topic  string
	urgent bool
}

// maxText is the number of characters of a text or a name in a notification.
const maxText = 120

// language has the texts of notifications in one language.
type language struct {
	titles map[string]string // by kind of notification; the title of a message is the name of the conversation
	types  map[string]string // of messages without text
	other  string            // for other types of messages
	test   string
}

// texts has the texts by language. The app uses the same ones for its own notifications.
var texts = map[string]language{
	"pt-BR": {
		titles: map[string]string{
			talk.NotifyAssigned: "Atribuída a você", talk.NotifyMentioned: "Mencionaram você em uma nota",
			talk.NotifyWaiting: "Novo cliente na sua fila", talk.NotifyMessageFailed: "Mensagem não enviada",
			talk.NotifySLAWarning: "Atendimento perto do prazo", talk.NotifySLABreached: "Atendimento fora do prazo",
		},
		types: map[string]string{
			provider.TypeImage: "Foto", provider.TypeAudio: "Mensagem de voz", provider.TypeVideo: "Vídeo", provider.TypeDocument: "Documento",
			provider.TypeSticker: "Figurinha", provider.TypeLocation: "Localização", provider.TypeContacts: "Cartão de contato",
		},
		other: "Nova mensagem", test: "As notificações funcionam neste dispositivo.",
	},
	"en": {
		titles: map[string]string{
			talk.NotifyAssigned: "Assigned to you", talk.NotifyMentioned: "You were mentioned in a note",
			talk.NotifyWaiting: "New customer in your queue", talk.NotifyMessageFailed: "Message not sent",
			talk.NotifySLAWarning: "Case due soon", talk.NotifySLABreached: "Case overdue",
		},
		types: map[string]string{
			provider.TypeImage: "Photo", provider.TypeAudio: "Voice message", provider.TypeVideo: "Video", provider.TypeDocument: "Document",
			provider.TypeSticker: "Sticker", provider.TypeLocation: "Location", provider.TypeContacts: "Contact card",
		},
		other: "New message", test: "Notifications work on this device.",
	},
	"es": {
		titles: map[string]string{
			talk.NotifyAssigned: "Asignada a ti", talk.NotifyMentioned: "Te mencionaron en una nota",
			talk.NotifyWaiting: "Nuevo cliente en tu cola", talk.NotifyMessageFailed: "Mensaje no enviado",
			talk.NotifySLAWarning: "Caso por vencer", talk.NotifySLABreached: "Caso vencido",
		},
		types: map[string]string{
			provider.TypeImage: "Foto", provider.TypeAudio: "Mensaje de voz", provider.TypeVideo: "Video", provider.TypeDocument: "Documento",
			provider.TypeSticker: "Sticker", provider.TypeLocation: "Ubicación", provider.TypeContacts: "Tarjeta de contacto",
		},
		other: "Mensaje nuevo", test: "Las notificaciones funcionan en este dispositivo.",
	},
}

// testMessage returns the notification of a test.
func testMessage(language string) *message {
	text := texts[language].test
	return &message{Title: "Recado", Text: &text, topic: "test", urgent: true}
}

// title returns the title of a notification about a conversation.
func (l *language) title(kind, name string) string {
	title := shorten(name)
	if what := l.titles[kind]; what != "" {
		title += " · " + what
	}
	return title
}

// preview returns the beginning of a message, or its type if it has no text. Notices have an English text only.
func (l *language) preview(kind string, text *string, notice bool) string {
	if text != nil && !notice && strings.TrimSpace(*text) != "" {
		return shorten(*text)
	}
	if name := l.types[kind]; name != "" && !notice {
		return name
	}
	return l.other
}

// shorten returns the first maxText characters of a text.
func shorten(text string) string {
	n := 0
	for i := range text {
		if n == maxText {
			return strings.TrimSuffix(text[:i], joiner)
		}
		n++
	}
	return text
}

const joiner = "\u200d" // between the parts of an emoji
