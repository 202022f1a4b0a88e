package people

import (
	"testing"
	"time"
)

// rfcSecret is the secret of the examples in RFC 6238, appendix B, in base32. Codes here are their last six digits.
const rfcSecret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

func TestCodesMatchRFC6238(t *testing.T) {
	for at, want := range map[int64]string{59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037"} {
		if got, err := TOTPCode(rfcSecret, time.Unix(at, 0)); err != nil || got != want {
			t.Errorf("code at %d: got %q, %v, want %q", at, got, err, want)
		}
	}
}

func TestACodeIsAcceptedOneStepBeforeAndAfter(t *testing.T) {
	now := time.Unix(1234567890, 0)
	for steps, want := range map[int64]bool{-2: false, -1: true, 0: true, 1: true, 2: false} {
		code, err := TOTPCode(rfcSecret, now.Add(time.Duration(steps*totpPeriod)*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		step, ok := totpStep(rfcSecret, code, now)
		if ok != want || ok && step != now.Unix()/totpPeriod+steps {
			t.Errorf("a code of step %+d: got %d, %v, want accepted %v", steps, step, ok, want)
		}
	}
}
