package desk

// Entrance is the desk for visitors: people who set the installation up, sign in, or hold a link. They are no
// principal yet, so its methods check what they bring instead of a permission.
type Entrance struct{ *Desk }

// Entrance gives the methods for visitors.
func (d *Desk) Entrance() Entrance { return Entrance{d} }
