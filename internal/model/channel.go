package model

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// The providers a channel may send through.
const (
	ProviderSandbox  = "sandbox"
	ProviderWhatsApp = "whatsapp"
)

// The states of a channel.
const (
	ChannelConnected    = "connected"
	ChannelDisconnected = "disconnected"
)

// PrivateChannel is a channel that only its viewers see, as those see it who choose them.
type PrivateChannel struct {
	ID      ID       `json:"id"`
	Name    string   `json:"name"`
	Viewers []Viewer `json:"viewers"`
}

// Viewer is a team member who sees a private channel.
type Viewer struct {
	ID      ID     `json:"id"`
	Name    string `json:"name"`
	Pending bool   `json:"pending,omitzero" doc:"True while the member does not see the channel, because they set their password with a link made by somebody who does not see it. Saving the viewers with PATCH /channels/{id} confirms them."`
}

// Channel is one WhatsApp number. Private channels, and all that belongs to them, never leave
// through an API key.
type Channel struct {
	ID        ID        `json:"id"`
	Name      string    `json:"name"`
	Phone     string    `json:"phone" example:"+5511912345678"`
	Provider  string    `json:"provider" enum:"sandbox,whatsapp"`
	Status    string    `json:"status" enum:"connected,disconnected"`
	CreatedAt time.Time `json:"created_at"`

	ArchivedAt *time.Time `json:"archived_at" doc:"When the channel was archived; null: it was not. Nothing is sent or received through an archived channel, and no list shows it."`

	StatusReason *string `json:"status_reason" doc:"Why the channel is disconnected; null while it is connected."`
	Warning      *string `json:"warning" doc:"What is wrong with a channel that is connected all the same, such as a number that has gone silent; null when nothing is."`

	Sign bool `json:"sign" doc:"Messages that people send in the app begin with the name of the person."`

	HoursID *ID `json:"hours_id" doc:"Its own opening hours; null: those of the company."`

	Company ID   `json:"-"`
	Private bool `json:"-"`

	Settling bool `json:"-"` // it has become private or public, and its history has yet to follow

	Reception *int64 `json:"-"` // the version of its reception; nil: it has none or it is switched off
}

// Signed puts the name of the person in front of a text, unless it stands there already.
func Signed(text, name string) string {
	first := "*" + name + ":*"
	if strings.HasPrefix(text, first) {
		return text
	}
	return first + "\n" + text
}

// Pool is where the contacts of the channel's customers are kept: the company's contacts, or those of a
// private channel alone. A person is looked for within one pool, so that neither side shows in the other.
func (c *Channel) Pool() ID {
	if c.Private {
		return c.ID
	}
	return c.Company
}

// Access holds the credentials that WhatsApp requires for a number. Its secrets are sealed at rest; token and
// app secret are never shown.
type Access struct {
	PhoneNumberID string
	WABAID        string
	Token         string
	AppSecret     string
	VerifyToken   string
	APIVersion    string // "": the connector's own choice
	Coexistence   bool   // the number is also used in the WhatsApp Business app, which lowers its rate
}

// accessSecrets is the part of an access that is sealed at rest.
type accessSecrets struct {
	Token       string `json:"token"`
	AppSecret   string `json:"app_secret"`
	VerifyToken string `json:"verify_token"`
}

// Secrets gives the part that is sealed at rest, as JSON.
func (a Access) Secrets() []byte {
	plain, _ := json.Marshal(accessSecrets{a.Token, a.AppSecret, a.VerifyToken}) // strings always encode
	return plain
}

// SetSecrets reads what Secrets gave.
func (a *Access) SetSecrets(plain []byte) error {
	var s accessSecrets
	err := json.Unmarshal(plain, &s)
	a.Token, a.AppSecret, a.VerifyToken = s.Token, s.AppSecret, s.VerifyToken
	return err
}

// Format keeps the secrets out of every log line that is given an Access by mistake.
func (a Access) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "access to "+a.PhoneNumberID) }

// ChannelConnection is how a number is connected to its provider, without the secrets. All is null of a sandbox.
type ChannelConnection struct {
	CallbackURL   *string `json:"callback_url" doc:"Where the provider sends callbacks; entered at Meta." example:"https://desk.example.com/channels/01991c2e-5b1a-7d3f-8b6c-2f4a5d6e7f80/whatsapp"`
	VerifyToken   *string `json:"verify_token" doc:"The token with which Meta verifies the callback address; entered beside it."`
	PhoneNumberID *string `json:"phone_number_id" example:"106540352242922"`
	WABAID        *string `json:"waba_id" doc:"Id of the WhatsApp Business account." example:"102290129340398"`
	APIVersion    *string `json:"api_version" doc:"Version of the Meta API; null: the default of this server." example:"v25.0"`
	Coexistence   *bool   `json:"coexistence" doc:"The number is also used in the WhatsApp Business app."`
}

// NumberState is what WhatsApp says about a number.
type NumberState struct {
	Phone        string // E.164, or "" when WhatsApp did not tell
	VerifiedName string
	Status       string // CONNECTED when it can send and receive
	Quality      string
}

// ChannelTest is the outcome of asking a provider whether a channel works.
type ChannelTest struct {
	OK           bool          `json:"ok"`
	Phone        *string       `json:"phone"`
	VerifiedName *string       `json:"verified_name" doc:"The name that customers see."`
	Status       *string       `json:"status" doc:"Of the number at the provider; CONNECTED when it can send and receive."`
	Quality      *string       `json:"quality" example:"GREEN"`
	Error        *MessageError `json:"error" doc:"Why the test failed; null when it did not."`
}
