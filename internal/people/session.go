package people

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"recado/internal/fold"
	"recado/internal/kernel"
)

// Limits of a session: the time without a request, and the total time.
const (
	SessionIdle    = 14 * 24 * time.Hour
	SessionLongest = 90 * 24 * time.Hour
)

// MaxSessions is how many sessions a person may have. Another sign-in ends the oldest one.
const MaxSessions = 100

// Lifetimes of links.
const (
	InvitationLasts = 7 * 24 * time.Hour
	InvitationKept  = 30 * 24 * time.Hour // in the list, after it was accepted or has expired
	ResetLinkLasts  = 24 * time.Hour
)

// Length of a password in characters.
const (
	MinPassword = 10
	MaxPassword = 256
)

// Session says who is signed in and what they may do.
type Session struct {
	User       SessionUser    `json:"user"`
	Company    kernel.Company `json:"company"`
	Scopes     []kernel.Scope `json:"scopes" doc:"The scopes granted by the person's role."`
	ExpiresAt  time.Time      `json:"expires_at" doc:"The time at which the session expires if there are no further requests."`
	APIVersion string         `json:"api_version" example:"1.1.0"`
}

// SessionUser is the person who is signed in.
type SessionUser struct {
	Member
	TwoFactor bool   `json:"two_factor" doc:"Whether signing in also requires a code."`
	Signature string `json:"signature" doc:"The name used to sign this person's messages. If empty, the person's name is used."`
}

// SignedIn is one of a person's own sessions.
type SignedIn struct {
	ID         kernel.ID `json:"id"`
	CreatedAt  time.Time `json:"created_at"`
	LastSeenAt time.Time `json:"last_seen_at"`
	IP         string    `json:"ip"`
	UserAgent  string    `json:"user_agent"`
	Current    bool      `json:"current" doc:"Whether this is the session of the current request."`
}

// SessionEnd returns when a session ends without further requests: the earlier of its two limits.
func SessionEnd(createdAt, lastSeenAt time.Time) time.Time {
	idle, longest := lastSeenAt.Add(SessionIdle), createdAt.Add(SessionLongest)
	if idle.Before(longest) {
		return idle
	}
	return longest
}

// Invitation invites a person to join the team.
type Invitation struct {
	ID            kernel.ID            `json:"id"`
	Email         string               `json:"email"`
	Name          string               `json:"name"`
	Role          kernel.Role          `json:"role" enum:"owner,admin,manager,agent"`
	AccessProfile kernel.AccessProfile `json:"access_profile" enum:"all,sectors,own"`
	SectorIDs     []kernel.ID          `json:"sector_ids"`
	CreatedAt     time.Time            `json:"created_at"`
	ExpiresAt     time.Time            `json:"expires_at"`
	AcceptedAt    *time.Time           `json:"accepted_at"`
	URL           *string              `json:"url" doc:"The link to send to the person. It is returned only once, in the response to the invitation."`
}

// AccessLink is a link for setting a password.
type AccessLink struct {
	URL       string    `json:"url" nullable:"true" doc:"The link. It can be used once and invalidates earlier links of the same person. null in a response replayed for an Idempotency-Key."`
	ExpiresAt time.Time `json:"expires_at"`
}

// Welcome describes a link to somebody who has not used it yet.
type Welcome struct {
	Company WelcomeCompany `json:"company"`
	Email   string         `json:"email"`
	Name    string         `json:"name"`
	Kind    string         `json:"kind" enum:"invitation,reset"`
}

// WelcomeCompany is the company of a link.
type WelcomeCompany struct {
	Name string `json:"name"`
}

// Kinds of links.
const (
	WelcomeInvitation = "invitation"
	WelcomeReset      = "reset"
)

// PresenceAuto makes a person's presence follow their activity.
const PresenceAuto = "auto"

