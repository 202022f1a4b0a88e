package webhooks

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"recado/internal/jobs"
	"recado/internal/kernel"
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
	if err := cmp.Or(a.May(VerbWebhooks), maySeeEveryEvent(a)); err != nil {
		return nil, err
	}
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]Webhook, error) { return listWebhooks(tx, a.Company.ID) })
}

// Webhook returns one webhook of the company.
func (d *Webhooks) Webhook(ctx context.Context, a *kernel.Principal, id kernel.ID) (Webhook, error) {
	if err := cmp.Or(a.May(VerbWebhook), maySeeEveryEvent(a)); err != nil {
		return Webhook{}, err
	}
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (Webhook, error) {
		w, err := findWebhook(tx, a.Company.ID, id)
		return w.Webhook, err
	})
}

// CreateWebhook registers a webhook and returns its signing secret, which is never shown again.
func (d *Webhooks) CreateWebhook(ctx context.Context, a *kernel.Principal, in NewWebhook) (Webhook, string, error) {
	if err := cmp.Or(a.May(VerbCreateWebhook), maySeeEveryEvent(a)); err != nil {
		return Webhook{}, "", err
	}
	change, err := d.checkWebhook(a, WebhookChange{Name: &in.Name, URL: &in.URL, Events: &in.Events})
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
			Company: a.Company.ID, BoardsOf: boardsOf(a),
			Webhook: Webhook{ID: kernel.NewID(), Active: true, CreatedAt: tx.Now, UpdatedAt: tx.Now},
		}
		change.apply(&w.Webhook)
		w.Secret = d.Vault.Seal([]byte(secret), w.Company, w.ID)
		insertWebhook(tx, w)
		return w.Webhook, nil
	})
	return created, secret, err
}

// UpdateWebhook changes a webhook. Activating it resets its count of failures and, with Replay, delivers the events that it
// missed. Deactivating it gives up its pending deliveries; the feed still has their events.
func (d *Webhooks) UpdateWebhook(ctx context.Context, a *kernel.Principal, id kernel.ID, in WebhookChange) (Webhook, error) {
	if err := cmp.Or(a.May(VerbUpdateWebhook), maySeeEveryEvent(a)); err != nil {
		return Webhook{}, err
	}
	change, err := d.checkWebhook(a, in)
	if err != nil {
		return Webhook{}, err
	}
	if in.Replay && (in.Active == nil || !*in.Active) {
		return Webhook{}, kernel.Needs("body.replay", "needs active: true", "active")
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Webhook, error) {
		w, found, err := LockWebhook(tx, a.Company.ID, id)
		if err != nil || !found {
			return w.Webhook, kernel.ErrOr(err, kernel.NotFound("webhook"))
		}
		change.apply(&w.Webhook)
		if in.URL != nil || in.Events != nil {
			w.BoardsOf = boardsOf(a)
		}
		wasActive := w.Active
		if in.Active != nil {
			w.Active = *in.Active
			if w.Active {
				w.ConsecutiveFailures = 0
			}
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

// DeleteWebhook deletes a webhook. Its pending deliveries are dropped.
func (d *Webhooks) DeleteWebhook(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	if err := cmp.Or(a.May(VerbDeleteWebhook), maySeeEveryEvent(a)); err != nil {
		return err
	}
	_, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		found, err := deleteWebhook(tx, a.Company.ID, id)
		if err == nil && !found {
			err = kernel.NotFound("webhook")
		}
		tx.AfterCommit(func() { d.announce(a.Company.ID, id) }) // to drop pending deliveries
		return struct{}{}, err
	})
	return err
}

// RotateWebhookSecret replaces the signing secret and returns the new one. For SecretOverlap the webhook-signature header also
// has a signature with the old one.
func (d *Webhooks) RotateWebhookSecret(ctx context.Context, a *kernel.Principal, id kernel.ID) (Webhook, string, error) {
	if err := cmp.Or(a.May(VerbRotateWebhookSecret), maySeeEveryEvent(a)); err != nil {
		return Webhook{}, "", err
	}
	secret := NewSigningSecret()
	w, err := kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Webhook, error) {
		w, found, err := LockWebhook(tx, a.Company.ID, id)
		if err != nil || !found {
			return w.Webhook, kernel.ErrOr(err, kernel.NotFound("webhook"))
		}
		w.OldSecret, w.OldSecretUntil = w.Secret, new(tx.Now.Add(SecretOverlap))
		w.Secret = d.Vault.Seal([]byte(secret), w.Company, w.ID)
		w.UpdatedAt = tx.Now
		SaveWebhook(tx, w)
		return w.Webhook, nil
	})
	return w, secret, err
}

// WebhookEvents returns the types of events that the principal can subscribe to.
func (d *Webhooks) WebhookEvents(_ context.Context, a *kernel.Principal) ([]kernel.EventType, error) {
	if err := a.May(VerbWebhookEvents); err != nil {
		return nil, err
	}
	hidden := func(e kernel.EventType) bool { return !a.Scopes.Has(e.Scope()) }
	return slices.DeleteFunc(slices.Clone(kernel.AllEvents), hidden), maySeeEveryEvent(a)
}

// checkedChange is a validated WebhookChange. Zero fields stay as they are.
type checkedChange struct {
	name   string
	url    string
	events []kernel.EventType
}

func (c checkedChange) apply(w *Webhook) {
	w.Name, w.URL = cmp.Or(c.name, w.Name), cmp.Or(c.url, w.URL)
	if c.events != nil {
		w.Events = c.events
	}
}

