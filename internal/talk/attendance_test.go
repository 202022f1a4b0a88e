package talk

import (
	"slices"
	"sync"
	"testing"

	"recado/internal/kernel"
	"recado/test/testkit"
)

func TestProtocolNumbersAreConsecutive(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		t.Run("250 concurrent openings on two nodes, 50 of which fail, use the numbers 1 to 200", func(t *testing.T) {
			refused := kernel.Errorf(kernel.CodeInvalidRequest, "the transaction fails after numbering")
			customers := make([]kernel.ID, 250)
			for i := range customers {
				customers[i] = o.customer(t, i)
			}
			var wg sync.WaitGroup
			for i, c := range customers {
				wg.Go(func() {
					err := o.change(t.Context(), o.nodes[i%2], c, func(t *LockedConversation) error {
						if err := t.openAttendance(OpenedByCustomer); err != nil || i%5 != 0 {
							return err
						}
						return refused
					})
					if err != nil && kernel.CodeOf(err) != refused.Code {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			var numbers []int64
			filter := AttendanceFilter{Limit: 100}
			for {
				page, next, err := o.nodes[0].Attendances(t.Context(), o.owner, filter)
				if err != nil {
					t.Fatal(err)
				}
				for _, a := range page {
					numbers = append(numbers, a.Number)
				}
				if filter.Cursor = next; next == "" {
					break
				}
			}
			slices.Sort(numbers)
			testkit.Equal(t, "number of attendances", len(numbers), 200)
			for i, n := range numbers {
				if n != int64(i+1) {
					t.Fatalf("got the number %d at index %d, want %d", n, i, i+1)
				}
			}
		})

		t.Run("a second opening of the same conversation changes nothing", func(t *testing.T) {
			c := o.customer(t, 1000)
			var wg sync.WaitGroup
			for i := range 8 {
				wg.Go(func() {
					if err := o.change(t.Context(), o.nodes[i%2], c, func(t *LockedConversation) error { return t.openAttendance(OpenedByTeam) }); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			att, err := o.nodes[1].CurrentAttendance(t.Context(), o.owner, c)
			if err != nil || att == nil {
				t.Fatalf("got %+v and error %v, want the open attendance", att, err)
			}
			testkit.Equal(t, "att.Protocol", att.Protocol, "ATD-000201")
			testkit.Equal(t, "att.OpenedBy", att.OpenedBy, OpenedByTeam)
		})
	})
}

func TestTheFirstAnswerIsRecordedAndTheFirstResponderBecomesResponsible(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		d := o.nodes[0]
		c := o.customer(t, 1)
		step := func(change func(t *LockedConversation) error) *Attendance {
			t.Helper()
			if err := o.change(t.Context(), d, c, change); err != nil {
				t.Fatal(err)
			}
			att, err := d.CurrentAttendance(t.Context(), o.owner, c)
			if err != nil {
				t.Fatal(err)
			}
			return att
		}
		step(func(t *LockedConversation) error { return t.openAttendance(OpenedByCustomer) })
		t.Run("an answer from the phone is the first response and sets no responsible person", func(t *testing.T) {
			att := step(func(t *LockedConversation) error { return t.answered(nil) })
			if att.FirstResponseAt == nil || att.FirstResponseSeconds == nil || att.Responsible != nil {
				t.Fatalf("got %+v, want a first response and no responsible person", att)
			}
		})
		t.Run("the first member to answer becomes responsible and the first response stays", func(t *testing.T) {
			before := step(func(*LockedConversation) error { return nil })
			att := step(func(t *LockedConversation) error { return t.answered(&o.owner.User) })
			if att.Responsible == nil || att.Responsible.ID != o.owner.User.ID || !att.FirstResponseAt.Equal(*before.FirstResponseAt) {
				t.Fatalf("got %+v, want the owner as responsible person and the first response at %v", att, before.FirstResponseAt)
			}
			history, err := d.Assignments(t.Context(), o.owner, c)
			if err != nil || len(history) != 1 {
				t.Fatalf("got the history %+v and error %v, want one entry", history, err)
			}
			testkit.Equal(t, "history[0].Action", history[0].Action, ActionTookOver)
			testkit.Equal(t, "history[0].User.Name", history[0].User.Name, "Ana")
		})
		t.Run("closing removes the responsible person of the conversation", func(t *testing.T) {
			att, err := d.CloseAttendance(t.Context(), o.owner, c, CloseInput{Reason: "solved"})
			if err != nil || att.Responsible == nil {
				t.Fatalf("got %+v and error %v, want a responsible person", att, err)
			}
			testkit.Equal(t, "att.Status", att.Status, AttendanceClosed)
			testkit.Equal(t, "*att.CloseReason", *att.CloseReason, "solved")
			open := step(func(t2 *LockedConversation) error {
				if t2.Assignee != nil || t2.Unanswered {
					t.Errorf("got %+v, want no assignee and nothing unanswered", t2.Conversation)
				}
				return nil
			})
			if open != nil {
				t.Errorf("got the open attendance %+v, want none", open)
			}
			_, err = d.CloseAttendance(t.Context(), o.owner, c, CloseInput{})
			testkit.Equal(t, "code of closing again", kernel.CodeOf(err), kernel.CodeAttendanceNotOpen)
		})
	})
}
