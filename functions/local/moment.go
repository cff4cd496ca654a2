package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// momentOf reads a time as people write it: a date, a time as in RFC 3339, or an age such as
// 90m, 24h or 30d. An empty text is the zero time.
func momentOf(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}

	age, err := time.ParseDuration(text)
	if days, inDays := strings.CutSuffix(text, "d"); inDays {
		var n int
		n, err = strconv.Atoi(days)
		age = time.Duration(n) * 24 * time.Hour
	}
	if err != nil || age < 0 {
		return time.Time{}, fmt.Errorf("%q is no date, no time as in RFC 3339 and no age such as 24h or 30d", text)
	}
	return now.Add(-age), nil
}
