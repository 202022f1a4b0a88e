package talk

import (
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// EarlyStatus is a status report that arrived before the external id of its message was stored.
type EarlyStatus struct {
	Status string
	Error  *provider.Reason
	At     time.Time
}

// parkStatus stores a report until the external id of its message is stored.
func parkStatus(tx *kernel.Tx, company, channel kernel.ID, external string, s EarlyStatus) {
	code, detail := s.Error.Columns()
	tx.Later(`
		INSERT INTO early_statuses (company, channel, external_id, status, error_code, error_detail, at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT DO NOTHING`, company, channel, external, s.Status, code, detail, s.At, tx.Now)
}

// takeEarlyStatuses returns the parked reports about a message, earliest first, and deletes them.
func takeEarlyStatuses(tx *kernel.Tx, company, channel kernel.ID, external string) ([]EarlyStatus, error) {
	statuses, err := readRows(tx, `
		SELECT status, error_code, error_detail, at
		FROM early_statuses
		WHERE company = $1 AND channel = $2 AND external_id = $3
		ORDER BY at`, []any{company, channel, external}, func(r db.Row) EarlyStatus {
		s := EarlyStatus{Status: r.Text("status"), At: r.Time("at")}
		if !r.Null("error_code") {
			s.Error = provider.ReadReason(r.Text("error_code"), r.Text("error_detail"))
		}
		return s
	})
	if len(statuses) > 0 {
		tx.Later(`DELETE FROM early_statuses WHERE company = $1 AND channel = $2 AND external_id = $3`, company, channel, external)
	}
	return statuses, err
}

// EarlyMatch identifies a message that parked reports or changes belong to.
type EarlyMatch struct {
	Company      kernel.ID
	Channel      kernel.ID
	ExternalID   string
	Conversation kernel.ID
}

// listEarlyMatches returns messages that were stored in spite of parked reports about them.
func listEarlyMatches(tx *kernel.Tx, limit int) ([]EarlyMatch, error) {
	return earlyMatches(tx, "early_statuses", limit)
}

// earlyChangeMatches returns messages that were stored in spite of parked changes to them.
func earlyChangeMatches(tx *kernel.Tx, limit int) ([]EarlyMatch, error) {
	return earlyMatches(tx, "early_changes", limit)
}

func earlyMatches(tx *kernel.Tx, table string, limit int) ([]EarlyMatch, error) {
	return readRows(tx, `
		SELECT /* all companies: due work */ DISTINCT e.company, e.channel, e.external_id, m.conversation
		FROM `+table+` e
		JOIN messages m ON m.company = e.company AND m.channel = e.channel AND m.external_id = e.external_id
		LIMIT $1`, []any{limit}, func(r db.Row) EarlyMatch {
		return EarlyMatch{r.ID("company"), r.ID("channel"), r.Text("external_id"), r.ID("conversation")}
	})
}

func hasEarlyStatuses(tx *kernel.Tx, before time.Time) (bool, error) {
	return hasEarly(tx, "early_statuses", before)
}

func hasEarlyChanges(tx *kernel.Tx, before time.Time) (bool, error) {
	return hasEarly(tx, "early_changes", before)
}

func hasEarly(tx *kernel.Tx, table string, before time.Time) (bool, error) {
	return tx.One(`SELECT /* all companies: purge by age */ 1 FROM `+table+` WHERE created_at < $1 LIMIT 1`, []any{before}, func(db.Row) {})
}

// dropEarlyStatuses deletes old reports. Their messages were sent by another program with the same number.
func dropEarlyStatuses(tx *kernel.Tx, before time.Time) {
	tx.Later(`DELETE /* all companies: purge by age */ FROM early_statuses WHERE created_at < $1`, before)
}

// dropEarlyChanges deletes old changes, whose messages never arrived.
func dropEarlyChanges(tx *kernel.Tx, before time.Time) {
	tx.Later(`DELETE /* all companies: purge by age */ FROM early_changes WHERE created_at < $1`, before)
}

// EarlyChange is an edit, a revocation or a reaction that arrived before its message.
type EarlyChange struct {
	Kind   string
	Sender string // distinguishes the changes of different people
	Body   string // JSON
	At     time.Time
}

// maxEarlyChanges is the maximum number of parked changes per channel.
const maxEarlyChanges = 10000

// parkChange stores a change until its message arrives. Only the latest change of each kind and sender is kept. It returns
// false if too many changes are parked.
func parkChange(tx *kernel.Tx, company, channel kernel.ID, external string, c EarlyChange) (bool, error) {
	var parked int64
	_, err := tx.One(`
		SELECT COUNT(*) AS parked
		FROM (SELECT 1 AS one FROM early_changes WHERE company = $1 AND channel = $2 LIMIT $3) early`,
		[]any{company, channel, maxEarlyChanges}, func(r db.Row) { parked = r.Int("parked") })
	if err != nil || parked >= maxEarlyChanges {
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

// takeEarlyChanges returns the parked changes to a message, earliest first, and deletes them.
func takeEarlyChanges(tx *kernel.Tx, company, channel kernel.ID, external string) ([]EarlyChange, error) {
	changes, err := readRows(tx, `
		SELECT kind, sender, body, at
		FROM early_changes
		WHERE company = $1 AND channel = $2 AND external_id = $3
		ORDER BY at, kind, sender`, []any{company, channel, external}, func(r db.Row) EarlyChange {
		return EarlyChange{r.Text("kind"), r.Text("sender"), r.Text("body"), r.Time("at")}
	})
	if len(changes) > 0 {
		tx.Later(`DELETE FROM early_changes WHERE company = $1 AND channel = $2 AND external_id = $3`, company, channel, external)
	}
	return changes, err
}

// knownMessage returns the conversation of a channel's message with an external id, or nil if there is no such message. awaited
// reports whether changes are parked for it.
func knownMessage(tx *kernel.Tx, company, channel kernel.ID, external string) (conversation *kernel.ID, awaited bool, err error) {
	_, err = tx.One(`
		SELECT (SELECT conversation FROM messages WHERE company = $1 AND channel = $2 AND external_id = $3) AS conversation,
			EXISTS (SELECT 1 FROM early_changes WHERE company = $1 AND channel = $2 AND external_id = $3) AS awaited`,
		[]any{company, channel, external}, func(r db.Row) { conversation, awaited = r.NullID("conversation"), r.Bool("awaited") })
	return conversation, awaited, err
}
