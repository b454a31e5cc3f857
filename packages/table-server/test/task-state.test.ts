import { isQuireError } from '@quire/core';
import {
  type SubtaskRecord,
  type TaskRecord,
  type TaskState,
  taskStates,
} from '@quire/core/table-engine';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyTaskEvent, type TaskEvent } from '../src/tasks/task-state.ts';
import {
  isFinal,
  nextTaskState,
  type TaskSignal,
  taskTransitions,
} from '../src/tasks/task-transitions.ts';

const subtask = (index: number): SubtaskRecord => ({
  subtaskId: `Task_x_${index}`,
  state: 'WAITING',
  startedMs: null,
  finishedMs: null,
  participant: null,
  info: null,
  attemptCount: 0,
  progress: null,
  configs: {},
});

function newTask(subtaskCount: number): TaskRecord {
  return {
    taskName: 'Task_x',
    taskType: 'MergeRollupTask',
    tableNameWithType: 'orders_OFFLINE',
    state: 'NOT_STARTED',
    trigger: 'CRON_TRIGGER',
    createdMs: 0,
    startedMs: null,
    finishedMs: null,
    subtasks: Array.from({ length: subtaskCount }, (_, index) => subtask(index)),
  };
}

/** Returns every state transition that a series of events causes. */
function walk(
  events: readonly TaskEvent[],
  subtaskCount = 2,
): { readonly task: TaskRecord; readonly steps: readonly string[] } {
  let task = newTask(subtaskCount);
  const steps: string[] = [];
  for (const [index, event] of events.entries()) {
    const next = applyTaskEvent(task, event, index + 1);
    if (next.state !== task.state) steps.push(`${task.state} ${next.state}`);
    task = next;
  }
  return { task, steps };
}

const started = (index: number): TaskEvent => ({ kind: 'started', index, participant: 'Server_a' });
const done = (index: number): TaskEvent => ({ kind: 'done', index, info: 'Done.' });
const failed = (index: number, isLast = true): TaskEvent => ({
  kind: 'failed',
  index,
  info: 'Row 3 has no time.',
  isFinal: isLast,
});
const timedOut = (index: number): TaskEvent => ({
  kind: 'timedOut',
  index,
  info: 'It took too long.',
});
const halted = (index: number): TaskEvent => ({ kind: 'halted', index });
const [stop, resume, cancel, committed]: readonly TaskEvent[] = [
  { kind: 'stop' },
  { kind: 'resume' },
  { kind: 'cancel' },
  { kind: 'committed' },
];
const eventsOf = (...events: readonly (TaskEvent | undefined)[]): readonly TaskEvent[] =>
  events.flatMap((event) => event ?? []);

/** Event sequences that reach every transition of the table, and their final states. */
const ways: Readonly<
  Record<string, readonly [readonly TaskEvent[], TaskState, readonly SubtaskRecord['state'][]]>
