package store

import (
	"crypto/sha256"
	"time"

	"recado/internal/model"
	"recado/internal/phone"
)

const (
	channelColumns = `
	ch.id, ch.company, ch.name, ch.phone, ch.provider, ch.private, ch.status, ch.created_at, ch.status_reason,
	COALESCE(ch.restriction, ch.warning), ch.sign, ch.hours, ch.reception, ch.settling, ch.archived_at`
	channelWidth = 15
)

func scanChannel(r Row) model.Channel {
	return model.Channel{
		ID: r.ID(0), Company: r.ID(1), Name: r.Text(2), Phone: r.Text(3), Provider: r.Text(4), Private: r.Bool(5),
		Status: r.Text(6), CreatedAt: r.Time(7), StatusReason: r.NullText(8), Warning: r.NullText(9), Sign: r.Bool(10), HoursID: r.NullID(11),
		Reception: r.NullInt(12), Settling: r.Bool(13), ArchivedAt: r.NullTime(14),
	}
}

// Channels lists the company's public channels, the oldest first.
func (tx *Tx) Channels(company model.ID) ([]model.Channel, error) {
	return tx.channels(`WHERE ch.company = $1 AND NOT ch.private AND ch.archived_at IS NULL`, company)
}

// AllChannels is Channels with the private ones.
func (tx *Tx) AllChannels(company model.ID) ([]model.Channel, error) {
	return tx.channels(`WHERE ch.company = $1 AND ch.archived_at IS NULL`, company)
}

func (tx *Tx) channels(where string, args ...any) ([]model.Channel, error) {
	var out []model.Channel
	err := tx.query(`SELECT`+channelColumns+` FROM channels ch `+where+` ORDER BY ch.id`, args, func(r Row) error {
		out = append(out, scanChannel(r))
		return nil
	})
	return out, err
}

// Channel gives one channel of the company, private or not: the caller checks who may see it.
func (tx *Tx) Channel(company, id model.ID) (model.Channel, bool, error) {
	var ch model.Channel
	found, err := tx.one(`SELECT`+channelColumns+` FROM channels ch WHERE ch.id = $1 AND ch.company = $2`,
		[]any{id, company}, func(r Row) { ch = scanChannel(r) })
	return ch, found, err
}

// AnyChannel finds a channel whatever its company: a provider's callback knows only the channel.
func (tx *Tx) AnyChannel(id model.ID) (model.Channel, bool, error) {
	var ch model.Channel
	found, err := tx.one(`SELECT`+channelColumns+` FROM channels ch WHERE ch.id = $1`, []any{id}, func(r Row) { ch = scanChannel(r) })
	return ch, found, err
}

// InsertChannel adds a channel.
func (tx *Tx) InsertChannel(ch model.Channel) {
	tx.later(`
		INSERT INTO channels (id, company, name, phone, provider, private, status, coexistence, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, FALSE, $8, $8)`,
		ch.ID, ch.Company, ch.Name, ch.Phone, ch.Provider, ch.Private, ch.Status, ch.CreatedAt)
}

// SignChannel says whether messages that people send through a channel begin with their name.
func (tx *Tx) SignChannel(company, id model.ID, sign bool) {
	tx.later(`UPDATE channels SET sign = $3, updated_at = $4 WHERE id = $1 AND company = $2`, id, company, sign, tx.Now)
}

// RenameChannel changes what a channel is called.
func (tx *Tx) RenameChannel(company, id model.ID, name string) {
	tx.later(`UPDATE channels SET name = $3, updated_at = $4 WHERE id = $1 AND company = $2`, id, company, name, tx.Now)
}

// WarnOfChannel says what is wrong with a channel that is connected all the same; nil: nothing.
func (tx *Tx) WarnOfChannel(company, id model.ID, warning *string) {
	tx.later(`UPDATE channels SET warning = $3 WHERE id = $1 AND company = $2`, id, company, warning)
}

