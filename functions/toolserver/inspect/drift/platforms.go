package drift

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/finding"
)

// Types of drifts of platforms.
const (
	PlatformMissing = "platform_file_missing"
	FeatureMissing  = "feature_missing"
	FeatureUnknown  = "feature_unknown"
	FeatureParity   = "feature_parity"
)

// platforms looks for the features of each member in the file of each platform.
func (s *scan) platforms(ctx context.Context) (Result, error) {
	var r Result
	p := s.state.Config.Platforms
	if len(p.Entries) == 0 {
		r.skip(Platforms, "no platform is described", enable("platforms.entries"))
		return r, nil
	}

	for _, e := range p.Entries {
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		s.platform(&r, e)
	}
	s.parity(&r)
	return r, nil
}

func (s *scan) platform(r *Result, e workspace.Platform) {
	r.Checked++
	name := path.Clean(e.File)
	text, err := s.tree.Read(name)
	if err != nil {
		message := "the file cannot be read: " + err.Error()
		if errors.Is(err, fs.ErrNotExist) {
			message = "the file does not exist"
		}
		r.found(Drift{
			Type:     PlatformMissing,
			Source:   workspace.FileName,
			Target:   name,
			Field:    e.Member + "." + e.Platform,
			Expected: name,
			Severity: finding.Error,
			Message:  message,
		})
		return
	}

	for _, feature := range e.Features {
		r.Checked++
		pattern, known := s.state.Config.Platforms.Features[feature]
		if !known {
			r.found(Drift{
				Type:     FeatureUnknown,
				Source:   workspace.FileName,
				Target:   name,
				Field:    feature,
				Severity: finding.Error,
				Message:  "platforms.features does not say how " + feature + " is recognized",
			})
			continue
		}
		if !pattern.Match(text) {
			r.found(Drift{
				Type:     FeatureMissing,
				Source:   workspace.FileName,
				Target:   name,
				Field:    feature,
				Expected: pattern.String(),
				Severity: finding.Error,
				Message:  fmt.Sprintf("%s on %s has no %s", e.Member, e.Platform, feature),
			})
		}
	}
}

// parity tells which features a member has on one platform and not on another.
func (s *scan) parity(r *Result) {
	entries := s.state.Config.Platforms.Entries
	for _, e := range entries {
		for _, other := range entries {
			if other.Member != e.Member || other.Platform == e.Platform {
				continue
			}
			for _, feature := range other.Features {
				if slices.Contains(e.Features, feature) {
					continue
				}
				r.found(Drift{
					Type:     FeatureParity,
					Source:   path.Clean(other.File),
					Target:   path.Clean(e.File),
					Field:    feature,
					Expected: feature,
					Severity: finding.Info,
					Message:  fmt.Sprintf("%s has %s on %s and not on %s", e.Member, feature, other.Platform, e.Platform),
				})
			}
		}
	}
}
