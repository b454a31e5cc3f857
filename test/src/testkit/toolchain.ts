import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { describe, test } from 'vitest';

/** A program that some suites need and that `npm ci` does not install. */
export interface Tool {
  readonly name: string;
  /** The remedy when it is missing. */
  readonly remedy: string;
  /** Its path; undefined if it is missing or unusable. */
  readonly find: (environment: NodeJS.ProcessEnv) => string | undefined;
  /** Skipped when it is missing, even where `CI` is set, because it cannot be installed there. */
  readonly isOptional?: boolean;
}

const root = join(import.meta.dirname, '../../..');

/** Python with independent readers of Arrow and Parquet. */
export const python: Tool = program({
  name: 'Python with pyarrow, polars and duckdb',
  variable: 'QUIRE_PYTHON',
  defaultPath: '.cache/python/bin/python',
  probe: pythonHas('pyarrow', 'polars', 'duckdb'),
});

/** Python with the modules that the README of the package `api` needs. */
export const pythonRequests: Tool = program({
  name: 'Python with pyarrow and requests',
  variable: 'QUIRE_PYTHON',
  defaultPath: '.cache/python/bin/python',
  probe: pythonHas('pyarrow', 'requests'),
});

/**
 * Python with openapi-python-client, which makes clients of API documents. It is run as a module:
 * the programs that pip writes name the folder that they were installed in, and a cache may be in
 * another one now.
 */
export const openApiPython: Tool = program({
  name: 'openapi-python-client',
  variable: 'QUIRE_OPENAPI_PYTHON',
  defaultPath: '.cache/openapi-python/bin/python',
  probe: pythonHas('openapi_python_client'),
});

/**
 * The folder with openapi-generator and the dependencies of its clients for Java and Python, if
 * there is a Java to run it.
 */
const openApiGenerator: Tool = {
  name: 'openapi-generator, with Java 17',
  remedy: 'run .ci/run once, or set QUIRE_OPENAPI_GENERATOR to a folder as it makes',
  find: (environment) =>
    javaFolder(
      environment['QUIRE_OPENAPI_GENERATOR'] ?? join(root, '.cache/openapi-generator'),
      'openapi-generator-cli-',
    ),
};

/** The same, if the compiler or runtime of a client's language is installed as well. */
export const openApiGenerators: Readonly<Record<'go' | 'java' | 'python', Tool>> = {
  go: withProgram(openApiGenerator, 'Go', () => ['go', 'version']),
  java: withProgram(openApiGenerator, 'a compiler for Java', () => ['javac', '--version']),
  python: withProgram(openApiGenerator, 'Python', (folder) => [
    join(folder, 'python/bin/python'),
    ...pythonHas('pydantic', 'urllib3'),
  ]),
};

/**
 * Python with Schemathesis, which makes valid and invalid calls of an API document, and checks the
 * answers against it.
 */
export const schemathesis: Tool = program({
  name: 'Schemathesis',
  variable: 'QUIRE_SCHEMATHESIS',
  defaultPath: '.cache/schemathesis/bin/python',
  probe: pythonHas('schemathesis'),
});

/**
 * The folder of npm's modules with openapi-typescript, which generates types from API documents,
 * and openapi-fetch, which makes calls with them.
 */
export const openApiTypescript: Tool = {
  name: 'openapi-typescript',
  remedy: 'run .ci/run once, or set QUIRE_OPENAPI_TYPESCRIPT to a folder node_modules with it',
  find: (environment) => {
    const folder =
      environment['QUIRE_OPENAPI_TYPESCRIPT'] ??
      join(root, '.cache/openapi-typescript/node_modules');
    return existsSync(join(folder, 'openapi-typescript')) ? folder : undefined;
  },
};

/** Python with the driver for Apache Pinot. */
export const pinotDriver: Tool = program({
  name: 'Python with pinotdb and sqlalchemy',
  variable: 'QUIRE_PYTHON',
  defaultPath: '.cache/python/bin/python',
  probe: pythonHas('pinotdb', 'sqlalchemy'),
});

/** The folder with the jars of Apache Pinot's client for Java, if Java is installed. */
export const javaClient: Tool = {
  name: "Apache Pinot's client for Java, with Java 17",
  remedy: 'run .ci/run once, or set QUIRE_JAVA_CLIENT to a folder with its jars',
  find: (environment) =>
    javaFolder(
      environment['QUIRE_JAVA_CLIENT'] ?? join(root, '.cache/java-client'),
      'pinot-java-client-',
    ),
};

