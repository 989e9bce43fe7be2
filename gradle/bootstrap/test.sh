#!/bin/sh
# Tries gradlew and gradle/bootstrap in every situation they have an answer for, in temporary folders of its own.
# Needs a JDK 17 to 22, mvn, and the parts in the local Maven repository or a network to get them; takes about a minute.
# usage: gradle/bootstrap/test.sh

here=$(CDPATH='' cd -P -- "$(dirname -- "$0")" && pwd) || exit 1
root=${here%/gradle/bootstrap}
work=$(mktemp -d) || exit 1
server=
small=
passed=0
failed=0

clean_up() {
	[ -z "$server" ] || kill "$server" 2>/dev/null
	[ -z "$small" ] || umount "$small" 2>/dev/null
	rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 1' HUP INT TERM

# check NAME: the exit code of the command before decides; the output of the last run is shown when it went wrong.
check() {
	code=$?
	if [ $code -eq 0 ]; then
		passed=$((passed + 1))
		echo "ok      $1"
	else
		failed=$((failed + 1))
		echo "FAILED  $1"
		sed 's/^/        | /' "$work/out" "$work/err"
	fi
}

# run COMMAND...: keeps its output and exit code; $path is all that the command finds on its PATH.
run() {
	PATH=$path "$@" >"$work/out" 2>"$work/err" </dev/null
	code=$?
}

is_gradle() { [ "$code" -eq 0 ] && grep -q "^Gradle $version\$" "$work/out"; }
silent() { ! [ -s "$work/err" ]; }
# refused TEXT: exit code 1, and the last line on standard error is ours and holds the text; no stack trace.
refused() {
	[ "$code" -eq 1 ] && tail -n 1 "$work/err" | grep '^gradlew: ' | grep -qF -- "$1" && ! grep -q '	at ' "$work/err"
}
# nothing_left: no Gradle and no temporary folder under the Gradle home.
nothing_left() { [ "$(ls "$GRADLE_USER_HOME/bootstrap" 2>/dev/null)" = lock ]; }
new_home() { GRADLE_USER_HOME=$(mktemp -d "$work/home.XXXXXX") && export GRADLE_USER_HOME; }
set_property() { sed "s|^$1=.*|$1=$2|" "$properties" >"$work/p" && cat "$work/p" >"$properties"; }

# A copy of what is tested. Its distributionUrl is a port where nobody listens, on whatever network this runs.
project="$work/a project"
mkdir -p "$project/gradle"
cp "$root/gradlew" "$project/"
cp -R "$root/gradle/wrapper" "$root/gradle/bootstrap" "$project/gradle/"
properties=$project/gradle/wrapper/gradle-wrapper.properties
version=$(sed -n 's|^distributionUrl=.*/gradle-\(.*\)-bin\.zip|\1|p' "$properties")
nobody=http\\\\://127.0.0.1\\\\:1/gradle-$version-bin.zip
set_property distributionUrl "$nobody"
cp "$properties" "$work/nobody.properties"
cd "$work" || exit 1
unset JAVA_OPTS GRADLE_OPTS

# A PATH without gradle, and ones that lack more. JAVA_HOME is set where java is not what is tested.
JAVA_HOME=${JAVA_HOME:-$(dirname -- "$(dirname -- "$(readlink -f "$(command -v java)")")")}
export JAVA_HOME
for tool in basename cat cksum cut dirname env expr kill ls printf ps pwd readlink sed sh sleep tr uname xargs; do
	for set in bare maven; do
		mkdir -p "$work/$set"
		if command -v "$tool" >/dev/null; then ln -sf "$(command -v "$tool")" "$work/$set/$tool"; fi
	done
done
maven=$(command -v mvn) || { echo "there is no mvn on the PATH" >&2; exit 1; }
ln -s "$maven" "$work/maven/mvn"
path=$work/maven

# No JDK, a wrong one, no Maven

new_home
JAVA_HOME_BEFORE=$JAVA_HOME
unset JAVA_HOME
run "$project/gradlew" --version; refused 'no java on the PATH: set JAVA_HOME to a JDK 17'; check 'no java on the PATH'
export JAVA_HOME="$work/no such jdk"
run "$project/gradlew" --version; refused 'set JAVA_HOME to a JDK 17'; check 'JAVA_HOME without a JDK'
JAVA_HOME="$work/fake jdk"
mkdir -p "$JAVA_HOME/bin"
ln -s "$JAVA_HOME_BEFORE/bin/java" "$JAVA_HOME_BEFORE/bin/javac" "$JAVA_HOME/bin/"
for number in 1.8.0_402 11.0.2 16 23.0.1 25; do
	echo "JAVA_VERSION=\"$number\"" >"$JAVA_HOME/release"
	run "$project/gradlew" --version; refused "is $number: set JAVA_HOME to a JDK 17"; check "JDK $number"
done
echo 'JAVA_VERSION="17.0.1"' >"$JAVA_HOME/release"
rm "$JAVA_HOME/bin/javac"
run "$project/gradlew" --version; refused 'has no compiler'; check 'a Java without javac'
JAVA_HOME=$JAVA_HOME_BEFORE
path=$work/bare
run "$project/gradlew" --version
refused 'there is no mvn on the PATH' && nothing_left; check 'no Maven'

# An installed one; arguments, folders and links (no JVM is started here)

installed() {
	mkdir -p "$1/bin" "$1/lib"
	: >"$1/lib/gradle-launcher-$version.jar"
	# shellcheck disable=SC2016
	printf '#!/bin/sh\nprintf "<%%s>" "$@"\necho "$GREETING"\nexit 7\n' >"$1/bin/gradle"
	chmod +x "$1/bin/gradle"
}
installed "$work/on path"
# shellcheck disable=SC2016
expected='<two words><><it'\''s "quoted"><*><$HOME><\n><-Pa=b c>good day'
# shellcheck disable=SC2016
call() { run env GREETING='good day' "$@" 'two words' '' 'it'\''s "quoted"' '*' '$HOME' '\n' '-Pa=b c'; }
given() { [ "$code" -eq 7 ] && silent && [ "$(cat "$work/out")" = "$expected" ]; }
path="$work/on path/bin:$work/bare"
call "$project/gradlew"; given; check 'a Gradle on the PATH gets all arguments as they are'
path=$work/bare
ln -s "$work/on path/bin/gradle" "$work/bare/gradle"
call "$project/gradlew"; given; check 'a Gradle on the PATH behind a symlink'
rm "$work/bare/gradle"
dists=$GRADLE_USER_HOME/wrapper/dists/gradle-$version-bin/abc
installed "$dists/gradle-$version"
run "$project/gradlew"
refused 'there is no mvn'; check 'a download of the ordinary wrapper without its .ok file is not trusted'
: >"$dists/gradle-$version-bin.zip.ok"
call "$project/gradlew"; given; check 'a download of the ordinary wrapper'
ln -s "a project/gradlew" "$work/relative"
ln -s "$work/relative" "$work/absolute"
call "$work/absolute"; given; check 'gradlew through two symlinks'
call sh -c 'cd "a project" && shift 0 && exec sh gradlew "$@"' sh; given; check 'sh gradlew in its own folder'
rm -r "$dists/gradle-$version/lib"
mv "$work/on path/lib/gradle-launcher-$version.jar" "$work/on path/lib/gradle-launcher-0.1.jar"
new_home
path="$work/on path/bin:$work/bare"
run "$project/gradlew"
refused 'there is no mvn'; check 'a Gradle of another version on the PATH is not taken'

# The official distribution, from a server of ours

mkdir -p "$work/www"
installed "$work/zip/gradle-$version"
rm "$work/zip/gradle-$version/lib/"*
chmod -x "$work/zip/gradle-$version/bin/gradle"
(cd "$work/zip" && "$JAVA_HOME/bin/jar" cfM "$work/www/gradle-$version-bin.zip" "gradle-$version")
sum=$({ sha256sum "$work/www/gradle-$version-bin.zip" 2>/dev/null ||
	shasum -a 256 "$work/www/gradle-$version-bin.zip"; } | cut -c1-64)
cat >"$work/Server.java" <<'JAVA'
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.file.*;
class Server {
	public static void main(String[] args) throws Exception {
		HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
		server.setExecutor(java.util.concurrent.Executors.newCachedThreadPool());
		byte[] zip = Files.readAllBytes(Path.of(args[0]));
		server.createContext("/", (exchange) -> {
			String path = exchange.getRequestURI().getPath();
			if (path.startsWith("/silent")) {
				try { Thread.sleep(60000); } catch (InterruptedException ex) { }
			}
			boolean whole = !path.startsWith("/broken") && !path.startsWith("/stalled");
			exchange.sendResponseHeaders(path.startsWith("/missing") ? 404 : 200, zip.length);
			exchange.getResponseBody().write(zip, 0, whole ? zip.length : 100);
			exchange.getResponseBody().flush();
			if (path.startsWith("/stalled")) {
				try { Thread.sleep(60000); } catch (InterruptedException ex) { }
			}
			exchange.close();
		});
		server.start();
		Files.writeString(Path.of(args[1] + ".new"), "" + server.getAddress().getPort());
		Files.move(Path.of(args[1] + ".new"), Path.of(args[1]));
	}
}
JAVA
"$JAVA_HOME/bin/java" "$work/Server.java" "$work/www/gradle-$version-bin.zip" "$work/port" 2>"$work/server.err" &
server=$!
tries=0
until [ -f "$work/port" ] || [ $tries -gt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
serve() { set_property distributionUrl "http\\\\://127.0.0.1\\\\:$(cat "$work/port")$1/gradle-$version-bin.zip"; }
serve ''
set_property distributionSha256Sum "$sum"
call "$project/gradlew"
[ "$code" -eq 7 ] && [ "$(cat "$work/out")" = "$expected" ]; check 'official, good checksum'
call "$project/gradlew"; given; check 'official, the second run has nothing to say'
new_home
set_property distributionSha256Sum 0000
run "$project/gradlew"
refused "its SHA-256 is $sum" && nothing_left; check 'official, wrong checksum: refused, nothing left'
set_property distributionSha256Sum "$sum"
path=$work/bare # so that these end where Maven would begin
for how in broken missing silent stalled; do
	serve "/$how"
	[ $how != stalled ] || set_property networkTimeout 1000
	run "$project/gradlew"
	case $how in
		# Whoever waited for the server would not be told this, but get what it sends at last.
		silent) refused 'does not answer, and there is no mvn' && nothing_left ;;
		stalled) refused 'Read timed out), and there is no mvn' && nothing_left ;;
		*) refused 'there is no mvn' && nothing_left ;;
	esac
	check "official, $how: the other way"
