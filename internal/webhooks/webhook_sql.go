package webhooks

import (
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

type webhookKey struct{ company, id kernel.ID }

// WebhookRow is a webhook with its sealed secrets.
type WebhookRow struct {
	Webhook
	Company        kernel.ID
	BoardsOf       *kernel.ID // the key whose list of boards limits the card events; nil: all boards
	Secret         []byte
	OldSecret      []byte // the secret before the last rotation; nil: never rotated
	OldSecretUntil *time.Time
}

const webhookColumns = `
	w.id, w.name, w.url, w.events, w.active, w.consecutive_failures, w.created_at, w.updated_at, w.company, w.secret, w.old_secret,
	w.old_secret_until, w.boards_of`

func scanWebhook(r db.Row) WebhookRow {
	return WebhookRow{
		Webhook: Webhook{
			ID: r.ID("id"), Name: r.Text("name"), URL: r.Text("url"), Events: kernel.StoredEvents(r.Text("events")).List(),
			Active: r.Bool("active"), ConsecutiveFailures: r.Int("consecutive_failures"),
			CreatedAt: r.Time("created_at"), UpdatedAt: r.Time("updated_at"),
		},
		Company: r.ID("company"), Secret: r.Bytes("secret"), OldSecret: r.Bytes("old_secret"),
		OldSecretUntil: r.NullTime("old_secret_until"), BoardsOf: r.NullID("boards_of"),
	}
}

// listWebhooks returns the company's webhooks, oldest first.
func listWebhooks(tx *kernel.Tx, company kernel.ID) ([]Webhook, error) {
	all, err := selectWebhooks(tx, `WHERE w.company = $1 ORDER BY w.id`, company)
	var out []Webhook
	for _, w := range all {
		out = append(out, w.Webhook)
	}
	return out, err
}

// findWebhook returns a webhook of the company, or a not-found error.
func findWebhook(tx *kernel.Tx, company, id kernel.ID) (WebhookRow, error) {
	w, err := selectWebhooks(tx, `WHERE w.company = $1 AND w.id = $2`, company, id)
	if err != nil || len(w) == 0 {
		return WebhookRow{}, kernel.ErrOr(err, kernel.NotFound("webhook"))
	}
	return w[0], nil
}

// LockWebhook returns a webhook of the company and locks it until the end of the transaction.
func LockWebhook(tx *kernel.Tx, company, id kernel.ID) (WebhookRow, bool, error) {
	w, err := selectWebhooks(tx, `WHERE w.company = $1 AND w.id = $2`+tx.ForUpdate(), company, id)
	if err != nil || len(w) == 0 {
		return WebhookRow{}, false, err
	}
	return w[0], true, nil
}

func insertWebhook(tx *kernel.Tx, w WebhookRow) {
	tx.Later(`
		INSERT INTO webhooks (company, id, name, url, events, active, consecutive_failures, secret, created_at, updated_at, boards_of)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		w.Company, w.ID, w.Name, w.URL, kernel.NewEventSet(w.Events...).Stored(), w.Active, w.ConsecutiveFailures, w.Secret,
		w.CreatedAt, w.UpdatedAt, w.BoardsOf)
	forgetSubscribers(tx)
}

// SaveWebhook stores everything about a webhook that can change.
func SaveWebhook(tx *kernel.Tx, w WebhookRow) {
	tx.Later(`
		UPDATE webhooks
		SET name = $3, url = $4, events = $5, active = $6, consecutive_failures = $7, secret = $8, old_secret = $9,
			old_secret_until = $10, updated_at = $11, boards_of = $12
		WHERE company = $1 AND id = $2`,
		w.Company, w.ID, w.Name, w.URL, kernel.NewEventSet(w.Events...).Stored(), w.Active, w.ConsecutiveFailures, w.Secret,
		w.OldSecret, w.OldSecretUntil, w.UpdatedAt, w.BoardsOf)
	forgetSubscribers(tx)
}

// deleteWebhook deletes a webhook and reports whether the company had it. dropPending deletes its pending deliveries,
// and purgeDeliveries the others.
func deleteWebhook(tx *kernel.Tx, company, id kernel.ID) (bool, error) {
	n, err := tx.Exec(`DELETE FROM webhooks WHERE company = $1 AND id = $2`, company, id)
	return n == 1, err
}

type webhookHealth struct {
	active   bool
	failures int64 // deliveries in a row that failed permanently
	disabled bool  // by the transaction
}

func lockWebhookHealth(tx *kernel.Tx, key webhookKey) (h webhookHealth, found bool, err error) {
	found, err = tx.One(`SELECT active, consecutive_failures FROM webhooks WHERE company = $1 AND id = $2`+tx.ForUpdate(),
		[]any{key.company, key.id}, func(r db.Row) {
			h = webhookHealth{active: r.Bool("active"), failures: r.Int("consecutive_failures")}
		})
	return h, found, err
}

func saveWebhookHealth(tx *kernel.Tx, key webhookKey, h *webhookHealth) {
	tx.Later(`
		UPDATE webhooks
		SET consecutive_failures = $3, updated_at = CASE WHEN active = $4 THEN updated_at ELSE $5 END, active = $4
		WHERE company = $1 AND id = $2`, key.company, key.id, h.failures, h.active, tx.Now)
}

// resetWebhookFailures records a success. It writes only where there were failures.
func resetWebhookFailures(tx *kernel.Tx, key webhookKey) {
	tx.Later(`
		UPDATE webhooks
		SET consecutive_failures = 0
		WHERE company = $1 AND id = $2 AND consecutive_failures <> 0 AND active`, key.company, key.id)
}

// WebhookCounts counts the webhooks of all companies by state.
type WebhookCounts struct{ Healthy, Failing, Inactive int64 }

func webhookCounts(tx *kernel.Tx) (WebhookCounts, error) {
	var c WebhookCounts
	_, err := tx.One(`
		SELECT /* all companies: a metric */ COUNT(*) FILTER (WHERE active AND consecutive_failures = 0) AS healthy,
			COUNT(*) FILTER (WHERE active AND consecutive_failures > 0) AS failing,
			COUNT(*) FILTER (WHERE NOT active) AS inactive
		FROM webhooks`, nil, func(r db.Row) { c = WebhookCounts{r.Int("healthy"), r.Int("failing"), r.Int("inactive")} })
	return c, err
}

// AllWebhooks returns the webhooks of every company, so that their secrets can be sealed again.
func AllWebhooks(tx *kernel.Tx) ([]WebhookRow, error) {
	return selectWebhooks(tx, `/* all companies: sealing secrets */ ORDER BY w.company, w.id`)
}

func selectWebhooks(tx *kernel.Tx, where string, args ...any) ([]WebhookRow, error) {
	var out []WebhookRow
	err := tx.Query(`SELECT`+webhookColumns+` FROM webhooks w `+where, args, func(r db.Row) error {
		out = append(out, scanWebhook(r))
		return nil
	})
	return out, err
}
