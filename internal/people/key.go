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
)

// KeyPrefix begins every API key, so that a person and a secret scanner recognise one.
const KeyPrefix = "rcd_"

const (
	keyRandom   = 36 // base62 characters drawn at random: 214 bits
	keyChecksum = 6  // base62 characters that hold a CRC32
	keyLength   = len(KeyPrefix) + keyRandom + keyChecksum

	base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// NewAPIKey draws a key. The key is shown once; what is stored is its hash.
func NewAPIKey() (key string, hash [32]byte) {
	b := make([]byte, 0, keyLength)
	b = append(b, KeyPrefix...)
	b = appendRandomBase62(b, keyRandom)
	b = appendKeyChecksum(b)
	return string(b), sha256.Sum256(b)
}

// ParseAPIKey gives the hash by which a key is looked up. It is false for what cannot be a key: a typo
// or a truncated paste is refused here, without a look-up.
func ParseAPIKey(s string) (hash [32]byte, ok bool) {
	if len(s) != keyLength || !strings.HasPrefix(s, KeyPrefix) {
		return hash, false
	}
	for i := len(KeyPrefix); i < len(s); i++ {
		if !kernel.IsAlphanumeric(s[i]) {
			return hash, false
		}
	}
	signed := s[:keyLength-keyChecksum]
	whole := appendKeyChecksum([]byte(signed))
	if string(whole) != s {
		return hash, false
	}
	return sha256.Sum256(whole), true
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

// appendRandomBase62 appends n characters, each equally likely: bytes from 248 on would favour the first
// eight characters and are thrown away.
func appendRandomBase62(b []byte, n int) []byte {
	var pool [64]byte
	for n > 0 {
		_, _ = rand.Read(pool[:]) // never fails: crypto/rand aborts the process instead
		for _, r := range pool {
			if n > 0 && r < 62*4 {
				b = append(b, base62[r%62])
				n--
			}
		}
	}
	return b
}

// NewKey is what an API key is made of.
type NewKey struct {
	Name      string
	Scopes    kernel.ScopeSet
	Boards    *[]kernel.ID
	ExpiresAt *time.Time
	User      *kernel.ID   // nil: the creator's own member
	Rate      *kernel.Rate // nil: the installation's, whatever it will be
	ActsAs    string       // kernel.ActsAsPerson or kernel.ActsAsIntegration; "" is the first
}

// KeyUpdate lists what of a key to change; nil fields stay as they are.
type KeyUpdate struct {
	Name   *string
	ActsAs *string
}

// Keys lists the company's API keys.
func (d *People) Keys(ctx context.Context, a *kernel.Principal) ([]Key, error) {
	if err := a.May(VerbKeys); err != nil {
		return nil, err
	}
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]Key, error) {
		keys, err := listKeys(tx, a.Company.ID)
		for i := range keys {
			keys[i].Rate = d.rateOf(&keys[i])
		}
		return keys, err
	})
}

// Key gives one API key of the company.
func (d *People) Key(ctx context.Context, a *kernel.Principal, id kernel.ID) (Key, error) {
	if err := a.May(VerbKey); err != nil {
		return Key{}, err
	}
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (Key, error) {
		k, _, found, err := FindKey(tx, a.Company.ID, id)
		if err != nil || !found {
			return Key{}, kernel.ErrOr(err, kernel.NotFound("key"))
		}
		k.Rate = d.rateOf(&k)
		return k, nil
	})
}

// rateOf is the key's own rate, or the installation's as it is now where the key has none.
func (d *People) rateOf(k *Key) kernel.Rate { return cmp.Or(k.Rate, d.KeyRate) }

