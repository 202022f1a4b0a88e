package kernel

// Visibility decides which members of the company may see a conversation.
type Visibility struct {
	Channel  ID   `json:"channel"`
	Private  bool `json:"private,omitempty"`
	Assignee *ID  `json:"assignee,omitempty"`
	Sector   *ID  `json:"sector,omitempty"`
}
