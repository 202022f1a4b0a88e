package webhooks

import (
	"strings"
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// webhookKey names a webhook.
type webhookKey struct{ company, id kernel.ID }

// WebhookRow is an address with its sealed secrets.
type WebhookRow struct {
	Webhook
	Company        kernel.ID
	BoardsOf       *kernel.ID // the key whose list of boards bounds the card events; nil: all boards
	Secret         []byte
	OldSecret      []byte // of the rotation before, nil when there was none
	OldSecretUntil *time.Time
}

const webhookColumns = `
	w.id, w.name, w.url, w.events, w.active, w.consecutive_failures, w.created_at, w.updated_at, w.company, w.secret, w.old_secret, w.old_secret_until,
	w.boards_of`

// webhookWidth is the number of webhookColumns: where a statement's own columns begin.
var webhookWidth = strings.Count(webhookColumns, ",") + 1

func scanWebhook(r db.Row) WebhookRow {
	return WebhookRow{
		Webhook: Webhook{
			ID: r.ID(0), Name: r.Text(1), URL: r.Text(2), Events: kernel.StoredEvents(r.Text(3)).List(), Active: r.Bool(4),
			ConsecutiveFailures: r.Int(5), CreatedAt: r.Time(6), UpdatedAt: r.Time(7),
		},
		Company: r.ID(8), Secret: r.Bytes(9), OldSecret: r.Bytes(10), OldSecretUntil: r.NullTime(11), BoardsOf: r.NullID(12),
	}
}

// listWebhooks lists the company's addresses, oldest first.
func listWebhooks(tx *kernel.Tx, company kernel.ID) ([]Webhook, error) {
	var out []Webhook
	err := tx.Query(`SELECT`+webhookColumns+` FROM webhooks w WHERE w.company = $1 ORDER BY w.id`, []any{company}, func(r db.Row) error {
		out = append(out, scanWebhook(r).Webhook)
		return nil
	})
	return out, err
}

// findWebhook gives one address of the company.
func findWebhook(tx *kernel.Tx, company, id kernel.ID) (WebhookRow, bool, error) {
	return selectWebhook(tx, `WHERE w.company = $1 AND w.id = $2`, company, id)
}

// LockWebhook is Webhook, and keeps other writers away from it until the end of the transaction.
func LockWebhook(tx *kernel.Tx, company, id kernel.ID) (WebhookRow, bool, error) {
	return selectWebhook(tx, `WHERE w.company = $1 AND w.id = $2`+tx.ForUpdate(), company, id)
}

func selectWebhook(tx *kernel.Tx, where string, args ...any) (WebhookRow, bool, error) {
	var w WebhookRow
	found, err := tx.One(`SELECT`+webhookColumns+` FROM webhooks w `+where, args, func(r db.Row) { w = scanWebhook(r) })
	return w, found, err
}

// insertWebhook adds an address.
func insertWebhook(tx *kernel.Tx, w WebhookRow) {
	tx.Later(`
		INSERT INTO webhooks (company, id, name, url, events, active, consecutive_failures, secret, created_at, updated_at, boards_of)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		w.Company, w.ID, w.Name, w.URL, kernel.NewEventSet(w.Events...).Stored(), w.Active, w.ConsecutiveFailures, w.Secret, w.CreatedAt, w.UpdatedAt, w.BoardsOf)
	forgetSubscribers(tx)
}

// SaveWebhook writes everything about an address that can change.
func SaveWebhook(tx *kernel.Tx, w WebhookRow) {
	tx.Later(`
		UPDATE webhooks
		SET name = $3, url = $4, events = $5, active = $6, consecutive_failures = $7, secret = $8, old_secret = $9, old_secret_until = $10, updated_at = $11,
			boards_of = $12
		WHERE company = $1 AND id = $2`,
		w.Company, w.ID, w.Name, w.URL, kernel.NewEventSet(w.Events...).Stored(), w.Active, w.ConsecutiveFailures, w.Secret, w.OldSecret, w.OldSecretUntil, w.UpdatedAt, w.BoardsOf)
	forgetSubscribers(tx)
}

// deleteWebhook removes an address and reports whether the company had it. Its deliveries stay behind,
// out of sight: those still pending are dropped by DropPending, the others by age.
func deleteWebhook(tx *kernel.Tx, company, id kernel.ID) (bool, error) {
	n, err := tx.Exec(`DELETE FROM webhooks WHERE company = $1 AND id = $2`, company, id)
	return n == 1, err
}

// WebhookHealth is what decides whether an address stays active.
type WebhookHealth struct {
	Active   bool
	Failures int64 // deliveries that failed permanently, one after another
}

// lockWebhookHealth reads it for a transaction that will change it.
func lockWebhookHealth(tx *kernel.Tx, company, webhook kernel.ID) (WebhookHealth, bool, error) {
	var h WebhookHealth
	found, err := tx.One(`SELECT active, consecutive_failures FROM webhooks WHERE company = $1 AND id = $2`+tx.ForUpdate(), []any{company, webhook}, func(r db.Row) {
		h = WebhookHealth{Active: r.Bool(0), Failures: r.Int(1)}
	})
	return h, found, err
}

// saveWebhookHealth writes it down.
func saveWebhookHealth(tx *kernel.Tx, company, webhook kernel.ID, h WebhookHealth) {
	tx.Later(`
		UPDATE webhooks
		SET consecutive_failures = $3, updated_at = CASE WHEN active = $4 THEN updated_at ELSE $5 END, active = $4
		WHERE company = $1 AND id = $2`, company, webhook, h.Failures, h.Active, tx.Now)
}

// resetWebhookFailures notes a success. It writes nothing where there is nothing to reset.
func resetWebhookFailures(tx *kernel.Tx, company, webhook kernel.ID) {
	tx.Later(`UPDATE webhooks SET consecutive_failures = 0 WHERE company = $1 AND id = $2 AND consecutive_failures <> 0 AND active`, company, webhook)
}

// WebhookCounts counts the addresses of all companies by state, for metrics.
type WebhookCounts struct{ Healthy, Failing, Inactive int64 }

// webhookCounts gives them.
func webhookCounts(tx *kernel.Tx) (WebhookCounts, error) {
	var c WebhookCounts
	_, err := tx.One(`
		SELECT /* all companies: a metric */ COUNT(*) FILTER (WHERE active AND consecutive_failures = 0),
			COUNT(*) FILTER (WHERE active AND consecutive_failures > 0),
			COUNT(*) FILTER (WHERE NOT active)
		FROM webhooks`, nil, func(r db.Row) { c = WebhookCounts{r.Int(0), r.Int(1), r.Int(2)} })
	return c, err
}

// AllWebhooks gives the addresses of every company, for keeping their secrets sealed.
func AllWebhooks(tx *kernel.Tx) ([]WebhookRow, error) {
	var out []WebhookRow
	err := tx.Query(`SELECT /* all companies: sealing secrets */`+webhookColumns+` FROM webhooks w ORDER BY w.company, w.id`, nil, func(r db.Row) error {
		out = append(out, scanWebhook(r))
		return nil
	})
	return out, err
}