// SetChannelStatus connects or disconnects a channel; reason is nil or says why in words.
func (tx *Tx) SetChannelStatus(company, id model.ID, status string, reason *string) {
	tx.later(`
		UPDATE channels
		SET status = $3, status_reason = $4, updated_at = $5, restriction = CASE WHEN $6 THEN NULL ELSE restriction END
		WHERE id = $1 AND company = $2`,
		id, company, status, reason, tx.Now, status == model.ChannelConnected)
}

// ArchiveChannel disconnects a channel for good.
func (tx *Tx) ArchiveChannel(company, id model.ID) {
	tx.later(`
		UPDATE channels
		SET archived_at = $3, status = 'disconnected', status_reason = NULL, warning = NULL, restriction = NULL, restriction_until = NULL,
			templates_due_at = NULL, updated_at = $3
		WHERE id = $1 AND company = $2`, id, company, tx.Now)
}

// ChannelsOfAccount lists the company's channels of a provider's account, or those with a number where its
// key is given.
func (tx *Tx) ChannelsOfAccount(company model.ID, waba, phoneKey string) ([]model.ID, error) {
	var out []model.ID
	err := tx.query(`SELECT id, phone, waba_id FROM channels WHERE company = $1 AND waba_id IS NOT NULL AND archived_at IS NULL ORDER BY id`, []any{company}, func(r Row) error {
		if phoneKey == "" && r.Text(2) == waba || phoneKey != "" && phone.Key(r.Text(1)) == phoneKey {
			out = append(out, r.ID(0))
		}
		return nil
	})
	return out, err
}

// RestrictChannel says what the provider did to the account of a channel, and until when.
func (tx *Tx) RestrictChannel(company, id model.ID, text string, until *time.Time) {
	tx.later(`UPDATE channels SET restriction = $3, restriction_until = $4 WHERE id = $1 AND company = $2`, id, company, text, until)
}

// LiftRestriction ends what RestrictChannel began. A channel that the restriction disconnected stays so, with
// text as its reason: its team decides when to connect it.
func (tx *Tx) LiftRestriction(company, id model.ID, text string) {
	tx.later(`
		UPDATE channels
		SET status_reason = CASE WHEN status_reason = restriction THEN $3 ELSE status_reason END,
			restriction = NULL, restriction_until = NULL
		WHERE id = $1 AND company = $2`, id, company, text)
}

// EndRestriction ends a restriction that did not disconnect the channel.
func (tx *Tx) EndRestriction(company, id model.ID) {
	tx.later(`
		UPDATE channels
		SET restriction = NULL, restriction_until = NULL
		WHERE id = $1 AND company = $2 AND (status_reason IS NULL OR status_reason <> restriction)`, id, company)
}

// EndRestrictions ends the restrictions whose time is over.
func (tx *Tx) EndRestrictions() {
	tx.later(`UPDATE channels SET restriction = NULL, restriction_until = NULL WHERE restriction_until <= $1`, tx.Now)
}

// InsertNotice keeps what a channel's provider said. The same again adds nothing.
func (tx *Tx) InsertNotice(channel *model.Channel, n *model.IncomingNotice) {
	digest := sha256.New()
	for _, part := range [][]byte{[]byte(n.Kind), []byte(n.Text), n.Raw} {
		digest.Write(part)
		digest.Write([]byte{0})
	}
	tx.later(`
		INSERT INTO notices (channel, digest, company, kind, text, raw, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT DO NOTHING`, channel.ID, digest.Sum(nil)[:16], channel.Company, n.Kind, n.Text, n.Raw, tx.Now)
}

// Notices gives the newest notices of a channel.
func (tx *Tx) Notices(company, channel model.ID, limit int) (all []model.Notice, err error) {
	err = tx.query(`
		SELECT kind, text, raw, created_at
		FROM notices
		WHERE company = $1 AND channel = $2
		ORDER BY created_at DESC, digest
		LIMIT $3`, []any{company, channel, limit}, func(r Row) error {
		all = append(all, model.Notice{IncomingNotice: model.IncomingNotice{Kind: r.Text(0), Text: r.Text(1), Raw: r.Bytes(2)}, CreatedAt: r.Time(3)})
		return nil
	})
	return all, err
}

