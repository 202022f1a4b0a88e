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

// How long a session lasts: without a request, and at most.
const (
	SessionIdle    = 14 * 24 * time.Hour
	SessionLongest = 90 * 24 * time.Hour
)

// MaxSessions is how many sessions one person may have. One more ends the oldest.
const MaxSessions = 100

// How long links last that let a person in.
const (
	InvitationLasts = 7 * 24 * time.Hour
	InvitationKept  = 30 * 24 * time.Hour // in the list, once it is accepted or has expired
	ResetLinkLasts  = 24 * time.Hour
)

// What the length of a password may be, in characters.
const (
	MinPassword = 10
	MaxPassword = 256
)

// Session tells the app who is signed in and what they may do.
type Session struct {
	User       SessionUser    `json:"user"`
	Company    kernel.Company `json:"company"`
	Scopes     []kernel.Scope `json:"scopes" doc:"What the person's role allows."`
	ExpiresAt  time.Time      `json:"expires_at" doc:"When the session ends without further requests."`
	APIVersion string         `json:"api_version" example:"1.1.0"`
}

// SessionUser is the person who is signed in.
type SessionUser struct {
	Member
	TwoFactor bool   `json:"two_factor" doc:"Whether signing in also takes a code."`
	Signature string `json:"signature" doc:"The name that signs this person's messages; empty: the person's name."`
}

// SignedIn is one of a person's own sessions.
type SignedIn struct {
	ID         kernel.ID `json:"id"`
	CreatedAt  time.Time `json:"created_at"`
	LastSeenAt time.Time `json:"last_seen_at"`
	IP         string    `json:"ip"`
	UserAgent  string    `json:"user_agent"`
	Current    bool      `json:"current" doc:"Whether this request was made with it."`
}

// SessionEnd is when a session ends without further requests: the earlier of the idle and the absolute limit.
func SessionEnd(createdAt, lastSeenAt time.Time) time.Time {
	idle, longest := lastSeenAt.Add(SessionIdle), createdAt.Add(SessionLongest)
	if idle.Before(longest) {
		return idle
	}
	return longest
}

// Invitation asks a person to join the team.
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
	URL           *string              `json:"url" doc:"The link to send to the person. It is shown once, in the answer to the invitation."`
}

// AccessLink is a link with which a person sets a password.
type AccessLink struct {
	URL       string    `json:"url" nullable:"true" doc:"Works once. Earlier links of the same person stop working. null when the answer is repeated for an Idempotency-Key."`
	ExpiresAt time.Time `json:"expires_at"`
}

// Welcome is what the holder of a link may know before using it.
type Welcome struct {
	Company WelcomeCompany `json:"company"`
	Email   string         `json:"email"`
	Name    string         `json:"name"`
	Kind    string         `json:"kind" enum:"invitation,reset"`
}

// WelcomeCompany names the company of a link.
type WelcomeCompany struct {
	Name string `json:"name"`
}

// The kinds of links that let a person in.
const (
	WelcomeInvitation = "invitation"
	WelcomeReset      = "reset"
)

// PresenceAuto lets a person's presence follow their activity.
const PresenceAuto = "auto"

// Preferences are how a person wants the app to be.
type Preferences struct {
	Language       string `json:"language" enum:"pt-BR,en,es"`
	LanguageChosen bool   `json:"language_chosen" doc:"Whether the person has chosen the language. false: language is the default, and an app may show the language of the browser."`
	Theme          string `json:"theme" enum:"system,light,dark"`
	SendWith       string `json:"send_with" enum:"enter,ctrl_enter"`
	MarkRead       string `json:"mark_read" enum:"opening,answering"`
	Sound          string `json:"sound" enum:"none,chime,drop"`
	Notify         string `json:"notify" enum:"mine_and_queues,everything,nothing"`
	Shortcuts      bool   `json:"shortcuts" doc:"Whether single keys are commands."`
	Sign           bool   `json:"sign" doc:"Whether messages begin with the person's name."`
}

// DefaultPreferences are those of a person who has chosen nothing.
var DefaultPreferences = Preferences{
	Language: "pt-BR", Theme: "system", SendWith: "enter", MarkRead: "opening", Sound: "chime", Notify: "mine_and_queues", Shortcuts: true,
}

// sessionHolder is a session as it was when it was last looked up.
type cachedSession struct {
	principal *kernel.Principal
	ends      time.Time
}

