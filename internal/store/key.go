package store

import (
	"time"

	"recado/internal/model"
)

// KeyHolder is everything a call with a key needs to know: the key, whom it acts as, the company.
type KeyHolder struct {
	Key             model.Key
	SecretExpiresAt *time.Time // the end of a rotation's overlap
	Email           string
	Role            model.Role
	AccessProfile   model.AccessProfile
	Sectors         []model.ID
	MemberRemovedAt *time.Time
	Company         model.Company
	Limits          []KeyLimit
}

// KeyLimit is a member whose present rights limit a key: the one who issued it, or one whom a key acts as that issued it.
type KeyLimit struct {
	Issuer  bool // they issued the key, or one that it descends from, in person
	Removed bool
	MemberSight
}

const keyColumns = `
	k.id, k.name, k.scopes, k.all_boards, u.id, u.name, k.per_second, k.burst, k.created_at, k.expires_at, k.revoked_at, k.last_used_at,
	k.acts_as`

// scanKey reads keyColumns. A zero rate is that of a key with none of its own.
func scanKey(r Row) (k model.Key, scopes model.ScopeSet, allBoards bool) {
	scopes, allBoards = model.StoredScopes(r.Text(2)), r.Bool(3)
	return model.Key{
		ID: r.ID(0), Name: r.Text(1), Scopes: scopes.List(), User: model.Ref{ID: r.ID(4), Name: r.Text(5)},
		Rate: model.Rate{PerSecond: r.Int(6), Burst: r.Int(7)}, CreatedAt: r.Time(8), ExpiresAt: r.NullTime(9),
		RevokedAt: r.NullTime(10), LastUsedAt: r.NullTime(11), ActsAs: r.Text(12),
	}, scopes, allBoards
}

// KeyHolder finds the holder of the key whose SHA-256 is given.
func (tx *Tx) KeyHolder(hash [32]byte) (KeyHolder, bool, error) {
	var h KeyHolder
	var allBoards bool
	found, err := tx.one(`
		SELECT`+keyColumns+`, s.expires_at, u.email, u.role, u.access_profile, u.removed_at, c.id, c.name, c.timezone
		FROM key_secrets s
		JOIN keys k ON k.id = s.key_id
		JOIN users u ON u.id = k.member
		JOIN companies c ON c.id = k.company
		WHERE s.hash = $1`, []any{hash[:]}, func(r Row) {
		h.Key, _, allBoards = scanKey(r)
		h.SecretExpiresAt, h.Email, h.Role, h.AccessProfile = r.NullTime(13), r.Text(14), model.Role(r.Text(15)), model.AccessProfile(r.Text(16))
		h.MemberRemovedAt = r.NullTime(17)
		h.Company = model.Company{ID: r.ID(18), Name: r.Text(19), Timezone: r.Text(20)}
	})
	if err != nil || !found {
		return KeyHolder{}, false, err
	}
	if !allBoards {
		if h.Key.Boards, err = tx.keyBoards(h.Key.ID); err != nil {
			return KeyHolder{}, false, err
		}
	}
	if h.Sectors, err = tx.ids(`SELECT sector FROM sector_members WHERE member = $1`, h.Key.User.ID); err != nil {
		return KeyHolder{}, false, err
	}
	h.Limits, err = tx.KeyLimits(h.Company.ID, h.Key.ID)
	return h, true, err
}

// KeyHolderOf finds the holder of a key of the company by the key's id. The secret is the newest: a rotation ends the others.
func (tx *Tx) KeyHolderOf(company, id model.ID) (KeyHolder, bool, error) {
	var hash [32]byte
	found, err := tx.one(`
		SELECT s.hash
		FROM keys k
		JOIN key_secrets s ON s.key_id = k.id
		WHERE k.company = $1 AND k.id = $2 AND s.expires_at IS NULL`, []any{company, id}, func(r Row) { copy(hash[:], r.Bytes(0)) })
	if err != nil || !found {
		return KeyHolder{}, false, err
	}
	return tx.KeyHolder(hash)
}

