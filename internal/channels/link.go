package channels

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"log/slog"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/phone"
)

// The states of a link. LinkNone and LinkLeaving are internal: whoever asks for the link starts it.
const (
	LinkNone    = "none"
	LinkLeaving = "leaving" // it is being unlinked at WhatsApp
	LinkWaiting = "waiting" // for the code to be scanned
	LinkScanned = "scanned"
	LinkLinked  = "linked"
	LinkFailed  = "failed"
)

// ruleLinkedOnly rejects operations that only a linked number has.
var ruleLinkedOnly = kernel.NewRule("linked_only")

// linkWanted is how long a code is offered after the last person looked at it.
const linkWanted = time.Minute

// linkScanned is how long a number whose code was scanned may take to connect, with several attempts.
const linkScanned = 5 * time.Minute

// wantedAtLeast returns the assignment that keeps a link wanted at least until the time in an argument.
func wantedAtLeast(until string) string {
	return `wanted_until = CASE WHEN wanted_until > ` + until + ` THEN wanted_until ELSE ` + until + ` END`
}

// Link is the state of the link of a channel to WhatsApp.
type Link struct {
	State       string           `json:"state" enum:"waiting,scanned,linked,failed" doc:"waiting: for somebody to scan the code or to enter the pairing code. failed: see error; a new request starts again."`
	QR          *string          `json:"qr" doc:"The text of the QR code to show. It changes about every 20 seconds."`
	PairingCode *string          `json:"pairing_code" doc:"The code to enter on the phone, if one was requested." example:"ABCD-EFGH"`
	ExpiresAt   *time.Time       `json:"expires_at" doc:"The time at which the code is replaced."`
	Error       *provider.Reason `json:"error" doc:"Why linking failed; otherwise null."`
	Phone       *string          `json:"phone" doc:"The linked number." example:"+5511912345678"`
	Online      bool             `json:"online" doc:"Whether there is a connection to WhatsApp at the moment."`
	SeenAt      *time.Time       `json:"seen_at" doc:"The time of the last sign of life from WhatsApp."`
	History     *int64           `json:"history" doc:"How much of the history has been imported, in percent; null if nothing has arrived yet."`

	Company      kernel.ID `json:"-"`
	Channel      kernel.ID `json:"-"`
	PairingPhone *string   `json:"-"`
	Generation   int64     `json:"-"` // changes with every request to link or unlink
	PerMinute    int64     `json:"-"` // messages to send at most
	beat         int64
	owner        *kernel.ID
}

const linkColumns = ` l.company, l.channel, l.state, l.qr, l.pairing_code, l.pairing_phone, l.expires_at, l.error, l.generation, l.phone,
	l.online, l.seen_at, l.history, l.owner, l.beat, ch.pace`

const linkTables = ` links l JOIN channels ch ON ch.company = l.company AND ch.id = l.channel`

// maxPace is how many messages a linked number sends in a minute unless fewer are set.
const maxPace = 60

func paceOf(r db.Row) int64 {
	if r.Null("pace") {
		return maxPace
	}
	return r.Int("pace")
}

func scanLink(r db.Row) Link {
	return Link{
		Company: r.ID("company"), Channel: r.ID("channel"), State: r.Text("state"), QR: r.NullText("qr"),
		PairingCode: r.NullText("pairing_code"), PairingPhone: r.NullText("pairing_phone"), ExpiresAt: r.NullTime("expires_at"),
		Error: kernel.ReadJSON[provider.Reason](r, "error"), Generation: r.Int("generation"), Phone: r.NullText("phone"),
		Online: r.Bool("online"), SeenAt: r.NullTime("seen_at"), History: r.NullInt("history"), owner: r.NullID("owner"), beat: r.Int("beat"),
		PerMinute: paceOf(r),
	}
}

