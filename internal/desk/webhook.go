package desk

import (
	"context"
	"slices"
	"sync"
	"time"

	"recado/internal/model"
	"recado/internal/signature"
	"recado/internal/store"
)

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
func (d *Desk) Webhooks(ctx context.Context, a *Principal) ([]model.Webhook, error) {
	if err := a.May(VerbWebhooks); err != nil {
		return nil, err
	}
	if err := a.maySeeEveryEvent(); err != nil {
		return nil, err
	}
	return read(ctx, d, func(tx *store.Tx) ([]model.Webhook, error) { return tx.Webhooks(a.Company.ID) })
}

// Webhook gives one address of the company.
func (d *Desk) Webhook(ctx context.Context, a *Principal, id model.ID) (model.Webhook, error) {
	if err := a.May(VerbWebhook); err != nil {
		return model.Webhook{}, err
	}
	if err := a.maySeeEveryEvent(); err != nil {
		return model.Webhook{}, err
	}
	return readOne(ctx, d, func(tx *store.Tx) (model.Webhook, error) {
		w, found, err := tx.Webhook(a.Company.ID, id)
		if err == nil && !found {
			err = model.NotFound("webhook")
		}
		return w.Webhook, err
	})
}

// CreateWebhook registers an address and gives its signing secret, which is never shown again.
func (d *Desk) CreateWebhook(ctx context.Context, a *Principal, in NewWebhook) (model.Webhook, string, error) {
	if err := a.May(VerbCreateWebhook); err != nil {
		return model.Webhook{}, "", err
	}
	if err := a.maySeeEveryEvent(); err != nil {
		return model.Webhook{}, "", err
	}
	clean, err := d.checkWebhook(a, WebhookChange{Name: &in.Name, URL: &in.URL, Events: &in.Events})
	if err != nil {
		return model.Webhook{}, "", err
	}
	secret := signature.NewSecret()
	made, err := writeAnswer(ctx, d, func(tx *store.Tx) (model.Webhook, error) {
		n, err := tx.Count(store.CountWebhooks, a.Company.ID)
		if err != nil {
			return model.Webhook{}, err
		}
		if n >= model.MaxWebhooks {
			return model.Webhook{}, model.Errorf(model.CodeWebhookLimit, "A company can have %d webhooks. Delete one first.", model.MaxWebhooks)
		}
		w := store.Webhook{Company: a.Company.ID, Webhook: model.Webhook{ID: model.NewID(), Active: true, CreatedAt: tx.Now, UpdatedAt: tx.Now}}
		clean.apply(&w.Webhook)
		w.BoardsOf = a.boardsOf()
		w.Secret = d.vault.Seal([]byte(secret), w.Company, w.ID)
		tx.InsertWebhook(w)
		return w.Webhook, nil
	})
	return made, secret, err
}

// UpdateWebhook changes an address. Activating it resets its count of failures and, with Replay, delivers the events that it
// missed; deactivating it gives up what is pending, which the feed still has.
func (d *Desk) UpdateWebhook(ctx context.Context, a *Principal, id model.ID, in WebhookChange) (model.Webhook, error) {
	if err := a.May(VerbUpdateWebhook); err != nil {
		return model.Webhook{}, err
	}
	if err := a.maySeeEveryEvent(); err != nil {
		return model.Webhook{}, err
	}
	clean, err := d.checkWebhook(a, in)
	if err != nil {
		return model.Webhook{}, err
	}
	if in.Replay && (in.Active == nil || !*in.Active) {
		return model.Webhook{}, model.Invalid("body.replay", "needs active: true")
	}
	return write(ctx, d, func(tx *store.Tx) (model.Webhook, error) {
		w, found, err := tx.LockWebhook(a.Company.ID, id)
		if err != nil || !found {
			return w.Webhook, errOr(err, model.NotFound("webhook"))
		}
		clean.apply(&w.Webhook)
		if in.URL != nil || in.Events != nil {
			w.BoardsOf = a.boardsOf()
		}
		before := w.Active
		if in.Active != nil {
			w.Active = *in.Active
			if w.Active {
				w.ConsecutiveFailures = 0
			}
		}
		w.UpdatedAt = tx.Now
		tx.SaveWebhook(w)
		if before && !w.Active {
			if err := tx.MissEvents(a.Company.ID, id); err != nil {
				return w.Webhook, err
			}
		}
		if in.Replay {
			started, err := tx.StartReplay(a.Company.ID, id)
			if err != nil || !started {
				return w.Webhook, errOr(err, model.Invalid("body.replay", "there is nothing to deliver again: the webhook has missed no events"))
			}
			tx.AfterCommit(func() { d.announce(id) })
		}
		if !w.Active {
			if err := d.giveUp(tx, id, reasonInactive); err != nil {
				return w.Webhook, err
			}
		}
		return w.Webhook, nil
	})
}

