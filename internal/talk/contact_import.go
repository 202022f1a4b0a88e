package talk

import (
	"slices"

	"recado/internal/fields"
	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/phone"
)

// ImportedContact is a contact of a file. Empty values leave an existing contact as it is.
type ImportedContact struct {
	Name         string
	Phone        string // in E.164 form, once per call of ImportContacts
	BusinessName string
	City         string
	LabelIDs     []kernel.ID   // added to those that the contact has
	OptedOut     bool          // false does not opt a contact in again
	Fields       fields.Values // of fields.Field.Parse
}

// ImportOutcome is what ImportContacts did with a contact.
type ImportOutcome string

// Every outcome.
const (
	ImportCreated ImportOutcome = "created"
	ImportUpdated ImportOutcome = "updated"
	ImportErased  ImportOutcome = "erased" // the person was erased and is left out
)

// ImportContacts stores contacts in bulk and returns what it did with each. Contacts of private channels are not touched, and there
// are no events. all are the company's fields of contacts; see fields.Lock. With dryRun it only finds out what it would do.
func (d *Talk) ImportContacts(tx *kernel.Tx, a *kernel.Principal, in []ImportedContact, all []fields.Field, dryRun bool) ([]ImportOutcome, error) {
	existing, err := d.contactsWithPhones(tx, a.Company.ID, in, !dryRun)
	if err != nil {
		return nil, err
	}
	outcomes := make([]ImportOutcome, len(in))
	for i := range in {
		c, found := existing[phone.Key(in[i].Phone)]
		switch {
		case found && dryRun:
			outcomes[i] = ImportUpdated
		case found:
			outcomes[i] = ImportUpdated
			if err := d.updateImported(tx, a, &c, &in[i], all); err != nil {
				return nil, err
			}
		default:
			erased, err := d.erasedAt(tx, a.Company.ID, a.Company.ID, []Identity{{IdentityPhone, phone.Key(in[i].Phone)}})
			if err != nil {
				return nil, err
			}
			if outcomes[i] = ImportCreated; erased != nil {
				outcomes[i] = ImportErased
			} else if !dryRun {
				insertImported(tx, a, &in[i], all)
			}
		}
	}
	if !dryRun {
		tx.AfterCommit(d.Wakeup(WakeIndex).Notify)
	}
	return outcomes, nil
}

// contactsWithPhones returns the public contacts with the phones of imported ones, by phone key.
func (d *Talk) contactsWithPhones(tx *kernel.Tx, company kernel.ID, in []ImportedContact, lock bool) (map[string]Contact, error) {
	if lock {
		tx.ShareVisibility(company)
	}
	keys := make([]string, len(in))
	for i := range in {
		keys[i] = phone.Key(in[i].Phone)
	}
	found, err := selectWithPhones(tx, company, keys, lock)
	if err != nil {
		return nil, err
	}
	settled := false
	for i := range found {
		if lock && !found[i].Public() { // its channel has just become private
			moved, err := d.settleHidden(tx, &found[i])
			if err != nil {
				return nil, err
			}
			settled = settled || moved
		}
	}
	if settled {
		if found, err = selectWithPhones(tx, company, keys, lock); err != nil {
			return nil, err
		}
	}
	contacts := make(map[string]Contact, len(found))
	for _, c := range found {
		if c.Public() {
			contacts[phone.Key(*c.Phone)] = c
		}
	}
	return contacts, nil
}

// selectWithPhones returns the contacts in the company's pool with the phone keys.
func selectWithPhones(tx *kernel.Tx, company kernel.ID, keys []string, lock bool) ([]Contact, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	where := func(s *db.Statement) {
		s.WriteString(" WHERE ct.company = " + s.Arg(company) + " AND ct.pool = " + s.Arg(company) + " AND ct.phone_key IN (")
		for i, key := range keys {
			if i > 0 {
				s.WriteString(", ")
			}
			s.WriteString(s.Arg(key))
		}
		s.WriteString(") ORDER BY ct.id")
	}
	if lock && tx.Dialect().ConcurrentWrites() { // see lockContact
		s := tx.Statement()
		s.WriteString("SELECT ct.id FROM contacts ct")
		where(s)
		s.WriteString(tx.ForUpdate())
		tx.Later(s.String(), s.Args...)
	}
	s := tx.Statement()
	s.WriteString("SELECT" + contactColumns + " FROM contacts ct")
	where(s)
	return kernel.Rows(tx, s.String(), s.Args, scanContact)
}

