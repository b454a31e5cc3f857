import { variableOf } from './environment.ts';
import type { SettingRow } from '@quire/core/settings';
import { memberGroups, namedTable, nameKinds, settingTable } from './setting-table.ts';

const titles = {
  server: 'Addresses',
  http: 'Requests',
  tls: 'Encrypted connections',
  jwt: 'JSON Web Tokens',
  limits: 'Limits for each caller',
  store: 'Storage of results',
  links: 'Links to data files',
  results: 'Results and pages',
  flight: 'Arrow Flight SQL',
  query: 'Queries',
  engine: 'The query engine',
  workers: 'Query worker processes',
  restream: 'Restream jobs',
  cleaner: 'The storage cleaner',
  proxy: 'The proxy',
  controller: 'Sweep schedule and the controller',
  preview: 'Previews of tables',
  previewWorkers: 'Processes of previews',
  tableServer: 'Tables of the table server',
  taskWorkers: 'Processes of tasks',
  streamWorkers: 'Processes of streams',
  streams: 'Streams',
  observability: 'Logs, metrics, docs',
  tables: 'Tables, one for each `<name>`',
  principals: 'Principals, one for each `<name>`',
  storageClasses: 'Storage plug-ins, one for each `<scheme>`',
} as const satisfies Record<keyof typeof settingTable | keyof typeof namedTable, string>;

/** Returns the reference of all settings in Markdown: one section with a table for each group. */
export function renderReference(): string {
  const fixed = Object.entries(settingTable).flatMap(([group, rows]) => [
    renderSection(titles[group as keyof typeof settingTable], '', rows),
    ...(memberGroups[group] ?? []).map(({ title, rows: own }) => renderSection(title, '', own)),
  ]);
  const named = Object.entries(namedTable).map(([name, rows]) => {
    const group = name as keyof typeof namedTable;
    return renderSection(
      titles[group],
      `The name in the key is ${nameKinds[group].allowed}.\n\n`,
      rows,
    );
  });
  return [...fixed, ...named].join('\n');
}

/** The settings to decide on first, and when each has to be set. */
const firstSettings: Readonly<Record<string, string>> = {
  'engine.bind.host': 'other machines must reach the server',
  'engine.broker.client.queryPort': '8099 is taken',
  'engine.auth.principal.<name>.role': 'always: each caller has a name and a role',
  'engine.auth.principal.<name>.token.file': 'a caller sends a token, which the file holds',
  'engine.tls.certificate.file': 'callers connect from other machines; with `engine.tls.key.file`',
  'engine.kind': 'an Apache Pinot cluster answers the queries',
  'engine.table.<name>.path': 'the embedded engine reads files as a table',
  'engine.broker.pagination.protocol':
    'results must survive a restart, or several brokers share them; with `engine.broker.pagination.<protocol>.data.dir`',
  'engine.broker.pagination.expiration': 'results should be kept for a longer or shorter time',
  'engine.broker.pagination.file.maxStoragePerBrokerMB':
    'results may take more space; with `engine.broker.pagination.file.enableStorageCleaner`',
};

/** The settings that most servers need, in Markdown: the first page of the reference. */
export function renderFirstSettings(): string {
  const groups = [
    ...Object.values(settingTable),
    ...Object.values(memberGroups).flatMap((members) => members.map(({ rows }) => rows)),
    ...Object.values(namedTable),
  ];
  const all = groups.flatMap((rows): readonly SettingRow<unknown>[] => Object.values(rows));
  const lines = Object.entries(firstSettings).map(([key, when]) => {
    const row = all.find((each) => each.key === key);
    if (row === undefined) throw new Error(`The setting ${key} does not exist.`);
    return `| \`${key}\` | ${renderDefault(row)} | ${when} |`;
  });
  return `| Setting | Default | Set it when |\n| --- | --- | --- |\n${lines.join('\n')}\n`;
}

function renderSection(
  title: string,
  note: string,
  rows: Readonly<Record<string, SettingRow<unknown>>>,
): string {
  const lines = Object.values(rows).map(renderRow);
  return `## ${title}\n\n${note}${tableHead}\n${lines.join('\n')}\n`;
}

const tableHead = `| Setting and environment variable | Default | Allowed | Change | Meaning |\n| --- | --- | --- | --- | --- |`;

function renderRow(row: SettingRow<unknown>): string {
  const cells = [
    `\`${row.key}\`<br>\`${variableOf(row.key)}\``,
    renderDefault(row),
    row.kind.allowed,
    row.live ? 'live' : 'restart',
    row.meaning,
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function renderDefault(row: SettingRow<unknown>): string {
  if (row.required) return 'required';
  if (row.default === undefined) return 'none';
  return typeof row.default === 'string' ? `\`${row.default}\`` : `that of \`${row.default.of}\``;
}