done
path=$work/maven
cp "$work/nobody.properties" "$properties"

# Assembling

new_home
run "$project/gradlew" --version
is_gradle && grep -q 'does not answer.*assembling' "$work/err"; check 'assembled from Maven Central'
run "$project/gradlew" --version; is_gradle && silent; check 'the second run has nothing to say'
run env JAVA_OPTS="-Dx='a b' -Dy=\$HOME" GRADLE_OPTS='-Dz="*"' JAVA_TOOL_OPTIONS= "$project/gradlew" --version
is_gradle; check 'JAVA_OPTS and GRADLE_OPTS with blanks and quotes'
first=$GRADLE_USER_HOME/bootstrap

# A mvn that kills whoever called it (the bootstrap), at once or in the middle of the assembly.
mkdir "$work/deadly"
cat >"$work/deadly/mvn" <<EOF
#!/bin/sh
caller=\$PPID
if [ "\$KILL" = now ]; then kill -9 \$caller; exit; fi
(until ls "\$GRADLE_USER_HOME"/bootstrap/making-*/assembled/lib/gradle-base*.jar; do sleep 0.02; done
sleep 0.3; kill -9 \$caller) >/dev/null 2>&1 &
exec "$maven" "\$@"
EOF
chmod +x "$work/deadly/mvn"
new_home
path=$work/deadly:$work/bare
for moment in now later; do
	run env KILL=$moment "$project/gradlew" --version
	[ "$code" -ne 0 ] && ls -d "$GRADLE_USER_HOME"/bootstrap/making-* >/dev/null 2>&1 &&
		! ls -d "$GRADLE_USER_HOME"/bootstrap/gradle-* >/dev/null 2>&1
	check "killed ($moment): nothing has the final name"
