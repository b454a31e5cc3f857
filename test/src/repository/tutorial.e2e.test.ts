import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CliProcess, quireHere, temporaryDirectory } from '../testkit/cli-process.ts';
import { isAsPrinted, runSteps, sectionOf, stepsOf } from '../testkit/paper-session.ts';
import { S3Server } from '../testkit/servers/s3-server.ts';
import { describeWithTool, pythonRequests, s3Server } from '../testkit/toolchain.ts';
import { until } from '../testkit/until.ts';

const root = join(import.meta.dirname, '../../..');

/** The quickstart with its settings, on free ports, with its files in a directory of the test. */
class Quickstart implements AsyncDisposable {
  readonly #server: CliProcess;
  readonly #directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  readonly #replacements: Readonly<Record<string, string>>;

  private constructor(
    server: CliProcess,
    directory: Awaited<ReturnType<typeof temporaryDirectory>>,
    replacements: Readonly<Record<string, string>>,
  ) {
    this.#server = server;
    this.#directory = directory;
    this.#replacements = replacements;
  }

  /** Starts it with the options that a paper has after `npm start --`, or with none. */
  static async start(options: readonly string[] = []): Promise<Quickstart> {
    const directory = await temporaryDirectory();
    const settings = await readFile(join(root, 'config/quickstart.properties'), 'utf8');
    const config = join(directory.path, 'quickstart.properties');
    const ports = ['engine.broker.client.queryPort', 'engine.broker.flight.port'];
    await writeFile(
      config,
      settings
        .split('\n')
        .filter((line) => !ports.some((port) => line.startsWith(port)))
        .concat([...ports, 'proxy.port', 'controller.port'].map((port) => `${port} = 0`))
        // On a busy machine, three million rows may take longer than a minute.
        .concat('engine.broker.query.timeout = 10m', 'proxy.timeout.query = 11m')
        .join('\n')
        .replaceAll('= ../.quire', `= ${directory.path}`)
        .replaceAll('= ../', `= ${root}/`)
        .replace('= samples', `= ${root}/config/samples`),
    );
    await mkdir(join(directory.path, 'tutorial'));
    const server = new CliProcess(['start', '--config', config, ...options]);
    await server.untilPrinted(/Ctrl-C/);
    const addressOf = (service: string): string =>
      new RegExp(`^ +${service} +(\\S+)`, 'm').exec(server.stdout)?.[1] ?? '';
    return new Quickstart(server, directory, {
      'http://127.0.0.1:8099': addressOf('broker'),
      'http://127.0.0.1:9000': addressOf('controller'),
      'http://127.0.0.1:8080': addressOf('proxy'),
      'config/quickstart.properties': config,
      'grpc://127.0.0.1:8815': addressOf('flight'),
      '/srv/quire/.quire': directory.path,
      '.quire/': `${directory.path}/`,
    });
  }

  /** Returns the output of the start, with the addresses and directories of the papers. */
  get greeting(): string {
    return Object.entries(this.#replacements).reduce(
      (text, [inPaper, here]) => text.replaceAll(here, inPaper),
      this.#server.stdout,
    );
  }

  /** Resolves once queries see rows in the two sample tables. */
  async untilSampled(): Promise<void> {
    const rowsOf = async (args: readonly string[]): Promise<string> =>
      (
        await quireHere(args, {
          variables: { ...this.#variables, QUIRE_TOKEN: 'quickstart-admin' },
        })
      ).stdout;
    const task = 'Task_SegmentGenerationAndPushTask_sp500';
    await until(
      async () => (await rowsOf(['tasks', 'show', task])).includes('COMPLETED'),
      'the task of sp500 is completed',
    );
    const sql = 'SELECT count(*) > 0 AS has FROM departures';
    await until(async () => (await rowsOf(['query', sql])) === 'true\n', 'departures has rows');
  }

  get #variables(): Readonly<Record<string, string>> {
    return {
      QUIRE_URL: this.#replacements['http://127.0.0.1:8099'] ?? '',
      QUIRE_CONTROLLER_URL: this.#replacements['http://127.0.0.1:9000'] ?? '',
    };
  }

