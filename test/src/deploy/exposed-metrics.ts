import {
  CliProcess,
  temporaryDirectory,
  testVariables,
  writeSettings,
} from '../testkit/cli-process.ts';

/** Metrics that running servers expose. */
export interface ExposedMetrics {
  /** Types by name, histograms without the endings of their series. */
  readonly types: ReadonlyMap<string, string>;
  /** The label names of each series that has labels. */
  readonly labels: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Starts every role in one process, has each do something, and reads `/metrics` of all. */
export async function readExposedMetrics(): Promise<ExposedMetrics> {
  await using directory = await temporaryDirectory();
  const config = await writeSettings(
    directory.path,
    [
      'engine.broker.pagination.protocol = file',
      'engine.broker.pagination.file.data.dir = results',
      'engine.broker.pagination.file.maxStoragePerBrokerMB = 64',
      'engine.tables.data.dir = tables',
      'engine.log.format = json',
      'proxy.port = 0',
      'controller.port = 0',
      'controller.cluster.pagination.cleaner.frequencyPeriod = 1s',
      'controller.cluster.pagination.cleaner.initialDelay = 0s',
      '',
    ].join('\n'),
  );
  const args = ['start', '--roles', 'broker,proxy,controller,server', '--config', config];
  await using server = new CliProcess(args, { variables: testVariables });
  const [started] = await server.untilPrinted(/[^]*Ctrl-C/);
  const urlOf = (role: string): string =>
    new RegExp(`${role} +(http:\\S+)`).exec(started)?.[1] ?? '';
  const headers = {
    authorization: `Bearer ${testVariables.TEST_ADMIN_TOKEN}`,
    'content-type': 'application/json',
  };
  for (const role of ['broker', 'proxy']) {
    const body = JSON.stringify({ sql: 'SELECT symbol FROM stocks' });
    const url = `${urlOf(role)}/query/sql?doPaginate=true`;
    const answer = await fetch(url, { method: 'POST', headers, body });
    const { requestId } = (await answer.json()) as { readonly requestId: string };
    await (await fetch(`${urlOf(role)}/query/${requestId}/results`, { headers })).text();
  }
  await server.untilLogged('sweep');
  const texts = ['broker', 'proxy', 'controller'].map(async (role) =>
    (await fetch(`${urlOf(role)}/metrics`, { headers })).text(),
  );
  return parseExposition((await Promise.all(texts)).join('\n'));
}

function parseExposition(text: string): ExposedMetrics {
  const types = new Map<string, string>();
  const labels = new Map<string, Set<string>>();
  for (const line of text.split('\n')) {
    const [, typed, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (typed !== undefined && type !== undefined) types.set(typed, type);
    const [, name, inBraces = ''] = /^([a-z_]\w*)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (name === undefined) continue;
    const own = labels.get(name) ?? new Set();
    for (const [, label = ''] of inBraces.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) own.add(label);
    labels.set(name, own);
  }
  return { types, labels };
}
