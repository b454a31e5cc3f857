import { variableOf } from './environment.ts';
import type { SettingRow } from '@quire/core/settings';
import { memberGroups, namedTable, nameKinds, settingTable } from './setting-table.ts';

const titles = {
  server: 'Addresses',
  http: 'Requests',
  tls: 'Encrypted connections',
  jwt: 'JSON Web Tokens',
  limits: 'Limits of each caller',
  store: 'Where results are kept',
  links: 'Links to data files',
  results: 'Results and pages',
  flight: 'Arrow Flight SQL',
  query: 'Queries',
  engine: 'The query engine',
  workers: 'The processes that queries run in',
  restream: 'Restream jobs',
  cleaner: 'The storage cleaner',
  proxy: 'The proxy',
  controller: 'When sweeps run, and the controller',
  preview: 'Previews of tables',
  previewWorkers: 'Processes of previews',
  tableServer: 'Tables of the table server',
  taskWorkers: 'Processes of tasks',
  streamWorkers: 'Processes of streams',
  streams: 'Streams',
  observability: 'Logs, metrics, docs',
  tables: 'Tables, one per `<name>`',
  principals: 'Principals, one per `<name>`',
  storageClasses: 'Storage plug-ins, one per `<scheme>`',
} as const satisfies Record<keyof typeof settingTable | keyof typeof namedTable, string>;

/**
 * The reference of all settings in Markdown: a section for each group, in it a list of its
 * settings.
 */
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
