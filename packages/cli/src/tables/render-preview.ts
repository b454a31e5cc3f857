import type { PreviewResponse } from '@quire/tables';
import { visibleText } from '@quire/core/portable';
import { grouped } from '../phrases.ts';
import type { Styles } from '../styles.ts';
import { layOutTable, planTable, type TableColumn } from '../table/text-table.ts';
import { cellOf, columnCell, columnsOfPreview, type PreviewColumn } from './preview-columns.ts';
import { changeRows } from './render-changes.ts';
import { renderFindings } from './render-findings.ts';

export interface PreviewLayout {
  readonly styles: Styles;
  /** The terminal's width in columns. */
  readonly widthMax: number;
  /** The number of rows to show. */
  readonly shownMax: number;
}

/**
 * Renders a preview: input rows, output rows, the reasons for the columns, the changes, and the
 * findings.
 */
export function renderPreview(preview: PreviewResponse, layout: PreviewLayout): string {
  const { styles } = layout;
  const columns = columnsOfPreview(preview);
  const findings = renderFindings(preview.findings, layout);
  const changes = changeRows(preview.changes);
  const sections: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ...rowSections(preview, columns, layout),
    ['Columns', columnLines(preview, columns, layout)],
    [
      'What was done',
      changes.length === 0 ? [] : lines(layOutTable(changeColumns, changes, layout)),
    ],
    ['Findings', findings.length === 0 ? [styles.good('nothing is wrong')] : findings],
  ];
  return [
    headline(preview, styles),
    ...sections
      .filter(([, body]) => body.length > 0)
      .flatMap(([title, body]) => ['', styles.strong(title), ...body]),
    '',
  ].join('\n');
}

const text = (name: string) => ({ name, dataType: 'STRING' });
const changeColumns: readonly TableColumn[] = [
  { ...text('step'), isWhole: true },
  { name: 'rows', dataType: 'LONG' },
  text('what'),
];

function headline(
  { summary, sourceFiles, tableConfigs }: PreviewResponse,
  { strong, faint, bad }: Styles,
): string {
  const [first] = sourceFiles;
  const name = visibleText(first?.slice(first.lastIndexOf('/') + 1) ?? 'rows');
  const more =
    sourceFiles.length > 1
      ? ` and ${sourceFiles.length - 1} more of ${grouped(summary.batch.getnMatchingFiles)} files`
      : '';
  const lost = [
    [summary.getnFilteredRows, 'filtered'],
    [summary.getnFailedRows, 'failed'],
    [summary.getnIncompleteRows, 'incomplete'],
    [summary.getnSanitizedRows, 'truncated or replaced'],
  ] as const;
  const notes = lost
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${grouped(count)} ${what}`);
  return [
    `${strong(name)}${more} ${faint(`${grouped(summary.getnSourceRows)} rows, ${summary.getnSourceColumns} fields`)}`,
    '→',
    `${strong(visibleText(tableConfigs.tableName))} ${faint(`${grouped(summary.getnRows)} rows, ${summary.getnColumns} columns`)}`,
    ...(notes.length === 0 ? [] : [bad(`(${notes.join(', ')})`)]),
  ].join(' ');
}

/**
 * Returns the rows before and after as two tables or, if they are too wide, one row as a table of
 * fields.
 */
function rowSections(
  preview: PreviewResponse,
  columns: readonly PreviewColumn[],
  layout: PreviewLayout,
): readonly (readonly [string, readonly string[]])[] {
  const { rows, sourceRows } = preview;
  const sources = sourceRows
    .slice(0, layout.shownMax)
    .map(({ fieldToValueMap }) => fieldToValueMap);
  const fields = [...new Set(sources.flatMap((row) => Object.keys(row)))].map(text);
  const before = sources.map((row) => fields.map(({ name }) => cellOf(row[name])));
  const after = rows
    .slice(0, layout.shownMax)
    .map((row) => columns.map((column) => columnCell(row, column)));
  const isNarrow = [
    [fields, before],
    [columns, after],
  ] as const;
  const fits = isNarrow.every(
    ([shown, cells]) => planTable(shown, cells, layout).length === shown.length,
  );
  if (sources.length === 0) return [];
  if (fits) {
    const made =
      after.length === 0
        ? [layout.styles.faint('no rows')]
        : lines(layOutTable(columns, after, layout));
    return [
      ['Before', lines(layOutTable(fields, before, layout))],
      ['After', made],
    ];
  }
  return [['The first row, before and after', fieldLines(preview, columns, layout)]];
}

/**
 * Returns a line for each field of the row, with its column if that has another name; columns
 * without a field are last.
 */
function fieldLines(
  preview: PreviewResponse,
  columns: readonly PreviewColumn[],
  layout: PreviewLayout,
): readonly string[] {
  const { rows, sourceRows } = preview;
  const [row] = rows;
  const source = sourceRows[row?.sourceIndex ?? 0]?.fieldToValueMap ?? {};
  const fieldOf = renamedFields(preview);
  const columnOf = new Map(
    columns.map((column) => {
      const { name } = column;
      return [Object.hasOwn(source, name) ? name : (fieldOf.get(name) ?? name), column];
    }),
  );
  const names = [...new Set([...Object.keys(source), ...columnOf.keys()])];
  const cells = names.map((name) => {
    const isField = Object.hasOwn(source, name);
    const column = columnOf.get(name);
    const after = row === undefined || column === undefined ? '' : columnCell(row, column);
    return [isField ? name : '', isField ? cellOf(source[name]) : '', column?.name ?? '', after];
  });
  return lines(
    layOutTable([text('field'), text('before'), text('column'), text('after')], cells, layout),
  );
}

/** Returns the fields by the names of their columns, for transforms that only rename a field. */
function renamedFields({ tableConfig }: PreviewResponse): ReadonlyMap<string, string> {
  const { transformConfigs } = tableConfig.ingestionConfig as {
    readonly transformConfigs: readonly {
      readonly columnName: string | null;
      readonly transformFunction: string | null;
    }[];
  };
  return new Map(
    transformConfigs.flatMap(({ columnName, transformFunction }) => {
      const field = /^"((?:[^"]|"")*)"$/.exec(transformFunction ?? '')?.[1];
      return columnName === null || field === undefined
        ? []
        : [[columnName, field.replaceAll('""', '"')] as const];
    }),
  );
}

function columnLines(
  preview: PreviewResponse,
  columns: readonly PreviewColumn[],
  layout: PreviewLayout,
): readonly string[] {
  if (columns.length === 0) return [];
  const reasons = new Map(preview.explanations.map(({ path, message }) => [path, message]));
  const isExplained = columns.some(({ path }) => reasons.has(path));
  const header = [
    text('column'),
    { ...text('type'), isWhole: true },
    { ...text('kind'), isWhole: true },
  ];
  const cells = columns.map(({ name, dataType, kind, path }) => [
    name,
    dataType,
    kind,
    withoutLead(reasons.get(path) ?? ''),
  ]);
  return lines(layOutTable(isExplained ? [...header, text('why')] : header, cells, layout));
}

/** Removes the name and type, which are in other cells already. */
function withoutLead(message: string): string {
  return message.replace(/^[^.]*?\.(?: |$)/, '');
}

function lines({
  header,
  lines: body,
}: {
  readonly header: readonly string[];
  readonly lines: readonly string[];
}): readonly string[] {
  return [...header, ...body];
}
