import type { QuireClient, QuireQueryClient } from '@quire/client';
import { QueryRunner, type QueryState } from './query-runner.ts';
import type { Statement } from './split-statements.ts';

/** A statement of a run, and its outcome. */
export interface SheetPart {
  readonly statement: Statement | undefined;
  readonly state: QueryState;
}

export interface RunState {
  /** At least one. */
  readonly parts: readonly SheetPart[];
  /** The part that is shown. */
  readonly selected: number;
}

/** Runs the statements of a sheet in turn, each with its own result. */
export class SheetRunner {
  readonly #createRunner: () => QueryRunner;
  readonly #listeners = new Set<() => void>();
  #runners: readonly { readonly statement: Statement | undefined; readonly runner: QueryRunner }[];
  #selected = 0;
  #state: RunState;
  #run = 0;

  constructor(client: QuireClient, queries: QuireQueryClient) {
    this.#createRunner = () => {
      const runner = new QueryRunner(client, queries);
      runner.subscribe(this.#update);
      return runner;
    };
    this.#runners = [{ statement: undefined, runner: this.#createRunner() }];
    this.#state = this.#collect();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly read = (): RunState => this.#state;

  select(index: number): void {
    this.#selected = index;
    this.#update();
  }

  /** Runs statements until one of them fails or is cancelled. */
  async run(
    statements: readonly Statement[],
    onEnd: (sql: string, state: QueryState) => void,
  ): Promise<void> {
    this.cancel();
    this.#run += 1;
    const run = this.#run;
    this.#runners = statements.map((statement) => ({ statement, runner: this.#createRunner() }));
    for (const [index, { statement, runner }] of this.#runners.entries()) {
      if (statement === undefined) continue;
      this.select(index);
      const requestId = await runner.run(statement.sql);
      onEnd(statement.sql, runner.read());
      if (requestId === undefined || run !== this.#run) return;
    }
  }

  /**
   * Opens a stored result, unless it is one of those that are open. While statements run, they
   * remain: a user who returns to a sheet has not cancelled them.
   */
  async open(requestId: string): Promise<void> {
    const index = this.#state.parts.findIndex(
      ({ state }) => state.kind === 'done' && state.result.requestId === requestId,
    );
    if (index >= 0) {
      this.select(index);
      return;
    }
    if (this.isRunning()) return;
    this.cancel();
    this.#run += 1;
    const runner = this.#createRunner();
    this.#runners = [{ statement: undefined, runner }];
    this.select(0);
    await runner.open(requestId);
  }

  /** Reports whether a statement is running. Opening a stored result runs none. */
  isRunning(): boolean {
    return this.#state.parts.some(
      ({ state }) => state.kind === 'running' && state.sql !== undefined,
    );
  }

  /** Cancels the running query on the server; later ones are not run. */
  cancel(): void {
    for (const { runner } of this.#runners) runner.cancel();
  }

  readonly #update = (): void => {
    this.#state = this.#collect();
    for (const listener of this.#listeners) listener();
  };

  #collect(): RunState {
    const parts = this.#runners.map(({ statement, runner }) => ({
      statement,
      state: runner.read(),
    }));
    return { parts, selected: Math.min(this.#selected, parts.length - 1) };
  }
}

/** The runners of all sheets of a session. */
export class SheetRunners {
  readonly #create: () => SheetRunner;
  readonly #runners = new Map<string, SheetRunner>();

  constructor(client: QuireClient, queries: QuireQueryClient) {
    this.#create = () => new SheetRunner(client, queries);
  }

  of(sheetId: string): SheetRunner {
    const runner = this.#runners.get(sheetId) ?? this.#create();
    this.#runners.set(sheetId, runner);
    return runner;
  }

  close(sheetId: string): void {
    this.#runners.get(sheetId)?.cancel();
    this.#runners.delete(sheetId);
  }
}
