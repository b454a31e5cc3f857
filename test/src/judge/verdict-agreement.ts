import {
  checkTableConfig,
  checkTableSchema,
  parseTableConfig,
  parseTableSchema,
  validateTableConfig,
  validateTableSchema,
} from '@quire/tables';
import fc from 'fast-check';
import type { PinotJudge } from './pinot-judge.ts';
import { changed, type Change } from './verdict-cases.ts';
import { drawnConfigs, drawnSchemas } from './verdict-draws.ts';
import { soundTables, wideSchema } from './verdict-tables.ts';

/** A document with its changes, and the verdicts on it. */
export interface VerdictComparison {
  readonly kind: 'config' | 'schema';
  readonly changes: readonly Change[];
  /** The reason for the engine's refusal; undefined if it accepts it. */
  readonly judged: string | undefined;
  /** Codes of our errors, each once. */
  readonly codes: readonly string[];
  /**
   * The reason for which the engine refuses our completed document; undefined if it accepts that,
   * or the document is wrong.
   */
  readonly completed: string | undefined;
}

/** Our codes of errors about a config of that schema. */
export function configErrors(document: object, schemaDocument: object): readonly string[] {
  const { config, findings } = parseTableConfig(document);
  const { schema } = parseTableSchema(schemaDocument);
  return errorsOf([...findings, ...validateTableConfig(config, { schema })]);
}

/** Our codes of errors about a schema. */
export function schemaErrors(document: object): readonly string[] {
  const { schema, findings } = parseTableSchema(document);
  return errorsOf([...findings, ...validateTableSchema(schema)]);
}

/** A config with all its members, as our validation returns it. */
export function completedConfig(document: object): unknown {
  const { OFFLINE, REALTIME } = checkTableConfig(document);
  return OFFLINE ?? REALTIME;
}

export function completedSchema(document: object): unknown {
  return checkTableSchema(document).schema;
}

function errorsOf(
  findings: readonly { readonly severity: string; readonly code: string }[],
): readonly string[] {
  return [
    ...new Set(findings.filter(({ severity }) => severity === 'error').map(({ code }) => code)),
  ].toSorted();
}

/** Compares both verdicts on this many configs, and half as many schemas. */
export async function compareVerdicts(
  judge: PinotJudge,
  seed: number,
  runs: number,
): Promise<readonly VerdictComparison[]> {
  const configs = fc
    .sample(drawnConfigs, { seed, numRuns: runs })
    .map(async ({ table, changes }): Promise<VerdictComparison> => {
      const document = changes.reduce<object>(changed, soundTables[table] ?? {});
      const { error: judged } = await judge.validateTable(document, wideSchema);
      const codes = configErrors(document, wideSchema);
      const isSound = judged === undefined && codes.length === 0;
      const completed = isSound
        ? await judge.validateTable(completedConfig(document), completedSchema(wideSchema))
        : undefined;
      return { kind: 'config', changes, judged, codes, completed: completed?.error };
    });
  const schemas = fc
    .sample(drawnSchemas, { seed, numRuns: Math.ceil(runs / 2) })
    .map(async (changes): Promise<VerdictComparison> => {
      const document = changes.reduce<object>(changed, wideSchema);
      const { error: judged } = await judge.validateSchema(document);
      const codes = schemaErrors(document);
      const isSound = judged === undefined && codes.length === 0;
      const completed = isSound ? await judge.validateSchema(completedSchema(document)) : undefined;
      return { kind: 'schema', changes, judged, codes, completed: completed?.error };
    });
  return Promise.all([...configs, ...schemas]);
}

export function agrees({ judged, codes }: VerdictComparison): boolean {
  return (judged !== undefined) === codes.length > 0;
}

/** Summarizes the comparison in one line. */
export function showComparison({
  kind,
  changes,
  judged,
  codes,
  completed,
}: VerdictComparison): string {
  const shown = changes
    .map(([path, value]) => `${path} = ${JSON.stringify(value) ?? 'missing'}`)
    .join('; ');
  return `${kind}: ${shown}: the engine ${judged === undefined ? 'takes it' : `says ${judged}`}, we say ${codes.join(', ') || 'nothing'}${completed === undefined ? '' : `; completed, the engine says ${completed}`}`;
}

/**
 * Agreement by rule in Markdown: how often each was broken, and how often the engine refused the
 * document too.
 */
export function renderRuleAgreement(comparisons: readonly VerdictComparison[]): string {
  const codes = [...new Set(comparisons.flatMap((each) => each.codes))].toSorted();
  const rows = codes.map((code) => {
    const broken = comparisons.filter((each) => each.codes.includes(code));
    const agreed = broken.filter(({ judged }) => judged !== undefined).length;
    return `| \`${code}\` | ${broken.length} | ${agreed} | ${broken.length - agreed} |`;
  });
  const head = [
    '| Rule | Broken | Refused by the engine too | Only by us |',
    '| --- | ---: | ---: | ---: |',
  ];
  return [...head, ...rows].join('\n');
}

/** Agreement by section of the documents that was changed. */
export function renderSectionAgreement(comparisons: readonly VerdictComparison[]): string {
  const names = comparisons.map(({ kind, changes }) => `${kind}: ${changes[0]?.[0].split('.')[0]}`);
  const rows = [...new Set(names)].toSorted().map((name) => {
    const some = comparisons.filter((_, index) => names[index] === name);
    const differing = some.filter((each) => !agrees(each));
    const stricter = differing.filter(({ judged }) => judged === undefined).length;
    const shown = name.replace(/: (.*)$/, ' `$1`');
    return `| ${shown} | ${some.length} | ${some.length - differing.length} | ${stricter} | ${differing.length - stricter} |`;
  });
  const head = [
    '| Changed | Cases | Agreed | Only we refuse | Only the engine refuses |',
    '| --- | ---: | ---: | ---: | ---: |',
  ];
  return [...head, ...rows].join('\n');
}