  /** The commands of a paper, each with its output if that differs from the printed one. */
  async differencesOf(markdown: string): Promise<readonly unknown[]> {
    const outcomes = await runSteps(stepsOf(markdown), {
      variables: this.#variables,
      replacements: this.#replacements,
    });
    return outcomes.filter((outcome) => !isAsPrinted(outcome));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
    await this.#directory[Symbol.asyncDispose]();
  }
}

describe('the papers that a newcomer reads first', () => {
  let quickstart: Quickstart;

  beforeAll(async () => {
    quickstart = await Quickstart.start();
    await quickstart.untilSampled();
  });
  afterAll(() => quickstart[Symbol.asyncDispose]());

  test('the README prints what the quickstart prints, and its commands run as they stand', async () => {
    const readme = await readFile(join(root, 'README.md'), 'utf8');
    const [, printed] = /```text\n([\s\S]*?)```/.exec(readme) ?? [];
    expect(quickstart.greeting.split('\n\n#')[0]).toBe(printed?.trimEnd());
    expect(stepsOf(readme).length).toBeGreaterThan(5);
    expect(await quickstart.differencesOf(readme)).toEqual([]);
  });

  test('the commands of the tutorial run as they stand, and write what it shows', async () => {
    const tutorial = await readFile(join(root, 'docs/tutorial.md'), 'utf8');
    const python = sectionOf(tutorial, '8. Read a result from Python');
    const others = tutorial.replace(python, '');
    expect(stepsOf(others).length).toBeGreaterThan(20);
    expect(await quickstart.differencesOf(others)).toEqual([]);
  });

  test.each(['docs/guides/tables.md', 'docs/guides/migrate.md'])(
    'the commands of %s run as they stand, and write what it shows',
    async (path) => {
      const guide = await readFile(join(root, path), 'utf8');
      expect(stepsOf(guide).length).toBeGreaterThan(2);
      expect(await quickstart.differencesOf(guide)).toEqual([]);
    },
  );

  describeWithTool(pythonRequests, 'the Python program of the tutorial', (path) => {
    test('the Python program of the tutorial reads a page of the result of its second step', async () => {
      const tutorial = await readFile(join(root, 'docs/tutorial.md'), 'utf8');
      const sections = ['1. Start the system', '2. Run a query', '8. Read a result from Python'];
      const own = sections.map((heading) => sectionOf(tutorial, heading)).join('');
      expect(await quickstart.differencesOf(own.replaceAll('$ python3 ', `$ ${path} `))).toEqual(
        [],
      );
    });
  });
});

describeWithTool(s3Server, 'the guide to results in a bucket', (path) => {
  test('the settings of the guide to results in a bucket start the quickstart on an S3 server', async () => {
    await using server = await S3Server.start(path);
    const guide = await readFile(join(root, 'docs/guides/bucket.md'), 'utf8');
    const { accessKeyId, secretAccessKey } = server.storeOptions().credentials;
    const options = [...guide.matchAll(/--set (\S+=\S+)/g)].map(([, setting = '']) =>
      setting
        .replace('http://127.0.0.1:7070', server.endpoint)
        .replace(/(?<=access\.key=).*/, accessKeyId)
        .replace(/(?<=secret\.key=).*/, secretAccessKey),
    );
    expect(options).toHaveLength(6);
    // The server of the tests is in another region than the one that the guide starts.
    options.push('engine.broker.storage.factory.s3.region=eu-central-1');
    await using quickstart = await Quickstart.start(options.flatMap((each) => ['--set', each]));
    expect(quickstart.greeting).toContain('results       s3://results/demo, kept for 1h\n');
    const readme = await readFile(join(root, 'README.md'), 'utf8');
    const pages = stepsOf(readme).filter(({ command }) => !command.startsWith('npm '));
    const asConsole = pages.map(({ command, output }) => `$ ${command}\n${output}`.trimEnd());
    expect(
      await quickstart.differencesOf(`\`\`\`console\n${asConsole.join('\n')}\n\`\`\`\n`),
    ).toEqual([]);
  });
});
