import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { freePort, ServerProcess } from './server-process.ts';

/**
 * How to reach an Apache Pinot. It is plain data: test files get it from the process that has
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
  /** `host:port` of ZooKeeper, where more of a cluster may join. */
  readonly zookeeper: string;
  /** What its brokers ask for, `Basic …`. */
  readonly authorization: string;
  /** Where its controllers keep segments, which they have to share. */
  readonly deepStore: string;
  /** Names of its two servers. */
  readonly servers: readonly string[];
}

const principal = { name: 'quire', password: 'a-password-of-a-test' };
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
  /** Whether it compiles as a cluster in earnest does, which makes its start slower. */
  readonly isOptimizing?: boolean;
}

export type SpareRole = 'controller' | 'broker' | 'server';

/**
 * A real Apache Pinot: ZooKeeper, a controller, a broker that asks for credentials, two servers and
 * a minion in one process, on a folder of its own.
 */
export class PinotServer implements AsyncDisposable {
  readonly process: ServerProcess;
  readonly address: PinotAddress;

  private constructor(process: ServerProcess, address: PinotAddress) {
    this.process = process;
    this.address = address;
  }

  /** Starts one from the folder with its jars. */
  static async start(
    folder: string,
    { heapMb = 640, isOptimizing = false }: PinotServerOptions = {},
  ): Promise<PinotServer> {
    const ports = await freePorts();
    const altNames = [{ type: 7 as const, ip: '127.0.0.1' }];
    const extensions = [{ name: 'subjectAltName' as const, altNames }];
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'pinot' }], {
      keyType: 'ec',
      extensions,
    });
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
        '-Dzk.session.timeout=30000',
      ],
      prepare: async (data) => {
        await writeFile(join(data, 'fixed.properties'), propertiesOf(data, ports));
        await writeFile(join(data, 'certificate.pem'), cert);
        await writeFile(join(data, 'key.pem'), key);
      },
      isReady: () => isHealthy(`http://127.0.0.1:${ports.controller}`),
      startTimeoutMs: 240_000,
    });
    const credentials = Buffer.from(`${principal.name}:${principal.password}`).toString('base64');
    return new PinotServer(process, {
      controllerUrl: `http://127.0.0.1:${ports.controller}`,
      brokerUrl: `http://127.0.0.1:${ports.broker}`,
      tls: {
        controllerUrl: `https://127.0.0.1:${ports.controllerTls}`,
        brokerUrl: `https://127.0.0.1:${ports.brokerTls}`,
        authority: cert,
      },
      grpcPort: ports.grpc,
      deepStore: join(process.folder, 'controller'),
      zookeeper: `127.0.0.1:${ports.zookeeper}`,
      authorization: `Basic ${credentials}`,
      servers: [ports.server, ports.server2].map((port) => `Server_127.0.0.1_${port}`),
    });
  }

  /**
   * More of a running cluster, in a process of its own, which may be killed and started again. Its
   * broker and its server are of the tenant `Spare` only.
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
      ],
      prepare: (data) =>
        writeFile(join(data, 'fixed.properties'), sparePropertiesOf(data, ports, cluster, roles)),
      startTimeoutMs: 240_000,
    });
    return new PinotServer(process, {
      ...cluster,
      ...(roles.includes('controller') && { controllerUrl: `http://127.0.0.1:${controller}` }),
      brokerUrl: `http://127.0.0.1:${broker}`,
      grpcPort: grpc,
      servers: roles.includes('server') ? [`Server_127.0.0.1_${server}`] : cluster.servers,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.process[Symbol.asyncDispose]();
  }
}

/**
 * Little memory, and the quick compiler unless told otherwise: a cluster of a test lives for a
 * minute.
 */
const javaOptions = [
  '-Xms64m',
  '-XX:+UseSerialGC',
  '-XX:MaxDirectMemorySize=256m',
  '-XX:TieredStopAtLevel=$5',
  '-Xshare:auto',
  '-Djava.net.preferIPv4Stack=true',
  '$6',
  '-Dlog4j2.configurationFile=$2/log4j2.xml',
  ...openedPackages.map((name) => `--add-opens=java.base/${name}=ALL-UNNAMED`),
].join(' ');

const logging =
  '<Configuration><Appenders><File name="f" fileName="LOG"><PatternLayout pattern="%d %p %c{1} %m%n"/></File></Appenders>' +
  '<Loggers><Root level="warn"><AppenderRef ref="f"/></Root></Loggers></Configuration>';

/** The port by which it says that it is ready is known when it starts only. */
const startScript = `
{ cat "$2/fixed.properties"; echo "ready.port=$3"; } > "$2/pinot.properties"
echo '${logging}' | sed "s|LOG|$2/pinot.log|" > "$2/log4j2.xml"
exec java -Xmx$4m ${javaOptions} -cp "$1/classes:$1/lib/*" PinotCluster "$2/pinot.properties"`;

