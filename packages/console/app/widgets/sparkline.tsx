import type { ReactNode } from 'react';

/** Points of a line. */
export const pointsMax = 60;

/** A line of the last values of a figure, drawn beside the figure itself. */
export function Sparkline({ values }: { readonly values: readonly number[] }): ReactNode {
  const top = Math.max(1, ...values);
  const points = values
    .map((value, index) => `${(index * 120) / (pointsMax - 1)},${22 - (20 * value) / top}`)
    .join(' ');
  return (
    <svg className="sparkline" width="120" height="24" viewBox="0 0 120 24" aria-hidden="true">
      <polyline points={points} />
    </svg>
  );
}
