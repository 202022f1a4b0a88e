package store

import (
	"encoding/binary"

	"recado/internal/db"
	"recado/internal/model"
)

// Sight is how far a member sees: everything, or what is assigned to them or lies in one of their sectors.
type Sight struct {
	All     bool
	Member  model.ID
	Sectors []model.ID
	Private []model.ID // the private channels that a list shows beside the public ones
}

// The column private of a channel is the only truth about who sees what belongs to it: a channel can become private or public
// while it has a history. The columns of the same name in conversations and attendances, hidden of cards and the pools
// of contacts are copies for the indexes of lists. They may lag behind while the channel is settling; see settle.go. A
// single row is judged by its channel, and a list leaves out what is of a private channel whatever its copy says.
const (
	conversationPrivate = `(SELECT x.private FROM channels x WHERE x.id = c.channel)`
	attendancePrivate   = `(SELECT x.private FROM channels x WHERE x.id = a.channel)`
	// cardHidden is whether a card c is of a private channel.
	cardHidden = `COALESCE((SELECT x.private FROM conversations xv JOIN channels x ON x.id = xv.channel WHERE xv.id = c.conversation), c.hidden)`
	// contactPool is the pool that a contact ct belongs to.
	contactPool = `CASE
		WHEN ct.pool = ct.company AND EXISTS (SELECT 1 FROM channels x WHERE x.id = ct.channel AND x.private) THEN ct.channel
		WHEN ct.pool <> ct.company AND EXISTS (SELECT 1 FROM channels x WHERE x.id = ct.pool AND NOT x.private) THEN ct.company
		ELSE ct.pool END`
)

// privateChannelsOf is a query of the company's private channels.
func privateChannelsOf(company string) string {
	return "(SELECT x.id FROM channels x WHERE x.company = " + company + " AND x.private)"
}

// public is a condition that a column names no private channel of the company.
func public(column, company string) string { return column + " NOT IN " + privateChannelsOf(company) }

// publicCard is a condition that a card c is of no private channel. Conversations are looked at only while a channel is settling.
func publicCard(company string) string {
	return "(NOT EXISTS (SELECT 1 FROM channels x WHERE x.company = " + company + " AND x.settling AND x.private) OR NOT EXISTS (" +
		"SELECT 1 FROM conversations xv JOIN channels x ON x.id = xv.channel WHERE xv.id = c.conversation AND x.private))"
}

// ShareVisibility keeps the channels of the company from becoming private or public until the end of the transaction. What a
// transaction writes by the privacy of a channel it must read after this. SQLite has one writer and needs no locks.
func (tx *Tx) ShareVisibility(company model.ID) {
	if tx.dialect().ConcurrentWrites() && tx.visibilityOf != company {
		tx.visibilityOf = company
		tx.later(`SELECT pg_advisory_xact_lock_shared($1)`, visibilityKey(company))
	}
}

// ShareVisibilityOf is ShareVisibility for the company of a channel.
func (tx *Tx) ShareVisibilityOf(channel model.ID) {
	if tx.dialect().ConcurrentWrites() {
		tx.later(`
			SELECT pg_advisory_xact_lock_shared(('x' || right(replace(company::text, '-', ''), 16))::bit(64)::bigint # 3)
			FROM channels
			WHERE id = $1`, channel)
	}
}

// LockVisibility waits for the transactions that called ShareVisibility and keeps others waiting. It comes before every
// other lock of a transaction.
func (tx *Tx) LockVisibility(company model.ID) {
	if tx.dialect().ConcurrentWrites() {
		tx.visibilityOf = company
		tx.later(`SELECT pg_advisory_xact_lock($1)`, visibilityKey(company))
	}
}

func visibilityKey(company model.ID) int64 { return int64(binary.BigEndian.Uint64(company[8:])) ^ 3 }

// condition is the access profile as SQL over the columns that say whom something is assigned to. desk.Principal.MaySee
// says the same of one conversation.
func (v Sight) condition(s *statement, assignee, sector string) string {
	mine := assignee + " = " + s.Arg(v.Member)
	if len(v.Sectors) == 0 {
		return mine
	}
	return "(" + mine + " OR " + s.In(sector, v.Sectors) + ")"
}

// conversations is the whole sight as SQL over a table of conversations, by the flags of their channels: public ones as condition says,
// private ones of the channels that the member views. desk.Principal.MaySee says the same of one conversation.
func (v Sight) conversations(s *statement, alias string) string {
	public := "NOT (SELECT x.private FROM channels x WHERE x.id = " + alias + ".channel)"
	if !v.All {
		public += " AND " + v.condition(s, alias+".assignee", alias+".sector")
	}
	if len(v.Private) == 0 {
		return public
	}
	return "(" + public + " OR " + s.In(alias+".channel", v.Private) + ")"
}

// private is the sight of what belongs to the private channels: there the access profile does not count.
func (v Sight) private() Sight { return Sight{All: true, Member: v.Member, Private: v.Private} }

