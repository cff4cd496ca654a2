package dispatcher

import "context"

type callerKey struct{}

// WithCaller notes who sends a request, as the front of the server knows him.
func WithCaller(ctx context.Context, caller string) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// CallerOf is who sends a request, "" where nobody is asked.
func CallerOf(ctx context.Context) string {
	caller, _ := ctx.Value(callerKey{}).(string)
	return caller
}

// Operator is the caller who shows the secret of the kill switch: he may speak in every
// session, since a kill must work in each.
const Operator = "operator"
