package webhooks

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"recado/internal/kernel"
)

// ruleNothingMissed is for a replay to a webhook that missed no events.
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

// Subject is the webhooks of the company.
func (w *Webhook) Subject() kernel.Subject {
	return kernel.Subject{Kind: SubjectWebhook, ID: w.ID}
}

// NewWebhook is what an address is registered with.
type NewWebhook struct {
	Name   string
	URL    string
	Events []string
}

// WebhookChange holds what is to change; nil leaves a field as it is.
type WebhookChange struct {
	Name   *string
	URL    *string
	Events *[]string
	Active *bool
	Replay bool // with Active: deliver what was missed since the webhook became inactive
}

// Webhooks lists the company's addresses.
func (d *Webhooks) Webhooks(ctx context.Context, a *kernel.Principal) ([]Webhook, error) {
	if err := a.May(VerbWebhooks); err != nil {
		return nil, err
	}
	if err := maySeeEveryEvent(a); err != nil {
		return nil, err
	}
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]Webhook, error) { return listWebhooks(tx, a.Company.ID) })
}

// Webhook gives one address of the company.
func (d *Webhooks) Webhook(ctx context.Context, a *kernel.Principal, id kernel.ID) (Webhook, error) {
	if err := a.May(VerbWebhook); err != nil {
		return Webhook{}, err
	}
	if err := maySeeEveryEvent(a); err != nil {
		return Webhook{}, err
	}
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (Webhook, error) {
		w, found, err := findWebhook(tx, a.Company.ID, id)
		if err == nil && !found {
			err = kernel.NotFound("webhook")
		}
		return w.Webhook, err
	})
}

// CreateWebhook registers an address and gives its signing secret, which is never shown again.
func (d *Webhooks) CreateWebhook(ctx context.Context, a *kernel.Principal, in NewWebhook) (Webhook, string, error) {
	if err := a.May(VerbCreateWebhook); err != nil {
		return Webhook{}, "", err
	}
	if err := maySeeEveryEvent(a); err != nil {
		return Webhook{}, "", err
	}
	clean, err := d.checkWebhook(a, WebhookChange{Name: &in.Name, URL: &in.URL, Events: &in.Events})
	if err != nil {
		return Webhook{}, "", err
	}
	secret := NewSigningSecret()
	made, err := kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Webhook, error) {
		n, err := tx.Count(countWebhooks, a.Company.ID)
		if err != nil {
			return Webhook{}, err
		}
		if n >= MaxWebhooks {
			return Webhook{}, kernel.Errorf(kernel.CodeWebhookLimit, "A company can have %d webhooks. Delete one first.", MaxWebhooks)
		}
		w := WebhookRow{Company: a.Company.ID, Webhook: Webhook{ID: kernel.NewID(), Active: true, CreatedAt: tx.Now, UpdatedAt: tx.Now}}
		clean.apply(&w.Webhook)
		w.BoardsOf = boardsOf(a)
		w.Secret = d.Vault.Seal([]byte(secret), w.Company, w.ID)
		insertWebhook(tx, w)
		return w.Webhook, nil
	})
	return made, secret, err
}

