package model

// Subject is what an answer shows, where not every caller with the permission of the call may see it. The zero value is
// nothing of that kind.
type Subject struct {
	Kind string // one of the Subject constants
	ID   ID
}

// Kinds of subjects.
const (
	SubjectConversation = "conversation" // and its messages, notes, attendances and scheduled messages
	SubjectCard         = "card"
	SubjectBoard        = "board"
	SubjectContact      = "contact"
	SubjectChannel      = "channel"
	SubjectFile         = "file"
	SubjectWebhook      = "webhook" // all of them: the permission does not depend on which
)

// Subject is the conversation.
func (c *Conversation) Subject() Subject { return Subject{SubjectConversation, c.ID} }

// Subject is the conversation of the message.
func (m *Message) Subject() Subject { return Subject{SubjectConversation, m.Conversation} }

// Subject is the conversation of the note.
func (n *Note) Subject() Subject { return Subject{SubjectConversation, n.Conversation} }

// Subject is the conversation of the message.
func (s *ScheduledMessage) Subject() Subject { return Subject{SubjectConversation, s.Conversation} }

// Subject is the conversation of the attendance.
func (a *Attendance) Subject() Subject { return Subject{SubjectConversation, a.Conversation} }

// Subject is the conversation whose values the text has.
func (r *Rendered) Subject() Subject { return Subject{SubjectConversation, r.Conversation} }

// Subject is the card.
func (c *Card) Subject() Subject { return Subject{SubjectCard, c.ID} }

// Subject is the board.
func (b *Board) Subject() Subject { return Subject{SubjectBoard, b.ID} }

// Subject is the contact.
func (c *Contact) Subject() Subject { return Subject{SubjectContact, c.ID} }

// Subject is the channel.
func (c *Channel) Subject() Subject { return Subject{SubjectChannel, c.ID} }

// Subject is the file.
func (m *Media) Subject() Subject { return Subject{SubjectFile, m.ID} }

// Subject is the webhooks of the company.
func (w *Webhook) Subject() Subject { return Subject{Kind: SubjectWebhook, ID: w.ID} }

// Subject is the webhooks of the company.
func (d *Delivery) Subject() Subject { return Subject{Kind: SubjectWebhook, ID: d.ID} }
