package desk

import (
	"recado/internal/model"
)

// attendanceCardOpened puts a card for a new attendance on the company's attendances board.
func (t *thread) attendanceCardOpened(att *model.Attendance) error { return nil }

// attendanceCardMoved lets the card follow: In progress when somebody is responsible, Waiting when
// nobody is, Done when the attendance is closed. by is who caused it, nil for the system.
func (t *thread) attendanceCardMoved(att *model.Attendance, by *model.Ref) error { return nil }
