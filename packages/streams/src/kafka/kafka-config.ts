import type { ConfigKeys } from '../config-keys.ts';

/** The address of a Kafka broker. */
export interface KafkaBroker {
  readonly host: string;
  readonly port: number;
}

/** The encryption of connections to Kafka. */
export interface KafkaTls {
  /** Trusted CA certificates, as PEM; undefined: Node's. */
  readonly ca: string | undefined;
  /** The client's certificate with its chain, and its key, as PEM. */
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly passphrase: string | undefined;
  /** True if a broker's certificate must name its host. */
  readonly verifiesHost: boolean;
}

const saslMechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;

/** The authentication of a Kafka client. */
export interface KafkaSasl {
  readonly mechanism: (typeof saslMechanisms)[number];
  readonly username: string;
  readonly password: string;
}

/** The connection to a Kafka cluster, and the selection of its messages. */
export interface KafkaConfig {
  /** The bootstrap brokers; there is at least one. */
  readonly brokers: readonly KafkaBroker[];
  /** The encryption; undefined: none. */
  readonly tls: KafkaTls | undefined;
  /** The authentication; undefined: none. */
  readonly sasl: KafkaSasl | undefined;
  /** True if messages of aborted or open transactions are omitted. */
  readonly isCommittedOnly: boolean;
}

const prefix = 'stream.kafka';

/**
 * Settings of Kafka's consumer that have no meaning here: there are no consumer groups, and the
 * caller of a fetch sets its size.
 */
const consumerSettings =
  /^stream\.kafka\.consumer\.prop\.(?:group\.id|client\.id|client\.rack|enable\.auto\.commit|fetch\.(?:min|max)\.(?:bytes|wait\.ms)|max\.(?:partition\.fetch\.bytes|poll\.(?:records|interval\.ms))|(?:request|session|default\.api)\.timeout\.ms|(?:heartbeat|metadata\.max\.age)\.(?:interval\.)?ms|(?:receive|send)\.buffer\.bytes|(?:key|value)\.deserializer|(?:reconnect|retry)\.backoff(?:\.max)?\.ms)$/;

/** Reads the keys for the connection to Kafka; problems are recorded in `keys`. */
export function readKafkaConfig(keys: ConfigKeys): KafkaConfig {
  const protocol =
    readAgreeing(keys, 'security.protocol', [
      'PLAINTEXT',
      'SSL',
      'SASL_PLAINTEXT',
      'SASL_SSL',
    ] as const) ?? 'PLAINTEXT';
  const isolation = keys.readChoice(
    ['read_uncommitted', 'read_committed'],
    `${prefix}.isolation.level`,
    `${prefix}.consumer.prop.isolation.level`,
  );
  keys.read(`${prefix}.buffer.size`);
  const tls = readTls(keys, protocol.endsWith('SSL'));
  const sasl = readSasl(keys, protocol.startsWith('SASL_'));
  for (const key of keys.unread(consumerSettings)) keys.read(key);
  return { brokers: readBrokers(keys), tls, sasl, isCommittedOnly: isolation === 'read_committed' };
}

function readBrokers(keys: ConfigKeys): readonly KafkaBroker[] {
  const key = `${prefix}.broker.list`;
  const list = keys.readAny(key, `${prefix}.consumer.prop.bootstrap.servers`, 'bootstrap.servers');
  if (list === undefined) {
    keys.refuse(
      key,
      `\`${key}\` is missing: expected addresses such as kafka-1:9092,kafka-2:9092.`,
    );
    return [];
  }
  return list.split(',').flatMap((text) => {
    const [, bracketed, plain, port = ''] =
      /^(?:\[([\da-fA-F:.]+)\]|([\w.-]+)):(\d{1,5})$/.exec(text.trim()) ?? [];
    const host = bracketed ?? plain;
    if (host !== undefined && Number(port) > 0 && Number(port) <= 65_535) {
      return [{ host, port: Number(port) }];
    }
    keys.refuse(
      key,
      `\`${key}\` has ${JSON.stringify(text.trim())}: expected a host and its port, such as kafka-1:9092.`,
    );
    return [];
  });
}

