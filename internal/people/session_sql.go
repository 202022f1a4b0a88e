package people

import (
	"slices"
	"time"

	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// SessionHolder is a session with its member and company.
type SessionHolder struct {
	Session   SignedIn
	Member    Member
	Company   kernel.Company
	Viewed    []kernel.ID // private channels that the member may see
	TwoFactor bool
	Signature string
	Presence  string // as chosen by the member
}

// findSessionByHash finds a session, expired or not, by the hash of its token. It returns nil if there is none.
func findSessionByHash(tx *kernel.Tx, hash [32]byte) (*SessionHolder, error) {
	return selectSession(tx, `s.hash = $1 /* all companies: a cookie names none */`, hash[:])
}

// findSession finds a session, expired or not, by its id. It returns nil if there is none.
func findSession(tx *kernel.Tx, company, id kernel.ID) (*SessionHolder, error) {
	return selectSession(tx, `s.company = $1 AND s.id = $2`, company, id)
}

func selectSession(tx *kernel.Tx, condition string, args ...any) (*SessionHolder, error) {
	var h SessionHolder
	found, err := tx.One(`
		SELECT s.id, s.created_at, s.last_seen_at, s.ip, s.user_agent,
			u.id AS member, u.name, u.email, u.role, u.access_profile, u.two_factor IS NOT NULL AS has_two_factor, u.signature, u.presence,
			c.id AS company, c.name AS company_name, c.timezone
		FROM sessions s
		JOIN users u ON u.company = s.company AND u.id = s.member
		JOIN companies c ON c.id = s.company
		WHERE `+condition+` AND u.removed_at IS NULL`, args, func(r db.Row) {
		h.Session = scanSession(r)
		h.Member = Member{
			ID: r.ID("member"), Name: r.Text("name"), Email: r.Text("email"), Role: kernel.Role(r.Text("role")),
			AccessProfile: kernel.AccessProfile(r.Text("access_profile")),
		}
		h.TwoFactor, h.Signature, h.Presence = r.Bool("has_two_factor"), r.Text("signature"), r.Text("presence")
		h.Company = scanCompany(r)
	})
	if err != nil || !found {
		return nil, err
	}
	if h.Member.Sectors, err = sectorsOf(tx, h.Company.ID, h.Member.ID); err != nil {
		return nil, err
	}
	h.Viewed, err = viewedChannels(tx, h.Company.ID, h.Member.ID)
	return &h, err
}

func scanSession(r db.Row) SignedIn {
	return SignedIn{
		ID: r.ID("id"), CreatedAt: r.Time("created_at"), LastSeenAt: r.Time("last_seen_at"),
		IP: r.Text("ip"), UserAgent: r.Text("user_agent"),
	}
}

// InsertSession stores a session of a member.
func InsertSession(tx *kernel.Tx, company, member, id kernel.ID, hash [32]byte, ip, userAgent string) {
	tx.Later(`
		INSERT INTO sessions (id, company, member, hash, ip, user_agent, created_at, last_seen_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $7)`,
		id, company, member, hash[:], ip, userAgent, tx.Now)
}

// endOldestSessions ends all but the newest sessions of a member and reports whether there were any.
func endOldestSessions(tx *kernel.Tx, company, member kernel.ID, keep int) (bool, error) {
	n, err := tx.Exec(`
		DELETE FROM sessions
		WHERE company = $1 AND member = $2 AND id <= (
			SELECT id
			FROM sessions
			WHERE company = $1 AND member = $2
			ORDER BY id DESC
			LIMIT 1 OFFSET $3)`, company, member, keep)
	return n > 0, err
}

// listSessions lists a member's sessions that have not expired, newest first.
func listSessions(tx *kernel.Tx, company, member, current kernel.ID) ([]SignedIn, error) {
	return kernel.Rows(tx, `
		SELECT id, created_at, last_seen_at, ip, user_agent
		FROM sessions
		WHERE company = $1 AND member = $2 AND last_seen_at > $3 AND created_at > $4
		ORDER BY id DESC
		LIMIT $5`, []any{company, member, tx.Now.Add(-SessionIdle), tx.Now.Add(-SessionLongest), MaxSessions}, func(r db.Row) SignedIn {
		s := scanSession(r)
		s.Current = s.ID == current
		return s
	})
}

// eachLiveSession calls each for the sessions of the company that have not reached the idle limit.
func eachLiveSession(tx *kernel.Tx, company kernel.ID, each func(s SignedIn, member kernel.ID)) error {
	return tx.Query(`
		SELECT id, created_at, last_seen_at, ip, user_agent, member
		FROM sessions
		WHERE company = $1 AND last_seen_at > $2`, []any{company, tx.Now.Add(-SessionIdle)}, func(r db.Row) error {
		each(scanSession(r), r.ID("member"))
		return nil
	})
}

// endSessionByHash ends the session whose token has a hash, and returns its company.
func endSessionByHash(tx *kernel.Tx, hash [32]byte) (company kernel.ID, ended bool, err error) {
	return kernel.Row(tx, `DELETE /* all companies: a cookie names none */ FROM sessions WHERE hash = $1 RETURNING company`,
		[]any{hash[:]}, func(r db.Row) kernel.ID { return r.ID("company") })
}

// endSessions ends all sessions of a member and deletes their reset links. It returns the number of sessions.
func endSessions(tx *kernel.Tx, company, member kernel.ID) (int64, error) {
	removeResetLinks(tx, company, member)
	return tx.Exec(`DELETE FROM sessions WHERE company = $1 AND member = $2`, company, member)
}

// endOtherSessions ends all sessions of a member except one and deletes their reset links. It returns the number of sessions.
func endOtherSessions(tx *kernel.Tx, company, member, current kernel.ID) (int64, error) {
	removeResetLinks(tx, company, member)
	return tx.Exec(`DELETE FROM sessions WHERE company = $1 AND member = $2 AND id <> $3`, company, member, current)
}

// removeOldSessions deletes up to limit each of expired sessions, links and failure counters, and returns how many.
func removeOldSessions(tx *kernel.Tx, limit int) (int64, error) {
	var removed int64
	for _, old := range []struct {
		statement string
		before    time.Time
	}{
		{`
			DELETE /* all companies: expired rows */ FROM sessions
			WHERE (company, id) IN (SELECT company, id FROM sessions WHERE last_seen_at <= $1 LIMIT $2)`, tx.Now.Add(-SessionIdle)},
		{`
			DELETE /* all companies: expired rows */ FROM reset_links
			WHERE (company, member, hash) IN (SELECT company, member, hash FROM reset_links WHERE expires_at <= $1 LIMIT $2)`, tx.Now},
		{`
			DELETE /* all companies: expired rows */ FROM invitations
			WHERE (company, id) IN (SELECT company, id FROM invitations WHERE expires_at <= $1 LIMIT $2)`, tx.Now.Add(-InvitationKept)},
		{`
			DELETE FROM sign_in_failures
			WHERE subject IN (SELECT subject FROM sign_in_failures WHERE last_at <= $1 LIMIT $2)`, tx.Now.Add(-24 * time.Hour)},
	} {
		n, err := tx.Exec(old.statement, old.before, limit)
		if err != nil {
			return removed, err
		}
		removed += n
	}
	return removed, nil
}

// Candidate is a member who may be the one that signs in with an e-mail address.
type Candidate struct {
	Company      kernel.Company
	Member       kernel.ID
	PasswordHash string // "": none
	TwoFactor    []byte // sealed secret; nil: off
	Name         string // of the member
}

// maxCandidates limits the number of passwords that one sign-in verifies.
const maxCandidates = 20

// findCandidates finds the members with an e-mail address, in one company or in all if it is zero; those with a password first.
func findCandidates(tx *kernel.Tx, email string, company kernel.ID) ([]Candidate, error) {
	candidates, err := kernel.Rows(tx, `
		SELECT /* all companies: people sign in with an e-mail address */ c.id AS company, c.name AS company_name, c.timezone,
			u.id, u.password_hash, u.two_factor, u.name
		FROM users u
		JOIN companies c ON c.id = u.company
		WHERE u.email_folded = $1 AND u.removed_at IS NULL
		ORDER BY u.password_hash IS NULL, u.id
		LIMIT $2`, []any{fold.Text(email), maxCandidates}, func(r db.Row) Candidate {
		return Candidate{scanCompany(r), r.ID("id"), r.Text("password_hash"), r.Bytes("two_factor"), r.Text("name")}
	})
	return slices.DeleteFunc(candidates, func(c Candidate) bool { return !company.IsZero() && company != c.Company.ID }), err
}

// Failures counts consecutive failures and records the time of the last one.
type Failures struct {
	Count int64
	Last  time.Time
}

func signInFailures(tx *kernel.Tx, subject [32]byte) (Failures, error) {
	f, _, err := kernel.Row(tx, `SELECT failures, last_at FROM sign_in_failures WHERE subject = $1`, []any{subject[:]},
		func(r db.Row) Failures { return Failures{Count: r.Int("failures"), Last: r.Time("last_at")} })
	return f, err
}

// touchSignInFailure writes the counter of a subject without changing it.
func touchSignInFailure(tx *kernel.Tx, subject [32]byte) {
	tx.Later(`UPDATE sign_in_failures SET failures = failures WHERE subject = $1`, subject[:])
}

// countSignInFailure counts a failure of a subject. It starts again at one if the last failure was long ago.
func countSignInFailure(tx *kernel.Tx, subject [32]byte) {
	tx.Later(`
		INSERT INTO sign_in_failures (subject, failures, last_at)
		VALUES ($1, 1, $2)
		ON CONFLICT (subject) DO UPDATE
		SET failures = CASE WHEN sign_in_failures.last_at < $3 THEN 1 ELSE sign_in_failures.failures + 1 END, last_at = $2`,
		subject[:], tx.Now, tx.Now.Add(-forgetFailures))
}

// uncount takes back the failures of an attempt. Unless there was another one since, it restores the time of the last.
func (a signInAttempt) uncount(tx *kernel.Tx) {
	for _, c := range a {
		tx.Later(`
			UPDATE sign_in_failures
			SET failures = failures - 1, last_at = CASE WHEN failures = $2 THEN $3 ELSE last_at END
			WHERE subject = $1 AND failures > 0`, c.subject[:], c.before.Count+1, c.before.Last)
	}
}

func hasCompany(tx *kernel.Tx) (bool, error) {
	return tx.One(`SELECT 1 FROM companies LIMIT 1`, nil, func(db.Row) {})
}
