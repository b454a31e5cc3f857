/** A step of a plan, with its inputs; one that was executed has rows and a time. */
export interface PlanStep {
  readonly operator: string;
  readonly rows?: number | undefined;
  readonly timeMs?: number | undefined;
  readonly inputs: readonly PlanStep[];
}

/** A step whose inputs are still being added. */
interface OpenStep extends PlanStep {
  readonly inputs: OpenStep[];
}

/** The columns of a plan in engines; one that was executed has the last two as well. */
const stepColumns = ['Operator', 'Operator_Id', 'Parent_Id', 'Rows', 'Time_Ms'];

/**
 * Returns how the rows of a result describe a plan: as a row for each step, or as one text, which
 * is the form of the multi-stage engine of Apache Pinot. Undefined for other results.
 */
export function planFormOf(
  columns: readonly { readonly name: string }[],
): 'steps' | 'text' | undefined {
  const names = columns.map(({ name }) => name);
  if (names[0] === 'SQL' && names[1] === 'PLAN' && names.length <= 3) return 'text';
  const isSteps =
    names.length >= 3 &&
    names.length <= stepColumns.length &&
    names.every((name, index) => name === stepColumns[index]);
  return isSteps ? 'steps' : undefined;
}

/**
 * Returns the steps of a plan of one row for each. Apache Pinot repeats the ids for each group of
 * segments, after a `PLAN_START` that is in none of them: a parent is the last row with its id.
 */
export function planOfRows(rows: readonly (readonly string[])[]): readonly PlanStep[] {
  const roots: OpenStep[] = [];
  const byId = new Map<string, OpenStep>();
  let start: OpenStep | undefined;
  for (const [operator = '', id = '', parent = '', count, time] of rows) {
    const step: OpenStep = {
      operator,
      inputs: [],
      ...(count !== undefined && { rows: Number(count) }),
      ...(time !== undefined && { timeMs: Number(time) }),
    };
    if (operator.startsWith('PLAN_START')) {
      start = step;
      continue;
    }
    const above = byId.get(parent)?.inputs ?? roots;
    if (start === undefined) above.push(step);
    else {
      above.push(start);
      start.inputs.push(step);
      start = undefined;
    }
    byId.set(id, step);
  }
  return roots;
}

/** Returns the steps of a plan that is a text of indented lines, below a title without a step. */
export function planOfText(text: string): readonly PlanStep[] {
  const roots: OpenStep[] = [];
  const open: { readonly depth: number; readonly step: OpenStep }[] = [];
  for (const line of text.split('\n')) {
    const operator = line.replace(/^[\s│├└─]+/u, '').trimEnd();
    if (operator === '' || operator === 'Execution Plan') continue;
    const depth = line.length - line.replace(/^[\s│├└─]+/u, '').length;
    while ((open.at(-1)?.depth ?? -1) >= depth) open.pop();
    const step: OpenStep = { operator, inputs: [] };
    (open.at(-1)?.step.inputs ?? roots).push(step);
    open.push({ depth, step });
  }
  return roots;
}

/** Returns the steps of a run on the multi-stage engine of Apache Pinot, by its `stageStats`. */
export function planOfStages(stage: unknown): readonly PlanStep[] {
  if (typeof stage !== 'object' || stage === null || !('type' in stage)) return [];
  const { type, table, description, emittedRows, selfClockTimeMs, children } = stage as Readonly<
    Record<string, unknown>
  >;
  const operator = typeof table === 'string' ? `${String(type)}(${table})` : String(type);
  // A stage without statistics: its description is the reason.
  if (typeof description === 'string') {
    return [{ operator: `${operator}: ${description}`, inputs: [] }];
  }
  return [
    {
      operator,
      ...(typeof emittedRows === 'number' && { rows: emittedRows }),
      // Apache Pinot omits zeros.
      timeMs: typeof selfClockTimeMs === 'number' ? selfClockTimeMs : 0,
      inputs: Array.isArray(children) ? children.flatMap((child) => planOfStages(child)) : [],
    },
  ];
}

/**
 * Returns the operators of a run on the single-stage engine of Apache Pinot, by its `traceInfo`:
 * for each server a JSON text of lists, each with the times of operators.
 */
export function planOfTrace(trace: unknown): readonly PlanStep[] {
  if (typeof trace !== 'object' || trace === null) return [];
  return Object.entries(trace).map(([server, text]) => ({
    operator: server,
    inputs: parsedLists(text).flatMap((list) =>
      Object.entries(list).map(([thread, times]) => ({
        operator: `thread ${thread}`,
        inputs: timesOf(times),
      })),
    ),
  }));
}

function timesOf(times: unknown): readonly PlanStep[] {
  if (!Array.isArray(times)) return [];
  return times.flatMap((time: unknown) =>
    typeof time !== 'object' || time === null
      ? []
      : Object.entries(time).map(([name, ms]) => ({
          operator: name.replace(/ Time$/, ''),
          timeMs: Number(ms),
          inputs: [],
        })),
  );
}

function parsedLists(text: unknown): readonly object[] {
  try {
    const parsed: unknown = JSON.parse(String(text));
    const list: readonly unknown[] = Array.isArray(parsed) ? parsed : [];
    return list.filter((each) => typeof each === 'object' && each !== null);
  } catch {
    return [];
  }
}
