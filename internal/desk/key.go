package desk

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"recado/internal/model"
	"recado/internal/store"
)

// NewKey is what an API key is made of.
type NewKey struct {
	Name      string
	Scopes    model.ScopeSet
	Boards    *[]model.ID
	ExpiresAt *time.Time
	User      *model.ID   // nil: the creator's own member
	Rate      *model.Rate // nil: the installation's, whatever it will be
	ActsAs    string      // model.ActsAsPerson or model.ActsAsIntegration; "" is the first
}

// KeyUpdate lists what of a key to change; nil fields stay as they are.
type KeyUpdate struct {
	Name   *string
	ActsAs *string
}

// Keys lists the company's API keys.
func (d *Desk) Keys(ctx context.Context, a *Principal) ([]model.Key, error) {
	if err := a.May(VerbKeys); err != nil {
		return nil, err
	}
	return read(ctx, d, func(tx *store.Tx) ([]model.Key, error) {
		keys, err := tx.Keys(a.Company.ID)
		for i := range keys {
			keys[i].Rate = d.rateOf(&keys[i])
		}
		return keys, err
	})
}

// Key gives one API key of the company.
func (d *Desk) Key(ctx context.Context, a *Principal, id model.ID) (model.Key, error) {
	if err := a.May(VerbKey); err != nil {
		return model.Key{}, err
	}
	return read(ctx, d, func(tx *store.Tx) (model.Key, error) {
		k, _, found, err := tx.Key(a.Company.ID, id)
		if err != nil || !found {
			return model.Key{}, errOr(err, model.NotFound("key"))
		}
		k.Rate = d.rateOf(&k)
		return k, nil
	})
}

// rateOf is the key's own rate, or the installation's as it is now where the key has none.
func (d *Desk) rateOf(k *model.Key) model.Rate { return cmp.Or(k.Rate, d.rate) }

// CreateKey issues an API key and gives its secret, which is stored nowhere.
func (d *Desk) CreateKey(ctx context.Context, a *Principal, in NewKey) (model.Key, string, error) {
	if err := a.May(VerbCreateKey); err != nil {
		return model.Key{}, "", err
	}
	name, invalid := model.Name("body.name", in.Name, model.MaxName)
	if invalid != nil {
		return model.Key{}, "", invalid
	}
	if !in.Scopes.Subset(a.Scopes) {
		beyond := in.Scopes.Without(a.Scopes).List()
		return model.Key{}, "", &model.Error{
			Code:    model.CodeInsufficientScope,
			Message: "A key cannot issue keys with scopes that it lacks: " + string(beyond[0]) + ".",
			Fields:  []model.FieldError{{Field: "body.scopes", Message: string(beyond[0])}},
		}
	}
	if in.ExpiresAt != nil {
		if _, invalid := model.Future("body.expires_at", *in.ExpiresAt, d.now()); invalid != nil {
			return model.Key{}, "", invalid
		}
	}
	secret, hash := model.NewAPIKey()
	key, err := writeAnswer(ctx, d, func(tx *store.Tx) (model.Key, error) {
		k := model.Key{ID: model.NewID(), Name: name, Scopes: in.Scopes.List(), User: a.User, ActsAs: cmp.Or(in.ActsAs, model.ActsAsPerson), CreatedAt: tx.Now, ExpiresAt: in.ExpiresAt}
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
		if err := checkLimit(tx, a.Company.ID, store.CountKeys, "keys", d.limits.Keys); err != nil {
			return k, err
		}
		if err := a.stillIssues(tx); err != nil {
			return k, err
		}
		tx.InsertKey(a.Company.ID, k, in.Scopes, a.parent(), a.personIssuing(), hash)
		k.Rate = d.rateOf(&k)
		return k, nil
	})
	return key, secret, err
}

// keyUser finds the member a new key is to act as. A caller cannot issue keys with more permissions than its own.
func (d *Desk) keyUser(tx *store.Tx, a *Principal, id model.ID) (model.Ref, error) {
	m, found, err := tx.MemberPowers(a.Company.ID, id)
	if err != nil || !found {
		return model.Ref{}, errOr(err, model.Invalid("body.user_id", "there is no such team member"))
	}
	return model.Ref{ID: m.ID, Name: m.Name}, a.mayActAs(m.ID, m.Role)
}

// mayActAs refuses to issue a key of a member who may do more, or who sees other conversations.
func (a *Principal) mayActAs(member model.ID, role model.Role) error {
	switch {
	case member == a.User.ID:
		return nil
	case !a.Role.AtLeast(role):
		return model.Errorf(model.CodeInsufficientScope, "A key of the role %s cannot issue a key of the role %s.", a.Role, role)
	case a.Profile != model.AccessAll:
		return model.Errorf(model.CodeInsufficientScope, "A caller who does not see every conversation can issue keys only for their own member.")
	}
	return nil
}

