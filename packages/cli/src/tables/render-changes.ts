import { type PreviewResponse, stepNames } from '@quire/tables';
import { grouped } from '../phrases.ts';
import { cellText } from '../table/cell-text.ts';
import { cutText } from '../table/text-width.ts';
import { cellOf } from './preview-columns.ts';

type Change = PreviewResponse['changes'][number];

const verbs: Readonly<Record<Change['kind'], string>> = {
  added: 'adds',
  changed: 'changes',
  removed: 'removes',
  failed: 'fails on',
  filtered: 'drops rows',
  unnested: 'splits rows',
};

const valueWidthMax = 24;
const namesMax = 4;

/**
 * Returns the changes of each step, one line for each kind, as rows of a table: step, largest
 * count, description.
 */
export function changeRows(changes: readonly Change[]): readonly (readonly string[])[] {
  const inOrder = changes.toSorted(
    (left, right) => stepNames.indexOf(left.step) - stepNames.indexOf(right.step),
  );
  const groups = Map.groupBy(inOrder, ({ step, kind }) => `${step} ${kind}`);
  return Array.from(groups.values(), (group) => {
    const [first] = group;
    const count = Math.max(...group.map((change) => change.count));
    return [first?.step ?? '', grouped(count), first === undefined ? '' : describe(first, group)];
  });
}

function describe(first: Change, group: readonly Change[]): string {
  const names = group.flatMap(({ column }) => column ?? []);
  const others = names.length > namesMax ? ` and ${names.length - namesMax} more` : '';
  const listed = names.length === 0 ? '' : ` ${names.slice(0, namesMax).join(', ')}${others}`;
  const [example] = first.examples;
  const { before, after, reason } = example ?? {};
  if (first.kind === 'changed') {
    return `${verbs.changed}${listed}: ${shown(before)} → ${shown(after)}`;
  }
  if (first.kind === 'added') return `${verbs.added}${listed}: ${shown(after)}`;
  return reason === undefined
    ? `${verbs[first.kind]}${listed}`
    : `${verbs[first.kind]}${listed}: ${reason}`;
}

function shown(value: unknown): string {
  const text = cellText(cellOf(value));
  return cutText(typeof value === 'string' ? `‘${text}’` : text, valueWidthMax).text;
}