func (d *Webhooks) checkWebhook(a *kernel.Principal, in WebhookChange) (checkedChange, error) {
	var c checkedChange
	if in.Name != nil {
		name, invalid := kernel.Name("body.name", *in.Name, kernel.MaxName)
		if invalid != nil {
			return c, invalid
		}
		c.name = name
	}
	if in.Events != nil {
		events, invalid := kernel.ParseEvents("body.events", *in.Events)
		if invalid != nil {
			return c, invalid
		}
		if events == 0 {
			return c, kernel.TooFew("body.events", 1)
		}
		for _, event := range events.List() {
			if scope := event.Scope(); !a.Scopes.Has(scope) {
				return c, kernel.ErrScope(a, scope)
			}
		}
		c.events = events.List()
	}
	if in.URL != nil {
		u, err := d.guard.CheckURL(*in.URL)
		if err != nil {
			return c, err
		}
		c.url = u.String()
	}
	return c, nil
}

// WebhookCounts returns the number of healthy, failing and inactive webhooks.
func (d *Webhooks) WebhookCounts(ctx context.Context) (WebhookCounts, error) {
	return kernel.Read(ctx, d.Kernel, webhookCounts)
}

// WakeDeliver is the name of the wakeup of the delivery loop.
const WakeDeliver = "deliver"

// dueWebhooks are the webhooks that got work since the delivery loop last called TakeDue.
type dueWebhooks struct {
	mu        sync.Mutex
	companies map[kernel.ID]kernel.ID // of every webhook that ever had work
	here      map[kernel.ID]struct{}  // from a transaction of this process
	there     map[kernel.ID]struct{}  // from another node
	all       bool                    // another node named no webhook
}

// companyOf returns the company of a webhook that had work.
func (d *Webhooks) companyOf(webhook kernel.ID) kernel.ID {
	d.due.mu.Lock()
	defer d.due.mu.Unlock()
	return d.due.companies[webhook]
}

// deliver stores the deliveries of an event in the transaction that records it.
func (d *Webhooks) deliver(tx *kernel.Tx, e *kernel.Event) error {
	webhooks, err := insertDeliveries(tx, e)
	if company := e.Company; err == nil && len(webhooks) > 0 {
		tx.AfterCommit(func() { d.announce(company, webhooks...) })
	}
	return err
}

// announce wakes the delivery loop for webhooks that got work from a committed transaction.
func (d *Webhooks) announce(company kernel.ID, webhooks ...kernel.ID) {
	d.due.mu.Lock()
	defer d.due.mu.Unlock()
	for _, w := range webhooks {
		d.due.companies[w], d.due.here[w] = company, struct{}{}
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
	clear(d.due.here)
	clear(d.due.there)
	d.due.all = false
	return out
}

// TellDue notifies the other nodes that a webhook has work, because one of them has its lease. A zero id means any webhook.
func (d *Webhooks) TellDue(webhook kernel.ID) {
	text := ""
	if !webhook.IsZero() {
		text = d.companyOf(webhook).String() + " " + webhook.String()
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
			d.due.companies[webhook], d.due.there[webhook] = company, struct{}{}
		} else {
			d.due.all = true
		}
		d.Wakeup(WakeDeliver).Notify()
	})
}

// PendingWebhooks returns the webhooks that owner may have to deliver to.
func (d *Webhooks) PendingWebhooks(ctx context.Context, owner kernel.ID) ([]Pending, error) {
	out, err := kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) ([]Pending, error) { return pendingWebhooks(tx, owner) })
	d.due.mu.Lock()
	defer d.due.mu.Unlock()
	for _, p := range out {
		d.due.companies[p.Webhook] = p.Company
	}
	return out, err
}

// DueDeliveries returns up to limit due deliveries of a webhook.
func (d *Webhooks) DueDeliveries(ctx context.Context, company, webhook kernel.ID, limit int) (DueDeliveries, error) {
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (DueDeliveries, error) {
		return dueDeliveries(tx, company, webhook, limit)
	})
}

// DueCount returns the number of due deliveries, counted up to 100,000, and for how long the oldest has been due.
func (d *Webhooks) DueCount(ctx context.Context) (n int64, oldest time.Duration, err error) {
	err = d.Store.Read(ctx, func(tx *kernel.Tx) (err error) {
		if n, err = countDue(tx, 100_000); err != nil {
			return err
		}
		pending, err := pendingWebhooks(tx, kernel.ID{})
		for _, p := range pending {
			oldest = max(oldest, tx.Now.Sub(p.DueAt))
		}
		return err
	})
	return n, oldest, err
}

// checkWebhook returns an error if the principal may not see the deliveries of webhooks.
func checkWebhook(_ *kernel.Tx, a *kernel.Principal, _ kernel.ID) error { return maySeeEveryEvent(a) }

// maySeeEveryEvent checks the permission for every verb on webhooks. A webhook receives the events of all conversations, so only
// members who see all conversations may see its settings and deliveries.
func maySeeEveryEvent(a *kernel.Principal) error {
	if a != nil && a.Profile == kernel.AccessAll {
		return nil
	}
	return kernel.Errorf(kernel.CodeInsufficientScope,
		"Webhooks receive the events of all conversations, and this key acts as a member who cannot see all of them. "+
			"Use GET /events to read the events it can see.")
}

// boardsOf returns the principal's key if its list of boards limits the card events of a webhook.
func boardsOf(a *kernel.Principal) *kernel.ID {
	if a.Boards == nil {
		return nil
	}
	return &a.Key
}
