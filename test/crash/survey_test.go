package crash

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"recado/test/binary"
	"recado/test/kerneltest"
	"recado/test/testkit"
)

// The server is killed while cases are closed and delayed surveys become due.
func TestSurveysAreSentOnceWheneverTheServerIsKilled(t *testing.T) {
	t.Parallel()
	kerneltest.EachURL(t, func(t *testing.T, url string) {
		s := &scheduler{database: url}
		var args []string
		if url != "" {
			args = []string{"--database-url", url}
		}
		s.Process = binary.Serve(t, t.TempDir(), args...)
		for n, delay := range []int{0, 60} {
			s.call(t, "PUT", "/company/survey", fmt.Sprintf(`{"enabled":true,"question":"How was it?","min_days":0,"delay_minutes":%d}`, delay))
			closed := map[string]string{} // attendances by conversation
			for i := range 4 {
				in := s.call(t, "POST", "/channels/"+s.Demo.Companies[0].Channel+"/simulate", fmt.Sprintf(`{"from":"+551194%d%06d","text":"hello"}`, n+1, i))
				c := in["conversation"].(string)
				closed[c] = s.call(t, "POST", "/conversations/"+c+"/attendance/close", "{}")["id"].(string)
			}
			kerneltest.Exec(t, s.Dir, s.database, fmt.Sprintf(`UPDATE attendances SET survey_at = %d WHERE survey = 'due'`, time.Now().Add(200*time.Millisecond).UnixMilli()))
			select {
			case <-time.After(rand.N(1500*time.Millisecond) * time.Duration(n)): // without a delay the closing sends it
			case <-s.Ended():
				t.Fatal("the server exited before it was killed")
			}
			s.Kill()
			s.Start()
			for c, attendance := range closed {
				testkit.Eventually(t, "the survey is sent", func() bool {
					return s.call(t, "GET", "/attendances/"+attendance, "")["survey"].(map[string]any)["status"] == "sent"
				})
				count := 0
				for _, m := range s.call(t, "GET", "/conversations/"+c+"/messages?limit=100", "")["data"].([]any) {
					if strings.HasPrefix(m.(map[string]any)["text"].(string), "How was it?") {
						count++
					}
				}
				testkit.Equal(t, "questions", count, 1)
			}
		}
	})
}