// UpdateWebhook changes an address. Activating it resets its count of failures and, with Replay, delivers the events that it
// missed; deactivating it gives up what is pending, which the feed still has.
func (d *Webhooks) UpdateWebhook(ctx context.Context, a *kernel.Principal, id kernel.ID, in WebhookChange) (Webhook, error) {
	if err := a.May(VerbUpdateWebhook); err != nil {
		return Webhook{}, err
	}
	if err := maySeeEveryEvent(a); err != nil {
		return Webhook{}, err
	}
	clean, err := d.checkWebhook(a, in)
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
		clean.apply(&w.Webhook)
		if in.URL != nil || in.Events != nil {
			w.BoardsOf = boardsOf(a)
		}
		before := w.Active
		if in.Active != nil {
			w.Active = *in.Active
			if w.Active {
				w.ConsecutiveFailures = 0
			}
		}
		w.UpdatedAt = tx.Now
		SaveWebhook(tx, w)
		if before && !w.Active {
			if err := missEvents(tx, a.Company.ID, id); err != nil {
				return w.Webhook, err
			}
		}
		if in.Replay {
			started, err := startReplay(tx, a.Company.ID, id)
			if err != nil || !started {
				return w.Webhook, kernel.ErrOr(err, kernel.Invalid("body.replay", ruleNothingMissed, "there is nothing to deliver again: the webhook has missed no events"))
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

// DeleteWebhook removes an address at once, with what was on its way to it.
func (d *Webhooks) DeleteWebhook(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	if err := a.May(VerbDeleteWebhook); err != nil {
		return err
	}
	if err := maySeeEveryEvent(a); err != nil {
		return err
	}
	_, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		found, err := deleteWebhook(tx, a.Company.ID, id)
		if err == nil && !found {
			err = kernel.NotFound("webhook")
		}
		tx.AfterCommit(func() { d.announce(a.Company.ID, id) }) // for what is pending to be dropped
		return struct{}{}, err
	})
	return err
}

// RotateWebhookSecret replaces the signing secret and gives the new one. For a day the Standard
// Webhooks header carries a signature with the old one as well.
func (d *Webhooks) RotateWebhookSecret(ctx context.Context, a *kernel.Principal, id kernel.ID) (Webhook, string, error) {
	if err := a.May(VerbRotateWebhookSecret); err != nil {
		return Webhook{}, "", err
	}
	if err := maySeeEveryEvent(a); err != nil {
		return Webhook{}, "", err
	}
	secret := NewSigningSecret()
	w, err := kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Webhook, error) {
		w, found, err := LockWebhook(tx, a.Company.ID, id)
		if err != nil || !found {
			return w.Webhook, kernel.ErrOr(err, kernel.NotFound("webhook"))
		}
		until := tx.Now.Add(SecretOverlap)
		w.OldSecret, w.OldSecretUntil = w.Secret, &until
		w.Secret = d.Vault.Seal([]byte(secret), w.Company, w.ID)
		w.UpdatedAt = tx.Now
		SaveWebhook(tx, w)
		return w.Webhook, nil
	})
	return w, secret, err
}

// WebhookEvents lists the events that the principal can ask for.
func (d *Webhooks) WebhookEvents(_ context.Context, a *kernel.Principal) ([]kernel.EventType, error) {
	if err := a.May(VerbWebhookEvents); err != nil {
		return nil, err
	}
	events := slices.DeleteFunc(slices.Clone(kernel.AllEvents), func(e kernel.EventType) bool { return !a.Scopes.Has(e.Scope()) })
	return events, maySeeEveryEvent(a)
}

// cleanWebhook holds checked values; the zero value of a field leaves it as it is.
type cleanWebhook struct {
	name   string
	url    string
	events []kernel.EventType
}

func (c cleanWebhook) apply(w *Webhook) {
	if c.name != "" {
		w.Name = c.name
	}
	if c.url != "" {
		w.URL = c.url
	}
	if c.events != nil {
		w.Events = c.events
	}
}

func (d *Webhooks) checkWebhook(a *kernel.Principal, in WebhookChange) (cleanWebhook, error) {
	var c cleanWebhook
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

// WebhookCounts gives how many addresses are healthy, failing and inactive, for metrics.
func (d *Webhooks) WebhookCounts(ctx context.Context) (WebhookCounts, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (WebhookCounts, error) { return webhookCounts(tx) })
}

// WakeDeliver wakes the delivering loop.
const WakeDeliver = "deliver"

// due remembers which webhooks got something to do since the delivering loop last looked.
type due struct {
	mu        sync.Mutex
	companies map[kernel.ID]kernel.ID // of the webhooks that had something to do
	here      map[kernel.ID]struct{}  // by a transaction of this process
	there     map[kernel.ID]struct{}  // by another node
	anything  bool                    // another node named no webhook: all are to be looked at
}

// of remembers the company of a webhook. The caller holds mu.
func (d *due) of(company, webhook kernel.ID) {
	if d.companies == nil {
		d.companies = map[kernel.ID]kernel.ID{}
	}
	d.companies[webhook] = company
}

// companyOf returns the company of a webhook that had something to do.
func (d *Webhooks) companyOf(webhook kernel.ID) kernel.ID {
	d.due.mu.Lock()
	defer d.due.mu.Unlock()
	return d.due.companies[webhook]
}

// DueWebhooks is what became due. If it names no webhook, all are to be looked at.
type DueWebhooks struct {
	Here  []kernel.ID // through this process: other nodes do not know yet
	There []kernel.ID // through another node, which says so to all
	All   bool
}

// deliver stores the deliveries of an event in the transaction that records it.
func (d *Webhooks) deliver(tx *kernel.Tx, e *kernel.Event) error {
	webhooks, err := insertDeliveries(tx, e)
	if company := e.Company; err == nil && len(webhooks) > 0 {
		tx.AfterCommit(func() { d.announce(company, webhooks...) })
	}
	return err
}

