package model

import "time"

// How long a session lasts: without a request, and at most.
const (
	SessionIdle    = 14 * 24 * time.Hour
	SessionLongest = 90 * 24 * time.Hour
)

// MaxSessions is how many sessions one person may have. One more ends the oldest.
const MaxSessions = 100

// How long links last that let a person in.
const (
	InvitationLasts = 7 * 24 * time.Hour
	InvitationKept  = 30 * 24 * time.Hour // in the list, once it is accepted or has expired
	ResetLinkLasts  = 24 * time.Hour
)

// What the length of a password may be, in characters.
const (
	MinPassword = 10
	MaxPassword = 256
)

// Session tells the app who is signed in and what they may do.
type Session struct {
	User       SessionUser `json:"user"`
	Company    Company     `json:"company"`
	Scopes     []Scope     `json:"scopes" doc:"What the person's role allows."`
	ExpiresAt  time.Time   `json:"expires_at" doc:"When the session ends without further requests."`
	APIVersion string      `json:"api_version" example:"1.1.0"`
}

// SessionUser is the person who is signed in.
type SessionUser struct {
	Member
	TwoFactor bool   `json:"two_factor" doc:"Whether signing in also takes a code."`
	Signature string `json:"signature" doc:"The name that signs this person's messages; empty: the person's name."`
}

// SignedIn is one of a person's own sessions.
type SignedIn struct {
	ID         ID        `json:"id"`
	CreatedAt  time.Time `json:"created_at"`
	LastSeenAt time.Time `json:"last_seen_at"`
	IP         string    `json:"ip"`
	UserAgent  string    `json:"user_agent"`
	Current    bool      `json:"current" doc:"Whether this request was made with it."`
}

// SessionEnd is when a session ends without further requests: the earlier of the idle and the absolute limit.
func SessionEnd(createdAt, lastSeenAt time.Time) time.Time {
	idle, longest := lastSeenAt.Add(SessionIdle), createdAt.Add(SessionLongest)
	if idle.Before(longest) {
		return idle
	}
	return longest
}

// Invitation asks a person to join the team.
type Invitation struct {
	ID            ID            `json:"id"`
	Email         string        `json:"email"`
	Name          string        `json:"name"`
	Role          Role          `json:"role" enum:"owner,admin,manager,agent"`
	AccessProfile AccessProfile `json:"access_profile" enum:"all,sectors,own"`
	SectorIDs     []ID          `json:"sector_ids"`
	CreatedAt     time.Time     `json:"created_at"`
	ExpiresAt     time.Time     `json:"expires_at"`
	AcceptedAt    *time.Time    `json:"accepted_at"`
	URL           *string       `json:"url" doc:"The link to send to the person. It is shown once, in the answer to the invitation."`
}

// AccessLink is a link with which a person sets a password.
type AccessLink struct {
	URL       string    `json:"url" nullable:"true" doc:"Works once. Earlier links of the same person stop working. null when the answer is repeated for an Idempotency-Key."`
	ExpiresAt time.Time `json:"expires_at"`
}

// Welcome is what the holder of a link may know before using it.
type Welcome struct {
	Company WelcomeCompany `json:"company"`
	Email   string         `json:"email"`
	Name    string         `json:"name"`
	Kind    string         `json:"kind" enum:"invitation,reset"`
}

// WelcomeCompany names the company of a link.
type WelcomeCompany struct {
	Name string `json:"name"`
}

// The kinds of links that let a person in.
const (
	WelcomeInvitation = "invitation"
	WelcomeReset      = "reset"
)

// PresenceAuto lets a person's presence follow their activity.
const PresenceAuto = "auto"

// Preferences are how a person wants the app to be.
type Preferences struct {
	Language       string `json:"language" enum:"pt-BR,en,es"`
	LanguageChosen bool   `json:"language_chosen" doc:"Whether the person has chosen the language. false: language is the default, and an app may show the language of the browser."`
	Theme          string `json:"theme" enum:"system,light,dark"`
	SendWith       string `json:"send_with" enum:"enter,ctrl_enter"`
	MarkRead       string `json:"mark_read" enum:"opening,answering"`
	Sound          string `json:"sound" enum:"none,chime,drop"`
	Notify         string `json:"notify" enum:"mine_and_queues,everything,nothing"`
	Shortcuts      bool   `json:"shortcuts" doc:"Whether single keys are commands."`
	Sign           bool   `json:"sign" doc:"Whether messages begin with the person's name."`
}

// DefaultPreferences are those of a person who has chosen nothing.
var DefaultPreferences = Preferences{
	Language: "pt-BR", Theme: "system", SendWith: "enter", MarkRead: "opening", Sound: "chime", Notify: "mine_and_queues", Shortcuts: true,
}