// AuthenticateSession gives the holder of a session token. A token that is unknown, ended or expired is
// session_missing, whatever the cause.
func (d *People) AuthenticateSession(ctx context.Context, token string) (*kernel.Principal, error) {
	hash := tokenHash(token)
	h, err := d.sessions.get(ctx, hash, func(ctx context.Context) (*cachedSession, error) { return d.loadSession(ctx, hash) })
	if err != nil {
		return nil, err
	}
	if h == nil || !d.Now().Before(h.ends) {
		return nil, kernel.Errorf(kernel.CodeSessionMissing, "You are not signed in, or your session has ended. Sign in again.")
	}
	return h.principal, nil
}

func (d *People) loadSession(ctx context.Context, hash [32]byte) (*cachedSession, error) {
	var h SessionHolder
	var found bool
	err := d.Store.Read(ctx, func(tx *kernel.Tx) (err error) {
		h, found, err = FindSessionHolder(tx, hash)
		return err
	})
	if err != nil || !found || !d.Now().Before(SessionEnd(h.Session.CreatedAt, h.Session.LastSeenAt)) {
		return nil, err
	}
	d.seen.markSession(h.Company.ID, h.Session.ID, h.Member.ID, d.Now())
	return &cachedSession{
		principal: d.principalOf(&h),
		ends:      SessionEnd(h.Session.CreatedAt, d.Now()),
	}, nil
}

// sessionOf is what the app is told about a session that is used at this moment.
func (d *People) sessionOf(h *SessionHolder, now time.Time) Session {
	u := SessionUser{Member: h.Member, TwoFactor: h.TwoFactor, Signature: h.Signature}
	if u.Sectors == nil {
		u.Sectors = []kernel.Ref{}
	}
	u.Presence = PresenceOf(now, h.Presence, &now, now)
	return Session{
		User: u, Company: h.Company, Scopes: kernel.ScopesOf(h.Member.Role).List(),
		ExpiresAt: SessionEnd(h.Session.CreatedAt, now), APIVersion: kernel.APIVersion,
	}
}

// Session tells the caller who they are.
func (d *People) Session(ctx context.Context, a *kernel.Principal) (Session, error) {
	if err := a.May(VerbSession); err != nil {
		return Session{}, err
	}
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (Session, error) {
		h, found, err := sessionOf(tx, a.Company.ID, a.Session)
		if err != nil || !found {
			return Session{}, kernel.ErrOr(err, kernel.Errorf(kernel.CodeSessionMissing, "Your session has ended. Sign in again."))
		}
		return d.sessionOf(&h, tx.Now), nil
	})
}

// SignOut ends the caller's own session.
func (d *People) SignOut(ctx context.Context, a *kernel.Principal) error {
	if err := a.May(VerbSignOut); err != nil {
		return err
	}
	return d.endSession(ctx, a, a.Session)
}

// Sessions lists the caller's own sessions.
func (d *People) Sessions(ctx context.Context, a *kernel.Principal) ([]SignedIn, error) {
	if err := a.May(VerbSessions); err != nil {
		return nil, err
	}
	sessions, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]SignedIn, error) { return listSessions(tx, a.Company.ID, a.User.ID) })
	if i := slices.IndexFunc(sessions, func(s SignedIn) bool { return s.ID == a.Session }); i >= 0 {
		sessions[i].Current = true
	}
	return sessions, err
}

// EndSession ends one of the caller's own sessions.
func (d *People) EndSession(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	if err := a.May(VerbEndSession); err != nil {
		return err
	}
	return d.endSession(ctx, a, id)
}

func (d *People) endSession(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	_, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		ended, err := endSession(tx, a.Company.ID, a.User.ID, id)
		if err != nil || !ended {
			return struct{}{}, kernel.ErrOr(err, kernel.NotFound("session"))
		}
		tx.AfterCommit(func() { d.seen.forget(id) })
		d.ForgetHolders(tx, a.Company.ID)
		return struct{}{}, nil
	})
	return err
}

// EndOtherSessions ends all of the caller's sessions but the present one.
func (d *People) EndOtherSessions(ctx context.Context, a *kernel.Principal) error {
	if err := a.May(VerbEndOtherSessions); err != nil {
		return err
	}
	_, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		endOtherSessions(tx, a.Company.ID, a.User.ID, a.Session)
		d.ForgetHolders(tx, a.Company.ID)
		return struct{}{}, nil
	})
	return err
}

