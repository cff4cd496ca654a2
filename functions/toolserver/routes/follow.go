package routes

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"governance.internal/functions/toolserver/guard/mask"
	"governance.internal/functions/toolserver/mcp/eventstream"
	"governance.internal/functions/toolserver/routes/answer"
)

// maxFollows is how many logs are followed at once, by all clients together.
const maxFollows = 32

// logPart is the data of an event of a log. Its id is the place in the log behind it.
type logPart struct {
	Text string `json:"text"`
}

// log is GET /dispatches/{id}/log: the log as server-sent events, as it grows, without
// secrets. The events log carry the text; the event end, the row of GET /dispatches, is the
// last one. A client that lost its connection continues after Last-Event-ID; one that has
// the whole log gets 204, which ends its retries (WHATWG HTML, section 9.2).
func (d *dispatches) log(w http.ResponseWriter, r *http.Request) {
	from := int64(0)
	last := r.Header.Get("Last-Event-ID")
	if last != "" {
		var err error
		if from, err = strconv.ParseInt(last, 10, 64); err != nil || from < 0 {
			answer.Error(
				w,
				http.StatusBadRequest,
				"invalid_argument",
				"Last-Event-ID must be the id of an event of this log.",
			)

			return
		}
	}

	select {
	case d.follows <- struct{}{}:
		defer func() { <-d.follows }()
	default:
		w.Header().Set("Retry-After", "5")
		answer.Error(
			w,
			http.StatusServiceUnavailable,
			"unavailable",
			"Too many logs are followed. Try again later.",
		)

		return
	}

	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(d.leaving, cancel)()

	d.follow(ctx, w, r.PathValue("id"), from)
}

func (d *dispatches) follow(ctx context.Context, w http.ResponseWriter, id string, from int64) {
	stream := eventstream.New(w)
	defer stream.End()

	if _, err := d.runs.LogPath(id); err == nil {
		defer stream.KeepAlive(eventstream.Interval)()
	}

	at := from
	record, err := d.runs.Follow(ctx, id, from, func(part []byte, next int64) error {
		at = next
		text := mask.Text(d.files.Hide(strings.ToValidUTF8(string(part), "\uFFFD")))
		data, err := json.Marshal(logPart{text})
		if err != nil {
			return err
		}
		return stream.EventAt(strconv.FormatInt(next, 10), "log", data)
	})
	switch {
	case errors.Is(err, fs.ErrNotExist) && !stream.Opened():
		answer.Error(
			w,
			http.StatusNotFound,
			"not_found",
			"There is no such dispatch here. GET /dispatches lists them.",
		)
	case ctx.Err() != nil: // the client or the server goes
	case err != nil:
		slog.WarnContext(ctx, "log not followed", "dispatch", id, "error", err.Error())
		if !stream.Opened() {
			answer.Error(w, http.StatusInternalServerError, "unavailable", "The log cannot be read.")
		}
	case at == from && from > 0 && !stream.Opened():
		w.WriteHeader(http.StatusNoContent)
	default:
		if data, err := json.Marshal(d.row(record, "completed")); err == nil {
			_ = stream.EventAt(strconv.FormatInt(at, 10), "end", data) // the client may be gone
		}
	}
}
