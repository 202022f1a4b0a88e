// Package desk holds the verbs of the product. A method that takes a Principal checks the permission that
// its Verb names, and makes its change and the events of that change in one transaction. Methods for the
// command line, for background work, for authentication and for visitors who have no session yet take no
// principal, check no permission and belong to System. The package serves no HTTP; it makes the requests to
// webhooks.
package desk

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"recado/internal/blob"
	"recado/internal/cursor"
	"recado/internal/guard"
	"recado/internal/lookup"
	"recado/internal/model"
	"recado/internal/password"
	"recado/internal/secretkey"
	"recado/internal/slots"
	"recado/internal/store"
	"recado/internal/vault"
)

// Options are the parts a Desk works with.
type Options struct {
	Store   *store.Store
	Blob    blob.Store
	Vault   *vault.Vault
	Guard   *guard.Client
	Logger  *slog.Logger
	Numbers Numbers          // WhatsApp's side of connecting numbers; nil: none can be connected
	Now     func() time.Time // the clock of rules; default time.Now
	Rate    model.Rate       // of keys that have none of their own
	Limits  model.Limits     // of each company; zero: model.DefaultLimits

	Passwords password.Cost // of their hashes; zero: password.DefaultCost

	Brand   string        // in the X-<Brand>-* headers of deliveries; default Service
	Retries model.Retries // of deliveries; default model.DefaultRetries
}

// Desk has the verbs, and what they share: the store, files, secrets, limits and caches.
type Desk struct {
	store   *store.Store
	blob    blob.Store
	vault   *vault.Vault
	guard   *guard.Client
	numbers Numbers
	log     *slog.Logger
	now     func() time.Time
	rate    model.Rate

	limits    model.Limits
	searches  expensive
	reports   expensive
	feeds     expensive                // reads of the feed that look through very many events
	counts    expensive                // of the inbox, which reads every open conversation for every saved view
	hashing   *slots.Budget[model.ID]  // by company, of passwords
	uploads   *slots.Limiter[model.ID] // by company
	passwords *password.Hasher

	conversions chan struct{} // of recordings, under way on this node

	brand   brand
	retries model.Retries
	tests   *slots.Limiter[model.ID] // of webhooks, by company
	testing *slots.Limiter[struct{}] // likewise, of all companies
	due     due
	feed    feed

	followers followers

	cursors  cursor.Key
	keys     *lookup.Table[holder]
	sessions *lookup.Table[sessionHolder]
	seen     seen
	wakeups  Wakeups
	activity callbackActivity
	receipts chan Receipt
	signals  signals

	systemBoards sync.Map // company -> *model.Board; see card_move.go
	receptions   sync.Map // channel -> *knownReception; see reception.go
	shownMenus   shownMenus
	settling     settling
}

// Wakeups wake the loops of package work within this process as soon as a transaction is durable.
type Wakeups struct {
	Deliver Wakeup // a delivery became due
	Send    Wakeup // a message waits for its provider
	Fetch   Wakeup // a customer's file waits at its provider
	Index   Wakeup // something waits to be indexed for search

	Templates Wakeup // the templates of a channel have to be fetched

	Distribute Wakeup // a case may wait for a person, or a person for a case
}

