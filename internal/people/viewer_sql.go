package people

import (
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// PrivateChannels lists the company's private channels with the present members who see them.
func PrivateChannels(tx *kernel.Tx, company kernel.ID) ([]PrivateChannel, error) {
	channels := []PrivateChannel{}
	err := tx.Query(`
		SELECT ch.id, ch.name, u.id, u.name, v.pending
		FROM channels ch
		LEFT JOIN channel_viewers v ON v.company = ch.company AND v.channel = ch.id
		LEFT JOIN users u ON u.company = v.company AND u.id = v.member AND u.removed_at IS NULL
		WHERE ch.company = $1 AND ch.private
		ORDER BY ch.id, u.name, u.id`, []any{company}, func(r db.Row) error {
		if n := len(channels); n == 0 || channels[n-1].ID != r.ID(0) {
			channels = append(channels, PrivateChannel{ID: r.ID(0), Name: r.Text(1), Viewers: []Viewer{}})
		}
		if last := &channels[len(channels)-1]; !r.Null(2) {
			last.Viewers = append(last.Viewers, Viewer{ID: r.ID(2), Name: r.Text(3), Pending: r.Bool(4)})
		}
		return nil
	})
	return channels, err
}

// ChannelViewers lists the present viewers of a private channel, also those who wait to be confirmed.
func ChannelViewers(tx *kernel.Tx, company, channel kernel.ID) ([]Viewer, error) {
	viewers := []Viewer{}
	err := tx.Query(`
		SELECT u.id, u.name, v.pending
		FROM channel_viewers v
		JOIN users u ON u.company = v.company AND u.id = v.member AND u.removed_at IS NULL
		WHERE v.company = $1 AND v.channel = $2
		ORDER BY u.name, u.id`, []any{company, channel}, func(r db.Row) error {
		viewers = append(viewers, Viewer{ID: r.ID(0), Name: r.Text(1), Pending: r.Bool(2)})
		return nil
	})
	return viewers, err
}

// viewedOnlyBy are the private channels that have no present viewer but the member $2 of the company $1.
const viewedOnlyBy = `
	FROM channel_viewers v
	JOIN channels ch ON ch.company = v.company AND ch.id = v.channel AND ch.private
	WHERE v.company = $1 AND v.member = $2
		AND NOT EXISTS (
			SELECT 1
			FROM channel_viewers o
			JOIN users u ON u.company = o.company AND u.id = o.member AND u.removed_at IS NULL
			WHERE o.company = $1 AND o.channel = v.channel AND o.member <> $2)`

// isLastViewer reports whether a private channel has no present viewer but this member.
func isLastViewer(tx *kernel.Tx, company, member kernel.ID) (bool, error) {
	return tx.One(`SELECT 1`+viewedOnlyBy+` LIMIT 1`, []any{company, member}, func(db.Row) {})
}

// replaceLastViewer lets another member see the private channels that have no present viewer but this one.
func replaceLastViewer(tx *kernel.Tx, company, member, by kernel.ID) {
	tx.Later(`
		INSERT INTO channel_viewers (company, channel, member)
		SELECT v.company, v.channel, $3`+viewedOnlyBy+`
		ON CONFLICT DO NOTHING`, company, member, by)
}

// SetViewers sets the members who see a private channel, and confirms those who waited for it; a public channel has none.
// The reset links of members who begin or cease to see the channel are deleted.
func SetViewers(tx *kernel.Tx, company, channel kernel.ID, members []kernel.ID) {
	s := tx.Statement()
	s.WriteString(`
		DELETE FROM reset_links
		WHERE company = ` + s.Arg(company) + ` AND (member IN (` + db.Listed(members)(s) + `)) <> EXISTS (
			SELECT 1
			FROM channel_viewers v
			WHERE v.company = reset_links.company AND v.channel = ` + s.Arg(channel) + ` AND v.member = reset_links.member AND NOT v.pending)`)
	tx.Later(s.String(), s.Args...)
	tx.Later(`DELETE FROM channel_viewers WHERE company = $1 AND channel = $2`, company, channel)
	for _, member := range members {
		tx.Later(`INSERT INTO channel_viewers (company, channel, member) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, company, channel, member)
	}
}

// setViewerPending lets a member wait to be confirmed as viewer of every private channel but those that another member
// sees; by is nil where nobody vouches for any of them.
func setViewerPending(tx *kernel.Tx, company, member kernel.ID, by *kernel.ID) {
	tx.Later(`
		UPDATE channel_viewers
		SET pending = TRUE
		WHERE company = $1 AND member = $2 AND channel NOT IN (
			SELECT o.channel
			FROM channel_viewers o
			WHERE o.company = $1 AND o.member = $3 AND NOT o.pending)`, company, member, by)
}
