// Package caller stores the sender of a request in its context. The access checks set it;
// sessions and the other tasks read it.
package caller

import "context"

type key struct{}

// With notes who sends a request.
func With(ctx context.Context, caller string) context.Context {
	return context.WithValue(ctx, key{}, caller)
}

// Of returns the sender of a request, "" if the server does not authenticate callers.
func Of(ctx context.Context) string {
	caller, _ := ctx.Value(key{}).(string)
	return caller
}

// Operator is the caller with the kill secret. An operator may send messages to every
// session, because a kill must work in each.
const Operator = "operator"
