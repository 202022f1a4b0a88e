package desk

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"recado/internal/fold"
	"recado/internal/model"
	"recado/internal/store"
)

// sessionHolder is a session as it was when it was last looked up.
type sessionHolder struct {
	principal *Principal
	ends      time.Time
}

// AuthenticateSession gives the holder of a session token. A token that is unknown, ended or expired is
// session_missing, whatever the cause.
func (d System) AuthenticateSession(ctx context.Context, token string) (*Principal, error) {
	hash := tokenHash(token)
	h, err := d.sessions.Get(ctx, hash, func(ctx context.Context) (*sessionHolder, error) { return d.loadSession(ctx, hash) })
	if err != nil {
		return nil, err
	}
	if h == nil || !d.now().Before(h.ends) {
		return nil, model.Errorf(model.CodeSessionMissing, "You are not signed in, or your session has ended. Sign in again.")
	}
	d.active(h.principal.Company.ID)
	return h.principal, nil
}

func (d *Desk) loadSession(ctx context.Context, hash [32]byte) (*sessionHolder, error) {
	var h store.SessionHolder
	var found bool
	err := d.store.Read(ctx, func(tx *store.Tx) (err error) {
		h, found, err = tx.SessionHolder(hash)
		return err
	})
	if err != nil || !found || !d.now().Before(model.SessionEnd(h.Session.CreatedAt, h.Session.LastSeenAt)) {
		return nil, err
	}
	d.seen.markSession(h.Session.ID, h.Member.ID, d.now())
	return &sessionHolder{
		principal: d.principalOf(&h),
		ends:      model.SessionEnd(h.Session.CreatedAt, d.now()),
	}, nil
}

// sessionOf is what the app is told about a session that is used at this moment.
func (d *Desk) sessionOf(h *store.SessionHolder, now time.Time) model.Session {
	u := model.SessionUser{Member: h.Member, TwoFactor: h.TwoFactor, Signature: h.Signature}
	if u.Sectors == nil {
		u.Sectors = []model.Ref{}
	}
	u.Presence = presence(now, h.Presence, &now, now)
	return model.Session{
		User: u, Company: h.Company, Scopes: model.ScopesOf(h.Member.Role).List(),
		ExpiresAt: model.SessionEnd(h.Session.CreatedAt, now), APIVersion: model.APIVersion,
	}
}

// Session tells the caller who they are.
func (d *Desk) Session(ctx context.Context, a *Principal) (model.Session, error) {
	if err := a.May(VerbSession); err != nil {
		return model.Session{}, err
	}
	return read(ctx, d, func(tx *store.Tx) (model.Session, error) {
		h, found, err := tx.SessionOf(a.Company.ID, a.Session)
		if err != nil || !found {
			return model.Session{}, errOr(err, model.Errorf(model.CodeSessionMissing, "Your session has ended. Sign in again."))
		}
		return d.sessionOf(&h, tx.Now), nil
	})
}

// SignOut ends the caller's own session.
func (d *Desk) SignOut(ctx context.Context, a *Principal) error {
	if err := a.May(VerbSignOut); err != nil {
		return err
	}
	return d.endSession(ctx, a, a.Session)
}

// Sessions lists the caller's own sessions.
func (d *Desk) Sessions(ctx context.Context, a *Principal) ([]model.SignedIn, error) {
	if err := a.May(VerbSessions); err != nil {
		return nil, err
	}
	sessions, err := read(ctx, d, func(tx *store.Tx) ([]model.SignedIn, error) { return tx.Sessions(a.Company.ID, a.User.ID) })
	if i := slices.IndexFunc(sessions, func(s model.SignedIn) bool { return s.ID == a.Session }); i >= 0 {
		sessions[i].Current = true
	}
	return sessions, err
}

// EndSession ends one of the caller's own sessions.
func (d *Desk) EndSession(ctx context.Context, a *Principal, id model.ID) error {
	if err := a.May(VerbEndSession); err != nil {
		return err
	}
	return d.endSession(ctx, a, id)
}

func (d *Desk) endSession(ctx context.Context, a *Principal, id model.ID) error {
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		ended, err := tx.EndSession(a.Company.ID, a.User.ID, id)
		if err != nil || !ended {
			return struct{}{}, errOr(err, model.NotFound("session"))
		}
		tx.AfterCommit(func() { d.seen.forget(id) })
		d.forgetHolders(tx, a.Company.ID)
		return struct{}{}, nil
	})
	return err
}