// findLink returns the link of a channel. lock is lockLink or "".
func findLink(tx *kernel.Tx, company, channel kernel.ID, lock string) (l Link, found bool, err error) {
	found, err = tx.One(`SELECT`+linkColumns+` FROM`+linkTables+` WHERE l.company = $1 AND l.channel = $2`+lock, []any{company, channel},
		func(r db.Row) { l = scanLink(r) })
	return l, found, err
}

// lockLink makes other changes of the link wait until the end of the transaction.
func lockLink(tx *kernel.Tx) string { return tx.Dialect().Lock(` FOR UPDATE OF l`) }

// AllowLinks lets numbers be linked. Call it before the first request.
func (d *Channels) AllowLinks() { d.canLink = true }

// errCannotLink returns the error for linking a number with a build that cannot.
func errCannotLink(field string) error {
	return kernel.Invalid(field, kernel.RuleNotAllowed, "is not available: this build of Recado cannot link numbers")
}

// DisconnectLinks disconnects the linked numbers of all companies unless numbers can be linked. A build that can connects them again.
func (d *Channels) DisconnectLinks(ctx context.Context) error {
	if d.canLink {
		return nil
	}
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		connected, err := kernel.Rows(tx, `
			SELECT /* all companies: this build cannot link numbers */`+channelColumns+`
			FROM channels ch
			WHERE ch.provider = 'linked' AND ch.status = 'connected' AND ch.archived_at IS NULL
			ORDER BY ch.company, ch.id`, nil, scanChannel)
		for _, ch := range connected {
			if err == nil {
				err = d.disconnect(tx, &ch, provider.NewReason("links_unavailable", "This build of Recado cannot use linked numbers."))
			}
		}
		return err
	})
}

// createLinked creates a channel whose number is not known before it is linked.
func (d *Channels) createLinked(ctx context.Context, a *kernel.Principal, in NewChannel) (Channel, error) {
	switch {
	case !d.canLink:
		return Channel{}, errCannotLink("body.provider")
	case in.Access != nil:
		return Channel{}, kernel.Invalid("body.credentials", RuleWhatsAppOnly, "must be absent for a linked number")
	case in.Phone != "":
		return Channel{}, kernel.Invalid("body.phone", kernel.RuleNotAllowed, "is known when the number is linked")
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Channel, error) {
		ch := newChannel(tx, a, in, "")
		ch.Status, ch.StatusReason, ch.MessagesPerMinute = ChannelDisconnected, new(NotLinked()), new(int64(maxPace))
		if err := d.checkChannelLimit(tx, ch); err != nil {
			return ch, err
		}
		insertChannel(tx, ch)
		SetChannelStatus(tx, ch.Company, ch.ID, ch.Status, ch.StatusReason)
		tx.Later(`UPDATE channels SET credentials = $3 WHERE company = $1 AND id = $2`, ch.Company, ch.ID, d.seal(ch, NewLinkAccess()).Secrets)
		tx.Later(`INSERT INTO links (company, channel, state, generation, online, beat) VALUES ($1, $2, $3, 0, FALSE, 0)`,
			ch.Company, ch.ID, LinkNone)
		return ch, d.created(tx, a, ch)
	})
}

// NewLinkAccess returns the access of a linked number, with a new key.
func NewLinkAccess() Access {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return Access{LinkKey: key}
}

// ForgetLink deletes the state of a linked device without logging out at WhatsApp, so that the number can be linked again.
func ForgetLink(tx *kernel.Tx, company, channel kernel.ID) {
	tx.Later(`DELETE FROM linked_store WHERE company = $1 AND channel = $2`, company, channel)
	tx.Later(`
		UPDATE links
		SET state = $3, qr = NULL, pairing_code = NULL, pairing_phone = NULL, expires_at = NULL, error = NULL, wanted_until = NULL,
			online = FALSE, history = NULL, owner = NULL, generation = generation + 1
		WHERE company = $1 AND channel = $2`, company, channel, LinkNone)
}

// NotLinked is the reason why a linked number does not work before it is linked.
func NotLinked() provider.Reason {
	return provider.NewReason("not_linked", "The number is not linked. Scan the code with the phone.")
}