const portNames = [
  'zookeeper',
  'controller',
  'controllerTls',
  'broker',
  'brokerTls',
  'grpc',
  'server',
  'admin',
  'server2',
  'admin2',
  'minion',
] as const;
type Ports = Readonly<Record<(typeof portNames)[number], number>>;

async function freePorts(): Promise<Ports> {
  const ports = new Set<number>();
  while (ports.size < portNames.length) ports.add(await freePort());
  return Object.fromEntries(
    portNames.map((name, index) => [name, [...ports][index]]),
  ) as unknown as Ports;
}

function serverOf(data: string, role: string, port: number, admin: number): string {
  return `
${role}/pinot.server.netty.host=127.0.0.1
${role}/pinot.server.netty.port=${port}
${role}/pinot.server.adminapi.port=${admin}
${role}/pinot.server.grpc.enable=false
${role}/pinot.server.instance.dataDir=${data}/${role}/index
${role}/pinot.server.instance.segmentTarDir=${data}/${role}/tar
${role}/pinot.server.enable.query.cancellation=true`;
}

function propertiesOf(data: string, ports: Ports): string {
  const tlsOf = (
    protocols: string,
    keys: string,
    port: number,
    tlsPort: number,
  ): string => `${protocols}=http,https
${protocols}.http.port=${port}
${protocols}.https.port=${tlsPort}
${keys}.keystore.path=${data}/keystore.p12
${keys}.keystore.type=PKCS12
${keys}.keystore.password=password
${keys}.truststore.path=${data}/keystore.p12
${keys}.truststore.type=PKCS12
${keys}.truststore.password=password`;
  return `tls.folder=${data}
roles=zookeeper,controller,broker,server,server2,minion
zookeeper=127.0.0.1:${ports.zookeeper}
zookeeper.folder=${data}/zookeeper
controller/controller.host=127.0.0.1
controller/controller.port=${ports.controller}
${tlsOf('controller/controller.access.protocols', 'controller/controller.tls', ports.controller, ports.controllerTls)}
controller/controller.vip.host=127.0.0.1
controller/controller.vip.port=${ports.controller}
controller/controller.data.dir=${data}/controller
controller/controller.local.temp.dir=${data}/controller-temp
controller/controller.task.scheduler.enabled=true
broker/pinot.broker.hostname=127.0.0.1
broker/pinot.broker.client.queryPort=${ports.broker}
${tlsOf('broker/pinot.broker.client.access.protocols', 'broker/pinot.broker.tls', ports.broker, ports.brokerTls)}
broker/pinot.broker.grpc.port=${ports.grpc}
broker/pinot.broker.timeoutMs=60000
broker/pinot.broker.enable.query.cancellation=true
broker/pinot.broker.cursor.response.store.type=file
broker/pinot.broker.cursor.response.store.file.data.dir=file://${data}/responses
broker/pinot.broker.cursor.response.store.file.temp.dir=${data}/responses-temp
broker/pinot.broker.access.control.class=org.apache.pinot.broker.broker.BasicAuthAccessControlFactory
broker/pinot.broker.access.control.principals=${principal.name}
broker/pinot.broker.access.control.principals.${principal.name}.password=${principal.password}
minion/pinot.minion.host=127.0.0.1
minion/pinot.minion.port=${ports.minion}
minion/pinot.minion.dataDir=${data}/minion${serverOf(data, 'server', ports.server, ports.admin)}${serverOf(data, 'server2', ports.server2, ports.admin2)}
`;
}

/**
 * The role of what is killed is soon taken by others, and by itself when it is started again:
 * ZooKeeper forgets it after six seconds.
 */
function sparePropertiesOf(
  data: string,
  ports: Ports,
  { zookeeper, deepStore }: PinotAddress,
  roles: readonly SpareRole[],
): string {
  return `roles=${roles.join(',')}
zookeeper=${zookeeper}
controller/controller.host=127.0.0.1
controller/controller.port=${ports.controller}
controller/controller.vip.host=127.0.0.1
controller/controller.vip.port=${ports.controller}
controller/controller.data.dir=${deepStore}
controller/controller.local.temp.dir=${data}/controller-temp
broker/pinot.broker.hostname=127.0.0.1
broker/pinot.broker.client.queryPort=${ports.broker}
broker/pinot.broker.grpc.port=${ports.grpc}
broker/pinot.broker.instance.tags=Spare_BROKER
broker/pinot.broker.timeoutMs=60000
broker/pinot.broker.enable.query.cancellation=true${serverOf(data, 'server', ports.server, ports.admin)}
`;
}

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

async function isHealthy(controllerUrl: string): Promise<boolean> {
  try {
    return (await fetch(`${controllerUrl}/health`)).ok;
  } catch {
    return false;
  }
}
