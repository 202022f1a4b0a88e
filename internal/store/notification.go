package store

import (
	"time"

	"recado/internal/db"
	"recado/internal/model"
)

// InsertNotification adds a notification for a member. entry is the note or the message that it tells of, if any.
func (tx *Tx) InsertNotification(company, member, conversation model.ID, kind string, by, entry *model.ID) {
	tx.later(`
		INSERT INTO notifications (company, member, id, kind, conversation, by_member, entry, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		company, member, model.NewID(), kind, conversation, by, entry, tx.Now)
}

// SectorWatchers lists the present members of a sector who may see what is in its queue.
func (tx *Tx) SectorWatchers(company, sector model.ID) ([]model.ID, error) {
	return tx.ids(`
		SELECT u.id
		FROM sector_members m
		JOIN users u ON u.id = m.member
		WHERE m.sector = $2 AND u.company = $1 AND u.removed_at IS NULL AND u.access_profile <> 'own'
		ORDER BY u.id`, company, sector)
}

// Notifications lists up to limit notifications of a member with smaller ids than before, the newest first, of the
// conversations in their sight. Those older than since are left out.
func (tx *Tx) Notifications(company, member model.ID, sight Sight, unread bool, before model.ID, since time.Time, limit int) ([]model.Notification, error) {
	s := tx.statement()
	s.WriteString(`
		SELECT n.id, n.kind, n.conversation, c.name, n.by_member, u.name, n.created_at, n.read_at, n.entry
		FROM notifications n
		JOIN conversations c ON c.id = n.conversation
		LEFT JOIN users u ON u.id = n.by_member
		WHERE n.company = ` + s.Arg(company) + ` AND n.member = ` + s.Arg(member) + ` AND n.id < ` + s.Arg(before) + ` AND n.created_at > ` + s.Arg(since))
	s.And(sight.conversations(s, "c"))
	if unread {
		s.And("n.read_at IS NULL")
	}
	s.WriteString("\n\t\tORDER BY n.id DESC\n\t\tLIMIT " + s.Arg(limit))
	page := make([]model.Notification, 0, limit)
	err := tx.query(s.String(), s.Args, func(r Row) error {
		n := model.Notification{
			ID: r.ID(0), Kind: r.Text(1), Conversation: model.Ref{ID: r.ID(2), Name: r.Text(3)}, CreatedAt: r.Time(6), ReadAt: r.NullTime(7), Entry: r.NullID(8),
		}
		if !r.Null(4) {
			n.By = &model.Ref{ID: r.ID(4), Name: r.Text(5)}
		}
		page = append(page, n)
		return nil
	})
	return page, err
}

// UnreadNotifications counts the unread notifications of a member that are newer than since, of the conversations in their
// sight.
func (tx *Tx) UnreadNotifications(company, member model.ID, sight Sight, since time.Time) (n int64, err error) {
	s := tx.statement()
	s.WriteString(`
		SELECT COUNT(*)
		FROM notifications n
		JOIN conversations c ON c.id = n.conversation
		WHERE n.company = ` + s.Arg(company) + ` AND n.member = ` + s.Arg(member) + ` AND n.read_at IS NULL AND n.created_at > ` + s.Arg(since))
	s.And(sight.conversations(s, "c"))
	_, err = tx.one(s.String(), s.Args, func(r Row) { n = r.Int(0) })
	return n, err
}

// ReadNotifications marks notifications of a member as read, those with the ids or all of them. It gives how many it
// changed.
func (tx *Tx) ReadNotifications(company, member model.ID, ids []model.ID, all bool) (int64, error) {
	s := tx.statement()
	s.WriteString(`UPDATE notifications SET read_at = ` + s.Arg(tx.Now) + ` WHERE company = ` + s.Arg(company) + ` AND member = ` + s.Arg(member) + ` AND read_at IS NULL`)
	if !all {
		s.And("id IN (" + db.Listed(ids)(s) + ")")
	}
	return tx.exec(s.String(), s.Args...)
}

// PurgeNotifications deletes up to limit notifications made before a moment.
func (tx *Tx) PurgeNotifications(before time.Time, limit int) (int64, error) {
	return tx.exec(`
		DELETE FROM notifications
		WHERE (company, member, id) IN (SELECT company, member, id FROM notifications WHERE created_at < $1 ORDER BY created_at LIMIT $2)`, before, limit)
}