/**
 * The class path of the release of Apache Pinot's client for Java that has cursors, with the parts
 * of Apache Pinot that it needs.
 */
export const javaCursorClient: Tool = {
  name: "Apache Pinot's client for Java, release 1.5.1",
  isOptional: true,
  remedy:
    'run .ci/run once where its jar is to be had, or set QUIRE_JAVA_CURSORS to a folder with it',
  find: (environment) => {
    const folder = environment['QUIRE_JAVA_CURSORS'] ?? join(root, '.cache/java-client-cursors');
    const pinot = pinotServer.find(environment);
    if (pinot === undefined || javaFolder(folder, 'pinot-java-client-1.5.1') === undefined) {
      return undefined;
    }
    return [join(folder, '*'), join(pinot, 'lib/*')].join(delimiter);
  },
};

/** A program that queries with the client of Apache Pinot for Go. */
export const goClient: Tool = {
  name: "Apache Pinot's client for Go",
  remedy: 'run .ci/run once, or set QUIRE_GO_CLIENT to the program of test/go-client',
  find: (environment) => {
    const path = environment['QUIRE_GO_CLIENT'] ?? join(root, '.cache/go-client/pinot-queries');
    return existsSync(path) ? path : undefined;
  },
};

/** The client of Apache Arrow that plays its integration scenarios for Flight. */
export const flightClient: Tool = {
  name: "Apache Arrow's integration client for Flight",
  remedy: 'run .ci/run once, or set QUIRE_FLIGHT_CLIENT to its path',
  find: (environment) => {
    const path =
      environment['QUIRE_FLIGHT_CLIENT'] ??
      join(root, '.cache/flight-client/arrow-flight-integration-client');
    return existsSync(path) ? path : undefined;
  },
};

/** Python with the driver of ADBC for Flight SQL, polars and pandas. */
export const flightPython: Tool = program({
  name: 'Python with ADBC for Flight SQL, polars and pandas',
  variable: 'QUIRE_PYTHON',
  defaultPath: '.cache/python/bin/python',
  probe: pythonHas('adbc_driver_flightsql', 'polars', 'pandas'),
});

/** The folder with the JDBC driver for Flight SQL, if Java is installed. */
export const flightJdbc: Tool = {
  name: "Apache Arrow's JDBC driver for Flight SQL, with Java 17",
  remedy: 'run .ci/run once, or set QUIRE_FLIGHT_JDBC to a folder with its jar',
  find: (environment) =>
    javaFolder(
      environment['QUIRE_FLIGHT_JDBC'] ?? join(root, '.cache/flight-jdbc'),
      'flight-sql-jdbc-driver-',
    ),
};

/** A program that uses a server of Flight SQL by the crate arrow-flight. */
export const flightRust: Tool = {
  name: 'a client of Flight SQL in Rust',
  remedy: 'run .ci/run once, or set QUIRE_FLIGHT_RUST to the program of test/flight-rust',
  find: (environment) => {
    const path =
      environment['QUIRE_FLIGHT_RUST'] ?? join(root, '.cache/flight-rust/flight-queries');
    return existsSync(path) ? path : undefined;
  },
};

/** The folder with the jars of Apache Kafka, if Java is installed. */
export const kafkaServer: Tool = {
  name: 'Apache Kafka, with Java 17',
  remedy: 'run .ci/run once, or set QUIRE_KAFKA to a folder with its jars',
  find: (environment) =>
    javaFolder(environment['QUIRE_KAFKA'] ?? join(root, '.cache/kafka'), 'kafka_'),
};

/**
 * The folder with Apache Pinot's own classes and the program that calls them, if Java is installed.
 */
export const pinotJudge: Tool = {
  name: "Apache Pinot's own classes, with Java 17",
  remedy: 'run .ci/run once, or set QUIRE_PINOT_JUDGE to a folder with its jars',
  find: (environment) => {
    const folder = environment['QUIRE_PINOT_JUDGE'] ?? join(root, '.cache/pinot-judge');
    const isBuiltThere = existsSync(join(folder, 'classes/PinotJudge.class'));
    return isBuiltThere && javaFolder(join(folder, 'lib'), 'pinot-common-') !== undefined
      ? folder
      : undefined;
  },
};

