package talk

import (
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// insertNotification adds a notification for a member. entry is the note or the message that it tells of, if any.
func insertNotification(tx *kernel.Tx, company, member, conversation kernel.ID, kind string, by, entry *kernel.ID) {
	tx.Later(`
		INSERT INTO notifications (company, member, id, kind, conversation, by_member, entry, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		company, member, kernel.NewID(), kind, conversation, by, entry, tx.Now)
}

// sectorWatchers lists the present members of a sector who may see what is in its queue.
func sectorWatchers(tx *kernel.Tx, company, sector kernel.ID) ([]kernel.ID, error) {
	return tx.IDs(`
		SELECT u.id
		FROM sector_members m
		JOIN users u ON u.company = m.company AND u.id = m.member
		WHERE m.company = $1 AND m.sector = $2 AND u.removed_at IS NULL AND u.access_profile <> 'own'
		ORDER BY m.member`, company, sector)
}

// listNotifications lists up to limit notifications of a member with smaller ids than before, the newest first, of the
// conversations in their sight. Those older than since are left out.
func listNotifications(tx *kernel.Tx, company, member kernel.ID, sight kernel.Sight, unread bool, before kernel.ID, since time.Time, limit int) ([]Notification, error) {
	s := tx.Statement()
	s.WriteString(`
		SELECT n.id, n.kind, n.conversation, c.name, n.by_member, u.name, n.created_at, n.read_at, n.entry
		FROM notifications n
		JOIN conversations c ON c.company = n.company AND c.id = n.conversation
		LEFT JOIN users u ON u.company = n.company AND u.id = n.by_member
		WHERE n.company = ` + s.Arg(company) + ` AND n.member = ` + s.Arg(member) + ` AND n.id < ` + s.Arg(before) + ` AND n.created_at > ` + s.Arg(since))
	s.And(sight.Conversations(s, "c"))
	if unread {
		s.And("n.read_at IS NULL")
	}
	s.WriteString("\n\t\tORDER BY n.id DESC\n\t\tLIMIT " + s.Arg(limit))
	page := make([]Notification, 0, limit)
	err := tx.Query(s.String(), s.Args, func(r db.Row) error {
		n := Notification{
			ID: r.ID(0), Kind: r.Text(1), Conversation: kernel.Ref{ID: r.ID(2), Name: r.Text(3)}, CreatedAt: r.Time(6), ReadAt: r.NullTime(7), Entry: r.NullID(8),
		}
		if !r.Null(4) {
			n.By = &kernel.Ref{ID: r.ID(4), Name: r.Text(5)}
		}
		page = append(page, n)
		return nil
	})
	return page, err
}

// unreadNotifications counts the unread notifications of a member that are newer than since, of the conversations in their
// sight.
func unreadNotifications(tx *kernel.Tx, company, member kernel.ID, sight kernel.Sight, since time.Time) (n int64, err error) {
	s := tx.Statement()
	s.WriteString(`
		SELECT COUNT(*)
		FROM notifications n
		JOIN conversations c ON c.company = n.company AND c.id = n.conversation
		WHERE n.company = ` + s.Arg(company) + ` AND n.member = ` + s.Arg(member) + ` AND n.read_at IS NULL AND n.created_at > ` + s.Arg(since))
	s.And(sight.Conversations(s, "c"))
	_, err = tx.One(s.String(), s.Args, func(r db.Row) { n = r.Int(0) })
	return n, err
}

// readNotifications marks notifications of a member as read, those with the ids or all of them. It gives how many it
// changed.
func readNotifications(tx *kernel.Tx, company, member kernel.ID, ids []kernel.ID, all bool) (int64, error) {
	s := tx.Statement()
	s.WriteString(`UPDATE notifications SET read_at = ` + s.Arg(tx.Now) + ` WHERE company = ` + s.Arg(company) + ` AND member = ` + s.Arg(member) + ` AND read_at IS NULL`)
	if !all {
		s.And("id IN (" + db.Listed(ids)(s) + ")")
	}
	return tx.Exec(s.String(), s.Args...)
}

// purgeNotifications deletes up to limit notifications made before a moment.
func purgeNotifications(tx *kernel.Tx, before time.Time, limit int) (int64, error) {
	return tx.Exec(`
		DELETE /* all companies: purge by age */ FROM notifications
		WHERE (company, member, id) IN (SELECT company, member, id FROM notifications WHERE created_at < $1 ORDER BY created_at LIMIT $2)`, before, limit)
}