done
path=$work/maven
PATH=$path "$project/gradlew" --version >"$work/out2" 2>"$work/err2" </dev/null &
other=$!
run "$project/gradlew" --version
wait $other
is_gradle && grep -q "^Gradle $version\$" "$work/out2"; check 'then two at the same time: both work'
[ "$(cat "$work/err" "$work/err2" | grep -c 'assembling')" -eq 1 ]; check '... one assembled, the other waited'
[ "$(ls "$GRADLE_USER_HOME/bootstrap")" = "$(ls "$first")" ]; check '... and what the killed ones had left is gone'

new_home
parts=$project/gradle/bootstrap/parts.txt
cp "$parts" "$work/parts.txt"
sed '/:groovy-json:/s/^......../00000000/' "$work/parts.txt" >"$parts"
run "$project/gradlew" --version
refused 'delete that file and run again' && nothing_left; check 'a bad part: refused, nothing left'
[ -f "$(sed -n 's/^gradlew: refused \(.*\.jar\): its SHA-256.*/\1/p' "$work/err")" ]
check '... and the line names the file'
cp "$work/parts.txt" "$parts"
printf '#!/bin/sh\necho "[INFO] x"\necho "[ERROR] no route to the mirror -> [Help 1]"\nexit 1\n' >"$work/deadly/mvn"
path=$work/deadly:$work/bare
run "$project/gradlew" --version
refused 'mvn could not get the parts of Gradle '"$version"': no route to the mirror' && nothing_left; check 'mvn fails'
set_property distributionUrl "http\\\\://127.0.0.1\\\\:1/gradle-9.9-bin.zip"
run "$project/gradlew" --version; refused 'parts.txt is not for Gradle 9.9'; check 'a version without parts'
cp "$work/nobody.properties" "$properties"

# The disk: a small and a read-only one can only be mounted by root

path=$work/maven
GRADLE_USER_HOME=$work/small
mkdir "$GRADLE_USER_HOME"
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=20m tmpfs "$GRADLE_USER_HOME" 2>/dev/null; then
	small=$GRADLE_USER_HOME
	run "$project/gradlew" --version
	refused 'not enough space: Gradle needs about' && refused "$small/bootstrap" && nothing_left; check 'a small disk'
	umount "$small"
	mount -t tmpfs -o size=400m,nr_inodes=70 tmpfs "$small" # room for the bytes, but not for so many files
	run "$project/gradlew" --version
	refused 'not enough space: Gradle needs about' && nothing_left; check 'the disk gets full on the way'
	mount -o remount,ro "$small"
	run "$project/gradlew" --version
	refused 'set GRADLE_USER_HOME to a folder that is yours'; check 'a read-only disk'
else
	echo 'skipped: a full disk, a read-only disk'
fi

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
