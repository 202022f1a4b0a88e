package people

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// KeyPrefix begins every API key, so that people and secret scanners recognise it.
const KeyPrefix = "rcd_"

const (
	keyRandom   = 36 // base62 characters drawn at random: 214 bits
	keyChecksum = 6  // base62 characters that hold a CRC32
	keyLength   = len(KeyPrefix) + keyRandom + keyChecksum

	base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// NewAPIKey returns a random key and the hash to store.
func NewAPIKey() (key string, hash [32]byte) {
	b := appendKeyChecksum(appendRandomBase62([]byte(KeyPrefix), keyRandom))
	return string(b), sha256.Sum256(b)
}

// ParseAPIKey returns the hash of a key. It reports false for text that cannot be a key, such as one with a typo.
func ParseAPIKey(s string) (hash [32]byte, ok bool) {
	if len(s) != keyLength || !strings.HasPrefix(s, KeyPrefix) {
		return hash, false
	}
	for i := len(KeyPrefix); i < len(s); i++ {
		if !kernel.IsAlphanumeric(s[i]) {
			return hash, false
		}
	}
	if string(appendKeyChecksum([]byte(s[:keyLength-keyChecksum]))) != s {
		return hash, false
	}
	return sha256.Sum256([]byte(s)), true
}

// appendKeyChecksum appends the CRC32 of b, prefix included, as six base62 digits: 62^6 exceeds 2^32.
func appendKeyChecksum(b []byte) []byte {
	sum := crc32.ChecksumIEEE(b)
	var digits [keyChecksum]byte
	for i := keyChecksum - 1; i >= 0; i-- {
		digits[i] = base62[sum%62]
		sum /= 62
	}
	return append(b, digits[:]...)
}

// appendRandomBase62 appends n random characters. It discards bytes from 248 on, which would favour the first eight characters.
func appendRandomBase62(b []byte, n int) []byte {
	var pool [64]byte
	for n > 0 {
		_, _ = rand.Read(pool[:])
		for _, r := range pool {
			if n > 0 && r < 62*4 {
				b = append(b, base62[r%62])
				n--
			}
		}
	}
	return b
}

// Key describes an API key. The key itself is shown once, at creation and rotation.
type Key struct {
	ID         kernel.ID      `json:"id"`
	Name       string         `json:"name"`
	Scopes     []kernel.Scope `json:"scopes"`
	Boards     kernel.Boards  `json:"boards" nullable:"true"`
	User       kernel.Ref     `json:"user" doc:"The team member the key acts as."`
	ActsAs     string         `json:"acts_as" enum:"person,integration" doc:"person: messages sent with the key count as sent by the member. integration: messages have no sender, do not count as a first response, do not make anyone responsible and do not open an attendance."`
	Rate       kernel.Rate    `json:"rate"`
	CreatedAt  time.Time      `json:"created_at"`
	ExpiresAt  *time.Time     `json:"expires_at"`
	RevokedAt  *time.Time     `json:"revoked_at"`
	LastUsedAt *time.Time     `json:"last_used_at"`
}

// Integration returns what GET /me shows of the key.
func (k *Key) Integration() kernel.Integration {
	return kernel.Integration{
		ID: k.ID, Name: k.Name, Scopes: k.Scopes, Boards: k.Boards, CreatedAt: k.CreatedAt, ExpiresAt: k.ExpiresAt,
	}
}

// NewKey describes an API key to create.
type NewKey struct {
	Name      string
	Scopes    kernel.ScopeSet
	Boards    *[]kernel.ID
	ExpiresAt *time.Time
	User      *kernel.ID   // nil: the creator
	Rate      *kernel.Rate // nil: the installation's
	ActsAs    string       // kernel.ActsAsPerson (default) or kernel.ActsAsIntegration
}

// KeyUpdate lists the fields to change; nil fields stay as they are.
type KeyUpdate struct {
	Name   *string `json:"name,omitempty" minLength:"1" maxLength:"120"`
	ActsAs *string `json:"acts_as,omitempty" enum:"person,integration"`
}

// Keys lists the company's API keys.
func (d *People) Keys(ctx context.Context, a *kernel.Principal) ([]Key, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]Key, error) {
		keys, err := listKeys(tx, a.Company.ID)
		for i := range keys {
			keys[i].Rate = d.rateOf(&keys[i])
		}
		return keys, err
	})
}