// insertImported stores a new contact. If a concurrent transaction stores the same phone, the commit fails.
func insertImported(tx *kernel.Tx, a *kernel.Principal, in *ImportedContact, all []fields.Field) {
	company := a.Company.ID
	c := Contact{
		ID: kernel.NewID(), Company: company, Pool: company, Name: in.Name, Phone: &in.Phone, BusinessName: kernel.TextOrNil(in.BusinessName),
		City: kernel.TextOrNil(in.City), LabelIDs: unite(nil, in.LabelIDs), Automation: true, CreatedAt: tx.Now, UpdatedAt: tx.Now,
	}
	if c.Name == "" {
		c.Name = in.Phone
	}
	if in.OptedOut {
		c.optOut(tx, a, true)
	}
	for key, value := range in.Fields { // for the searchable text
		if slices.ContainsFunc(all, func(f fields.Field) bool { return f.Key == key }) {
			if c.Fields == nil {
				c.Fields = fields.Values{}
			}
			c.Fields[key] = value
		}
	}
	tx.Later(insertContact, insertContactArgs(&c, contactTextWith(&c, all))...)
	fields.Store(tx, all, c.ID, nil, in.Fields)
	if len(c.LabelIDs) > 0 {
		setContactLabels(tx, company, c.ID, c.LabelIDs)
	}
}

// updateImported changes what differs.
func (d *Talk) updateImported(tx *kernel.Tx, a *kernel.Principal, c *Contact, in *ImportedContact, all []fields.Field) error {
	before := *c
	if in.Name != "" {
		c.Name = in.Name
	}
	if in.BusinessName != "" {
		c.BusinessName = &in.BusinessName
	}
	if in.City != "" {
		c.City = &in.City
	}
	if in.OptedOut && c.optOut(tx, a, true) {
		if err := d.failUnwanted(tx, c, nil); err != nil {
			return err
		}
	}
	labels := unite(c.LabelIDs, in.LabelIDs)
	relabelled := len(labels) != len(c.LabelIDs)
	if relabelled {
		c.LabelIDs = labels
		setContactLabels(tx, c.Company, c.ID, labels)
	}
	c.Fields = fields.Store(tx, all, c.ID, before.Fields, in.Fields)
	if !relabelled && c.Name == before.Name && kernel.Same(c.BusinessName, before.BusinessName) && kernel.Same(c.City, before.City) &&
		c.OptedOut == before.OptedOut && mapsEqual(c.Fields, before.Fields) {
		return nil
	}
	c.UpdatedAt = tx.Now
	saveContactWith(tx, c, contactTextWith(c, all))
	if c.Name == before.Name {
		return nil
	}
	conversations, err := lockConversationsOf(tx, c.Company, c.ID)
	for _, conversation := range conversations {
		if t := d.Locked(tx, conversation); err == nil && !t.Renamed {
			t.Name, t.silent = c.Name, true
			err = t.Save()
		}
	}
	return err
}

func mapsEqual(a, b fields.Values) bool {
	if len(a) != len(b) {
		return false
	}
	for key, value := range a {
		if b[key] != value {
			return false
		}
	}
	return true
}

// ImportLabels returns the ids of labels by their folded names and creates those that are missing. Names for which the company has
// no room are left out, as are ids of unknown labels, which exports contain instead of names. With dryRun it creates nothing and
// returns new ids for what it would create.
func (d *Talk) ImportLabels(tx *kernel.Tx, a *kernel.Principal, names []string, dryRun bool) (map[string]kernel.ID, error) {
	if len(names) == 0 {
		return nil, nil
	}
	company := a.Company.ID
	ids, missing, err := findLabels(tx, company, names)
	if err == nil && len(missing) > 0 && !dryRun {
		tx.LockCompany(company) // see kernel.CheckLimit
		ids, missing, err = findLabels(tx, company, names)
	}
	if err != nil {
		return nil, err
	}
	count, err := labelCount(tx, company)
	if err != nil {
		return nil, err
	}
	for _, name := range missing {
		if _, known := ids[fold.Text(name)]; known || count >= d.Limit(limitLabels) {
			continue
		}
		count++
		l := Label{ID: kernel.NewID(), Name: name, Color: defaultLabelColor}
		ids[fold.Text(name)] = l.ID
		if !dryRun {
			if inserted, err := InsertLabel(tx, company, l); err != nil || !inserted {
				return nil, kernel.ErrOr(err, errBusyElsewhere())
			}
			tx.AuditNoun(a, l.subject(), nil, l)
		}
	}
	return ids, nil
}

// findLabels returns the ids of labels by their folded names or their ids, and the names that are not known.
func findLabels(tx *kernel.Tx, company kernel.ID, names []string) (ids map[string]kernel.ID, missing []string, err error) {
	all, err := kernel.Rows(tx, `SELECT id, name, color FROM labels WHERE company = $1 AND name <> '' ORDER BY id`+tx.Dialect().Lock(` FOR KEY SHARE`),
		[]any{company}, scanLabel)
	if err != nil {
		return nil, nil, err
	}
	known := make(map[string]kernel.ID, 2*len(all))
	for _, l := range all {
		known[fold.Text(l.Name)], known[l.ID.String()] = l.ID, l.ID
	}
	ids = map[string]kernel.ID{}
	for _, name := range names {
		folded := fold.Text(name)
		if id, found := known[folded]; found {
			ids[folded] = id
		} else if _, isID := kernel.ParseID(folded); !isID {
			missing = append(missing, name)
		}
	}
	return ids, missing, nil
}

func labelCount(tx *kernel.Tx, company kernel.ID) (n int64, err error) {
	_, err = tx.One(string(countLabels), []any{company}, func(r db.Row) { n = r.Int("") })
	return n, err
}