/** The folder with a whole Apache Pinot and the program that runs it, if Java is installed. */
export const pinotServer: Tool = {
  name: 'Apache Pinot, with Java 17',
  isOptional: true,
  remedy: 'run .ci/run once, or set QUIRE_PINOT to a folder with its jars',
  find: (environment) => {
    const folder = environment['QUIRE_PINOT'] ?? join(root, '.cache/pinot');
    const isBuiltThere = existsSync(join(folder, 'classes.jar'));
    return isBuiltThere && javaFolder(join(folder, 'lib'), 'pinot-server-') !== undefined
      ? folder
      : undefined;
  },
};

/** The same with the program that calls a controller's own check for its verdicts. */
export const controllerJudge: Tool = {
  ...pinotServer,
  find: (environment) => {
    const folder = pinotServer.find(environment);
    return folder !== undefined && existsSync(join(folder, 'classes/ControllerJudge.class'))
      ? folder
      : undefined;
  },
};

/** The oldest Node that the packages promise to run on. */
export const oldestNode: Tool = program({
  name: 'Node 22',
  variable: 'QUIRE_NODE_22',
  defaultPath: '.cache/node-22/node_modules/node/bin/node',
  probe: ['-e', 'process.exit(process.versions.node.startsWith("22.") ? 0 : 1)'],
});

/** An S3 server that checks signatures: versitygw. */
export const s3Server: Tool = program({
  name: 'versitygw',
  variable: 'QUIRE_S3_SERVER',
  defaultPath: '.cache/s3-server/versitygw',
  probe: ['--version'],
});

/** Azurite, a server that speaks Azure Blob Storage; npm installs it. */
export const azurite: Tool = {
  name: 'Azurite',
  remedy: 'run npm ci',
  find: () => {
    const path = join(root, 'node_modules/azurite/dist/src/blob/main.js');
    return existsSync(path) ? path : undefined;
  },
};

/** A server that speaks the API of Google Cloud Storage: fake-gcs-server. */
export const gcsServer: Tool = program({
  name: 'fake-gcs-server',
  variable: 'QUIRE_GCS_SERVER',
  defaultPath: '.cache/gcs-server/fake-gcs-server',
  probe: ['-h'],
});

/** A browser that runs without a window: Chromium. */
export const chromium: Tool = program({
  name: 'Chromium',
  variable: 'QUIRE_CHROMIUM',
  defaultPath: '.cache/chromium/chromium',
  probe: ['--version'],
});

/**
 * The folder with the versions of apache-arrow that hosts may bring, each named
 * `apache-arrow-<version>`.
 */
export const arrowVersions: Tool = {
  name: 'Versions of apache-arrow',
  remedy: 'run .ci/run once, or set QUIRE_ARROW_FOLDER to a folder with them',
  find: (environment) => {
    const folder =
      environment['QUIRE_ARROW_FOLDER'] ?? join(root, '.cache/arrow-versions/node_modules');
    return existsSync(folder) ? folder : undefined;
  },
};

/**
 * The root directory of a base image, if buildah and crun are installed to build on it and to run
 * the result, and this user may use them.
 */
