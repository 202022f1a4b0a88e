package kernel

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Caller is the origin of a request, for the audit.
type Caller struct {
	IP        string `json:"ip"` // of the client, as trusted proxies report it
	RequestID string `json:"request_id"`
}

type callerKey struct{}

// WithCaller returns a context whose transactions record the caller in audit entries.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerOf returns the caller of a context, or the zero value.
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// Types of AuditActor.
const (
	ActorUser     = "user"
	ActorKey      = "key"
	ActorOperator = "operator" // the command line
	ActorSystem   = "system"   // background work
)

// AuditActor says who did something.
type AuditActor struct {
	Type string `json:"type" enum:"user,key,system,operator" doc:"operator is the command line, system the server itself."`
	ID   *ID    `json:"id" doc:"The person or the API key; null for others."`
	Name string `json:"name" doc:"The name at that time."`
}

// AuditUser returns the actor for a person, for verbs without a principal such as signing in.
func AuditUser(user Ref) *AuditActor { return &AuditActor{ActorUser, &user.ID, user.Name} }

// AuditOperator returns the actor for the command line, for verbs without a principal.
func AuditOperator() *AuditActor { return &AuditActor{Type: ActorOperator, Name: ActorOperator} }

// AuditSubject says what was changed.
type AuditSubject struct {
	Type string `json:"type" doc:"The noun, such as key or channel."`
	ID   *ID    `json:"id" doc:"Null for subjects without an id."`
	Name string `json:"name" doc:"The name at that time; it may be empty."`
}

// NewAuditSubject returns a subject with an id.
func NewAuditSubject(noun string, id ID, name string) AuditSubject {
	return AuditSubject{Type: noun, ID: &id, Name: name}
}

// AuditChange is a field with its value before and after a change, as in the JSON of the API.
type AuditChange struct {
	Field string `json:"field" doc:"The field; dots separate the fields of nested objects."`
	From  any    `json:"from" doc:"The value before; null if there was none."`
	To    any    `json:"to" doc:"The value after; null if there is none."`
}

// AuditEntry is what a verb records about a change. It must not contain secrets, hashes or texts of messages.
type AuditEntry struct {
	Action  string // such as key.created
	Subject AuditSubject
	Changes []AuditChange

	// Channel is the number that the entry is about, also indirectly. While the number is private, only its viewers see the
	// entry. Zero: none.
	Channel ID

	// Board is the Kanban board that the entry is about. Keys that are limited to other boards do not see the entry. Zero: none.
	Board ID

	// For entries without a principal.
	Company ID
	Actor   *AuditActor // nil: the system
}

// auditVerbs lists the verbs of actions by noun. The app has a sentence for each action.
var auditVerbs = map[string][]string{
	"board":      {"created", "updated", "deleted"},
	"budget":     {"updated"},
	"card":       {"deleted"},
	"channel":    {"created", "updated", "connected", "disconnected", "deleted"},
	"company":    {"created", "updated", "exported"},
	"contact":    {"deleted", "exported", "erased", "opted_in", "opted_out"},
	"csv":        {"exported"},
	"field":      {"created", "updated", "deleted"},
	"hours":      {"created", "updated", "deleted"},
	"import":     {"created"},
	"invitation": {"cancelled"},
	"job":        {"cancelled"},
	"key":        {"created", "updated", "rotated", "revoked"},
	"label":      {"created", "updated", "deleted"},
	"member":     {"invited", "created", "updated", "removed"},
	"note":       {"deleted"},
	"opt_out":    {"updated"},
	"password":   {"changed"},
	"rates":      {"updated"},
	"reason":     {"created", "updated", "deleted"},
	"reception":  {"updated"},
	"reply":      {"created", "updated", "deleted"},
	"reset_link": {"created"},
	"retention":  {"updated"},
	"rules":      {"updated"},
	"sector":     {"created", "updated", "deleted"},
	"session":    {"created", "failed", "ended"},
	"sla_policy": {"created", "updated", "deleted"},
	"stage":      {"created", "updated", "deleted"},
	"survey":     {"updated"},
	"template":   {"created", "deleted"},
	"two_factor": {"enabled", "disabled"},
	"view":       {"created", "updated", "deleted"},
	"webhook":    {"created", "updated", "rotated", "deleted"},
}

