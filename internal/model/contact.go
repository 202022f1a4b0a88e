package model

import "time"

// Contact is a customer. Phone is null for a WhatsApp user whose number the provider withholds.
type Contact struct {
	ID           ID        `json:"id"`
	Name         string    `json:"name"`
	Phone        *string   `json:"phone" example:"+5511912345678"`
	BusinessName *string   `json:"company"`
	City         *string   `json:"city"`
	Channel      *ID       `json:"channel_id"`
	LabelIDs     []ID      `json:"label_ids"`
	Blocked      bool      `json:"blocked"`
	Automation   bool      `json:"automation" doc:"Whether the reception of a channel answers this person."`
	CreatedAt    time.Time `json:"created_at"`
	UpdatedAt    time.Time `json:"updated_at"`

	Company ID `json:"-"`
	Pool    ID `json:"-"` // the company of a public contact, the channel of a private one: see Channel.Pool
}

// Public reports whether the contact is one of the company's own, and not of a private channel.
func (c *Contact) Public() bool { return c.Pool == c.Company }