// PurgeNotices deletes notices kept before a moment, oldest first, up to limit of them.
func (tx *Tx) PurgeNotices(before time.Time, limit int) (int64, error) {
	return tx.exec(`
		DELETE FROM notices
		WHERE (channel, digest) IN (SELECT channel, digest FROM notices WHERE created_at < $1 ORDER BY created_at LIMIT $2)`, before, limit)
}

// CallbackActivity is when a provider called about a channel during some stretch of time.
type CallbackActivity struct {
	First, Last time.Time
	Longest     time.Duration // between two calls
	Calls       int64
}

// CallbackStats summarizes the recent callbacks about a WhatsApp number.
type CallbackStats struct {
	Channel   model.ID
	Company   model.ID
	Connected bool
	Warned    bool
	Last      time.Time     // the provider called
	Longest   time.Duration // silence
	Calls     int64
	Days      int64 // with calls
}

const dayMillis = int64(24 * time.Hour / time.Millisecond)

// AddCallbackActivity adds activity to a channel's history and clears its warning. The silence before it
// counts from since at the earliest, and not at all when it raised a warning.
func (tx *Tx) AddCallbackActivity(channel model.ID, h CallbackActivity, since time.Time) error {
	var last *time.Time
	var warned bool
	found, err := tx.one(`SELECT last_inbound_at, warning IS NOT NULL FROM channels WHERE id = $1`+tx.forUpdate(), []any{channel}, func(r Row) {
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
	tx.later(`UPDATE channels SET last_inbound_at = $2, warning = NULL WHERE id = $1`, channel, h.Last)
	tx.later(`
		INSERT INTO channel_days (channel, day, calls, longest)
		VALUES ($1, $2, $3, $4)
		ON CONFLICT (channel, day) DO UPDATE
		SET calls = channel_days.calls + excluded.calls,
			longest = CASE WHEN excluded.longest > channel_days.longest THEN excluded.longest ELSE channel_days.longest END`,
		channel, h.Last.UnixMilli()/dayMillis, h.Calls, h.Longest.Milliseconds())
	return nil
}

// PurgeCallbackActivity drops the history before a moment.
func (tx *Tx) PurgeCallbackActivity(before time.Time) {
	tx.later(`DELETE FROM channel_days WHERE day < $1`, before.UnixMilli()/dayMillis)
}

// CallbackStats lists every WhatsApp number with its history since a moment.
func (tx *Tx) CallbackStats(since time.Time) ([]CallbackStats, error) {
	var out []CallbackStats
	err := tx.query(`
		SELECT ch.id, ch.company, ch.status = 'connected', ch.warning IS NOT NULL, COALESCE(ch.last_inbound_at, 0),
			CAST(COALESCE(MAX(d.longest), 0) AS BIGINT), CAST(COALESCE(SUM(d.calls), 0) AS BIGINT), COUNT(d.day)
		FROM channels ch
		LEFT JOIN channel_days d ON d.channel = ch.id AND d.day >= $1
		WHERE ch.provider = 'whatsapp' AND ch.archived_at IS NULL
		GROUP BY ch.id, ch.company, ch.status, ch.warning, ch.last_inbound_at
		ORDER BY ch.id`, []any{since.UnixMilli() / dayMillis}, func(r Row) error {
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

// InsertNumber adds a channel with access to its provider, and reports false when another channel of
// this installation, of whatever company, has that number already.
func (tx *Tx) InsertNumber(ch model.Channel, access SealedAccess) (bool, error) {
	n, err := tx.exec(`
		INSERT INTO channels (id, company, name, phone, provider, private, status, warning,
			phone_number_id, waba_id, api_version, coexistence, credentials, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14)
		ON CONFLICT DO NOTHING`,
		ch.ID, ch.Company, ch.Name, ch.Phone, ch.Provider, ch.Private, ch.Status, ch.Warning,
		access.PhoneNumberID, access.WABAID, access.APIVersion, access.Coexistence, access.Secrets, ch.CreatedAt)
	return n == 1, err
}

// NumberHolder gives the channel, of whatever company, that has a WhatsApp number.
func (tx *Tx) NumberHolder(phoneNumberID string) (model.Channel, bool, error) {
	var ch model.Channel
	found, err := tx.one(`
		SELECT`+channelColumns+`
		FROM channels ch
		WHERE ch.phone_number_id = $1 AND ch.archived_at IS NULL`, []any{phoneNumberID}, func(r Row) { ch = scanChannel(r) })
	return ch, found, err
}

// ChannelAccess gives a channel, whatever its company, and the access to its provider.
func (tx *Tx) ChannelAccess(id model.ID) (model.Channel, SealedAccess, bool, error) {
	var ch model.Channel
	var access SealedAccess
	found, err := tx.one(`
		SELECT`+channelColumns+`, COALESCE(ch.phone_number_id, ''), COALESCE(ch.waba_id, ''), COALESCE(ch.api_version, ''),
			ch.coexistence, ch.credentials
		FROM channels ch
		WHERE ch.id = $1`, []any{id}, func(r Row) {
		ch = scanChannel(r)
		access = SealedAccess{
			PhoneNumberID: r.Text(channelWidth), WABAID: r.Text(channelWidth + 1), APIVersion: r.Text(channelWidth + 2),
			Coexistence: r.Bool(channelWidth + 3), Secrets: r.Bytes(channelWidth + 4),
		}
	})
	return ch, access, found, err
}

// ChannelOfNumber finds, among the channels of the company that another channel belongs to, the one with
// the provider's id of a number.
func (tx *Tx) ChannelOfNumber(channel model.ID, phoneNumberID string) (id model.ID, found bool, err error) {
	found, err = tx.one(`
		SELECT o.id
		FROM channels o
		JOIN channels ch ON ch.company = o.company
		WHERE ch.id = $1 AND o.phone_number_id = $2 AND o.archived_at IS NULL`, []any{channel, phoneNumberID}, func(r Row) { id = r.ID(0) })
	return id, found, err
}

// SaveAccess replaces a channel's access, and reports false when another channel has that number.
func (tx *Tx) SaveAccess(company, id model.ID, access SealedAccess) (bool, error) {
	n, err := tx.exec(`
		UPDATE channels
		SET phone_number_id = $3, waba_id = $4, api_version = $5, coexistence = $6, credentials = $7, updated_at = $8
		WHERE id = $1 AND company = $2
			AND NOT EXISTS (SELECT 1 FROM channels o WHERE o.phone_number_id = $3 AND o.id <> $1 AND o.archived_at IS NULL)`,
		id, company, access.PhoneNumberID, access.WABAID, access.APIVersion, access.Coexistence, access.Secrets, tx.Now)
	return n == 1, err
}

// SealedChannel is a channel's secrets as they are stored.
type SealedChannel struct {
	Company model.ID
	ID      model.ID
	Secrets []byte
}

// SealedChannels gives the secrets of the channels of all companies.
func (tx *Tx) SealedChannels() ([]SealedChannel, error) {
	var out []SealedChannel
	err := tx.query(`SELECT company, id, credentials FROM channels WHERE credentials IS NOT NULL ORDER BY id`, nil, func(r Row) error {
		out = append(out, SealedChannel{Company: r.ID(0), ID: r.ID(1), Secrets: r.Bytes(2)})
		return nil
	})
	return out, err
}

// ResealChannel replaces a channel's secrets by the same ones, sealed anew. Where they have changed
// meanwhile, the change stays.
func (tx *Tx) ResealChannel(ch SealedChannel, fresh []byte) {
	tx.later(`UPDATE channels SET credentials = $4 WHERE id = $1 AND company = $2 AND credentials = $3`, ch.ID, ch.Company, ch.Secrets, fresh)
}
