import { visibleText } from '@quire/core/portable';
import type { ReactNode } from 'react';
import { counted, formatElapsed } from '../format.ts';
import { useResource } from '../use-resource.ts';
import { Resolved } from '../widgets/states.tsx';
import { planFormOf, planOfRows, planOfText, type PlanStep } from './plan-steps.ts';
import type { ResultPages } from './result-pages.ts';

/** The steps of a plan as a tree, each above its inputs. */
export function PlanView({ pages }: { readonly pages: ResultPages }): ReactNode {
  const { requestId, totalRowCount, columns } = pages.result;
  const steps = useResource(`plan ${requestId}`, async (signal) => {
    await pages.load(0, totalRowCount, signal, { atOnce: true });
    const rows = Array.from({ length: totalRowCount }, (_none, row) =>
      columns.map((_column, index) => pages.textAt(row, index) ?? ''),
    );
    return planFormOf(columns) === 'text'
      ? rows.flatMap(([, plan = '']) => planOfText(plan))
      : planOfRows(rows);
  });
  return (
    <div className="plan" tabIndex={0} role="region" aria-label="Plan">
      <Resolved of={steps} what="the plan">
        {(list) => <PlanTree steps={list} />}
      </Resolved>
    </div>
  );
}

/** A tree of steps; a bar shows the share of the longest one. */
export function PlanTree({ steps }: { readonly steps: readonly PlanStep[] }): ReactNode {
  return <Steps steps={steps} longestMs={Math.max(longestOf(steps), 0.001)} />;
}

function longestOf(steps: readonly PlanStep[]): number {
  return Math.max(0, ...steps.map(({ timeMs = 0, inputs }) => Math.max(timeMs, longestOf(inputs))));
}

function Steps({
  steps,
  longestMs,
}: {
  readonly steps: readonly PlanStep[];
  readonly longestMs: number;
}): ReactNode {
  if (steps.length === 0) return null;
  return (
    <ul>
      {steps.map((step, index) => (
        <li key={index}>
          <code>{visibleText(step.operator)}</code>
          {step.timeMs !== undefined && (
            <span className="quiet number">
              <meter value={step.timeMs} max={longestMs} aria-label="Share of the longest step" />
              {step.timeMs > 0 && step.timeMs < 1
                ? `${step.timeMs.toFixed(2)} ms`
                : formatElapsed(step.timeMs)}
              {step.rows !== undefined && ` · ${counted(step.rows, 'row')}`}
            </span>
          )}
          <Steps steps={step.inputs} longestMs={longestMs} />
        </li>
      ))}
    </ul>
  );
}
