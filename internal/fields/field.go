package fields

import (
	"cmp"
	"context"
	"slices"
	"time"

	"recado/internal/kernel"
	"recado/internal/people"
)

// The entities that have fields.
const (
	EntityContact    = "contact"
	EntityAttendance = "attendance"
	EntityCard       = "card"
)

// entities are in the order of lists.
var entities = []string{EntityContact, EntityAttendance, EntityCard}

// The types of fields.
const (
	TypeText   = "text"
	TypeNumber = "number"
	TypeDate   = "date"
	TypeBool   = "bool"
	TypeChoice = "choice"
	TypeLink   = "link"
	TypeCPF    = "cpf"
	TypeCNPJ   = "cnpj"
)

// Limits of fields.
const (
	MaxFields  = 50   // per entity
	MaxOptions = 100  // of a choice
	MaxText    = 1000 // characters of a value
	MaxLink    = 2000 // characters of a link
)

// Field is a custom field of contacts, attendances or cards.
type Field struct {
	ID              kernel.ID `json:"id"`
	Entity          string    `json:"entity" enum:"contact,attendance,card"`
	Key             string    `json:"key" pattern:"^[a-z0-9_]{1,32}$" example:"birthday"`
	Name            string    `json:"name"`
	Type            string    `json:"type" enum:"text,number,date,bool,choice,link,cpf,cnpj"`
	Options         []string  `json:"options" doc:"The values to choose from; empty unless the type is choice."`
	RequiredOnClose bool      `json:"required_on_close" doc:"Whether a person can close a case only if the field has a value. It has no effect for cards."`
	Position        int64     `json:"position" doc:"The position among the fields of the entity, counted from 0."`
	CreatedAt       time.Time `json:"created_at"`
	UpdatedAt       time.Time `json:"updated_at"`

	Company kernel.ID `json:"-"`
}

// subject returns the field as the subject of an audit entry.
func (f *Field) subject() kernel.AuditSubject { return kernel.NewAuditSubject("field", f.ID, f.Name) }

// The verbs of fields.
var (
	VerbFields      = kernel.Listed(kernel.Verb{Name: "Fields", Scope: people.ScopeContactsRead})
	VerbCreateField = kernel.Listed(kernel.Verb{Name: "CreateField", Scope: people.ScopeCompanyManage, Role: kernel.RoleAdmin})
	VerbUpdateField = kernel.Listed(kernel.Verb{Name: "UpdateField", Scope: people.ScopeCompanyManage, Role: kernel.RoleAdmin})
	VerbDeleteField = kernel.Listed(kernel.Verb{Name: "DeleteField", Scope: people.ScopeCompanyManage, Role: kernel.RoleAdmin})
)

// Fields implements the verbs of the package.
type Fields struct {
	*kernel.Kernel
	clearing map[string]Clearing // by entity
}

// Clearing is called before the values of a deleted field are deleted, for some of the nouns that have one. It locks the nouns
// and updates what depends on the values. The transaction no longer reads the deleted values.
type Clearing func(tx *kernel.Tx, company kernel.ID, nouns []kernel.ID) error

// New returns Fields.
func New(p *people.People) *Fields {
	return &Fields{Kernel: p.Kernel, clearing: map[string]Clearing{}}
}

// ObserveClearing sets the function for the nouns of an entity. It must be called before the first transaction.
func (d *Fields) ObserveClearing(entity string, clear Clearing) { d.clearing[entity] = clear }

// FieldsQuery selects a page of the fields.
type FieldsQuery struct {
	Entity string `query:"entity" enum:"contact,attendance,card"`
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Cursor string `query:"cursor" maxLength:"400" doc:"The next_cursor of the previous page, with the same entity."`
}

