package store

import (
	"time"

	"recado/internal/fold"
	"recado/internal/model"
)

// SessionHolder is everything a request with a cookie needs to know.
type SessionHolder struct {
	Session   model.SignedIn
	Member    model.Member
	Company   model.Company
	Sectors   []model.ID
	Viewed    []model.ID // the private channels that the member may see
	TwoFactor bool
	Signature string
	Presence  string // what the member chose
}

// SessionHolder finds the session whose cookie has the given hash. It does not look at limits of time.
func (tx *Tx) SessionHolder(hash [32]byte) (SessionHolder, bool, error) {
	return tx.sessionHolder(`s.hash = $1`, hash[:])
}

// SessionOf finds a session of the company by its id. It does not look at limits of time.
func (tx *Tx) SessionOf(company, id model.ID) (SessionHolder, bool, error) {
	return tx.sessionHolder(`s.company = $1 AND s.id = $2`, company, id)
}

func (tx *Tx) sessionHolder(which string, args ...any) (h SessionHolder, found bool, err error) {
	found, err = tx.one(`
		SELECT s.id, s.created_at, s.last_seen_at, s.ip, s.user_agent,
			u.id, u.name, u.email, u.role, u.access_profile, u.two_factor IS NOT NULL, u.signature, u.presence,
			c.id, c.name, c.timezone
		FROM sessions s
		JOIN users u ON u.id = s.member
		JOIN companies c ON c.id = s.company
		WHERE `+which+` AND u.removed_at IS NULL`, args, func(r Row) {
		h.Session = model.SignedIn{ID: r.ID(0), CreatedAt: r.Time(1), LastSeenAt: r.Time(2), IP: r.Text(3), UserAgent: r.Text(4), Current: true}
		h.Member = model.Member{
			ID: r.ID(5), Name: r.Text(6), Email: r.Text(7), Role: model.Role(r.Text(8)), AccessProfile: model.AccessProfile(r.Text(9)),
		}
		h.TwoFactor, h.Signature, h.Presence = r.Bool(10), r.Text(11), r.Text(12)
		h.Company = model.Company{ID: r.ID(13), Name: r.Text(14), Timezone: r.Text(15)}
	})
	if err != nil || !found {
		return SessionHolder{}, false, err
	}
	err = tx.query(`
		SELECT s.id, s.name
		FROM sector_members m
		JOIN sectors s ON s.id = m.sector
		WHERE m.member = $1 AND s.removed_at IS NULL
		ORDER BY s.folded, s.id`, []any{h.Member.ID}, func(r Row) error {
		h.Sectors = append(h.Sectors, r.ID(0))
		h.Member.Sectors = append(h.Member.Sectors, model.Ref{ID: r.ID(0), Name: r.Text(1)})
		return nil
	})
	if err != nil {
		return SessionHolder{}, false, err
	}
	h.Viewed, err = tx.ids(`SELECT channel FROM channel_viewers WHERE member = $1 AND NOT pending`, h.Member.ID)
	return h, true, err
}

// InsertSession adds a session of a member.
func (tx *Tx) InsertSession(company, member, id model.ID, hash [32]byte, ip, userAgent string) {
	tx.later(`
		INSERT INTO sessions (id, company, member, hash, ip, user_agent, created_at, last_seen_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $7)`,
		id, company, member, hash[:], ip, userAgent, tx.Now)
}

// EndOldestSessions ends those of a member beyond the newest ones, and reports whether there were any.
func (tx *Tx) EndOldestSessions(company, member model.ID, keep int) (bool, error) {
	n, err := tx.exec(`
		DELETE FROM sessions
		WHERE company = $1 AND member = $2 AND id <= (
			SELECT id
			FROM sessions
			WHERE company = $1 AND member = $2
			ORDER BY id DESC
			LIMIT 1 OFFSET $3)`, company, member, int64(keep))
	return n > 0, err
}

// Sessions lists a member's sessions that have not reached a limit, the newest first.
func (tx *Tx) Sessions(company, member model.ID) ([]model.SignedIn, error) {
	sessions := []model.SignedIn{}
	err := tx.query(`
		SELECT id, created_at, last_seen_at, ip, user_agent
		FROM sessions
		WHERE company = $1 AND member = $2 AND last_seen_at > $3 AND created_at > $4
		ORDER BY id DESC
		LIMIT $5`, []any{company, member, tx.Now.Add(-model.SessionIdle), tx.Now.Add(-model.SessionLongest), int64(model.MaxSessions)}, func(r Row) error {
		sessions = append(sessions, model.SignedIn{ID: r.ID(0), CreatedAt: r.Time(1), LastSeenAt: r.Time(2), IP: r.Text(3), UserAgent: r.Text(4)})
		return nil
	})
	return sessions, err
}

