package store

import (
	"strings"
	"time"

	"recado/internal/model"
)

// Webhook is an address with its sealed secrets.
type Webhook struct {
	model.Webhook
	Company        model.ID
	BoardsOf       *model.ID // the key whose list of boards bounds the card events; nil: all boards
	Secret         []byte
	OldSecret      []byte // of the rotation before, nil when there was none
	OldSecretUntil *time.Time
}

const webhookColumns = `
	w.id, w.name, w.url, w.events, w.active, w.consecutive_failures, w.created_at, w.updated_at, w.company, w.secret, w.old_secret, w.old_secret_until,
	w.boards_of`

// webhookWidth is the number of webhookColumns: where a statement's own columns begin.
var webhookWidth = strings.Count(webhookColumns, ",") + 1

func scanWebhook(r Row) Webhook {
	return Webhook{
		Webhook: model.Webhook{
			ID: r.ID(0), Name: r.Text(1), URL: r.Text(2), Events: model.EventSet(r.Int(3)).List(), Active: r.Bool(4),
			ConsecutiveFailures: r.Int(5), CreatedAt: r.Time(6), UpdatedAt: r.Time(7),
		},
		Company: r.ID(8), Secret: r.Bytes(9), OldSecret: r.Bytes(10), OldSecretUntil: r.NullTime(11), BoardsOf: r.NullID(12),
	}
}

// Webhooks lists the company's addresses, oldest first.
func (tx *Tx) Webhooks(company model.ID) ([]model.Webhook, error) {
	var out []model.Webhook
	err := tx.query(`SELECT`+webhookColumns+` FROM webhooks w WHERE w.company = $1 ORDER BY w.id`, []any{company}, func(r Row) error {
		out = append(out, scanWebhook(r).Webhook)
		return nil
	})
	return out, err
}

// Webhook gives one address of the company.
func (tx *Tx) Webhook(company, id model.ID) (Webhook, bool, error) {
	return tx.webhook(`WHERE w.id = $1 AND w.company = $2`, id, company)
}

// LockWebhook is Webhook, and keeps other writers away from it until the end of the transaction.
func (tx *Tx) LockWebhook(company, id model.ID) (Webhook, bool, error) {
	return tx.webhook(`WHERE w.id = $1 AND w.company = $2`+tx.forUpdate(), id, company)
}

func (tx *Tx) webhook(where string, args ...any) (Webhook, bool, error) {
	var w Webhook
	found, err := tx.one(`SELECT`+webhookColumns+` FROM webhooks w `+where, args, func(r Row) { w = scanWebhook(r) })
	return w, found, err
}

// InsertWebhook adds an address.
func (tx *Tx) InsertWebhook(w Webhook) {
	tx.later(`
		INSERT INTO webhooks (id, company, name, url, events, active, consecutive_failures, secret, created_at, updated_at, boards_of)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		w.ID, w.Company, w.Name, w.URL, int64(model.NewEventSet(w.Events...)), w.Active, w.ConsecutiveFailures, w.Secret, w.CreatedAt, w.UpdatedAt, w.BoardsOf)
	tx.subscribersOf = model.ID{}
}

// SaveWebhook writes everything about an address that can change.
func (tx *Tx) SaveWebhook(w Webhook) {
	tx.later(`
		UPDATE webhooks
		SET name = $2, url = $3, events = $4, active = $5, consecutive_failures = $6, secret = $7, old_secret = $8, old_secret_until = $9, updated_at = $10,
			boards_of = $11
		WHERE id = $1`,
		w.ID, w.Name, w.URL, int64(model.NewEventSet(w.Events...)), w.Active, w.ConsecutiveFailures, w.Secret, w.OldSecret, w.OldSecretUntil, w.UpdatedAt, w.BoardsOf)
	tx.subscribersOf = model.ID{}
}

// DeleteWebhook removes an address and reports whether the company had it. Its deliveries stay behind,
// out of sight: those still pending are dropped by DropPending, the others by age.
func (tx *Tx) DeleteWebhook(company, id model.ID) (bool, error) {
	n, err := tx.exec(`DELETE FROM webhooks WHERE company = $1 AND id = $2`, company, id)
	return n == 1, err
}

// WebhookHealth is what decides whether an address stays active.
type WebhookHealth struct {
	Company  model.ID
	Active   bool
	Failures int64 // deliveries that failed permanently, one after another
}

// LockWebhookHealth reads it, of any company, for a transaction that will change it.
func (tx *Tx) LockWebhookHealth(webhook model.ID) (WebhookHealth, bool, error) {
	var h WebhookHealth
	found, err := tx.one(`SELECT active, consecutive_failures, company FROM webhooks WHERE id = $1`+tx.forUpdate(), []any{webhook}, func(r Row) {
		h = WebhookHealth{Active: r.Bool(0), Failures: r.Int(1), Company: r.ID(2)}
	})
	return h, found, err
}

// SaveWebhookHealth writes it down.
func (tx *Tx) SaveWebhookHealth(webhook model.ID, h WebhookHealth) {
	tx.later(`
		UPDATE webhooks
		SET consecutive_failures = $2, updated_at = CASE WHEN active = $3 THEN updated_at ELSE $4 END, active = $3
		WHERE id = $1`, webhook, h.Failures, h.Active, tx.Now)
}

// ResetWebhookFailures notes a success. It writes nothing where there is nothing to reset.
func (tx *Tx) ResetWebhookFailures(webhook model.ID) {
	tx.later(`UPDATE webhooks SET consecutive_failures = 0 WHERE id = $1 AND consecutive_failures <> 0 AND active`, webhook)
}

// WebhookCounts counts the addresses of all companies by state, for metrics.
type WebhookCounts struct{ Healthy, Failing, Inactive int64 }

// WebhookCounts gives them.
func (tx *Tx) WebhookCounts() (WebhookCounts, error) {
	var c WebhookCounts
	_, err := tx.one(`
		SELECT COUNT(*) FILTER (WHERE active AND consecutive_failures = 0),
			COUNT(*) FILTER (WHERE active AND consecutive_failures > 0),
			COUNT(*) FILTER (WHERE NOT active)
		FROM webhooks`, nil, func(r Row) { c = WebhookCounts{r.Int(0), r.Int(1), r.Int(2)} })
	return c, err
}

// AllWebhooks gives the addresses of every company, for keeping their secrets sealed.
func (tx *Tx) AllWebhooks() ([]Webhook, error) {
	var out []Webhook
	err := tx.query(`SELECT`+webhookColumns+` FROM webhooks w ORDER BY w.id`, nil, func(r Row) error {
		out = append(out, scanWebhook(r))
		return nil
	})
	return out, err
}