// Key returns an API key of the company.
func (d *People) Key(ctx context.Context, a *kernel.Principal, id kernel.ID) (Key, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (Key, error) {
		k, _, found, err := FindKey(tx, a.Company.ID, id)
		if err != nil || !found {
			return Key{}, kernel.ErrOr(err, kernel.NotFound("key"))
		}
		k.Rate = d.rateOf(&k)
		return k, nil
	})
}

// rateOf returns the key's own rate, or else the installation's.
func (d *People) rateOf(k *Key) kernel.Rate { return cmp.Or(k.Rate, d.KeyRate) }

// CreateKey issues an API key and returns its secret, which is not stored.
func (d *People) CreateKey(ctx context.Context, a *kernel.Principal, in NewKey) (Key, string, error) {
	name, invalid := kernel.Name("body.name", in.Name, kernel.MaxName)
	if invalid != nil {
		return Key{}, "", invalid
	}
	if !in.Scopes.Subset(a.Scopes) {
		beyond := in.Scopes.Without(a.Scopes).List()
		return Key{}, "", &kernel.Error{
			Code:    kernel.CodeInsufficientScope,
			Message: "A key cannot issue keys with scopes that it lacks: " + string(beyond[0]) + ".",
			Fields:  []kernel.FieldError{kernel.RuleMissingScope.At("body.scopes", string(beyond[0]), kernel.Params{"scope": beyond[0]})},
		}
	}
	if in.ExpiresAt != nil {
		if _, invalid := kernel.Future("body.expires_at", *in.ExpiresAt, d.Now()); invalid != nil {
			return Key{}, "", invalid
		}
	}
	secret, hash := NewAPIKey()
	key, err := kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Key, error) {
		k := Key{
			ID: kernel.NewID(), Name: name, Scopes: in.Scopes.List(), User: a.User, ActsAs: cmp.Or(in.ActsAs, kernel.ActsAsPerson),
			CreatedAt: tx.Now, ExpiresAt: in.ExpiresAt,
		}
		kernel.Set(&k.Rate, in.Rate)
		err := d.inheritLimits(a, &k)
		if err != nil {
			return k, err
		}
		if in.User != nil {
			m, found, err := MemberPowers(tx, a.Company.ID, *in.User)
			if err != nil || !found {
				return k, kernel.ErrOr(err, kernel.NoSuch("body.user_id", "team_member"))
			}
			if k.User, err = m.User, mayActAs(a, &m); err != nil {
				return k, err
			}
		}
		if k.Boards, err = d.keyBoards(tx, a, in.Boards); err != nil {
			return k, err
		}
		full := kernel.CheckLimit(tx, a.Company.ID, countKeys, "keys", d.Limit(limitKeys))
		if err := kernel.ErrOr(full, checkParent(tx, a)); err != nil {
			return k, err
		}
		var issuer *kernel.ID // nil for keys and the command line
		if a.Kind() == kernel.KindSession {
			issuer = &a.User.ID
		}
		insertKey(tx, a.Company.ID, k, in.Scopes, parentKey(a), issuer, hash)
		k.Rate = d.rateOf(&k)
		tx.AuditNoun(a, k.subject(), nil, k)
		return k, nil
	})
	return key, secret, err
}

// subject returns the key as the subject of an audit entry.
func (k *Key) subject() kernel.AuditSubject { return kernel.NewAuditSubject("key", k.ID, k.Name) }

