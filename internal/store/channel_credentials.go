package store

import (
	"recado/internal/model"
)

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
		WHERE ch.phone_number_id = $1`, []any{phoneNumberID}, func(r Row) { ch = scanChannel(r) })
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
		WHERE ch.id = $1 AND o.phone_number_id = $2`, []any{channel, phoneNumberID}, func(r Row) { id = r.ID(0) })
	return id, found, err
}

// SaveAccess replaces a channel's access, and reports false when another channel has that number.
func (tx *Tx) SaveAccess(company, id model.ID, access SealedAccess) (bool, error) {
	n, err := tx.exec(`
		UPDATE channels
		SET phone_number_id = $3, waba_id = $4, api_version = $5, coexistence = $6, credentials = $7, updated_at = $8
		WHERE id = $1 AND company = $2
			AND NOT EXISTS (SELECT 1 FROM channels o WHERE o.phone_number_id = $3 AND o.id <> $1)`,
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
