package model

// Reception is what a channel answers by itself when a customer opens an attendance.
type Reception struct {
	Enabled  bool    `json:"enabled"`
	Greeting *string `json:"greeting" doc:"The beginning of the first message."`
	Away     *string `json:"away" doc:"Follows the greeting outside of the opening hours."`
	Menu     *Menu   `json:"menu" doc:"Ends the first message with a choice; null: none."`

	Version int64 `json:"-"` // 1 until it is first set; every change raises it by one
}

// Menu lets the customer choose. Buttons show up to three options, a list more.
type Menu struct {
	Text           string       `json:"text" minLength:"1" maxLength:"1024"`
	Options        []MenuOption `json:"options" minItems:"2" maxItems:"10"`
	InvalidText    *string      `json:"invalid_text" required:"false" doc:"Sent after an answer that is none of the options; null: that of the menu above, or the menu again."`
	MaxInvalid     int64        `json:"max_invalid" required:"false" minimum:"1" maximum:"5" doc:"So many invalid answers end the menu. Absent: that of the menu above, or 2."`
	TimeoutMinutes int64        `json:"timeout_minutes" required:"false" minimum:"1" maximum:"1440" doc:"Without an answer for so long the menu ends. Absent: that of the menu above, or 10."`
	FallbackSector *ID          `json:"fallback_sector" required:"false" doc:"Where the case goes when the menu ends without a choice; null: that of the menu above, or the general queue."`
}

// MenuOption is one of the things to choose from.
type MenuOption struct {
	Title  string     `json:"title" minLength:"1" maxLength:"24"`
	Action MenuAction `json:"action"`
}

// MenuAction is what a choice does. Exactly one of the fields is set.
type MenuAction struct {
	Sector *ID     `json:"sector,omitempty" doc:"Puts the case into the queue of this sector."`
	User   *ID     `json:"user,omitempty" doc:"Makes this person responsible."`
	Text   *string `json:"text,omitempty" minLength:"1" maxLength:"1024" doc:"Answers with this text and shows the menu again."`
	Close  *bool   `json:"close,omitempty" doc:"true closes the case."`
	Menu   *Menu   `json:"menu,omitempty" doc:"Shows another menu. Menus are at most three deep."`
}

// The limits and defaults of receptions.
const (
	MaxReceptionText   = 1024
	MaxMenuDepth       = 3
	DefaultMaxInvalid  = 2
	DefaultMenuTimeout = 10 // minutes
)

// ReceptionReply is what a reception answers to one text of the customer.
type ReceptionReply struct {
	Customer    string            `json:"customer" doc:"What the customer wrote."`
	Text        *string           `json:"text" doc:"The automatic answer in words; null: none."`
	Interactive *Interactive      `json:"interactive" doc:"The buttons or the list of the answer."`
	Outcome     *ReceptionOutcome `json:"outcome" doc:"Where the case goes when the reception ends with this text; null while the menu goes on."`
}

// ReceptionOutcome is how a reception ended.
type ReceptionOutcome struct {
	Kind   string `json:"kind" enum:"sector,user,close,people,none" doc:"people: the fallback sector, or the general queue. none: there is no menu."`
	Sector *ID    `json:"sector"`
	User   *ID    `json:"user"`
	Reason string `json:"reason" doc:"As the history shows it." example:"Menu: Sales"`
}
