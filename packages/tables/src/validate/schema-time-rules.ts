import { isQuireError } from '@quire/core';
import {
  type DateTimeFormat,
  javaText,
  parseDateTimeFormat,
  parseGranularity,
  readInFormat,
  type Value,
} from '../expressions/index.ts';
import { type CheckedSchema, type Column, rulesAbout } from './rule.ts';

const { error, warning } = rulesAbout<CheckedSchema>('schema');

/** Times of rows and samples must be from 1971 to 2070. */
const earliestMs = Date.UTC(1971, 0, 1);
const latestMs = Date.UTC(2071, 0, 1);

/** Rules about date-time columns. */
export const schemaTimeRules = [
  warning(
    'TIME_FIELD_SPEC',
    'Schemas should have dateTimeFieldSpecs instead of the deprecated timeFieldSpec.',
    function* ({ schema }) {
      if (schema.timeFieldSpec !== undefined) {
        yield ['/timeFieldSpec', 'timeFieldSpec is deprecated: use dateTimeFieldSpecs.'];
      }
    },
  ),
  error(
    'TIME_FIELD_GRANULARITY',
    'A timeFieldSpec must have an incomingGranularitySpec; an outgoing one that differs must have another name, and both the timeFormat EPOCH.',
    function* ({ schema: { timeFieldSpec } }) {
      if (timeFieldSpec === undefined) return;
      const { incomingGranularitySpec: incoming, outgoingGranularitySpec: outgoing } =
        timeFieldSpec;
      const path = '/timeFieldSpec/incomingGranularitySpec';
      if (incoming === undefined) yield [path, 'The timeFieldSpec has no incomingGranularitySpec.'];
      if (
        incoming === undefined ||
        outgoing === undefined ||
        isSameGranularity(incoming, outgoing)
      ) {
        return;
      }
      if (incoming.name === outgoing.name) {
        yield [
          path,
          'The outgoingGranularitySpec differs and must have another name than the incoming one.',
        ];
      }
      if ([incoming, outgoing].some(({ timeFormat = 'EPOCH' }) => timeFormat !== 'EPOCH')) {
        yield [path, 'Only the timeFormat EPOCH can be converted to another granularity.'];
      }
    },
  ),
  error(
    'DATE_TIME_FORMAT',
    'Every date-time column must have a valid format.',
    function* (checked) {
      for (const { spec, name, path } of dateTimesOf(checked)) {
        const { format = '' } = spec;
        const problem =
          format === ''
            ? `The date-time column ${name} has no format.`
            : failureOf(() => parseDateTimeFormat(format));
        if (problem !== undefined) yield [`${path}/format`, problem];
      }
    },
  ),
  error(
    'DATE_TIME_PATTERN_ORDER',
    'The fields of a date-time pattern must be in the order from years to fractions of a second, so that text sorts by time.',
    function* (checked) {
      for (const { spec, path } of dateTimesOf(checked)) {
        const format = formatOf(spec.format);
        if (format?.kind !== 'pattern' || format.pattern === undefined) continue;
        const letters = format.pattern.fields.flatMap(orderedLetterOf);
        const isSorted = letters.every(
          (letter, index) => order.indexOf(letters[index - 1] ?? 'y') <= order.indexOf(letter),
        );
        if (!isSorted) {
          yield [
            `${path}/format`,
            `The fields of ${format.pattern.text} are not in the order y M d H m s S.`,
          ];
        }
      }
    },
  ),
  error(
    'DATE_TIME_GRANULARITY',
    'Granularities must be valid, such as 15:MINUTES or MINUTES|15.',
    function* (checked) {
      for (const { spec, path } of dateTimesOf(checked)) {
        const given = spec.granularity;
        const problem =
          given === undefined
            ? 'The date-time column has no granularity; expected for example 1:DAYS or DAYS|1.'
            : failureOf(() => parseGranularity(given));
        if (problem !== undefined) yield [`${path}/granularity`, problem];
      }
    },
  ),
  error(
    'DATE_TIME_SAMPLE',
    'A sampleValue must have the format of its column and be between 1971 and 2071.',
    function* (checked) {
      for (const column of dateTimesOf(checked)) {
        const problem = sampleProblemOf(column);
        if (problem !== undefined) yield [`${column.path}/sampleValue`, problem];
      }
    },
  ),
];

/** The letters of patterns, from the longest unit to the shortest. */
const order: readonly string[] = ['y', 'M', 'd', 'H', 'm', 's', 'S'];

function orderedLetterOf(field: {
  readonly kind: string;
  readonly letter?: string;
}): readonly string[] {
  if (field.kind === 'month') return ['M'];
  if (field.kind !== 'number') return [];
  const letter =
    { D: 'd', h: 'H', k: 'H', K: 'H', x: 'y' }[field.letter ?? ''] ?? field.letter ?? '';
  return order.includes(letter) ? [letter] : [];
}

type Granularity = NonNullable<
  NonNullable<CheckedSchema['schema']['timeFieldSpec']>['incomingGranularitySpec']
>;

function isSameGranularity(one: Granularity, other: Granularity): boolean {
  const members = ['name', 'dataType', 'timeType', 'timeUnitSize', 'timeFormat'] as const;
  return members.every((member) => one[member] === other[member]);
}

/** Returns the date-time columns; TIMESTAMP columns have that format, whatever they declare. */
function dateTimesOf({ columns }: CheckedSchema): readonly Column[] {
  return columns
    .filter(({ kind }) => kind === 'dateTime')
    .map((column) =>
      column.dataType === 'TIMESTAMP'
        ? { ...column, spec: { ...column.spec, format: 'TIMESTAMP' } }
        : column,
    );
}

function formatOf(text: string | undefined): DateTimeFormat | undefined {
  let format: DateTimeFormat | undefined;
  failureOf(() => (format = parseDateTimeFormat(text ?? '')));
  return format;
}

function sampleProblemOf({ spec }: Column): string | undefined {
  const { sampleValue, format: text } = spec;
  const format = formatOf(text);
  if (sampleValue === undefined || sampleValue === null || format === undefined) return undefined;
  let sampleMs = Number.NaN;
  const problem = failureOf(
    () => (sampleMs = readInFormat(javaText(sampleValue as Value), format, 2000)),
  );
  if (problem !== undefined) return problem;
  const isInRange = sampleMs >= earliestMs && sampleMs <= latestMs;
  return isInRange
    ? undefined
    : `In the format ${text}, the sampleValue is not between 1971 and 2071.`;
}

/** Returns the reason why a text cannot be read; undefined if it can. */
function failureOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (!isQuireError(error, 'EXPRESSION_FAILED')) throw error;
    return error.message;
  }
}
