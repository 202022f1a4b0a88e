package people

import (
	"context"

	"recado/internal/kernel"
)

// LivePeople is the state that live streams of a company need in addition to events.
type LivePeople struct {
	Sessions map[kernel.ID]*kernel.Principal // not expired
	Presence map[kernel.ID]Presence
}

// Presence is a member's presence as others see it.
type Presence struct {
	Name  string
	Shown string
}

// LiveState returns the current sessions of a company and the presence of its members.
func (d *People) LiveState(ctx context.Context, c kernel.Company) (LivePeople, error) {
	state := LivePeople{Sessions: map[kernel.ID]*kernel.Principal{}, Presence: map[kernel.ID]Presence{}}
	now, latest := d.Now(), d.seen.members()
	err := d.Store.Read(ctx, func(tx *kernel.Tx) error {
		team, err := listTeam(tx, c.ID)
		if err != nil {
			return err
		}
		members := make(map[kernel.ID]Member, len(team))
		for _, m := range team {
			members[m.ID] = m.Member
			state.Presence[m.ID] = Presence{m.Name, PresenceOf(now, m.Chosen, m.LastSeenAt, latest[m.ID])}
		}
		viewed, err := allViewedChannels(tx, c.ID)
		if err != nil {
			return err
		}
		return eachLiveSession(tx, c.ID, func(s SignedIn, member kernel.ID) {
			h := SessionHolder{Session: s, Member: members[member], Company: c, Viewed: viewed[member]}
			if _, present := members[member]; present && !h.expired(now) {
				state.Sessions[s.ID] = d.sessionPrincipal(&h)
			}
		})
	})
	return state, err
}

// LiveSession loads a session from the database, bypassing the cache. It returns nil if the session has ended.
func (d *People) LiveSession(ctx context.Context, company, session kernel.ID) (*kernel.Principal, error) {
	h, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (*SessionHolder, error) { return findSession(tx, company, session) })
	if err != nil || h == nil || h.expired(d.Now()) {
		return nil, err
	}
	return d.sessionPrincipal(h), nil
}

func (d *People) sessionPrincipal(h *SessionHolder) *kernel.Principal {
	member := kernel.Member{
		User: kernel.Ref{ID: h.Member.ID, Name: h.Member.Name}, Email: h.Member.Email, Role: h.Member.Role,
		Profile: h.Member.AccessProfile, Sectors: refIDs(h.Member.Sectors),
	}
	return kernel.SessionPrincipal(h.Company, member, h.Session.ID, h.Viewed, d.KeyRate)
}

// MarkLive records that the member of a session is active, because of a request or an open stream.
func (d *People) MarkLive(company, session, member kernel.ID) {
	d.seen.mark(use{kernel.KindSession, company, session}, member, d.Now())
}
