package desk

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"recado/internal/model"
	"recado/internal/store"
)

// A holder that was looked up within freshFor is believed. Between freshFor and staleAfter one call
// looks again while the others go on; after that all wait. So a key revoked on another node stops
// here within a second, and a busy key costs two look-ups a second.
const (
	freshFor   = 400 * time.Millisecond
	staleAfter = 800 * time.Millisecond
)

// holders remembers who holds which key.
type holders struct {
	byHash sync.Map // [32]byte -> *holder
	count  atomic.Int64
	flight singleflight.Group
	seen   seen
}

type holder struct {
	principal *Principal
	key       model.Key
	secretEnd *time.Time
	removed   bool
	loaded    time.Time
	reloading atomic.Bool
}

// Authenticate tells who holds a key, or why it is refused.
func (d System) Authenticate(ctx context.Context, key string) (*Principal, error) {
	if key == "" {
		return nil, model.Errorf(model.CodeKeyMissing, "Send an API key in the header Authorization: Bearer <key>.")
	}
	hash, ok := model.ParseAPIKey(key)
	if !ok {
		return nil, errKeyInvalid()
	}
	h, err := d.holder(ctx, hash)
	if err != nil {
		return nil, err
	}
	if h == nil {
		return nil, errKeyInvalid()
	}
	now := d.now()
	switch {
	case h.key.RevokedAt != nil, h.removed:
		return nil, model.Errorf(model.CodeKeyRevoked, "This API key was revoked.")
	case h.key.ExpiresAt != nil && !now.Before(*h.key.ExpiresAt):
		return nil, model.Errorf(model.CodeKeyExpired, "This API key has expired.")
	case h.secretEnd != nil && !now.Before(*h.secretEnd):
		return nil, model.Errorf(model.CodeKeyRevoked, "This API key was replaced by a newer one.")
	}
	return h.principal, nil
}

func errKeyInvalid() error {
	return model.Errorf(model.CodeKeyInvalid, "This is not a valid API key.")
}

func (d *Desk) holder(ctx context.Context, hash [32]byte) (*holder, error) {
	if v, ok := d.holders.byHash.Load(hash); ok {
		h := v.(*holder)
		age := time.Since(h.loaded)
		if age < freshFor || age < staleAfter && !h.reloading.CompareAndSwap(false, true) {
			return h, nil
		}
	}
	v, err, _ := d.holders.flight.Do(string(hash[:]), func() (any, error) { return d.loadHolder(ctx, hash) })
	if err != nil {
		return nil, err
	}
	return v.(*holder), nil
}

func (d *Desk) loadHolder(ctx context.Context, hash [32]byte) (*holder, error) {
	loaded := time.Now() // before the look, so that what changes meanwhile is seen in time
	var found bool
	var kh store.KeyHolder
	err := d.store.Read(context.WithoutCancel(ctx), func(tx *store.Tx) (err error) {
		kh, found, err = tx.KeyHolder(hash)
		return err
	})
	if err != nil {
		return nil, err
	}
	if !found {
		if _, was := d.holders.byHash.LoadAndDelete(hash); was {
			d.holders.count.Add(-1)
		}
		return nil, nil
	}
	k := kh.Key
	k.Rate = d.rateOf(&k)
	member := Member{User: k.User, Email: kh.Email, Role: kh.Role, Profile: kh.AccessProfile, Sectors: kh.Sectors}
	h := &holder{
		key: k, secretEnd: kh.SecretExpiresAt, removed: kh.MemberRemovedAt != nil, loaded: loaded, principal: KeyPrincipal(kh.Company, member, k),
	}
	if d.holders.count.Add(1) > maxHolders {
		d.holders.byHash.Clear()
		d.holders.count.Store(1)
	}
	if _, was := d.holders.byHash.Swap(hash, h); was {
		d.holders.count.Add(-1)
	}
	if k.RevokedAt == nil && !h.removed {
		d.holders.seen.mark(k.ID, k.User.ID, d.now())
	}
	return h, nil
}

// maxHolders bounds the memory of installations with very many keys.
const maxHolders = 10_000

// forgetHolders makes this node look every key up again: after a key, a member or a sector changed.
func (d *Desk) forgetHolders() {
	d.holders.byHash.Clear()
	d.holders.count.Store(0)
}

// seen collects who was active until it is written down, and remembers it a while longer: a presence
// must not flicker between the two.
type seen struct {
	mu     sync.Mutex
	at     map[[2]model.ID]time.Time // key, member: not yet written
	latest map[model.ID]time.Time    // member
}

func (s *seen) mark(key, member model.ID, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at == nil {
		s.at = map[[2]model.ID]time.Time{}
	}
	if s.latest == nil {
		s.latest = map[model.ID]time.Time{}
	}
	s.at[[2]model.ID{key, member}] = at
	s.latest[member] = at
}

// members tells when each member was last active on this node.
func (s *seen) members() map[model.ID]time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.latest)
}

// FlushSeen writes down who was active since the last time: last_used_at of keys, presence of people.
func (d System) FlushSeen(ctx context.Context) error {
	s := &d.holders.seen
	s.mu.Lock()
	at := s.at
	s.at = nil
	maps.DeleteFunc(s.latest, func(_ model.ID, when time.Time) bool { return d.now().Sub(when) > awayFor })
	s.mu.Unlock()
	if len(at) == 0 {
		return nil
	}
	return d.store.Write(ctx, func(tx *store.Tx) error {
		for who, when := range at {
			tx.MarkSeen(who[0], who[1], when)
		}
		return nil
	})
}
