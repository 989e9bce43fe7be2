#!/bin/sh
# Runs the Gradle of the version that gradle/wrapper/gradle-wrapper.properties names: an installed one, else the one
# that gradle/bootstrap downloaded or assembled before, else it lets gradle/bootstrap do that now (README.md there).

fail() {
	printf 'gradlew: %s\n' "$*" >&2
	exit 1
}

# The folder of this file, also when called through a symlink or from somewhere else.
self=$0
while [ -h "$self" ]; do
	link=$(readlink "$self")
	case $link in /*) self=$link ;; *) self=$(dirname -- "$self")/$link ;; esac
done
root=$(CDPATH='' cd -P -- "$(dirname -- "$self")" && pwd) || exit 1
properties=$root/gradle/wrapper/gradle-wrapper.properties
bootstrap=$root/gradle/bootstrap
version=$(sed -n 's|^distributionUrl=.*/gradle-\(.*\)-[abiln]*\.zip.*|\1|p' "$properties")
[ -n "$version" ] || fail "no distributionUrl of a Gradle in $properties: restore that file"

# The JDK: its release file tells the version without starting it; a shim or a JDK without that file has to be asked.
remedy="set JAVA_HOME to a JDK 17 (Gradle $version runs on 17 to 22)"
if [ -n "${JAVA_HOME:-}" ]; then
	java=$JAVA_HOME/bin/java
	[ -x "$java" ] || fail "there is no JDK in JAVA_HOME ($JAVA_HOME): $remedy"
else
	java=$(command -v java) || fail "there is no java on the PATH: $remedy"
	java=$(readlink -f "$java" 2>/dev/null || printf '%s' "$java")
fi
jdk=${java%/bin/java}
found=$(sed -n 's/^JAVA_VERSION="\([^"]*\)".*/\1/p' "$jdk/release" 2>/dev/null)
if [ -z "$found" ]; then
	answer=$("$java" -XshowSettings:properties -version 2>&1)
	jdk=$(printf '%s\n' "$answer" | sed -n 's/^ *java\.home = //p')
	found=$(printf '%s\n' "$answer" | sed -n 's/^ *java\.version = //p')
fi
major=${found%%[!0-9]*}
[ -n "$major" ] || fail "$java does not tell its version: $remedy"
{ [ "$major" -ge 17 ] && [ "$major" -le 22 ]; } || fail "the Java in $jdk is $found: $remedy"
[ -x "$jdk/bin/javac" ] || fail "the Java in $jdk has no compiler (javac): $remedy"

# 1. A Gradle of this version on the PATH. The jar's name tells its version without starting it.
if gradle=$(command -v gradle); then
	real=$(readlink -f "$gradle" 2>/dev/null || printf '%s' "$gradle")
	if [ -f "$(dirname -- "$real")/../lib/gradle-launcher-$version.jar" ]; then
		exec "$gradle" "$@"
	fi
fi

# 2. One that an IDE or the ordinary wrapper downloaded; the .ok file says that it was finished.
user_home=${GRADLE_USER_HOME:-${HOME:?is not set: set HOME or GRADLE_USER_HOME}/.gradle}
for ok in "$user_home/wrapper/dists/gradle-$version-"*/*/"gradle-$version-"*.zip.ok; do
	gradle=${ok%/*}/gradle-$version/bin/gradle
	if [ -f "$ok" ] && [ -x "$gradle" ]; then
		exec "$gradle" "$@"
	fi
done

# 3. Our own. The name holds a checksum of all that decides what is in it, so a changed recipe gets a new folder.
key=$(cat "$properties" "$bootstrap/parts.txt" "$bootstrap/GradleBootstrap.java" | cksum)
home=$user_home/bootstrap/gradle-$version-${key%% *}
if ! [ -x "$home/bin/gradle" ]; then
	# With -cp, as a CLASSPATH in the environment is no business of ours.
	"$java" -cp "$bootstrap" "$bootstrap/GradleBootstrap.java" "$properties" "$bootstrap/parts.txt" "$home" \
		</dev/null || exit 1
fi
exec "$home/bin/gradle" "$@"
