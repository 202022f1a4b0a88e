package people

import (
	"context"

	"recado/internal/kernel"
)

// LivePeople is what the live streams of a company depend on beside events.
type LivePeople struct {
	Sessions map[kernel.ID]*kernel.Principal // that have not ended
	Presence map[kernel.ID]Presence
}

// Presence is how a member is shown.
type Presence struct {
	Name  string
	Shown string
}

// LiveState reads who is signed in to a company at this moment and how its members are shown.
func (d *People) LiveState(ctx context.Context, c kernel.Company) (LivePeople, error) {
	state := LivePeople{Sessions: map[kernel.ID]*kernel.Principal{}, Presence: map[kernel.ID]Presence{}}
	now, latest := d.Now(), d.seen.members()
	_, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		team, err := findTeam(tx, c.ID)
		if err != nil {
			return struct{}{}, err
		}
		members := make(map[kernel.ID]kernel.Member, len(team))
		for _, m := range team {
			sectors := make([]kernel.ID, len(m.Sectors))
			for i, s := range m.Sectors {
				sectors[i] = s.ID
			}
			members[m.ID] = kernel.Member{User: kernel.Ref{ID: m.ID, Name: m.Name}, Email: m.Email, Role: m.Role, Profile: m.AccessProfile, Sectors: sectors}
			state.Presence[m.ID] = Presence{m.Name, PresenceOf(now, m.Chosen, m.LastSeenAt, latest[m.ID])}
		}
		views, err := viewers(tx, c.ID)
		if err != nil {
			return struct{}{}, err
		}
		return struct{}{}, liveSessions(tx, c.ID, func(s SignedIn, member kernel.ID) {
			if m, present := members[member]; present && now.Before(SessionEnd(s.CreatedAt, s.LastSeenAt)) {
				state.Sessions[s.ID] = kernel.SessionPrincipal(c, m, s.ID, views[member], d.KeyRate)
			}
		})
	})
	return state, err
}

// LiveSession reads one session from the database, past the cache: nil when it has ended.
func (d *People) LiveSession(ctx context.Context, company, session kernel.ID) (*kernel.Principal, error) {
	h, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (*SessionHolder, error) {
		h, found, err := sessionOf(tx, company, session)
		if err != nil || !found {
			return nil, err
		}
		return &h, nil
	})
	if err != nil || h == nil || !d.Now().Before(SessionEnd(h.Session.CreatedAt, h.Session.LastSeenAt)) {
		return nil, err
	}
	return d.principalOf(h), nil
}

// principalOf is the person who holds a session.
func (d *People) principalOf(h *SessionHolder) *kernel.Principal {
	member := kernel.Member{
		User: kernel.Ref{ID: h.Member.ID, Name: h.Member.Name}, Email: h.Member.Email, Role: h.Member.Role,
		Profile: h.Member.AccessProfile, Sectors: h.Sectors,
	}
	return kernel.SessionPrincipal(h.Company, member, h.Session.ID, h.Viewed, d.KeyRate)
}

// MarkLive notes that a session has an open stream: its member is active.
func (d *People) MarkLive(company, session, member kernel.ID) {
	d.seen.markSession(company, session, member, d.Now())
}
