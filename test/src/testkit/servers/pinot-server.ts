import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { Agent, request } from 'undici';
import { archiveOptions, type ClassArchive } from './class-archive.ts';
import {
  basicAuthorizationOf,
  freePorts,
  guardedPropertiesOf,
  type PinotPrincipal,
  propertiesOf,
  sparePropertiesOf,
} from './pinot-properties.ts';
import { ServerProcess } from './server-process.ts';

/**
 * The addresses of an Apache Pinot, as plain data: test files get it from the process that has
 * started it.
 */
export interface PinotAddress {
  readonly controllerUrl: string;
  readonly brokerUrl: string;
  /** The same by HTTPS, with a certificate for 127.0.0.1 of an authority of its own. */
  readonly tls: {
    readonly controllerUrl: string;
    readonly brokerUrl: string;
    readonly authority: string;
  };
  readonly grpcPort: number;
  /** `host:port` of ZooKeeper, so that further processes may join the cluster. */
  readonly zookeeper: string;
  /** The credentials that its brokers require, `Basic …`. */
  readonly authorization: string;
  /** The shared segment store of its controllers. */
  readonly deepStore: string;
  /** Names of its two servers. */
  readonly servers: readonly string[];
  /** The folder of its process, with the file `pinot.log`, and `pid` with the id of its JVM. */
  readonly folder: string;
}

/** The only principal that its brokers accept, and each role of a guarded cluster. */
const principal: PinotPrincipal = { name: 'quire', password: 'a-password-of-a-test' };
const openedPackages = [
  'java.nio',
  'sun.nio.ch',
  'java.lang',
  'java.util',
  'java.lang.reflect',
  'sun.net.util',
];

export interface PinotServerOptions {
  readonly heapMb?: number;
  /** True if it compiles like a production cluster, which makes its start slower. */
  readonly isOptimizing?: boolean;
  /**
   * True if controller, broker and server require credentials and speak TLS only; it then has one
   * server and no minion.
   */
  readonly isGuarded?: boolean;
  /** The default starts it from the archive of its classes, if there is one. */
  readonly archive?: ClassArchive;
}

export type SpareRole = 'controller' | 'broker' | 'server';

/**
 * A real Apache Pinot: ZooKeeper, a controller, a broker that requires credentials, two servers and
 * a minion in one process, on a folder of its own.
 */
export class PinotServer implements AsyncDisposable {
  readonly process: ServerProcess;
  readonly address: PinotAddress;

  private constructor(process: ServerProcess, address: PinotAddress) {
    this.process = process;
    this.address = address;
  }

