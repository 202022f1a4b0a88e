package kernel

// Subject is the restricted content of a response. It is zero if everyone with the permission of the call may see the
// response.
type Subject struct {
	Kind string // see CheckSubjects
	ID   ID
}

// SubjectCheck returns an error if a principal may not see a subject now.
type SubjectCheck func(tx *Tx, a *Principal, id ID) error

// CheckSubjects sets the check for a kind of subject. Call it before the first request.
func (d *Kernel) CheckSubjects(kind string, check SubjectCheck) {
	if d.subjects == nil {
		d.subjects = map[string]SubjectCheck{}
	}
	d.subjects[kind] = check
}

// CheckSubject returns an error if a principal may not see a subject.
func (d *Kernel) CheckSubject(tx *Tx, a *Principal, s Subject) error {
	check := d.subjects[s.Kind]
	if check == nil {
		return nil
	}
	return check(tx, a, s.ID)
}
