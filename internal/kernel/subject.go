package kernel

// Subject is what an answer shows, where not every caller with the permission of the call may see it. The zero value is
// nothing of that kind.
type Subject struct {
	Kind string // one of the Subject constants
	ID   ID
}

// Kinds of subjects.
const (
	SubjectConversation = "conversation" // and its messages, notes, attendances and scheduled messages
	SubjectCard         = "card"
	SubjectBoard        = "board"
	SubjectContact      = "contact"
	SubjectChannel      = "channel"
	SubjectFile         = "file"
	SubjectWebhook      = "webhook" // all of them: the permission does not depend on which
)

// SubjectCheck reports an error when a principal may not see, now, what is called by an id.
type SubjectCheck func(tx *Tx, a *Principal, id ID) error

// CheckSubjects sets the check for a kind of subject, before the first call.
func (d *Kernel) CheckSubjects(kind string, check SubjectCheck) {
	if d.subjects == nil {
		d.subjects = map[string]SubjectCheck{}
	}
	d.subjects[kind] = check
}

// CheckSubject reports an error when a principal may not see a subject.
func (d *Kernel) CheckSubject(tx *Tx, a *Principal, s Subject) error {
	check := d.subjects[s.Kind]
	if check == nil {
		return nil
	}
	return check(tx, a, s.ID)
}