// LinkKey returns the key that encrypts the stored state of a linked device.
func (d *Channels) LinkKey(ctx context.Context, company, channel kernel.ID) ([]byte, error) {
	_, access, found, err := d.Access(ctx, company, channel)
	if err != nil || !found {
		return nil, kernel.ErrOr(err, kernel.NotFound("channel"))
	}
	return access.LinkKey, nil
}

// knownLink is findLink for a channel that the principal may know of.
func (d *Channels) knownLink(tx *kernel.Tx, a *kernel.Principal, id kernel.ID, lock string) (Channel, Link, error) {
	ch, err := d.Known(tx, a, id)
	switch {
	case err != nil:
		return ch, Link{}, err
	case ch.Provider != ProviderLinked:
		return ch, Link{}, kernel.Invalid("path.id", ruleLinkedOnly, "must be a channel with the provider linked")
	case ch.ArchivedAt != nil:
		return ch, Link{}, ErrChannelArchived()
	}
	l, found, err := findLink(tx, ch.Company, ch.ID, lock)
	if err == nil && !found {
		err = kernel.NotFound("channel")
	}
	l.QR, l.PairingCode = d.openCode(l, l.QR), d.openCode(l, l.PairingCode)
	return ch, l, err
}

// sealCode encrypts a code to store, because a QR code contains a secret of the device. It returns nil for nil.
func (d *Channels) sealCode(l Link, code *string) *string {
	if code == nil {
		return nil
	}
	return new(base64.StdEncoding.EncodeToString(d.Vault.Seal([]byte(*code), l.Company, l.Channel)))
}

// openCode decrypts a stored code. It returns nil if the secret key has changed since: a new code follows soon.
func (d *Channels) openCode(l Link, stored *string) *string {
	if stored == nil {
		return nil
	}
	plain, err := base64.StdEncoding.DecodeString(*stored)
	if err == nil {
		plain, err = d.Vault.Open(plain, l.Company, l.Channel)
	}
	if err != nil {
		return nil
	}
	return new(string(plain))
}

// Link returns the link of a channel. Unless it is linked, it starts linking or keeps offering a code for a minute.
func (d *Channels) Link(ctx context.Context, a *kernel.Principal, id kernel.ID) (Link, error) {
	return d.offerLink(ctx, a, id, true)
}

// keepLink is Link for a person who still looks at the code. It does not start again after a failure.
func (d *Channels) keepLink(ctx context.Context, a *kernel.Principal, id kernel.ID) (Link, error) {
	return d.offerLink(ctx, a, id, false)
}

func (d *Channels) offerLink(ctx context.Context, a *kernel.Principal, id kernel.ID, retry bool) (Link, error) {
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Link, error) {
		_, l, err := d.knownLink(tx, a, id, lockLink(tx))
		switch {
		case err == nil && !d.canLink:
			return l, errCannotLink("path.id")
		case err != nil, l.State == LinkLinked, l.State == LinkFailed && !retry:
			return l, err
		case l.State == LinkNone, l.State == LinkFailed:
			return d.startLink(tx, l, l.PairingPhone), nil
		}
		tx.Later(`UPDATE links SET `+wantedAtLeast("$3")+` WHERE company = $1 AND channel = $2`, l.Company, l.Channel, tx.Now.Add(linkWanted))
		tx.AfterCommit(d.Wakeup(WakeLinks).Notify)
		return l, nil
	})
}

// PairByPhone asks for a code that links the number when somebody enters it on the phone. The code follows in the state.
func (d *Channels) PairByPhone(ctx context.Context, a *kernel.Principal, id kernel.ID, number string) (Link, error) {
	normal, ok := phone.Normalize(number)
	if !ok {
		return Link{}, ErrPhone("body.phone")
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Link, error) {
		_, l, err := d.knownLink(tx, a, id, lockLink(tx))
		switch {
		case err != nil:
			return l, err
		case !d.canLink:
			return l, errCannotLink("path.id")
		case l.State == LinkLinked:
			return l, kernel.Errorf(kernel.CodeAlreadyLinked, "The number is linked. Unlink it first.")
		case l.State == LinkLeaving:
			return l, kernel.Errorf(kernel.CodeUnavailable, "The number is being unlinked. Try again in a moment.")
		}
		return d.startLink(tx, l, &normal), nil
	})
}

