package channels

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// Paired returns what the linked devices of a pool know of the people with some addresses: the hidden numbers that belong to phone
// numbers, and the reverse.
func (d *Channels) Paired(tx *kernel.Tx, company, pool kernel.ID, users []string) (others []provider.Person, err error) {
	type pair struct {
		channel   kernel.ID
		kind, key string
		value     []byte
	}
	numbers, err := OfPool(tx, company, pool)
	if err != nil || len(numbers) == 0 {
		return nil, err
	}
	opened := map[kernel.ID]Access{}
	for _, user := range users {
		s := tx.Statement()
		s.WriteString(`
			SELECT channel, kind, key, value
			FROM linked_store
			WHERE company = ` + s.Arg(company) + ` AND channel IN (` + db.Listed(numbers)(s) + `) AND kind IN ('lid', 'pn') AND key = ` + s.Arg(user))
		pairs, err := kernel.Rows(tx, s.String(), s.Args,
			func(r db.Row) pair { return pair{r.ID("channel"), r.Text("kind"), r.Text("key"), r.Bytes("value")} })
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
			c, err := NewLinkCipher(access.LinkKey)
			if err != nil {
				continue // nobody can read the value without the key
			}
			other, err := c.Open(p.kind, p.key, p.value)
			switch {
			case err != nil: // as above
			case p.kind == "pn":
				others = append(others, provider.Person{UserID: string(other) + "@lid"})
			default:
				others = append(others, provider.Person{WAID: string(other)})
			}
		}
	}
	return others, nil
}

// LinkCipher encrypts the values of linked_store with the key of a link.
type LinkCipher struct{ aead cipher.AEAD }

// NewLinkCipher returns the cipher with a key from LinkKey.
func NewLinkCipher(key []byte) (LinkCipher, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return LinkCipher{}, err
	}
	aead, err := cipher.NewGCM(block)
	return LinkCipher{aead}, err
}

// Seal encrypts the value of a row. It cannot be decrypted as that of another row.
func (c LinkCipher) Seal(kind, key string, plain []byte) []byte {
	nonce := make([]byte, c.aead.NonceSize())
	_, _ = rand.Read(nonce) // never fails
	return c.aead.Seal(nonce, nonce, plain, rowName(kind, key))
}

// Open decrypts the value of a row.
func (c LinkCipher) Open(kind, key string, sealed []byte) ([]byte, error) {
	n := c.aead.NonceSize()
	if len(sealed) < n {
		return nil, errors.New("channels: a stored value of a link is too short")
	}
	return c.aead.Open(nil, sealed[:n], sealed[n:], rowName(kind, key))
}

func rowName(kind, key string) []byte { return []byte(kind + "\x00" + key) }
