package people

import (
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// KeyHolder is everything a call with a key needs to know: the key, whom it acts as, the company.
type KeyHolder struct {
	Key             Key
	SecretExpiresAt *time.Time // the end of a rotation's overlap
	Email           string
	Role            kernel.Role
	AccessProfile   kernel.AccessProfile
	Sectors         []kernel.ID
	MemberRemovedAt *time.Time
	Company         kernel.Company
	Limits          []kernel.KeyLimit
}

const keyColumns = `
	k.id, k.name, k.scopes, k.all_boards, u.id, u.name, k.per_second, k.burst, k.created_at, k.expires_at, k.revoked_at, k.last_used_at,
	k.acts_as`

// scanKey reads keyColumns. A zero rate is that of a key with none of its own.
func scanKey(r db.Row) (k Key, scopes kernel.ScopeSet, allBoards bool) {
	scopes, allBoards = kernel.StoredScopes(r.Text(2)), r.Bool(3)
	return Key{
		ID: r.ID(0), Name: r.Text(1), Scopes: scopes.List(), User: kernel.Ref{ID: r.ID(4), Name: r.Text(5)},
		Rate: kernel.Rate{PerSecond: r.Int(6), Burst: r.Int(7)}, CreatedAt: r.Time(8), ExpiresAt: r.NullTime(9),
		RevokedAt: r.NullTime(10), LastUsedAt: r.NullTime(11), ActsAs: r.Text(12),
	}, scopes, allBoards
}

// keyHolder finds the holder of the key whose SHA-256 is given.
func keyHolder(tx *kernel.Tx, hash [32]byte) (KeyHolder, bool, error) {
	return selectKeyHolder(tx, `s.hash = $1 /* all companies: a secret names none */`, hash[:])
}

// keyHolderOf finds the holder of a key of the company by the key's id. The secret is the newest: a rotation ends the others.
func keyHolderOf(tx *kernel.Tx, company, id kernel.ID) (KeyHolder, bool, error) {
	return selectKeyHolder(tx, `s.company = $1 AND s.key_id = $2 AND s.expires_at IS NULL`, company, id)
}

func selectKeyHolder(tx *kernel.Tx, which string, args ...any) (KeyHolder, bool, error) {
	var h KeyHolder
	var allBoards bool
	found, err := tx.One(`
		SELECT`+keyColumns+`, s.expires_at, u.email, u.role, u.access_profile, u.removed_at, c.id, c.name, c.timezone
		FROM key_secrets s
		JOIN keys k ON k.company = s.company AND k.id = s.key_id
		JOIN users u ON u.company = k.company AND u.id = k.member
		JOIN companies c ON c.id = k.company
		WHERE `+which, args, func(r db.Row) {
		h.Key, _, allBoards = scanKey(r)
		h.SecretExpiresAt, h.Email, h.Role, h.AccessProfile = r.NullTime(13), r.Text(14), kernel.Role(r.Text(15)), kernel.AccessProfile(r.Text(16))
		h.MemberRemovedAt = r.NullTime(17)
		h.Company = kernel.Company{ID: r.ID(18), Name: r.Text(19), Timezone: r.Text(20)}
	})
	if err != nil || !found {
		return KeyHolder{}, false, err
	}
	if !allBoards {
		if h.Key.Boards, err = keyBoards(tx, h.Company.ID, h.Key.ID); err != nil {
			return KeyHolder{}, false, err
		}
	}
	if h.Sectors, err = memberSectors(tx, h.Company.ID, h.Key.User.ID); err != nil {
		return KeyHolder{}, false, err
	}
	h.Limits, err = KeyLimits(tx, h.Company.ID, h.Key.ID)
	return h, true, err
}

// KeyLimits lists the members whose present rights limit a key. It is empty for keys that the command line issued.
func KeyLimits(tx *kernel.Tx, company, id kernel.ID) ([]kernel.KeyLimit, error) {
	var limits []kernel.KeyLimit
	err := tx.Query(`
		WITH RECURSIVE chain (id, parent, member, issuer) AS (
			SELECT id, parent, member, issuer
			FROM keys
			WHERE company = $1 AND id = $2
			UNION
			SELECT k.id, k.parent, k.member, k.issuer
			FROM chain c
			JOIN keys k ON k.company = $1 AND k.id = c.parent)
		SELECT l.issuer, u.id, u.name, u.role, u.access_profile, u.removed_at IS NOT NULL
		FROM (
			SELECT TRUE AS issuer, issuer AS member FROM chain WHERE issuer IS NOT NULL
			UNION
			SELECT FALSE AS issuer, member FROM chain WHERE id <> $2) l
		JOIN users u ON u.company = $1 AND u.id = l.member`, []any{company, id}, func(r db.Row) error {
		limits = append(limits, kernel.KeyLimit{Issuer: r.Bool(0), Removed: r.Bool(5), MemberSight: kernel.MemberSight{
			User: kernel.Ref{ID: r.ID(1), Name: r.Text(2)}, Role: kernel.Role(r.Text(3)), Profile: kernel.AccessProfile(r.Text(4)),
		}})
		return nil
	})
	for i := range limits {
		if err == nil && limits[i].Profile == kernel.AccessSectors {
			limits[i].Sectors, err = memberSectors(tx, company, limits[i].User.ID)
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

// listKeys lists the company's keys, newest first: all that are not revoked and the newest of the others.
func listKeys(tx *kernel.Tx, company kernel.ID) ([]Key, error) {
	var keys []Key
	limited := map[kernel.ID]int{}
	err := tx.Query(`
		SELECT`+keyColumns+`
		FROM keys k
		JOIN users u ON u.company = k.company AND u.id = k.member`+listedKeys+`
		ORDER BY k.id DESC`, []any{company, maxRevoked}, func(r db.Row) error {
		k, _, allBoards := scanKey(r)
		if !allBoards {
			k.Boards = []kernel.ID{}
			limited[k.ID] = len(keys)
		}
		keys = append(keys, k)
		return nil
	})
	if err != nil || len(limited) == 0 {
		return keys, err
	}
	return keys, tx.Query(`
		SELECT b.key_id, b.board
		FROM keys k
		JOIN key_boards b ON b.company = k.company AND b.key_id = k.id`+listedKeys+`
		ORDER BY b.key_id, b.board`, []any{company, maxRevoked}, func(r db.Row) error {
		if i, listed := limited[r.ID(0)]; listed {
			keys[i].Boards = append(keys[i].Boards, r.ID(1))
		}
		return nil
	})
}

// FindKey gives one key of the company.
func FindKey(tx *kernel.Tx, company, id kernel.ID) (key Key, scopes kernel.ScopeSet, found bool, err error) {
	var allBoards bool
	found, err = tx.One(`
		SELECT`+keyColumns+`
		FROM keys k
		JOIN users u ON u.company = k.company AND u.id = k.member
		WHERE k.company = $1 AND k.id = $2`, []any{company, id}, func(r db.Row) {
		key, scopes, allBoards = scanKey(r)
	})
	if found && err == nil && !allBoards {
		key.Boards, err = keyBoards(tx, company, id)
	}
	return key, scopes, found, err
}

func keyBoards(tx *kernel.Tx, company, key kernel.ID) ([]kernel.ID, error) {
	boards, err := tx.IDs(`SELECT board FROM key_boards WHERE company = $1 AND key_id = $2 ORDER BY board`, company, key)
	if boards == nil {
		boards = []kernel.ID{} // an empty list means no board at all; nil means every board
	}
	return boards, err
}

// keyValid reports whether a key of the company is not revoked and its member has not been removed.
func keyValid(tx *kernel.Tx, company, id kernel.ID) (bool, error) {
	return tx.One(`
		SELECT 1
		FROM keys k
		JOIN users u ON u.company = k.company AND u.id = k.member
		WHERE k.company = $1 AND k.id = $2 AND k.revoked_at IS NULL AND u.removed_at IS NULL`, []any{company, id}, func(db.Row) {})
}

// insertKey stores a key and the key or the member that issued it, if any; only the hash of its secret is kept.
func insertKey(tx *kernel.Tx, company kernel.ID, k Key, scopes kernel.ScopeSet, parent, issuer *kernel.ID, hash [32]byte) {
	tx.Later(`
		INSERT INTO keys (id, company, name, member, scopes, all_boards, per_second, burst, created_at, expires_at, parent, acts_as, issuer)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		k.ID, company, k.Name, k.User.ID, scopes.Stored(), k.Boards == nil, k.Rate.PerSecond, k.Rate.Burst, k.CreatedAt, k.ExpiresAt, parent, k.ActsAs, issuer)
	for _, board := range k.Boards {
		tx.Later(`INSERT INTO key_boards (company, key_id, board) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, company, k.ID, board)
	}
	insertKeySecret(tx, company, k.ID, hash)
}

// keyIssuers gives the key that issued a key, the one that issued that one, and so on.
func keyIssuers(tx *kernel.Tx, company, id kernel.ID) ([]kernel.ID, error) {
	return tx.IDs(`
		WITH RECURSIVE issuers (id) AS (
			SELECT parent
			FROM keys
			WHERE company = $1 AND id = $2
			UNION
			SELECT k.parent
			FROM issuers i
			JOIN keys k ON k.company = $1 AND k.id = i.id)
		SELECT id
		FROM issuers
		WHERE id IS NOT NULL`, company, id)
}

// setKeyMember makes a member the issuer of a key.
func setKeyMember(tx *kernel.Tx, company, id, issuer kernel.ID) {
	tx.Later(`UPDATE keys SET issuer = $3 WHERE company = $1 AND id = $2`, company, id, issuer)
}

// setKeyIssuer makes a key one of those that another one issued. The company must be locked.
func setKeyIssuer(tx *kernel.Tx, company, id, issuer kernel.ID) {
	tx.Later(`UPDATE keys SET parent = $3 WHERE company = $1 AND id = $2`, company, id, issuer)
}

// updateKey stores the name of a key and what it acts as.
func updateKey(tx *kernel.Tx, company kernel.ID, k *Key) {
	tx.Later(`UPDATE keys SET name = $3, acts_as = $4 WHERE company = $1 AND id = $2`, company, k.ID, k.Name, k.ActsAs)
}

// replaceKeySecret keeps the key's present secrets valid until the given moment and adds a new one.
func replaceKeySecret(tx *kernel.Tx, company, key kernel.ID, until time.Time, hash [32]byte) {
	tx.Later(`DELETE FROM key_secrets WHERE company = $1 AND key_id = $2 AND expires_at <= $3`, company, key, tx.Now)
	tx.Later(`UPDATE key_secrets SET expires_at = $3 WHERE company = $1 AND key_id = $2 AND (expires_at IS NULL OR expires_at > $3)`, company, key, until)
	insertKeySecret(tx, company, key, hash)
}

func insertKeySecret(tx *kernel.Tx, company, key kernel.ID, hash [32]byte) {
	tx.Later(`INSERT INTO key_secrets (company, key_id, hash, created_at) VALUES ($1, $2, $3, $4)`, company, key, hash[:], tx.Now)
}

// revokeKey ends a key permanently, and the keys that it issued.
func revokeKey(tx *kernel.Tx, company, id kernel.ID) error {
	tx.LockCompany(company)
	tx.Later(`UPDATE keys SET revoked_at = $3 WHERE company = $1 AND id = $2 AND revoked_at IS NULL`, company, id, tx.Now)
	return revokeIssued(tx, company)
}

// revokeIssued ends the keys that revoked keys issued, generation by generation, and the links that revoked keys issued. The company is locked, so
// that no key is issued meanwhile.
func revokeIssued(tx *kernel.Tx, company kernel.ID) error {
	for {
		n, err := tx.Exec(`
			UPDATE keys
			SET revoked_at = $2
			WHERE company = $1 AND revoked_at IS NULL
				AND parent IN (SELECT p.id FROM keys p WHERE p.company = $1 AND p.revoked_at IS NOT NULL)`, company, tx.Now)
		if err != nil {
			return err
		}
		if n == 0 {
			removeIssuedByRevoked(tx, company)
			return nil
		}
	}
}

// markKeyUsed notes when a key was last used.
func markKeyUsed(tx *kernel.Tx, company, key kernel.ID, at time.Time) {
	tx.Later(`UPDATE keys SET last_used_at = $3 WHERE company = $1 AND id = $2 AND (last_used_at IS NULL OR last_used_at < $3)`, company, key, at)
}
