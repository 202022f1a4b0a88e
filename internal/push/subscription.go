package push

import (
	"context"
	"crypto/ecdh"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
)

// PushSubscription is a browser that gets notifications of its owner.
type PushSubscription struct {
	ID         kernel.ID  `json:"id"`
	Device     string     `json:"device" doc:"The name that the app gave the device."`
	Current    bool       `json:"current" doc:"Whether the subscription belongs to the session of the current request."`
	CreatedAt  time.Time  `json:"created_at"`
	UpdatedAt  time.Time  `json:"updated_at"`
	LastUsedAt *time.Time `json:"last_used_at" doc:"The time of the last notification that the push service accepted; null if there was none."`
}

// NewSubscription describes a browser to subscribe.
type NewSubscription struct {
	Endpoint string  `json:"endpoint" minLength:"1" doc:"The https address of the push service, from the browser. At most 2048 bytes."`
	Keys     NewKeys `json:"keys"`
	Device   string  `json:"device,omitempty" maxLength:"120" doc:"A name that tells the person's devices apart."`
}

// NewKeys are the keys that the browser created for the subscription.
type NewKeys struct {
	P256DH string `json:"p256dh" maxLength:"200" doc:"An uncompressed point on the curve P-256, in base64url."`
	Auth   string `json:"auth" maxLength:"100" doc:"16 bytes in base64url."`
}

// MaxSubscriptions is the maximum number of devices of a person.
const MaxSubscriptions = 10

const maxDevice = 120 // characters

// errKey returns the error for a key of a subscription that is not one.
func errKey(field, format string) error {
	return kernel.Invalid(field, kernel.RuleMalformed, "must be "+format, kernel.Params{"format": "value"})
}

// check validates a subscription and returns its endpoint.
func (d *Pushes) check(in *NewSubscription) (endpoint, error) {
	u, err := d.guard.CheckURL(in.Endpoint)
	if err != nil {
		if refused, ok := errors.AsType[*kernel.Error](err); ok {
			for i := range refused.Fields {
				refused.Fields[i].Field = "body.endpoint"
			}
		}
		return endpoint{}, err
	}
	e := endpoint{URL: u.String()}
	if e.P256DH, err = decodeKey(in.Keys.P256DH); err == nil {
		_, err = ecdh.P256().NewPublicKey(e.P256DH)
	}
	if err != nil {
		return e, errKey("body.keys.p256dh", "an uncompressed point on the curve P-256, in base64url")
	}
	if e.Auth, err = decodeKey(in.Keys.Auth); err != nil || len(e.Auth) != authBytes {
		return e, errKey("body.keys.auth", "16 bytes in base64url")
	}
	if _, invalid := kernel.OptionalText("body.device", in.Device, maxDevice); invalid != nil {
		return e, invalid
	}
	return e, nil
}

// Subscribe adds a device of the caller, or updates the one with the same endpoint. The subscription ends with the session, or when
// another person of the company subscribes the same browser.
func (d *Pushes) Subscribe(ctx context.Context, a *kernel.Principal, in NewSubscription) (PushSubscription, error) {
	e, err := d.check(&in)
	if err != nil {
		return PushSubscription{}, err
	}
	plain, err := json.Marshal(e)
	if err != nil {
		return PushSubscription{}, err
	}
	hash := sha256.Sum256([]byte(e.URL))
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (PushSubscription, error) {
		if err := lockSession(tx, a); err != nil {
			return PushSubscription{}, err
		}
		s, found, err := kernel.Row(tx, `
			SELECT id, device, session, created_at, updated_at, last_used_at
			FROM push_subscriptions
			WHERE company = $1 AND member = $2 AND hash = $3`, []any{a.Company.ID, a.User.ID, hash[:]}, scanSubscription(a))
		if err != nil {
			return s, err
		}
		tx.Later(`DELETE FROM push_subscriptions WHERE company = $1 AND hash = $2 AND member <> $3`, a.Company.ID, hash[:], a.User.ID)
		s.Device, s.Current, s.UpdatedAt = in.Device, true, tx.Now
		if found {
			tx.Later(`
				UPDATE push_subscriptions
				SET session = $3, sealed = $4, device = $5, updated_at = $6, paused_until = NULL
				WHERE company = $1 AND id = $2`,
				a.Company.ID, s.ID, a.Session, d.Vault.Seal(plain, a.Company.ID, s.ID), s.Device, tx.Now)
			return s, nil
		}
		others, err := listSubscriptions(tx, a)
		if err != nil {
			return s, err
		}
		if len(others) >= MaxSubscriptions {
			return s, kernel.LimitReached("devices per person", MaxSubscriptions)
		}
		s.ID, s.CreatedAt = kernel.NewID(), tx.Now
		tx.Later(`
			INSERT INTO push_subscriptions (company, id, member, session, hash, sealed, device, created_at, updated_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)`,
			a.Company.ID, s.ID, a.User.ID, a.Session, hash[:], d.Vault.Seal(plain, a.Company.ID, s.ID), s.Device, tx.Now)
		return s, nil
	})
}

