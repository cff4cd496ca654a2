package telemetry

import (
	"log/slog"
	"slices"
	"time"
)

// bounds are the bucket bounds of the conventions for durations of requests, in seconds.
var bounds = []float64{0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10}

// histogram counts durations of one metric with the same attributes.
type histogram struct {
	metric     string
	attributes []slog.Attr
	count      uint64
	sum        float64
	buckets    []uint64
}

func (h *histogram) add(took time.Duration) {
	seconds := took.Seconds()
	bucket, _ := slices.BinarySearch(bounds, seconds) // an upper bound belongs to its bucket
	h.buckets[bucket]++
	h.count++
	h.sum += seconds
}

// Observe adds a duration to the histogram of a metric, by its attributes.
func (r *Recorder) Observe(metric string, took time.Duration, attributes ...slog.Attr) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()

	key := metric
	for _, a := range attributes {
		key += "\x00" + a.String()
	}

	h := r.series[key]
	if h == nil {
		if len(r.series) >= maxSeries {
			return
		}
		h = &histogram{
			metric:     metric,
			attributes: attributes,
			buckets:    make([]uint64, len(bounds)+1),
		}
		r.series[key] = h
	}

	h.add(took)
}
