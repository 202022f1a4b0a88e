package channels

import (
	"crypto/sha256"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/phone"
)

const (
	channelColumns = `
	ch.id, ch.company, ch.name, ch.phone, ch.provider, ch.private, ch.status, ch.created_at, ch.status_reason,
	COALESCE(ch.restriction, ch.warning), ch.sign, ch.hours, ch.reception, ch.settling, ch.archived_at`
	channelWidth = 15
)

func scanChannel(r db.Row) Channel {
	return Channel{
		ID: r.ID(0), Company: r.ID(1), Name: r.Text(2), Phone: r.Text(3), Provider: r.Text(4), Private: r.Bool(5),
		Status: r.Text(6), CreatedAt: r.Time(7), StatusReason: kernel.ReadJSON[provider.Reason](r, 8), Warning: kernel.ReadJSON[provider.Reason](r, 9), Sign: r.Bool(10), HoursID: r.NullID(11),
		Reception: r.NullInt(12), Settling: r.Bool(13), ArchivedAt: r.NullTime(14),
	}
}

// listChannels lists the company's public channels, the oldest first.
func listChannels(tx *kernel.Tx, company kernel.ID) ([]Channel, error) {
	return selectChannels(tx, `WHERE ch.company = $1 AND NOT ch.private AND ch.archived_at IS NULL`, company)
}

// allChannels is Channels with the private ones.
func allChannels(tx *kernel.Tx, company kernel.ID) ([]Channel, error) {
	return selectChannels(tx, `WHERE ch.company = $1 AND ch.archived_at IS NULL`, company)
}

func selectChannels(tx *kernel.Tx, where string, args ...any) ([]Channel, error) {
	var out []Channel
	err := tx.Query(`SELECT`+channelColumns+` FROM channels ch `+where+` ORDER BY ch.id`, args, func(r db.Row) error {
		out = append(out, scanChannel(r))
		return nil
	})
	return out, err
}

// FindChannel gives one channel of the company, private or not: the caller checks who may see it.
func FindChannel(tx *kernel.Tx, company, id kernel.ID) (Channel, bool, error) {
	var ch Channel
	found, err := tx.One(`SELECT`+channelColumns+` FROM channels ch WHERE ch.company = $1 AND ch.id = $2`,
		[]any{company, id}, func(r db.Row) { ch = scanChannel(r) })
	return ch, found, err
}

// insertChannel adds a channel.
func insertChannel(tx *kernel.Tx, ch Channel) {
	tx.Later(`
		INSERT INTO channels (id, company, name, phone, provider, private, status, coexistence, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, FALSE, $8, $8)`,
		ch.ID, ch.Company, ch.Name, ch.Phone, ch.Provider, ch.Private, ch.Status, ch.CreatedAt)
}

// signChannel says whether messages that people send through a channel begin with their name.
func signChannel(tx *kernel.Tx, company, id kernel.ID, sign bool) {
	tx.Later(`UPDATE channels SET sign = $3, updated_at = $4 WHERE company = $1 AND id = $2`, company, id, sign, tx.Now)
}

// renameChannel changes what a channel is called.
func renameChannel(tx *kernel.Tx, company, id kernel.ID, name string) {
	tx.Later(`UPDATE channels SET name = $3, updated_at = $4 WHERE company = $1 AND id = $2`, company, id, name, tx.Now)
}

// warnOfChannel says what is wrong with a channel that is connected all the same; nil: nothing.
func warnOfChannel(tx *kernel.Tx, company, id kernel.ID, warning *provider.Reason) {
	tx.Later(`UPDATE channels SET warning = $3 WHERE company = $1 AND id = $2`, company, id, kernel.WriteJSON(warning))
}

// SetChannelStatus connects or disconnects a channel; reason is nil or says why.
func SetChannelStatus(tx *kernel.Tx, company, id kernel.ID, status string, reason *provider.Reason) {
	tx.Later(`
		UPDATE channels
		SET status = $3, status_reason = $4, updated_at = $5, restriction = CASE WHEN $6 THEN NULL ELSE restriction END
		WHERE company = $1 AND id = $2`,
		company, id, status, kernel.WriteJSON(reason), tx.Now, status == ChannelConnected)
}

