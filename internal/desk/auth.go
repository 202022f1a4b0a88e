package desk

import (
	"context"
	"maps"
	"sync"
	"time"

	"recado/internal/model"
	"recado/internal/store"
)

// holder is a key as it was when it was last looked up.
type holder struct {
	principal *Principal
	key       model.Key
	secretEnd *time.Time
	removed   bool
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
	h, err := d.keys.get(ctx, hash, func(ctx context.Context) (*holder, error) { return d.loadHolder(ctx, hash) })
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
	k := kh.Key
	k.Rate = d.rateOf(&k)
	member := Member{User: k.User, Email: kh.Email, Role: kh.Role, Profile: kh.AccessProfile, Sectors: kh.Sectors}
	h := &holder{key: k, secretEnd: kh.SecretExpiresAt, removed: kh.MemberRemovedAt != nil, principal: KeyPrincipal(kh.Company, member, k)}
	if k.RevokedAt == nil && !h.removed {
		d.seen.mark(KindKey, k.ID, k.User.ID, d.now())
	}
	return h, nil
}

// forgetHolders makes this node look every key and session up again: after a key, a session, a member or a sector
// changed. Other nodes are told to, and do so within a second by themselves.
func (d *Desk) forgetHolders() {
	d.keys.clear()
	d.sessions.clear()
	d.signal(Signal{Kind: SignalHolders})
}

// seen collects who was active until it is written down, and remembers it a while longer: a presence
// must not flicker between the two.
type seen struct {
	mu     sync.Mutex
	at     map[use]time.Time      // not yet written
	latest map[model.ID]time.Time // member
}

// use is a key or a session that a member used.
type use struct {
	kind       Kind
	id, member model.ID
}

func (s *seen) mark(kind Kind, id, member model.ID, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at == nil {
		s.at = map[use]time.Time{}
	}
	if s.latest == nil {
		s.latest = map[model.ID]time.Time{}
	}
	s.at[use{kind, id, member}] = at
	s.latest[member] = at
}

// members tells when each member was last active on this node.
func (s *seen) members() map[model.ID]time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.latest)
}

// FlushSeen writes down who was active since the last time: last_used_at of keys, last_seen_at of sessions, presence of people.
func (d System) FlushSeen(ctx context.Context) error {
	s := &d.seen
	s.mu.Lock()
	at := s.at
	s.at = nil
	maps.DeleteFunc(s.latest, func(_ model.ID, when time.Time) bool { return d.now().Sub(when) > awayFor })
	s.mu.Unlock()
	if len(at) == 0 {
		return nil
	}
	return d.store.Write(ctx, func(tx *store.Tx) error {
		for used, when := range at {
			if used.kind == KindSession {
				tx.MarkSessionSeen(used.id, used.member, when)
			} else {
				tx.MarkSeen(used.id, used.member, when)
			}
		}
		return nil
	})
}
