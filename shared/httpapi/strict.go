package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// DecodeStrict reads a body that is one JSON object. Unknown members are refused: a misspelled one
// would otherwise be answered as if it were absent. The error says what is wrong in words that
// follow "The body cannot be read: ".
func DecodeStrict(body []byte, into any) error {
	if !utf8.Valid(body) {
		return errors.New("it is not valid UTF-8")
	}

	reader := json.NewDecoder(bytes.NewReader(body))
	reader.DisallowUnknownFields()
	if err := reader.Decode(into); err != nil {
		return worded(err)
	}
	if _, err := reader.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the object")
	}
	return nil
}

// worded words an error of encoding/json for a caller.
func worded(err error) error {
	var wrongType *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("it is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it breaks off")
	case errors.As(err, &wrongType) && wrongType.Field == "":
		return errors.New("it is no object")
	case errors.As(err, &wrongType):
		return fmt.Errorf("%s is a %s and must be a %s", wrongType.Field, wrongType.Value, wrongType.Type)
	}
	return err
}