// archiveChannel disconnects a channel for good.
func archiveChannel(tx *kernel.Tx, company, id kernel.ID) {
	tx.Later(`
		UPDATE channels
		SET archived_at = $3, status = 'disconnected', status_reason = NULL, warning = NULL, restriction = NULL, restriction_until = NULL,
			templates_due_at = NULL, updated_at = $3
		WHERE company = $1 AND id = $2`, company, id, tx.Now)
}

// ChannelsOfAccount lists the company's channels of a provider's account, or those with a number where its
// key is given.
func ChannelsOfAccount(tx *kernel.Tx, company kernel.ID, waba, phoneKey string) ([]kernel.ID, error) {
	var out []kernel.ID
	err := tx.Query(`SELECT id, phone, waba_id FROM channels WHERE company = $1 AND waba_id IS NOT NULL AND archived_at IS NULL ORDER BY id`, []any{company}, func(r db.Row) error {
		if phoneKey == "" && r.Text(2) == waba || phoneKey != "" && phone.Key(r.Text(1)) == phoneKey {
			out = append(out, r.ID(0))
		}
		return nil
	})
	return out, err
}

// RestrictChannel says what the provider did to the account of a channel, and until when.
func RestrictChannel(tx *kernel.Tx, company, id kernel.ID, reason provider.Reason, until *time.Time) {
	tx.Later(`UPDATE channels SET restriction = $3, restriction_until = $4 WHERE company = $1 AND id = $2`, company, id, kernel.WriteJSON(&reason), until)
}

// LiftRestriction ends what RestrictChannel began. A channel that the restriction disconnected stays so, with
// its own reason: its team decides when to connect it.
func LiftRestriction(tx *kernel.Tx, company, id kernel.ID, reason provider.Reason) {
	tx.Later(`
		UPDATE channels
		SET status_reason = CASE WHEN status_reason = restriction THEN $3 ELSE status_reason END,
			restriction = NULL, restriction_until = NULL
		WHERE company = $1 AND id = $2`, company, id, kernel.WriteJSON(&reason))
}

// EndRestriction ends a restriction that did not disconnect the channel.
func EndRestriction(tx *kernel.Tx, company, id kernel.ID) {
	tx.Later(`
		UPDATE channels
		SET restriction = NULL, restriction_until = NULL
		WHERE company = $1 AND id = $2 AND (status_reason IS NULL OR status_reason <> restriction)`, company, id)
}

// endRestrictions ends the restrictions whose time is over.
func endRestrictions(tx *kernel.Tx) {
	tx.Later(`UPDATE /* all companies: what is over */ channels SET restriction = NULL, restriction_until = NULL WHERE restriction_until <= $1`, tx.Now)
}

// InsertNotice keeps what a channel's provider said. The same again adds nothing.
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

// notices gives the newest notices of a channel.
func notices(tx *kernel.Tx, company, channel kernel.ID, limit int) (all []provider.Notice, err error) {
	err = tx.Query(`
		SELECT kind, text, raw, created_at
		FROM notices
		WHERE company = $1 AND channel = $2
		ORDER BY created_at DESC, digest
		LIMIT $3`, []any{company, channel, limit}, func(r db.Row) error {
		all = append(all, provider.Notice{IncomingNotice: provider.IncomingNotice{Kind: r.Text(0), Text: r.Text(1), Raw: r.Bytes(2)}, CreatedAt: r.Time(3)})
		return nil
	})
	return all, err
}

// purgeNotices deletes notices kept before a moment, oldest first, up to limit of them.
func purgeNotices(tx *kernel.Tx, before time.Time, limit int) (int64, error) {
	return tx.Exec(`
		DELETE /* all companies: what is over */ FROM notices
		WHERE (company, channel, digest) IN (SELECT company, channel, digest FROM notices WHERE created_at < $1 ORDER BY created_at LIMIT $2)`, before, limit)
}