// CreateKey issues an API key and gives its secret, which is stored nowhere.
func (d *People) CreateKey(ctx context.Context, a *kernel.Principal, in NewKey) (Key, string, error) {
	if err := a.May(VerbCreateKey); err != nil {
		return Key{}, "", err
	}
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
		k := Key{ID: kernel.NewID(), Name: name, Scopes: in.Scopes.List(), User: a.User, ActsAs: cmp.Or(in.ActsAs, kernel.ActsAsPerson), CreatedAt: tx.Now, ExpiresAt: in.ExpiresAt}
		if in.Rate != nil {
			k.Rate = *in.Rate
		}
		if err := d.bound(a, &k); err != nil {
			return k, err
		}
		if in.User != nil {
			user, err := d.keyUser(tx, a, *in.User)
			if err != nil {
				return k, err
			}
			k.User = user
		}
		boards, err := d.keyBoards(tx, a, in.Boards)
		if err != nil {
			return k, err
		}
		k.Boards = boards
		if err := kernel.CheckLimit(tx, a.Company.ID, countKeys, "keys", d.Limit(limitKeys)); err != nil {
			return k, err
		}
		if err := stillIssues(a, tx); err != nil {
			return k, err
		}
		insertKey(tx, a.Company.ID, k, in.Scopes, parentKey(a), personIssuing(a), hash)
		k.Rate = d.rateOf(&k)
		return k, nil
	})
	return key, secret, err
}

// keyUser finds the member a new key is to act as. A caller cannot issue keys with more permissions than its own.
func (d *People) keyUser(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) (kernel.Ref, error) {
	m, found, err := MemberPowers(tx, a.Company.ID, id)
	if err != nil || !found {
		return kernel.Ref{}, kernel.ErrOr(err, kernel.NoSuch("body.user_id", "team_member"))
	}
	return kernel.Ref{ID: m.ID, Name: m.Name}, mayActAs(a, m.ID, m.Role)
}

// keyBoards checks the boards of a new key: existing ones, and none that the creator may not see.
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

// RotateKey gives an integration a new secret; the old one stays valid for the overlap. The caller who gets the
// secret may use the key, so a key rotates no other that is valid for longer or has a higher rate, and the key that
// it rotates is revoked together with it. A person who rotates a key is its issuer from then on.
func (d *People) RotateKey(ctx context.Context, a *kernel.Principal, id kernel.ID, overlap time.Duration) (Key, string, error) {
	if err := a.May(VerbRotateKey); err != nil {
		return Key{}, "", err
	}
	secret, hash := NewAPIKey()
	key, err := kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Key, error) {
		tx.LockCompany(a.Company.ID)
		k, scopes, found, err := FindKey(tx, a.Company.ID, id)
		if err != nil || !found || k.RevokedAt != nil {
			return k, kernel.ErrOr(err, kernel.NotFound("key"))
		}
		if err := d.mayReplace(tx, a, k, scopes); err != nil {
			return k, err
		}
		if a.Kind() == kernel.KindKey && id != a.Key {
			if err := mayIssue(a, k.ExpiresAt, d.rateOf(&k)); err != nil {
				return k, err
			}
			if err := takeKey(a, tx, id); err != nil {
				return k, err
			}
		}
		if issuer := personIssuing(a); issuer != nil {
			setKeyMember(tx, a.Company.ID, id, *issuer)
		}
		replaceKeySecret(tx, a.Company.ID, id, tx.Now.Add(overlap), hash)
		d.ForgetHolders(tx, a.Company.ID)
		k.Rate = d.rateOf(&k)
		return k, nil
	})
	return key, secret, err
}

// takeKey makes a key that the principal's key rotates one of those that it issued, so that revoking the principal's
// key ends the new secret, too. One that descends from it already keeps its issuer. One that it descends from is
// refused: its secret would outlive the principal's key. So is one that ends with a key which the principal's does not end
// with: it would outlive that one. The company is locked, so that no two keys take each other.
func takeKey(a *kernel.Principal, tx *kernel.Tx, id kernel.ID) error {
	if err := stillIssues(a, tx); err != nil {
		return err
	}
	issuers, err := keyIssuers(tx, a.Company.ID, a.Key)
	if err != nil {
		return err
	}
	if slices.Contains(issuers, id) {
		return kernel.Errorf(kernel.CodeInsufficientScope, "A key cannot rotate the keys that it was issued by.")
	}
	theirs, err := keyIssuers(tx, a.Company.ID, id)
	if err != nil || slices.Contains(theirs, a.Key) {
		return err
	}
	if slices.ContainsFunc(theirs, func(issuer kernel.ID) bool { return !slices.Contains(issuers, issuer) }) {
		return kernel.Errorf(kernel.CodeInsufficientScope, "The key was issued by one that the caller's key does not descend from.")
	}
	setKeyIssuer(tx, a.Company.ID, id, a.Key)
	return nil
}

