import type { PinotAddress, SpareRole } from './pinot-server.ts';
import { freePort } from '../../../../scripts/free-port.ts';

/** A principal of Apache Pinot's BasicAuth. */
export interface PinotPrincipal {
  readonly name: string;
  readonly password: string;
}

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
export type Ports = Readonly<Record<(typeof portNames)[number], number>>;

export async function freePorts(): Promise<Ports> {
  const ports = new Set<number>();
  while (ports.size < portNames.length) ports.add(await freePort());
  return Object.fromEntries(
    portNames.map((name, index) => [name, [...ports][index]]),
  ) as unknown as Ports;
}

/** The header by which a principal is known. */
export function basicAuthorizationOf({ name, password }: PinotPrincipal): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}

/** Settings of a whole cluster with both HTTP and HTTPS; its brokers require credentials. */
export function propertiesOf(data: string, ports: Ports, principal: PinotPrincipal): string {
  return `tls.folder=${data}
roles=zookeeper,controller,broker,server,server2,minion
${zookeeperOf(data, ports)}
${controllerOf(data)}
controller/controller.port=${ports.controller}
${protocolsOf('controller/controller.access.protocols', { http: ports.controller, https: ports.controllerTls })}
${keyStoreOf('controller/controller.tls', data)}
controller/controller.vip.port=${ports.controller}
controller/controller.task.scheduler.enabled=true
${brokerOf(data, ports)}
broker/pinot.broker.client.queryPort=${ports.broker}
${protocolsOf('broker/pinot.broker.client.access.protocols', { http: ports.broker, https: ports.brokerTls })}
${keyStoreOf('broker/pinot.broker.tls', data)}
${accessOf('broker', principal)}
minion/pinot.minion.host=127.0.0.1
minion/pinot.minion.port=${ports.minion}
minion/pinot.minion.dataDir=${data}/minion
${serverOf('server', data)}
${openServerOf('server', ports.server, ports.admin)}
${serverOf('server2', data)}
${openServerOf('server2', ports.server2, ports.admin2)}
`;
}

/**
 * Settings of a cluster of a controller, a broker and a server, each of which requires credentials
 * and TLS, from callers and among themselves.
 */
export function guardedPropertiesOf(data: string, ports: Ports, principal: PinotPrincipal): string {
  const token = basicAuthorizationOf(principal);
  return `tls.folder=${data}
roles=zookeeper,controller,broker,server
${zookeeperOf(data, ports)}
${controllerOf(data)}
${protocolsOf('controller/controller.access.protocols', { https: ports.controllerTls })}
${keyStoreOf('controller/controller.tls', data)}
controller/controller.vip.protocol=https
controller/controller.vip.port=${ports.controllerTls}
controller/controller.broker.protocol=https
controller/controller.segment.fetcher.auth.token=${token}
controller/pinot.controller.segment.fetcher.auth.token=${token}
controller/controller.broker.auth.token=${token}
${accessOf('controller', principal)}
${brokerOf(data, ports)}
${protocolsOf('broker/pinot.broker.client.access.protocols', { https: ports.brokerTls })}
${keyStoreOf('broker/pinot.broker.tls', data)}
broker/pinot.broker.nettytls.enabled=true
broker/pinot.multistage.engine.tls.enabled=true
${accessOf('broker', principal)}
${serverOf('server', data)}
${protocolsOf('server/pinot.server.adminapi.access.protocols', { https: ports.admin })}
${keyStoreOf('server/pinot.server.tls', data)}
server/pinot.server.netty.enabled=false
server/pinot.server.netty.port=${ports.server}
server/pinot.server.nettytls.enabled=true
server/pinot.server.nettytls.port=${ports.server2}
server/pinot.multistage.engine.tls.enabled=true
server/pinot.server.segment.uploader.protocol=https
server/pinot.server.segment.fetcher.auth.token=${token}
server/pinot.server.segment.uploader.auth.token=${token}
server/pinot.server.instance.auth.token=${token}
${accessOf('server', principal)}
`;
}

/**
 * Returns the settings of a process that joins a cluster. The role of a killed one is soon taken by
 * others, and by itself after a restart: ZooKeeper's session ends after six seconds.
 */
export function sparePropertiesOf(
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
broker/pinot.broker.enable.query.cancellation=true
${serverOf('server', data)}
${openServerOf('server', ports.server, ports.admin)}
`;
}

function zookeeperOf(data: string, { zookeeper }: Ports): string {
  return `zookeeper=127.0.0.1:${zookeeper}
zookeeper.folder=${data}/zookeeper`;
}

function controllerOf(data: string): string {
  return `controller/controller.host=127.0.0.1
controller/controller.vip.host=127.0.0.1
controller/controller.data.dir=${data}/controller
controller/controller.local.temp.dir=${data}/controller-temp`;
}

function brokerOf(data: string, { grpc }: Ports): string {
  return `broker/pinot.broker.hostname=127.0.0.1
broker/pinot.broker.grpc.port=${grpc}
broker/pinot.broker.timeoutMs=60000
broker/pinot.broker.enable.query.cancellation=true
broker/pinot.broker.cursor.response.store.type=file
broker/pinot.broker.cursor.response.store.file.data.dir=file://${data}/responses
broker/pinot.broker.cursor.response.store.file.temp.dir=${data}/responses-temp`;
}

function serverOf(role: string, data: string): string {
  return `${role}/pinot.server.netty.host=127.0.0.1
${role}/pinot.server.grpc.enable=false
${role}/pinot.server.instance.dataDir=${data}/${role}/index
${role}/pinot.server.instance.segmentTarDir=${data}/${role}/tar
${role}/pinot.server.enable.query.cancellation=true`;
}

function openServerOf(role: string, port: number, adminPort: number): string {
  return `${role}/pinot.server.netty.port=${port}
${role}/pinot.server.adminapi.port=${adminPort}`;
}

/** The protocols of a role; the cluster knows it by the first. */
function protocolsOf(key: string, ports: Readonly<Record<string, number>>): string {
  const lines = Object.entries(ports).map(([name, port]) => `${key}.${name}.port=${port}`);
  return [`${key}=${Object.keys(ports).join(',')}`, ...lines].join('\n');
}

function keyStoreOf(key: string, data: string): string {
  return ['keystore', 'truststore']
    .map(
      (store) => `${key}.${store}.path=${data}/keystore.p12
${key}.${store}.type=PKCS12
${key}.${store}.password=password`,
    )
    .join('\n');
}

/** Apache Pinot's own BasicAuth, which each role names in its own way. */
const accessKeys = {
  controller: {
    factory: 'controller.admin.access.control.factory.class',
    className: 'org.apache.pinot.controller.api.access.BasicAuthAccessControlFactory',
    principals: 'controller.admin.access.control.principals',
  },
  broker: {
    factory: 'pinot.broker.access.control.class',
    className: 'org.apache.pinot.broker.broker.BasicAuthAccessControlFactory',
    principals: 'pinot.broker.access.control.principals',
  },
  server: {
    factory: 'pinot.server.admin.access.control.factory.class',
    className: 'org.apache.pinot.server.access.BasicAuthAccessFactory',
    principals: 'pinot.server.admin.access.control.principals',
  },
} as const;

function accessOf(role: keyof typeof accessKeys, { name, password }: PinotPrincipal): string {
  const { factory, className, principals } = accessKeys[role];
  return `${role}/${factory}=${className}
${role}/${principals}=${name}
${role}/${principals}.${name}.password=${password}`;
}
