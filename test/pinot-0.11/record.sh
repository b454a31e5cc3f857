#!/usr/bin/env bash
# record.sh FOLDER: starts a real Apache Pinot 0.11 in FOLDER, which it fetches from Maven (200 MB), and writes what its controller and its
# broker answer to answers.json beside this file, which a test replays. Ports 52181 to 52194 have to be free.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1/classes" "$1/data"
cd "$1"
[ -d lib ] || mvn --quiet --batch-mode --file "$here/pom.xml" dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$PWD/lib"
javac -nowarn -cp 'lib/*' -d classes "$here/../pinot/PinotCluster.java"
cat >pinot.properties <<END
roles=zookeeper,controller,broker,server
zookeeper=127.0.0.1:52181
zookeeper.folder=$PWD/data/zookeeper
controller/controller.host=127.0.0.1
controller/controller.port=52190
controller/controller.data.dir=$PWD/data/controller
controller/controller.local.temp.dir=$PWD/data/temp
broker/pinot.broker.hostname=127.0.0.1
broker/pinot.broker.client.queryPort=52191
server/pinot.server.netty.host=127.0.0.1
server/pinot.server.netty.port=52192
server/pinot.server.adminapi.port=52193
server/pinot.server.instance.dataDir=$PWD/data/index
server/pinot.server.instance.segmentTarDir=$PWD/data/tar
ready.port=52194
END
opened=()
for name in java.nio sun.nio.ch java.lang java.util java.lang.reflect sun.net.util; do opened+=("--add-opens=java.base/$name=ALL-UNNAMED"); done
java -Xmx400m "${opened[@]}" -cp 'classes:lib/*' PinotCluster pinot.properties >pinot.log 2>&1 &
pinot=$!
trap 'kill -9 $pinot' EXIT
until (echo >/dev/tcp/127.0.0.1/52194) 2>/dev/null; do kill -0 $pinot; sleep 1; done

answer() { # ROLE METHOD PATH [BODY]
  local port=52190; [ "$1" = controller ] || port=52191
  curl --silent --show-error --request "$2" ${4:+--data "$4"} --write-out '\n%{http_code}' "http://127.0.0.1:$port$3" |
    node -e 'const [role, method, path] = process.argv.slice(1); const text = require("fs").readFileSync(0, "utf8");
      const end = text.lastIndexOf("\n");
      console.log(JSON.stringify({ role, method, path, status: Number(text.slice(end + 1)), body: text.slice(0, end) }));' "$1" "$2" "$3"
}
{
  answer controller GET /version
  answer controller GET '/v2/brokers?state=ONLINE'
  answer controller GET /tables
  answer controller GET /tenants
  answer broker POST /query/sql '{"sql": "SELECT 42 AS answer"}'
} | node -e 'const lines = require("fs").readFileSync(0, "utf8").trim().split("\n");
    console.log(JSON.stringify(lines.map((line) => JSON.parse(line)), null, 2));' >"$here/answers.json"
