#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Makes configure and what belongs to it. Needs autoconf, automake, libtool, pkg-config.
set -e
cd "$(dirname "$0")"
mkdir -p build-aux
exec autoreconf --force --install "$@"
