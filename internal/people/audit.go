package people

import (
	"context"
	"fmt"
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// AuditEntry is a stored audit entry; see kernel.AuditEntry.
type AuditEntry struct {
	ID        kernel.ID            `json:"id"`
	At        time.Time            `json:"at"`
	Actor     kernel.AuditActor    `json:"actor"`
	IP        *string              `json:"ip" doc:"The address of the client; null if there was no request." example:"203.0.113.7"`
	Action    string               `json:"action" doc:"What was done, as a noun and a verb." example:"key.created"`
	Subject   kernel.AuditSubject  `json:"subject"`
	Changes   []kernel.AuditChange `json:"changes"`
	RequestID *string              `json:"request_id" doc:"The X-Request-Id of the response; null if there was no request."`
}

// AuditFilter selects audit entries. Empty fields select all.
type AuditFilter struct {
	Actor   string `query:"actor" pattern:"^([0-9a-fA-F-]{36}|user|key|system|operator)$" patternDescription:"an id, user, key, system or operator" doc:"The id of a person or API key, or a type: user, key, system or operator."`
	Action  string `query:"action" maxLength:"64" pattern:"^[a-z_]+([.][a-z_]+)?$" patternDescription:"an action such as key.created or key" doc:"An action, such as key.created, or its first part, such as key, for all of them." example:"key"`
	Subject string `query:"subject" maxLength:"64" pattern:"^([0-9a-fA-F-]{36}|[a-z_]+)$" patternDescription:"an id or a noun such as channel" doc:"The id of a subject, or its type, such as channel."`
	From    string `query:"from" doc:"Returns only entries since this time, in RFC 3339 or as a day in the company's time zone." example:"2026-11-01"`
	To      string `query:"to" doc:"Returns only entries before this time, in the same format." example:"2026-12-01"`
	Limit   int    `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Cursor  string `query:"cursor" maxLength:"400" doc:"The next_cursor of the previous page, with the same filters."`
}

// Audit returns a page of the audit entries that the caller may see, newest first. next is "" on the last page. Entries about
// private channels are visible only to their viewers, in sessions.
func (d *People) Audit(ctx context.Context, a *kernel.Principal, f *AuditFilter) (page []AuditEntry, next string, err error) {
	begin, end, err := a.Period(f.From, f.To)
	if err != nil {
		return nil, "", err
	}
	list := fmt.Sprintf("audit %q %q %q %q %q", f.Actor, f.Action, f.Subject, f.From, f.To)
	var at int64
	var id kernel.ID
	if f.Cursor != "" {
		payload, invalid := d.Cursors.Open(a.Company.ID, list, f.Cursor)
		if invalid == nil {
			at, id, invalid = kernel.ReadIntID(payload)
		}
		if invalid != nil {
			return nil, "", invalid
		}
	}
	more := false
	err = d.Store.ReadOne(ctx, func(tx *kernel.Tx) error {
		s := tx.Statement()
		s.WriteString(`
			SELECT a.id, a.at, a.actor_type, a.actor, a.actor_name, a.ip, a.action, a.subject_type, a.subject, a.subject_name, a.changes, a.request_id
			FROM audit a
			WHERE a.company = ` + s.Arg(a.Company.ID))
		andIDOrType(s, "a.actor", "a.actor_type", f.Actor)
		andIDOrType(s, "a.subject", "a.subject_type", f.Subject)
		if f.Action != "" {
			prefix := f.Action + "."
			s.And("(a.action = " + s.Arg(f.Action) + " OR substr(a.action, 1, " + s.Arg(int64(len(prefix))) + ") = " + s.Arg(prefix) + ")")
		}
		if begin != nil {
			s.And("a.at >= " + s.Arg(*begin))
		}
		if end != nil {
			s.And("a.at < " + s.Arg(*end))
		}
		if f.Cursor != "" {
			s.And("(a.at, a.id) < (" + s.Arg(at) + ", " + s.Arg(kernel.OrFirst(id)) + ")")
		}
		a.AndReaches(s, "a.channel", "a.company")
		// The number of a contact may have become private after the entry was written.
		s.And(`(a.subject_type <> 'contact' OR NOT EXISTS (
			SELECT 1
			FROM contacts ct
			WHERE ct.company = a.company AND ct.id = a.subject
				AND NOT ` + a.ReachCondition(s, "CASE WHEN ct.pool = ct.company THEN ct.channel ELSE ct.pool END", "a.company") + `))`)
		if a.Boards != nil {
			s.And("(a.board IS NULL OR " + s.In("a.board", a.Boards) + ")")
		}
		s.WriteString("\n\tORDER BY a.at DESC, a.id DESC")
		tx.Page(s, f.Limit, 0)
		page, more, err = kernel.Collect(tx, s, f.Limit, scanAudit)
		return err
	})
	if err == nil && more {
		last := &page[len(page)-1]
		next = d.Cursors.Seal(a.Company.ID, list, kernel.IntID(last.At.UnixMilli(), last.ID))
	}
	return page, next, err
}

// andIDOrType adds the condition that a column has an id or, if the text is not an id, that another column has the text.
func andIDOrType(s *db.Statement, id, kind, text string) {
	if parsed, ok := kernel.ParseID(text); ok {
		s.And(id + " = " + s.Arg(parsed))
	} else if text != "" {
		s.And(kind + " = " + s.Arg(text))
	}
}

func scanAudit(r db.Row) AuditEntry {
	e := AuditEntry{
		ID: r.ID("id"), At: r.Time("at"), Action: r.Text("action"), IP: r.NullText("ip"), RequestID: r.NullText("request_id"),
		Actor:   kernel.AuditActor{Type: r.Text("actor_type"), ID: r.NullID("actor"), Name: r.Text("actor_name")},
		Subject: kernel.AuditSubject{Type: r.Text("subject_type"), ID: r.NullID("subject"), Name: r.Text("subject_name")},
		Changes: []kernel.AuditChange{},
	}
	if changes := kernel.FromJSON[[]kernel.AuditChange](r.Text("changes")); changes != nil {
		e.Changes = *changes
	}
	return e
}

// PurgeAudit deletes up to limit of a company's oldest audit entries from before a time, and returns how many it deleted.
func PurgeAudit(tx *kernel.Tx, company kernel.ID, before time.Time, limit int) (int64, error) {
	return tx.Exec(`
		DELETE FROM audit
		WHERE company = $1 AND id IN (
			SELECT a.id FROM audit a WHERE a.company = $1 AND a.at < $2 ORDER BY a.at, a.id LIMIT $3)`,
		company, before, limit)
}

// CountAudit returns the number of a company's audit entries from before a time.
func CountAudit(tx *kernel.Tx, company kernel.ID, before time.Time) (n int64, err error) {
	_, err = tx.One(`SELECT COUNT(*) AS total FROM audit WHERE company = $1 AND at < $2`, []any{company, before}, func(r db.Row) {
		n = r.Int("total")
	})
	return n, err
}

// EraseAudit removes the names and values from the entries about a person who is erased, except for those with an action to keep.
func EraseAudit(tx *kernel.Tx, e *kernel.Erasure, keep string) {
	s := tx.Statement()
	s.WriteString(`
		UPDATE audit
		SET subject_name = '', changes = '[]'
		WHERE company = ` + s.Arg(e.Company) + ` AND action <> ` + s.Arg(keep) + ` AND subject IN (` + db.Listed(e.Subjects())(s) + `)`)
	tx.Later(s.String(), s.Args...)
}