// Preferences are a person's settings of the app.
type Preferences struct {
	Language       string `json:"language" enum:"pt-BR,en,es"`
	LanguageChosen bool   `json:"language_chosen" doc:"Whether the person has chosen a language. If false, language is the default, and an app may use the browser's language instead."`
	Theme          string `json:"theme" enum:"system,light,dark"`
	SendWith       string `json:"send_with" enum:"enter,ctrl_enter"`
	MarkRead       string `json:"mark_read" enum:"opening,answering"`
	Sound          string `json:"sound" enum:"none,chime,drop"`
	Notify         string `json:"notify" enum:"mine_and_queues,everything,nothing"`
	Shortcuts      bool   `json:"shortcuts" doc:"Whether single-key shortcuts are enabled."`
	Sign           bool   `json:"sign" doc:"Whether messages begin with the person's name."`

	Push PushPreferences `json:"push" doc:"The notifications that are sent to the person's subscribed devices."`
}

// DefaultPreferences are the preferences of a new person.
var DefaultPreferences = Preferences{
	Language: "pt-BR", Theme: "system", SendWith: "enter", MarkRead: "opening", Sound: "chime", Notify: "mine_and_queues",
	Shortcuts: true, Push: PushPreferences{Kinds: AllPushKinds},
}

// Identity is the response of GET /me.
type Identity struct {
	Integration *kernel.Integration `json:"integration" doc:"The API key; null for a signed-in person."`
	User        IdentityUser        `json:"user"`
	Company     kernel.Company      `json:"company"`
	APIVersion  string              `json:"api_version" example:"1.1.0"`
}

// IdentityUser is the member who is signed in, or that the key acts as.
type IdentityUser struct {
	ID    kernel.ID   `json:"id"`
	Name  string      `json:"name"`
	Email string      `json:"email"`
	Role  kernel.Role `json:"role" enum:"owner,admin,manager,agent"`
}

// Identity returns the caller.
func (d *People) Identity(_ context.Context, a *kernel.Principal) (*Identity, error) {
	return &Identity{
		Integration: a.Integration,
		User:        IdentityUser{ID: a.User.ID, Name: a.User.Name, Email: a.Email, Role: a.Role},
		Company:     a.Company,
		APIVersion:  kernel.APIVersion,
	}, nil
}

// cachedSession is a session as it was when it was last loaded.
type cachedSession struct {
	principal *kernel.Principal
	ends      time.Time
}

// AuthenticateSession returns the holder of a session token. For an unknown or expired token the error is session_missing.
func (d *People) AuthenticateSession(ctx context.Context, token string) (*kernel.Principal, error) {
	hash := tokenHash(token)
	s, err := d.sessions.get(ctx, hash, func(ctx context.Context) (*cachedSession, error) {
		h, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (*SessionHolder, error) { return findSessionByHash(tx, hash) })
		if err != nil || h == nil || h.expired(d.Now()) {
			return nil, err
		}
		d.MarkLive(h.Company.ID, h.Session.ID, h.Member.ID)
		return &cachedSession{principal: d.sessionPrincipal(h), ends: SessionEnd(h.Session.CreatedAt, d.Now())}, nil
	})
	if err != nil {
		return nil, err
	}
	if s == nil || !d.Now().Before(s.ends) {
		return nil, kernel.Errorf(kernel.CodeSessionMissing, "You are not signed in, or your session has ended. Sign in again.")
	}
	return s.principal, nil
}

// expired reports whether the session has reached one of its limits.
func (h *SessionHolder) expired(now time.Time) bool {
	return !now.Before(SessionEnd(h.Session.CreatedAt, h.Session.LastSeenAt))
}

// show returns the session as the app sees it after a request.
func (h *SessionHolder) show(now time.Time) Session {
	u := SessionUser{Member: h.Member, TwoFactor: h.TwoFactor, Signature: h.Signature}
	u.Presence = PresenceOf(now, h.Presence, &now, now)
	return Session{
		User: u, Company: h.Company, Scopes: kernel.ScopesOf(h.Member.Role).List(),
		ExpiresAt: SessionEnd(h.Session.CreatedAt, now), APIVersion: kernel.APIVersion,
	}
}

// Session returns the caller's session.
func (d *People) Session(ctx context.Context, a *kernel.Principal) (Session, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (Session, error) { return currentSession(tx, a) })
}