// mayReplace refuses to touch a key that may do or see more than the principal's own, as CreateKey refuses
// to make one.
func (d *People) mayReplace(tx *kernel.Tx, a *kernel.Principal, k Key, scopes kernel.ScopeSet) error {
	switch {
	case !scopes.Subset(a.Scopes):
		return kernel.Errorf(kernel.CodeInsufficientScope, "The key has scopes that the caller lacks.")
	case !seesAllOf(a, k.Boards):
		return kernel.Errorf(kernel.CodeInsufficientScope, "The key sees boards that the caller does not see.")
	}
	m, found, err := MemberPowers(tx, a.Company.ID, k.User.ID)
	if err != nil || !found { // a key of a removed member gives no access
		return err
	}
	return mayActAs(a, m.ID, m.Role)
}

// UpdateKey changes the name of a key and what it acts as. Its messages show the new name, also those sent before.
func (d *People) UpdateKey(ctx context.Context, a *kernel.Principal, id kernel.ID, in KeyUpdate) (Key, error) {
	if err := a.May(VerbUpdateKey); err != nil {
		return Key{}, err
	}
	if in.Name != nil {
		name, invalid := kernel.Name("body.name", *in.Name, kernel.MaxName)
		if invalid != nil {
			return Key{}, invalid
		}
		in.Name = &name
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Key, error) {
		tx.LockCompany(a.Company.ID)
		k, scopes, found, err := FindKey(tx, a.Company.ID, id)
		if err != nil || !found || k.RevokedAt != nil {
			return k, kernel.ErrOr(err, kernel.NotFound("key"))
		}
		if err := d.mayReplace(tx, a, k, scopes); err != nil {
			return k, err
		}
		kernel.Set(&k.Name, in.Name)
		kernel.Set(&k.ActsAs, in.ActsAs)
		updateKey(tx, a.Company.ID, &k)
		d.ForgetHolders(tx, a.Company.ID)
		k.Rate = d.rateOf(&k)
		return k, nil
	})
}

// RevokeKey ends a key permanently, and the keys that it issued: here at once, on other nodes within a second.
func (d *People) RevokeKey(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	if err := a.May(VerbRevokeKey); err != nil {
		return err
	}
	_, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		k, scopes, found, err := FindKey(tx, a.Company.ID, id)
		if err != nil || !found {
			return struct{}{}, kernel.ErrOr(err, kernel.NotFound("key"))
		}
		if err := d.mayReplace(tx, a, k, scopes); err != nil {
			return struct{}{}, err
		}
		err = revokeKey(tx, a.Company.ID, id)
		d.ForgetHolders(tx, a.Company.ID)
		return struct{}{}, err
	})
	return err
}

