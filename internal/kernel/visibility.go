package kernel

// Visibility is what decides which members of its company may see a conversation.
type Visibility struct {
	Channel  ID   `json:"channel"`
	Private  bool `json:"private,omitempty"`
	Assignee *ID  `json:"assignee,omitempty"`
	Sector   *ID  `json:"sector,omitempty"`
}
