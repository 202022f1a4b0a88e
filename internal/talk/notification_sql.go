package talk

import (
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

func insertNotification(tx *kernel.Tx, company, member, conversation kernel.ID, kind string, by, entry *kernel.ID) {
	tx.Later(`
		INSERT INTO notifications (company, member, id, kind, conversation, by_member, entry, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		company, member, kernel.NewID(), kind, conversation, by, entry, tx.Now)
}

// sectorWatchers returns the members of a sector who may see its queue.
func sectorWatchers(tx *kernel.Tx, company, sector kernel.ID) ([]kernel.ID, error) {
	return tx.IDs(`
		SELECT u.id
		FROM sector_members m
		JOIN users u ON u.company = m.company AND u.id = m.member
		WHERE m.company = $1 AND m.sector = $2 AND u.removed_at IS NULL AND u.access_profile <> 'own'
		ORDER BY m.member`, company, sector)
}

// listNotifications returns up to limit notifications of a member with ids below before, created after since, about
// conversations in sight, newest first.
func listNotifications(tx *kernel.Tx, company, member kernel.ID, sight kernel.Sight, unread bool, before kernel.ID, since time.Time, limit int) ([]Notification, error) {
	s := tx.Statement()
	s.WriteString(`
		SELECT n.id, n.kind, n.conversation, c.name, n.created_at, n.read_at, n.entry, n.by_member, u.name AS by_name
		FROM notifications n
		JOIN conversations c ON c.company = n.company AND c.id = n.conversation
		LEFT JOIN users u ON u.company = n.company AND u.id = n.by_member
		WHERE n.company = ` + s.Arg(company) + ` AND n.member = ` + s.Arg(member) + ` AND n.id < ` + s.Arg(before) + ` AND n.created_at > ` + s.Arg(since))
	s.And(sight.Conversations(s, "c"))
	if unread {
		s.And("n.read_at IS NULL")
	}
	s.WriteString("\n\t\tORDER BY n.id DESC\n\t\tLIMIT " + s.Arg(limit))
	return readRows(tx, s.String(), s.Args, func(r db.Row) Notification {
		return Notification{
			ID: r.ID("id"), Kind: r.Text("kind"), Conversation: kernel.Ref{ID: r.ID("conversation"), Name: r.Text("name")},
			CreatedAt: r.Time("created_at"), ReadAt: r.NullTime("read_at"), Entry: r.NullID("entry"), By: scanRef(r, "by_member", "by_name"),
		}
	})
}

// unreadNotifications counts the unread notifications of a member, created after since, about conversations in sight.
func unreadNotifications(tx *kernel.Tx, company, member kernel.ID, sight kernel.Sight, since time.Time) (n int64, err error) {
	s := tx.Statement()
	s.WriteString(`
		SELECT COUNT(*) AS total
		FROM notifications n
		JOIN conversations c ON c.company = n.company AND c.id = n.conversation
		WHERE n.company = ` + s.Arg(company) + ` AND n.member = ` + s.Arg(member) + ` AND n.read_at IS NULL AND n.created_at > ` + s.Arg(since))
	s.And(sight.Conversations(s, "c"))
	_, err = tx.One(s.String(), s.Args, func(r db.Row) { n = r.Int("total") })
	return n, err
}

// readNotifications marks notifications of a member as read, those with the ids or all, and returns how many changed.
func readNotifications(tx *kernel.Tx, company, member kernel.ID, ids []kernel.ID, all bool) (int64, error) {
	s := tx.Statement()
	s.WriteString(`UPDATE notifications SET read_at = ` + s.Arg(tx.Now) + ` WHERE company = ` + s.Arg(company) + ` AND member = ` + s.Arg(member) + ` AND read_at IS NULL`)
	if !all {
		s.And("id IN (" + db.Listed(ids)(s) + ")")
	}
	return tx.Exec(s.String(), s.Args...)
}

func purgeNotifications(tx *kernel.Tx, before time.Time, limit int) (int64, error) {
	return tx.Exec(`
		DELETE /* all companies: purge by age */ FROM notifications
		WHERE (company, member, id) IN (SELECT company, member, id FROM notifications WHERE created_at < $1 ORDER BY created_at LIMIT $2)`, before, limit)
}