// startLink lets a node offer a new code: a pairing code for the number, or a QR code if it is nil.
func (d *Channels) startLink(tx *kernel.Tx, l Link, number *string) Link {
	l.State, l.QR, l.PairingCode, l.ExpiresAt, l.Error, l.PairingPhone = LinkWaiting, nil, nil, nil, nil, number
	l.Generation++
	tx.Later(`
		UPDATE links
		SET state = $3, qr = NULL, pairing_code = NULL, expires_at = NULL, error = NULL, pairing_phone = $4, generation = $5, wanted_until = $6
		WHERE company = $1 AND channel = $2`, l.Company, l.Channel, l.State, number, l.Generation, tx.Now.Add(linkWanted))
	tx.AfterCommit(d.Wakeup(WakeLinks).Notify)
	return l
}

// The names of the wakeups for the loops that hold links, send messages and fetch files.
const (
	WakeLinks = "links"
	WakeSend  = "send"
	WakeFetch = "fetch"
)

// Unlink ends the link of a channel. Its conversations stay.
func (d *Channels) Unlink(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		ch, l, err := d.knownLink(tx, a, id, lockLink(tx))
		if err != nil {
			return err
		}
		if l.State == LinkLinked {
			ch.audit(tx, a, "channel.disconnected", []kernel.AuditChange{{Field: "status", From: ChannelConnected, To: ChannelDisconnected}})
		}
		return d.leave(tx, &ch, l)
	})
}

// leave makes the node with the connection log out at WhatsApp and delete the keys. A device that WhatsApp does not know, and any on a
// build that cannot connect, is only forgotten.
func (d *Channels) leave(tx *kernel.Tx, ch *Channel, l Link) error {
	known, err := tx.One(`SELECT 1 FROM linked_store WHERE company = $1 AND channel = $2 LIMIT 1`, []any{ch.Company, ch.ID}, func(db.Row) {})
	if err != nil {
		return err
	}
	switch {
	case l.State == LinkNone, d.canLink && l.State == LinkLeaving:
		return nil
	case d.canLink && known:
		tx.Later(`
			UPDATE links
			SET state = $3, qr = NULL, pairing_code = NULL, pairing_phone = NULL, expires_at = NULL, error = NULL, wanted_until = NULL,
				online = FALSE, history = NULL, generation = generation + 1
			WHERE company = $1 AND channel = $2`, ch.Company, ch.ID, LinkLeaving)
	default:
		ForgetLink(tx, ch.Company, ch.ID)
	}
	if ch.ArchivedAt == nil {
		SetChannelStatus(tx, ch.Company, ch.ID, ChannelDisconnected, new(NotLinked()))
	}
	tx.AfterCommit(d.Wakeup(WakeLinks).Notify)
	return nil
}

// LinkHolder takes and renews the leases of links for one node. It trusts no clock but its own: a lease is free if its holder has
// not renewed it for its length as this node observes it.
type LinkHolder struct {
	Desk   *Channels
	Owner  kernel.ID
	Length time.Duration

	seen map[kernel.ID]beat
}

type beat struct {
	n  int64
	at time.Time
}

