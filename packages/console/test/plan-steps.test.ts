import { expect, test } from 'vitest';
import {
  planFormOf,
  planOfRows,
  planOfStages,
  planOfText,
  planOfTrace,
  type PlanStep,
} from '../app/query/plan-steps.ts';

/** Returns the operators of a plan, each indented below the one that it feeds. */
function outline(steps: readonly PlanStep[], indent = ''): readonly string[] {
  return steps.flatMap(({ operator, inputs }) => [
    indent + operator,
    ...outline(inputs, `${indent}  `),
  ]);
}

test('the columns of a result say whether it is a plan, and in which form', () => {
  const formOf = (...names: string[]) => planFormOf(names.map((name) => ({ name })));
  expect(formOf('Operator', 'Operator_Id', 'Parent_Id')).toBe('steps');
  expect(formOf('Operator', 'Operator_Id', 'Parent_Id', 'Rows', 'Time_Ms')).toBe('steps');
  expect(formOf('SQL', 'PLAN', 'RULE_TIMINGS')).toBe('text');
  expect(formOf('SQL', 'Operator')).toBeUndefined();
  expect(formOf('Operator', 'Operator_Id')).toBeUndefined();
});

test('a plan of Apache Pinot whose ids are repeated for each group of segments is one tree', () => {
  const rows = [
    ['BROKER_REDUCE', '1', '0'],
    ['COMBINE_SELECT', '2', '1'],
    ['PLAN_START(1)', '-1', '-1'],
    ['SELECT', '3', '2'],
    ['PROJECT', '4', '3'],
    ['PLAN_START(2)', '-1', '-1'],
    ['ALL_SEGMENTS_PRUNED', '3', '2'],
  ];
  expect(outline(planOfRows(rows))).toEqual([
    'BROKER_REDUCE',
    '  COMBINE_SELECT',
    '    PLAN_START(1)',
    '      SELECT',
    '        PROJECT',
    '    PLAN_START(2)',
    '      ALL_SEGMENTS_PRUNED',
  ]);
});

test('a plan that was executed has the rows and the time of each step', () => {
  expect(planOfRows([['SCAN', '0', '-1', '560', '0.25']])).toEqual([
    { operator: 'SCAN', rows: 560, timeMs: 0.25, inputs: [] },
  ]);
});

test('a plan that is a text is a tree by its indentation, by spaces or by lines', () => {
  const spaces = 'Execution Plan\nSort\n  Exchange\n    Filter\n      Scan\n    Other\n';
  expect(outline(planOfText(spaces))).toEqual([
    'Sort',
    '  Exchange',
    '    Filter',
    '      Scan',
    '    Other',
  ]);
  const lines = '[0] RECEIVE\n├── [1] SEND\n└── [1] SEND\n    └── [1] AGGREGATE\n';
  expect(outline(planOfText(lines))).toEqual([
    '[0] RECEIVE',
    '  [1] SEND',
    '  [1] SEND',
    '    [1] AGGREGATE',
  ]);
});

test('the stages of a run have their own times, and those that Apache Pinot omits are 0', () => {
  const leaf = { type: 'LEAF', table: 'rivers', emittedRows: 2, selfClockTimeMs: 4 };
  expect(planOfStages({ type: 'MAILBOX_RECEIVE', emittedRows: 2, children: [leaf] })).toEqual([
    {
      operator: 'MAILBOX_RECEIVE',
      rows: 2,
      timeMs: 0,
      inputs: [{ operator: 'LEAF(rivers)', rows: 2, timeMs: 4, inputs: [] }],
    },
  ]);
  expect([planOfStages(undefined), planOfStages({})]).toEqual([[], []]);
});

test('a stage without statistics has the reason instead of a time', () => {
  const description = 'No stats available for this stage. It may have been pruned.';
  const stage = { type: 'EMPTY_MAILBOX_SEND', stage: 1, description, table: 'rivers' };
  expect(planOfStages(stage)).toEqual([
    { operator: `EMPTY_MAILBOX_SEND(rivers): ${description}`, inputs: [] },
  ]);
});

test('the trace of a run is the operators of each server with their times', () => {
  const trace = { server_O: '[{"0_0":[{"GroupByOperator Time":9}]}]' };
  expect(planOfTrace(trace)).toEqual([
    {
      operator: 'server_O',
      inputs: [
        {
          operator: 'thread 0_0',
          inputs: [{ operator: 'GroupByOperator', timeMs: 9, inputs: [] }],
        },
      ],
    },
  ]);
  expect(planOfTrace({ server: 'not JSON' })).toEqual([{ operator: 'server', inputs: [] }]);
});
