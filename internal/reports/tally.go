package reports

import "recado/internal/quantile"

// Tally adds up lines of the report: of a member, a sector, a day or all.
type Tally struct {
	Opened   int64
	Closed   int64
	Answers  Spans
	Closings Spans
}

// Spans adds up durations: their exact number and sum, and a sketch of their distribution.
type Spans struct {
	Count   int64
	Seconds int64
	Sketch  quantile.Sketch
}

// Figures returns the sums as the report shows them.
func (t *Tally) Figures() Figures {
	return Figures{Opened: t.Opened, Closed: t.Closed, FirstResponse: t.Answers.times(), Resolution: t.Closings.times()}
}

// IsZero reports whether nothing was counted.
func (t *Tally) IsZero() bool { return t.Opened == 0 && t.Closed == 0 && t.Answers.Count == 0 }

// Merge adds another tally.
func (t *Tally) Merge(other *Tally) {
	t.Opened += other.Opened
	t.Closed += other.Closed
	t.Answers.merge(&other.Answers)
	t.Closings.merge(&other.Closings)
}

// Add counts one duration.
func (s *Spans) Add(seconds int64) {
	s.Count++
	s.Seconds += seconds
	s.Sketch.Add(seconds, 1)
}

func (s *Spans) merge(other *Spans) {
	s.Count += other.Count
	s.Seconds += other.Seconds
	s.Sketch.Merge(&other.Sketch)
}

func (s *Spans) times() Times {
	if s.Count <= 0 {
		return Times{}
	}
	average := float64(s.Seconds) / float64(s.Count)
	out := Times{Count: s.Count, AverageSeconds: &average}
	if median, ok := s.Sketch.Quantile(0.5); ok {
		p90, _ := s.Sketch.Quantile(0.9)
		out.MedianSeconds, out.P90Seconds = new(float64(median)), new(float64(p90))
	}
	return out
}