// EndOtherSessions ends all of the caller's sessions but the present one.
func (d *Desk) EndOtherSessions(ctx context.Context, a *Principal) error {
	if err := a.May(VerbEndOtherSessions); err != nil {
		return err
	}
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		tx.EndOtherSessions(a.Company.ID, a.User.ID, a.Session)
		d.forgetHolders(tx, a.Company.ID)
		return struct{}{}, nil
	})
	return err
}

// EndMemberSessions ends all sessions of a member whom the caller may manage.
func (d *Desk) EndMemberSessions(ctx context.Context, a *Principal, member model.ID) error {
	if err := a.May(VerbEndMemberSessions); err != nil {
		return err
	}
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		if _, err := d.lockManaged(tx, a, member); err != nil {
			return struct{}{}, err
		}
		tx.EndSessions(a.Company.ID, member)
		d.forgetHolders(tx, a.Company.ID)
		return struct{}{}, nil
	})
	return err
}

// lockManaged returns a member whom the caller may manage: any member for owners, lower roles for others.
func (d *Desk) lockManaged(tx *store.Tx, a *Principal, member model.ID) (model.Member, error) {
	m, found, err := tx.LockMember(a.Company.ID, member)
	if err != nil || !found {
		return model.Member{}, errOr(err, model.NotFound("team member"))
	}
	return m.Member, a.mayManage(m.Role)
}

// Visitor is a caller who has not signed in.
type Visitor struct {
	IP        netip.Addr
	UserAgent string
	Session   string // the token of the cookie that came with the request; "" without one
}

// Credentials are what a person signs in with.
type Credentials struct {
	Email    string
	Password string
	Code     string    // of two-factor; "" where it is off or not asked for yet
	Company  *model.ID // where the address belongs to several companies
}

// NewSession is a session that was just made. The token goes into the cookie and is shown nowhere else.
type NewSession struct {
	model.Session
	Token   string
	Expires time.Time // of the cookie: the absolute limit
}

