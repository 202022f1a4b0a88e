package kernel

// Verb is an operation with the permission that it requires. The edge checks the permission of every request before it calls
// the method of the verb.
type Verb struct {
	Name        string // of the method
	Scope       Scope  // "": none
	Role        Role   // the lowest role; "": any. Some verbs check more
	SessionOnly bool   // keys are refused
}

// Verbs lists all verbs of the program.
var Verbs []Verb

// Listed adds a verb to Verbs and returns it.
func Listed(v Verb) Verb {
	Verbs = append(Verbs, v)
	return v
}