// Hold renews the leases of this node, takes those that are free, and returns the links that this node holds. A link that nobody
// wants any more is released.
func (h *LinkHolder) Hold(ctx context.Context) ([]Link, error) {
	d := h.Desk
	var held []Link
	seen := map[kernel.ID]beat{}
	needed, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) { // most installations have no linked numbers
		return tx.One(`
			SELECT /* all companies: due work */ 1
			FROM links
			WHERE state IN ('linked', 'leaving') OR wanted_until > $1 OR owner = $2
			LIMIT 1`, []any{tx.Now, h.Owner}, func(db.Row) {})
	})
	if err != nil || !needed {
		return nil, err
	}
	err = d.Store.Write(ctx, func(tx *kernel.Tx) error {
		clear(seen)
		held = held[:0]
		wanted, err := kernel.Rows(tx, `
			SELECT /* all companies: due work */`+linkColumns+`
			FROM`+linkTables+`
			WHERE l.state IN ('linked', 'leaving') OR l.wanted_until > $1`, []any{tx.Now}, scanLink)
		if err != nil {
			return err
		}
		for _, l := range wanted {
			if l.owner != nil && *l.owner != h.Owner && !h.isStill(l, seen) {
				continue
			}
			n, err := tx.Exec(`
				UPDATE links
				SET owner = $4, beat = beat + 1, online = CASE WHEN owner = $4 THEN online ELSE FALSE END
				WHERE company = $1 AND channel = $2 AND beat = $3`, l.Company, l.Channel, l.beat, h.Owner)
			if err != nil {
				return err
			}
			if n == 1 {
				held = append(held, l)
			}
		}
		tx.Later(`
			UPDATE /* all companies: leases of this node */ links
			SET owner = NULL, beat = beat + 1, qr = NULL, pairing_code = NULL, pairing_phone = NULL, expires_at = NULL
			WHERE owner = $1 AND NOT (state IN ('linked', 'leaving') OR COALESCE(wanted_until, 0) > $2)`, h.Owner, tx.Now)
		return nil
	})
	if err == nil {
		h.seen = seen
	}
	return held, err
}

// isStill reports whether the holder of a link has not renewed its lease for too long.
func (h *LinkHolder) isStill(l Link, seen map[kernel.ID]beat) bool {
	before, known := h.seen[l.Channel]
	if !known || before.n != l.beat {
		before = beat{l.beat, time.Now()}
	}
	seen[l.Channel] = before
	return time.Since(before.at) >= h.Length || h.Desk.SingleNode()
}

// Release lets other nodes take all links at once.
func (h *LinkHolder) Release(ctx context.Context) error {
	return h.Desk.Store.Write(ctx, func(tx *kernel.Tx) error {
		tx.Later(`UPDATE /* all companies: leases of this node */ links SET owner = NULL, beat = beat + 1, online = FALSE WHERE owner = $1`, h.Owner)
		return nil
	})
}

// change changes a link if this node still holds it and nobody has asked for another one since. It reports whether it did.
func (h *LinkHolder) change(ctx context.Context, l Link, set string, args ...any) (bool, error) {
	return kernel.Write(ctx, h.Desk.Kernel, func(tx *kernel.Tx) (bool, error) { return h.changeIn(tx, l, set, args...) })
}

func (h *LinkHolder) changeIn(tx *kernel.Tx, l Link, set string, args ...any) (bool, error) {
	n, err := tx.Exec(`UPDATE links SET `+set+` WHERE company = $1 AND channel = $2 AND owner = $3 AND generation = $4`,
		append([]any{l.Company, l.Channel, h.Owner, l.Generation}, args...)...)
	return n == 1, err
}

// SetCode stores the code to show, qr or else the pairing code, unless the number was linked with the last one. A pairing code is
// valid until it expires, even if nobody looks at it: whoever requested it may have left to enter it.
func (h *LinkHolder) SetCode(ctx context.Context, l Link, qr, pairing *string, expires time.Time) error {
	d := h.Desk
	wanted := d.Now()
	if pairing != nil {
		wanted = expires
	}
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		tx.Later(`UPDATE links SET state = 'waiting', qr = $5, pairing_code = $6, expires_at = $7, `+wantedAtLeast("$8")+`
			WHERE company = $1 AND channel = $2 AND owner = $3 AND generation = $4 AND state <> 'linked'`,
			l.Company, l.Channel, h.Owner, l.Generation, d.sealCode(l, qr), d.sealCode(l, pairing), expires, wanted)
		return nil
	})
}