// CallbackActivity is when a provider called about a channel during some stretch of time.
type CallbackActivity struct {
	First, Last time.Time
	Longest     time.Duration // between two calls
	Calls       int64
}

// CallbackStats summarizes the recent callbacks about a WhatsApp number.
type CallbackStats struct {
	Channel   kernel.ID
	Company   kernel.ID
	Connected bool
	Warned    bool
	Last      time.Time     // the provider called
	Longest   time.Duration // silence
	Calls     int64
	Days      int64 // with calls
}

// DayMillis is the length of a day in milliseconds.
const DayMillis = int64(24 * time.Hour / time.Millisecond)

// addCallbackActivity adds activity to a channel's history and clears its warning. The silence before it
// counts from since at the earliest, and not at all when it raised a warning.
func addCallbackActivity(tx *kernel.Tx, company, channel kernel.ID, h CallbackActivity, since time.Time) error {
	var last *time.Time
	var warned bool
	found, err := tx.One(`SELECT last_inbound_at, warning IS NOT NULL FROM channels WHERE company = $1 AND id = $2`+tx.ForUpdate(), []any{company, channel}, func(r db.Row) {
		last, warned = r.NullTime(0), r.Bool(1)
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

// purgeCallbackActivity drops the history before a moment.
func purgeCallbackActivity(tx *kernel.Tx, before time.Time) {
	tx.Later(`DELETE /* all companies: what is over */ FROM channel_days WHERE day < $1`, before.UnixMilli()/DayMillis)
}

// callbackStats lists every WhatsApp number with its history since a moment.
func callbackStats(tx *kernel.Tx, since time.Time) ([]CallbackStats, error) {
	var out []CallbackStats
	err := tx.Query(`
		SELECT /* all companies: the watchdog's numbers */ ch.id, ch.company, ch.status = 'connected', ch.warning IS NOT NULL, COALESCE(ch.last_inbound_at, 0),
			CAST(COALESCE(MAX(d.longest), 0) AS BIGINT), CAST(COALESCE(SUM(d.calls), 0) AS BIGINT), COUNT(d.day)
		FROM channels ch
		LEFT JOIN channel_days d ON d.company = ch.company AND d.channel = ch.id AND d.day >= $1
		WHERE ch.provider = 'whatsapp' AND ch.archived_at IS NULL
		GROUP BY ch.company, ch.id, ch.status, ch.warning, ch.last_inbound_at
		ORDER BY ch.id`, []any{since.UnixMilli() / DayMillis}, func(r db.Row) error {
		out = append(out, CallbackStats{
			Channel: r.ID(0), Company: r.ID(1), Connected: r.Bool(2), Warned: r.Bool(3), Last: r.Time(4),
			Longest: time.Duration(r.Int(5)) * time.Millisecond, Calls: r.Int(6), Days: r.Int(7),
		})
		return nil
	})
	return out, err
}

// SealedAccess is what a channel's provider asks for, its secrets sealed.
type SealedAccess struct {
	PhoneNumberID string
	WABAID        string
	APIVersion    string
	Coexistence   bool
	Secrets       []byte
}

// insertNumber adds a channel with access to its provider, and reports false when another channel of
// this installation, of whatever company, has that number already.
func insertNumber(tx *kernel.Tx, ch Channel, access SealedAccess) (bool, error) {
	n, err := tx.Exec(`
		INSERT INTO channels (id, company, name, phone, provider, private, status, warning,
			phone_number_id, waba_id, api_version, coexistence, credentials, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14)
		ON CONFLICT DO NOTHING`,
		ch.ID, ch.Company, ch.Name, ch.Phone, ch.Provider, ch.Private, ch.Status, kernel.WriteJSON(ch.Warning),
		access.PhoneNumberID, access.WABAID, access.APIVersion, access.Coexistence, access.Secrets, ch.CreatedAt)
	return n == 1, err
}

// numberHolder gives the channel, of whatever company, that has a WhatsApp number.
func numberHolder(tx *kernel.Tx, phoneNumberID string) (Channel, bool, error) {
	var ch Channel
	found, err := tx.One(`
		SELECT /* all companies: a number is connected once */`+channelColumns+`
		FROM channels ch
		WHERE ch.phone_number_id = $1 AND ch.archived_at IS NULL`, []any{phoneNumberID}, func(r db.Row) { ch = scanChannel(r) })
	return ch, found, err
}

// channelAccess returns a channel of the company and the access to its provider.
func channelAccess(tx *kernel.Tx, company, id kernel.ID) (Channel, SealedAccess, bool, error) {
	return selectAccess(tx, `ch.company = $1 AND ch.id = $2`, company, id)
}

// callbackAccess is channelAccess for a provider's callback, which names only the channel.
func callbackAccess(tx *kernel.Tx, id kernel.ID) (Channel, SealedAccess, bool, error) {
	return selectAccess(tx, `ch.id = $1 /* all companies: a callback names only the channel */`, id)
}

func selectAccess(tx *kernel.Tx, which string, args ...any) (Channel, SealedAccess, bool, error) {
	var ch Channel
	var access SealedAccess
	found, err := tx.One(`
		SELECT`+channelColumns+`, COALESCE(ch.phone_number_id, ''), COALESCE(ch.waba_id, ''), COALESCE(ch.api_version, ''),
			ch.coexistence, ch.credentials
		FROM channels ch
		WHERE `+which, args, func(r db.Row) {
		ch = scanChannel(r)
		access = SealedAccess{
			PhoneNumberID: r.Text(channelWidth), WABAID: r.Text(channelWidth + 1), APIVersion: r.Text(channelWidth + 2),
			Coexistence: r.Bool(channelWidth + 3), Secrets: r.Bytes(channelWidth + 4),
		}
	})
	return ch, access, found, err
}

// channelOfNumber finds the channel of the company that has the provider's id of a number.
func channelOfNumber(tx *kernel.Tx, company kernel.ID, phoneNumberID string) (id kernel.ID, found bool, err error) {
	found, err = tx.One(`SELECT id FROM channels WHERE company = $1 AND phone_number_id = $2 AND archived_at IS NULL`,
		[]any{company, phoneNumberID}, func(r db.Row) { id = r.ID(0) })
	return id, found, err
}

// saveAccess replaces a channel's access, and reports false when another channel has that number.
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

// SealedChannel is a channel's secrets as they are stored.
type SealedChannel struct {
	Company kernel.ID
	ID      kernel.ID
	Secrets []byte
}

// SealedChannels gives the secrets of the channels of all companies.
func SealedChannels(tx *kernel.Tx) ([]SealedChannel, error) {
	var out []SealedChannel
	err := tx.Query(`SELECT /* all companies: secrets are sealed anew with the installation's key */ company, id, credentials FROM channels WHERE credentials IS NOT NULL ORDER BY id`, nil, func(r db.Row) error {
		out = append(out, SealedChannel{Company: r.ID(0), ID: r.ID(1), Secrets: r.Bytes(2)})
		return nil
	})
	return out, err
}

// ResealChannel replaces a channel's secrets by the same ones, sealed anew. Where they have changed
// meanwhile, the change stays.
func ResealChannel(tx *kernel.Tx, ch SealedChannel, fresh []byte) {
	tx.Later(`UPDATE channels SET credentials = $4 WHERE company = $1 AND id = $2 AND credentials = $3`, ch.Company, ch.ID, ch.Secrets, fresh)
}

// setChannelHours says which opening hours a channel has; nil: none of its own.
func setChannelHours(tx *kernel.Tx, company, id kernel.ID, hours *kernel.ID) {
	tx.Later(`UPDATE channels SET hours = $3, updated_at = $4 WHERE company = $1 AND id = $2`, company, id, hours, tx.Now)
}

// setChannelPrivate makes a channel private or public. What belongs to it is settled afterwards.
func setChannelPrivate(tx *kernel.Tx, company, channel kernel.ID, private bool) {
	tx.Later(`
		UPDATE channels
		SET private = $3, settling = TRUE, settled_to = NULL, privacy_version = privacy_version + 1, updated_at = $4
		WHERE company = $1 AND id = $2`, company, channel, private, tx.Now)
}