// keyBoards checks the boards of a new key: existing ones, and none that the creator may not see.
func (d *Desk) keyBoards(tx *store.Tx, a *Principal, boards *[]model.ID) ([]model.ID, error) {
	if boards == nil {
		return a.Boards, nil
	}
	for _, board := range *boards {
		found, err := tx.BoardExists(a.Company.ID, board)
		if err != nil {
			return nil, err
		}
		if !found || !a.MaySeeBoard(board) {
			return nil, model.Invalid("body.boards", "there is no such board: "+board.String())
		}
	}
	return append([]model.ID{}, *boards...), nil
}

// seesAllOf reports whether the principal's key sees every board that another one does; nil is all boards.
func (a *Principal) seesAllOf(boards []model.ID) bool {
	return a.Boards == nil || boards != nil && !slices.ContainsFunc(boards, func(id model.ID) bool { return !a.MaySeeBoard(id) })
}

// RotateKey gives an integration a new secret; the old one stays valid for the overlap. The caller who gets the
// secret may use the key, so a key rotates no other that is valid for longer or has a higher rate, and the key that
// it rotates is revoked together with it. A person who rotates a key is its issuer from then on.
func (d *Desk) RotateKey(ctx context.Context, a *Principal, id model.ID, overlap time.Duration) (model.Key, string, error) {
	if err := a.May(VerbRotateKey); err != nil {
		return model.Key{}, "", err
	}
	secret, hash := model.NewAPIKey()
	key, err := writeAnswer(ctx, d, func(tx *store.Tx) (model.Key, error) {
		tx.LockCompany(a.Company.ID)
		k, scopes, found, err := tx.Key(a.Company.ID, id)
		if err != nil || !found || k.RevokedAt != nil {
			return k, errOr(err, model.NotFound("key"))
		}
		if err := d.mayReplace(tx, a, k, scopes); err != nil {
			return k, err
		}
		if a.kind == KindKey && id != a.Key {
			if err := a.mayIssue(k.ExpiresAt, d.rateOf(&k)); err != nil {
				return k, err
			}
			if err := a.takeKey(tx, id); err != nil {
				return k, err
			}
		}
		if issuer := a.personIssuing(); issuer != nil {
			tx.SetKeyMember(a.Company.ID, id, *issuer)
		}
		tx.ReplaceKeySecret(id, tx.Now.Add(overlap), hash)
		d.forgetHolders(tx, a.Company.ID)
		k.Rate = d.rateOf(&k)
		return k, nil
	})
	return key, secret, err
}

// takeKey makes a key that the principal's key rotates one of those that it issued, so that revoking the principal's
// key ends the new secret, too. One that descends from it already keeps its issuer. One that it descends from is
// refused: its secret would outlive the principal's key. So is one that ends with a key which the principal's does not end
// with: it would outlive that one. The company is locked, so that no two keys take each other.
func (a *Principal) takeKey(tx *store.Tx, id model.ID) error {
	if err := a.stillIssues(tx); err != nil {
		return err
	}
	issuers, err := tx.KeyIssuers(a.Company.ID, a.Key)
	if err != nil {
		return err
	}
	if slices.Contains(issuers, id) {
		return model.Errorf(model.CodeInsufficientScope, "A key cannot rotate the keys that it was issued by.")
	}
	theirs, err := tx.KeyIssuers(a.Company.ID, id)
	if err != nil || slices.Contains(theirs, a.Key) {
		return err
	}
	if slices.ContainsFunc(theirs, func(issuer model.ID) bool { return !slices.Contains(issuers, issuer) }) {
		return model.Errorf(model.CodeInsufficientScope, "The key was issued by one that the caller's key does not descend from.")
	}
	tx.SetKeyIssuer(a.Company.ID, id, a.Key)
	return nil
}

// mayReplace refuses to touch a key that may do or see more than the principal's own, as CreateKey refuses
// to make one.
func (d *Desk) mayReplace(tx *store.Tx, a *Principal, k model.Key, scopes model.ScopeSet) error {
	switch {
	case !scopes.Subset(a.Scopes):
		return model.Errorf(model.CodeInsufficientScope, "The key has scopes that the caller lacks.")
	case !a.seesAllOf(k.Boards):
		return model.Errorf(model.CodeInsufficientScope, "The key sees boards that the caller does not see.")
	}
	m, found, err := tx.MemberPowers(a.Company.ID, k.User.ID)
	if err != nil || !found { // a key of a removed member gives no access
		return err
	}
	return a.mayActAs(m.ID, m.Role)
}