> = {
  'all goes well': [
    eventsOf(started(0), started(1), done(0), done(1), committed),
    'COMPLETED',
    ['COMPLETED', 'COMPLETED'],
  ],
  'one fails while another runs': [
    eventsOf(started(0), started(1), failed(0), halted(1)),
    'FAILED',
    ['TASK_ERROR', 'TASK_ABORTED'],
  ],
  'one fails, and the other had not started': [
    eventsOf(started(0), failed(0)),
    'FAILED',
    ['TASK_ERROR', 'DROPPED'],
  ],
  'one fails, and the other ends well meanwhile': [
    eventsOf(started(0), started(1), failed(0), done(1)),
    'FAILED',
    ['TASK_ERROR', 'COMPLETED'],
  ],
  'one takes too long': [
    eventsOf(started(0), started(1), timedOut(0), halted(1)),
    'TIMED_OUT',
    ['TIMED_OUT', 'TASK_ABORTED'],
  ],
  'a second attempt goes well': [
    eventsOf(started(0), failed(0, false), started(0), done(0), started(1), done(1), committed),
    'COMPLETED',
    ['COMPLETED', 'COMPLETED'],
  ],
  'stopped, and resumed': [
    eventsOf(
      started(0),
      stop,
      halted(0),
      resume,
      started(0),
      done(0),
      started(1),
      done(1),
      committed,
    ),
    'COMPLETED',
    ['COMPLETED', 'COMPLETED'],
  ],
  'stopped before it began': [eventsOf(stop), 'STOPPED', ['WAITING', 'WAITING']],
  'stopped, then cancelled': [eventsOf(stop, cancel), 'ABORTED', ['DROPPED', 'DROPPED']],
  'fails while it stops': [
    eventsOf(started(0), started(1), stop, failed(0), halted(1)),
    'FAILED',
    ['TASK_ERROR', 'TASK_ABORTED'],
  ],
  'takes too long while it stops': [
    eventsOf(started(0), started(1), stop, timedOut(0), halted(1)),
    'TIMED_OUT',
    ['TIMED_OUT', 'TASK_ABORTED'],
  ],
  'cancelled before it began': [eventsOf(cancel), 'ABORTED', ['DROPPED', 'DROPPED']],
  'cancelled while it runs': [
    eventsOf(started(0), cancel, done(0)),
    'ABORTED',
    ['TASK_ABORTED', 'DROPPED'],
  ],
  'cancelled while it stops': [
    eventsOf(started(0), stop, cancel),
    'ABORTED',
    ['TASK_ABORTED', 'DROPPED'],
  ],
  'cancelled while it fails': [
    eventsOf(started(0), started(1), failed(0), cancel),
    'ABORTED',
    ['TASK_ERROR', 'TASK_ABORTED'],
  ],
  'cancelled while it times out': [
    eventsOf(started(0), started(1), timedOut(0), cancel),
    'ABORTED',
    ['TIMED_OUT', 'TASK_ABORTED'],
  ],
  'its outputs cannot appear': [
    eventsOf(started(0), started(1), done(0), done(1), { kind: 'commitFailed', info: 'Gone.' }),
    'FAILED',
    ['TASK_ERROR', 'TASK_ERROR'],
  ],
};

/** Every transition in the table. */
const written = [
  ...new Set(
    taskStates.flatMap((from) => Object.values(taskTransitions[from]).map((to) => `${from} ${to}`)),
  ),
].toSorted();
/**
 * An event that ends the last running subtask of a task may end the task as well, which then makes
 * two transitions.
 */
const passing = [
  'IN_PROGRESS FAILED',
  'IN_PROGRESS STOPPED',
  'IN_PROGRESS TIMED_OUT',
  'STOPPING FAILED',
  'STOPPING TIMED_OUT',
  'TIMING_OUT FAILED',
];

