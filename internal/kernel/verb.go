package kernel

// Verb is an operation with the permission that it requires. The method with the verb's name begins with the check; the routes
// of the API name their verb, so that what they document and refuse early is the same permission.
type Verb struct {
	Name  string // of the method
	Scope Scope  // "": every principal has it
	Role  Role   // the least role; "": every role. Some verbs decide more on what they find

	SessionOnly bool // for people who are signed in; keys are refused
}

// Verbs lists every verb of the program.
var Verbs []Verb

// Listed adds a verb to Verbs and returns it.
func Listed(v Verb) Verb {
	Verbs = append(Verbs, v)
	return v
}