export const imageBase: Tool = {
  name: 'buildah and crun, as root, and a base image',
  isOptional: true,
  remedy: 'run .ci/run once as root on Debian, or set QUIRE_IMAGE_BASE to the root of a base image',
  find: (environment) => {
    const folder = environment['QUIRE_IMAGE_BASE'] ?? join(root, '.cache/image-base/root');
    const hasTools = ['buildah', 'crun'].every(
      (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0,
    );
    const isRoot = process.getuid?.() === 0;
    return hasTools && isRoot && existsSync(join(folder, 'usr/bin/tini-static'))
      ? folder
      : undefined;
  },
};

/** Prometheus's program that checks rules and runs their tests. */
export const promtool: Tool = program({
  name: 'promtool',
  variable: 'QUIRE_PROMTOOL',
  defaultPath: '.cache/promtool/promtool',
  probe: ['--version'],
});

/** A collector of OpenTelemetry with OTLP in and out: the program of `test/otel-collector`. */
export const otelCollector: Tool = program({
  name: 'a collector of OpenTelemetry',
  variable: 'QUIRE_OTEL_COLLECTOR',
  defaultPath: '.cache/otel-collector/otel-collector',
  probe: ['--version'],
});

/** Helm, which checks charts and renders them. */
export const helm: Tool = program({
  name: 'Helm',
  variable: 'QUIRE_HELM',
  defaultPath: '.cache/helm/helm',
  probe: ['version'],
});

/**
 * A program that decodes manifests strictly into the types of Kubernetes, and loads files of Docker
 * Compose.
 */
export const manifestDecoder: Tool = program({
  name: 'the decoder of manifests',
  variable: 'QUIRE_MANIFEST_DECODER',
  defaultPath: '.cache/decode-manifests/decode-manifests',
  probe: [],
});

/** systemd's program that checks units, which machines without systemd do not have. */
export const systemdAnalyze: Tool = {
  name: 'systemd-analyze',
  isOptional: true,
  remedy: 'install systemd',
  find: () =>
    spawnSync('systemd-analyze', ['--version'], { stdio: 'ignore' }).status === 0
      ? 'systemd-analyze'
      : undefined,
};

/** The folder of the packages, once each has been built since its sources have changed. */
export const builtPackages: Tool = {
  name: 'a fresh build',
  remedy: 'run npm run build',
  find: () => {
    const packages = join(root, 'packages');
    const folders = readdirSync(packages, { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    return folders.every(({ name }) => isBuilt(join(packages, name))) ? packages : undefined;
  },
};

/** Path of the tool. Throws when it is missing. */
function requireTool(tool: Tool, environment: NodeJS.ProcessEnv = process.env): string {
  const path = tool.find(environment);
  if (path === undefined) throw new Error(`${tool.name} is missing: ${tool.remedy}.`);
  return path;
}

/**
 * `describe` for a suite that needs a tool, and receives its path. Without the tool the suite is
 * skipped, or fails if the variable CI is set and the tool is not optional.
 */
export function describeWithTool(tool: Tool, name: string, body: (path: string) => void): void {
  const path = tool.find(process.env);
  if (path !== undefined) {
    describe(name, () => {
      body(path);
    });
  } else if (process.env['CI'] === undefined || tool.isOptional === true) {
    test.skip(`${name} (needs ${tool.name}: ${tool.remedy})`, () => {});
  } else {
    test(name, () => {
      requireTool(tool);
    });
  }
}

/**
 * A program that `.ci/run` installs, unless a variable names another copy; it must run the probe
 * and exit with 0.
 */
function program(options: {
  readonly name: string;
  readonly variable: string;
  readonly defaultPath: string;
  readonly probe: readonly string[];
}): Tool {
  const { name, variable, defaultPath, probe } = options;
  return {
    name,
    remedy: `run .ci/run once, or set ${variable} to its path`,
    find: (environment) => {
      const path = environment[variable] ?? join(root, defaultPath);
      if (!existsSync(path)) return undefined;
      return spawnSync(path, probe, { env: {}, stdio: 'ignore' }).status === 0 ? path : undefined;
    },
  };
}

/**
 * Arguments with which Python exits with 0 if it finds these modules. They are not imported: that
 * takes seconds of processor time in each test file.
 */
function pythonHas(...modules: readonly string[]): string[] {
  const list = modules.map((name) => `'${name}'`).join(', ');
  return [
    '-c',
    `import importlib.util, sys; sys.exit(None in map(importlib.util.find_spec, [${list}]))`,
  ];
}

/** A tool that is available only if this program runs as well. */
function withProgram(
  tool: Tool,
  name: string,
  command: (path: string) => readonly [string, ...string[]],
): Tool {
  return {
    ...tool,
    name: `${tool.name}, and ${name}`,
    find: (environment) => {
      const path = tool.find(environment);
      if (path === undefined) return undefined;
      const [program, ...rest] = command(path);
      return spawnSync(program, rest, { stdio: 'ignore' }).status === 0 ? path : undefined;
    },
  };
}

/** A folder with a jar whose name begins with this text, if Java 17 or newer is installed. */
function javaFolder(folder: string, jar: string): string | undefined {
  if (!existsSync(folder) || !readdirSync(folder).some((name) => name.startsWith(jar))) {
    return undefined;
  }
  const { status, stdout } = spawnSync('java', ['--version'], { encoding: 'utf8' });
  const [, version] = /^\S+ (\d+)/.exec(stdout ?? '') ?? [];
  return status === 0 && Number(version) >= 17 ? folder : undefined;
}

function isBuilt(folder: string): boolean {
  // The command has no index; its bundle is written last.
  const output = basename(folder) === 'cli' ? 'bundle/packages.json' : 'dist/index.js';
  const built = statSync(join(folder, output), { throwIfNoEntry: false });
  if (built === undefined) return false;
  const sources = readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' });
  return sources.every((path) => statSync(join(folder, 'src', path)).mtimeMs <= built.mtimeMs);
}