// AuditActions returns the actions that entries can have.
func AuditActions() (actions []string) {
	for noun, verbs := range auditVerbs {
		for _, verb := range verbs {
			actions = append(actions, noun+"."+verb)
		}
	}
	return actions
}

// Audit stores an audit entry in the transaction of the change that it describes. Without a principal, the entry names the company
// and may name an actor.
func (tx *Tx) Audit(a *Principal, e AuditEntry) {
	noun, verb, _ := strings.Cut(e.Action, ".")
	if !slices.Contains(auditVerbs[noun], verb) {
		panic("kernel: the audit action " + e.Action + " is not listed")
	}
	actor := AuditActor{Type: ActorSystem, Name: ActorSystem}
	if e.Actor != nil {
		actor = *e.Actor
	}
	if a != nil {
		e.Company, actor = a.Company.ID, a.auditActor()
	}
	tx.Later(`
		INSERT INTO audit (company, id, at, actor_type, actor, actor_name, ip, action, subject_type, subject, subject_name, channel, board, changes, request_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
		e.Company, NewID(), tx.Now, actor.Type, actor.ID, actor.Name, TextOrNil(tx.caller.IP), e.Action,
		e.Subject.Type, e.Subject.ID, e.Subject.Name, e.Channel, e.Board, encodeChanges(e.Changes), TextOrNil(tx.caller.RequestID))
}

// AuditUpdate is Audit for an entry that describes an update. It stores nothing if there are no changes.
func (tx *Tx) AuditUpdate(a *Principal, e AuditEntry) {
	if len(e.Changes) > 0 {
		tx.Audit(a, e)
	}
}

// NewAuditEntry returns an entry for a noun that was created, updated or deleted: the action is the type of the subject with one of
// these verbs, and the changes are those of AuditChanges.
func NewAuditEntry(subject AuditSubject, before, after any, omit ...string) AuditEntry {
	verb := "updated"
	switch {
	case before == nil:
		verb = "created"
	case after == nil:
		verb = "deleted"
	}
	return AuditEntry{Action: subject.Type + "." + verb, Subject: subject, Changes: AuditChanges(before, after, omit...)}
}

// AuditNoun records an entry of NewAuditEntry, unless nothing has changed.
func (tx *Tx) AuditNoun(a *Principal, subject AuditSubject, before, after any, omit ...string) {
	tx.AuditUpdate(a, NewAuditEntry(subject, before, after, omit...))
}

// auditActor returns the principal as the actor of an audit entry.
func (a *Principal) auditActor() AuditActor {
	switch a.kind {
	case KindSession:
		return AuditActor{ActorUser, &a.User.ID, a.User.Name}
	case KindKey:
		return AuditActor{ActorKey, &a.Key, a.Integration.Name}
	}
	return AuditActor{Type: ActorOperator, Name: ActorOperator}
}

func encodeChanges(changes []AuditChange) string {
	encoded, err := EncodeJSON(changes)
	if err != nil {
		return "[]"
	}
	return string(encoded)
}

// unaudited lists fields that AuditChanges leaves out, because the entry says the same or nobody chose them.
var unaudited = []string{"id", "created_at", "updated_at", "version"}

// maxAuditValue is the size in bytes of a value in JSON from which AuditChanges shortens it.
const maxAuditValue = 2000

// AuditChanges compares the JSON of two values of a type that encodes as an object, and returns the fields that differ. Fields of
// nested objects have names with dots; lists are compared as a whole. nil for before means that the object is new, nil for after
// that it was deleted: then null and empty values are left out. Fields in omit, which are names of the top level, are left out too.
func AuditChanges(before, after any, omit ...string) []AuditChange {
	return compareObjects("", decodeObject(before), decodeObject(after), append(omit, unaudited...))
}

// member is a field of a JSON object.
type member struct {
	name  string
	value jsontext.Value
}

// decodeObject returns the fields of a value in their order. It returns nil for nil and for values that are not objects.
func decodeObject(v any) []member {
	if v == nil {
		return nil
	}
	encoded, err := EncodeJSON(v)
	if err != nil {
		return nil
	}
	return membersOf(encoded)
}

func membersOf(encoded jsontext.Value) (members []member) {
	d := jsontext.NewDecoder(bytes.NewReader(encoded))
	if start, err := d.ReadToken(); err != nil || start.Kind() != '{' {
		return nil
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return nil
		}
		field := member{name: name.String()}
		value, err := d.ReadValue()
		if err != nil {
			return nil
		}
		field.value = slices.Clone(value)
		members = append(members, field)
	}
	return members
}

func valueOf(members []member, name string) jsontext.Value {
	for _, m := range members {
		if m.name == name {
			return m.value
		}
	}
	return jsontext.Value("null")
}

func compareObjects(prefix string, before, after []member, omit []string) (changes []AuditChange) {
	names := make([]string, 0, len(after))
	for _, m := range append(slices.Clone(after), before...) {
		if !slices.Contains(names, m.name) && !slices.Contains(omit, m.name) {
			names = append(names, m.name)
		}
	}
	for _, name := range names {
		from, to := valueOf(before, name), valueOf(after, name)
		switch {
		case bytes.Equal(from, to) || isEmptyJSON(from) && isEmptyJSON(to):
		case isNested(from, to):
			changes = append(changes, compareObjects(prefix+name+".", membersOf(from), membersOf(to), nil)...)
		default:
			changes = append(changes, AuditChange{prefix + name, auditValue(from), auditValue(to)})
		}
	}
	return changes
}

// isNested reports whether two values are compared field by field: both are objects, or one is and the other is null. References
// to another noun, which have an id, are compared as a whole.
func isNested(from, to jsontext.Value) bool {
	object := func(v jsontext.Value) bool { return v.Kind() == '{' && string(valueOf(membersOf(v), "id")) == "null" }
	return object(from) && (object(to) || to.Kind() == 'n') || from.Kind() == 'n' && object(to)
}

// nameOf returns the name in a reference to a noun, which has only an id and a name, and other values as they are.
func nameOf(v jsontext.Value) jsontext.Value {
	if v.Kind() != '{' {
		return v
	}
	members := membersOf(v)
	if name := valueOf(members, "name"); len(members) == 2 && name.Kind() == '"' && valueOf(members, "id").Kind() == '"' {
		return name
	}
	return v
}

// isEmptyJSON reports whether a value says nothing.
func isEmptyJSON(v jsontext.Value) bool {
	switch strings.TrimSpace(string(v)) {
	case "null", `""`, "[]", "{}":
		return true
	}
	return false
}

// auditValue returns a value for an entry: references to nouns become their names, and long values are shortened.
func auditValue(v jsontext.Value) any {
	if v.Kind() == '[' {
		var list []jsontext.Value
		if json.Unmarshal(v, &list) == nil {
			for i := range list {
				list[i] = nameOf(list[i])
			}
			v, _ = json.Marshal(list) // it was valid before
		}
	}
	v = nameOf(v)
	if len(v) <= maxAuditValue {
		return v
	}
	text := string(v)
	if v.Kind() == '"' {
		_ = json.Unmarshal(v, &text) // it is a valid string
	}
	return strings.ToValidUTF8(text[:min(len(text), maxAuditValue)], "") + fmt.Sprintf("… (%d bytes)", len(v))
}

// RecordExport records that a principal has downloaded a list as CSV.
func (d *Kernel) RecordExport(ctx context.Context, a *Principal, list string) error {
	return d.Store.Write(ctx, func(tx *Tx) error {
		tx.Audit(a, AuditEntry{Action: "csv.exported", Subject: AuditSubject{Type: "list", Name: list}})
		return nil
	})
}