// SetScanned stores that the code was scanned.
func (h *LinkHolder) SetScanned(ctx context.Context, l Link) error {
	_, err := h.change(ctx, l, `state = 'scanned', qr = NULL, pairing_code = NULL, expires_at = NULL, `+wantedAtLeast("$5"), h.Desk.Now().Add(linkScanned))
	return err
}

// SetLinked stores that a number is linked, and connects the channel. It returns an error if the channel has another number
// already, another channel has this one, or the link has changed.
func (h *LinkHolder) SetLinked(ctx context.Context, l Link, number string) error {
	d := h.Desk
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		tx.LockSeveral(l.Channel) // observers change its conversations
		ch, found, err := FindChannel(tx, l.Company, l.Channel)
		if err != nil || !found || ch.ArchivedAt != nil {
			return kernel.ErrOr(err, kernel.NotFound("channel"))
		}
		if ch.Phone != nil && *ch.Phone != number {
			return &provider.SendError{Code: "other_number", Message: "This channel belongs to " + *ch.Phone + ". Link that number, or add another channel."}
		}
		ok, err := h.changeIn(tx, l, `state = 'linked', qr = NULL, pairing_code = NULL, pairing_phone = NULL, expires_at = NULL, error = NULL,
			wanted_until = NULL, phone = $5, online = TRUE, seen_at = $6`, number, tx.Now)
		if err != nil || !ok {
			return kernel.ErrOr(err, errLinkChanged)
		}
		free, err := setLinkedNumber(tx, &ch, number)
		if err != nil {
			return err
		}
		if !free {
			return d.errLinkTaken(tx, &ch)
		}
		h.connected(tx, &ch)
		return nil
	})
}

var errLinkChanged = errors.New("channels: there was another request for the link, or another node holds it")

// setLinkedNumber stores the number of a channel. It reports false if another channel of any company has it.
func setLinkedNumber(tx *kernel.Tx, ch *Channel, number string) (bool, error) {
	ch.Phone = &number
	n, err := tx.Exec(`
		UPDATE channels
		SET phone = $3, phone_number_id = $4, updated_at = $5
		WHERE company = $1 AND id = $2
			AND NOT EXISTS (
				SELECT 1 /* all companies: a number is connected once */
				FROM channels o
				WHERE o.phone_number_id = $4 AND NOT (o.company = $1 AND o.id = $2) AND o.archived_at IS NULL)`,
		ch.Company, ch.ID, number, linkedID(number), tx.Now)
	return n == 1, err
}

// linkedID returns what channels of linked numbers have in place of Meta's id of the number.
func linkedID(number string) string { return "linked:" + number }

// errLinkTaken returns the error for the number of a channel that another channel has. Only a public channel of the same company is
// revealed: otherwise it is as if WhatsApp had refused.
func (d *Channels) errLinkTaken(tx *kernel.Tx, ch *Channel) error {
	holder, found, err := oneChannel(tx,
		`ch.phone_number_id = $1 AND ch.archived_at IS NULL /* all companies: a number is connected once */`, linkedID(ch.Number()))
	switch {
	case err != nil:
		return err
	case found && holder.Company == ch.Company && !holder.Private:
		return &provider.SendError{Code: "number_taken", Message: "Another channel has this number."}
	}
	d.Log.Warn("a number was not linked because another channel has it", slog.String("channel", ch.ID.String()),
		slog.String("holder", holder.ID.String()))
	return &provider.SendError{Code: "link_refused", Message: "WhatsApp refused to link the number."}
}

