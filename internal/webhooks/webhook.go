package webhooks

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"recado/internal/jobs"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// ruleNothingMissed rejects a replay to a webhook that missed no events.
var ruleNothingMissed = kernel.NewRule("nothing_missed")

// Webhook is an address that receives events.
type Webhook struct {
	ID                  kernel.ID          `json:"id"`
	Name                string             `json:"name"`
	URL                 string             `json:"url" format:"uri"`
	Events              []kernel.EventType `json:"events"`
	Active              bool               `json:"active"`
	ConsecutiveFailures int64              `json:"consecutive_failures"`
	CreatedAt           time.Time          `json:"created_at"`
	UpdatedAt           time.Time          `json:"updated_at"`
}

// Subject returns the subject of responses about the webhook.
func (w *Webhook) Subject() kernel.Subject {
	return kernel.Subject{Kind: SubjectWebhook, ID: w.ID}
}

// NewWebhook describes a webhook to register.
type NewWebhook struct {
	Name   string
	URL    string
	Events []string
}

// WebhookChange lists the fields to change; nil fields stay as they are.
type WebhookChange struct {
	Name   *string
	URL    *string
	Events *[]string
	Active *bool
	Replay bool // with Active: deliver the events missed since the webhook became inactive
}

// Webhooks returns the company's webhooks, oldest first.
func (d *Webhooks) Webhooks(ctx context.Context, a *kernel.Principal) ([]Webhook, error) {
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) ([]Webhook, error) {
		return kernel.Rows(tx, `SELECT`+webhookColumns+` FROM webhooks w WHERE w.company = $1 ORDER BY w.id`,
			[]any{a.Company.ID}, func(r db.Row) Webhook { return scanWebhook(r).Webhook })
	})
}

// Webhook returns one webhook of the company.
func (d *Webhooks) Webhook(ctx context.Context, a *kernel.Principal, id kernel.ID) (Webhook, error) {
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (Webhook, error) {
		w, err := findWebhook(tx, a.Company.ID, id)
		return w.Webhook, err
	})
}

// CreateWebhook registers a webhook and returns its signing secret, which is never shown again.
func (d *Webhooks) CreateWebhook(ctx context.Context, a *kernel.Principal, in NewWebhook) (Webhook, string, error) {
	change := WebhookChange{Name: &in.Name, URL: &in.URL, Events: &in.Events}
	events, err := d.check(a, &change)
	if err != nil {
		return Webhook{}, "", err
	}
	secret := NewSigningSecret()
	created, err := kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Webhook, error) {
		n, err := tx.Count(countWebhooks, a.Company.ID)
		if err != nil {
			return Webhook{}, err
		}
		if n >= MaxWebhooks {
			return Webhook{}, kernel.Errorf(kernel.CodeWebhookLimit, "A company can have %d webhooks. Delete one first.", MaxWebhooks)
		}
		w := WebhookRow{
			Company: a.Company.ID, Webhook: Webhook{ID: kernel.NewID(), Active: true, CreatedAt: tx.Now, UpdatedAt: tx.Now},
		}
		change.apply(&w, a, events)
		w.Secret = d.Vault.Seal([]byte(secret), w.Company, w.ID)
		insertWebhook(tx, w)
		tx.Audit(a, kernel.AuditEntry{Action: "webhook.created", Subject: w.subject(), Changes: webhookChanges(nil, &w.Webhook)})
		return w.Webhook, nil
	})
	return created, secret, err
}

// subject returns the webhook as the subject of an audit entry.
func (w *Webhook) subject() kernel.AuditSubject {
	return kernel.NewAuditSubject("webhook", w.ID, w.Name)
}

