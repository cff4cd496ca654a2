// Package caller notes in a context who sends a request. The checks in front of the
// routes know that; sessions and the other tasks ask for it.
package caller

import "context"

type key struct{}

// With notes who sends a request.
func With(ctx context.Context, caller string) context.Context {
	return context.WithValue(ctx, key{}, caller)
}

// Of is who sends a request, "" where the server asks nobody.
func Of(ctx context.Context) string {
	caller, _ := ctx.Value(key{}).(string)
	return caller
}

// Operator is the caller who shows the kill secret. An operator may speak in every
// session, since a kill must work in each.
const Operator = "operator"