// EndMemberSessions ends all sessions of a member whom the caller may manage.
func (d *People) EndMemberSessions(ctx context.Context, a *kernel.Principal, member kernel.ID) error {
	if err := a.May(VerbEndMemberSessions); err != nil {
		return err
	}
	_, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		if _, err := d.lockManaged(tx, a, member); err != nil {
			return struct{}{}, err
		}
		endSessions(tx, a.Company.ID, member)
		d.ForgetHolders(tx, a.Company.ID)
		return struct{}{}, nil
	})
	return err
}

// lockManaged returns a member whom the caller may manage: any member for owners, lower roles for others.
func (d *People) lockManaged(tx *kernel.Tx, a *kernel.Principal, member kernel.ID) (Member, error) {
	m, found, err := lockMember(tx, a.Company.ID, member)
	if err != nil || !found {
		return Member{}, kernel.ErrOr(err, kernel.NotFound("team member"))
	}
	return m.Member, mayManage(a, m.Role)
}

// Credentials are what a person signs in with.
type Credentials struct {
	Email    string
	Password string
	Code     string     // of two-factor; "" where it is off or not asked for yet
	Company  *kernel.ID // where the address belongs to several companies
}

// NewSession is a session that was just made. The token goes into the cookie and is shown nowhere else.
type NewSession struct {
	Session
	Token   string
	Expires time.Time // of the cookie: the absolute limit
}

// SignIn makes a session for a person. Every cause of a refusal but a missing or wrong code, or a company to be
// chosen, has the same answer and takes the same time.
func (d *People) SignIn(ctx context.Context, v kernel.Visitor, in Credentials) (NewSession, error) {
	in.Email = strings.TrimSpace(in.Email) // as it is stored; keyboards of phones add a space
	attempt := newAttemptAt(in.Email, v.IP)
	if err := d.beginSignIn(ctx, attempt); err != nil {
		return NewSession{}, err
	}
	var company kernel.ID
	if in.Company != nil {
		company = *in.Company
	}
	candidates, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]Candidate, error) { return candidates(tx, in.Email, company) })
	if err != nil {
		return NewSession{}, err
	}
	fitting, err := d.fitting(ctx, candidates, in.Password)
	switch {
	case kernel.CodeOf(err) == kernel.CodeUnavailable: // the password was not compared
		return NewSession{}, d.endSignIn(ctx, attempt, err)
	case err != nil:
		return NewSession{}, err
	case len(fitting) == 0:
		return NewSession{}, errLoginFailed()
	case len(fitting) > 1:
		return NewSession{}, d.endSignIn(ctx, attempt, errCompanyRequired(fitting))
	}
	who := fitting[0]
	if who.TwoFactor != nil && in.Code == "" {
		return NewSession{}, d.endSignIn(ctx, attempt, errCodeRequired())
	}
	made, err := d.newSession(ctx, v, who.Company.ID, who.Member, func(tx *kernel.Tx) error {
		p, found, err := findProfile(tx, who.Company.ID, who.Member)
		switch {
		case err != nil:
			return err
		case !found || !kernel.Same(p.PasswordHash, who.PasswordHash): // removed, or another password since
			return errLoginFailed()
		case p.TwoFactor != nil && in.Code == "": // switched on since
			return errCodeRequired()
		}
		if err := d.useCode(tx, who.Company.ID, who.Member, p.TwoFactor, in.Code); err != nil {
			return err
		}
		attempt.succeeded(tx)
		return nil
	})
	if kernel.CodeOf(err) == kernel.CodeCodeRequired {
		err = d.endSignIn(ctx, attempt, err)
	}
	return made, err
}

// fitting gives the candidates whose password this is. It compares at least one hash, so that an unknown address
// takes as long as a wrong password.
func (d *People) fitting(ctx context.Context, candidates []Candidate, password string) ([]Candidate, error) {
	var fitting []Candidate
	compared := false
	for _, c := range candidates {
		if c.PasswordHash == nil {
			continue
		}
		compared = true
		ok, err := d.passwords.Verify(ctx, c.Company.ID, password, *c.PasswordHash)
		if err != nil {
			return nil, err
		}
		if ok {
			fitting = append(fitting, c)
		}
	}
	if !compared { // an unknown address belongs to no company that could be busy
		return nil, d.passwords.Waste(ctx, kernel.NewID(), password)
	}
	return fitting, nil
}

// KnownLogin is an e-mail address with the hashes of its password in the companies where that fitted.
type KnownLogin struct {
	email  string
	hashes []string
}

