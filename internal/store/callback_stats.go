package store

import (
	"time"

	"recado/internal/model"
)

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
		WHERE ch.provider = 'whatsapp'
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
