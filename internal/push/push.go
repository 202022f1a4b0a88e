// Package push sends notifications to the browsers and phones of members by Web Push, also while the app is closed.
package push

import (
	"context"
	"errors"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"recado/internal/guard"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/limits"
	"recado/internal/people"
	"recado/internal/talk"
)

// Pushes has the verbs of the package.
type Pushes struct {
	*kernel.Kernel
	people  *people.People
	talk    *talk.Talk
	guard   *guard.Client
	contact string
	tests   *limits.Concurrency[kernel.ID] // by company
}

// New returns the verbs of notifications. From then on notifications are sent to the devices of members.
func New(t *talk.Talk, p *people.People, client *guard.Client) *Pushes {
	d := &Pushes{Kernel: p.Kernel, people: p, talk: t, guard: client, contact: noContact, tests: limits.NewConcurrency[kernel.ID](companyTests, 0)}
	t.Observe(talk.Observer{Received: d.received, Notified: d.notified})
	return d
}

// noContact is the contact of an installation without a public https URL, which no push service but a test can reach.
const noContact = "mailto:recado@localhost"

// SetContact sets the public URL of the installation, at which operators of push services can reach its operator. Call it before
// the first request.
func (d *Pushes) SetContact(public string) {
	if strings.HasPrefix(public, "https://") {
		d.contact = public
	}
}

// companyTests is the number of concurrent tests of a company. Each holds a request for up to eight seconds.
const companyTests = 8

// The verbs of notifications on devices.
var (
	VerbPushKey     = kernel.Listed(kernel.Verb{Name: "PushKey", SessionOnly: true})
	VerbSubscribe   = kernel.Listed(kernel.Verb{Name: "Subscribe", SessionOnly: true})
	VerbDevices     = kernel.Listed(kernel.Verb{Name: "Devices", SessionOnly: true})
	VerbUnsubscribe = kernel.Listed(kernel.Verb{Name: "Unsubscribe", SessionOnly: true})
	VerbTestPush    = kernel.Listed(kernel.Verb{Name: "TestPush", SessionOnly: true})
)

// HTTP returns the routes of the package.
func (d *Pushes) HTTP() httpserver.Capability {
	return httpserver.Capability{
		Routes: []*httpserver.Route{
			httpserver.Get("/me/push-key", VerbPushKey, "Get the key for Web Push", httpserver.NoInput(d.PushKey),
				httpserver.About("Pass the key as applicationServerKey to PushManager.subscribe. It is the same for everyone and changes only if the operator loses the secret key of the installation.")),
			httpserver.Get("/me/push-subscriptions", VerbDevices, "List your devices with notifications", httpserver.ListAll(d.Devices),
				httpserver.Named("listPushSubscriptions")),
			httpserver.Post("/me/push-subscriptions", VerbSubscribe, "Subscribe a device to notifications", d.subscribe, httpserver.Created,
				httpserver.Named("createPushSubscription"), httpserver.Fails(kernel.CodeLimitReached, kernel.CodeURLNotAllowed),
				httpserver.Example(`{"endpoint": "https://push.example.com/send/3q2-7wAAAAA", "keys": {"p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4", "auth": "BTBZMqHH6r4Tts7J_aSIgg"}, "device": "Chrome on Android"}`),
				httpserver.About("The body is the result of PushSubscription.toJSON() in the browser with a name for the device. A person can have 10 devices. "+
					"If the person has subscribed the same endpoint before, that subscription is updated. The endpoint and the keys are never returned. "+
					"The subscription ends with the session, when the person leaves the team, and when the push service no longer knows it. "+
					"Notifications contain {conversation, title, text}, encrypted for the device. Which kinds are sent, and when, is set in /me/preferences. Nothing is sent while the person is viewing a conversation in the app.")),
			httpserver.Del("/me/push-subscriptions/{id}", VerbUnsubscribe, "End the notifications of a device", httpserver.DeleteByID(d.Unsubscribe),
				httpserver.Named("deletePushSubscription")),
			httpserver.Post("/me/push-subscriptions/{id}/test", VerbTestPush, "Send a test notification to a device", httpserver.ByID(d.TestPush),
				httpserver.Named("testPushSubscription"),
				httpserver.About("Sends a notification at once, regardless of kinds, quiet hours and open windows of the app. It is not retried. The response says whether the push service accepted it.")),
		},
	}
}

// PushKey is the public key of the installation.
type PushKey struct {
	Key string `json:"key" doc:"An uncompressed point on the curve P-256, in base64url without padding."`
}