// webhookChanges compares two states of a webhook for an audit entry, or returns what a new one has if before is nil. Addresses
// often contain a token, so only their origin and path are recorded.
func webhookChanges(before, after *Webhook) []kernel.AuditChange {
	var old any
	if before != nil {
		old = *before
	}
	changes := kernel.AuditChanges(old, *after, "consecutive_failures")
	for i := range changes {
		if c := &changes[i]; c.Field == "url" {
			if c.To = withoutToken(after.URL); before != nil {
				c.From = withoutToken(before.URL)
			}
		}
	}
	return changes
}

// withoutToken returns an address without user information, query and fragment.
func withoutToken(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// UpdateWebhook changes a webhook. Activating it resets its count of failures and, with Replay, delivers the events that it
// missed. Deactivating it gives up its pending deliveries; the feed still has their events.
func (d *Webhooks) UpdateWebhook(ctx context.Context, a *kernel.Principal, id kernel.ID, in WebhookChange) (Webhook, error) {
	events, err := d.check(a, &in)
	if err != nil {
		return Webhook{}, err
	}
	if in.Replay && (in.Active == nil || !*in.Active) {
		return Webhook{}, kernel.Needs("body.replay", "needs active: true", "active")
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Webhook, error) {
		w, err := LockWebhook(tx, a.Company.ID, id)
		if err != nil {
			return w.Webhook, err
		}
		before := w.Webhook
		in.apply(&w, a, events)
		wasActive := w.Active
		kernel.Set(&w.Active, in.Active)
		tx.AuditUpdate(a, kernel.AuditEntry{Action: "webhook.updated", Subject: w.subject(), Changes: webhookChanges(&before, &w.Webhook)})
		if in.Active != nil && w.Active {
			w.ConsecutiveFailures = 0
		}
		w.UpdatedAt = tx.Now
		SaveWebhook(tx, w)
		if wasActive && !w.Active {
			if err := missEvents(tx, a.Company.ID, id); err != nil {
				return w.Webhook, err
			}
		}
		if in.Replay {
			started, err := startReplay(tx, a.Company.ID, id)
			if err != nil || !started {
				return w.Webhook, kernel.ErrOr(err,
					kernel.Invalid("body.replay", ruleNothingMissed, "there is nothing to deliver again: the webhook has missed no events"))
			}
			tx.AfterCommit(func() { d.announce(a.Company.ID, id) })
		}
		if !w.Active {
			if err := d.giveUp(tx, a.Company.ID, id, failureInactive); err != nil {
				return w.Webhook, err
			}
		}
		return w.Webhook, nil
	})
}

// DeleteWebhook deletes a webhook. Settle drops its pending deliveries, and PurgeWebhooks deletes the others.
func (d *Webhooks) DeleteWebhook(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		w, err := LockWebhook(tx, a.Company.ID, id)
		if err != nil {
			return err
		}
		_, err = tx.Exec(`DELETE FROM webhooks WHERE company = $1 AND id = $2`, a.Company.ID, id)
		tx.Audit(a, kernel.AuditEntry{Action: "webhook.deleted", Subject: w.subject()})
		tx.AfterCommit(func() { d.announce(a.Company.ID, id) }) // to drop pending deliveries
		return err
	})
}

// RotateWebhookSecret replaces the signing secret and returns the new one. For SecretOverlap the webhook-signature header also
// has a signature with the old one.
func (d *Webhooks) RotateWebhookSecret(ctx context.Context, a *kernel.Principal, id kernel.ID) (Webhook, string, error) {
	secret := NewSigningSecret()
	w, err := kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Webhook, error) {
		w, err := LockWebhook(tx, a.Company.ID, id)
		if err != nil {
			return w.Webhook, err
		}
		w.OldSecret, w.OldSecretUntil = w.Secret, new(tx.Now.Add(SecretOverlap))
		w.Secret = d.Vault.Seal([]byte(secret), w.Company, w.ID)
		w.UpdatedAt = tx.Now
		SaveWebhook(tx, w)
		tx.Audit(a, kernel.AuditEntry{Action: "webhook.rotated", Subject: w.subject()})
		return w.Webhook, nil
	})
	return w, secret, err
}