// PrivateChannels lists the company's private channels with the present members who see them.
func (tx *Tx) PrivateChannels(company model.ID) ([]model.PrivateChannel, error) {
	channels := []model.PrivateChannel{}
	err := tx.query(`
		SELECT ch.id, ch.name, u.id, u.name, v.pending
		FROM channels ch
		LEFT JOIN channel_viewers v ON v.company = ch.company AND v.channel = ch.id
		LEFT JOIN users u ON u.id = v.member AND u.removed_at IS NULL
		WHERE ch.company = $1 AND ch.private
		ORDER BY ch.id, u.name, u.id`, []any{company}, func(r Row) error {
		if n := len(channels); n == 0 || channels[n-1].ID != r.ID(0) {
			channels = append(channels, model.PrivateChannel{ID: r.ID(0), Name: r.Text(1), Viewers: []model.Viewer{}})
		}
		if last := &channels[len(channels)-1]; !r.Null(2) {
			last.Viewers = append(last.Viewers, model.Viewer{ID: r.ID(2), Name: r.Text(3), Pending: r.Bool(4)})
		}
		return nil
	})
	return channels, err
}

// ChannelViewers lists the present viewers of a private channel, also those who wait to be confirmed.
func (tx *Tx) ChannelViewers(company, channel model.ID) ([]model.Viewer, error) {
	viewers := []model.Viewer{}
	err := tx.query(`
		SELECT u.id, u.name, v.pending
		FROM channel_viewers v
		JOIN users u ON u.id = v.member AND u.removed_at IS NULL
		WHERE v.company = $1 AND v.channel = $2
		ORDER BY u.name, u.id`, []any{company, channel}, func(r Row) error {
		viewers = append(viewers, model.Viewer{ID: r.ID(0), Name: r.Text(1), Pending: r.Bool(2)})
		return nil
	})
	return viewers, err
}

// viewedOnlyBy are the private channels that have no present viewer but the member $2 of the company $1.
const viewedOnlyBy = `
	FROM channel_viewers v
	JOIN channels ch ON ch.id = v.channel AND ch.private
	WHERE v.company = $1 AND v.member = $2
		AND NOT EXISTS (
			SELECT 1
			FROM channel_viewers o
			JOIN users u ON u.id = o.member AND u.removed_at IS NULL
			WHERE o.company = $1 AND o.channel = v.channel AND o.member <> $2)`

// IsLastViewer reports whether a private channel has no present viewer but this member.
func (tx *Tx) IsLastViewer(company, member model.ID) (bool, error) {
	return tx.one(`SELECT 1`+viewedOnlyBy+` LIMIT 1`, []any{company, member}, func(Row) {})
}

// ReplaceLastViewer lets another member see the private channels that have no present viewer but this one.
func (tx *Tx) ReplaceLastViewer(company, member, by model.ID) {
	tx.later(`
		INSERT INTO channel_viewers (company, channel, member)
		SELECT v.company, v.channel, $3`+viewedOnlyBy+`
		ON CONFLICT DO NOTHING`, company, member, by)
}

// SetViewers sets the members who see a private channel, and confirms those who waited for it; a public channel has none.
// The reset links of members who begin or cease to see the channel are deleted.
func (tx *Tx) SetViewers(company, channel model.ID, members []model.ID) {
	s := tx.statement()
	s.WriteString(`
		DELETE FROM reset_links
		WHERE company = ` + s.Arg(company) + ` AND (member IN (` + db.Listed(members)(s) + `)) <> EXISTS (
			SELECT 1
			FROM channel_viewers v
			WHERE v.company = reset_links.company AND v.channel = ` + s.Arg(channel) + ` AND v.member = reset_links.member AND NOT v.pending)`)
	tx.later(s.String(), s.Args...)
	tx.later(`DELETE FROM channel_viewers WHERE company = $1 AND channel = $2`, company, channel)
	for _, member := range members {
		tx.later(`INSERT INTO channel_viewers (company, channel, member) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, company, channel, member)
	}
}

// SetChannelPrivate makes a channel private or public. What belongs to it is settled afterwards.
func (tx *Tx) SetChannelPrivate(company, channel model.ID, private bool) {
	tx.later(`
		UPDATE channels
		SET private = $3, settling = TRUE, settled_to = NULL, privacy_version = privacy_version + 1, updated_at = $4
		WHERE company = $1 AND id = $2`, company, channel, private, tx.Now)
}

// SuspendViewer lets a member wait to be confirmed as viewer of every private channel but those that another member
// sees; by is nil where nobody vouches for any of them.
func (tx *Tx) SuspendViewer(company, member model.ID, by *model.ID) {
	tx.later(`
		UPDATE channel_viewers
		SET pending = TRUE
		WHERE company = $1 AND member = $2 AND channel NOT IN (
			SELECT o.channel
			FROM channel_viewers o
			WHERE o.company = $1 AND o.member = $3 AND NOT o.pending)`, company, member, by)
}