// Fields lists the company's fields in order, of one entity or of all. next is "" on the last page.
func (d *Fields) Fields(ctx context.Context, a *kernel.Principal, q *FieldsQuery) (page []Field, next string, err error) {
	list, after, afterID := "fields "+q.Entity, int64(-1), kernel.ID{}
	if q.Cursor != "" {
		payload, invalid := d.Cursors.Open(a.Company.ID, list, q.Cursor)
		if invalid == nil {
			after, afterID, invalid = kernel.ReadIntID(payload)
		}
		if invalid != nil {
			return nil, "", invalid
		}
	}
	page, err = kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) ([]Field, error) { return List(tx, a.Company.ID, q.Entity) })
	page = slices.DeleteFunc(page, func(f Field) bool {
		return cmp.Or(cmp.Compare(f.place(), after), kernel.CompareIDs(f.ID, afterID)) <= 0
	})
	if len(page) > q.Limit {
		page = page[:q.Limit]
		last := &page[q.Limit-1]
		next = d.Cursors.Seal(a.Company.ID, list, kernel.IntID(last.place(), last.ID))
	}
	return page, next, err
}

// place returns the position of a field among those of all entities.
func (f *Field) place() int64 {
	return int64(slices.Index(entities, f.Entity))*MaxFields + f.Position
}

// NewField is the input of CreateField.
type NewField struct {
	Entity          string   `json:"entity" enum:"contact,attendance,card"`
	Key             string   `json:"key" minLength:"1" maxLength:"32" pattern:"^[a-z0-9_]{1,32}$" patternDescription:"a-z, 0-9 and _" example:"birthday" doc:"The name of the field in the API. It cannot be changed."`
	Name            string   `json:"name" minLength:"1" maxLength:"120"`
	Type            string   `json:"type" enum:"text,number,date,bool,choice,link,cpf,cnpj" doc:"It cannot be changed."`
	Options         []string `json:"options,omitempty" maxItems:"100" doc:"The values to choose from, for the type choice."`
	RequiredOnClose bool     `json:"required_on_close,omitempty"`
	Position        *int64   `json:"position,omitempty" minimum:"0" doc:"Defaults to the end."`
}

// CreateField adds a field.
func (d *Fields) CreateField(ctx context.Context, a *kernel.Principal, in NewField) (Field, error) {
	name, invalid := kernel.Name("body.name", in.Name, kernel.MaxName)
	if invalid != nil {
		return Field{}, invalid
	}
	options, err := checkOptions(in.Type, in.Options)
	if err != nil {
		return Field{}, err
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Field, error) {
		f := Field{
			ID: kernel.NewID(), Company: a.Company.ID, Entity: in.Entity, Key: in.Key, Name: name, Type: in.Type, Options: options,
			RequiredOnClose: in.RequiredOnClose, CreatedAt: tx.Now, UpdatedAt: tx.Now,
		}
		tx.LockCompany(f.Company)
		all, err := List(tx, f.Company, f.Entity)
		switch {
		case err != nil:
			return f, err
		case len(all) >= MaxFields:
			return f, kernel.LimitReached("fields of "+f.Entity+"s", MaxFields)
		case slices.ContainsFunc(all, func(o Field) bool { return o.Key == f.Key }):
			return f, kernel.Errorf(kernel.CodeNameTaken, "There is already a field of %ss with the key %q. Choose another key.", f.Entity, f.Key)
		}
		f.Position = int64(len(all))
		insertField(tx, &f)
		if in.Position != nil {
			f.Position = arrange(tx, append(all, f), f.ID, *in.Position)
		}
		tx.AuditNoun(a, f.subject(), nil, f)
		return f, nil
	})
}

// FieldChange lists what to change; nil leaves it as it is.
type FieldChange struct {
	Name            *string   `json:"name,omitempty" minLength:"1" maxLength:"120"`
	Options         *[]string `json:"options,omitempty" maxItems:"100" doc:"Replaces the values to choose from. Values that are stored already stay, even if they are no longer in the list."`
	RequiredOnClose *bool     `json:"required_on_close,omitempty"`
	Position        *int64    `json:"position,omitempty" minimum:"0" doc:"The other fields of the entity move accordingly."`
}