// New makes a Desk.
func New(o Options) *Desk {
	d := &Desk{store: o.Store, blob: o.Blob, vault: o.Vault, guard: o.Guard, numbers: o.Numbers, log: o.Logger, now: o.Now, rate: o.Rate}
	if d.now == nil {
		d.now = time.Now
	}
	if d.log == nil {
		d.log = slog.New(slog.DiscardHandler)
	}
	if d.rate == (model.Rate{}) {
		d.rate = model.Rate{PerSecond: model.DefaultRate, Burst: model.DefaultBurst}
	}
	if d.limits = o.Limits; d.limits == (model.Limits{}) {
		d.limits = model.DefaultLimits
	}
	together := slots.New[model.ID](1, math.MaxInt64)
	processors := float64(runtime.GOMAXPROCS(0))
	budget := func() *slots.Budget[model.ID] {
		return slots.NewBudget[model.ID](searchShare*processors, searchSaved).With(together)
	}
	searching := func(what string, wait time.Duration) expensive {
		return expensive{what, d.limits.Searches, slots.New[model.ID](d.limits.Searches, searchPlaces), budget(), wait}
	}
	d.searches, d.reports, d.feeds = searching("searches", searchWait), searching("reports", reportWait), searching("reads of the feed", searchWait)
	d.counts = expensive{"counts of the inbox", 1, slots.New[model.ID](math.MaxInt64, 0), budget(), searchWait}
	d.hashing = slots.NewBudget[model.ID](hashShare*processors, hashSaved)
	d.conversions = make(chan struct{}, conversionsAtOnce)
	d.uploads = slots.New[model.ID](d.limits.Uploads, 0)
	d.passwords = password.NewHasher(o.Passwords, d.hashing)
	d.keys, d.sessions = lookup.New[holder](d.now), lookup.New[sessionHolder](d.now)
	if d.vault != nil {
		d.cursors = cursor.Key(d.vault.Derive("cursor"))
	}
	d.activity = callbackActivity{since: d.now(), calls: map[model.ID]*store.CallbackActivity{}}
	d.signals.node = model.NewID()
	d.receipts = make(chan Receipt, 1024)
	if d.retries = o.Retries; d.retries == nil {
		d.retries = model.DefaultRetries
	}
	d.brand = newBrand(o.Brand)
	d.tests, d.testing = slots.New[model.ID](companyTests, 0), slots.New[struct{}](maxTests, 0)
	d.wakeups = Wakeups{Deliver: newWakeup(), Send: newWakeup(), Fetch: newWakeup(), Index: newWakeup(), Templates: newWakeup(), Distribute: newWakeup()}
	return d
}

// Wakeups gives the loops what to wait on.
func (d System) Wakeups() Wakeups { return d.wakeups }

// Rate is that of keys that have none of their own.
func (d System) Rate() model.Rate { return d.rate }

// SecretKey gives what checks and replaces the secret key of the installation.
func (d System) SecretKey() *secretkey.Keeper { return secretkey.New(d.store, d.vault) }

// Ready reports whether the database answers and the secret key fits it: another node may have replaced the key.
func (d System) Ready(ctx context.Context) error {
	if err := d.store.Ping(ctx); err != nil {
		return err
	}
	err := d.SecretKey().Fits(ctx)
	if errors.Is(err, secretkey.ErrWrong) {
		return &model.Error{
			Code: model.CodeUnavailable, RetryAfter: time.Second,
			Message: "The secret key of this server does not fit its database. Start it again with the key that the other nodes have.",
		}
	}
	return err
}

// Wakeup wakes the loop that waits on C. Two notifications before the loop looks are the same as one.
type Wakeup struct{ C chan struct{} }

func newWakeup() Wakeup { return Wakeup{make(chan struct{}, 1)} }

// Notify never blocks.
func (s Wakeup) Notify() {
	select {
	case s.C <- struct{}{}:
	default:
	}
}

// takeBack undoes a notification that no loop has seen yet.
func (s Wakeup) takeBack() {
	select {
	case <-s.C:
	default:
	}
}

// write runs a verb in one transaction. The verb may run more than once when the database asks for a
// retry, so it must change nothing but tx.
func write[T any](ctx context.Context, d *Desk, verb func(tx *store.Tx) (T, error)) (T, error) {
	var out T
	err := d.store.Write(ctx, func(tx *store.Tx) (err error) {
		out, err = verb(tx)
		return err
	})
	if err != nil {
		var zero T
		return zero, err
	}
	return out, nil
}

// read runs a query on one snapshot.
func read[T any](ctx context.Context, d *Desk, query func(tx *store.Tx) (T, error)) (T, error) {
	var out T
	err := d.store.Read(ctx, func(tx *store.Tx) (err error) {
		out, err = query(tx)
		return err
	})
	return out, err
}

// readOne is read for a query of one statement: it saves PostgreSQL two round trips.
func readOne[T any](ctx context.Context, d *Desk, query func(tx *store.Tx) (T, error)) (T, error) {
	var out T
	err := d.store.ReadOne(ctx, func(tx *store.Tx) (err error) {
		out, err = query(tx)
		return err
	})
	return out, err
}

// errOr gives err where there is one, and the rule's own error otherwise.
func errOr(err error, rule error) error {
	if err != nil {
		return err
	}
	return rule
}

// optional gives nil for an empty text.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// optionalTime is nil for no time.
func optionalTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// set changes a field if there is something to change it to.
func set[T any](field, to *T) {
	if to != nil {
		*field = *to
	}
}

