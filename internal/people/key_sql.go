package people

import (
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

const keyColumns = `
	k.id, k.name, k.scopes, k.all_boards, u.id AS member, u.name AS member_name, k.per_second, k.burst,
	k.created_at, k.expires_at, k.revoked_at, k.last_used_at, k.acts_as`

// scanKey reads keyColumns. The rate is zero for a key without its own rate.
func scanKey(r db.Row) (k Key, scopes kernel.ScopeSet, allBoards bool) {
	k = Key{ID: r.ID("id"), Name: r.Text("name")}
	scopes, allBoards = kernel.StoredScopes(r.Text("scopes")), r.Bool("all_boards")
	k.Scopes, k.User = scopes.List(), kernel.Ref{ID: r.ID("member"), Name: r.Text("member_name")}
	k.Rate = kernel.Rate{PerSecond: r.Int("per_second"), Burst: r.Int("burst")}
	k.CreatedAt, k.ExpiresAt, k.RevokedAt = r.Time("created_at"), r.NullTime("expires_at"), r.NullTime("revoked_at")
	k.LastUsedAt, k.ActsAs = r.NullTime("last_used_at"), r.Text("acts_as")
	return k, scopes, allBoards
}

// findHolder finds the holder of a key by a condition on its secret s. It returns nil if there is none.
func (d *People) findHolder(tx *kernel.Tx, condition string, args ...any) (*holder, error) {
	var h holder
	var m kernel.Member
	var company kernel.Company
	var allBoards bool
	found, err := tx.One(`
		SELECT`+keyColumns+`, s.expires_at AS secret_expires_at, u.email, u.role, u.access_profile, u.removed_at,
			c.id AS company, c.name AS company_name, c.timezone
		FROM key_secrets s
		JOIN keys k ON k.company = s.company AND k.id = s.key_id
		JOIN users u ON u.company = k.company AND u.id = k.member
		JOIN companies c ON c.id = k.company
		WHERE `+condition, args, func(r db.Row) {
		h.key, _, allBoards = scanKey(r)
		h.secretEnd = r.NullTime("secret_expires_at")
		m = kernel.Member{
			User: h.key.User, Email: r.Text("email"), Role: kernel.Role(r.Text("role")),
			Profile: kernel.AccessProfile(r.Text("access_profile")),
		}
		h.removed, company = !r.Null("removed_at"), scanCompany(r)
	})
	if err != nil || !found {
		return nil, err
	}
	k := &h.key
	if !allBoards {
		if k.Boards, err = keyBoards(tx, company.ID, k.ID); err != nil {
			return nil, err
		}
	}
	if m.Sectors, err = memberSectors(tx, company.ID, m.User.ID); err != nil {
		return nil, err
	}
	limits, err := KeyLimits(tx, company.ID, k.ID)
	if err != nil {
		return nil, err
	}
	h.removed, k.Rate = h.removed || kernel.RevokedBy(limits), d.rateOf(k)
	h.principal = kernel.KeyPrincipal(company, m, k.Integration(), k.ActsAs, k.Rate, limits...)
	return &h, nil
}

// KeyLimits lists the members whose permissions limit a key. It is empty for keys issued on the command line.
func KeyLimits(tx *kernel.Tx, company, id kernel.ID) ([]kernel.KeyLimit, error) {
	limits, err := kernel.Rows(tx, `
		WITH RECURSIVE chain (id, parent, member, issuer) AS (
			SELECT id, parent, member, issuer
			FROM keys
			WHERE company = $1 AND id = $2
			UNION
			SELECT k.id, k.parent, k.member, k.issuer
			FROM chain c
			JOIN keys k ON k.company = $1 AND k.id = c.parent)
		SELECT l.is_issuer, u.removed_at IS NOT NULL AS removed, u.id, u.name, u.role, u.access_profile
		FROM (
			SELECT TRUE AS is_issuer, issuer AS member FROM chain WHERE issuer IS NOT NULL
			UNION
			SELECT FALSE AS is_issuer, member FROM chain WHERE id <> $2) l
		JOIN users u ON u.company = $1 AND u.id = l.member`, []any{company, id}, func(r db.Row) kernel.KeyLimit {
		return kernel.KeyLimit{Issuer: r.Bool("is_issuer"), Removed: r.Bool("removed"), MemberSight: scanSight(r)}
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

// listedKeys is the condition for keys in the list of the company $1: all valid keys and the $2 newest revoked ones.
const listedKeys = `
		WHERE k.company = $1 AND (k.revoked_at IS NULL OR k.id IN (
			SELECT id
			FROM keys
			WHERE company = $1 AND revoked_at IS NOT NULL
			ORDER BY id DESC
			LIMIT $2))`

// listKeys lists the company's keys, newest first.
func listKeys(tx *kernel.Tx, company kernel.ID) ([]Key, error) {
	var keys []Key
	limited := map[kernel.ID]int{} // index in keys
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
		if i, found := limited[r.ID("key_id")]; found {
			keys[i].Boards = append(keys[i].Boards, r.ID("board"))
		}
		return nil
	})
}

// FindKey finds a key of the company.
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
		boards = []kernel.ID{} // nil would mean every board
	}
	return boards, err
}

