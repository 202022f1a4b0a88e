package channels

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/phone"
)

const channelColumns = `
	ch.id, ch.company, ch.name, ch.phone, ch.provider, ch.private, ch.status, ch.created_at, ch.status_reason,
	COALESCE(ch.restriction, ch.warning) AS warning, ch.sign, ch.hours, ch.reception, ch.settling, ch.archived_at,
	ch.reopen_name, ch.reopen_language, ch.coexistence, ch.pace`

func scanChannel(r db.Row) Channel {
	ch := Channel{
		ID: r.ID("id"), Company: r.ID("company"), Name: r.Text("name"), Phone: kernel.TextOrNil(r.Text("phone")), Provider: r.Text("provider"),
		Private: r.Bool("private"), Status: r.Text("status"), CreatedAt: r.Time("created_at"),
		StatusReason: kernel.ReadJSON[provider.Reason](r, "status_reason"), Warning: kernel.ReadJSON[provider.Reason](r, "warning"),
		Sign: r.Bool("sign"), HoursID: r.NullID("hours"), Reception: r.NullInt("reception"), Settling: r.Bool("settling"),
		ArchivedAt: r.NullTime("archived_at"), Coexistence: r.Bool("coexistence"),
	}
	if ch.Provider == ProviderLinked {
		ch.MessagesPerMinute = new(paceOf(r))
	}
	if !r.Null("reopen_name") {
		ch.ReopenTemplate = &ReopenTemplate{Name: r.Text("reopen_name"), Language: r.Text("reopen_language")}
	}
	return ch
}

// listChannels returns the company's channels that are not archived, oldest first.
func listChannels(tx *kernel.Tx, company kernel.ID) ([]Channel, error) {
	return kernel.Rows(tx, `
		SELECT`+channelColumns+`
		FROM channels ch
		WHERE ch.company = $1 AND ch.archived_at IS NULL
		ORDER BY ch.id`, []any{company}, scanChannel)
}

// FindChannel returns a channel of the company, private or not. The caller checks who may see it.
func FindChannel(tx *kernel.Tx, company, id kernel.ID) (ch Channel, found bool, err error) {
	return oneChannel(tx, `ch.company = $1 AND ch.id = $2`, company, id)
}

func oneChannel(tx *kernel.Tx, condition string, args ...any) (ch Channel, found bool, err error) {
	return kernel.Row(tx, `SELECT`+channelColumns+` FROM channels ch WHERE `+condition, args, scanChannel)
}

func insertChannel(tx *kernel.Tx, ch Channel) {
	tx.Later(`
		INSERT INTO channels (id, company, name, phone, provider, private, status, coexistence, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, FALSE, $8, $8)`,
		ch.ID, ch.Company, ch.Name, ch.Number(), ch.Provider, ch.Private, ch.Status, ch.CreatedAt)
}

// setChannelWarning sets the warning of a connected channel; nil clears it.
func setChannelWarning(tx *kernel.Tx, company, id kernel.ID, warning *provider.Reason) {
	tx.Later(`UPDATE channels SET warning = $3 WHERE company = $1 AND id = $2`, company, id, kernel.WriteJSON(warning))
}

// SetChannelStatus connects or disconnects a channel. reason may be nil.
func SetChannelStatus(tx *kernel.Tx, company, id kernel.ID, status string, reason *provider.Reason) {
	tx.Later(`
		UPDATE channels
		SET status = $3, status_reason = $4, updated_at = $5, restriction = CASE WHEN $6 THEN NULL ELSE restriction END
		WHERE company = $1 AND id = $2`,
		company, id, status, kernel.WriteJSON(reason), tx.Now, status == ChannelConnected)
}

