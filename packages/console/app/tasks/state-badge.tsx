import type { ReactNode } from 'react';
import { Badge, type Tone } from '../widgets/page.tsx';

/** The state of a task, a subtask or a job, in the colour of its meaning. */
export function StateBadge({ state }: { readonly state: string }): ReactNode {
  return <Badge tone={toneOf(state)}>{state.toLowerCase().replaceAll('_', ' ')}</Badge>;
}

function toneOf(state: string): Tone {
  if (/COMPLETED|DONE|SUCCE/.test(state)) return 'good';
  if (/FAIL|ERROR|TIMED_OUT|ABORT/.test(state)) return 'bad';
  if (/STOP|DROPPED|CANCEL|UNKNOWN/.test(state)) return 'warn';
  return 'accent';
}