// WebhookEvents returns the types of events that the principal can subscribe to.
func (d *Webhooks) WebhookEvents(_ context.Context, a *kernel.Principal) ([]kernel.EventType, error) {
	hidden := func(e kernel.EventType) bool { return !a.Scopes.Has(e.Scope()) }
	return slices.DeleteFunc(slices.Clone(kernel.AllEvents), hidden), nil
}

// check validates a change and normalizes its name and URL. It returns the events, or nil if they stay as they are.
func (d *Webhooks) check(a *kernel.Principal, in *WebhookChange) (events []kernel.EventType, err error) {
	if err := kernel.CleanName("body.name", &in.Name); err != nil {
		return nil, err
	}
	if in.Events != nil {
		set, invalid := kernel.ParseEvents("body.events", *in.Events)
		if invalid != nil {
			return nil, invalid
		}
		if set == 0 {
			return nil, kernel.TooFew("body.events", 1)
		}
		events = set.List()
		for _, event := range events {
			if scope := event.Scope(); !a.Scopes.Has(scope) {
				return nil, kernel.ErrScope(a, scope)
			}
		}
	}
	if in.URL != nil {
		u, err := d.guard.CheckURL(*in.URL)
		if err != nil {
			return nil, err
		}
		in.URL = new(u.String())
	}
	return events, nil
}

// apply sets the fields of a change that check has validated.
func (c *WebhookChange) apply(w *WebhookRow, a *kernel.Principal, events []kernel.EventType) {
	kernel.Set(&w.Name, c.Name)
	kernel.Set(&w.URL, c.URL)
	if events != nil {
		w.Events = events
	}
	if c.URL != nil || c.Events != nil {
		if w.BoardsOf = nil; a.Boards != nil { // the list of boards of the key limits the card events
			w.BoardsOf = &a.Key
		}
	}
}

// WakeDeliver is the name of the wakeup of the delivery loop.
const WakeDeliver = "deliver"

// dueWebhooks are the webhooks that got work since the delivery loop last called TakeDue.
type dueWebhooks struct {
	mu        sync.Mutex
	companies map[kernel.ID]kernel.ID // of the webhooks that the loop may open: those found by its last check, or taken since
	here      map[kernel.ID]kernel.ID // with their company, from a transaction of this process
	there     map[kernel.ID]kernel.ID // from another node
	all       bool                    // another node named no webhook
}

// companyOf returns the company of a webhook that the delivery loop may open.
func (d *Webhooks) companyOf(webhook kernel.ID) (company kernel.ID, found bool) {
	d.due.mu.Lock()
	defer d.due.mu.Unlock()
	company, found = d.due.companies[webhook]
	return company, found
}

// announce wakes the delivery loop for webhooks that got work from a committed transaction.
func (d *Webhooks) announce(company kernel.ID, webhooks ...kernel.ID) {
	d.due.mu.Lock()
	defer d.due.mu.Unlock()
	for _, w := range webhooks {
		d.due.here[w] = company
	}
	d.Wakeup(WakeDeliver).Notify()
}

// TakeDue returns the webhooks that were announced since the last call. It also takes back the signals of these announcements:
// a signal without webhooks makes the delivery loop check all of them.
func (d *Webhooks) TakeDue() jobs.Announced {
	d.due.mu.Lock()
	defer d.due.mu.Unlock()
	d.Wakeup(WakeDeliver).TakeBack()
	out := jobs.Announced{Here: slices.Collect(maps.Keys(d.due.here)), There: slices.Collect(maps.Keys(d.due.there)), All: d.due.all}
	if len(out.Here) == 0 && len(out.There) == 0 {
		out.All = true
	}
	maps.Copy(d.due.companies, d.due.here)
	maps.Copy(d.due.companies, d.due.there)
	clear(d.due.here)
	clear(d.due.there)
	d.due.all = false
	return out
}