// ChannelsOfAccount returns the company's channels of a WhatsApp Business account or, if phoneKey is given, those with that
// number.
func ChannelsOfAccount(tx *kernel.Tx, company kernel.ID, waba, phoneKey string) ([]kernel.ID, error) {
	var out []kernel.ID
	err := tx.Query(`
		SELECT id, phone, waba_id
		FROM channels
		WHERE company = $1 AND waba_id IS NOT NULL AND archived_at IS NULL
		ORDER BY id`, []any{company}, func(r db.Row) error {
		if phoneKey == "" && r.Text("waba_id") == waba || phoneKey != "" && phone.Key(r.Text("phone")) == phoneKey {
			out = append(out, r.ID("id"))
		}
		return nil
	})
	return out, err
}

// LockAccount locks the company's channels of a WhatsApp Business account in the order of their ids, and returns them. Channels are
// locked before their templates.
func LockAccount(tx *kernel.Tx, company kernel.ID, waba string) ([]kernel.ID, error) {
	return kernel.Rows(tx, `
		SELECT id
		FROM channels
		WHERE company = $1 AND waba_id = $2 AND archived_at IS NULL
		ORDER BY id`+tx.ForUpdate(), []any{company, waba}, func(r db.Row) kernel.ID { return r.ID("id") })
}

// RestrictChannel records that the provider restricted the account of a channel, and until when.
func RestrictChannel(tx *kernel.Tx, company, id kernel.ID, reason provider.Reason, until *time.Time) {
	tx.Later(`UPDATE channels SET restriction = $3, restriction_until = $4 WHERE company = $1 AND id = $2`,
		company, id, kernel.WriteJSON(&reason), until)
}

// LiftRestriction removes the restriction of a channel. A channel that the restriction disconnected stays disconnected with the
// given reason, because its team decides when to connect it.
func LiftRestriction(tx *kernel.Tx, company, id kernel.ID, reason provider.Reason) {
	tx.Later(`
		UPDATE channels
		SET status_reason = CASE WHEN status_reason = restriction THEN $3 ELSE status_reason END,
			restriction = NULL, restriction_until = NULL
		WHERE company = $1 AND id = $2`, company, id, kernel.WriteJSON(&reason))
}

// EndRestriction removes a restriction that did not disconnect the channel.
func EndRestriction(tx *kernel.Tx, company, id kernel.ID) {
	tx.Later(`
		UPDATE channels
		SET restriction = NULL, restriction_until = NULL
		WHERE company = $1 AND id = $2 AND (status_reason IS NULL OR status_reason <> restriction)`, company, id)
}

// InsertNotice stores a notice of a channel's provider. A repeated notice is ignored.
func InsertNotice(tx *kernel.Tx, channel *Channel, n *provider.IncomingNotice) {
	digest := sha256.New()
	for _, part := range [][]byte{[]byte(n.Kind), []byte(n.Text), n.Raw} {
		digest.Write(part)
		digest.Write([]byte{0})
	}
	tx.Later(`
		INSERT INTO notices (company, channel, digest, kind, text, raw, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT DO NOTHING`, channel.Company, channel.ID, digest.Sum(nil)[:16], n.Kind, n.Text, n.Raw, tx.Now)
}

// OfPool returns the channels whose contacts are in a pool; see Channel.Pool.
func OfPool(tx *kernel.Tx, company, pool kernel.ID) ([]kernel.ID, error) {
	return tx.IDs(`
		SELECT id
		FROM channels
		WHERE company = $1 AND (id = $2 AND private OR NOT private AND company = $2)
		ORDER BY id`, company, pool)
}

// ForgetNotices deletes the notices of a channel that contain one of the values.
func ForgetNotices(tx *kernel.Tx, company, channel kernel.ID, values []string) error {
	type notice struct{ digest, raw []byte }
	all, err := kernel.Rows(tx, `SELECT digest, text, raw FROM notices WHERE company = $1 AND channel = $2`, []any{company, channel},
		func(r db.Row) notice {
			return notice{r.Bytes("digest"), append([]byte(r.Text("text")+"\n"), r.Bytes("raw")...)}
		})
	for _, n := range all {
		if slices.ContainsFunc(values, func(v string) bool { return v != "" && bytes.Contains(n.raw, []byte(v)) }) {
			tx.Later(`DELETE FROM notices WHERE company = $1 AND channel = $2 AND digest = $3`, company, channel, n.digest)
		}
	}
	return err
}