// KeyLimits lists the members whose present rights limit a key. It is empty for keys that the command line issued.
func (tx *Tx) KeyLimits(company, id model.ID) ([]KeyLimit, error) {
	var limits []KeyLimit
	err := tx.query(`
		WITH RECURSIVE chain (id, parent, member, issuer) AS (
			SELECT id, parent, member, issuer
			FROM keys
			WHERE company = $1 AND id = $2
			UNION
			SELECT k.id, k.parent, k.member, k.issuer
			FROM chain c
			JOIN keys k ON k.id = c.parent)
		SELECT l.issuer, u.id, u.name, u.role, u.access_profile, u.removed_at IS NOT NULL
		FROM (
			SELECT TRUE AS issuer, issuer AS member FROM chain WHERE issuer IS NOT NULL
			UNION
			SELECT FALSE AS issuer, member FROM chain WHERE id <> $2) l
		JOIN users u ON u.id = l.member`, []any{company, id}, func(r Row) error {
		limits = append(limits, KeyLimit{Issuer: r.Bool(0), Removed: r.Bool(5), MemberSight: MemberSight{
			User: model.Ref{ID: r.ID(1), Name: r.Text(2)}, Role: model.Role(r.Text(3)), Profile: model.AccessProfile(r.Text(4)),
		}})
		return nil
	})
	for i := range limits {
		if err == nil && limits[i].Profile == model.AccessSectors {
			limits[i].Sectors, err = tx.ids(`SELECT sector FROM sector_members WHERE member = $1`, limits[i].User.ID)
		}
	}
	return limits, err
}

// maxRevoked is how many revoked keys a list shows.
const maxRevoked = 500

// listedKeys chooses those of the company $1 that a list shows, with at most $2 revoked ones.
const listedKeys = `
		WHERE k.company = $1 AND (k.revoked_at IS NULL OR k.id IN (
			SELECT id
			FROM keys
			WHERE company = $1 AND revoked_at IS NOT NULL
			ORDER BY id DESC
			LIMIT $2))`

// Keys lists the company's keys, newest first: all that are not revoked and the newest of the others.
func (tx *Tx) Keys(company model.ID) ([]model.Key, error) {
	var keys []model.Key
	limited := map[model.ID]int{}
	err := tx.query(`
		SELECT`+keyColumns+`
		FROM keys k
		JOIN users u ON u.id = k.member`+listedKeys+`
		ORDER BY k.id DESC`, []any{company, maxRevoked}, func(r Row) error {
		k, _, allBoards := scanKey(r)
		if !allBoards {
			k.Boards = []model.ID{}
			limited[k.ID] = len(keys)
		}
		keys = append(keys, k)
		return nil
	})
	if err != nil || len(limited) == 0 {
		return keys, err
	}
	return keys, tx.query(`
		SELECT b.key_id, b.board
		FROM keys k
		JOIN key_boards b ON b.key_id = k.id`+listedKeys+`
		ORDER BY b.key_id, b.board`, []any{company, maxRevoked}, func(r Row) error {
		if i, listed := limited[r.ID(0)]; listed {
			keys[i].Boards = append(keys[i].Boards, r.ID(1))
		}
		return nil
	})
}

// Key gives one key of the company.
func (tx *Tx) Key(company, id model.ID) (key model.Key, scopes model.ScopeSet, found bool, err error) {
	var allBoards bool
	found, err = tx.one(`
		SELECT`+keyColumns+`
		FROM keys k
		JOIN users u ON u.id = k.member
		WHERE k.company = $1 AND k.id = $2`, []any{company, id}, func(r Row) {
		key, scopes, allBoards = scanKey(r)
	})
	if found && err == nil && !allBoards {
		key.Boards, err = tx.keyBoards(id)
	}
	return key, scopes, found, err
}

func (tx *Tx) keyBoards(key model.ID) ([]model.ID, error) {
	boards, err := tx.ids(`SELECT board FROM key_boards WHERE key_id = $1 ORDER BY board`, key)
	if boards == nil {
		boards = []model.ID{} // an empty list means no board at all; nil means every board
	}
	return boards, err
}

// KeyValid reports whether a key of the company is not revoked and its member has not been removed.
func (tx *Tx) KeyValid(company, id model.ID) (bool, error) {
	return tx.one(`
		SELECT 1
		FROM keys k
		JOIN users u ON u.id = k.member
		WHERE k.company = $1 AND k.id = $2 AND k.revoked_at IS NULL AND u.removed_at IS NULL`, []any{company, id}, func(Row) {})
}