// TellDue notifies the other nodes that a webhook has work, because one of them has its lease. If its company is no longer
// known, they check all webhooks.
func (d *Webhooks) TellDue(webhook kernel.ID) {
	text := ""
	if company, found := d.companyOf(webhook); found {
		text = company.String() + " " + webhook.String()
	}
	d.Store.Notify(ChannelDeliver, text)
}

// ListenDue receives the notifications of other nodes until ctx ends.
func (d *Webhooks) ListenDue(ctx context.Context) {
	d.Store.Listen(ctx, ChannelDeliver, func(payload string) {
		before, after, _ := strings.Cut(payload, " ")
		company, _ := kernel.ParseID(before)
		webhook, ok := kernel.ParseID(after)
		d.due.mu.Lock()
		defer d.due.mu.Unlock()
		if ok {
			d.due.there[webhook] = company
		}
		d.due.all = d.due.all || !ok
		d.Wakeup(WakeDeliver).Notify()
	})
}

// maySeeEveryEvent returns an error unless the principal sees all conversations.
func maySeeEveryEvent(a *kernel.Principal) error {
	if a.Profile == kernel.AccessAll {
		return nil
	}
	return kernel.Errorf(kernel.CodeInsufficientScope,
		"Webhooks receive the events of all conversations, and this key acts as a member who cannot see all of them. "+
			"Use GET /events to read the events it can see.")
}

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

// findWebhook returns a webhook of the company, or a not-found error.
func findWebhook(tx *kernel.Tx, company, id kernel.ID) (WebhookRow, error) {
	return oneWebhook(tx, company, id, "")
}

// LockWebhook is findWebhook for a webhook that is locked until the end of the transaction.
func LockWebhook(tx *kernel.Tx, company, id kernel.ID) (WebhookRow, error) {
	return oneWebhook(tx, company, id, tx.ForUpdate())
}

func oneWebhook(tx *kernel.Tx, company, id kernel.ID, lock string) (WebhookRow, error) {
	return kernel.Find(tx, "webhook", `SELECT`+webhookColumns+` FROM webhooks w WHERE w.company = $1 AND w.id = $2`+lock,
		[]any{company, id}, scanWebhook)
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

type webhookHealth struct {
	name     string
	active   bool
	failures int64 // deliveries in a row that failed permanently
	disabled bool  // by the transaction
}

func lockWebhookHealth(tx *kernel.Tx, key webhookKey) (h webhookHealth, found bool, err error) {
	return kernel.Row(tx, `SELECT name, active, consecutive_failures FROM webhooks WHERE company = $1 AND id = $2`+tx.ForUpdate(),
		[]any{key.company, key.id}, func(r db.Row) webhookHealth {
			return webhookHealth{name: r.Text("name"), active: r.Bool("active"), failures: r.Int("consecutive_failures")}
		})
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

// webhookCounts counts the webhooks of all companies by state.
func webhookCounts(tx *kernel.Tx) (states map[string]int64, err error) {
	_, err = tx.One(`
		SELECT /* all companies: a metric */ COUNT(*) FILTER (WHERE active AND consecutive_failures = 0) AS healthy,
			COUNT(*) FILTER (WHERE active AND consecutive_failures > 0) AS failing,
			COUNT(*) FILTER (WHERE NOT active) AS inactive
		FROM webhooks`, nil, func(r db.Row) {
		states = map[string]int64{"healthy": r.Int("healthy"), "failing": r.Int("failing"), "inactive": r.Int("inactive")}
	})
	return states, err
}

// AllWebhooks returns the webhooks of every company, so that their secrets can be sealed again.
func AllWebhooks(tx *kernel.Tx) ([]WebhookRow, error) {
	return kernel.Rows(tx, `SELECT`+webhookColumns+` FROM webhooks w /* all companies: sealing secrets */ ORDER BY w.company, w.id`,
		nil, scanWebhook)
}