// same compares what two pointers point at.
func same[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// indexed names one element of a list in a request: body.label_ids[2].
func indexed(field string, i int) string { return field + "[" + strconv.Itoa(i) + "]" }

const (
	searchPlaces = 64               // searches of one company that may wait for its slots; reports and reads of the feed likewise
	searchWait   = 2 * time.Second  // before a waiting search or count is refused, or a page of the feed stays short
	reportWait   = 10 * time.Second // before a waiting report is refused: a page may show several, and a year of a large team takes a while
	searchShare  = 1.0 / 16         // of the processors, for the searches of one company while others are active; each of the others likewise
	searchSaved  = time.Second      // of the time for each of these that a company does not use
	hashShare    = 1.0 / 4          // of the processors, for the passwords of one company; all its people may sign in at the same hour
	hashSaved    = 2 * time.Second
	deepOffset   = 1_000 // rows that a list may skip without counting as a search
)

// Limits are those of each company.
func (d System) Limits() model.Limits { return d.limits }

// checkLimit refuses when the company has limit of what is counted already. No other transaction can add
// one before this one ends.
func checkLimit(tx *store.Tx, company model.ID, what store.Countable, plural string, limit int64) error {
	n, err := tx.Count(what, company)
	if err == nil && n >= limit {
		err = model.LimitReached(plural, limit)
	}
	return err
}

// checkMemberships refuses a change after which the company has more memberships in sectors than its limit, unless
// it has fewer than before. Lists of the team and of the sectors show each of them.
func (d *Desk) checkMemberships(tx *store.Tx, company model.ID, before, after int) error {
	return checkGrowth(tx, company, store.CountMemberships, "memberships in sectors", d.limits.Memberships, before, after)
}

// checkGrowth refuses a change of a part from before to after that takes the whole beyond the company's limit.
func checkGrowth(tx *store.Tx, company model.ID, what store.Countable, plural string, limit int64, before, after int) error {
	n, err := tx.Count(what, company)
	if err == nil && after > before && n+int64(after-before) > limit {
		err = model.LimitReached(plural, limit)
	}
	return err
}

// list reads a list in one of the company's slots for searches when it is asked for a text, or for a page that lies behind very
// many rows: both read far more than they answer. So does a list with several filters whose first rows do not fill the page: such
// a one is read near first, and gives store.ErrFar then.
func list[T any](ctx context.Context, d *Desk, a *Principal, text string, offset int, from func(near bool) (T, error)) (T, error) {
	if strings.TrimSpace(text) == "" && offset <= deepOffset {
		if page, err := from(true); !errors.Is(err, store.ErrFar) {
			return page, err
		}
	}
	var none T
	release, err := d.searches.begin(ctx, a)
	if err != nil {
		return none, err
	}
	defer release()
	return from(false)
}

// expensive is a kind of calls that read far more than they answer. Of each company so many run at once, within its budget.
type expensive struct {
	what   string // in the plural
	limit  int64  // how many of them, as the refusal tells
	slots  *slots.Limiter[model.ID]
	budget *slots.Budget[model.ID]
	wait   time.Duration // before a call is refused
}

// begin waits until the company may make the call. The caller calls release in every case without an error.
func (e *expensive) begin(ctx context.Context, a *Principal) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, e.wait)
	defer cancel()
	leave, err := e.slots.Acquire(ctx, a.Company.ID)
	if err != nil {
		return nil, e.refused(err)
	}
	end, err := e.budget.Begin(ctx, a.Company.ID)
	if err != nil {
		leave()
		return nil, e.refused(err)
	}
	return func() {
		end()
		leave()
	}, nil
}

func (e *expensive) refused(err error) error {
	if errors.Is(err, slots.ErrFull) || errors.Is(err, context.DeadlineExceeded) {
		return errBusy(e.what, e.limit)
	}
	return err
}

// active notes that a company makes calls, which the expensive ones and the hashes of others shall not slow down.
func (d *Desk) active(company model.ID) {
	for _, budget := range [...]*slots.Budget[model.ID]{d.searches.budget, d.reports.budget, d.feeds.budget, d.counts.budget, d.hashing} {
		budget.Active(company)
	}
}

// uploadSlot takes one of the company's slots for uploads.
func (d *Desk) uploadSlot(ctx context.Context, a *Principal) (release func(), err error) {
	release, err = d.uploads.Acquire(ctx, a.Company.ID)
	if errors.Is(err, slots.ErrFull) {
		err = errBusy("uploads", d.limits.Uploads)
	}
	return release, err
}

