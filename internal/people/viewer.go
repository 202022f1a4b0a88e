package people

import (
	"context"
	"slices"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
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
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) ([]PrivateChannel, error) {
		return PrivateChannels(tx, a.Company.ID)
	})
}

// PrivateChannels lists the company's private channels with their viewers.
func PrivateChannels(tx *kernel.Tx, company kernel.ID) ([]PrivateChannel, error) {
	channels := []PrivateChannel{}
	err := tx.Query(`
		SELECT ch.id, ch.name, u.id AS viewer, u.name AS viewer_name, v.pending
		FROM channels ch
		LEFT JOIN channel_viewers v ON v.company = ch.company AND v.channel = ch.id
		LEFT JOIN users u ON u.company = v.company AND u.id = v.member AND u.removed_at IS NULL
		WHERE ch.company = $1 AND ch.private
		ORDER BY ch.id, u.name, u.id`, []any{company}, func(r db.Row) error {
		if id := r.ID("id"); len(channels) == 0 || channels[len(channels)-1].ID != id {
			channels = append(channels, PrivateChannel{ID: id, Name: r.Text("name"), Viewers: []Viewer{}})
		}
		if last := &channels[len(channels)-1]; !r.Null("viewer") {
			last.Viewers = append(last.Viewers, scanViewer(r))
		}
		return nil
	})
	return channels, err
}

func scanViewer(r db.Row) Viewer {
	return Viewer{ID: r.ID("viewer"), Name: r.Text("viewer_name"), Pending: r.Bool("pending")}
}

// ChannelViewers lists the viewers of a private channel, including those who are not confirmed.
func ChannelViewers(tx *kernel.Tx, company, channel kernel.ID) ([]Viewer, error) {
	viewers := []Viewer{}
	err := tx.Query(`
		SELECT u.id AS viewer, u.name AS viewer_name, v.pending
		FROM channel_viewers v
		JOIN users u ON u.company = v.company AND u.id = v.member AND u.removed_at IS NULL
		WHERE v.company = $1 AND v.channel = $2
		ORDER BY u.name, u.id`, []any{company, channel}, func(r db.Row) error {
		viewers = append(viewers, scanViewer(r))
		return nil
	})
	return viewers, err
}

// AuditedViewers are the confirmed viewers of a channel, for the audit.
type AuditedViewers struct {
	Viewers []kernel.Ref `json:"viewers"`
}

// NewAuditedViewers returns those viewers who are confirmed.
func NewAuditedViewers(viewers []Viewer) (a AuditedViewers) {
	for _, v := range viewers {
		if !v.Pending {
			a.Viewers = append(a.Viewers, kernel.Ref{ID: v.ID, Name: v.Name})
		}
	}
	return a
}

// auditLeaving records that a member who is being removed stops seeing private channels, except for those whose only viewer they
// are: see keepViewer.
func auditLeaving(tx *kernel.Tx, a *kernel.Principal, member kernel.ID) error {
	channels, err := kernel.Rows(tx, `
		SELECT ch.id, ch.name
		FROM channel_viewers v
		JOIN channels ch ON ch.company = v.company AND ch.id = v.channel AND ch.private
		WHERE v.company = $1 AND v.member = $2 AND NOT v.pending
		ORDER BY ch.id`, []any{a.Company.ID, member}, scanRef)
	for _, ch := range channels {
		viewers, err := ChannelViewers(tx, a.Company.ID, ch.ID)
		if err != nil {
			return err
		}
		if len(viewers) > 1 {
			tx.Audit(a, viewerGone(ch, viewers, member))
		}
	}
	return err
}

// viewerGone returns the audit entry for a private channel that a viewer stops seeing.
func viewerGone(ch kernel.Ref, viewers []Viewer, member kernel.ID) kernel.AuditEntry {
	before := NewAuditedViewers(viewers)
	after := NewAuditedViewers(slices.DeleteFunc(slices.Clone(viewers), func(v Viewer) bool { return v.ID == member }))
	entry := kernel.NewAuditEntry(kernel.NewAuditSubject("channel", ch.ID, ch.Name), before, after)
	entry.Channel = ch.ID
	return entry
}

// allViewedChannels returns the private channels of the company that each member may see.
func allViewedChannels(tx *kernel.Tx, company kernel.ID) (map[kernel.ID][]kernel.ID, error) {
	channels := map[kernel.ID][]kernel.ID{}
	err := tx.Query(`
		SELECT v.member, v.channel
		FROM channel_viewers v
		JOIN channels c ON c.company = v.company AND c.id = v.channel
		WHERE v.company = $1 AND NOT v.pending`, []any{company}, func(r db.Row) error {
		member := r.ID("member")
		channels[member] = append(channels[member], r.ID("channel"))
		return nil
	})
	return channels, err
}

// viewedChannels returns the private channels that a member may see.
func viewedChannels(tx *kernel.Tx, company, member kernel.ID) ([]kernel.ID, error) {
	return tx.IDs(`SELECT channel FROM channel_viewers WHERE company = $1 AND member = $2 AND NOT pending`, company, member)
}

// viewedOnlyBy selects the private channels whose only viewer is the member $2 of the company $1.
const viewedOnlyBy = `
	FROM channel_viewers v
	JOIN channels ch ON ch.company = v.company AND ch.id = v.channel AND ch.private
	WHERE v.company = $1 AND v.member = $2
		AND NOT EXISTS (
			SELECT 1
			FROM channel_viewers o
			JOIN users u ON u.company = o.company AND u.id = o.member AND u.removed_at IS NULL
			WHERE o.company = $1 AND o.channel = v.channel AND o.member <> $2)`

// SetViewers replaces the viewers of a private channel and confirms them all; a public channel has none. It deletes the reset
// links of members who start or stop seeing the channel.
func SetViewers(tx *kernel.Tx, company, channel kernel.ID, members []kernel.ID) {
	s := tx.Statement()
	s.WriteString(`
		DELETE FROM reset_links
		WHERE company = ` + s.Arg(company) + ` AND (member IN (` + db.Listed(members)(s) + `)) <> EXISTS (
			SELECT 1
			FROM channel_viewers v
			WHERE v.company = reset_links.company AND v.channel = ` + s.Arg(channel) + ` AND v.member = reset_links.member
				AND NOT v.pending)`)
	tx.Later(s.String(), s.Args...)
	tx.Later(`DELETE FROM channel_viewers WHERE company = $1 AND channel = $2`, company, channel)
	for _, member := range members {
		tx.Later(`INSERT INTO channel_viewers (company, channel, member) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
			company, channel, member)
	}
}