// bound keeps a new key within the limits of the key that issues it. Where the request names no expiry or
// rate, the new key gets those of its parent.
func (d *People) bound(a *kernel.Principal, k *Key) error {
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

// stillIssues refuses a key that was revoked since the call began. The company is locked by then, so that
// revoking the parent reaches the new key too.
func stillIssues(a *kernel.Principal, tx *kernel.Tx) error {
	parent := parentKey(a)
	if parent == nil {
		return nil
	}
	valid, err := keyValid(tx, a.Company.ID, *parent)
	if err == nil && !valid {
		err = kernel.Errorf(kernel.CodeKeyRevoked, "This API key was revoked. Use another one.")
	}
	return err
}

// mayIssue refuses to issue a key that is valid for longer than the principal's own or has a higher rate.
func mayIssue(a *kernel.Principal, expires *time.Time, rate kernel.Rate) error {
	if parentKey(a) == nil {
		return nil
	}
	if end := a.Integration.ExpiresAt; end != nil && (expires == nil || expires.After(*end)) {
		return errBeyondKey("body.expires_at", "This key expires at "+end.UTC().Format(time.RFC3339)+" and cannot issue keys that expire later.")
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
	return &kernel.Error{
		Code: kernel.CodeInsufficientScope, Message: message, Fields: []kernel.FieldError{ruleBeyondKey.At(field, message)},
	}
}

// holder is a key as it was when it was last looked up.
type holder struct {
	principal *kernel.Principal
	key       Key
	secretEnd *time.Time
	removed   bool
}

// Authenticate gives the holder of a key, or the reason why the key is refused.
func (d *People) Authenticate(ctx context.Context, key string) (*kernel.Principal, error) {
	if key == "" {
		return nil, kernel.Errorf(kernel.CodeKeyMissing, "Send an API key in the header Authorization: Bearer <key>.")
	}
	hash, ok := ParseAPIKey(key)
	if !ok {
		return nil, errKeyInvalid()
	}
	h, err := d.keys.get(ctx, hash, func(ctx context.Context) (*holder, error) { return d.loadHolder(ctx, hash) })
	if err != nil {
		return nil, err
	}
	if h == nil {
		return nil, errKeyInvalid()
	}
	if err := h.refused(d.Now()); err != nil {
		return nil, err
	}
	return h.principal, nil
}

// refused says why a key is not accepted at a moment; nil: it is.
func (h *holder) refused(now time.Time) error {
	switch {
	case h.key.RevokedAt != nil, h.removed:
		return kernel.Errorf(kernel.CodeKeyRevoked, "This API key was revoked. Use another one.")
	case h.key.ExpiresAt != nil && !now.Before(*h.key.ExpiresAt):
		return kernel.Errorf(kernel.CodeKeyExpired, "This API key has expired. Use another one.")
	case h.secretEnd != nil && !now.Before(*h.secretEnd):
		return kernel.Errorf(kernel.CodeKeyRevoked, "This API key was replaced by a newer one. Use that one.")
	}
	return nil
}

func errKeyInvalid() error {
	return kernel.Errorf(kernel.CodeKeyInvalid, "This is not a valid API key. Check that it is complete.")
}

func (d *People) loadHolder(ctx context.Context, hash [32]byte) (*holder, error) {
	var found bool
	var kh KeyHolder
	err := d.Store.Read(ctx, func(tx *kernel.Tx) (err error) {
		kh, found, err = keyHolder(tx, hash)
		return err
	})
	if err != nil || !found {
		return nil, err
	}
	h := d.holderOf(&kh)
	if h.key.RevokedAt == nil && !h.removed {
		d.seen.markKey(kh.Company.ID, h.key.ID, d.Now())
	}
	return h, nil
}

func (d *People) holderOf(kh *KeyHolder) *holder {
	k := kh.Key
	k.Rate = d.rateOf(&k)
	member := kernel.Member{User: k.User, Email: kh.Email, Role: kh.Role, Profile: kh.AccessProfile, Sectors: kh.Sectors}
	return &holder{
		key: k, secretEnd: kh.SecretExpiresAt, removed: kh.MemberRemovedAt != nil || kernel.RevokedBy(kh.Limits),
		principal: kernel.KeyPrincipal(kh.Company, member, k.Integration(), k.ActsAs, k.Rate, kh.Limits...),
	}
}

// ForgetHolders makes this node look the keys and sessions of a company up again, once the change is durable: after a key, a
// session, a member or a sector changed. Other nodes are told to, and do so within a second by themselves.
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

// forgetSignalled forgets the keys and sessions of a company when another node signals a change.
func (d *People) forgetSignalled(s kernel.Signal) {
	if s.Kind == SignalHolders || s.Kind == kernel.SignalMissed {
		d.forget(s.Company)
	}
}

// forget makes this node load the keys and sessions of a company again; company zero means all companies.
func (d *People) forget(company kernel.ID) {
	of := func(a *kernel.Principal) bool { return company.IsZero() || a.Company.ID == company }
	d.keys.forget(func(h *holder) bool { return of(h.principal) })
	d.sessions.forget(func(h *cachedSession) bool { return of(h.principal) })
}

// seen collects who was active until FlushSeen stores it, and keeps it a while longer, so that a presence does not
// change between the two.
type seen struct {
	mu     sync.Mutex
	at     map[use]time.Time        // not yet written
	latest map[kernel.ID]sessionUse // session
}

// use is a key or a session that was used.
type use struct {
	kind        kernel.Kind
	company, id kernel.ID
}

// sessionUse is when a session was last used on this node.
type sessionUse struct {
	member kernel.ID
	at     time.Time
}

// markKey notes that a key was used. It says nothing about the presence of its member.
func (s *seen) markKey(company, key kernel.ID, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mark(use{kernel.KindKey, company, key}, at)
}

// markSession notes that a member is active in a session.
func (s *seen) markSession(company, session, member kernel.ID, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mark(use{kernel.KindSession, company, session}, at)
	if s.latest == nil {
		s.latest = map[kernel.ID]sessionUse{}
	}
	s.latest[session] = sessionUse{member, at}
}

func (s *seen) mark(used use, at time.Time) {
	if s.at == nil {
		s.at = map[use]time.Time{}
	}
	s.at[used] = at
}

// forget drops a session that has ended: its member is not active in it any more.
func (s *seen) forget(session kernel.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.latest, session)
}

// members tells when each member was last active on this node.
func (s *seen) members() map[kernel.ID]time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	members := make(map[kernel.ID]time.Time, len(s.latest))
	for _, of := range s.latest {
		if of.at.After(members[of.member]) {
			members[of.member] = of.at
		}
	}
	return members
}

