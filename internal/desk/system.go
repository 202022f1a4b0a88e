package desk

// System is the desk for callers that are no principal: the loops of package work, which act on every
// company, the command line, which adds companies and people, and the edge of the API, which has to find
// out who calls. Its methods check no permission, so a request reaches them only through code that has
// decided what it may do.
type System struct{ *Desk }

// System gives the methods that take no principal.
func (d *Desk) System() System { return System{d} }
