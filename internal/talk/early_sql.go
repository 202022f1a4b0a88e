package talk

import (
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// EarlyStatus is a report about a message that is not known by that external id yet.
type EarlyStatus struct {
	Status string
	Error  *provider.Reason
	At     time.Time
}

// parkStatus keeps a report until the external id of its message is stored.
func parkStatus(tx *kernel.Tx, company, channel kernel.ID, external string, s EarlyStatus) {
	code, detail := s.Error.Columns()
	tx.Later(`
		INSERT INTO early_statuses (company, channel, external_id, status, error_code, error_detail, at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT DO NOTHING`, company, channel, external, s.Status, code, detail, s.At, tx.Now)
}

// takeEarlyStatuses gives the parked reports about a message, the earliest first, and removes them.
func takeEarlyStatuses(tx *kernel.Tx, company, channel kernel.ID, external string) ([]EarlyStatus, error) {
	var out []EarlyStatus
	err := tx.Query(`
		SELECT status, error_code, error_detail, at
		FROM early_statuses
		WHERE company = $1 AND channel = $2 AND external_id = $3
		ORDER BY at`, []any{company, channel, external}, func(r db.Row) error {
		s := EarlyStatus{Status: r.Text(0), At: r.Time(3)}
		if !r.Null(1) {
			s.Error = provider.ReadReason(r.Text(1), r.Text(2))
		}
		out = append(out, s)
		return nil
	})
	if len(out) > 0 {
		tx.Later(`DELETE FROM early_statuses WHERE company = $1 AND channel = $2 AND external_id = $3`, company, channel, external)
	}
	return out, err
}

// EarlyMatch is a parked report whose message has learned its external id meanwhile.
type EarlyMatch struct {
	Company      kernel.ID
	Channel      kernel.ID
	ExternalID   string
	Conversation kernel.ID
}

// listEarlyMatches finds such reports.
func listEarlyMatches(tx *kernel.Tx, limit int) ([]EarlyMatch, error) {
	return earlyMatches(tx, "early_statuses", limit)
}

// earlyChangeMatches finds changes whose message arrived at the very moment they were put aside.
func earlyChangeMatches(tx *kernel.Tx, limit int) ([]EarlyMatch, error) {
	return earlyMatches(tx, "early_changes", limit)
}

func earlyMatches(tx *kernel.Tx, table string, limit int) ([]EarlyMatch, error) {
	var out []EarlyMatch
	err := tx.Query(`
		SELECT /* all companies: due work */ DISTINCT e.company, e.channel, e.external_id, m.conversation
		FROM `+table+` e
		JOIN messages m ON m.company = e.company AND m.channel = e.channel AND m.external_id = e.external_id
		LIMIT $1`, []any{limit}, func(r db.Row) error {
		out = append(out, EarlyMatch{r.ID(0), r.ID(1), r.Text(2), r.ID(3)})
		return nil
	})
	return out, err
}

// hasEarlyStatuses reports whether a report has waited since before a moment.
func hasEarlyStatuses(tx *kernel.Tx, before time.Time) (bool, error) {
	return hasEarly(tx, "early_statuses", before)
}

// hasEarlyChanges reports whether a change has waited since before a moment.
func hasEarlyChanges(tx *kernel.Tx, before time.Time) (bool, error) {
	return hasEarly(tx, "early_changes", before)
}

func hasEarly(tx *kernel.Tx, table string, before time.Time) (bool, error) {
	return tx.One(`SELECT /* all companies: purge by age */ 1 FROM `+table+` WHERE created_at < $1 LIMIT 1`, []any{before}, func(db.Row) {})
}

// dropEarlyStatuses deletes reports about messages that never came: sent by others with the same number.
func dropEarlyStatuses(tx *kernel.Tx, before time.Time) {
	tx.Later(`DELETE /* all companies: purge by age */ FROM early_statuses WHERE created_at < $1`, before)
}

// dropEarlyChanges deletes changes of messages that never came.
func dropEarlyChanges(tx *kernel.Tx, before time.Time) {
	tx.Later(`DELETE /* all companies: purge by age */ FROM early_changes WHERE created_at < $1`, before)
}

// EarlyChange is an edit, a revocation or a reaction whose message has not arrived yet.
type EarlyChange struct {
	Kind   string
	Sender string // tells the changes of different people apart
	Body   string // JSON
	At     time.Time
}

// maxEarlyChanges is how many changes may wait in one channel.
const maxEarlyChanges = 10000

// parkChange keeps a change until its message comes. Of one kind and sender the later-made stays. It
// reports false when too many wait already.
func parkChange(tx *kernel.Tx, company, channel kernel.ID, external string, c EarlyChange) (bool, error) {
	var waiting int64
	_, err := tx.One(`SELECT COUNT(*) FROM (SELECT 1 AS one FROM early_changes WHERE company = $1 AND channel = $2 LIMIT $3) waiting`,
		[]any{company, channel, maxEarlyChanges}, func(r db.Row) { waiting = r.Int(0) })
	if err != nil || waiting >= maxEarlyChanges {
		return false, err
	}
	tx.Later(`
		INSERT INTO early_changes (company, channel, external_id, kind, sender, body, at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (company, channel, external_id, kind, sender) DO UPDATE
		SET body = excluded.body, at = excluded.at
		WHERE excluded.at >= early_changes.at`,
		company, channel, external, c.Kind, c.Sender, c.Body, c.At, tx.Now)
	return true, nil
}

// takeEarlyChanges gives the changes that wait for a message, the earliest first, and removes them.
func takeEarlyChanges(tx *kernel.Tx, company, channel kernel.ID, external string) ([]EarlyChange, error) {
	var out []EarlyChange
	err := tx.Query(`
		SELECT kind, sender, body, at
		FROM early_changes
		WHERE company = $1 AND channel = $2 AND external_id = $3
		ORDER BY at, kind, sender`, []any{company, channel, external}, func(r db.Row) error {
		out = append(out, EarlyChange{r.Text(0), r.Text(1), r.Text(2), r.Time(3)})
		return nil
	})
	if len(out) > 0 {
		tx.Later(`DELETE FROM early_changes WHERE company = $1 AND channel = $2 AND external_id = $3`, company, channel, external)
	}
	return out, err
}

// knownMessage tells which conversation holds a channel's message with an external id; it is nil where none
// does. awaited reports whether changes wait for that message.
func knownMessage(tx *kernel.Tx, company, channel kernel.ID, external string) (conversation *kernel.ID, awaited bool, err error) {
	_, err = tx.One(`
		SELECT (SELECT conversation FROM messages WHERE company = $1 AND channel = $2 AND external_id = $3),
			EXISTS (SELECT 1 FROM early_changes WHERE company = $1 AND channel = $2 AND external_id = $3)`,
		[]any{company, channel, external}, func(r db.Row) { conversation, awaited = r.NullID(0), r.Bool(1) })
	return conversation, awaited, err
}