// KnownLogin compares a password as a sign-in does and remembers the hashes that it fits.
func (d *People) KnownLogin(ctx context.Context, email, password string) (KnownLogin, error) {
	known := KnownLogin{email: email}
	candidates, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]Candidate, error) { return candidates(tx, email, kernel.ID{}) })
	if err != nil {
		return known, err
	}
	fitting, err := d.fitting(ctx, candidates, password)
	for _, c := range fitting {
		known.hashes = append(known.hashes, *c.PasswordHash)
	}
	return known, err
}

// StillKnown reports whether the password of a login is the one that was compared, without comparing it again.
func (d *People) StillKnown(ctx context.Context, known KnownLogin) (bool, error) {
	candidates, err := kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) ([]Candidate, error) { return candidates(tx, known.email, kernel.ID{}) })
	return slices.ContainsFunc(candidates, func(c Candidate) bool {
		return c.PasswordHash != nil && slices.Contains(known.hashes, *c.PasswordHash)
	}), err
}

// PasswordHashes is how many password hashes this process has computed.
func (d *People) PasswordHashes() int64 { return d.passwords.Made() }

// newSession stores a session of a member in one transaction with what else belongs to its beginning. The session that the
// visitor's browser had until now ends.
func (d *People) newSession(ctx context.Context, v kernel.Visitor, company, member kernel.ID, also func(tx *kernel.Tx) error) (NewSession, error) {
	token, hash := newToken()
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (NewSession, error) {
		if err := also(tx); err != nil {
			return NewSession{}, err
		}
		if v.Session != "" {
			before, ended, err := endSessionOf(tx, tokenHash(v.Session))
			if err != nil {
				return NewSession{}, err
			}
			if ended {
				d.ForgetHolders(tx, before)
			}
		}
		InsertSession(tx, company, member, kernel.NewID(), hash, v.IP.String(), storableUserAgent(v.UserAgent))
		if ended, err := endOldestSessions(tx, company, member, MaxSessions); err != nil {
			return NewSession{}, err
		} else if ended {
			d.ForgetHolders(tx, company)
		}
		h, found, err := FindSessionHolder(tx, hash)
		if err != nil || !found {
			return NewSession{}, kernel.ErrOr(err, errLoginFailed())
		}
		return NewSession{Session: d.sessionOf(&h, tx.Now), Token: token, Expires: h.Session.CreatedAt.Add(SessionLongest)}, nil
	})
}

// storableUserAgent keeps what a database can store of a header, and not too much of it.
func storableUserAgent(text string) string {
	const most = 300 // bytes
	if len(text) > most {
		text = text[:most]
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", "")
}

// errLoginFailed is the one answer to a wrong address, password, company, link or cookie.
func errLoginFailed() error {
	return kernel.Errorf(kernel.CodeLoginFailed, "E-mail address or password is wrong.")
}

func errCodeRequired() error {
	return kernel.Errorf(kernel.CodeCodeRequired, "Send the code of your authenticator app, or a recovery code, as code.")
}

func errCodeInvalid() error {
	return kernel.Errorf(kernel.CodeCodeInvalid, "The code is wrong, already used or expired. Send a new one.")
}

func errCompanyRequired(fitting []Candidate) error {
	e := kernel.Errorf(kernel.CodeCompanyRequired, "This address belongs to several companies. Sign in again with one of the values in details as company.")
	for _, c := range fitting {
		choice := ruleChoose.At("body.company", c.Company.Name, kernel.Params{"name": c.Company.Name})
		choice.Value = c.Company.ID.String()
		e.Fields = append(e.Fields, choice)
	}
	return e
}

// signInAttempt is one attempt to sign in, with the counters that it belongs to.
type signInAttempt struct {
	counters []failureCounter
	before   []Failures
}

// failureCounter counts the failures of one subject.
type failureCounter struct {
	subject [32]byte
	limit   time.Duration // of the wait
}

// newAttemptAt names the counters of an attempt to sign in: those of the address from this IP, of the IP, and of the
// address from anywhere. An IPv6 address counts as its /64 network.
func newAttemptAt(email string, ip netip.Addr) *signInAttempt {
	network, address := networkOf(ip), fold.Text(email)
	return &signInAttempt{counters: []failureCounter{
		{counterName("both", address, network), longestWait}, {counterName("ip", network), longestWait}, {counterName("address", address), addressWait},
	}}
}

// newTokenAttempt names the counter of wrong set-up tokens and links: that of the IP.
func newTokenAttempt(ip netip.Addr) *signInAttempt {
	return &signInAttempt{counters: []failureCounter{{counterName("token", networkOf(ip)), longestWait}}}
}

func counterName(kind string, parts ...any) [32]byte {
	return sha256.Sum256(fmt.Appendf(nil, "%s %q", kind, parts))
}

// networkOf is the IP that failures are counted for.
func networkOf(ip netip.Addr) string {
	network := ip.Unmap()
	if network.Is6() {
		if prefix, err := network.Prefix(64); err == nil {
			network = prefix.Addr()
		}
	}
	return network.String()
}

// forgetFailures is how long failed sign-ins count after the last of them. It is longer than the longest wait.
const forgetFailures = time.Hour

// beginSignIn refuses an attempt that comes too early, and counts every other one as failed until it has succeeded,
// so that attempts at the same time cannot pass together.
func (d *People) beginSignIn(ctx context.Context, a *signInAttempt) error {
	_, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		wait, err := a.wait(tx)
		if err != nil {
			return struct{}{}, err
		}
		if wait > 0 {
			return struct{}{}, errTooManyFailures(wait)
		}
		for _, c := range a.counters {
			countSignInFailure(tx, c.subject, forgetFailures)
		}
		return struct{}{}, nil
	})
	return err
}

