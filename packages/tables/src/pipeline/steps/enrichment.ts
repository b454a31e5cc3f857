import type { EvaluationContext } from '../../expression/function-definition.ts';
import { parseExpression } from '../../expression/parse-expression.ts';
import type { Finding } from '../../finding.ts';
import type { ErrorPolicy } from '../column-error.ts';
import { orderTransforms, type Transform } from '../order-transforms.ts';
import type { EnrichmentPart } from '../pipeline-input.ts';
import type { PlannedStep } from '../step.ts';
import { planTransforms } from './transform.ts';

/** Makes columns by the enrichers of one place, before or after nested values are taken apart. */
export function planEnrichment(
  configs: readonly EnrichmentPart[],
  isBeforeComplexTypes: boolean,
  context: EvaluationContext,
  policy: ErrorPolicy,
): PlannedStep {
  const findings: Finding[] = [];
  const transforms: Transform[] = [];
  for (const [index, config] of configs.entries()) {
    if ((config.preComplexTypeTransform ?? false) !== isBeforeComplexTypes) continue;
    const path = `/ingestionConfig/enrichmentConfigs/${index}`;
    if (config.enricherType === 'generateColumn') transforms.push(...readGenerated(config, path, findings));
    else findings.push(notRun(config, path));
  }
  const { ordered, cycles } = orderTransforms(transforms);
  for (const cycle of cycles) {
    const message = `Generated columns read each other in a circle: ${cycle.map(({ column }) => column).join(', ')}; they are left out.`;
    findings.push({ path: cycle[0]?.path ?? '', code: 'PIPELINE_TRANSFORM_CYCLE', message, severity: 'error' });
  }
  return { step: planTransforms(ordered, context, policy, 'enrichment'), findings };
}

/** The enricher `generateColumn` has a map from column to expression. */
function readGenerated(config: EnrichmentPart, path: string, findings: Finding[]): readonly Transform[] {
  const functions = config.properties?.['fieldToFunctionMap'];
  const entries = typeof functions === 'object' && functions !== null ? Object.entries(functions) : [];
  return entries.flatMap(([column, text]: [string, unknown]) => {
    const at = `${path}/properties/fieldToFunctionMap/${column.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const parsed = parseExpression(String(text), at);
    if (parsed.findings === undefined) return [{ column, expression: parsed.expression, path: at }];
    findings.push(...parsed.findings);
    return [];
  });
}

function notRun({ enricherType = '' }: EnrichmentPart, path: string): Finding {
  const message = `The enricher ${enricherType} is not run here, only generateColumn is; rows are shown as without it.`;
  return { path: `${path}/enricherType`, code: 'PIPELINE_ENRICHER_NOT_RUN', message, severity: 'warning' };
}