func currentSession(tx *kernel.Tx, a *kernel.Principal) (Session, error) {
	h, err := findSession(tx, a.Company.ID, a.Session)
	if err != nil || h == nil {
		return Session{}, kernel.ErrOr(err, kernel.Errorf(kernel.CodeSessionMissing, "Your session has ended. Sign in again."))
	}
	return h.show(tx.Now), nil
}

// SignOut ends the caller's own session.
func (d *People) SignOut(ctx context.Context, a *kernel.Principal) error {
	return d.EndSession(ctx, a, a.Session)
}

// Sessions lists the caller's own sessions.
func (d *People) Sessions(ctx context.Context, a *kernel.Principal) ([]SignedIn, error) {
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) ([]SignedIn, error) {
		return listSessions(tx, a.Company.ID, a.User.ID, a.Session)
	})
}

// EndSession ends one of the caller's own sessions.
func (d *People) EndSession(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		n, err := tx.Exec(`DELETE FROM sessions WHERE company = $1 AND member = $2 AND id = $3`, a.Company.ID, a.User.ID, id)
		if err != nil || n == 0 {
			return kernel.ErrOr(err, kernel.NotFound("session"))
		}
		tx.AfterCommit(func() { d.seen.forget(id) })
		d.ForgetHolders(tx, a.Company.ID)
		tx.Audit(a, kernel.AuditEntry{Action: "session.ended", Subject: kernel.NewAuditSubject("session", id, a.User.Name)})
		return nil
	})
}

// EndOtherSessions ends all of the caller's sessions except the current one.
func (d *People) EndOtherSessions(ctx context.Context, a *kernel.Principal) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		n, err := endOtherSessions(tx, a.Company.ID, a.User.ID, a.Session)
		auditEnded(tx, a, a.User, n)
		d.ForgetHolders(tx, a.Company.ID)
		return err
	})
}

// EndMemberSessions ends all sessions of a member that the caller may manage.
func (d *People) EndMemberSessions(ctx context.Context, a *kernel.Principal, member kernel.ID) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		m, err := findMember(tx, a.Company.ID, member, tx.ForUpdate())
		if err = kernel.ErrOr(err, mayManage(a, m.Role)); err != nil {
			return err
		}
		n, err := endSessions(tx, a.Company.ID, member)
		auditEnded(tx, a, kernel.Ref{ID: m.ID, Name: m.Name}, n)
		d.ForgetHolders(tx, a.Company.ID)
		return err
	})
}

// auditEnded records that n sessions of a member were ended at once.
func auditEnded(tx *kernel.Tx, a *kernel.Principal, member kernel.Ref, n int64) {
	if n > 0 {
		tx.Audit(a, kernel.AuditEntry{
			Action: "session.ended", Subject: kernel.NewAuditSubject("member", member.ID, member.Name),
			Changes: []kernel.AuditChange{{Field: "ended_sessions", To: n}},
		})
	}
}

// Credentials identify a person who signs in.
type Credentials struct {
	Email    string     `json:"email" maxLength:"254"`
	Password string     `json:"password" maxLength:"1024"`
	Code     string     `json:"code,omitempty" maxLength:"40" doc:"The six-digit code or a recovery code, if two-factor sign-in is on."`
	Company  *kernel.ID `json:"company,omitempty" doc:"The company to sign in to. Required if the e-mail address belongs to several companies; see 409 company_required."`
}

// NewSession is a session that was just created, with the token for its cookie.
type NewSession struct {
	Session
	Token   string
	Expires time.Time // of the cookie
}