// keyBoards checks that the caller may see the boards of a new key.
func (d *People) keyBoards(tx *kernel.Tx, a *kernel.Principal, boards *[]kernel.ID) ([]kernel.ID, error) {
	if boards == nil {
		return a.Boards, nil
	}
	for _, board := range *boards {
		err := d.CheckSubject(tx, a, kernel.Subject{Kind: SubjectBoard, ID: board})
		if kernel.CodeOf(err) == kernel.CodeNotFound {
			err = kernel.NoSuch("body.boards", "board")
		}
		if err != nil {
			return nil, err
		}
	}
	return append([]kernel.ID{}, *boards...), nil
}

// RotateKey returns a new secret for a key; the old one stays valid for the overlap. A key cannot rotate one that is valid for
// longer or has a higher rate, and the rotated key is revoked together with it, because the caller learns the secret. A person
// who rotates a key becomes its issuer.
func (d *People) RotateKey(ctx context.Context, a *kernel.Principal, id kernel.ID, overlap time.Duration) (Key, string, error) {
	secret, hash := NewAPIKey()
	key, err := kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Key, error) {
		k, err := lockKey(tx, a, id)
		if err != nil {
			return k, err
		}
		if a.Kind() == kernel.KindKey && id != a.Key {
			if err := kernel.ErrOr(mayIssue(a, k.ExpiresAt, d.rateOf(&k)), adoptKey(tx, a, id)); err != nil {
				return k, err
			}
		}
		if a.Kind() == kernel.KindSession {
			tx.Later(`UPDATE keys SET issuer = $3 WHERE company = $1 AND id = $2`, a.Company.ID, id, a.User.ID)
		}
		replaceKeySecret(tx, a.Company.ID, id, tx.Now.Add(overlap), hash)
		d.ForgetHolders(tx, a.Company.ID)
		k.Rate = d.rateOf(&k)
		tx.Audit(a, kernel.AuditEntry{
			Action: "key.rotated", Subject: k.subject(),
			Changes: []kernel.AuditChange{{Field: "overlap_seconds", To: int64(overlap.Seconds())}},
		})
		return k, nil
	})
	return key, secret, err
}

// adoptKey makes the principal's key the parent of a key that it rotates, so that revoking the former also revokes the latter.
// A descendant keeps its parent. An ancestor is refused, and so is a key with an ancestor that the principal's key does not
// have: the new secret would outlive the key that it depends on. The company must be locked.
func adoptKey(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) error {
	if err := checkParent(tx, a); err != nil {
		return err
	}
	ancestors, err := keyAncestors(tx, a.Company.ID, a.Key)
	if err != nil {
		return err
	}
	if slices.Contains(ancestors, id) {
		return kernel.Errorf(kernel.CodeInsufficientScope, "A key cannot rotate the keys it was issued by.")
	}
	theirs, err := keyAncestors(tx, a.Company.ID, id)
	if err != nil || slices.Contains(theirs, a.Key) {
		return err
	}
	if slices.ContainsFunc(theirs, func(key kernel.ID) bool { return !slices.Contains(ancestors, key) }) {
		return kernel.Errorf(kernel.CodeInsufficientScope, "The issuer of this key is not an ancestor of the caller's key.")
	}
	tx.Later(`UPDATE keys SET parent = $3 WHERE company = $1 AND id = $2`, a.Company.ID, id, a.Key)
	return nil
}

// lockKey returns a valid key that the principal may change, and locks the company.
func lockKey(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) (Key, error) {
	tx.LockCompany(a.Company.ID)
	k, scopes, found, err := FindKey(tx, a.Company.ID, id)
	if err != nil || !found || k.RevokedAt != nil {
		return k, kernel.ErrOr(err, kernel.NotFound("key"))
	}
	return k, mayReplace(tx, a, k, scopes)
}