// announce wakes the delivering loop for webhooks of a company that a durable transaction gave work.
func (d *Webhooks) announce(company kernel.ID, webhooks ...kernel.ID) {
	d.due.mu.Lock()
	defer d.due.mu.Unlock()
	if d.due.here == nil {
		d.due.here = map[kernel.ID]struct{}{}
	}
	for _, w := range webhooks {
		d.due.of(company, w)
		d.due.here[w] = struct{}{}
	}
	d.Wakeup(WakeDeliver).Notify()
}

// TakeDue gives what was announced since the last call, and takes back the signal of what was announced after the one that led
// to this call: a signal that names no webhook would have all of them looked at.
func (d *Webhooks) TakeDue() DueWebhooks {
	d.due.mu.Lock()
	defer d.due.mu.Unlock()
	d.Wakeup(WakeDeliver).TakeBack()
	out := DueWebhooks{All: d.due.anything}
	for w := range d.due.here {
		out.Here = append(out.Here, w)
	}
	for w := range d.due.there {
		out.There = append(out.There, w)
	}
	if len(out.Here) == 0 && len(out.There) == 0 {
		out.All = true
	}
	clear(d.due.here)
	clear(d.due.there)
	d.due.anything = false
	return out
}

// TellDue lets the other nodes know that a webhook has work: one of them holds its lease. A zero id
// means: look at everything.
func (d *Webhooks) TellDue(webhook kernel.ID) {
	text := ""
	if !webhook.IsZero() {
		text = d.companyOf(webhook).String() + " " + webhook.String()
	}
	d.Store.Notify(ChannelDeliver, text)
}

// ListenDue passes on what other nodes tell, until ctx ends.
func (d *Webhooks) ListenDue(ctx context.Context) {
	d.Store.Listen(ctx, ChannelDeliver, func(payload string) {
		before, after, _ := strings.Cut(payload, " ")
		company, _ := kernel.ParseID(before)
		webhook, ok := kernel.ParseID(after)
		d.due.mu.Lock()
		defer d.due.mu.Unlock()
		if ok {
			d.due.of(company, webhook)
			if d.due.there == nil {
				d.due.there = map[kernel.ID]struct{}{}
			}
			d.due.there[webhook] = struct{}{}
		} else {
			d.due.anything = true
		}
		d.Wakeup(WakeDeliver).Notify()
	})
}

// PendingWebhooks lists the webhooks that owner may have to work for.
func (d *Webhooks) PendingWebhooks(ctx context.Context, owner kernel.ID) (out []Pending, err error) {
	err = d.Store.ReadOne(ctx, func(tx *kernel.Tx) (err error) {
		out, err = pendingWebhooks(tx, owner)
		return err
	})
	d.due.mu.Lock()
	defer d.due.mu.Unlock()
	for _, p := range out {
		d.due.of(p.Company, p.Webhook)
	}
	return out, err
}

// DueDeliveries returns up to limit due deliveries of a webhook.
func (d *Webhooks) DueDeliveries(ctx context.Context, company, webhook kernel.ID, limit int) (due DueDeliveries, err error) {
	err = d.Store.ReadOne(ctx, func(tx *kernel.Tx) (err error) {
		due, err = dueDeliveries(tx, company, webhook, tx.Now, limit)
		return err
	})
	return due, err
}

// DueCount is how many deliveries are due, counted up to a hundred thousand, and how old the oldest is.
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

// checkWebhook reports an error when the principal may not see what webhooks are sent.
func checkWebhook(_ *kernel.Tx, a *kernel.Principal, _ kernel.ID) error { return maySeeEveryEvent(a) }

// maySeeEveryEvent is the permission check of every verb on webhooks: an address receives the events of all
// conversations, so its settings and deliveries belong to members who see all conversations.
func maySeeEveryEvent(a *kernel.Principal) error {
	if a.Profile == kernel.AccessAll {
		return nil
	}
	return kernel.Errorf(kernel.CodeInsufficientScope,
		"Webhooks receive the events of every conversation, and this key acts as a member who does not see them all. GET /events gives what it may see.")
}

// boardsOf is whose list of boards bounds the card events of an address that the principal chose: its key's,
// where that has one.
func boardsOf(a *kernel.Principal) *kernel.ID {
	if a.Boards == nil {
		return nil
	}
	return &a.Key
}
