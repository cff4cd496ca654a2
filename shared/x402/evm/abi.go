package evm

import (
	"encoding/binary"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
)

// Just enough of the contract ABI: calls are built from 32-byte words, and of
// dynamic types there is only bytes.

// words is a row of addresses, hashes and numbers as 32-byte words.
func words(values ...any) []byte {
	row := make([]byte, 0, 32*len(values))
	for _, value := range values {
		switch v := value.(type) {
		case common.Address:
			row = append(row, common.LeftPadBytes(v[:], 32)...)
		case common.Hash:
			row = append(row, v[:]...)
		case uint64:
			row = append(row, word(v)...)
		}
	}
	return row
}

// dynamic is bytes as they stand behind their offset: length, content, padding.
func dynamic(content []byte) []byte {
	row := append(word(uint64(len(content))), content...)
	return append(row, make([]byte, -len(content)&31)...)
}

// withBytes is a call with one bytes argument behind its other words.
func withBytes(selector, head, content []byte) []byte {
	data := append(selector[:4:4], head...)
	data = append(data, word(uint64(len(head)+32))...)
	return append(data, dynamic(content)...)
}

// wordAt reads a number that must be below the length of data, as every offset
// and length is.
func wordAt(data []byte, at uint64) (n uint64, ok bool) {
	size := uint64(len(data))
	if at > size || size-at < 32 {
		return 0, false
	}
	for _, b := range data[at : at+24] {
		if b != 0 {
			return 0, false
		}
	}

	n = binary.BigEndian.Uint64(data[at+24 : at+32])
	return n, n <= size
}

// bytesAt reads the bytes whose offset, relative to data, stands at a place.
func bytesAt(data []byte, at uint64) (content []byte, ok bool) {
	offset, ok := wordAt(data, at)
	if !ok {
		return nil, false
	}
	length, ok := wordAt(data, offset)
	if rest := uint64(len(data)) - offset; !ok || length > rest-32 {
		return nil, false
	}
	return data[offset+32 : offset+32+length], true
}

// multicall3 makes several calls in one transaction, at the same address on
// every EVM network.
var multicall3 = common.HexToAddress("0xcA11bde05977b3631167028862bE2a173976CA11")

var selectorAggregate = selector("aggregate3((address,bool,bytes)[])")

// step is one call of a multicall.
type step struct {
	to      common.Address
	data    []byte
	mayFail bool
}

// aggregate is the call of Multicall3 that makes the steps in order.
func aggregate(steps ...step) ethereum.CallMsg {
	offsets := []byte(nil)
	tuples := []byte(nil)
	for _, s := range steps {
		offsets = append(offsets, word(uint64(32*len(steps)+len(tuples)))...)
		mayFail := uint64(0)
		if s.mayFail {
			mayFail = 1
		}
		tuples = append(tuples, words(s.to, mayFail, uint64(96))...)
		tuples = append(tuples, dynamic(s.data)...)
	}

	data := append(selectorAggregate[:4:4], words(uint64(32), uint64(len(steps)))...)
	return message(multicall3, append(append(data, offsets...), tuples...))
}

// lastResult reads what the last step of a multicall gave. It is not ok when
// out is not the answer of Multicall3.
func lastResult(out []byte) (success bool, data []byte, ok bool) {
	array, ok := wordAt(out, 0)
	if !ok {
		return false, nil, false
	}

	count, ok := wordAt(out, array)
	if !ok || count == 0 {
		return false, nil, false
	}

	elements := out[array+32:]
	last, ok := wordAt(elements, 32*(count-1))
	if !ok {
		return false, nil, false
	}

	flag, ok := wordAt(elements, last)
	if !ok {
		return false, nil, false
	}

	data, ok = bytesAt(elements[last:], 32)
	return flag == 1, data, ok
}