// mayReplace returns an error if a key may do or see more than the principal.
func mayReplace(tx *kernel.Tx, a *kernel.Principal, k Key, scopes kernel.ScopeSet) error {
	switch {
	case !scopes.Subset(a.Scopes):
		return kernel.Errorf(kernel.CodeInsufficientScope, "The key has scopes that the caller lacks.")
	case !seesBoards(a, k.Boards):
		return kernel.Errorf(kernel.CodeInsufficientScope, "The key can see boards that the caller cannot see.")
	}
	m, found, err := MemberPowers(tx, a.Company.ID, k.User.ID)
	if err != nil || !found { // the key of a removed member is useless
		return err
	}
	return mayActAs(a, &m)
}

// UpdateKey changes the name of a key and what it acts as. Its earlier messages show the new name too.
func (d *People) UpdateKey(ctx context.Context, a *kernel.Principal, id kernel.ID, in KeyUpdate) (Key, error) {
	if err := kernel.CleanName("body.name", &in.Name); err != nil {
		return Key{}, err
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Key, error) {
		k, err := lockKey(tx, a, id)
		if err != nil {
			return k, err
		}
		before := k
		kernel.Set(&k.Name, in.Name)
		kernel.Set(&k.ActsAs, in.ActsAs)
		tx.AuditNoun(a, k.subject(), before, k)
		tx.Later(`UPDATE keys SET name = $3, acts_as = $4 WHERE company = $1 AND id = $2`, a.Company.ID, id, k.Name, k.ActsAs)
		d.ForgetHolders(tx, a.Company.ID)
		k.Rate = d.rateOf(&k)
		return k, nil
	})
}

// RevokeKey revokes a key and the keys that it issued: on this node at once, on others within a second.
func (d *People) RevokeKey(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		k, scopes, found, err := FindKey(tx, a.Company.ID, id)
		if err != nil || !found {
			return kernel.ErrOr(err, kernel.NotFound("key"))
		}
		if err := mayReplace(tx, a, k, scopes); err != nil {
			return err
		}
		if k.RevokedAt == nil {
			tx.Audit(a, kernel.AuditEntry{Action: "key.revoked", Subject: k.subject()})
		}
		d.ForgetHolders(tx, a.Company.ID)
		tx.LockCompany(a.Company.ID)
		tx.Later(`UPDATE keys SET revoked_at = $3 WHERE company = $1 AND id = $2 AND revoked_at IS NULL`, a.Company.ID, id, tx.Now)
		return revokeIssued(tx, a)
	})
}

// inheritLimits gives a new key without expiry or rate those of the key that issues it, and refuses a key beyond them.
func (d *People) inheritLimits(a *kernel.Principal, k *Key) error {
	if parentKey(a) == nil {
		return nil
	}
	if k.ExpiresAt == nil {
		k.ExpiresAt = a.Integration.ExpiresAt
	}
	if (k.Rate == kernel.Rate{}) && !within(d.KeyRate, a.Rate) {
		k.Rate = a.Rate
	}
	return mayIssue(a, k.ExpiresAt, d.rateOf(k))
}

// checkParent returns an error if the principal's key was revoked during the request. The company must be locked, so that
// revoking the key later revokes the new one too.
func checkParent(tx *kernel.Tx, a *kernel.Principal) error {
	parent := parentKey(a)
	if parent == nil {
		return nil
	}
	valid, err := tx.One(`
		SELECT 1
		FROM keys k
		JOIN users u ON u.company = k.company AND u.id = k.member
		WHERE k.company = $1 AND k.id = $2 AND k.revoked_at IS NULL AND u.removed_at IS NULL`,
		[]any{a.Company.ID, *parent}, func(db.Row) {})
	if err != nil || !valid {
		return kernel.ErrOr(err, errKeyRevoked())
	}
	return nil
}

// mayIssue returns an error if a new key would be valid for longer than the principal's own or have a higher rate.
func mayIssue(a *kernel.Principal, expires *time.Time, rate kernel.Rate) error {
	if parentKey(a) == nil {
		return nil
	}
	if end := a.Integration.ExpiresAt; end != nil && (expires == nil || expires.After(*end)) {
		message := "This key expires at " + end.UTC().Format(time.RFC3339) + " and cannot issue keys that expire later."
		return errBeyondKey("body.expires_at", message)
	}
	if !within(rate, a.Rate) {
		return errBeyondKey("body.rate", "This key cannot issue keys with a higher rate than its own.")
	}
	return nil
}

