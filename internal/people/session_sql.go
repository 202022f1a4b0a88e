package people

import (
	"time"

	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// SessionHolder is everything a request with a cookie needs to know.
type SessionHolder struct {
	Session   SignedIn
	Member    Member
	Company   kernel.Company
	Sectors   []kernel.ID
	Viewed    []kernel.ID // the private channels that the member may see
	TwoFactor bool
	Signature string
	Presence  string // what the member chose
}

// FindSessionHolder finds the session whose cookie has the given hash. It does not look at limits of time.
func FindSessionHolder(tx *kernel.Tx, hash [32]byte) (SessionHolder, bool, error) {
	return selectSessionHolder(tx, `s.hash = $1 /* all companies: a cookie names none */`, hash[:])
}

// sessionOf finds a session of the company by its id. It does not look at limits of time.
func sessionOf(tx *kernel.Tx, company, id kernel.ID) (SessionHolder, bool, error) {
	return selectSessionHolder(tx, `s.company = $1 AND s.id = $2`, company, id)
}

func selectSessionHolder(tx *kernel.Tx, which string, args ...any) (h SessionHolder, found bool, err error) {
	found, err = tx.One(`
		SELECT s.id, s.created_at, s.last_seen_at, s.ip, s.user_agent,
			u.id, u.name, u.email, u.role, u.access_profile, u.two_factor IS NOT NULL, u.signature, u.presence,
			c.id, c.name, c.timezone
		FROM sessions s
		JOIN users u ON u.company = s.company AND u.id = s.member
		JOIN companies c ON c.id = s.company
		WHERE `+which+` AND u.removed_at IS NULL`, args, func(r db.Row) {
		h.Session = SignedIn{ID: r.ID(0), CreatedAt: r.Time(1), LastSeenAt: r.Time(2), IP: r.Text(3), UserAgent: r.Text(4), Current: true}
		h.Member = Member{
			ID: r.ID(5), Name: r.Text(6), Email: r.Text(7), Role: kernel.Role(r.Text(8)), AccessProfile: kernel.AccessProfile(r.Text(9)),
		}
		h.TwoFactor, h.Signature, h.Presence = r.Bool(10), r.Text(11), r.Text(12)
		h.Company = kernel.Company{ID: r.ID(13), Name: r.Text(14), Timezone: r.Text(15)}
	})
	if err != nil || !found {
		return SessionHolder{}, false, err
	}
	err = eachSectorOf(tx, h.Company.ID, h.Member.ID, func(sector kernel.Ref) {
		h.Sectors = append(h.Sectors, sector.ID)
		h.Member.Sectors = append(h.Member.Sectors, sector)
	})
	if err != nil {
		return SessionHolder{}, false, err
	}
	h.Viewed, err = tx.IDs(`SELECT channel FROM channel_viewers WHERE company = $1 AND member = $2 AND NOT pending`, h.Company.ID, h.Member.ID)
	return h, true, err
}

// InsertSession adds a session of a member.
func InsertSession(tx *kernel.Tx, company, member, id kernel.ID, hash [32]byte, ip, userAgent string) {
	tx.Later(`
		INSERT INTO sessions (id, company, member, hash, ip, user_agent, created_at, last_seen_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $7)`,
		id, company, member, hash[:], ip, userAgent, tx.Now)
}

// endOldestSessions ends those of a member beyond the newest ones, and reports whether there were any.
func endOldestSessions(tx *kernel.Tx, company, member kernel.ID, keep int) (bool, error) {
	n, err := tx.Exec(`
		DELETE FROM sessions
		WHERE company = $1 AND member = $2 AND id <= (
			SELECT id
			FROM sessions
			WHERE company = $1 AND member = $2
			ORDER BY id DESC
			LIMIT 1 OFFSET $3)`, company, member, int64(keep))
	return n > 0, err
}

// listSessions lists a member's sessions that have not reached a limit, the newest first.
func listSessions(tx *kernel.Tx, company, member kernel.ID) ([]SignedIn, error) {
	sessions := []SignedIn{}
	err := tx.Query(`
		SELECT id, created_at, last_seen_at, ip, user_agent
		FROM sessions
		WHERE company = $1 AND member = $2 AND last_seen_at > $3 AND created_at > $4
		ORDER BY id DESC
		LIMIT $5`, []any{company, member, tx.Now.Add(-SessionIdle), tx.Now.Add(-SessionLongest), int64(MaxSessions)}, func(r db.Row) error {
		sessions = append(sessions, SignedIn{ID: r.ID(0), CreatedAt: r.Time(1), LastSeenAt: r.Time(2), IP: r.Text(3), UserAgent: r.Text(4)})
		return nil
	})
	return sessions, err
}

// liveSessions goes through the sessions of the company that have not reached the idle limit.
func liveSessions(tx *kernel.Tx, company kernel.ID, each func(s SignedIn, member kernel.ID)) error {
	return tx.Query(`
		SELECT id, created_at, last_seen_at, member
		FROM sessions
		WHERE company = $1 AND last_seen_at > $2`, []any{company, tx.Now.Add(-SessionIdle)}, func(r db.Row) error {
		each(SignedIn{ID: r.ID(0), CreatedAt: r.Time(1), LastSeenAt: r.Time(2)}, r.ID(3))
		return nil
	})
}

// viewers gives the private channels of the company that each member may see.
func viewers(tx *kernel.Tx, company kernel.ID) (map[kernel.ID][]kernel.ID, error) {
	views := map[kernel.ID][]kernel.ID{}
	err := tx.Query(`
		SELECT v.member, v.channel
		FROM channel_viewers v
		JOIN channels c ON c.company = v.company AND c.id = v.channel
		WHERE v.company = $1 AND NOT v.pending`, []any{company}, func(r db.Row) error {
		views[r.ID(0)] = append(views[r.ID(0)], r.ID(1))
		return nil
	})
	return views, err
}

// endSession ends one of a member's sessions and reports whether there was one.
func endSession(tx *kernel.Tx, company, member, id kernel.ID) (bool, error) {
	n, err := tx.Exec(`DELETE FROM sessions WHERE company = $1 AND member = $2 AND id = $3`, company, member, id)
	return n > 0, err
}

// endSessionOf ends the session whose cookie has the given hash, and gives its company.
func endSessionOf(tx *kernel.Tx, hash [32]byte) (company kernel.ID, ended bool, err error) {
	ended, err = tx.One(`DELETE /* all companies: a cookie names none */ FROM sessions WHERE hash = $1 RETURNING company`, []any{hash[:]}, func(r db.Row) { company = r.ID(0) })
	return company, ended, err
}

// endSessions ends all sessions of a member, and the links with which somebody could begin another one.
func endSessions(tx *kernel.Tx, company, member kernel.ID) {
	removeResetLinks(tx, company, member)
	tx.Later(`DELETE FROM sessions WHERE company = $1 AND member = $2`, company, member)
}

// endOtherSessions ends all sessions of a member but one, and the links with which somebody could begin another one.
func endOtherSessions(tx *kernel.Tx, company, member, but kernel.ID) {
	removeResetLinks(tx, company, member)
	tx.Later(`DELETE FROM sessions WHERE company = $1 AND member = $2 AND id <> $3`, company, member, but)
}

// markSessionSeen notes when a session was last active.
func markSessionSeen(tx *kernel.Tx, company, session kernel.ID, at time.Time) {
	tx.Later(`UPDATE sessions SET last_seen_at = $3 WHERE company = $1 AND id = $2 AND last_seen_at < $3`, company, session, at)
}

// removeOldSessions deletes sessions, links and counters whose time is over, up to limit of each, and gives how many.
func removeOldSessions(tx *kernel.Tx, limit int) (int64, error) {
	var removed int64
	for _, old := range []struct {
		statement string
		before    time.Time
	}{
		{`
			DELETE /* all companies: what is over */ FROM sessions
			WHERE (company, id) IN (SELECT company, id FROM sessions WHERE last_seen_at <= $1 LIMIT $2)`, tx.Now.Add(-SessionIdle)},
		{`
			DELETE /* all companies: what is over */ FROM reset_links
			WHERE (company, member, hash) IN (SELECT company, member, hash FROM reset_links WHERE expires_at <= $1 LIMIT $2)`, tx.Now},
		{`
			DELETE /* all companies: what is over */ FROM invitations
			WHERE (company, id) IN (SELECT company, id FROM invitations WHERE expires_at <= $1 LIMIT $2)`, tx.Now.Add(-InvitationKept)},
		{`DELETE FROM sign_in_failures WHERE subject IN (SELECT subject FROM sign_in_failures WHERE last_at <= $1 LIMIT $2)`, tx.Now.Add(-24 * time.Hour)},
	} {
		n, err := tx.Exec(old.statement, old.before, limit)
		if err != nil {
			return removed, err
		}
		removed += n
	}
	return removed, nil
}

// Candidate is a member with an e-mail address that is used to sign in.
type Candidate struct {
	Company      kernel.Company
	Member       kernel.ID
	PasswordHash *string
	TwoFactor    []byte // the sealed secret; nil: off
}

// maxCandidates bounds the passwords that one sign-in compares.
const maxCandidates = 20

// candidates finds the present members of any company with an e-mail address, or of one company unless that is zero.
func candidates(tx *kernel.Tx, email string, company kernel.ID) ([]Candidate, error) {
	var found []Candidate
	err := tx.Query(`
		SELECT /* all companies: people sign in with an e-mail address */ c.id, c.name, c.timezone, u.id, u.password_hash, u.two_factor
		FROM users u
		JOIN companies c ON c.id = u.company
		WHERE u.email_folded = $1 AND u.removed_at IS NULL
		ORDER BY u.id
		LIMIT $2`, []any{fold.Text(email), maxCandidates}, func(r db.Row) error {
		if company.IsZero() || company == r.ID(0) {
			found = append(found, Candidate{
				Company: kernel.Company{ID: r.ID(0), Name: r.Text(1), Timezone: r.Text(2)},
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

// signInFailures gives the failures of each subject.
func signInFailures(tx *kernel.Tx, subjects ...[32]byte) ([]Failures, error) {
	out := make([]Failures, len(subjects))
	for i, subject := range subjects {
		if _, err := tx.One(`SELECT failures, last_at FROM sign_in_failures WHERE subject = $1`, []any{subject[:]}, func(r db.Row) {
			out[i] = Failures{Count: r.Int(0), Last: r.Time(1)}
		}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// countSignInFailure adds a failure to a subject, or starts again at one where the last is older than forget.
func countSignInFailure(tx *kernel.Tx, subject [32]byte, forget time.Duration) {
	tx.Later(`
		INSERT INTO sign_in_failures (subject, failures, last_at)
		VALUES ($1, 1, $2)
		ON CONFLICT (subject) DO UPDATE
		SET failures = CASE WHEN sign_in_failures.last_at < $3 THEN 1 ELSE sign_in_failures.failures + 1 END, last_at = $2`,
		subject[:], tx.Now, tx.Now.Add(-forget))
}

// clearSignInFailures forgets the failures of a subject.
func clearSignInFailures(tx *kernel.Tx, subject [32]byte) {
	tx.Later(`DELETE FROM sign_in_failures WHERE subject = $1`, subject[:])
}

// useTwoFactorStep accepts a time step of a member, and reports false when it or a later one was accepted before.
func useTwoFactorStep(tx *kernel.Tx, company, member kernel.ID, step int64) (bool, error) {
	n, err := tx.Exec(`UPDATE users SET two_factor_step = $3 WHERE company = $1 AND id = $2 AND two_factor_step < $3`, company, member, step)
	return n == 1, err
}

// useRecoveryCode accepts a recovery code of a member once.
func useRecoveryCode(tx *kernel.Tx, company, member kernel.ID, hash [32]byte) (bool, error) {
	n, err := tx.Exec(`DELETE FROM recovery_codes WHERE company = $1 AND member = $2 AND hash = $3`, company, member, hash[:])
	return n == 1, err
}

// setSetupToken replaces the token with which the first company is made.
func setSetupToken(tx *kernel.Tx, hash [32]byte) {
	tx.Later(`DELETE FROM setup_tokens`)
	tx.Later(`INSERT INTO setup_tokens (hash) VALUES ($1)`, hash[:])
}

// knowsSetupToken reports whether this is the token with which the first company is made.
func knowsSetupToken(tx *kernel.Tx, hash [32]byte) (bool, error) {
	return tx.One(`SELECT 1 FROM setup_tokens WHERE hash = $1`, []any{hash[:]}, func(db.Row) {})
}

// useSetupToken removes the token and reports whether it was there.
func useSetupToken(tx *kernel.Tx, hash [32]byte) (bool, error) {
	n, err := tx.Exec(`DELETE FROM setup_tokens WHERE hash = $1`, hash[:])
	return n == 1, err
}

// hasCompany reports whether the installation has a company.
func hasCompany(tx *kernel.Tx) (bool, error) {
	return tx.One(`SELECT 1 FROM companies LIMIT 1`, nil, func(db.Row) {})
}

// uncountSignInFailure takes one failure of a subject back, and the time of the last one where none came since.
func uncountSignInFailure(tx *kernel.Tx, subject [32]byte, before Failures) {
	tx.Later(`
		UPDATE sign_in_failures
		SET failures = failures - 1, last_at = CASE WHEN failures = $2 THEN $3 ELSE last_at END
		WHERE subject = $1 AND failures > 0`, subject[:], before.Count+1, before.Last)
}
