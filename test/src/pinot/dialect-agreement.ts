import { differenceCauses, refusals } from './dialect-differences.ts';
import type { DialectQuery } from './dialect-queries.ts';

/** The answer to a query: rows, or an error. */
export interface DialectAnswer {
  readonly rows?: readonly (readonly unknown[])[];
  readonly types?: readonly string[];
  readonly error?: string;
  /** The cluster's log and threads, if a server did not respond. */
  readonly report?: string;
}

/** The answers to one query, of both engines of Apache Pinot and of Quire. */
export interface Judged {
  readonly query: DialectQuery;
  readonly answers: Readonly<Record<PinotEngineName | 'quire', DialectAnswer>>;
}

type PinotEngineName = 'single-stage' | 'multi-stage';
const engines = ['single-stage', 'multi-stage'] as const;

/** Reports whether two answers have the same values: numbers as numbers, to twelve digits. */
function isSameAnswer(left: DialectAnswer, right: DialectAnswer): boolean {
  if (left.error !== undefined || right.error !== undefined) {
    return left.error !== undefined && right.error !== undefined;
  }
  return isSameValue(left.rows, right.rows);
}

function isSameValue(left: unknown, right: unknown): boolean {
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((value, at) => isSameValue(value, right[at]));
  }
  const [one, other] = [numberOf(left), numberOf(right)];
  if (one === undefined || other === undefined) return left === right;
  return Object.is(one, other) || Math.abs(one - other) <= 1e-12 * Math.max(1, Math.abs(one));
}

/** A number, or the text that represents one: BIG_DECIMAL, NaN. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const isNumber =
    typeof value === 'string' &&
    /^(?:-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|NaN|-?Infinity)$/.test(value);
  return isNumber ? Number(value) : undefined;
}

type Verdict = 'same' | 'refused there' | 'refused here' | 'differs';

/** Returns the verdict of Quire's answer compared with that of one of Apache Pinot's engines. */
function verdictOf({ answers }: Judged, engine: PinotEngineName): Verdict {
  const [there, here] = [answers[engine], answers.quire];
  if (isSameAnswer(there, here)) return 'same';
  if (there.error !== undefined) return 'refused there';
  return here.error === undefined ? 'differs' : 'refused here';
}

/** Differences and refusals without a cause, and causes without a difference. */
export function unexplained(all: readonly Judged[]): readonly string[] {
  const found = new Set<string>();
  const problems: string[] = [];
  for (const judged of all) {
    for (const engine of engines) {
      const verdict = verdictOf(judged, engine);
      const { subject } = judged.query;
      if (
        verdict === 'refused here' &&
        !refusals.some(({ subjects }) => subjects.includes(subject))
      ) {
        problems.push(`${subject}: refused here, answered by the ${engine} engine`);
      }
      if (verdict !== 'differs') continue;
      found.add(`${engine} ${subject}`);
      const isKnown = differenceCauses.some(
        (cause) => cause.engines.includes(engine) && cause.subjects.includes(subject),
      );
      if (!isKnown) {
        const { [engine]: there, quire } = judged.answers;
        const [theirs, ours] = [there, quire].map(({ rows }) => JSON.stringify(rows).slice(0, 300));
        problems.push(`${subject}: ${theirs} by the ${engine} engine, ${ours} here`);
      }
    }
  }
  for (const cause of differenceCauses) {
    for (const engine of cause.engines) {
      for (const subject of cause.subjects) {
        if (!found.has(`${engine} ${subject}`)) {
          problems.push(`${subject}: listed as different from the ${engine} engine, and is not`);
        }
      }
    }
  }
  for (const { subjects } of refusals) {
    for (const subject of subjects) {
      const isRefused = all.some(
        (judged) =>
          judged.query.subject === subject &&
          engines.some((engine) => verdictOf(judged, engine) === 'refused here'),
      );
      if (!isRefused) problems.push(`${subject}: listed as refused here, and is not`);
    }
  }
  return problems;
}

/** The agreement, as a document. */
export function renderAgreement(all: readonly Judged[]): string {
  const parts = [...Map.groupBy(all, ({ query }) => query.part)];
  const rows = parts.map(([part, ofPart]) => {
    const counts = engines.flatMap((engine) => {
      const verdicts = ofPart.map((judged) => verdictOf(judged, engine));
      const count = (wanted: Verdict): number =>
        verdicts.filter((verdict) => verdict === wanted).length;
      return [count('same'), count('refused there'), count('differs') + count('refused here')];
    });
    const either = ofPart.filter((judged) =>
      engines.some((engine) => verdictOf(judged, engine) === 'same'),
    ).length;
    return `| ${part} | ${ofPart.length} | ${either} | ${counts.join(' | ')} |`;
  });
  const refused = engines.map((engine) => {
    const subjects = all
      .filter((judged) => verdictOf(judged, engine) === 'refused there')
      .map(({ query }) => `\`${query.subject.replaceAll('\n', ' ')}\``);
    return `The ${engine} engine refuses, and Quire answers: ${subjects.join(', ')}.`;
  });
  const either = all.filter((judged) =>
    engines.some((engine) => verdictOf(judged, engine) === 'same'),
  ).length;
  return `# The dialect \`pinot\`, and Apache Pinot's own answers

The tests ask ${all.length} queries of an Apache Pinot 1.5.1, of both of its engines, and of Quire in the dialect \`pinot\`, about the same rows, and compare the
values (\`test/src/pinot/dialect-queries.ts\`). They write this file: \`npx vitest run test/src/pinot/dialect.pinot.test.ts --update\`.

All are asked with \`enableNullHandling=true\`. To ${either} of the ${all.length}, Quire gives the answer of one of the two engines, or refuses what both refuse; an agreement is one of values, not of
messages. ${refusals.flatMap(({ subjects }) => subjects).length} queries are refused here that one of them answers.

<!-- prettier-ignore-start -->

| Part | Queries | As one of them | Single-stage: same | refused there | other values | Multi-stage: same | refused there | other values |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
${rows.join('\n')}

## Other values, by cause

${differenceCauses
  .map(
    ({ cause, engines: which, subjects }) =>
      `- **${which.join(', ')}**: ${cause} (${subjects.map((subject) => `\`${subject}\``).join(', ')})`,
  )
  .join('\n')}

## Refused here

${refusals
  .map(
    ({ cause, subjects }) =>
      `- ${cause} (${subjects.map((subject) => `\`${subject}\``).join(', ')})`,
  )
  .join('\n')}

## Refused there

${refused.join('\n\n')}

<!-- prettier-ignore-end -->
`;
}
