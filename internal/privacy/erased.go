package privacy

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"time"

	"recado/internal/channels"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/talk"
)

// hashKey is the key of the hashes of erased people.
type hashKey [32]byte

// hash returns the keyed hash of what identifies a person.
func (k *hashKey) hash(id talk.Identity) []byte {
	mac := hmac.New(sha256.New, k[:])
	mac.Write([]byte(id.Kind + "\n" + id.Value))
	return mac.Sum(nil)
}

// keyRow is the id of the only row of erasure_key.
const keyRow = 1

// keyOwner binds the sealed key, which belongs to no company.
var keyOwner kernel.ID

// SealedKey returns the sealed key of the hashes. It returns false if nobody has been erased.
func SealedKey(tx *kernel.Tx) (sealed []byte, found bool, err error) {
	return kernel.Row(tx, `SELECT sealed FROM erasure_key WHERE id = $1`, []any{int64(keyRow)}, func(r db.Row) []byte { return r.Bytes("sealed") })
}

// ResealKey replaces the sealed key, unless another process has replaced old in the meantime.
func ResealKey(tx *kernel.Tx, old, fresh []byte) {
	tx.Later(`UPDATE erasure_key SET sealed = $3 WHERE id = $1 AND sealed = $2`, int64(keyRow), old, fresh)
}

// KeyOwner returns the id to which the sealed key is bound.
func KeyOwner() kernel.ID { return keyOwner }

// ForgetKey deletes the key and the hashes, because the secret key that sealed it is lost.
func ForgetKey(tx *kernel.Tx) {
	tx.Later(`DELETE /* all companies: the key is the installation's */ FROM erased`)
	tx.Later(`DELETE FROM erasure_key`)
}

// key returns the key of the hashes, or nil if nobody has been erased.
func (d *Privacy) key(tx *kernel.Tx) (*hashKey, error) {
	sealed, found, err := SealedKey(tx)
	if err != nil || !found {
		return nil, err
	}
	return d.openKey(sealed)
}

func (d *Privacy) openKey(sealed []byte) (*hashKey, error) {
	plain, err := d.Vault.Open(sealed, keyOwner)
	if err != nil || len(plain) != len(hashKey{}) {
		return nil, kernel.ErrOr(err, kernel.Errorf(kernel.CodeInternal, "The key of the list of erased people is damaged."))
	}
	return new(hashKey(plain)), nil
}

// newKey returns the key of the hashes, creating it on first use.
func (d *Privacy) newKey(tx *kernel.Tx) (*hashKey, error) {
	fresh := make([]byte, len(hashKey{}))
	_, _ = rand.Read(fresh) // never fails
	tx.Later(`INSERT INTO erasure_key (id, sealed) VALUES ($1, $2) ON CONFLICT DO NOTHING`, int64(keyRow), d.Vault.Seal(fresh, keyOwner))
	return d.key(tx)
}

// remember adds a contact that is known by some identities and was erased at a time to the list of its company.
func (k *hashKey) remember(tx *kernel.Tx, c *talk.Contact, known []talk.Identity, at time.Time) error {
	for _, id := range known {
		insertErased(tx, listed{c.Company, c.Pool, k.hash(id), kindPerson, at})
	}
	former, err := talk.FormerIDs(tx, c.Company, c.ID)
	for _, id := range append(former, c.ID) {
		insertErased(tx, k.listedID(c.Company, id, at))
	}
	return err
}

// The kinds of entries in the list. People of the kind kindMoved were erased from the pool that a channel has left for this one. They
// keep what is late from coming back, but a contact of the pool is not one of them.
const (
	kindPerson  = "person"
	kindContact = "contact" // the id of a contact
	kindMoved   = "moved"
)

// listedID returns the entry for the id of a contact. It belongs to the company, not to a pool: a backup may have the contact with
// another phone and in another pool than on the day of the erasure.
func (k *hashKey) listedID(company, contact kernel.ID, at time.Time) listed {
	return listed{company, company, k.hash(talk.Identity{Kind: "contact", Value: contact.String()}), kindContact, at}
}

// listed is an entry of the list of erased people.
type listed struct {
	company, pool kernel.ID
	hash          []byte
	kind          string
	at            time.Time
}

func insertErased(tx *kernel.Tx, l listed) {
	tx.Later(`
		INSERT INTO erased (company, pool, hash, kind, erased_at)
		VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (company, pool, hash, kind) DO UPDATE
		SET erased_at = excluded.erased_at
		WHERE excluded.erased_at > erased.erased_at`, l.company, l.pool, l.hash, l.kind, l.at)
}

// keepErased implements channels.ChannelObserver: people who were erased before a channel became private or public stay erased.
func keepErased(tx *kernel.Tx, ch *channels.Channel, from kernel.ID) error {
	tx.Later(`
		INSERT INTO erased (company, pool, hash, kind, erased_at)
		SELECT e.company, $3, e.hash, $4, e.erased_at
		FROM erased e
		WHERE e.company = $1 AND e.pool = $2 AND e.kind = $5
		ON CONFLICT (company, pool, hash, kind) DO UPDATE
		SET erased_at = excluded.erased_at
		WHERE excluded.erased_at > erased.erased_at`, ch.Company, from, ch.Pool(), kindMoved, kindPerson)
	return nil
}

// hideExports implements channels.ChannelObserver: files about a channel that becomes private are hidden.
func (d *Privacy) hideExports(tx *kernel.Tx, ch *channels.Channel, _ kernel.ID) error {
	if !ch.Private {
		return nil
	}
	return d.tasks.HideFiles(tx, KindExport, ch.Company, ch.ID)
}

// erasedAt implements talk.Observer.
func (d *Privacy) erasedAt(tx *kernel.Tx, company, pool kernel.ID, known []talk.Identity) (at *time.Time, err error) {
	key, err := d.key(tx)
	if err != nil || key == nil {
		return nil, err
	}
	for i, id := range known { // the members of a group can be thousands, so all are asked for in one round trip
		sql, args := `SELECT erased_at FROM erased WHERE company = $1 AND pool = $2 AND hash = $3`, []any{company, pool, key.hash(id)}
		later := func(r db.Row) error {
			if t := r.Time("erased_at"); at == nil || t.After(*at) {
				at = &t
			}
			return nil
		}
		if i < len(known)-1 {
			tx.Ahead(sql, args, later)
		} else {
			err = tx.Query(sql, args, later)
		}
	}
	return at, err
}
