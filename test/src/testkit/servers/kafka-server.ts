import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Admin } from '@platformatic/kafka';
import { isQuireError } from '@quire/core';
import { KafkaStream, type KafkaStreamOptions } from '@quire/streams/kafka';
import { archiveOptions, type ClassArchive } from './class-archive.ts';
import { freePort } from '../../../../scripts/free-port.ts';
import { ServerProcess } from './server-process.ts';
import { until } from '../until.ts';

const clusterId = 'MkU3OEVBNTcwNTJENDM2Qk';

/** Little memory and the quick compiler: a broker of a test lives for seconds. */
const javaOptions = '-Xmx192m -Xms32m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xshare:auto';

/** The first start writes the files that a broker requires in its folder. */
const startScript = `
[ -f "$2/logs/meta.properties" ] || java ${javaOptions} ${archiveOptions('kafka', 'read')} -cp "$1/*" kafka.tools.StorageTool format -t ${clusterId} -c "$2/server.properties" >&2 || exit 1
exec java ${javaOptions} $4 -cp "$1/*" kafka.Kafka "$2/server.properties"`;

/** A real Apache Kafka: broker and controller in one process, on a folder of its own. */
export class KafkaServer implements AsyncDisposable {
  readonly process: ServerProcess;
  readonly admin: Admin;
  #topicCount = 0;

  private constructor(process: ServerProcess) {
    this.process = process;
    this.admin = new Admin({
      clientId: 'test',
      bootstrapBrokers: [this.address],
      retries: 50,
      retryDelay: 100,
    });
  }

  /** Starts a broker from the folder with its jars. */
  static async start(jars: string, archive: ClassArchive = 'read'): Promise<KafkaServer> {
    const controllerPort = await freePort();
    const process = await ServerProcess.start({
      path: 'sh',
      args: (port, folder) => [
        '-c',
        `${writeListeners}\n${startScript}`,
        'sh',
        jars,
        folder,
        String(port),
        archiveOptions('kafka', archive),
      ],
      prepare: (folder) =>
        writeFile(join(folder, 'fixed.properties'), propertiesOf(folder, controllerPort)),
      startTimeoutMs: 240_000,
    });
    return new KafkaServer(process);
  }

  get address(): string {
    return `127.0.0.1:${this.process.port}`;
  }

  /** Returns the config of a stream on it. */
  get config(): KafkaStreamOptions['config'] {
    return {
      brokers: [{ host: '127.0.0.1', port: this.process.port }],
      tls: undefined,
      sasl: undefined,
      isCommittedOnly: false,
    };
  }

  /** Creates a topic for one test; resolves once clients can see it. */
  async createTopic(
    partitions = 2,
    configs: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    this.#topicCount += 1;
    const topic = `topic-${this.#topicCount}`;
    const entries = Object.entries(configs).map(([name, value]) => ({ name, value }));
    await this.admin.createTopics({ topics: [topic], partitions, replicas: 1, configs: entries });
    await this.untilPartitions(topic, partitions);
    return topic;
  }

  /** Resolves once clients see the given number of partitions of a topic; 0: no topic. */
  untilPartitions(topic: string, count: number): Promise<void> {
    return untilPartitions(this.admin, { topic, config: this.config }, count);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.admin.close();
    await this.process[Symbol.asyncDispose]();
  }
}

/** Resolves once each of the given number of partitions of a topic has a leader; 0: no topic. */
export async function untilPartitions(
  admin: Admin,
  options: KafkaStreamOptions,
  count: number,
): Promise<void> {
  await until(
    async () => (await countPartitions(admin, options)) === count,
    `${options.topic} has ${count} partitions`,
  );
}

async function countPartitions(admin: Admin, options: KafkaStreamOptions): Promise<number> {
  if (!(await admin.listTopics()).includes(options.topic)) return 0;
  await using stream = new KafkaStream(options);
  try {
    return (await stream.readPartitions()).length;
  } catch (error) {
    // A broker leads a partition somewhat later than it reports.
    if (isQuireError(error, 'STREAM_UNAVAILABLE', 'STREAM_INVALID')) return -1;
    throw error;
  }
}

/** The port is known only when the server starts. */
const writeListeners = `{ cat "$2/fixed.properties"; echo "listeners=PLAINTEXT://127.0.0.1:$3,CONTROLLER://$(cat "$2/fixed.properties" | sed -n 's/^controller.quorum.voters=1@//p')"; echo "advertised.listeners=PLAINTEXT://127.0.0.1:$3"; } > "$2/server.properties"`;

/**
 * A broker that does not run for the timeout of its session has no topics until its next heartbeat:
 * on a busy machine, a second is too little. A restart waits for this timeout.
 */
const sessionTimeoutMs = 6000;

function propertiesOf(folder: string, controllerPort: number): string {
  return `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controllerPort}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs=${join(folder, 'logs')}
auto.create.topics.enable=false
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
broker.session.timeout.ms=${sessionTimeoutMs}
broker.heartbeat.interval.ms=200
group.initial.rebalance.delay.ms=0
log.cleaner.dedupe.buffer.size=16777216
log.cleaner.backoff.ms=100
log.initial.task.delay.ms=100
num.network.threads=2
num.io.threads=2
background.threads=2
`;
}
