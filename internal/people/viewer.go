package people

import (
	"context"

	"recado/internal/kernel"
)

// PrivateChannel is a channel that only its viewers see, as shown to those who choose the viewers.
type PrivateChannel struct {
	ID      kernel.ID `json:"id"`
	Name    string    `json:"name"`
	Viewers []Viewer  `json:"viewers"`
}

// Viewer is a team member who sees a private channel.
type Viewer struct {
	ID      kernel.ID `json:"id"`
	Name    string    `json:"name"`
	Pending bool      `json:"pending,omitzero" doc:"Whether the member cannot see the channel yet, because they set their password with a link created by someone without access to it. Saving the viewers with PATCH /channels/{id} confirms the member."`
}

// PrivateChannels lists the company's private channels with their viewers.
func (d *People) PrivateChannels(ctx context.Context, a *kernel.Principal) ([]PrivateChannel, error) {
	if err := a.May(VerbPrivateChannels); err != nil {
		return nil, err
	}
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) ([]PrivateChannel, error) {
		return PrivateChannels(tx, a.Company.ID)
	})
}
