import { isQuireError } from '@quire/core';
import {
  columnsOf,
  compileExpression,
  type EvaluationContext,
  type Expression,
  parseExpression,
} from '../../expressions/index.ts';
import type { Finding } from '../../finding.ts';
import type { EnrichmentPart } from '../column-spec.ts';
import { noStep, type PlannedStep } from '../step.ts';

interface Generated {
  readonly column: string;
  readonly expression: Expression;
}

/** The step of the enrichers of one position, and the columns that they read. */
export interface PlannedEnrichment extends PlannedStep {
  readonly reads: readonly string[];
}

/**
 * Creates columns by the enrichers of one position, before or after nested values are flattened:
 * one after another, overwriting existing values. An expression that fails fails the row, even if
 * the table continues on errors.
 */
export function planEnrichment(
  configs: readonly EnrichmentPart[],
  isBeforeComplexTypes: boolean,
  context: EvaluationContext,
): PlannedEnrichment {
  const findings: Finding[] = [];
  const generated: Generated[] = [];
  for (const [index, config] of configs.entries()) {
    if ((config.preComplexTypeTransform ?? false) !== isBeforeComplexTypes) continue;
    const path = `/ingestionConfig/enrichmentConfigs/${index}`;
    if (config.enricherType === 'generateColumn') {
      generated.push(...readGenerated(config, path, findings));
    } else findings.push(notRun(config, path));
  }
  const compiled = generated.map(({ column, expression }) => ({
    column,
    evaluate: compileExpression(expression, context),
  }));
  const reads = generated.flatMap(({ expression }) => columnsOf(expression));
  if (compiled.length === 0) return { ...noStep, findings, reads };
  return {
    findings,
    reads,
    step: {
      name: 'enrichment',
      apply(row, journal) {
        for (const { column, evaluate } of compiled) {
          try {
            const after = evaluate(row.fields);
            row.put(column, after);
            journal.note('added', column, { sourceIndex: row.sourceIndex, after });
          } catch (error) {
            if (!isQuireError(error, 'EXPRESSION_FAILED')) throw error;
            journal.note('failed', column, {
              sourceIndex: row.sourceIndex,
              before: row.get(column),
              reason: error.message,
            });
            row.failure = { column, reason: error.message };
            return row.alone;
          }
        }
        return row.alone;
      },
    },
  };
}

/** Reads the enricher `generateColumn`, which has a map from column to expression. */
function readGenerated(
  config: EnrichmentPart,
  path: string,
  findings: Finding[],
): readonly Generated[] {
  const functions = config.properties?.['fieldToFunctionMap'];
  const entries =
    typeof functions === 'object' && functions !== null ? Object.entries(functions) : [];
  return entries.flatMap(([column, text]: [string, unknown]) => {
    const at = `${path}/properties/fieldToFunctionMap/${column.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const parsed = parseExpression(String(text), at);
    if (parsed.findings === undefined) {
      findings.push(...parsed.warnings);
      return [{ column, expression: parsed.expression }];
    }
    findings.push(...parsed.findings);
    return [];
  });
}

/** The suffixes of the columns that the encoder of log lines creates from one column. */
const clpSuffixes = ['_logtype', '_dictionaryVars', '_encodedVars'] as const;

function notRun({ enricherType = '', properties }: EnrichmentPart, path: string): Finding {
  if (enricherType !== 'clpEnricher') {
    const message = `The enricher ${enricherType} is unknown: expected generateColumn or clpEnricher.`;
    const code = 'PIPELINE_ENRICHER_UNKNOWN';
    return { path: `${path}/enricherType`, code, message, severity: 'error' };
  }
  const given = properties?.['fields'];
  const fields = Array.isArray(given) ? given.map(String) : [];
  const columns = fields.flatMap((field) => clpSuffixes.map((suffix) => field + suffix));
  return {
    path: `${path}/enricherType`,
    code: 'PIPELINE_ENRICHER_NOT_RUN',
    message:
      columns.length === 0
        ? 'The enricher clpEnricher has no fields, so it creates no columns.'
        : `The enricher clpEnricher is not supported here: ${columns.join(', ')} have no values in this preview. Apache Pinot computes them from ${fields.join(', ')}.`,
    severity: 'warning',
  };
}
