package talk

import "recado/internal/kernel"

// Observer is called inside the transactions that change attendances and contacts. An error rolls the transaction back. Nil
// functions are not called.
type Observer struct {
	Opened   func(t *LockedConversation, att *Attendance) error
	Answered func(t *LockedConversation, att *Attendance) error // for the first time
	Moved    func(t *LockedConversation, before, att *Attendance, by *kernel.Ref) error
	Closed   func(t *LockedConversation, att *Attendance, by *kernel.Ref) error

	// ContactDeleted is called before a contact is deleted.
	ContactDeleted func(tx *kernel.Tx, c *Contact) error

	// CustomerWrote is called before a conversation with new messages of the customer is saved. t contains the messages.
	CustomerWrote func(in *InboundBatch, t *BatchConversation) error
}

// Observe adds an observer. It must be called before the first transaction. Observers are called in the order of Observe.
func (d *Talk) Observe(o Observer) {
	ignore := func(*LockedConversation, *Attendance) error { return nil }
	if o.Opened == nil {
		o.Opened = ignore
	}
	if o.Answered == nil {
		o.Answered = ignore
	}
	if o.Moved == nil {
		o.Moved = func(*LockedConversation, *Attendance, *Attendance, *kernel.Ref) error { return nil }
	}
	if o.Closed == nil {
		o.Closed = func(*LockedConversation, *Attendance, *kernel.Ref) error { return nil }
	}
	if o.ContactDeleted == nil {
		o.ContactDeleted = func(*kernel.Tx, *Contact) error { return nil }
	}
	if o.CustomerWrote == nil {
		o.CustomerWrote = func(*InboundBatch, *BatchConversation) error { return nil }
	}
	d.observers = append(d.observers, o)
}

// tell calls call for each observer until one returns an error.
func (d *Talk) tell(call func(o *Observer) error) error {
	for i := range d.observers {
		if err := call(&d.observers[i]); err != nil {
			return err
		}
	}
	return nil
}