// PushKey returns the public key for subscriptions. The first call creates the key pair.
func (d *Pushes) PushKey(ctx context.Context, _ *kernel.Principal) (PushKey, error) {
	pair, err := d.keyPair(ctx)
	if err != nil {
		return PushKey{}, err
	}
	public, err := pair.public()
	return PushKey{public}, err
}

// keyID is the id of the only row of push_key.
const keyID = 1

// keyOwner binds the sealed key pair, which belongs to no company.
var keyOwner kernel.ID

// keyPair returns the key pair of the installation, creating it on first use.
func (d *Pushes) keyPair(ctx context.Context) (vapid, error) {
	sealed, found, err := d.sealedKey(ctx)
	if err == nil && !found {
		fresh, failed := newVAPID()
		if failed != nil {
			return fresh, failed
		}
		secret, failed := fresh.Bytes()
		if failed != nil {
			return fresh, failed
		}
		err = d.Store.Write(ctx, func(tx *kernel.Tx) error {
			tx.Later(`INSERT INTO push_key (id, sealed) VALUES ($1, $2) ON CONFLICT DO NOTHING`, int64(keyID), d.Vault.Seal(secret, keyOwner))
			return nil
		})
		if err == nil {
			sealed, _, err = d.sealedKey(ctx) // another node may have stored its key first
		}
	}
	if err != nil {
		return vapid{}, err
	}
	secret, err := d.Vault.Open(sealed, keyOwner)
	if err != nil {
		return vapid{}, errors.Join(errNoSecret, err)
	}
	return parseVAPID(secret)
}

func (d *Pushes) sealedKey(ctx context.Context) (sealed []byte, found bool, err error) {
	err = d.Store.ReadOne(ctx, func(tx *kernel.Tx) (err error) {
		sealed, found, err = SealedKey(tx)
		return err
	})
	return sealed, found, err
}

// SealedKey returns the sealed key pair. It returns false if there is none yet.
func SealedKey(tx *kernel.Tx) (sealed []byte, found bool, err error) {
	return kernel.Row(tx, `SELECT sealed FROM push_key WHERE id = $1`, []any{int64(keyID)}, func(r db.Row) []byte { return r.Bytes("sealed") })
}

// ResealKey replaces the sealed key pair, unless another process has replaced old in the meantime.
func ResealKey(tx *kernel.Tx, old, fresh []byte) {
	tx.Later(`UPDATE push_key SET sealed = $3 WHERE id = $1 AND sealed = $2`, int64(keyID), old, fresh)
}

// KeyOwner returns the id to which the sealed key pair is bound.
func KeyOwner() kernel.ID { return keyOwner }

// SealedSubscription is a subscription with its sealed endpoint.
type SealedSubscription struct {
	Company, ID kernel.ID
	Sealed      []byte
}

// SealedSubscriptions returns the subscriptions of every company, so that their endpoints can be sealed again.
func SealedSubscriptions(tx *kernel.Tx) ([]SealedSubscription, error) {
	return kernel.Rows(tx, `SELECT /* all companies: sealing secrets */ company, id, sealed FROM push_subscriptions ORDER BY company, id`, nil,
		func(r db.Row) SealedSubscription {
			return SealedSubscription{r.ID("company"), r.ID("id"), r.Bytes("sealed")}
		})
}

// ResealSubscription replaces the sealed endpoint of a subscription, unless it has changed in the meantime.
func ResealSubscription(tx *kernel.Tx, old SealedSubscription, fresh []byte) {
	tx.Later(`UPDATE push_subscriptions SET sealed = $4 WHERE company = $1 AND id = $2 AND sealed = $3`, old.Company, old.ID, old.Sealed, fresh)
}

// Forget deletes the key pair and all subscriptions, because the secret key that sealed them is lost. Devices subscribe again.
func Forget(tx *kernel.Tx) {
	tx.Later(`DELETE /* all companies: the key is the installation's */ FROM push_subscriptions`)
	tx.Later(`DELETE FROM push_key`)
}

var (
	sent = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "recado_push_sent_total", Help: "Notifications that push services accepted from this node.",
	})
	failed = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "recado_push_failed_total", Help: "Attempts to send a notification that failed on this node. They are retried for an hour.",
	})
	removed = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "recado_push_removed_total", Help: "Devices that this node removed because the push service no longer knows them.",
	})
)

// Collectors returns the metrics of notifications.
func Collectors() []prometheus.Collector { return []prometheus.Collector{sent, failed, removed} }