// FlushSeen stores who was active since the last call: last_used_at of keys, last_seen_at of sessions.
func (d *People) FlushSeen(ctx context.Context) error {
	s := &d.seen
	s.mu.Lock()
	at := s.at
	s.at = nil
	maps.DeleteFunc(s.latest, func(_ kernel.ID, of sessionUse) bool { return d.Now().Sub(of.at) > awayFor })
	s.mu.Unlock()
	if len(at) == 0 {
		return nil
	}
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		for used, when := range at {
			if used.kind == kernel.KindSession {
				markSessionSeen(tx, used.company, used.id, when)
			} else {
				markKeyUsed(tx, used.company, used.id, when)
			}
		}
		return nil
	})
}

// mayActAs refuses to issue a key of a member who may do more, or who sees other conversations.
func mayActAs(a *kernel.Principal, member kernel.ID, role kernel.Role) error {
	switch {
	case member == a.User.ID:
		return nil
	case !a.Role.AtLeast(role):
		return kernel.Errorf(kernel.CodeInsufficientScope, "A key of the role %s cannot issue a key of the role %s.", a.Role, role)
	case a.Profile != kernel.AccessAll:
		return kernel.Errorf(kernel.CodeInsufficientScope, "A caller who does not see every conversation can issue keys only for their own member.")
	}
	return nil
}

// seesAllOf reports whether the principal's key sees every board that another one does; nil is all boards.
func seesAllOf(a *kernel.Principal, boards []kernel.ID) bool {
	return a.Boards == nil || boards != nil && !slices.ContainsFunc(boards, func(id kernel.ID) bool { return !a.MaySeeBoard(id) })
}

// parentKey returns the key that issues another one; nil for people and the command line.
func parentKey(a *kernel.Principal) *kernel.ID {
	if a.Kind() != kernel.KindKey {
		return nil
	}
	return &a.Key
}

// personIssuing returns the person who issues a key; nil for keys and the command line.
func personIssuing(a *kernel.Principal) *kernel.ID {
	if a.Kind() != kernel.KindSession {
		return nil
	}
	return &a.User.ID
}
