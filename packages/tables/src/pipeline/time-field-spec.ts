import { printExpression } from '@quire/expressions';
import type { FieldSpecPart, GranularityPart, TimeFieldSpecPart } from './pipeline-input.ts';

/**
 * The time column of an old schema as one of today: its name and format are those of the outgoing granularity, and where the
 * incoming one has another name, the column is made from it.
 */
export function dateTimeSpecOf(spec: TimeFieldSpecPart): FieldSpecPart {
  const { incomingGranularitySpec: incoming, outgoingGranularitySpec: outgoing, ...rest } = spec;
  const kept = outgoing ?? incoming ?? {};
  const name = kept.name ?? spec.name;
  const dateTime: FieldSpecPart = { ...rest, name, dataType: spec.dataType ?? 'LONG', format: formatOf(kept) };
  if (incoming?.name === undefined || name === undefined || incoming.name === name) return dateTime;
  const literals = [formatOf(incoming), formatOf(kept), '1:MILLISECONDS'];
  const transformFunction = printExpression({
    kind: 'call',
    name: 'dateTimeConvert',
    args: [{ kind: 'column', name: incoming.name }, ...literals.map((value) => ({ kind: 'literal', value }) as const)],
  });
  return { ...dateTime, transformFunction: spec.transformFunction ?? transformFunction };
}

/** `EPOCH` or `SIMPLE_DATE_FORMAT:<pattern>` with the size and unit before it. */
function formatOf({ timeUnitSize = 1, timeType = 'MILLISECONDS', timeFormat = 'EPOCH' }: GranularityPart): string {
  return `${timeUnitSize}:${timeType}:${timeFormat}`;
}
