#!/usr/bin/env bash
# Installs what the tests need beside Go: the pinned npm packages, and Debian's
# packages where this runs as root and something is missing. What cannot be
# installed is named; the tests that need it are then skipped. With the argument
# npm only the packages.
set -euo pipefail
cd "$(dirname "$0")"
missing=()
[ "${1:-}" = npm ] || for pair in gcc:gcc python3:python3 jq:jq curl:curl git:git java:default-jre-headless chromium:chromium hledger:hledger bean-check:beancount; do
  command -v "${pair%%:*}" >/dev/null || missing+=("${pair##*:}")
done
if [ "${#missing[@]}" -gt 0 ]; then
  if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends "${missing[@]}" libc6-dev >/dev/null
  else
    echo "missing, please install: ${missing[*]}"
  fi
fi
if ! command -v npm >/dev/null; then
  echo "npm is missing: tests that need it will be skipped"
elif [ ! -e node_modules/.installed ] || [ package-lock.json -nt node_modules/.installed ]; then
  npm ci --no-audit --no-fund --loglevel=error
  touch node_modules/.installed
fi