// SignIn makes a session for a person. Every cause of a refusal but a missing or wrong code, or a company to be
// chosen, has the same answer and takes the same time.
func (d System) SignIn(ctx context.Context, v Visitor, in Credentials) (NewSession, error) {
	in.Email = strings.TrimSpace(in.Email) // as it is stored; keyboards of phones add a space
	attempt := newAttemptAt(in.Email, v.IP)
	if err := d.beginSignIn(ctx, attempt); err != nil {
		return NewSession{}, err
	}
	var company model.ID
	if in.Company != nil {
		company = *in.Company
	}
	candidates, err := read(ctx, d.Desk, func(tx *store.Tx) ([]store.Candidate, error) { return tx.Candidates(in.Email, company) })
	if err != nil {
		return NewSession{}, err
	}
	fitting, err := d.fitting(ctx, candidates, in.Password)
	switch {
	case model.CodeOf(err) == model.CodeUnavailable: // the password was not compared
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
	made, err := d.newSession(ctx, v, who.Company.ID, who.Member, func(tx *store.Tx) error {
		p, found, err := tx.Profile(who.Company.ID, who.Member)
		switch {
		case err != nil:
			return err
		case !found || !same(p.PasswordHash, who.PasswordHash): // removed, or another password since
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
	if model.CodeOf(err) == model.CodeCodeRequired {
		err = d.endSignIn(ctx, attempt, err)
	}
	return made, err
}

// fitting gives the candidates whose password this is. It compares at least one hash, so that an unknown address
// takes as long as a wrong password.
func (d *Desk) fitting(ctx context.Context, candidates []store.Candidate, password string) ([]store.Candidate, error) {
	var fitting []store.Candidate
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
		return nil, d.passwords.Waste(ctx, model.NewID(), password)
	}
	return fitting, nil
}

// KnownLogin is an e-mail address with the hashes of its password in the companies where that fitted.
type KnownLogin struct {
	email  string
	hashes []string
}

// KnownLogin compares a password as a sign-in does and remembers the hashes that it fits.
func (d System) KnownLogin(ctx context.Context, email, password string) (KnownLogin, error) {
	known := KnownLogin{email: email}
	candidates, err := read(ctx, d.Desk, func(tx *store.Tx) ([]store.Candidate, error) { return tx.Candidates(email, model.ID{}) })
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
func (d System) StillKnown(ctx context.Context, known KnownLogin) (bool, error) {
	candidates, err := readOne(ctx, d.Desk, func(tx *store.Tx) ([]store.Candidate, error) { return tx.Candidates(known.email, model.ID{}) })
	return slices.ContainsFunc(candidates, func(c store.Candidate) bool {
		return c.PasswordHash != nil && slices.Contains(known.hashes, *c.PasswordHash)
	}), err
}

// PasswordHashes is how many password hashes this process has computed.
func (d System) PasswordHashes() int64 { return d.passwords.Made() }

// newSession stores a session of a member in one transaction with what else belongs to its beginning. The session that the
// visitor's browser had until now ends.
func (d *Desk) newSession(ctx context.Context, v Visitor, company, member model.ID, also func(tx *store.Tx) error) (NewSession, error) {
	token, hash := newToken()
	return write(ctx, d, func(tx *store.Tx) (NewSession, error) {
		if err := also(tx); err != nil {
			return NewSession{}, err
		}
		if v.Session != "" {
			before, ended, err := tx.EndSessionOf(tokenHash(v.Session))
			if err != nil {
				return NewSession{}, err
			}
			if ended {
				d.forgetHolders(tx, before)
			}
		}
		tx.InsertSession(company, member, model.NewID(), hash, v.IP.String(), storableUserAgent(v.UserAgent))
		if ended, err := tx.EndOldestSessions(company, member, model.MaxSessions); err != nil {
			return NewSession{}, err
		} else if ended {
			d.forgetHolders(tx, company)
		}
		h, found, err := tx.SessionHolder(hash)
		if err != nil || !found {
			return NewSession{}, errOr(err, errLoginFailed())
		}
		return NewSession{Session: d.sessionOf(&h, tx.Now), Token: token, Expires: h.Session.CreatedAt.Add(model.SessionLongest)}, nil
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
	return model.Errorf(model.CodeLoginFailed, "E-mail address or password is wrong.")
}

func errCodeRequired() error {
	return model.Errorf(model.CodeCodeRequired, "Send the code of your authenticator app, or a recovery code, as code.")
}

func errCodeInvalid() error {
	return model.Errorf(model.CodeCodeInvalid, "The code is wrong, already used or expired. Send a new one.")
}

func errCompanyRequired(fitting []store.Candidate) error {
	e := model.Errorf(model.CodeCompanyRequired, "This address belongs to several companies. Sign in again with one of the values in details as company.")
	for _, c := range fitting {
		e.Fields = append(e.Fields, model.FieldError{Field: "body.company", Message: c.Company.Name, Value: c.Company.ID.String()})
	}
	return e
}

// signInAttempt is one attempt to sign in, with the counters that it belongs to.
type signInAttempt struct {
	counters []failureCounter
	before   []store.Failures
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
func (d *Desk) beginSignIn(ctx context.Context, a *signInAttempt) error {
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		wait, err := a.wait(tx)
		if err != nil {
			return struct{}{}, err
		}
		if wait > 0 {
			return struct{}{}, errTooManyFailures(wait)
		}
		for _, c := range a.counters {
			tx.CountSignInFailure(c.subject, forgetFailures)
		}
		return struct{}{}, nil
	})
	return err
}

// endSignIn takes the failure of an attempt back that neither failed nor succeeded, and gives its answer.
func (d *Desk) endSignIn(ctx context.Context, a *signInAttempt, answer error) error {
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		for i, c := range a.counters {
			tx.UncountSignInFailure(c.subject, a.before[i])
		}
		return struct{}{}, nil
	})
	return errOr(err, answer)
}

// succeeded clears the counter of the address from this IP and takes the attempt out of the others.
func (a *signInAttempt) succeeded(tx *store.Tx) {
	tx.ClearSignInFailures(a.counters[0].subject)
	for i, c := range a.counters[1:] {
		tx.UncountSignInFailure(c.subject, a.before[i+1])
	}
}

const (
	freeFailures = 5
	longestWait  = 15 * time.Minute
	addressWait  = 30 * time.Second // the longest for an address from any IP, so that others cannot lock a person out
)

// wait is how long the attempt has to wait: two seconds after the fifth failure, twice as long after each further one,
// up to a limit. The longest of the counters counts.
func (a *signInAttempt) wait(tx *store.Tx) (longest time.Duration, err error) {
	subjects := make([][32]byte, len(a.counters))
	for i, c := range a.counters {
		subjects[i] = c.subject
	}
	if a.before, err = tx.SignInFailures(subjects...); err != nil {
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
func checkToken[T any](ctx context.Context, d *Desk, v Visitor, wrong error, find func(tx *store.Tx) (T, bool, error)) (T, error) {
	attempt := newTokenAttempt(v.IP)
	found := false
	out, err := read(ctx, d, func(tx *store.Tx) (out T, err error) {
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
	return &model.Error{Code: model.CodeRateLimited, Message: "There were too many failed attempts to sign in. Wait for the seconds in Retry-After.", RetryAfter: wait}
}