// SignIn creates a session. Except for a missing or wrong code and a missing company, every failure has the same error and
// takes the same time.
func (d *People) SignIn(ctx context.Context, v kernel.Visitor, in Credentials) (NewSession, error) {
	in.Email = strings.TrimSpace(in.Email) // keyboards of phones add a space
	attempt := newAttempt(in.Email, v.IP)
	if err := d.beginSignIn(ctx, attempt); err != nil {
		return NewSession{}, err
	}
	var company kernel.ID
	kernel.Set(&company, in.Company)
	matches, others, err := d.matchPassword(ctx, in.Email, company, in.Password)
	switch {
	case kernel.CodeOf(err) == kernel.CodeUnavailable: // the password was not verified
		return NewSession{}, d.endSignIn(ctx, attempt, err)
	case err != nil:
		return NewSession{}, err
	case len(matches) == 0:
		return NewSession{}, d.failSignIn(ctx, attempt, "password", errLoginFailed(), others...)
	case len(matches) > 1:
		return NewSession{}, d.endSignIn(ctx, attempt, errCompanyRequired(matches))
	}
	who := matches[0]
	if who.TwoFactor != nil && in.Code == "" {
		return NewSession{}, d.endSignIn(ctx, attempt, errCodeRequired())
	}
	session, err := d.newSession(ctx, v, who.Company.ID, who.Member, func(tx *kernel.Tx) error {
		p, found, err := findProfile(tx, who.Company.ID, who.Member, tx.ForUpdate())
		switch {
		case err != nil:
			return err
		case !found || !kernel.Same(p.PasswordHash, &who.PasswordHash): // changed in the meantime
			return errLoginFailed()
		case p.TwoFactor != nil && in.Code == "": // turned on in the meantime
			return errCodeRequired()
		}
		if err := d.useCode(tx, who.Company.ID, who.Member, p.TwoFactor, in.Code); err != nil {
			return err
		}
		attempt.succeeded(tx)
		return nil
	})
	switch kernel.CodeOf(err) {
	case kernel.CodeCodeRequired:
		err = d.endSignIn(ctx, attempt, err)
	case kernel.CodeCodeInvalid:
		err = d.failSignIn(ctx, attempt, "code", err, who)
	case kernel.CodeLoginFailed:
		err = d.failSignIn(ctx, attempt, "password", err, who)
	}
	return session, err
}

// failSignIn records a failed attempt in the audit of the companies of the members whose address was used, and returns the error.
// Without members it makes a transaction of the same length, so that the time does not tell whether an address is known.
func (d *People) failSignIn(ctx context.Context, a signInAttempt, wrong string, result error, members ...Candidate) error {
	err := d.Store.Write(ctx, func(tx *kernel.Tx) error {
		touchSignInFailure(tx, a[0].subject)
		for _, c := range members {
			tx.Audit(nil, kernel.AuditEntry{
				Action: "session.failed", Company: c.Company.ID, Actor: kernel.AuditUser(kernel.Ref{ID: c.Member, Name: c.Name}),
				Subject: kernel.AuditSubject{Type: "session", Name: c.Name},
				Changes: []kernel.AuditChange{{Field: "wrong", To: wrong}},
			})
		}
		return nil
	})
	return kernel.ErrOr(err, result)
}

// matchPassword returns the members with an e-mail address and a password, in one company or in all if it is zero, and the others
// with the address, also those who have no password. It verifies at least one hash, so that an unknown address takes as long as a wrong password.
func (d *People) matchPassword(
	ctx context.Context, email string, company kernel.ID, password string,
) (matches, others []Candidate, err error) {
	candidates, err := kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) ([]Candidate, error) {
		return findCandidates(tx, email, company)
	})
	if err != nil {
		return nil, nil, err
	}
	verified := 0
	for _, c := range candidates {
		ok := false
		if c.PasswordHash != "" {
			verified++
			if ok, err = d.passwords.Verify(ctx, c.Company.ID, password, c.PasswordHash); err != nil {
				return nil, nil, err
			}
		}
		if ok {
			matches = append(matches, c)
		} else {
			others = append(others, c)
		}
	}
	if verified == 0 { // a new id, because no company should wait for the hash
		_, err = d.passwords.Hash(ctx, kernel.NewID(), password)
	}
	return matches, others, err
}

// KnownLogin is an e-mail address with the password hashes that matched its password.
type KnownLogin struct {
	email  string
	hashes []string
}