describe('the states of a task', () => {
  test.each(Object.entries(ways))(
    'the states of a task: %s',
    (_name, [events, state, subtasks]) => {
      const { task } = walk(events);
      expect([task.state, task.subtasks.map((each) => each.state)]).toEqual([state, subtasks]);
      expect(task.finishedMs === null).toBe(!isFinal(state));
    },
  );

  test('every transition of the table of task states, and every state, is reached by these cases', () => {
    const both = walk(
      eventsOf(started(0), started(1), started(2), timedOut(0), failed(1), halted(2)),
      3,
    );
    expect(both.task.state).toBe('FAILED');
    const steps = new Set([
      ...Object.values(ways).flatMap(([events]) => walk(events).steps),
      ...both.steps,
    ]);
    expect([...steps].filter((step) => !passing.includes(step)).toSorted()).toEqual(written);
    const reached = new Set([...steps].flatMap((step) => step.split(' ')));
    expect([...reached].toSorted()).toEqual([...taskStates].toSorted());
  });

  test('a signal that the table does not know is refused', () => {
    const signals: readonly TaskSignal[] = [
      'begin',
      'stop',
      'resume',
      'fail',
      'timeOut',
      'settle',
      'cancel',
      'complete',
    ];
    const refused = taskStates.flatMap((state) =>
      signals
        .filter((signal) => taskTransitions[state][signal] === undefined)
        .map((signal) => [state, signal] as const),
    );
    expect(refused.length).toBeGreaterThan(50);
    for (const [state, signal] of refused) {
      expect(() => nextTaskState(state, signal)).toThrow('does not accept the signal');
    }
  });

  test('a task keeps to the table of its states, whatever happens, in whatever order (model)', () => {
    const index = fc.nat(2);
    const event = fc.oneof(
      { weight: 16, arbitrary: index.map(started) },
      { weight: 8, arbitrary: index.map(done) },
      {
        weight: 3,
        arbitrary: fc.tuple(index, fc.boolean()).map(([at, isLast]) => failed(at, isLast)),
      },
      { weight: 2, arbitrary: index.map(timedOut) },
      { weight: 2, arbitrary: index.map(halted) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          ...eventsOf(stop, resume, resume, cancel, committed, committed, committed),
        ),
      },
    );
    const taken = new Set<string>();
    const ofSubtasks = new Set<string>();
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60, size: 'max' }), (events) => {
        const broken: string[] = [];
        let task = newTask(3);
        for (const [at, each] of events.entries()) {
          const next = attempt(task, each, at + 1) ?? task;
          broken.push(...brokenBy(task, next, each));
          if (next.state !== task.state) taken.add(`${task.state} ${next.state}`);
          for (const { state } of next.subtasks) ofSubtasks.add(state);
          task = next;
        }
        expect(broken).toEqual([]);
      }),
      { numRuns: 3_000 },
    );
    // Every listed transition was taken, and no others.
    expect([...taken].filter((step) => !passing.includes(step)).toSorted()).toEqual(written);
    expect(ofSubtasks).toEqual(
      new Set([
        'WAITING',
        'RUNNING',
        'COMPLETED',
        'TASK_ERROR',
        'TIMED_OUT',
        'TASK_ABORTED',
        'DROPPED',
      ]),
    );
  });
});

/** Returns the task after an event; undefined if the event is refused. */
function attempt(task: TaskRecord, event: TaskEvent, nowMs: number): TaskRecord | undefined {
  try {
    return applyTaskEvent(task, event, nowMs);
  } catch (error) {
    if (isQuireError(error, 'CONFLICT') && event.kind === 'cancel' && isFinal(task.state)) {
      return undefined;
    }
    throw error;
  }
}

/** Returns the violations of an event, determined without the code that computes states. */
function brokenBy(before: TaskRecord, after: TaskRecord, event: TaskEvent): readonly string[] {
  const has = (...states: readonly SubtaskRecord['state'][]): boolean =>
    after.subtasks.some(({ state }) => states.includes(state));
  const is = (...states: readonly TaskState[]): boolean => states.includes(after.state);
  // One signal, followed by `settle` if nothing is running any more.
  const first = Object.values(taskTransitions[before.state]);
  const second = first.flatMap((state) => taskTransitions[state].settle ?? []);
  const claims: Readonly<Record<string, boolean>> = {
    'goes by the table':
      after.state === before.state || [...first, ...second].includes(after.state),
    'what has ended stays as it is': !isFinal(before.state) || after === before,
    'has an end once it has ended': (after.finishedMs === null) !== isFinal(after.state),
    'is COMPLETED when all of it is':
      !is('COMPLETED') || after.subtasks.every(({ state }) => state === 'COMPLETED'),
    'is FAILED since something failed': !is('FAILED', 'FAILING') || has('TASK_ERROR'),
    'is TIMED_OUT since something took too long':
      !is('TIMED_OUT', 'TIMING_OUT') || has('TIMED_OUT'),
    'fails, or was cancelled, when something failed':
      !has('TASK_ERROR') || is('FAILING', 'FAILED', 'ABORTED'),
    'nothing is left to do once it has ended': !isFinal(after.state) || !has('RUNNING', 'WAITING'),
    'nothing runs while it is held back': !is('STOPPED', 'NOT_STARTED') || !has('RUNNING'),
    'something runs while it is ending': !is('STOPPING', 'FAILING', 'TIMING_OUT') || has('RUNNING'),
    'begins only to work on what waits':
      event.kind !== 'started' ||
      after === before ||
      before.subtasks[event.index]?.state === 'WAITING',
  };
  return Object.entries(claims).flatMap(([claim, holds]) =>
    holds ? [] : [`${claim}: ${event.kind}, ${before.state} to ${after.state}`],
  );
}
