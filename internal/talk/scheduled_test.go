package talk

import (
	"testing"
	"time"
)

func TestAScheduledTextHasAWarningIfTheServiceWindowWillBeClosed(t *testing.T) {
	now := time.Now()
	windowed := Conversation{Windowed: true, LastInboundAt: &now}
	for name, tt := range map[string]struct {
		c    Conversation
		s    ScheduledMessage
		want bool
	}{
		"within":           {windowed, ScheduledMessage{Status: ScheduledWaiting, SendAt: now.Add(23 * time.Hour)}, false},
		"after":            {windowed, ScheduledMessage{Status: ScheduledWaiting, SendAt: now.Add(24 * time.Hour)}, true},
		"a template":       {windowed, ScheduledMessage{Status: ScheduledWaiting, SendAt: now.Add(24 * time.Hour), Template: &ScheduledTemplate{}}, false},
		"never wrote":      {Conversation{Windowed: true}, ScheduledMessage{Status: ScheduledWaiting, SendAt: now}, true},
		"without a window": {Conversation{}, ScheduledMessage{Status: ScheduledWaiting, SendAt: now.Add(48 * time.Hour)}, false},
		"sent already":     {windowed, ScheduledMessage{Status: ScheduledSent, SendAt: now.Add(48 * time.Hour)}, false},
	} {
		tt.s.Warn(&tt.c)
		if got := tt.s.Warning != nil; got != tt.want {
			t.Errorf("%s: got a warning %t, want %t", name, got, tt.want)
		}
	}
}
