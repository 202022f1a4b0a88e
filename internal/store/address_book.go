package store

import "recado/internal/model"

// KeepAddressBookName keeps what the phone of a channel calls a person who has no contact yet. Empty
// identities are left out.
func (tx *Tx) KeepAddressBookName(channel model.ID, userID, phoneKey, name string) {
	for kind, value := range map[string]string{IdentityUser: userID, IdentityWA: phoneKey} {
		if value != "" {
			tx.later(`
				INSERT INTO address_book (channel, kind, value, name, created_at)
				VALUES ($1, $2, $3, $4, $5)
				ON CONFLICT (channel, kind, value) DO UPDATE SET name = excluded.name`, channel, kind, value, name, tx.Now)
		}
	}
}

// ForgetAddressBookName removes an entry.
func (tx *Tx) ForgetAddressBookName(channel model.ID, userID, phoneKey string) {
	tx.later(`
		DELETE FROM address_book
		WHERE channel = $1 AND (kind = 'user_id' AND value = $2 OR kind = 'wa_id' AND value = $3)`, channel, userID, phoneKey)
}

// AddressBookName gives what the phone of a channel calls a person; "" where it has no name for them.
func (tx *Tx) AddressBookName(channel model.ID, userID, phoneKey string) (name string, err error) {
	_, err = tx.one(`
		SELECT name
		FROM address_book
		WHERE channel = $1 AND (kind = 'user_id' AND value = $2 OR kind = 'wa_id' AND value = $3)
		ORDER BY kind
		LIMIT 1`, []any{channel, userID, phoneKey}, func(r Row) { name = r.Text(0) })
	return name, err
}