// UpdateField changes a field.
func (d *Fields) UpdateField(ctx context.Context, a *kernel.Principal, id kernel.ID, in FieldChange) (Field, error) {
	if err := kernel.CleanName("body.name", &in.Name); err != nil {
		return Field{}, err
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Field, error) {
		tx.LockCompany(a.Company.ID)
		f, err := findField(tx, a.Company.ID, id)
		if err != nil {
			return f, err
		}
		before := f
		kernel.Set(&f.Name, in.Name)
		kernel.Set(&f.RequiredOnClose, in.RequiredOnClose)
		if in.Options != nil {
			if f.Options, err = checkOptions(f.Type, *in.Options); err != nil {
				return f, err
			}
		}
		f.UpdatedAt = tx.Now
		updateField(tx, &f)
		if in.Position != nil {
			all, err := List(tx, f.Company, f.Entity)
			if err != nil {
				return f, err
			}
			f.Position = arrange(tx, all, f.ID, *in.Position)
		}
		tx.AuditNoun(a, f.subject(), before, f)
		return f, nil
	})
}

// checkOptions returns the options of a field, trimmed.
func checkOptions(kind string, options []string) ([]string, error) {
	const field = "body.options"
	switch {
	case kind != TypeChoice && len(options) > 0:
		return nil, kernel.Invalid(field, kernel.RuleNotAllowed, "only a field of the type choice has options")
	case kind == TypeChoice && len(options) == 0:
		return nil, kernel.TooFew(field, 1)
	}
	out := make([]string, len(options))
	for i, option := range options {
		name, invalid := kernel.Name(kernel.Indexed(field, i), option, kernel.MaxName)
		if invalid != nil {
			return nil, invalid
		}
		if slices.Contains(out[:i], name) {
			return nil, kernel.Duplicate(kernel.Indexed(field, i), "is in the list already")
		}
		out[i] = name
	}
	return out, nil
}

// arrange moves a field among all fields of its entity and returns its position.
func arrange(tx *kernel.Tx, all []Field, id kernel.ID, position int64) int64 {
	slices.SortStableFunc(all, func(a, b Field) int { return cmp.Compare(a.Position, b.Position) })
	at := slices.IndexFunc(all, func(f Field) bool { return f.ID == id })
	moved := all[at]
	position = min(position, int64(len(all)-1))
	for i, f := range slices.Insert(slices.Delete(all, at, at+1), int(position), moved) {
		if f.Position != int64(i) {
			setPosition(tx, f.Company, f.ID, int64(i))
		}
	}
	return position
}

// DeleteField removes a field at once and deletes its values, in many short transactions. It continues if ctx is canceled; after
// a crash, FinishRemovals continues it.
func (d *Fields) DeleteField(ctx context.Context, a *kernel.Principal, id kernel.ID, confirm bool) error {
	removed, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Field, error) {
		tx.LockCompany(a.Company.ID)
		f, err := findField(tx, a.Company.ID, id)
		switch {
		case err != nil:
			return f, err
		case !confirm:
			return f, kernel.Invalid("body.confirm", kernel.RuleMustBeTrue, "must be true: the values of the field are deleted with it")
		}
		all, err := List(tx, f.Company, f.Entity)
		if err != nil {
			return f, err
		}
		arrange(tx, all, f.ID, MaxFields) // it leaves no gap
		removeField(tx, f.Company, f.ID)
		tx.AuditNoun(a, f.subject(), f, nil)
		return f, nil
	})
	if err != nil {
		return err
	}
	return d.clear(context.WithoutCancel(ctx), removedField{removed.Company, removed.ID, removed.Entity})
}

// FinishRemovals deletes the values of deleted fields that a crash left.
func (d *Fields) FinishRemovals(ctx context.Context) error {
	removed, err := kernel.Read(ctx, d.Kernel, removedFields)
	for _, f := range removed {
		if err == nil {
			err = d.clear(ctx, f)
		}
	}
	return err
}

// clearBatch is the number of values of a deleted field that are deleted at a time.
const clearBatch = 200

// clear deletes the values of a deleted field, and then the field.
func (d *Fields) clear(ctx context.Context, f removedField) error {
	for {
		more, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) {
			nouns, err := nounsWith(tx, f, clearBatch)
			if err != nil {
				return false, err
			}
			if len(nouns) == 0 {
				forgetField(tx, f)
				return false, nil
			}
			if clear := d.clearing[f.entity]; clear != nil {
				if err := clear(tx, f.company, nouns); err != nil {
					return false, err
				}
			}
			deleteValues(tx, f, nouns)
			return true, nil
		})
		if err != nil || !more {
			return err
		}
	}
}
