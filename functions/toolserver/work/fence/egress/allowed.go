// Package egress is the way of a fenced program into the network: a proxy outside the fence that
// connects to the hosts which are allowed, and to no others.
//
// It speaks HTTP: CONNECT for TLS and whatever else a program tunnels, and plain requests. Names
// decide, not what goes through a tunnel. A name that leads to a private address is refused; an
// address must be allowed as such.
package egress

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Kinds of a network.
const (
	Open  = "open"
	None  = "none"
	allow = "allow:"
)

// usualPorts are those of a host that is allowed without one.
var usualPorts = []uint16{80, 443}

// Allowed are the hosts that a program may reach.
type Allowed []target

// target is one host: a name, a name with *. for those below it, or an address.
type target struct {
	name    string // in lower case; "" for an address
	below   bool
	address netip.Addr
	ports   []uint16
}

// Check says what is wrong with the text of a network: open, none, or allow:HOST,HOST:PORT.
func Check(network string) error {
	_, err := Parse(network)
	return err
}

// Parse reads the text of a network. Nothing is allowed with open and none, which need no proxy.
func Parse(network string) (Allowed, error) {
	if network == Open || network == None {
		return nil, nil
	}
	list, ok := strings.CutPrefix(network, allow)
	if !ok || list == "" {
		return nil, fmt.Errorf("a network is open, none, or allow:HOST,HOST:PORT,..., not %q", network)
	}

	var allowed Allowed
	for text := range strings.SplitSeq(list, ",") {
		t, err := parseTarget(strings.TrimSpace(text))
		if err != nil {
			return nil, err
		}
		allowed = append(allowed, t)
	}
	return allowed, nil
}

// IsFiltered reports whether a network needs the proxy.
func IsFiltered(network string) bool { return strings.HasPrefix(network, allow) }

func parseTarget(text string) (t target, err error) {
	host, port := text, ""
	_, addressErr := netip.ParseAddr(text)
	if at := strings.LastIndexByte(text, ':'); at >= 0 && addressErr != nil {
		host, port = text[:at], text[at+1:]
	}

	t.ports = usualPorts
	if port != "" {
		number, err := strconv.ParseUint(port, 10, 16)
		if err != nil || number == 0 {
			return t, fmt.Errorf("%q has no port from 1 to 65535", text)
		}
		t.ports = []uint16{uint16(number)}
	}

	if address, ok := addressOf(host); ok {
		t.address = address
		return t, nil
	}
	t.name, t.below = strings.CutPrefix(nameOf(host), "*.")
	if !isName(t.name) {
		return t, fmt.Errorf("%q is no name of a host and no address", text)
	}
	return t, nil
}

// addressOf reads an address, which may stand in brackets.
func addressOf(host string) (netip.Addr, bool) {
	if inner, ok := strings.CutPrefix(host, "["); ok {
		host = strings.TrimSuffix(inner, "]")
	}
	address, err := netip.ParseAddr(host)
	return address.Unmap().WithZone(""), err == nil
}

// nameOf is the usual spelling of a name.
func nameOf(host string) string {
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// isName reports whether a text can be the name of a host in the form that is looked up. Numbers
// alone are addresses to some programs.
func isName(text string) bool {
	labels := strings.Split(text, ".")
	if len(text) > 253 || slices.ContainsFunc(labels, isNoLabel) {
		return false
	}
	last := labels[len(labels)-1]
	return strings.Trim(last, "0123456789") != "" && !strings.HasPrefix(last, "0x")
}

func isNoLabel(label string) bool {
	return label == "" || len(label) > 63 || strings.Trim(label, labelCharacters) != ""
}

const labelCharacters = "abcdefghijklmnopqrstuvwxyz0123456789-_"

// decide says whether a host and port may be reached, and the address if one was allowed as such.
func (a Allowed) decide(host string, port uint16) (address netip.Addr, ok bool) {
	address, isAddress := addressOf(host)
	if isAddress {
		return address, slices.ContainsFunc(a, func(t target) bool { return t.isAddress(address, port) })
	}

	name := nameOf(host)
	ok = isName(name) && slices.ContainsFunc(a, func(t target) bool { return t.isHost(name, port) })
	return netip.Addr{}, ok
}

func (t target) isAddress(asked netip.Addr, port uint16) bool {
	return t.address == asked && slices.Contains(t.ports, port)
}

func (t target) isHost(name string, port uint16) bool {
	isIt := name == t.name
	if t.below {
		isIt = strings.HasSuffix(name, "."+t.name)
	}
	return t.name != "" && isIt && slices.Contains(t.ports, port)
}

// ReachesOwn reports whether the loopback of the machine outside is allowed: a program must then
// ask the proxy for addresses that else are its own.
func (a Allowed) ReachesOwn() bool {
	return slices.ContainsFunc(a, func(t target) bool { return t.address.IsLoopback() })
}
