package privacy

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/talk"
	"recado/internal/vault"
)

// ListFile is the name of the list of erased people in the data folder. It contains keyed hashes only, and outlives the database, so
// that a backup from before an erasure does not bring the person back.
const ListFile = "erased.json"

// UseList sets the path of the list; "": there is none. Call it before the server runs.
func (d *Privacy) UseList(path string) { d.list = path }

// storedList is the content of the file.
type storedList struct {
	Key    []byte         `json:"key"` // sealed
	People []storedPerson `json:"people"`
}

// storedPerson is an entry of the file, for one phone, WhatsApp id or id of a contact.
type storedPerson struct {
	Company  kernel.ID `json:"company"`
	Pool     kernel.ID `json:"pool"`
	Hash     []byte    `json:"hash"`
	Kind     string    `json:"kind"`
	ErasedAt time.Time `json:"erased_at"`
}

// selectList selects the entries of the file. It leaves out those that channels brought along: they belong to the pools of the day.
const selectList = `
	SELECT /* all companies: the list is the installation's */ company, pool, hash, kind, erased_at
	FROM erased
	WHERE kind <> 'moved'
	ORDER BY company, pool, hash`

// scanListed returns an entry whose hash is valid only until the next row.
func scanListed(r db.Row) storedPerson {
	return storedPerson{r.ID("company"), r.ID("pool"), r.Bytes("hash"), r.Text("kind"), r.Time("erased_at")}
}

// index identifies what was erased.
func (p storedPerson) index() string {
	return string(p.Company[:]) + string(p.Pool[:]) + string(p.Hash)
}

// KeepList writes the list of the database to the file, if it is different. Entries that only the file has stay: a restored backup may be
// older than their company. It always returns false.
func (d *Privacy) KeepList(ctx context.Context) (more bool, err error) {
	if d.list == "" {
		return false, nil
	}
	l, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (l storedList, err error) {
		if l.Key, _, err = SealedKey(tx); err != nil || l.Key == nil {
			return l, err
		}
		l.People, err = kernel.Rows(tx, selectList, nil, func(r db.Row) storedPerson {
			p := scanListed(r)
			p.Hash = bytes.Clone(p.Hash)
			return p
		})
		return l, err
	})
	if err != nil || l.Key == nil {
		return false, err
	}
	there, err := os.ReadFile(d.list)
	if err == nil {
		err = l.merge(there)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	text, err := json.Marshal(l)
	if err != nil || bytes.Equal(there, text) {
		return false, err
	}
	return false, vault.ReplaceFile(d.list, text)
}

// merge adds the entries of a file that the list does not have, or has with an earlier time.
func (l *storedList) merge(file []byte) error {
	var old storedList
	if err := json.Unmarshal(file, &old); err != nil {
		return err
	}
	known := map[string]int{}
	for i, p := range l.People {
		known[p.index()] = i
	}
	for _, p := range old.People {
		if i, found := known[p.index()]; !found {
			l.People = append(l.People, p)
		} else if p.ErasedAt.After(l.People[i].ErasedAt) {
			l.People[i] = p
		}
	}
	return nil
}

// ApplyList erases the people in the file that the database still has, because an older backup was restored. Call it before the
// server handles requests. The database gets the entries of the file at the end, so that the next call starts again after a crash.
func (d *Privacy) ApplyList(ctx context.Context) error {
	if d.list == "" {
		return nil
	}
	l, err := d.readList()
	if l == nil {
		return err
	}
	key, err := d.listKey(ctx, l)
	if err != nil {
		return err
	}
	missing, err := d.missing(ctx, l, key)
	if err != nil || len(missing) == 0 {
		return err
	}
	companies := map[kernel.ID]bool{}
	for _, p := range missing {
		companies[p.company] = true
	}
	for company := range companies {
		if err := d.applyTo(ctx, company, key, missing); err != nil {
			return err
		}
	}
	if err := d.cleanUp(ctx); err != nil {
		return err
	}
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		for _, p := range missing {
			insertErased(tx, p)
		}
		return nil
	})
}

// readList returns the content of the file, or nil if there is none.
func (d *Privacy) readList() (*storedList, error) {
	text, err := os.ReadFile(d.list)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	l := &storedList{}
	if err == nil {
		err = json.Unmarshal(text, l)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the list of erased people %s: %w", d.list, err)
	}
	return l, nil
}

// listKey returns the key of the hashes in the file. If the secret key that sealed it was retired, the database has it too.
func (d *Privacy) listKey(ctx context.Context, l *storedList) (*hashKey, error) {
	key, err := d.openKey(l.Key)
	if err == nil {
		return key, nil
	}
	own, failed := kernel.Read(ctx, d.Kernel, d.key)
	if failed != nil || own == nil {
		return nil, kernel.ErrOr(failed, fmt.Errorf("the secret key does not open the list of erased people %s: "+
			"add the secret key of the installation that wrote it, or move the file away to start without the list: %w", d.list, err))
	}
	return own, nil
}

