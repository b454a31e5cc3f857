import { visibleText } from '@quire/core/portable';
import type { ReactNode } from 'react';
import { encodeJson } from '../query/cell-text.ts';
import { type ListColumn, ListTable } from '../widgets/list-table.tsx';
import { Badge, Card } from '../widgets/page.tsx';
import { Empty } from '../widgets/states.tsx';

export interface Finding {
  /** JSON pointer to the subject. */
  readonly path: string;
  readonly code: string;
  readonly message: string;
  readonly severity: string;
}

export interface PreviewedRow {
  readonly fieldToValueMap: Readonly<Record<string, unknown>>;
  readonly nullValueFields?: readonly string[];
  readonly sourceIndex?: number;
  readonly incomplete?: boolean;
}

/** The findings about one document, each with the line of its text that it refers to. */
export function FindingList({
  findings,
  document,
  text,
}: {
  readonly findings: readonly Finding[];
  readonly document: string;
  readonly text: string;
}): ReactNode {
  const own = findings.filter(
    ({ path }) =>
      path.replace(/^\//, '').startsWith(document) ||
      (document === 'tableConfig' && !/^\/?schema/.test(path)),
  );
  return (
    <ul className="findings">
      {own.map((finding, index) => {
        const line = lineOf(finding.path, text);
        return (
          <li key={`${finding.code} ${finding.path} ${index}`}>
            <Badge
              tone={
                finding.severity === 'error' ? 'bad' : finding.severity === 'warning' ? 'warn' : ''
              }
            >
              {line === undefined ? finding.severity : `line ${line}`}
            </Badge>
            <span>{visibleText(finding.message)}</span>
          </li>
        );
      })}
      {own.length === 0 && <li className="quiet">No findings.</li>}
    </ul>
  );
}

/**
 * Returns the line of a document to which a JSON pointer refers: the line of the last member of its
 * path that the text contains. The item of a list is found by counting the objects before it.
 */
function lineOf(pointer: string, text: string): number | undefined {
  const names = pointer
    .split('/')
    .slice(2)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  let index = -1;
  for (const name of names) {
    if (/^\d+$/.test(name)) {
      for (let skipped = 0; skipped <= Number(name); skipped += 1) {
        const next = text.indexOf('{', index + 1);
        if (next < 0) break;
        index = next;
      }
      continue;
    }
    const next = text.indexOf(`"${name}"`, index + 1);
    if (next < 0) break;
    index = next;
  }
  return index < 0 ? undefined : text.slice(0, index).split('\n').length;
}

const shownMax = 50;

export function PreviewRows({
  title,
  rows,
  lines,
  times,
  empty,
}: {
  readonly title: string;
  readonly rows: readonly PreviewedRow[];
  readonly lines: readonly number[];
  /** Columns of timestamps, which are formatted. */
  readonly times?: ReadonlySet<string>;
  /** The text for a preview without rows. */
  readonly empty: string;
}): ReactNode {
  const names = [...new Set(rows.flatMap(({ fieldToValueMap }) => Object.keys(fieldToValueMap)))];
  return (
    <Card title={`${title} (${rows.length})`} flush>
      <ListTable
        items={rows
          .slice(0, shownMax)
          .map((row, index) => ({ row, line: lines[row.sourceIndex ?? index] ?? index + 1 }))}
        columns={[
          {
            name: 'Line',
            className: 'quiet number',
            cell: ({ row, line }) => (
              <>
                {line}
                {row.incomplete === true && <Badge tone="warn">incomplete</Badge>}
              </>
            ),
          },
          ...names.map(
            (name): ListColumn<{ readonly row: PreviewedRow; readonly line: number }> => ({
              name,
              className: 'cut',
              cell: ({ row }) => (
                <PreviewCell
                  value={shownValue(row.fieldToValueMap[name], times?.has(name) === true)}
                  isDefault={row.nullValueFields?.includes(name) === true}
                />
              ),
            }),
          ),
        ]}
        keyOf={(_item, index) => String(index)}
        empty={<Empty title={empty} />}
      />
    </Card>
  );
}

/** Formats a timestamp like the server; tables store it as milliseconds. */
function shownValue(value: unknown, isTime: boolean): unknown {
  const moment = new Date(isTime && typeof value === 'number' ? value : NaN);
  return Number.isNaN(moment.getTime())
    ? value
    : moment
        .toISOString()
        .slice(0, -1)
        .replace('T', ' ')
        .replace(/0{1,2}$/, '');
}

function PreviewCell({
  value,
  isDefault,
}: {
  readonly value: unknown;
  readonly isDefault: boolean;
}): ReactNode {
  if (value === null || value === undefined) return <span className="null">null</span>;
  const text = visibleText(typeof value === 'string' ? value : encodeJson(value));
  return isDefault ? (
    <span className="null" title="The row had no value: this is the default.">
      {text}
    </span>
  ) : (
    <code>{text}</code>
  );
}