// UpdateKey changes the name of a key and what it acts as. Its messages show the new name, also those sent before.
func (d *Desk) UpdateKey(ctx context.Context, a *Principal, id model.ID, in KeyUpdate) (model.Key, error) {
	if err := a.May(VerbUpdateKey); err != nil {
		return model.Key{}, err
	}
	if in.Name != nil {
		name, invalid := model.Name("body.name", *in.Name, model.MaxName)
		if invalid != nil {
			return model.Key{}, invalid
		}
		in.Name = &name
	}
	return write(ctx, d, func(tx *store.Tx) (model.Key, error) {
		tx.LockCompany(a.Company.ID)
		k, scopes, found, err := tx.Key(a.Company.ID, id)
		if err != nil || !found || k.RevokedAt != nil {
			return k, errOr(err, model.NotFound("key"))
		}
		if err := d.mayReplace(tx, a, k, scopes); err != nil {
			return k, err
		}
		set(&k.Name, in.Name)
		set(&k.ActsAs, in.ActsAs)
		tx.UpdateKey(a.Company.ID, &k)
		d.forgetHolders(tx, a.Company.ID)
		k.Rate = d.rateOf(&k)
		return k, nil
	})
}

// RevokeKey ends a key permanently, and the keys that it issued: here at once, on other nodes within a second.
func (d *Desk) RevokeKey(ctx context.Context, a *Principal, id model.ID) error {
	if err := a.May(VerbRevokeKey); err != nil {
		return err
	}
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		k, scopes, found, err := tx.Key(a.Company.ID, id)
		if err != nil || !found {
			return struct{}{}, errOr(err, model.NotFound("key"))
		}
		if err := d.mayReplace(tx, a, k, scopes); err != nil {
			return struct{}{}, err
		}
		err = tx.RevokeKey(a.Company.ID, id)
		d.forgetHolders(tx, a.Company.ID)
		return struct{}{}, err
	})
	return err
}

// parent is the key that issues another one; nil for people and the command line.
func (a *Principal) parent() *model.ID {
	if a.kind != KindKey {
		return nil
	}
	return &a.Key
}

// personIssuing returns the person who issues a key; nil for keys and the command line.
func (a *Principal) personIssuing() *model.ID {
	if a.kind != KindSession {
		return nil
	}
	return &a.User.ID
}

// bound keeps a new key within the limits of the key that issues it. Where the request names no expiry or
// rate, the new key gets those of its parent.
func (d *Desk) bound(a *Principal, k *model.Key) error {
	if a.parent() == nil {
		return nil
	}
	if k.ExpiresAt == nil {
		k.ExpiresAt = a.integration.ExpiresAt
	}
	if (k.Rate == model.Rate{}) && !within(d.rate, a.Rate) {
		k.Rate = a.Rate
	}
	return a.mayIssue(k.ExpiresAt, d.rateOf(k))
}

// stillIssues refuses a key that was revoked since the call began. The company is locked by then, so that
// revoking the parent reaches the new key too.
func (a *Principal) stillIssues(tx *store.Tx) error {
	parent := a.parent()
	if parent == nil {
		return nil
	}
	valid, err := tx.KeyValid(a.Company.ID, *parent)
	if err == nil && !valid {
		err = model.Errorf(model.CodeKeyRevoked, "This API key was revoked. Use another one.")
	}
	return err
}

// mayIssue refuses to issue a key that is valid for longer than the principal's own or has a higher rate.
func (a *Principal) mayIssue(expires *time.Time, rate model.Rate) error {
	if a.parent() == nil {
		return nil
	}
	if end := a.integration.ExpiresAt; end != nil && (expires == nil || expires.After(*end)) {
		return errBeyondKey("body.expires_at", "This key expires at "+end.UTC().Format(time.RFC3339)+" and cannot issue keys that expire later.")
	}
	if !within(rate, a.Rate) {
		return errBeyondKey("body.rate", "This key cannot issue keys with a higher rate than its own.")
	}
	return nil
}

func within(rate, most model.Rate) bool {
	return rate.PerSecond <= most.PerSecond && rate.Burst <= most.Burst
}

func errBeyondKey(field, message string) error {
	return &model.Error{
		Code: model.CodeInsufficientScope, Message: message, Fields: []model.FieldError{{Field: field, Message: message}},
	}
}

// holder is a key as it was when it was last looked up.
type holder struct {
	principal *Principal
	key       model.Key
	secretEnd *time.Time
	removed   bool
}

// Authenticate gives the holder of a key, or the reason why the key is refused.
func (d System) Authenticate(ctx context.Context, key string) (*Principal, error) {
	if key == "" {
		return nil, model.Errorf(model.CodeKeyMissing, "Send an API key in the header Authorization: Bearer <key>.")
	}
	hash, ok := model.ParseAPIKey(key)
	if !ok {
		return nil, errKeyInvalid()
	}
	h, err := d.keys.Get(ctx, hash, func(ctx context.Context) (*holder, error) { return d.loadHolder(ctx, hash) })
	if err != nil {
		return nil, err
	}
	if h == nil {
		return nil, errKeyInvalid()
	}
	if err := h.refused(d.now()); err != nil {
		return nil, err
	}
	d.active(h.principal.Company.ID)
	return h.principal, nil
}