// MoveLostList renames the file if the secret key does not open its key, and returns the new path. Otherwise it returns "".
func (d *Privacy) MoveLostList() (path string, err error) {
	if d.list == "" {
		return "", nil
	}
	l, err := d.readList()
	if l == nil {
		return "", err
	}
	if _, err := d.openKey(l.Key); err == nil {
		return "", nil
	}
	path = d.list + ".lost"
	return path, os.Rename(d.list, path)
}

// missing returns the entries of the file that the database does not have, without those of unknown companies. If the database has
// no key, it gets that of the file.
func (d *Privacy) missing(ctx context.Context, l *storedList, key *hashKey) ([]listed, error) {
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (missing []listed, err error) {
		tx.Later(`INSERT INTO erasure_key (id, sealed) VALUES ($1, $2) ON CONFLICT DO NOTHING`, int64(keyRow), l.Key)
		if own, err := d.key(tx); err != nil || *own != *key {
			return nil, kernel.ErrOr(err, fmt.Errorf("the list of erased people %s belongs to another installation: move the file away to start without it", d.list))
		}
		companies, err := tx.IDs(`SELECT /* all companies: the list is the installation's */ id FROM companies`)
		if err != nil {
			return nil, err
		}
		erasedAt := map[string]time.Time{}
		err = tx.Query(selectList, nil, func(r db.Row) error {
			p := scanListed(r)
			erasedAt[p.index()] = p.ErasedAt
			return nil
		})
		for _, p := range l.People {
			if at, found := erasedAt[p.index()]; slices.Contains(companies, p.Company) && (!found || at.Before(p.ErasedAt)) {
				missing = append(missing, listed{p.Company, p.Pool, p.Hash, cmp.Or(p.Kind, kindPerson), p.ErasedAt})
			}
		}
		return missing, err
	})
}

// contactPage is the number of contacts that are compared with the list at a time.
const contactPage = 1000

// applyTo erases the contacts of a company that are in the list and older than their erasure.
func (d *Privacy) applyTo(ctx context.Context, company kernel.ID, key *hashKey, list []listed) error {
	erasedAt := map[string]time.Time{}
	index := func(pool kernel.ID, hash []byte) string { return string(pool[:]) + string(hash) }
	for _, p := range list {
		if p.company == company {
			erasedAt[index(p.pool, p.hash)] = p.at
		}
	}
	for after := (kernel.ID{}); ; {
		var page []talk.KnownContact
		page, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]talk.KnownContact, error) {
			return talk.ContactsAfter(tx, company, after, contactPage)
		})
		if err != nil {
			return err
		}
		for _, c := range page {
			known := []listed{key.listedID(company, c.ID, time.Time{})}
			for _, id := range c.Known {
				known = append(known, listed{company, c.Pool, key.hash(id), kindPerson, time.Time{}})
			}
			var last time.Time
			for _, k := range known {
				if at := erasedAt[index(k.pool, k.hash)]; at.After(last) {
					last = at
				}
			}
			if !c.CreatedAt.Before(last) {
				continue
			}
			if err := d.eraseAgain(ctx, company, c.ID, key, last); err != nil {
				return err
			}
		}
		if len(page) < contactPage {
			return nil
		}
		after = page[len(page)-1].ID
	}
}

// eraseAgain erases a contact of a restored backup whose person was erased at a time, and adds to the list what identifies the person
// there. It removes the contact when everything else is gone, because the rest could not be found without it after a crash.
func (d *Privacy) eraseAgain(ctx context.Context, company, contact kernel.ID, key *hashKey, at time.Time) error {
	d.Log.Info("erasing a person of a restored backup again", slog.String("company", company.String()), slog.String("contact", contact.String()))
	e, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (kernel.Erasure, error) {
		e, _, err := d.plan(tx, company, contact)
		return e, err
	})
	if err == nil {
		err = d.eraseRest(ctx, &e)
	}
	if err != nil {
		return err
	}
	s, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (*erasure, error) {
		c, err := talk.LockErasable(tx, nil, company, contact)
		if kernel.CodeOf(err) == kernel.CodeNotFound { // another node has erased the contact
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		known, err := d.talk.KnownBy(tx, &c)
		if err != nil {
			return nil, err
		}
		if err := key.remember(tx, &c, known, at); err != nil {
			return nil, err
		}
		tx.Audit(nil, erasedEntry(&c, "A backup from before the erasure was restored."))
		return d.begin(tx, &c, known, nil)
	})
	if err != nil || s == nil {
		return err
	}
	return d.eraseRest(ctx, &s.Erasure) // what came in between
}

// eraseRest removes everything about a person but the contact. Messages go after the events and responses that plan finds by them.
func (d *Privacy) eraseRest(ctx context.Context, e *kernel.Erasure) error {
	for _, eraser := range slices.Backward(d.erasers) {
		for next := ""; eraser.Erase != nil; {
			var err error
			if next, err = eraser.Erase(ctx, e, next); err != nil {
				return err
			}
			if next == "" {
				break
			}
		}
	}
	return d.tasks.EraseSubject(ctx, e.Company, e.Contact, kernel.ID{})
}
