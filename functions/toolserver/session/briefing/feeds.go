package briefing

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"strings"
	"sync"
	"time"
)

const (
	maxFeeds   = 20 // the first ones are read
	maxEntries = 50 // of one feed
	atOnce     = 8  // feeds that are fetched at the same time
)

var (
	errNotAsked  = errors.New("not fetched; call with refresh: true")
	errManyFeeds = errors.New("not fetched: there are too many feeds")
)

// feed is an address of the workspace file and what came of it.
type feed struct {
	address string
	name    string // host and path: the rest may hold a key
	host    string
	entries []news
	err     error
}

// feeds adds the items of the feeds, in the order of the workspace file.
func (c *collection) feeds(ctx context.Context, refresh bool) {
	list := feedsOf(c.config.Discovery.Feeds)
	var hosts []string
	for _, f := range list {
		if f.err == nil {
			hosts = append(hosts, f.host)
		}
	}
	if refresh {
		c.fetchAll(ctx, list, hosts)
	}

	for _, f := range list {
		if f.err == nil && !refresh {
			f.err = errNotAsked
		}
		c.read(f.name, f.err)
		if f.err != nil {
			continue
		}

		c.newest = c.now.Truncate(24 * time.Hour)
		for _, n := range f.entries {
			c.items = append(c.items, c.tag(n))
		}
	}
}

func feedsOf(addresses []string) []*feed {
	var list []*feed
	for i, address := range addresses {
		f := &feed{
			address: address,
			name:    "feed",
		}
		place, err := url.Parse(address)
		if err == nil {
			err = checkAddress(place)
			f.host = hostOf(place)
			f.name = cmp.Or(plain(place.Host+place.EscapedPath(), maxTitle), f.name)
		} else {
			err = errNoAddress
		}

		f.err = err
		if err == nil && i >= maxFeeds {
			f.err = errManyFeeds
		}
		list = append(list, f)
	}
	return list
}

// fetchAll fetches and reads the feeds whose addresses are right.
func (c *collection) fetchAll(ctx context.Context, list []*feed, hosts []string) {
	var all sync.WaitGroup
	free := make(chan struct{}, atOnce)
	for _, f := range list {
		if f.err != nil {
			continue
		}
		all.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			f.entries, f.err = c.entries(ctx, f, hosts)
		})
	}
	all.Wait()
}

// entries are the items of one feed.
func (c *collection) entries(ctx context.Context, f *feed, hosts []string) ([]news, error) {
	if c.Fetch == nil {
		return nil, errNoDocument
	}

	document, err := c.Fetch(ctx, f.address, hosts)
	if err != nil {
		return nil, err
	}
	list, err := parseFeed(document)
	if err != nil {
		return nil, err
	}

	today := c.now.Format(time.DateOnly)
	var entries []news
	for _, e := range list {
		title := plain(e.title, maxTitle)
		if title == "" {
			continue
		}
		entries = append(entries, news{
			title:  title,
			more:   plain(e.summary, maxMore),
			source: f.name,
			date:   cmp.Or(e.day(), today),
		})
	}
	return entries, nil
}

// layouts are the forms of dates in feeds.
var layouts = []string{
	time.RFC3339, time.RFC1123Z, time.RFC1123, time.RFC822Z, time.RFC822,
	"Mon, 2 Jan 2006 15:04:05 -0700", "Mon, 2 Jan 2006 15:04:05 MST",
	"2 Jan 2006 15:04:05 -0700", "2 Jan 2006 15:04:05 MST",
	"2006-01-02T15:04:05", "2006-01-02 15:04:05", time.DateOnly,
}

// day is the date of an entry, "" if none can be read.
func (e entry) day() string {
	for _, layout := range layouts {
		at, err := time.Parse(layout, strings.TrimSpace(e.date))
		if err == nil && at.Year() > 1990 && at.Year() < 2200 {
			return at.UTC().Format(time.DateOnly)
		}
	}
	return ""
}
