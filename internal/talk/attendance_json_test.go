package talk

import (
	"testing"

	"pgregory.net/rapid"

	"recado/internal/kernel"
	"recado/internal/kernel/kerneltest"
)

func TestAnAttendanceWritesItselfAsReflectionWould(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		person := rapid.Custom(func(t *rapid.T) kernel.Ref {
			return kernel.Ref{ID: kerneltest.AnyID(t), Name: rapid.String().Draw(t, "name")}
		})
		kerneltest.SameAsReflection(t, &Attendance{
			ID: kerneltest.AnyID(t), Protocol: FormatProtocol(rapid.Int64Min(1).Draw(t, "number")), Status: AttendanceClosed, Conversation: kerneltest.AnyID(t), Channel: kerneltest.AnyID(t),
			Contact:     AttendanceContact{kerneltest.Maybe(t, kerneltest.IDs), rapid.String().Draw(t, "contact"), kerneltest.Maybe(t, rapid.String())},
			Responsible: kerneltest.Maybe(t, person), Sector: kerneltest.Maybe(t, kerneltest.IDs), OpenedAt: kerneltest.Moments.Draw(t, "opened"), OpenedBy: OpenedByTeam,
			FirstResponseAt: kerneltest.Maybe(t, kerneltest.Moments), FirstResponseSeconds: kerneltest.Maybe(t, rapid.Int64()), ClosedAt: kerneltest.Maybe(t, kerneltest.Moments), ClosedBy: kerneltest.Maybe(t, person),
			CloseReason: kerneltest.Maybe(t, rapid.String()),
		})
	})
}