// refused says why a key is not accepted at a moment; nil: it is.
func (h *holder) refused(now time.Time) error {
	switch {
	case h.key.RevokedAt != nil, h.removed:
		return model.Errorf(model.CodeKeyRevoked, "This API key was revoked. Use another one.")
	case h.key.ExpiresAt != nil && !now.Before(*h.key.ExpiresAt):
		return model.Errorf(model.CodeKeyExpired, "This API key has expired. Use another one.")
	case h.secretEnd != nil && !now.Before(*h.secretEnd):
		return model.Errorf(model.CodeKeyRevoked, "This API key was replaced by a newer one. Use that one.")
	}
	return nil
}

func errKeyInvalid() error {
	return model.Errorf(model.CodeKeyInvalid, "This is not a valid API key. Check that it is complete.")
}

func (d *Desk) loadHolder(ctx context.Context, hash [32]byte) (*holder, error) {
	var found bool
	var kh store.KeyHolder
	err := d.store.Read(ctx, func(tx *store.Tx) (err error) {
		kh, found, err = tx.KeyHolder(hash)
		return err
	})
	if err != nil || !found {
		return nil, err
	}
	h := d.holderOf(&kh)
	if h.key.RevokedAt == nil && !h.removed {
		d.seen.markKey(h.key.ID, d.now())
	}
	return h, nil
}

func (d *Desk) holderOf(kh *store.KeyHolder) *holder {
	k := kh.Key
	k.Rate = d.rateOf(&k)
	member := Member{User: k.User, Email: kh.Email, Role: kh.Role, Profile: kh.AccessProfile, Sectors: kh.Sectors}
	return &holder{
		key: k, secretEnd: kh.SecretExpiresAt, removed: kh.MemberRemovedAt != nil || revokedBy(kh.Limits),
		principal: KeyPrincipal(kh.Company, member, k, kh.Limits...),
	}
}

// forgetHolders makes this node look the keys and sessions of a company up again, once the change is durable: after a key, a
// session, a member or a sector changed. Other nodes are told to, and do so within a second by themselves.
func (d *Desk) forgetHolders(tx *store.Tx, company model.ID) {
	tx.AfterCommit(func() {
		d.forget(company)
		d.signal(Signal{Kind: SignalHolders, Company: company})
	})
}

// forget makes this node look keys and sessions up again; company zero means those of all.
func (d *Desk) forget(company model.ID) {
	of := func(a *Principal) bool { return company.IsZero() || a.Company.ID == company }
	d.keys.Forget(func(h *holder) bool { return of(h.principal) })
	d.sessions.Forget(func(h *sessionHolder) bool { return of(h.principal) })
}

// seen collects who was active until FlushSeen stores it, and keeps it a while longer, so that a presence does not
// change between the two.
type seen struct {
	mu     sync.Mutex
	at     map[use]time.Time       // not yet written
	latest map[model.ID]sessionUse // session
}

// use is a key or a session that was used.
type use struct {
	kind Kind
	id   model.ID
}

// sessionUse is when a session was last used on this node.
type sessionUse struct {
	member model.ID
	at     time.Time
}

// markKey notes that a key was used. It says nothing about the presence of its member.
func (s *seen) markKey(key model.ID, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mark(use{KindKey, key}, at)
}

// markSession notes that a member is active in a session.
func (s *seen) markSession(session, member model.ID, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mark(use{KindSession, session}, at)
	if s.latest == nil {
		s.latest = map[model.ID]sessionUse{}
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
func (s *seen) forget(session model.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.latest, session)
}

// members tells when each member was last active on this node.
func (s *seen) members() map[model.ID]time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	members := make(map[model.ID]time.Time, len(s.latest))
	for _, of := range s.latest {
		if of.at.After(members[of.member]) {
			members[of.member] = of.at
		}
	}
	return members
}

// FlushSeen stores who was active since the last call: last_used_at of keys, last_seen_at of sessions.
func (d System) FlushSeen(ctx context.Context) error {
	s := &d.seen
	s.mu.Lock()
	at := s.at
	s.at = nil
	maps.DeleteFunc(s.latest, func(_ model.ID, of sessionUse) bool { return d.now().Sub(of.at) > awayFor })
	s.mu.Unlock()
	if len(at) == 0 {
		return nil
	}
	return d.store.Write(ctx, func(tx *store.Tx) error {
		for used, when := range at {
			if used.kind == KindSession {
				tx.MarkSessionSeen(used.id, when)
			} else {
				tx.MarkKeyUsed(used.id, when)
			}
		}
		return nil
	})
}