// KnownLogin verifies a password like SignIn and remembers the matching hashes.
func (d *People) KnownLogin(ctx context.Context, email, password string) (KnownLogin, error) {
	known := KnownLogin{email: email}
	matches, _, err := d.matchPassword(ctx, email, kernel.ID{}, password)
	for _, c := range matches {
		known.hashes = append(known.hashes, c.PasswordHash)
	}
	return known, err
}

// StillKnown reports whether a login still has the same password, without hashing it again.
func (d *People) StillKnown(ctx context.Context, known KnownLogin) (bool, error) {
	candidates, err := kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) ([]Candidate, error) {
		return findCandidates(tx, known.email, kernel.ID{})
	})
	return slices.ContainsFunc(candidates, func(c Candidate) bool { return slices.Contains(known.hashes, c.PasswordHash) }), err
}

// PasswordHashes returns how many password hashes this process has computed.
func (d *People) PasswordHashes() int64 { return d.passwords.made.Load() }

// newSession calls before and creates a session of a member in one transaction. The earlier session of the visitor's browser
// ends.
func (d *People) newSession(
	ctx context.Context, v kernel.Visitor, company, member kernel.ID, before func(tx *kernel.Tx) error,
) (NewSession, error) {
	token, hash := newToken()
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (NewSession, error) {
		if err := before(tx); err != nil {
			return NewSession{}, err
		}
		if v.Session != "" {
			earlier, ended, err := endSessionByHash(tx, tokenHash(v.Session))
			if err != nil {
				return NewSession{}, err
			}
			if ended {
				d.ForgetHolders(tx, earlier)
			}
		}
		userAgent := strings.ToValidUTF8(v.UserAgent[:min(len(v.UserAgent), maxUserAgent)], "")
		InsertSession(tx, company, member, kernel.NewID(), hash, v.IP.String(), strings.ReplaceAll(userAgent, "\x00", ""))
		if ended, err := endOldestSessions(tx, company, member, MaxSessions); err != nil {
			return NewSession{}, err
		} else if ended {
			d.ForgetHolders(tx, company)
		}
		h, err := findSessionByHash(tx, hash)
		if err != nil || h == nil {
			return NewSession{}, kernel.ErrOr(err, errLoginFailed())
		}
		tx.Audit(nil, kernel.AuditEntry{
			Action: "session.created", Company: company, Actor: kernel.AuditUser(kernel.Ref{ID: member, Name: h.Member.Name}),
			Subject: kernel.NewAuditSubject("session", h.Session.ID, h.Member.Name),
			Changes: []kernel.AuditChange{{Field: "user_agent", To: h.Session.UserAgent}},
		})
		return NewSession{Session: h.show(tx.Now), Token: token, Expires: h.Session.CreatedAt.Add(SessionLongest)}, nil
	})
}

const maxUserAgent = 300 // bytes

// errLoginFailed is the error for a wrong address, password, company, link or cookie alike.
func errLoginFailed() error {
	return kernel.Errorf(kernel.CodeLoginFailed, "E-mail address or password is wrong.")
}

func errCodeRequired() error {
	return kernel.Errorf(kernel.CodeCodeRequired, "Send the code of your authenticator app, or a recovery code, as code.")
}

func errCodeInvalid() error {
	return kernel.Errorf(kernel.CodeCodeInvalid, "The code is wrong, already used or expired. Send a new one.")
}

func errCompanyRequired(matches []Candidate) error {
	e := kernel.Errorf(kernel.CodeCompanyRequired,
		"This address belongs to several companies. Sign in again with one of the values in details as company.")
	for _, c := range matches {
		choice := ruleChoose.At("body.company", c.Company.Name, kernel.Params{"name": c.Company.Name})
		choice.Value = c.Company.ID.String()
		e.Fields = append(e.Fields, choice)
	}
	return e
}

// signInAttempt is an attempt to sign in with its failure counters.
type signInAttempt []failureCounter

// failureCounter counts the failures of one subject.
type failureCounter struct {
	subject [32]byte
	maxWait time.Duration
	before  Failures // this attempt
}