func within(rate, most kernel.Rate) bool {
	return rate.PerSecond <= most.PerSecond && rate.Burst <= most.Burst
}

// Rules of members, sessions and keys.
var (
	ruleBeyondKey     = kernel.NewRule("beyond_key")     // a key cannot issue more than it has itself
	ruleChoose        = kernel.NewRule("choose")         // name: of the company whose id is the value
	ruleOnlyViewer    = kernel.NewRule("only_viewer")    // of a private channel
	ruleOnlyOwner     = kernel.NewRule("only_owner")     // of the company
	ruleWrongLength   = kernel.NewRule("wrong_length")   // min, max: characters
	ruleWrongPassword = kernel.NewRule("wrong_password") // not the current one
	ruleNoSecret      = kernel.NewRule("no_secret")      // POST /me/two-factor makes one
	ruleWrongCode     = kernel.NewRule("wrong_code")     // of the authenticator app
)

func errBeyondKey(field, message string) error {
	fields := []kernel.FieldError{ruleBeyondKey.At(field, message)}
	return &kernel.Error{Code: kernel.CodeInsufficientScope, Message: message, Fields: fields}
}

// holder is a cached key with its principal.
type holder struct {
	principal *kernel.Principal
	key       Key
	secretEnd *time.Time
	removed   bool
}

// Authenticate returns the holder of a key.
func (d *People) Authenticate(ctx context.Context, key string) (*kernel.Principal, error) {
	if key == "" {
		return nil, kernel.Errorf(kernel.CodeKeyMissing, "Send an API key in the header Authorization: Bearer <key>.")
	}
	hash, ok := ParseAPIKey(key)
	if !ok {
		return nil, errKeyInvalid()
	}
	h, err := d.keys.get(ctx, hash, func(ctx context.Context) (*holder, error) {
		h, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (*holder, error) {
			return d.findHolder(tx, `s.hash = $1 /* all companies: a secret names none */`, hash[:])
		})
		if h != nil && h.key.RevokedAt == nil && !h.removed {
			d.seen.mark(use{kernel.KindKey, h.principal.Company.ID, h.key.ID}, h.key.User.ID, d.Now())
		}
		return h, err
	})
	if err != nil || h == nil {
		return nil, kernel.ErrOr(err, errKeyInvalid())
	}
	if err := h.check(d.Now()); err != nil {
		return nil, err
	}
	return h.principal, nil
}

// check returns an error if the key is not valid now.
func (h *holder) check(now time.Time) error {
	switch {
	case h.key.RevokedAt != nil, h.removed:
		return errKeyRevoked()
	case h.key.ExpiresAt != nil && !now.Before(*h.key.ExpiresAt):
		return kernel.Errorf(kernel.CodeKeyExpired, "This API key has expired. Use another one.")
	case h.secretEnd != nil && !now.Before(*h.secretEnd):
		return kernel.Errorf(kernel.CodeKeyRevoked, "This API key was replaced by a newer one. Use that one.")
	}
	return nil
}

func errKeyRevoked() error {
	return kernel.Errorf(kernel.CodeKeyRevoked, "This API key was revoked. Use another one.")
}

func errKeyInvalid() error {
	return kernel.Errorf(kernel.CodeKeyInvalid, "This is not a valid API key. Check that it is complete.")
}

// ForgetHolders makes this node reload the keys and sessions of a company after the commit, because a key, session, member or
// sector has changed. Other nodes are notified; without the notification they reload within a second.
func (d *People) ForgetHolders(tx *kernel.Tx, company kernel.ID) {
	tx.AfterCommit(func() {
		d.forget(company)
		d.Signal(kernel.Signal{Kind: SignalHolders, Company: company})
	})
}