function readTls(keys: ConfigKeys, isUsed: boolean): KafkaTls | undefined {
  const ca = readAgreeing(keys, 'ssl.truststore.certificates');
  const cert = readAgreeing(keys, 'ssl.keystore.certificate.chain');
  const key = readAgreeing(keys, 'ssl.keystore.key');
  const passphrase = readAgreeing(keys, 'ssl.key.password');
  const identification = keys.readAllowingEmpty('ssl.endpoint.identification.algorithm');
  for (const type of ['ssl.truststore.type', 'ssl.keystore.type']) {
    readAgreeing(keys, type, ['PEM']);
  }
  for (const store of ['ssl.truststore', 'ssl.keystore'] as const) {
    // A config may be from a request: it must not name files of the server.
    const instead =
      store === 'ssl.truststore'
        ? 'ssl.truststore.certificates'
        : 'ssl.keystore.certificate.chain and ssl.keystore.key';
    for (const part of ['location', 'password']) {
      const path = `${store}.${part}`;
      if (readAgreeing(keys, path) !== undefined) {
        keys.refuse(path, `\`${path}\` is not supported: expected PEM text in ${instead}.`);
      }
    }
  }
  if ((cert === undefined) !== (key === undefined)) {
    keys.refuse(
      'ssl.keystore.key',
      'A client certificate needs both `ssl.keystore.certificate.chain` and `ssl.keystore.key`.',
    );
  }
  if (!isUsed) {
    if ((ca ?? cert ?? key) !== undefined) {
      keys.refuse(
        'security.protocol',
        'Certificates are given, but `security.protocol` is not SSL or SASL_SSL.',
      );
    }
    return undefined;
  }
  return { ca, cert, key, passphrase, verifiesHost: identification !== '' };
}

function readSasl(keys: ConfigKeys, isUsed: boolean): KafkaSasl | undefined {
  const mechanism = readAgreeing(keys, 'sasl.mechanism', saslMechanisms);
  const jaas = readAgreeing(keys, 'sasl.jaas.config');
  if (!isUsed) {
    if ((mechanism ?? jaas) !== undefined) {
      keys.refuse(
        'security.protocol',
        'Credentials are given, but `security.protocol` is not SASL_PLAINTEXT or SASL_SSL.',
      );
    }
    return undefined;
  }
  const login = jaas === undefined ? undefined : parseJaasLogin(jaas);
  if (readAgreeing(keys, 'sasl.mechanism') === undefined) {
    keys.refuse(
      'sasl.mechanism',
      `\`sasl.mechanism\` is missing: expected ${saslMechanisms.join(', ')}.`,
    );
  }
  if (login === undefined) {
    // The value is not repeated: it contains a password.
    keys.refuse(
      'sasl.jaas.config',
      '`sasl.jaas.config` is missing or not readable: expected `…PlainLoginModule required username="…" password="…";`.',
    );
  }
  if (mechanism === undefined || login === undefined) return undefined;
  if (login.module !== (mechanism === 'PLAIN' ? 'PlainLoginModule' : 'ScramLoginModule')) {
    keys.refuse(
      'sasl.jaas.config',
      `\`sasl.jaas.config\` has a ${login.module}, which contradicts \`sasl.mechanism\`, ${mechanism}.`,
    );
  }
  return { mechanism, username: login.username, password: login.password };
}

/**
 * Returns a setting of Kafka's client, by its own name or as a setting of the stream's consumer.
 */
function readAgreeing(keys: ConfigKeys, name: string): string | undefined;
function readAgreeing<Choice extends string>(
  keys: ConfigKeys,
  name: string,
  choices: readonly Choice[],
): Choice | undefined;
function readAgreeing(
  keys: ConfigKeys,
  name: string,
  choices?: readonly string[],
): string | undefined {
  const names = [name, `${prefix}.consumer.prop.${name}`];
  return choices === undefined ? keys.readAny(...names) : keys.readChoice(choices, ...names);
}

/** Returns the name of a topic in messages. */
export function describeTopic(topic: string, { brokers }: KafkaConfig): string {
  return `kafka topic ${topic} at ${brokers.map(({ host, port }) => `${host}:${port}`).join(',')}`;
}

/** The options of a Java login module. */
interface JaasLogin {
  /** The last part of the module's name. */
  readonly module: 'PlainLoginModule' | 'ScramLoginModule';
  readonly username: string;
  readonly password: string;
}

const loginPattern =
  /^\s*(?:[\w$]+\.)*(PlainLoginModule|ScramLoginModule)\s+(?:required|requisite|sufficient|optional)\s/;
const optionPattern =
  /\s*([\w.]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s"';]+))\s*/y;

/**
 * Parses a `sasl.jaas.config` of one login module with user name and password; undefined if it is
 * anything else.
 */
function parseJaasLogin(text: string): JaasLogin | undefined {
  const [head = '', module] = loginPattern.exec(text) ?? [];
  if (module !== 'PlainLoginModule' && module !== 'ScramLoginModule') return undefined;
  const rest = text.slice(head.length).trim().replace(/;$/, '');
  const options = new Map<string, string>();
  optionPattern.lastIndex = 0;
  while (optionPattern.lastIndex < rest.length) {
    const [, name, double, single, bare] = optionPattern.exec(rest) ?? [];
    if (name === undefined) return undefined;
    options.set(name, (double ?? single)?.replaceAll(/\\(.)/g, '$1') ?? bare ?? '');
  }
  const [username, password] = [options.get('username'), options.get('password')];
  return username === undefined || password === undefined
    ? undefined
    : { module, username, password };
}
