package verifyaudit

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"

	"governance.internal/shared/audit/auditor"
	"governance.internal/shared/httpapi"
)

// CheckpointHeader carries an earlier checkpoint like the query parameter checkpoint.
const CheckpointHeader = "Audit-Checkpoint"

// read reads the options of a buyer: checkpoint, a signed note of this service in base64,
// in the query or the header, and seq in the query.
func (d Deps) read(r *http.Request) (wanted auditor.Request, err error) {
	query := r.URL.Query()
	for _, name := range []string{"checkpoint", "seq"} {
		if given := query[name]; len(given) > 1 || len(given) == 1 && given[0] == "" {
			return wanted, badQuery(name + " must stand once in the query, with a value.")
		}
	}

	if text := cmp.Or(query.Get("checkpoint"), r.Header.Get(CheckpointHeader)); text != "" {
		signed, err := base64.URLEncoding.DecodeString(text)
		if err != nil {
			signed, err = base64.StdEncoding.DecodeString(text)
		}
		if err != nil {
			return wanted, badQuery("checkpoint must be the base64 of a signed checkpoint.")
		}

		c, err := d.Auditor.Notary.Open(signed)
		if err != nil || c.Size == 0 {
			return wanted, badQuery("checkpoint is not one that this service signed with the key " + d.Auditor.Notary.Key + ".")
		}
		wanted.Earlier = &c
	}

	if text := query.Get("seq"); text != "" {
		if wanted.Seq, err = strconv.ParseUint(text, 10, 63); err != nil || wanted.Seq == 0 {
			return wanted, badQuery("seq must be the number of an entry, from 1.")
		}
		head, err := d.Auditor.Store.Head(r.Context())
		if err != nil {
			return wanted, unreadable(r.Context(), err)
		}
		if wanted.Seq > head.Seq {
			return wanted, badQuery(fmt.Sprintf("seq must be the number of an entry; the chain has %d.", head.Seq))
		}
	}

	return wanted, nil
}

func badQuery(detail string) error {
	return &httpapi.Error{
		Status: http.StatusBadRequest,
		Code:   "invalid_query",
		Detail: detail,
	}
}
