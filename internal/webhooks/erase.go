package webhooks

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// eraseBatch is the number of events or deliveries that a transaction looks at.
const eraseBatch = 500

// EraseEvents deletes the events about a person, then the deliveries of events that do not exist any more, a batch at a time. after is
// the result of the previous call; the result is empty at the end.
func (d *Webhooks) EraseEvents(ctx context.Context, e *kernel.Erasure, after string) (next string, err error) {
	what, rest, _ := strings.Cut(after, " ")
	first, second, _ := strings.Cut(rest, " ")
	last, _ := kernel.ParseID(second)
	if what == "deliveries" {
		webhook, _ := kernel.ParseID(first)
		return d.eraseDeliveries(ctx, e, webhook, last)
	}
	position, _ := strconv.ParseInt(first, 10, 64)
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (next string, err error) {
		var gone []kernel.ID
		n, position, last := 0, position, last
		err = tx.Query(`
			SELECT position, id, card, body, created_at
			FROM events
			WHERE company = $1 AND (position, id) > ($2, $3)
			ORDER BY position, id
			LIMIT $4`, []any{e.Company, position, kernel.OrFirst(last), eraseBatch}, func(r db.Row) error {
			n, position, last = n+1, r.Int("position"), r.ID("id")
			card := r.NullID("card")
			if e.MentionedIn(r.Bytes("body"), r.Time("created_at")) || card != nil && slices.Contains(e.Others, *card) && r.Time("created_at").Before(e.At) {
				gone = append(gone, last)
			}
			return nil
		})
		if len(gone) > 0 {
			s := tx.Statement()
			s.WriteString(`DELETE FROM events WHERE company = ` + s.Arg(e.Company) + ` AND id IN (` + db.Listed(gone)(s) + `)`)
			tx.Later(s.String(), s.Args...)
		}
		if n < eraseBatch {
			return "deliveries", err
		}
		return "events " + strconv.FormatInt(position, 10) + " " + last.String(), err
	})
}

// eraseDeliveries deletes the deliveries without an event among the next ones.
func (d *Webhooks) eraseDeliveries(ctx context.Context, e *kernel.Erasure, webhook, after kernel.ID) (next string, err error) {
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (next string, err error) {
		type row struct {
			webhook, id kernel.ID
			event       bool
		}
		page, err := kernel.Rows(tx, `
			SELECT d.webhook, d.id, EXISTS (SELECT 1 FROM events e WHERE e.company = d.company AND e.id = d.event) AS has_event
			FROM deliveries d
			WHERE d.company = $1 AND (d.webhook, d.id) > ($2, $3)
			ORDER BY d.webhook, d.id
			LIMIT $4`, []any{e.Company, kernel.OrFirst(webhook), kernel.OrFirst(after), eraseBatch},
			func(r db.Row) row { return row{r.ID("webhook"), r.ID("id"), r.Bool("has_event")} })
		for _, r := range page {
			if !r.event {
				tx.Later(`DELETE FROM deliveries WHERE company = $1 AND webhook = $2 AND id = $3`, e.Company, r.webhook, r.id)
			}
		}
		if err != nil || len(page) < eraseBatch {
			return "", err
		}
		last := page[len(page)-1]
		return "deliveries " + last.webhook.String() + " " + last.id.String(), nil
	})
}
