package desk

import (
	"recado/internal/model"
)

// openAttendance opens an attendance of the conversation where the company has them enabled and none
// is open. opener is the member who started the conversation, nil when the customer wrote.
func (t *thread) openAttendance(opener *Actor) error { return nil }

// mayAnswer refuses a member whom restricted mode keeps from answering or closing.
func (t *thread) mayAnswer(a *Actor) error { return nil }

// answered notes an outbound message: the first response, and the first responder's ownership. member
// is nil when the message came from the phone, where nobody knows who typed it.
func (t *thread) answered(member *model.Ref) error { return nil }