// The kinds of signals about members.
const (
	SignalHolders  = "holders"  // keys, sessions, members or sectors of a company changed
	SignalPresence = "presence" // the presence of a member may have changed
)

// forget drops the cached keys and sessions of a company, or of all companies if it is zero.
func (d *People) forget(company kernel.ID) {
	affected := func(a *kernel.Principal) bool { return company.IsZero() || a.Company.ID == company }
	d.keys.forget(func(h *holder) bool { return affected(h.principal) })
	d.sessions.forget(func(s *cachedSession) bool { return affected(s.principal) })
}

// seen collects which keys and sessions were used until FlushSeen stores it. It keeps the sessions a while longer for the
// presence of members.
type seen struct {
	mu       sync.Mutex
	unsaved  map[use]time.Time
	sessions map[kernel.ID]sessionUse
}

// use identifies a key or a session that was used.
type use struct {
	kind        kernel.Kind
	company, id kernel.ID
}

// sessionUse records when a session was last used on this node.
type sessionUse struct {
	member kernel.ID
	at     time.Time
}

// mark records that a key or a session of a member was used. Keys do not affect the presence of their member.
func (s *seen) mark(u use, member kernel.ID, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unsaved[u] = at
	if u.kind == kernel.KindSession {
		s.sessions[u.id] = sessionUse{member, at}
	}
}

// forget drops a session that has ended.
func (s *seen) forget(session kernel.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, session)
}

// members returns when each member was last active on this node.
func (s *seen) members() map[kernel.ID]time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	members := make(map[kernel.ID]time.Time, len(s.sessions))
	for _, session := range s.sessions {
		if session.at.After(members[session.member]) {
			members[session.member] = session.at
		}
	}
	return members
}

// FlushSeen stores which keys and sessions were used since the last call.
func (d *People) FlushSeen(ctx context.Context) error {
	s := &d.seen
	s.mu.Lock()
	unsaved := s.unsaved
	s.unsaved = map[use]time.Time{}
	maps.DeleteFunc(s.sessions, func(_ kernel.ID, session sessionUse) bool { return d.Now().Sub(session.at) > awayFor })
	s.mu.Unlock()
	if len(unsaved) == 0 {
		return nil
	}
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		for u, at := range unsaved {
			used := `UPDATE keys SET last_used_at = $3 WHERE company = $1 AND id = $2 AND (last_used_at IS NULL OR last_used_at < $3)`
			if u.kind == kernel.KindSession {
				used = `UPDATE sessions SET last_seen_at = $3 WHERE company = $1 AND id = $2 AND last_seen_at < $3`
			}
			tx.Later(used, u.company, u.id, at)
		}
		return nil
	})
}

// mayActAs returns an error if a member may do more than the principal or sees other conversations.
func mayActAs(a *kernel.Principal, m *kernel.MemberSight) error {
	switch {
	case m.User.ID == a.User.ID:
		return nil
	case !a.Role.AtLeast(m.Role):
		return kernel.Errorf(kernel.CodeInsufficientScope, "A key of the role %s cannot issue a key of the role %s.", a.Role, m.Role)
	case a.Profile != kernel.AccessAll:
		return kernel.Errorf(kernel.CodeInsufficientScope,
			"A caller who cannot see all conversations can issue keys only for their own member.")
	}
	return nil
}

// seesBoards reports whether the principal sees all of some boards; nil means every board.
func seesBoards(a *kernel.Principal, boards []kernel.ID) bool {
	return a.Boards == nil || boards != nil && !slices.ContainsFunc(boards, func(id kernel.ID) bool { return !a.MaySeeBoard(id) })
}

// parentKey returns the principal's key, or nil for people and the command line.
func parentKey(a *kernel.Principal) *kernel.ID {
	if a.Kind() != kernel.KindKey {
		return nil
	}
	return &a.Key
}