// CallbackActivity summarizes the callbacks about a channel during a period.
type CallbackActivity struct {
	First, Last time.Time
	Longest     time.Duration // between two callbacks
	Calls       int64
}

// CallbackStats summarizes the recent callbacks about a WhatsApp number.
type CallbackStats struct {
	Channel   kernel.ID
	Company   kernel.ID
	Connected bool
	Warned    bool
	Last      time.Time     // of the last callback
	Longest   time.Duration // silence
	Calls     int64
	Days      int64 // with callbacks
}

// DayMillis is the length of a day in milliseconds.
const DayMillis = int64(24 * time.Hour / time.Millisecond)

// addCallbackActivity adds activity to a channel's history and clears its warning. The silence before it counts from since at the
// earliest. It does not count if it raised a warning.
func addCallbackActivity(tx *kernel.Tx, company, channel kernel.ID, h CallbackActivity, since time.Time) error {
	var last *time.Time
	var warned bool
	found, err := tx.One(`
		SELECT last_inbound_at, warning IS NOT NULL AS warned
		FROM channels
		WHERE company = $1 AND id = $2`+tx.ForUpdate(), []any{company, channel}, func(r db.Row) {
		last, warned = r.NullTime("last_inbound_at"), r.Bool("warned")
	})
	if err != nil || !found {
		return err
	}
	if last != nil && !warned {
		if since.After(*last) {
			last = &since
		}
		h.Longest = max(h.Longest, h.First.Sub(*last))
	}
	tx.Later(`UPDATE channels SET last_inbound_at = $3, warning = NULL WHERE company = $1 AND id = $2`, company, channel, h.Last)
	tx.Later(`
		INSERT INTO channel_days (company, channel, day, calls, longest)
		VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (company, channel, day) DO UPDATE
		SET calls = channel_days.calls + excluded.calls,
			longest = CASE WHEN excluded.longest > channel_days.longest THEN excluded.longest ELSE channel_days.longest END`,
		company, channel, h.Last.UnixMilli()/DayMillis, h.Calls, h.Longest.Milliseconds())
	return nil
}

// callbackStats returns every WhatsApp number with its history since a time.
func callbackStats(tx *kernel.Tx, since time.Time) ([]CallbackStats, error) {
	return kernel.Rows(tx, `
		SELECT /* all companies: the watchdog's numbers */ ch.id, ch.company, ch.status = 'connected' AS connected,
			ch.warning IS NOT NULL AS warned, COALESCE(ch.last_inbound_at, 0) AS last_inbound_at,
			CAST(COALESCE(MAX(d.longest), 0) AS BIGINT) AS longest,
			CAST(COALESCE(SUM(d.calls), 0) AS BIGINT) AS calls, COUNT(d.day) AS days
		FROM channels ch
		LEFT JOIN channel_days d ON d.company = ch.company AND d.channel = ch.id AND d.day >= $1
		WHERE ch.provider = 'whatsapp' AND ch.archived_at IS NULL
		GROUP BY ch.company, ch.id, ch.status, ch.warning, ch.last_inbound_at
		ORDER BY ch.id`, []any{since.UnixMilli() / DayMillis}, func(r db.Row) CallbackStats {
		return CallbackStats{
			Channel: r.ID("id"), Company: r.ID("company"), Connected: r.Bool("connected"), Warned: r.Bool("warned"),
			Last: r.Time("last_inbound_at"), Longest: time.Duration(r.Int("longest")) * time.Millisecond,
			Calls: r.Int("calls"), Days: r.Int("days"),
		}
	})
}

// SealedAccess is an Access with sealed secrets. Those of the Access are not set.
type SealedAccess struct {
	Access
	Secrets []byte
}