// newAttempt returns an attempt with three counters: for the address from this IP, for the IP, and for the address from
// anywhere.
func newAttempt(email string, ip netip.Addr) signInAttempt {
	network, address := networkOf(ip), fold.Text(email)
	return signInAttempt{
		newCounter(longestWait, "both", address, network),
		newCounter(longestWait, "ip", network),
		newCounter(addressWait, "address", address),
	}
}

func newCounter(maxWait time.Duration, kind string, parts ...any) failureCounter {
	return failureCounter{subject: sha256.Sum256(fmt.Appendf(nil, "%s %q", kind, parts)), maxWait: maxWait}
}

// networkOf returns the IP for which failures are counted: an IPv6 address counts as its /64 network.
func networkOf(ip netip.Addr) string {
	ip = ip.Unmap()
	if prefix, err := ip.Prefix(64); err == nil { // there is none for IPv4
		ip = prefix.Addr()
	}
	return ip.String()
}

// forgetFailures is how long failures count after the last one. It must exceed longestWait.
const forgetFailures = time.Hour

// beginSignIn refuses an attempt that comes too early. It counts any other as failed until it has succeeded, so that
// concurrent attempts cannot all pass.
func (d *People) beginSignIn(ctx context.Context, a signInAttempt) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		if err := a.checkWait(tx); err != nil {
			return err
		}
		for _, c := range a {
			countSignInFailure(tx, c.subject)
		}
		return nil
	})
}

// endSignIn uncounts an attempt that neither failed nor succeeded, and returns its result.
func (d *People) endSignIn(ctx context.Context, a signInAttempt, result error) error {
	err := d.Store.Write(ctx, func(tx *kernel.Tx) error {
		a.uncount(tx)
		return nil
	})
	return kernel.ErrOr(err, result)
}

// succeeded clears the counter for the address from this IP and uncounts the attempt in the others.
func (a signInAttempt) succeeded(tx *kernel.Tx) {
	tx.Later(`DELETE FROM sign_in_failures WHERE subject = $1`, a[0].subject[:])
	a[1:].uncount(tx)
}

const (
	freeFailures = 5
	longestWait  = 15 * time.Minute
	addressWait  = 30 * time.Second // for an address from any IP, so that others cannot lock a person out
)

// checkWait returns an error if the attempt has to wait: two seconds after the fifth failure and twice as long after each
// further one, up to a limit. The counter with the longest wait decides.
func (a signInAttempt) checkWait(tx *kernel.Tx) error {
	var longest time.Duration
	for i, c := range a {
		f, err := signInFailures(tx, c.subject)
		if err != nil {
			return err
		}
		a[i].before = f
		if f.Count >= freeFailures && tx.Now.Sub(f.Last) <= forgetFailures {
			wait := min(time.Second<<min(f.Count-freeFailures+1, 20), c.maxWait)
			longest = max(longest, f.Last.Add(wait).Sub(tx.Now))
		}
	}
	if longest <= 0 {
		return nil
	}
	return &kernel.Error{
		Code: kernel.CodeRateLimited, RetryAfter: longest,
		Message: "There were too many failed attempts to sign in. Wait for the number of seconds in Retry-After.",
	}
}

// checkToken returns what find finds for a token, or the error wrong, which counts as a failure. After too many failures from
// the same IP it does not call find.
func checkToken[T any](
	ctx context.Context, d *People, v kernel.Visitor, wrong error, find func(tx *kernel.Tx) (T, bool, error),
) (T, error) {
	attempt := signInAttempt{newCounter(longestWait, "token", networkOf(v.IP))}
	found := false
	out, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (out T, err error) {
		if err = attempt.checkWait(tx); err == nil {
			out, found, err = find(tx)
		}
		return out, err
	})
	if err != nil || found {
		return out, err
	}
	return out, kernel.ErrOr(d.beginSignIn(ctx, attempt), wrong)
}

// PurgeSessions deletes expired sessions, links and failure counters, and reports whether there are more.
func (d *People) PurgeSessions(ctx context.Context) (more bool, err error) {
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) {
		n, err := removeOldSessions(tx, kernel.PurgeStep)
		return n >= kernel.PurgeStep, err
	})
}
