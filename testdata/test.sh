#!/usr/bin/env bash
# Runs go test and shows what a person wants to know: failures in full, one line
# per package, the figures that tests print, and at the end what was skipped and
# why. With CI=true a skip is a failure.
set -euo pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
go test -v "$@" >"$log" 2>&1 || status=$?
grep -E '^(ok|FAIL|panic:)|\[build failed\]' "$log" | grep -v 'no test files' || true
grep -E 'MB  init' "$log" | sed 's/^ *[a-z_]*\.go:[0-9]*: /  /' || true
if [ "$status" -ne 0 ]; then
  echo "---- what failed ----"
  grep -vE '^\s*(=== (RUN|PAUSE|CONT|NAME)|--- PASS|ok )' "$log" | tail -200
fi
passed=$(grep -cE '^ *--- PASS' "$log" || true)
failed=$(grep -cE '^ *--- FAIL' "$log" || true)
skipped=$(grep -cE '^ *--- SKIP' "$log" || true)
if [ "$skipped" -gt 0 ]; then
  echo "---- skipped ----"
  grep -A1 -E '^ *--- SKIP' "$log"
  [ "${CI:-}" != true ] || status=1
fi
echo "$passed passed, $failed failed, $skipped skipped"
exit "$status"