  /** Starts a cluster from the folder with its jars. */
  static async start(
    folder: string,
    {
      heapMb = 640,
      isOptimizing = false,
      isGuarded = false,
      archive = 'read',
    }: PinotServerOptions = {},
  ): Promise<PinotServer> {
    const ports = await freePorts();
    const altNames = [{ type: 7 as const, ip: '127.0.0.1' }];
    const extensions = [{ name: 'subjectAltName' as const, altNames }];
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'pinot' }], {
      keyType: 'ec',
      extensions,
    });
    const urlsOf = (scheme: string, controller: number, broker: number) => ({
      controllerUrl: `${scheme}://127.0.0.1:${controller}`,
      brokerUrl: `${scheme}://127.0.0.1:${broker}`,
    });
    const tls = { ...urlsOf('https', ports.controllerTls, ports.brokerTls), authority: cert };
    const urls = isGuarded ? tls : urlsOf('http', ports.controller, ports.broker);
    const properties = isGuarded ? guardedPropertiesOf : propertiesOf;
    const process = await ServerProcess.start({
      path: 'sh',
      args: (port, data) => [
        '-c',
        startScript,
        'sh',
        folder,
        data,
        String(port),
        String(heapMb),
        isOptimizing ? '4' : '1',
        // ZooKeeper drops the session of a killed process after this time; until then it cannot
        // start again.
        `-Dzk.session.timeout=${isGuarded ? 8000 : 30_000}`,
        archiveOptions('pinot', archive),
      ],
      prepare: async (data) => {
        await writeFile(join(data, 'fixed.properties'), properties(data, ports, principal));
        await writeFile(join(data, 'certificate.pem'), cert);
        await writeFile(join(data, 'key.pem'), key);
      },
      isReady: () => isHealthy(urls.controllerUrl, cert),
      startTimeoutMs: 240_000,
    });
    return new PinotServer(process, {
      controllerUrl: urls.controllerUrl,
      brokerUrl: urls.brokerUrl,
      tls,
      grpcPort: ports.grpc,
      deepStore: join(process.folder, 'controller'),
      zookeeper: `127.0.0.1:${ports.zookeeper}`,
      authorization: basicAuthorizationOf(principal),
      servers: [ports.server, ...(isGuarded ? [] : [ports.server2])].map(
        (port) => `Server_127.0.0.1_${port}`,
      ),
      folder: process.folder,
    });
  }

  /**
   * Further roles of a running cluster, in a separate process, which may be killed and started
   * again. Its broker and its server are of the tenant `Spare` only.
   */
  static async join(
    folder: string,
    cluster: PinotAddress,
    roles: readonly SpareRole[],
  ): Promise<PinotServer> {
    const ports = await freePorts();
    const { controller, broker, server, grpc } = ports;
    // A server without an entry would belong to the default tenant at first.
    if (roles.includes('server')) await enterSpareServer(cluster, server);
    const process = await ServerProcess.start({
      path: 'sh',
      args: (port, data) => [
        '-c',
        startScript,
        'sh',
        folder,
        data,
        String(port),
        '320',
        '1',
        '-Dzk.session.timeout=6000',
        archiveOptions('pinot', 'read'),
      ],
      prepare: (data) =>
        writeFile(join(data, 'fixed.properties'), sparePropertiesOf(data, ports, cluster, roles)),
      isReady: async () => {
        const answers = roles.map((role) =>
          isHealthy(`http://127.0.0.1:${ports[role === 'server' ? 'admin' : role]}`),
        );
        return (await Promise.all(answers)).every(Boolean);
      },
      startTimeoutMs: 240_000,
    });
    return new PinotServer(process, {
      ...cluster,
      ...(roles.includes('controller') && { controllerUrl: `http://127.0.0.1:${controller}` }),
      brokerUrl: `http://127.0.0.1:${broker}`,
      grpcPort: grpc,
      servers: roles.includes('server') ? [`Server_127.0.0.1_${server}`] : cluster.servers,
      folder: process.folder,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.process[Symbol.asyncDispose]();
  }
}

/** Little memory, and the quick compiler by default: a cluster of a test lives for a minute. */
const javaOptions = [
  '-Xms64m',
  '-XX:+UseSerialGC',
  '-XX:MaxDirectMemorySize=256m',
  '-XX:TieredStopAtLevel=$5',
  // With the quick compiler alone, 48 MB are reserved, which all roles of a whole run may fill:
  // queries then fail with "Out of space in CodeCache for adapters".
  '-XX:ReservedCodeCacheSize=240m',
  // Its function `sleep` sleeps only if this class has assertions.
  '-ea:org.apache.pinot.common.function.FunctionUtils',
  '-Xshare:auto',
  '-Djava.net.preferIPv4Stack=true',
  '$6',
  '-Dlog4j2.configurationFile=$2/log4j2.xml',
  ...openedPackages.map((name) => `--add-opens=java.base/${name}=ALL-UNNAMED`),
].join(' ');

const logging =
  '<Configuration><Appenders><File name="f" fileName="LOG"><PatternLayout pattern="%d %p %c{1} %m%n"/></File></Appenders>' +
  '<Loggers><Root level="warn"><AppenderRef ref="f"/></Root></Loggers></Configuration>';

/** The port on which it reports that it is ready is known only once it starts. */
const startScript = `
{ cat "$2/fixed.properties"; echo "ready.port=$3"; } > "$2/pinot.properties"
echo '${logging}' | sed "s|LOG|$2/pinot.log|" > "$2/log4j2.xml"
echo $$ > "$2/pid"
exec java -Xmx$4m ${javaOptions} $7 -cp "$1/classes.jar:$1/lib/*" PinotCluster "$2/pinot.properties"`;

async function enterSpareServer({ controllerUrl }: PinotAddress, port: number): Promise<void> {
  const response = await fetch(`${controllerUrl}/instances`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      host: '127.0.0.1',
      port,
      type: 'SERVER',
      tags: ['Spare_OFFLINE', 'Spare_REALTIME'],
    }),
  });
  if (!response.ok) {
    throw new Error(
      `The controller does not take a server: HTTP ${response.status} ${await response.text()}`,
    );
  }
}

async function isHealthy(url: string, authority?: string): Promise<boolean> {
  const dispatcher = new Agent({ connect: { ...(authority !== undefined && { ca: authority }) } });
  try {
    const { statusCode, body } = await request(`${url}/health`, { dispatcher });
    await body.dump();
    return statusCode === 200;
  } catch {
    return false;
  } finally {
    await dispatcher.close();
  }
}