// LiveSessions goes through the sessions of the company that have not reached the idle limit.
func (tx *Tx) LiveSessions(company model.ID, each func(s model.SignedIn, member model.ID)) error {
	return tx.query(`
		SELECT id, created_at, last_seen_at, member
		FROM sessions
		WHERE company = $1 AND last_seen_at > $2`, []any{company, tx.Now.Add(-model.SessionIdle)}, func(r Row) error {
		each(model.SignedIn{ID: r.ID(0), CreatedAt: r.Time(1), LastSeenAt: r.Time(2)}, r.ID(3))
		return nil
	})
}

// Viewers gives the private channels of the company that each member may see.
func (tx *Tx) Viewers(company model.ID) (map[model.ID][]model.ID, error) {
	views := map[model.ID][]model.ID{}
	err := tx.query(`
		SELECT v.member, v.channel
		FROM channel_viewers v
		JOIN channels c ON c.id = v.channel
		WHERE c.company = $1 AND NOT v.pending`, []any{company}, func(r Row) error {
		views[r.ID(0)] = append(views[r.ID(0)], r.ID(1))
		return nil
	})
	return views, err
}

// EndSession ends one of a member's sessions and reports whether there was one.
func (tx *Tx) EndSession(company, member, id model.ID) (bool, error) {
	n, err := tx.exec(`DELETE FROM sessions WHERE company = $1 AND member = $2 AND id = $3`, company, member, id)
	return n > 0, err
}

// EndSessionOf ends the session whose cookie has the given hash, and gives its company.
func (tx *Tx) EndSessionOf(hash [32]byte) (company model.ID, ended bool, err error) {
	ended, err = tx.one(`DELETE FROM sessions WHERE hash = $1 RETURNING company`, []any{hash[:]}, func(r Row) { company = r.ID(0) })
	return company, ended, err
}

// EndSessions ends all sessions of a member, and the links with which somebody could begin another one.
func (tx *Tx) EndSessions(company, member model.ID) {
	tx.RemoveResetLinks(company, member)
	tx.later(`DELETE FROM sessions WHERE company = $1 AND member = $2`, company, member)
}

// EndOtherSessions ends all sessions of a member but one, and the links with which somebody could begin another one.
func (tx *Tx) EndOtherSessions(company, member, but model.ID) {
	tx.RemoveResetLinks(company, member)
	tx.later(`DELETE FROM sessions WHERE company = $1 AND member = $2 AND id <> $3`, company, member, but)
}

// MarkSessionSeen notes when a session was last active.
func (tx *Tx) MarkSessionSeen(session model.ID, at time.Time) {
	tx.later(`UPDATE sessions SET last_seen_at = $2 WHERE id = $1 AND last_seen_at < $2`, session, at)
}

// RemoveOldSessions deletes sessions, links and counters whose time is over, up to limit of each, and gives how many.
func (tx *Tx) RemoveOldSessions(limit int) (int64, error) {
	var removed int64
	for _, old := range []struct {
		statement string
		before    time.Time
	}{
		{`DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE last_seen_at <= $1 LIMIT $2)`, tx.Now.Add(-model.SessionIdle)},
		{`DELETE FROM reset_links WHERE hash IN (SELECT hash FROM reset_links WHERE expires_at <= $1 LIMIT $2)`, tx.Now},
		{`DELETE FROM invitations WHERE id IN (SELECT id FROM invitations WHERE expires_at <= $1 LIMIT $2)`, tx.Now.Add(-model.InvitationKept)},
		{`DELETE FROM sign_in_failures WHERE subject IN (SELECT subject FROM sign_in_failures WHERE last_at <= $1 LIMIT $2)`, tx.Now.Add(-24 * time.Hour)},
	} {
		n, err := tx.exec(old.statement, old.before, limit)
		if err != nil {
			return removed, err
		}
		removed += n
	}
	return removed, nil
}

// Candidate is a member with an e-mail address that is used to sign in.
type Candidate struct {
	Company      model.Company
	Member       model.ID
	PasswordHash *string
	TwoFactor    []byte // the sealed secret; nil: off
}

// maxCandidates bounds the passwords that one sign-in compares.
const maxCandidates = 20

