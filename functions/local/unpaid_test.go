package main

import (
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"governance.internal/shared/porttest"
)

// copies serves the answer to another address again and again, as a bare net/http
// handler that writes the same bytes.
func copies() http.HandlerFunc {
	var once sync.Once
	var status int
	var header http.Header
	var body []byte
	return func(w http.ResponseWriter, r *http.Request) {
		once.Do(func() {
			original, err := http.Get(r.FormValue("of"))
			if err != nil {
				return
			}
			defer original.Body.Close()
			status, header = original.StatusCode, original.Header
			body, _ = io.ReadAll(original.Body)
		})
		for name, values := range header {
			w.Header()[name] = values
		}
		w.WriteHeader(status)
		_, _ = w.Write(body)
	}
}

// BenchmarkUnpaid compares the service's 402 with a bare net/http handler that
// writes the same bytes, each in a process of its own, over real connections, in
// turns. The goal is 0.7.
func BenchmarkUnpaid(b *testing.B) {
	target := spawn(b, b.TempDir(), porttest.Address(b), "", "").url + "/x402/tip"
	b.Setenv(childOutside, "yes")
	bare := spawn(b, b.TempDir(), porttest.Address(b), "", "").url + "/copy?of=" + target
	unpaidRate(b, target)
	unpaidRate(b, bare)
	var ours, theirs []float64
	for b.Loop() {
		ours, theirs = append(ours, unpaidRate(b, target)), append(theirs, unpaidRate(b, bare))
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	b.ReportMetric(ours[len(ours)/2], "service-req/s")
	b.ReportMetric(theirs[len(theirs)/2], "bare-req/s")
	b.ReportMetric(ours[len(ours)/2]/theirs[len(theirs)/2], "service/bare")
	b.ReportMetric(0, "ns/op") // hides the time of a whole round
}

// unpaidRate is how many requests a second a few clients get answered.
func unpaidRate(b *testing.B, url string) float64 {
	const clients, each = 8, 500
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	defer client.CloseIdleConnections()
	began := time.Now()
	var wait sync.WaitGroup
	for range clients {
		wait.Go(func() {
			for range each {
				answer, err := client.Get(url)
				if err != nil {
					b.Error(err)
					return
				}
				if _, _ = io.Copy(io.Discard, answer.Body); answer.StatusCode != http.StatusPaymentRequired {
					b.Error(answer.Status)
				}
				_ = answer.Body.Close()
			}
		})
	}
	wait.Wait()
	return clients * each / time.Since(began).Seconds()
}