// insertKey stores a key, the hash of its secret, and the key or member that issued it.
func insertKey(tx *kernel.Tx, company kernel.ID, k Key, scopes kernel.ScopeSet, parent, issuer *kernel.ID, hash [32]byte) {
	tx.Later(`
		INSERT INTO keys (id, company, name, member, scopes, all_boards, per_second, burst,
			created_at, expires_at, parent, acts_as, issuer)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		k.ID, company, k.Name, k.User.ID, scopes.Stored(), k.Boards == nil, k.Rate.PerSecond, k.Rate.Burst,
		k.CreatedAt, k.ExpiresAt, parent, k.ActsAs, issuer)
	for _, board := range k.Boards {
		tx.Later(`INSERT INTO key_boards (company, key_id, board) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, company, k.ID, board)
	}
	insertKeySecret(tx, company, k.ID, hash)
}

// keyAncestors returns the key that issued a key, the one that issued that one, and so on.
func keyAncestors(tx *kernel.Tx, company, id kernel.ID) ([]kernel.ID, error) {
	return tx.IDs(`
		WITH RECURSIVE ancestors (id) AS (
			SELECT parent
			FROM keys
			WHERE company = $1 AND id = $2
			UNION
			SELECT k.parent
			FROM ancestors a
			JOIN keys k ON k.company = $1 AND k.id = a.id)
		SELECT id
		FROM ancestors
		WHERE id IS NOT NULL`, company, id)
}

// replaceKeySecret adds a secret to a key. The others expire at the given time.
func replaceKeySecret(tx *kernel.Tx, company, key kernel.ID, until time.Time, hash [32]byte) {
	tx.Later(`DELETE FROM key_secrets WHERE company = $1 AND key_id = $2 AND expires_at <= $3`, company, key, tx.Now)
	tx.Later(`
		UPDATE key_secrets
		SET expires_at = $3
		WHERE company = $1 AND key_id = $2 AND (expires_at IS NULL OR expires_at > $3)`, company, key, until)
	insertKeySecret(tx, company, key, hash)
}

func insertKeySecret(tx *kernel.Tx, company, key kernel.ID, hash [32]byte) {
	tx.Later(`INSERT INTO key_secrets (company, key_id, hash, created_at) VALUES ($1, $2, $3, $4)`, company, key, hash[:], tx.Now)
}

// revokeIssued revokes the keys that revoked keys issued, generation by generation, and deletes the links that revoked keys
// issued. The company must be locked so that no key is issued in the meantime.
func revokeIssued(tx *kernel.Tx, a *kernel.Principal) error {
	const revoked = `(SELECT k.id FROM keys k WHERE k.company = $1 AND k.revoked_at IS NOT NULL)`
	for more := true; more; {
		n, err := revokeKeys(tx, a, `parent IN `+revoked)
		if err != nil {
			return err
		}
		more = n > 0
	}
	tx.Later(`DELETE FROM reset_links WHERE company = $1 AND issuer_key IN `+revoked, a.Company.ID)
	return cancelInvitations(tx, a, `issuer_key IN `+revoked)
}

// revokeKeys revokes the valid keys that fulfil a condition, whose arguments begin with $3, and returns their number.
func revokeKeys(tx *kernel.Tx, a *kernel.Principal, condition string, args ...any) (int, error) {
	keys, err := kernel.Rows(tx, `
		UPDATE keys
		SET revoked_at = $2
		WHERE company = $1 AND revoked_at IS NULL AND `+condition+`
		RETURNING id, name`, append([]any{a.Company.ID, tx.Now}, args...), scanRef)
	for _, k := range keys {
		tx.Audit(a, kernel.AuditEntry{Action: "key.revoked", Subject: kernel.NewAuditSubject("key", k.ID, k.Name)})
	}
	return len(keys), err
}