// insertNumber stores a channel with the access to its provider. It reports false if another channel of any company has the
// number.
func insertNumber(tx *kernel.Tx, ch Channel, access SealedAccess) (bool, error) {
	n, err := tx.Exec(`
		INSERT INTO channels (id, company, name, phone, provider, private, status, warning,
			phone_number_id, waba_id, api_version, coexistence, credentials, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14)
		ON CONFLICT DO NOTHING`,
		ch.ID, ch.Company, ch.Name, ch.Number(), ch.Provider, ch.Private, ch.Status, kernel.WriteJSON(ch.Warning),
		access.PhoneNumberID, access.WABAID, access.APIVersion, access.Coexistence, access.Secrets, ch.CreatedAt)
	return n == 1, err
}

// selectAccess returns a channel and the access to its provider.
func selectAccess(tx *kernel.Tx, condition string, args ...any) (ch Channel, access SealedAccess, found bool, err error) {
	found, err = tx.One(`
		SELECT`+channelColumns+`, COALESCE(ch.phone_number_id, '') AS phone_number_id, COALESCE(ch.waba_id, '') AS waba_id,
			COALESCE(ch.api_version, '') AS api_version, ch.credentials
		FROM channels ch
		WHERE `+condition, args, func(r db.Row) {
		ch = scanChannel(r)
		access = SealedAccess{Access{
			PhoneNumberID: r.Text("phone_number_id"), WABAID: r.Text("waba_id"), APIVersion: r.Text("api_version"),
			Coexistence: r.Bool("coexistence"),
		}, r.Bytes("credentials")}
	})
	return ch, access, found, err
}

// saveAccess replaces a channel's access. It reports false if another channel has the number.
func saveAccess(tx *kernel.Tx, company, id kernel.ID, access SealedAccess) (bool, error) {
	n, err := tx.Exec(`
		UPDATE channels
		SET phone_number_id = $3, waba_id = $4, api_version = $5, coexistence = $6, credentials = $7, updated_at = $8
		WHERE company = $1 AND id = $2
			AND NOT EXISTS (
				SELECT 1 /* all companies: a number is connected once */
				FROM channels o
				WHERE o.phone_number_id = $3 AND NOT (o.company = $1 AND o.id = $2) AND o.archived_at IS NULL)`,
		company, id, access.PhoneNumberID, access.WABAID, access.APIVersion, access.Coexistence, access.Secrets, tx.Now)
	return n == 1, err
}

// SealedChannel has the sealed secrets of a channel.
type SealedChannel struct {
	Company  kernel.ID
	ID       kernel.ID
	Name     string
	Provider string
	Secrets  []byte
}

// SealedChannels returns the secrets of the channels of all companies.
func SealedChannels(tx *kernel.Tx) ([]SealedChannel, error) {
	return kernel.Rows(tx, `
		SELECT /* all companies: sealing secrets */ company, id, name, provider, credentials
		FROM channels
		WHERE credentials IS NOT NULL
		ORDER BY id`, nil, func(r db.Row) SealedChannel {
		return SealedChannel{Company: r.ID("company"), ID: r.ID("id"), Name: r.Text("name"), Provider: r.Text("provider"), Secrets: r.Bytes("credentials")}
	})
}

// ResealChannel replaces a channel's secrets by the same ones sealed again, unless they have changed meanwhile.
func ResealChannel(tx *kernel.Tx, ch SealedChannel, fresh []byte) {
	tx.Later(`UPDATE channels SET credentials = $4 WHERE company = $1 AND id = $2 AND credentials = $3`,
		ch.Company, ch.ID, ch.Secrets, fresh)
}

// setChannelPrivate makes a channel private or public. Its history is updated afterwards.
func setChannelPrivate(tx *kernel.Tx, company, channel kernel.ID, private bool) {
	tx.Later(`
		UPDATE channels
		SET private = $3, settling = TRUE, settled_to = NULL, privacy_version = privacy_version + 1, updated_at = $4
		WHERE company = $1 AND id = $2`, company, channel, private, tx.Now)
}
