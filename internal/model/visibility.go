package model

// Visibility is what decides which members of its company may see a conversation.
type Visibility struct {
	Channel  ID   `json:"channel"`
	Private  bool `json:"private,omitempty"`
	Assignee *ID  `json:"assignee,omitempty"`
	Sector   *ID  `json:"sector,omitempty"`
}

// Visibility gives what decides who may see the conversation.
func (c *Conversation) Visibility() *Visibility {
	return &Visibility{Channel: c.Channel, Private: c.Private, Assignee: c.Assignee, Sector: c.Sector}
}
