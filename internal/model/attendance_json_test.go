package model

import (
	"testing"

	"pgregory.net/rapid"
)

func TestAnAttendanceWritesItselfAsReflectionWould(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		person := rapid.Custom(func(t *rapid.T) Ref { return Ref{anyID(t), rapid.String().Draw(t, "name")} })
		sameAsReflection(t, &Attendance{
			ID: anyID(t), Protocol: FormatProtocol(rapid.Int64Min(1).Draw(t, "number")), Status: AttendanceClosed, Conversation: anyID(t), Channel: anyID(t),
			Contact:     AttendanceContact{maybe(t, ids), rapid.String().Draw(t, "contact"), maybe(t, rapid.String())},
			Responsible: maybe(t, person), Sector: maybe(t, ids), OpenedAt: moments.Draw(t, "opened"), OpenedBy: OpenedByTeam,
			FirstResponseAt: maybe(t, moments), FirstResponseSeconds: maybe(t, rapid.Int64()), ClosedAt: maybe(t, moments), ClosedBy: maybe(t, person),
			CloseReason: maybe(t, rapid.String()),
		})
	})
}