// connected sets the status of a linked channel.
func (h *LinkHolder) connected(tx *kernel.Tx, ch *Channel) {
	if ch.Status == ChannelConnected && ch.StatusReason == nil {
		return
	}
	ch.Status, ch.StatusReason = ChannelConnected, nil
	SetChannelStatus(tx, ch.Company, ch.ID, ch.Status, nil)
	ch.audit(tx, nil, "channel.connected", []kernel.AuditChange{{Field: "status", From: ChannelDisconnected, To: ChannelConnected}})
	for _, o := range h.Desk.observers {
		if o.Connected != nil {
			o.Connected(tx, ch)
		}
	}
}

// SetHeard stores that there is a connection and WhatsApp was heard.
func (h *LinkHolder) SetHeard(ctx context.Context, l Link) error {
	_, err := h.change(ctx, l, `online = TRUE, seen_at = $5`, h.Desk.Now())
	return err
}

// SetOffline stores that there is no connection.
func (h *LinkHolder) SetOffline(ctx context.Context, l Link) error {
	_, err := h.change(ctx, l, `online = FALSE`)
	return err
}

// SetHistory stores the progress of the import of the history.
func (h *LinkHolder) SetHistory(ctx context.Context, l Link, percent int64) error {
	_, err := h.change(ctx, l, `history = $5`, percent)
	return err
}

// SetFailed stores that linking failed. The next request shows a QR code, unless it asks for a pairing code.
func (h *LinkHolder) SetFailed(ctx context.Context, l Link, reason provider.Reason) error {
	_, err := h.change(ctx, l, `state = 'failed', qr = NULL, pairing_code = NULL, pairing_phone = NULL, expires_at = NULL, error = $5, wanted_until = NULL,
		online = FALSE`,
		kernel.WriteJSON(&reason))
	return err
}

// SetEnded stores that the link is over: WhatsApp ended it, or it was unlinked. A channel that was linked is disconnected, and the
// owners are warned. failed shows the reason to those who look at the link.
func (h *LinkHolder) SetEnded(ctx context.Context, l Link, reason provider.Reason, failed bool) error {
	d := h.Desk
	state, shown := LinkNone, (*provider.Reason)(nil)
	if failed {
		state, shown = LinkFailed, &reason
	}
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		before, _, err := findLink(tx, l.Company, l.Channel, lockLink(tx))
		if err != nil {
			return err
		}
		ok, err := h.changeIn(tx, l, `state = $5, error = $6, qr = NULL, pairing_code = NULL, pairing_phone = NULL, expires_at = NULL,
			wanted_until = NULL, online = FALSE, history = NULL`, state, kernel.WriteJSON(shown))
		if err != nil || !ok {
			return err
		}
		ch, found, err := FindChannel(tx, l.Company, l.Channel)
		if err != nil || !found || ch.ArchivedAt != nil || ch.Status == ChannelDisconnected && before.State != LinkLinked {
			return err
		}
		return d.disconnect(tx, &ch, reason)
	})
}

// disconnect stores that a linked number does not work any more, and warns the owners.
func (d *Channels) disconnect(tx *kernel.Tx, ch *Channel, reason provider.Reason) error {
	if ch.Status != ChannelDisconnected { // otherwise a message that could not be sent has disconnected it
		AuditDisconnected(tx, ch.Company, ch.ID, ch.Name, nil, reason)
	}
	ch.Status, ch.StatusReason = ChannelDisconnected, &reason
	SetChannelStatus(tx, ch.Company, ch.ID, ch.Status, ch.StatusReason)
	for _, o := range d.observers {
		if o.Disconnected != nil {
			if err := o.Disconnected(tx, ch, reason); err != nil {
				return err
			}
		}
	}
	return nil
}

// LinkCodes lists the codes of reasons why a link failed or ended.
var LinkCodes = []string{
	"not_linked", "logged_out", "link_expired", "link_refused", "other_number", "number_taken", "number_banned", "client_outdated", "linked_elsewhere",
	"links_unavailable",
}

// public hides the internal states.
func (l Link) public() Link {
	if l.State == LinkNone || l.State == LinkLeaving {
		l.State = LinkWaiting
	}
	return l
}