// endSignIn takes the failure of an attempt back that neither failed nor succeeded, and gives its answer.
func (d *People) endSignIn(ctx context.Context, a *signInAttempt, answer error) error {
	_, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		for i, c := range a.counters {
			uncountSignInFailure(tx, c.subject, a.before[i])
		}
		return struct{}{}, nil
	})
	return kernel.ErrOr(err, answer)
}

// succeeded clears the counter of the address from this IP and takes the attempt out of the others.
func (a *signInAttempt) succeeded(tx *kernel.Tx) {
	clearSignInFailures(tx, a.counters[0].subject)
	for i, c := range a.counters[1:] {
		uncountSignInFailure(tx, c.subject, a.before[i+1])
	}
}

const (
	freeFailures = 5
	longestWait  = 15 * time.Minute
	addressWait  = 30 * time.Second // the longest for an address from any IP, so that others cannot lock a person out
)

// wait is how long the attempt has to wait: two seconds after the fifth failure, twice as long after each further one,
// up to a limit. The longest of the counters counts.
func (a *signInAttempt) wait(tx *kernel.Tx) (longest time.Duration, err error) {
	subjects := make([][32]byte, len(a.counters))
	for i, c := range a.counters {
		subjects[i] = c.subject
	}
	if a.before, err = signInFailures(tx, subjects...); err != nil {
		return 0, err
	}
	for i, f := range a.before {
		if f.Count < freeFailures || tx.Now.Sub(f.Last) > forgetFailures {
			continue
		}
		wait := min(time.Second<<min(f.Count-freeFailures+1, 20), a.counters[i].limit)
		longest = max(longest, f.Last.Add(wait).Sub(tx.Now))
	}
	return longest, nil
}

// checkToken looks for what a token stands for, unless there were too many wrong ones from that IP: then no token is
// looked for. A wrong one counts.
func checkToken[T any](ctx context.Context, d *People, v kernel.Visitor, wrong error, find func(tx *kernel.Tx) (T, bool, error)) (T, error) {
	attempt := newTokenAttempt(v.IP)
	found := false
	out, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (out T, err error) {
		wait, err := attempt.wait(tx)
		if err == nil && wait > 0 {
			err = errTooManyFailures(wait)
		}
		if err == nil {
			out, found, err = find(tx)
		}
		return out, err
	})
	if err != nil || found {
		return out, err
	}
	if err := d.beginSignIn(ctx, attempt); err != nil {
		return out, err
	}
	return out, wrong
}

func errTooManyFailures(wait time.Duration) error {
	return &kernel.Error{Code: kernel.CodeRateLimited, Message: "There were too many failed attempts to sign in. Wait for the seconds in Retry-After.", RetryAfter: wait}
}

// PurgeSessions deletes sessions that ended, and reports whether there are more.
func (d *People) PurgeSessions(ctx context.Context) (more bool, err error) {
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) {
		n, err := removeOldSessions(tx, kernel.PurgeStep)
		return n >= kernel.PurgeStep, err
	})
}