// DeleteWebhook removes an address at once, with what was on its way to it.
func (d *Desk) DeleteWebhook(ctx context.Context, a *Principal, id model.ID) error {
	if err := a.May(VerbDeleteWebhook); err != nil {
		return err
	}
	if err := a.maySeeEveryEvent(); err != nil {
		return err
	}
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		found, err := tx.DeleteWebhook(a.Company.ID, id)
		if err == nil && !found {
			err = model.NotFound("webhook")
		}
		tx.AfterCommit(func() { d.announce(id) }) // for what is pending to be dropped
		return struct{}{}, err
	})
	return err
}

// RotateWebhookSecret replaces the signing secret and gives the new one. For a day the Standard
// Webhooks header carries a signature with the old one as well.
func (d *Desk) RotateWebhookSecret(ctx context.Context, a *Principal, id model.ID) (model.Webhook, string, error) {
	if err := a.May(VerbRotateWebhookSecret); err != nil {
		return model.Webhook{}, "", err
	}
	if err := a.maySeeEveryEvent(); err != nil {
		return model.Webhook{}, "", err
	}
	secret := signature.NewSecret()
	w, err := writeAnswer(ctx, d, func(tx *store.Tx) (model.Webhook, error) {
		w, found, err := tx.LockWebhook(a.Company.ID, id)
		if err != nil || !found {
			return w.Webhook, errOr(err, model.NotFound("webhook"))
		}
		until := tx.Now.Add(model.SecretOverlap)
		w.OldSecret, w.OldSecretUntil = w.Secret, &until
		w.Secret = d.vault.Seal([]byte(secret), w.Company, w.ID)
		w.UpdatedAt = tx.Now
		tx.SaveWebhook(w)
		return w.Webhook, nil
	})
	return w, secret, err
}

// WebhookEvents lists the events that the principal can ask for.
func (d *Desk) WebhookEvents(_ context.Context, a *Principal) ([]model.EventType, error) {
	if err := a.May(VerbWebhookEvents); err != nil {
		return nil, err
	}
	events := slices.DeleteFunc(slices.Clone(model.AllEvents), func(e model.EventType) bool { return !a.Scopes.Has(e.Scope()) })
	return events, a.maySeeEveryEvent()
}

// maySeeEveryEvent is the permission check of every verb on webhooks: an address receives the events of all
// conversations, so its settings and deliveries belong to members who see all conversations.
func (a *Principal) maySeeEveryEvent() error {
	if a.Profile == model.AccessAll {
		return nil
	}
	return model.Errorf(model.CodeInsufficientScope,
		"Webhooks receive the events of every conversation, and this key acts as a member who does not see them all. GET /events gives what it may see.")
}

// boardsOf is whose list of boards bounds the card events of an address that the principal chose: its key's,
// where that has one.
func (a *Principal) boardsOf() *model.ID {
	if a.Boards == nil {
		return nil
	}
	return &a.Key
}

// cleanWebhook holds checked values; the zero value of a field leaves it as it is.
type cleanWebhook struct {
	name   string
	url    string
	events []model.EventType
}

