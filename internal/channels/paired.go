package channels

import (
	"crypto/aes"
	"crypto/cipher"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// PairedUsers returns the other addresses that linked devices have stored for people: the hidden numbers that belong to phone numbers,
// and the reverse.
func (d *Channels) PairedUsers(tx *kernel.Tx, company kernel.ID, users []string) (others []string, err error) {
	type pair struct {
		channel   kernel.ID
		kind, key string
		value     []byte
	}
	opened := map[kernel.ID]Access{}
	for _, user := range users {
		pairs, err := kernel.Rows(tx, `SELECT channel, kind, key, value FROM linked_store WHERE company = $1 AND kind IN ('lid', 'pn') AND key = $2`,
			[]any{company, user}, func(r db.Row) pair { return pair{r.ID("channel"), r.Text("kind"), r.Text("key"), r.Bytes("value")} })
		if err != nil {
			return nil, err
		}
		for _, p := range pairs {
			access, known := opened[p.channel]
			if !known {
				ch, sealed, found, err := selectAccess(tx, `ch.company = $1 AND ch.id = $2`, company, p.channel)
				if err == nil && found && sealed.Secrets != nil {
					access, err = d.openAccess(&ch, sealed)
				}
				if err != nil {
					return nil, err
				}
				opened[p.channel] = access
			}
			if other, ok := openLinked(access.LinkKey, p.kind, p.key, p.value); ok {
				others = append(others, other)
			}
		}
	}
	return others, nil
}

// openLinked decrypts a value of linked_store, which package linked encrypted. It reports false if the key is another one, so that nobody
// can read the value.
func openLinked(key []byte, kind, name string, sealed []byte) (plain string, ok bool) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return "", false
	}
	aead, err := cipher.NewGCM(block)
	if err != nil || len(sealed) < aead.NonceSize() {
		return "", false
	}
	n := aead.NonceSize()
	value, err := aead.Open(nil, sealed[:n], sealed[n:], []byte(kind+"\x00"+name))
	return string(value), err == nil
}
