import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'vitest';

/** A program outside of npm that some suites need; `.ci/run` installs all of them into `.cache`. */
export interface Tool {
  readonly name: string;
  /** Environment variable that says where the program is. */
  readonly variable: string;
  /** Where it is when the variable is not set, from the root of the repository. */
  readonly defaultPath: string;
  /** Arguments with which the program exits with 0 exactly when all that the suites need is there. */
  readonly probe: readonly string[];
}

/** Python with independent readers of Arrow and Parquet. */
export const python: Tool = {
  name: 'Python with pyarrow, polars and duckdb',
  variable: 'QUIRE_PYTHON',
  defaultPath: '.cache/python/bin/python',
  probe: ['-c', 'import pyarrow, polars, duckdb'],
};

/** The oldest Node that the packages promise to run on. */
export const oldestNode: Tool = {
  name: 'Node 22',
  variable: 'QUIRE_NODE_22',
  defaultPath: '.cache/node-22/node_modules/node/bin/node',
  probe: ['-e', 'process.exit(process.versions.node.startsWith("22.") ? 0 : 1)'],
};

/** Path of the program, or undefined when it is not installed. */
export function findTool(tool: Tool, environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const path = environment[tool.variable] ?? join(import.meta.dirname, '../..', tool.defaultPath);
  if (!existsSync(path)) return undefined;
  return spawnSync(path, tool.probe, { env: {}, stdio: 'ignore' }).status === 0 ? path : undefined;
}

/** Path of the program. Throws when it is not installed. */
export function requireTool(tool: Tool, environment: NodeJS.ProcessEnv = process.env): string {
  const path = findTool(tool, environment);
  if (path === undefined) throw new Error(`${tool.name} is missing: run .ci/run once, or set ${tool.variable} to its path.`);
  return path;
}

/** `describe` for a suite that needs a tool. Without the tool the suite is skipped, or fails where the variable CI is set. */
export function describeWithTool(tool: Tool, name: string, body: (path: string) => void): void {
  const path = findTool(tool);
  if (path !== undefined) {
    describe(name, () => {
      body(path);
    });
  } else if (process.env['CI'] === undefined) {
    test.skip(`${name} (needs ${tool.name}; .ci/run installs it)`, () => {});
  } else {
    test(name, () => {
      requireTool(tool);
    });
  }
}