// InsertKey stores a key and the key or the member that issued it, if any; only the hash of its secret is kept.
func (tx *Tx) InsertKey(company model.ID, k model.Key, scopes model.ScopeSet, parent, issuer *model.ID, hash [32]byte) {
	tx.later(`
		INSERT INTO keys (id, company, name, member, scopes, all_boards, per_second, burst, created_at, expires_at, parent, acts_as, issuer)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		k.ID, company, k.Name, k.User.ID, scopes.Stored(), k.Boards == nil, k.Rate.PerSecond, k.Rate.Burst, k.CreatedAt, k.ExpiresAt, parent, k.ActsAs, issuer)
	for _, board := range k.Boards {
		tx.later(`INSERT INTO key_boards (key_id, board) VALUES ($1, $2) ON CONFLICT DO NOTHING`, k.ID, board)
	}
	tx.later(`INSERT INTO key_secrets (hash, key_id, created_at) VALUES ($1, $2, $3)`, hash[:], k.ID, tx.Now)
}

// KeyIssuers gives the key that issued a key, the one that issued that one, and so on.
func (tx *Tx) KeyIssuers(company, id model.ID) ([]model.ID, error) {
	return tx.ids(`
		WITH RECURSIVE issuers (id) AS (
			SELECT parent
			FROM keys
			WHERE company = $1 AND id = $2
			UNION
			SELECT k.parent
			FROM issuers i
			JOIN keys k ON k.id = i.id)
		SELECT id
		FROM issuers
		WHERE id IS NOT NULL`, company, id)
}

// SetKeyMember makes a member the issuer of a key.
func (tx *Tx) SetKeyMember(company, id, issuer model.ID) {
	tx.later(`UPDATE keys SET issuer = $3 WHERE company = $1 AND id = $2`, company, id, issuer)
}

// SetKeyIssuer makes a key one of those that another one issued. The company must be locked.
func (tx *Tx) SetKeyIssuer(company, id, issuer model.ID) {
	tx.later(`UPDATE keys SET parent = $3 WHERE company = $1 AND id = $2`, company, id, issuer)
}

// UpdateKey stores the name of a key and what it acts as.
func (tx *Tx) UpdateKey(company model.ID, k *model.Key) {
	tx.later(`UPDATE keys SET name = $3, acts_as = $4 WHERE company = $1 AND id = $2`, company, k.ID, k.Name, k.ActsAs)
}

// ReplaceKeySecret keeps the key's present secrets valid until the given moment and adds a new one.
func (tx *Tx) ReplaceKeySecret(key model.ID, until time.Time, hash [32]byte) {
	tx.later(`DELETE FROM key_secrets WHERE key_id = $1 AND expires_at <= $2`, key, tx.Now)
	tx.later(`UPDATE key_secrets SET expires_at = $2 WHERE key_id = $1 AND (expires_at IS NULL OR expires_at > $2)`, key, until)
	tx.later(`INSERT INTO key_secrets (hash, key_id, created_at) VALUES ($1, $2, $3)`, hash[:], key, tx.Now)
}

// RevokeKey ends a key permanently, and the keys that it issued.
func (tx *Tx) RevokeKey(company, id model.ID) error {
	tx.LockCompany(company)
	tx.later(`UPDATE keys SET revoked_at = $3 WHERE company = $1 AND id = $2 AND revoked_at IS NULL`, company, id, tx.Now)
	return tx.revokeIssued(company)
}

// revokeIssued ends the keys that revoked keys issued, generation by generation, and the links that revoked keys issued. The company is locked, so
// that no key is issued meanwhile.
func (tx *Tx) revokeIssued(company model.ID) error {
	for {
		n, err := tx.exec(`
			UPDATE keys
			SET revoked_at = $2
			WHERE company = $1 AND revoked_at IS NULL
				AND parent IN (SELECT p.id FROM keys p WHERE p.company = $1 AND p.revoked_at IS NOT NULL)`, company, tx.Now)
		if err != nil {
			return err
		}
		if n == 0 {
			tx.removeIssuedByRevoked(company)
			return nil
		}
	}
}

// MarkKeyUsed notes when a key was last used.
func (tx *Tx) MarkKeyUsed(key model.ID, at time.Time) {
	tx.later(`UPDATE keys SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)`, key, at)
}

// Ids are packed one after another where a noun's row holds several.
func packIDs(ids []model.ID) []byte {
	if len(ids) == 0 {
		return nil
	}
	b := make([]byte, 0, 16*len(ids))
	for _, id := range ids {
		b = append(b, id[:]...)
	}
	return b
}

func unpackIDs(b []byte) []model.ID {
	ids := make([]model.ID, len(b)/16)
	for i := range ids {
		copy(ids[i][:], b[16*i:])
	}
	return ids
}