// Candidates finds the present members of any company with an e-mail address, or of one company unless that is zero.
func (tx *Tx) Candidates(email string, company model.ID) ([]Candidate, error) {
	var found []Candidate
	err := tx.query(`
		SELECT c.id, c.name, c.timezone, u.id, u.password_hash, u.two_factor
		FROM users u
		JOIN companies c ON c.id = u.company
		WHERE u.email_folded = $1 AND u.removed_at IS NULL
		ORDER BY u.id
		LIMIT $2`, []any{fold.Text(email), maxCandidates}, func(r Row) error {
		if company.IsZero() || company == r.ID(0) {
			found = append(found, Candidate{
				Company: model.Company{ID: r.ID(0), Name: r.Text(1), Timezone: r.Text(2)},
				Member:  r.ID(3), PasswordHash: r.NullText(4), TwoFactor: r.Bytes(5),
			})
		}
		return nil
	})
	return found, err
}

// Failures is how often something failed in a row, and when it last did.
type Failures struct {
	Count int64
	Last  time.Time
}

// SignInFailures gives the failures of each subject.
func (tx *Tx) SignInFailures(subjects ...[32]byte) ([]Failures, error) {
	out := make([]Failures, len(subjects))
	for i, subject := range subjects {
		if _, err := tx.one(`SELECT failures, last_at FROM sign_in_failures WHERE subject = $1`, []any{subject[:]}, func(r Row) {
			out[i] = Failures{Count: r.Int(0), Last: r.Time(1)}
		}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// CountSignInFailure adds a failure to a subject, or starts again at one where the last is older than forget.
func (tx *Tx) CountSignInFailure(subject [32]byte, forget time.Duration) {
	tx.later(`
		INSERT INTO sign_in_failures (subject, failures, last_at)
		VALUES ($1, 1, $2)
		ON CONFLICT (subject) DO UPDATE
		SET failures = CASE WHEN sign_in_failures.last_at < $3 THEN 1 ELSE sign_in_failures.failures + 1 END, last_at = $2`,
		subject[:], tx.Now, tx.Now.Add(-forget))
}

// ClearSignInFailures forgets the failures of a subject.
func (tx *Tx) ClearSignInFailures(subject [32]byte) {
	tx.later(`DELETE FROM sign_in_failures WHERE subject = $1`, subject[:])
}

// UseTwoFactorStep accepts a time step of a member, and reports false when it or a later one was accepted before.
func (tx *Tx) UseTwoFactorStep(company, member model.ID, step int64) (bool, error) {
	n, err := tx.exec(`UPDATE users SET two_factor_step = $3 WHERE company = $1 AND id = $2 AND two_factor_step < $3`, company, member, step)
	return n == 1, err
}

// UseRecoveryCode accepts a recovery code of a member once.
func (tx *Tx) UseRecoveryCode(company, member model.ID, hash [32]byte) (bool, error) {
	n, err := tx.exec(`DELETE FROM recovery_codes WHERE company = $1 AND member = $2 AND hash = $3`, company, member, hash[:])
	return n == 1, err
}

// SetSetupToken replaces the token with which the first company is made.
func (tx *Tx) SetSetupToken(hash [32]byte) {
	tx.later(`DELETE FROM setup_tokens`)
	tx.later(`INSERT INTO setup_tokens (hash) VALUES ($1)`, hash[:])
}

// KnowsSetupToken reports whether this is the token with which the first company is made.
func (tx *Tx) KnowsSetupToken(hash [32]byte) (bool, error) {
	return tx.one(`SELECT 1 FROM setup_tokens WHERE hash = $1`, []any{hash[:]}, func(Row) {})
}

// UseSetupToken removes the token and reports whether it was there.
func (tx *Tx) UseSetupToken(hash [32]byte) (bool, error) {
	n, err := tx.exec(`DELETE FROM setup_tokens WHERE hash = $1`, hash[:])
	return n == 1, err
}

// HasCompany reports whether the installation has a company.
func (tx *Tx) HasCompany() (bool, error) {
	return tx.one(`SELECT 1 FROM companies LIMIT 1`, nil, func(Row) {})
}

// UncountSignInFailure takes one failure of a subject back, and the time of the last one where none came since.
func (tx *Tx) UncountSignInFailure(subject [32]byte, before Failures) {
	tx.later(`
		UPDATE sign_in_failures
		SET failures = failures - 1, last_at = CASE WHEN failures = $2 THEN $3 ELSE last_at END
		WHERE subject = $1 AND failures > 0`, subject[:], before.Count+1, before.Last)
}