// errBusy is the refusal of one more of what, a plural, than a company may run at once.
func errBusy(what string, limit int64) error {
	refused := model.Errorf(model.CodeRateLimited, "This company has as many %s running as it may, %d at once. Try again in a moment.", what, limit)
	refused.RetryAfter = time.Second
	return refused
}

// optionalID is nil for no id.
func optionalID(id model.ID) *model.ID {
	if id.IsZero() {
		return nil
	}
	return &id
}

// System is the desk for callers that are not a Principal: background work, which acts for every company; the
// command line, which adds companies and members; the API, when it authenticates a caller; and visitors, who
// set the installation up, sign in or follow a link. Its methods check no scope or role. What a visitor may do
// depends on the password or token that comes with the call.
type System struct{ *Desk }

// System returns the methods that take no principal.
func (d *Desk) System() System { return System{d} }

// SingleNode reports whether no other process can work on the same database: then no leases are needed.
func (d System) SingleNode() bool { return d.store.SingleNode() }

// Now is the time by the desk's clock.
func (d System) Now() time.Time { return d.now() }

// Backlog is how much background work is left besides deliveries, on all nodes, each kind counted up to a
// hundred thousand.
func (d System) Backlog(ctx context.Context) (backlog store.Backlog, err error) {
	err = d.store.Read(ctx, func(tx *store.Tx) (err error) {
		backlog, err = tx.Backlog(100_000)
		return err
	})
	return backlog, err
}

// indexBatch is how many texts one transaction indexes: few, so that writers wait for a moment only. After indexTurn
// batches of messages it is the turn of the other texts again.
const (
	indexBatch = 250
	indexTurn  = 40
)

// IndexSearch indexes the texts that have changed: those of conversations, contacts and cards, then those of messages. A
// search finds them before that too, only not as fast. Each kind has transactions of its own, and messages have many in
// turn: a conversation that changes with each of them is then indexed once.
func (d System) IndexSearch(ctx context.Context) error {
	for {
		if _, err := d.indexBatches(ctx, (*store.Tx).IndexText, math.MaxInt); err != nil {
			return err
		}
		if more, err := d.indexBatches(ctx, (*store.Tx).IndexMessages, indexTurn); err != nil || !more {
			return err
		}
	}
}

// indexBatches indexes up to limit batches of one kind of text, and reports whether more may be waiting.
func (d System) indexBatches(ctx context.Context, index func(tx *store.Tx, n int) (int, error), limit int) (more bool, err error) {
	more = true
	for i := 0; i < limit && more && err == nil; i++ {
		err = d.store.Write(ctx, func(tx *store.Tx) error {
			done, err := index(tx, indexBatch)
			more = done == indexBatch
			return err
		})
	}
	return more, err
}

// purgeTalk deletes old notifications and renderings, and reports whether there is more.
func purgeTalk(tx *store.Tx, step int) (more bool, err error) {
	notifications, err := tx.PurgeNotifications(tx.Now.Add(-model.NotificationRetention), step)
	if err != nil {
		return false, err
	}
	renderings, err := tx.PurgeRenderings(tx.Now.Add(-model.RenderingRetention), step)
	return notifications >= int64(step) || renderings >= int64(step), err
}

// Purge deletes what is older than it has to be kept, in small steps. It reports whether there is more.
func (d System) Purge(ctx context.Context) (more bool, err error) {
	const step = 500
	return write(ctx, d.Desk, func(tx *store.Tx) (bool, error) {
		deliveries, err := tx.PurgeDeliveries(tx.Now.Add(-model.DeliveryRetention), step)
		if err != nil {
			return false, err
		}
		events, err := tx.PurgeEvents(tx.Now.Add(-model.EventRetention), step)
		if err != nil {
			return false, err
		}
		notices, err := tx.PurgeNotices(tx.Now.Add(-model.NoticeRetention), step)
		if err != nil {
			return false, err
		}
		talk, err := purgeTalk(tx, step)
		if err != nil {
			return false, err
		}
		sessions, err := tx.RemoveOldSessions(step)
		return deliveries >= step || events >= step || notices >= step || talk || sessions >= step, err
	})
}

// Bind gives a context in which the transactions for a company run, with the same limit as those of its principals.
func (d System) Bind(ctx context.Context, company model.ID) context.Context {
	return store.ForCompany(ctx, company)
}
