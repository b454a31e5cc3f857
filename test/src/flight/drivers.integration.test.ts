import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestBroker } from '../testkit/broker-server.ts';
import { runJava } from '../testkit/java-program.ts';
import { describeWithTool, flightJdbc, flightPython } from '../testkit/toolchain.ts';
import { PythonSession } from './python-session.ts';

/** Drivers against a broker with TLS, whose clock the test controls. */

const flight = { port: 0, expirationMs: 600_000, messageBytesMax: 1024 * 1024 };
const directory = mkdtempSync(join(tmpdir(), 'quire-flight-tls-'));
const certificatePath = join(directory, 'server.pem');
let broker: TestBroker;
let url: string;

beforeAll(async () => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'quire test' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  await writeFile(certificatePath, cert);
  broker = await TestBroker.start({ flight, tls: { certificate: cert, key } });
  url = broker.address.endpointUrls?.[0] ?? '';
});

afterAll(async () => {
  await broker[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

describeWithTool(flightPython, 'ADBC', (python) => {
  let shared: PythonSession;
  beforeAll(() => {
    shared = new PythonSession(python);
  });
  afterAll(() => shared[Symbol.asyncDispose]());

  const session = (...program: readonly string[]): Promise<unknown> => {
    const prelude = `
import json
import adbc_driver_flightsql.dbapi as adbc
def connect(certificate=${JSON.stringify(certificatePath)}):
    options = {"adbc.flight.sql.authorization_header": "Bearer ann-token"}
    if certificate: options["adbc.flight.sql.client_option.tls_root_certs"] = open(certificate).read()
    return adbc.connect(${JSON.stringify(url)}, db_kwargs=options, autocommit=True)
`;
    return shared.run([prelude, ...program].join('\n'));
  };

  test('ADBC connects by TLS, and trusts no certificate that it does not know', async () => {
    expect(url).toMatch(/^grpc\+tls:/);
    expect(
      await session(
        `with connect() as c, c.cursor() as cursor:
    cursor.execute("rows 5000")
    found = [len(cursor.fetchall())]
try:
    with connect(None) as c, c.cursor() as cursor: cursor.execute("rows 1")
except Exception as error: found.append("certificate" in str(error))
print(json.dumps(found))`,
      ),
    ).toEqual([5000, true]);
  });

  test('ADBC is told that a result has expired', async () => {
    const partition = (await session(
      `with connect() as c, c.cursor() as cursor:
    print(json.dumps(cursor.adbc_execute_partitions("rows 7")[0][0].hex()))`,
    )) as string;
    const read = (): Promise<unknown> =>
      session(
        `with connect() as c, c.cursor() as cursor:
    try:
        cursor.adbc_read_partition(bytes.fromhex("${partition}"))
        print(json.dumps(len(cursor.fetchall())))
    except Exception as error: print(json.dumps([type(error).__name__, "has expired" in str(error)]))`,
      );
    expect(await read()).toBe(7);
    broker.clock.stepWallClock(flight.expirationMs);
    expect(await read()).toEqual(['ProgrammingError', true]);
  });
});

describeWithTool(flightJdbc, "Apache Arrow's JDBC driver for Flight SQL", (jars) => {
  test('the JDBC driver connects by TLS, and trusts no certificate that it does not know', async () => {
    const program = join(import.meta.dirname, '../../flight-jdbc/FlightJdbcTls.java');
    const java = (...more: readonly string[]): Promise<readonly string[]> =>
      runJava(join(jars, '*'), program, [new URL(url).host, 'ann-token', ...more]);
    expect(await java(certificatePath)).toContain('rows 5000');
    await expect(java()).rejects.toThrow(/PKIX|certificate/);
  });
});
