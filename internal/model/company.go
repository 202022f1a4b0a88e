package model

import "time"

// Company is one tenant. Everything else belongs to exactly one company.
type Company struct {
	ID       ID     `json:"id"`
	Name     string `json:"name"`
	Timezone string `json:"timezone" doc:"IANA name of the time zone in which this company's days begin." example:"America/Sao_Paulo"`
}

// Ref is how a team member or a sector appears inside another noun.
type Ref struct {
	ID   ID     `json:"id"`
	Name string `json:"name"`
}

// AttendanceRules are the company's decisions about support cases.
type AttendanceRules struct {
	Enabled                      bool      `json:"enabled" doc:"Whether conversations open attendances at all."`
	FirstResponderTakesOwnership bool      `json:"first_responder_takes_ownership" doc:"The first member to answer an attendance without a responsible person becomes responsible."`
	Mode                         string    `json:"mode" enum:"restricted,liberal" doc:"Restricted: only the responsible person, or a manager and above, answers or closes."`
	AutoClose                    AutoClose `json:"auto_close"`
	GraceMinutes                 int64     `json:"grace_minutes" minimum:"0" maximum:"120" doc:"For how many minutes after closing the team's messages belong to the closed attendance and open no new one."`
	GraceForCustomers            bool      `json:"grace_for_customers" doc:"The customer's messages open no new attendance within grace_minutes either."`
	KeepRevoked                  bool      `json:"keep_revoked" doc:"Messages that a customer deletes keep their text and file."`
	HoursID                      *ID       `json:"hours_id" doc:"The opening hours of channels and sectors that have none of their own; null: always open."`
}

// AutoClose says whether silent attendances are closed, and after how long.
type AutoClose struct {
	Enabled      bool  `json:"enabled"`
	AfterMinutes int64 `json:"after_minutes" minimum:"1" maximum:"525600" doc:"Minutes without any message."`
}

// The two modes of AttendanceRules.
const (
	ModeRestricted = "restricted"
	ModeLiberal    = "liberal"
)

// Integration is one API key's public side: what it is called and what it may do.
type Integration struct {
	ID        ID         `json:"id"`
	Name      string     `json:"name"`
	Scopes    []Scope    `json:"scopes"`
	Boards    Boards     `json:"boards" nullable:"true" doc:"Boards this key may see; null means all of them."`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at"`
}

// Identity answers GET /me.
type Identity struct {
	Integration *Integration `json:"integration" doc:"The key; null for a person who is signed in."`
	User        IdentityUser `json:"user"`
	Company     Company      `json:"company"`
	APIVersion  string       `json:"api_version" example:"1.1.0"`
}

// IdentityUser is the team member a key acts as.
type IdentityUser struct {
	ID    ID     `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
	Role  Role   `json:"role" enum:"owner,admin,manager,agent"`
}

// Key is an API key as its owner manages it. The key itself is shown once, at creation and rotation.
type Key struct {
	ID         ID         `json:"id"`
	Name       string     `json:"name"`
	Scopes     []Scope    `json:"scopes"`
	Boards     Boards     `json:"boards" nullable:"true"`
	User       Ref        `json:"user" doc:"The team member this key acts as."`
	ActsAs     string     `json:"acts_as" enum:"person,integration" doc:"person: what is sent with the key counts as an answer of the member. integration: messages have no sender, are no first response, make nobody responsible and open no attendance."`
	Rate       Rate       `json:"rate"`
	CreatedAt  time.Time  `json:"created_at"`
	ExpiresAt  *time.Time `json:"expires_at"`
	RevokedAt  *time.Time `json:"revoked_at"`
	LastUsedAt *time.Time `json:"last_used_at"`
}

// Values of Key.ActsAs.
const (
	ActsAsPerson      = "person"
	ActsAsIntegration = "integration"
)

// Rate is how often one key may call.
type Rate struct {
	PerSecond int64 `json:"per_second" minimum:"1" maximum:"1000000"`
	Burst     int64 `json:"burst" minimum:"1" maximum:"1000000"`
}

// Boards are the boards a key may see. Nil, which JSON shows as null, means all of them.
type Boards []ID

// AppendJSON tells nil from empty, which other lists do not.
func (b Boards) AppendJSON(out []byte) []byte {
	if b == nil {
		return append(out, "null"...)
	}
	return appendIDs(out, b)
}