// lockSession keeps the caller's session from ending, and lets the caller's subscriptions take turns.
func lockSession(tx *kernel.Tx, a *kernel.Principal) error {
	if _, err := tx.One(`SELECT 1 FROM users WHERE company = $1 AND id = $2`+tx.Dialect().Lock(` FOR NO KEY UPDATE`),
		[]any{a.Company.ID, a.User.ID}, func(db.Row) {}); err != nil {
		return err
	}
	found, err := tx.One(`SELECT 1 FROM sessions WHERE company = $1 AND id = $2`+tx.ForShare(), []any{a.Company.ID, a.Session}, func(db.Row) {})
	if err == nil && !found {
		err = kernel.Errorf(kernel.CodeSessionMissing, "Your session has ended. Sign in again.")
	}
	return err
}

type subscribeInput struct {
	Body struct{ NewSubscription }
}

func (d *Pushes) subscribe(ctx context.Context, a *kernel.Principal, in *subscribeInput) (*httpserver.Reply[PushSubscription], error) {
	return httpserver.Body(d.Subscribe(ctx, a, in.Body.NewSubscription))
}

// Devices lists the caller's subscriptions, oldest first.
func (d *Pushes) Devices(ctx context.Context, a *kernel.Principal) ([]PushSubscription, error) {
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) ([]PushSubscription, error) { return listSubscriptions(tx, a) })
}

// Unsubscribe ends the notifications of one of the caller's devices.
func (d *Pushes) Unsubscribe(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		n, err := tx.Exec(`DELETE FROM push_subscriptions WHERE company = $1 AND member = $2 AND id = $3`, a.Company.ID, a.User.ID, id)
		if err == nil && n == 0 {
			err = kernel.NotFound("push subscription")
		}
		return err
	})
}

// listSubscriptions lists the caller's subscriptions whose session has not ended.
func listSubscriptions(tx *kernel.Tx, a *kernel.Principal) ([]PushSubscription, error) {
	return kernel.Rows(tx, `
		SELECT p.id, p.device, p.session, p.created_at, p.updated_at, p.last_used_at
		FROM push_subscriptions p
		JOIN sessions s ON s.company = p.company AND s.id = p.session
		WHERE p.company = $1 AND p.member = $2 AND s.last_seen_at > $3 AND s.created_at > $4
		ORDER BY p.id`, []any{a.Company.ID, a.User.ID, tx.Now.Add(-people.SessionIdle), tx.Now.Add(-people.SessionLongest)}, scanSubscription(a))
}

func scanSubscription(a *kernel.Principal) func(r db.Row) PushSubscription {
	return func(r db.Row) PushSubscription {
		return PushSubscription{
			ID: r.ID("id"), Device: r.Text("device"), Current: r.ID("session") == a.Session, CreatedAt: r.Time("created_at"),
			UpdatedAt: r.Time("updated_at"), LastUsedAt: r.NullTime("last_used_at"),
		}
	}
}

// PushTest is the result of a test notification.
type PushTest struct {
	Sent       bool           `json:"sent" doc:"Whether the push service accepted the notification."`
	Removed    bool           `json:"removed" doc:"Whether the push service no longer knows the device, and the subscription was removed. Subscribe again."`
	StatusCode *int64         `json:"status_code" doc:"The status of the push service's response; null if there was none."`
	Code       *string        `json:"code" doc:"A stable identifier of the reason why it failed, as in the attempts of webhook deliveries; null if it was sent." example:"timeout"`
	Params     map[string]any `json:"params" doc:"Values that accompany the code; {} if there are none."`
}

// TestPush sends a test notification to one of the caller's devices.
func (d *Pushes) TestPush(ctx context.Context, a *kernel.Principal, id kernel.ID) (PushTest, error) {
	var language string
	to, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (recipient, error) {
		to, err := findRecipient(tx, a.Company.ID, id)
		if err == nil && (to == nil || to.member != a.User.ID) {
			err = kernel.NotFound("push subscription")
		}
		if err != nil {
			return recipient{}, err
		}
		preferences, err := people.MemberPreferences(tx, a.Company.ID, a.User.ID)
		language = preferences.Language
		return *to, err
	})
	if err != nil {
		return PushTest{}, err
	}
	release, err := d.tests.Acquire(ctx, a.Company.ID)
	if err != nil {
		return PushTest{}, kernel.ErrBusy("tests of devices", companyTests)
	}
	defer release()
	o, err := d.post(context.WithoutCancel(ctx), &to, testMessage(language))
	if err != nil {
		return PushTest{}, err
	}
	return kernel.WriteAnswer(context.WithoutCancel(ctx), d.Kernel, func(tx *kernel.Tx) (PushTest, error) {
		o.record(tx, &to, o.wait(1))
		return PushTest{Sent: o.sent, Removed: o.gone, StatusCode: o.status, Code: kernel.TextOrNil(o.code), Params: o.params}, nil
	})
}
