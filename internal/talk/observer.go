package talk

import (
	"recado/internal/kernel"
)

// Observer is notified of what happens to cases, inside the transaction that does it. An error undoes the whole change. Nil
// functions are not called.
type Observer struct {
	Opened   func(t *LockedConversation, att *Attendance) error
	Answered func(t *LockedConversation, att *Attendance) error // for the first time
	Moved    func(t *LockedConversation, before, att *Attendance, by *kernel.Ref) error
	Closed   func(t *LockedConversation, att *Attendance, by *kernel.Ref) error

	// ContactDeleted is called before a contact is deleted.
	ContactDeleted func(tx *kernel.Tx, c *Contact) error

	// CustomerWrote is called before a conversation is saved in which the customer wrote. The messages are in t.
	CustomerWrote func(in *InboundBatch, t *BatchConversation) error
}

// Observe adds an observer, before the first transaction. Observers are called in the order in which they were added.
func (d *Talk) Observe(o Observer) { d.observers = append(d.observers, o) }

func (t *LockedConversation) tellOpened(att *Attendance) error {
	for _, o := range t.d.observers {
		if o.Opened != nil {
			if err := o.Opened(t, att); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *LockedConversation) tellAnswered(att *Attendance) error {
	for _, o := range t.d.observers {
		if o.Answered != nil {
			if err := o.Answered(t, att); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *LockedConversation) tellMoved(before, att *Attendance, by *kernel.Ref) error {
	for _, o := range t.d.observers {
		if o.Moved != nil {
			if err := o.Moved(t, before, att, by); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *LockedConversation) tellClosed(att *Attendance, by *kernel.Ref) error {
	for _, o := range t.d.observers {
		if o.Closed != nil {
			if err := o.Closed(t, att, by); err != nil {
				return err
			}
		}
	}
	return nil
}

func (in *InboundBatch) tellCustomerWrote(t *BatchConversation) error {
	for _, o := range in.d.observers {
		if o.CustomerWrote != nil {
			if err := o.CustomerWrote(in, t); err != nil {
				return err
			}
		}
	}
	return nil
}
