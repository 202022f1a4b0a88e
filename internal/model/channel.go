package model

import "time"

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

// Channel is one WhatsApp number. Private channels, and all that belongs to them, never leave
// through an API key.
type Channel struct {
	ID        ID        `json:"id"`
	Name      string    `json:"name"`
	Phone     string    `json:"phone" example:"+5511912345678"`
	Provider  string    `json:"provider" enum:"sandbox,whatsapp"`
	Status    string    `json:"status" enum:"connected,disconnected"`
	CreatedAt time.Time `json:"created_at"`

	Company ID   `json:"-"`
	Private bool `json:"-"`
}
