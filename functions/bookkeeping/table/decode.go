// Package table turns the bytes of an export into records of cells, each with the line where it starts.
package table

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// Refusals of files that are no tables.
var (
	ErrEmpty       = errors.New("the file is empty; export the transactions again")
	ErrSpreadsheet = errors.New("the file is a spreadsheet or an archive; save it as CSV and send that")
	ErrPDF         = errors.New("the file is a PDF; download the transactions as CSV, OFX or CAMT.053")
	ErrHTML        = errors.New("the file is an HTML page and no export; log in to the bank and export again")
	ErrJSON        = errors.New("the file is JSON; export the transactions as CSV")
	ErrNUL         = errors.New("the file holds NUL bytes inside its text and is damaged; export it again")
)

// Decode returns the text of a file and the name of its encoding. Text that is not UTF-8 and has no
// mark is read as Windows-1252, which every byte string is.
func Decode(raw []byte) (text, encoding string, err error) {
	if err := refuseOtherFormats(raw); err != nil {
		return "", "", err
	}

	text, encoding, err = decodeUnicode(raw)
	if err != nil {
		return "", "", err
	}
	if encoding == "" {
		text, err = charmap.Windows1252.NewDecoder().String(string(raw))
		encoding = "windows-1252"
	}
	if err != nil {
		return "", "", err
	}

	if strings.ContainsRune(text, 0) {
		return "", "", ErrNUL
	}
	if err := refuseMarkup(text); err != nil {
		return "", "", err
	}
	return text, encoding, nil
}

func refuseOtherFormats(raw []byte) error {
	if len(bytes.TrimSpace(raw)) == 0 {
		return ErrEmpty
	}

	isArchive := bytes.HasPrefix(raw, []byte("PK")) && bytes.IndexByte(raw, 0) >= 0
	isOldOffice := bytes.HasPrefix(raw, []byte("\xd0\xcf\x11\xe0"))
	isGzip := bytes.HasPrefix(raw, []byte("\x1f\x8b"))
	if isArchive || isOldOffice || isGzip {
		return ErrSpreadsheet
	}
	if bytes.HasPrefix(raw, []byte("%PDF-")) {
		return ErrPDF
	}
	return nil
}

// decodeUnicode reads the encodings of Unicode. The name is empty for bytes in none of them.
func decodeUnicode(raw []byte) (text, encoding string, err error) {
	switch {
	case bytes.HasPrefix(raw, []byte("\xef\xbb\xbf")):
		if body := raw[3:]; utf8.Valid(body) {
			return string(body), "utf-8-bom", nil
		}
		return "", "", nil
	case bytes.HasPrefix(raw, []byte("\xff\xfe")):
		return decode16(raw[2:], unicode.LittleEndian, "utf-16le")
	case bytes.HasPrefix(raw, []byte("\xfe\xff")):
		return decode16(raw[2:], unicode.BigEndian, "utf-16be")
	}

	switch endianness(raw) {
	case 'l':
		return decode16(raw, unicode.LittleEndian, "utf-16le")
	case 'b':
		return decode16(raw, unicode.BigEndian, "utf-16be")
	}

	if utf8.Valid(raw) {
		return string(raw), "utf-8", nil
	}
	return "", "", nil
}

func decode16(raw []byte, order unicode.Endianness, name string) (text, encoding string, err error) {
	if len(raw)%2 != 0 {
		return "", "", ErrNUL
	}
	text, err = unicode.UTF16(order, unicode.IgnoreBOM).NewDecoder().String(string(raw))
	return text, name, err
}

// endianness recognises UTF-16 without a mark: nearly every second byte is NUL. It returns 'l', 'b', or 0.
func endianness(raw []byte) byte {
	sample := raw[:min(len(raw), 4096)]
	var zeros [2]int
	for i, b := range sample {
		if b == 0 {
			zeros[i%2]++
		}
	}

	pairs := len(sample) / 2
	most := pairs * 7 / 10
	if pairs < 4 {
		return 0
	}
	if zeros[1] > most && zeros[0] == 0 {
		return 'l'
	}
	if zeros[0] > most && zeros[1] == 0 {
		return 'b'
	}
	return 0
}

func refuseMarkup(text string) error {
	start := strings.TrimSpace(text[:min(len(text), 400)])
	lower := strings.ToLower(start)

	if strings.HasPrefix(lower, "<!doctype html") || strings.HasPrefix(lower, "<html") {
		return ErrHTML
	}
	if strings.HasPrefix(start, "{") || strings.HasPrefix(start, "[{") {
		return ErrJSON
	}
	return nil
}
