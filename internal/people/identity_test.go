package people

import (
	"testing"

	"pgregory.net/rapid"

	"recado/internal/kernel"
	"recado/internal/kernel/kerneltest"
)

func TestAnIdentityWritesItselfAsReflectionWould(t *testing.T) {
	texts := rapid.String()
	rapid.Check(t, func(t *rapid.T) {
		i := Identity{
			User:       IdentityUser{ID: kerneltest.AnyID(t), Name: texts.Draw(t, "name"), Email: texts.Draw(t, "email"), Role: kernel.RoleManager},
			Company:    kernel.Company{ID: kerneltest.AnyID(t), Name: texts.Draw(t, "company"), Timezone: texts.Draw(t, "zone")},
			APIVersion: texts.Draw(t, "version"),
		}
		if rapid.Bool().Draw(t, "is a key") {
			i.Integration = &kernel.Integration{
				ID: kerneltest.AnyID(t), Name: texts.Draw(t, "key"), Scopes: rapid.SliceOfN(rapid.SampledFrom(kernel.AllScopes), 0, 4).Draw(t, "scopes"),
				CreatedAt: kerneltest.Moments.Draw(t, "created"), ExpiresAt: kerneltest.Maybe(t, kerneltest.Moments),
			}
			if rapid.Bool().Draw(t, "has boards") {
				i.Integration.Boards = kernel.Boards(rapid.SliceOfN(kerneltest.IDs, 0, 3).Draw(t, "boards"))
			}
		}
		kerneltest.SameAsReflection(t, &i)
	})
}
