package drift

import (
	"context"

	"governance.internal/functions/toolserver/inspect/fact"
	"governance.internal/functions/toolserver/inspect/tree"
)

// Claims are the findings of versions and counts, by kind. Claims of different facts that
// contradict each other are problems of both.
func Claims(ctx context.Context, t *tree.Tree, builtins fact.Builtins) (map[string]fact.Findings, error) {
	versions, err := fact.Find(ctx, t, builtins, fact.Version, withTargets(t.Config.Versions))
	if err != nil {
		return nil, err
	}
	counts, err := fact.Find(ctx, t, builtins, fact.Count, withTargets(t.Config.Counts))
	if err != nil {
		return nil, err
	}

	all := fact.Findings{Claims: append(versions.Claims, counts.Claims...)}
	all.Conflicts()

	split := map[string]fact.Findings{
		fact.Version: {Problems: versions.Problems},
		fact.Count:   {Problems: counts.Problems},
	}
	for _, c := range all.Claims {
		f := split[c.Kind]
		f.Claims = append(f.Claims, c)
		split[c.Kind] = f
	}
	for _, p := range all.Problems {
		f := split[p.Kind]
		f.Problems = append(f.Problems, p)
		split[p.Kind] = f
	}
	return split, nil
}