func (c cleanWebhook) apply(w *model.Webhook) {
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

func (d *Desk) checkWebhook(a *Principal, in WebhookChange) (cleanWebhook, error) {
	var c cleanWebhook
	if in.Name != nil {
		name, invalid := model.Name("body.name", *in.Name, model.MaxName)
		if invalid != nil {
			return c, invalid
		}
		c.name = name
	}
	if in.Events != nil {
		events, invalid := model.ParseEvents("body.events", *in.Events)
		if invalid != nil {
			return c, invalid
		}
		if events == 0 {
			return c, model.Invalid("body.events", "must have at least one event type")
		}
		for _, event := range events.List() {
			if scope := event.Scope(); !a.Scopes.Has(scope) {
				return c, errScope(a, scope)
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
func (d System) WebhookCounts(ctx context.Context) (store.WebhookCounts, error) {
	return read(ctx, d.Desk, func(tx *store.Tx) (store.WebhookCounts, error) { return tx.WebhookCounts() })
}

// due remembers which webhooks got something to do since the delivering loop last looked.
type due struct {
	mu       sync.Mutex
	here     map[model.ID]struct{} // by a transaction of this process
	there    map[model.ID]struct{} // by another node
	anything bool                  // another node named no webhook: all are to be looked at
}

// DueWebhooks is what became due. If it names no webhook, all are to be looked at.
type DueWebhooks struct {
	Here  []model.ID // through this process: other nodes do not know yet
	There []model.ID // through another node, which says so to all
	All   bool
}

// announce wakes the delivering loop for webhooks that a durable transaction gave work.
func (d *Desk) announce(webhooks ...model.ID) {
	d.due.mu.Lock()
	defer d.due.mu.Unlock()
	if d.due.here == nil {
		d.due.here = map[model.ID]struct{}{}
	}
	for _, w := range webhooks {
		d.due.here[w] = struct{}{}
	}
	d.wakeups.Deliver.Notify()
}

// TakeDue gives what was announced since the last call, and takes back the signal of what was announced after the one that led
// to this call: a signal that names no webhook would have all of them looked at.
func (d System) TakeDue() DueWebhooks {
	d.due.mu.Lock()
	defer d.due.mu.Unlock()
	d.wakeups.Deliver.takeBack()
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
func (d System) TellDue(webhook model.ID) {
	text := ""
	if !webhook.IsZero() {
		text = webhook.String()
	}
	d.store.Notify(channelDeliver, text)
}

// ListenDue passes on what other nodes tell, until ctx ends.
func (d System) ListenDue(ctx context.Context) {
	d.store.Listen(ctx, channelDeliver, func(payload string) {
		webhook, ok := model.ParseID(payload)
		d.due.mu.Lock()
		defer d.due.mu.Unlock()
		if ok {
			if d.due.there == nil {
				d.due.there = map[model.ID]struct{}{}
			}
			d.due.there[webhook] = struct{}{}
		} else {
			d.due.anything = true
		}
		d.wakeups.Deliver.Notify()
	})
}

// Lease is a node's right to work for one webhook or channel until a time.
type Lease = store.Lease

// Pending is a webhook with deliveries that are not final.
type Pending = store.Pending

// PendingWebhooks lists the webhooks that owner may have to work for.
func (d System) PendingWebhooks(ctx context.Context, owner model.ID) (out []Pending, err error) {
	err = d.store.ReadOne(ctx, func(tx *store.Tx) (err error) {
		out, err = tx.PendingWebhooks(owner)
		return err
	})
	return out, err
}

// DueDeliveries returns up to limit due deliveries of a webhook.
func (d System) DueDeliveries(ctx context.Context, webhook model.ID, limit int) (due store.DueDeliveries, err error) {
	err = d.store.ReadOne(ctx, func(tx *store.Tx) (err error) {
		due, err = tx.DueDeliveries(webhook, tx.Now, limit)
		return err
	})
	return due, err
}

// The kinds of lease.
const (
	LeaseWebhook = store.LeaseWebhook
	LeaseChannel = store.LeaseChannel
)

// TakeLease takes the lease of a webhook, and reports false while another node holds it.
func (d System) TakeLease(ctx context.Context, webhook, owner model.ID, length time.Duration) (lease Lease, taken bool, err error) {
	err = d.store.Write(ctx, func(tx *store.Tx) (err error) {
		lease, taken, err = tx.TakeLease(LeaseWebhook, webhook, owner, length)
		return err
	})
	return lease, taken, err
}

// RenewLeases lengthens all leases of one kind that owner holds and returns those that it still holds.
func (d System) RenewLeases(ctx context.Context, kind string, owner model.ID, length time.Duration) ([]Lease, error) {
	return write(ctx, d.Desk, func(tx *store.Tx) ([]Lease, error) { return tx.RenewLeases(kind, owner, length) })
}

// ReleaseLease gives up a lease before it ends.
func (d System) ReleaseLease(ctx context.Context, lease Lease, owner model.ID) error {
	return d.store.Write(ctx, func(tx *store.Tx) error {
		tx.ReleaseLease(lease, owner)
		return nil
	})
}

// ReleaseLeases gives up every lease of owner, and tells the other nodes to look.
func (d System) ReleaseLeases(ctx context.Context, owner model.ID) error {
	err := d.store.Write(ctx, func(tx *store.Tx) error {
		tx.ReleaseLeases(owner)
		return nil
	})
	d.TellDue(model.ID{})
	return err
}

// DueCount is how many deliveries are due, counted up to a hundred thousand, and how old the oldest is.
func (d System) DueCount(ctx context.Context) (n int64, oldest time.Duration, err error) {
	err = d.store.Read(ctx, func(tx *store.Tx) (err error) {
		if n, err = tx.CountDue(100_000); err != nil {
			return err
		}
		pending, err := tx.PendingWebhooks(model.ID{})
		for _, p := range pending {
			oldest = max(oldest, tx.Now.Sub(p.DueAt))
		}
		return err
	})
	return n, oldest, err
}
