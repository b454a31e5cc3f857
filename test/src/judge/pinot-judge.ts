import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/**
 * A value of Pinot's: text, true, false and null as they are, every other type as an object of one
 * member that names it.
 */
export type JudgedValue =
  | string
  | boolean
  | null
  | readonly JudgedValue[]
  | {
      readonly [
        Type in
          | '$int'
          | '$long'
          | '$float'
          | '$double'
          | '$decimal'
          | '$timestamp'
          | '$bytes'
          | '$other'
      ]?: string;
    }
  | { readonly $map: Readonly<Record<string, JudgedValue>> };

/** One signature of a function of Pinot's registry. */
export interface Signature {
  readonly arguments: number;
  readonly takes: readonly string[];
  readonly returns: string;
  readonly takesNull: boolean;
  readonly isVariadic: boolean;
  readonly isDeterministic: boolean;
  readonly class: string;
}

export type Failed = { readonly error: string };

export type Evaluated =
  | { readonly refused: string }
  | { readonly values: readonly (JudgedValue | Failed)[]; readonly refused?: never };

export interface JudgedRow {
  readonly fields: Readonly<Record<string, JudgedValue>>;
  readonly nullFields: readonly string[];
  readonly isIncomplete: boolean;
  readonly isSanitized: boolean;
}

export type Piped =
  | { readonly refused: string }
  | {
      readonly results: readonly (
        | Failed
        | { readonly rows: readonly JudgedRow[]; readonly filtered: number; readonly error?: never }
      )[];
      readonly refused?: never;
    };

export type Verdict =
  | { readonly valid: true; readonly error?: never }
  | { readonly valid?: never; readonly error: string };

/** Apache Pinot's own classes in a process of Java, which answers one question after the other. */
export class PinotJudge implements AsyncDisposable {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #waiting: { resolve: (answer: unknown) => void; reject: (error: Error) => void }[] = [];

  /**
   * @param folder with the jars in `lib` and the judge's own class in `classes`, as `.ci/run`
   * leaves it
   * @param program the class that answers
   * @param jars a folder with other jars in `lib`
   */
  constructor(folder: string, program = 'PinotJudge', jars = folder) {
    const log = join(import.meta.dirname, '../../judge/log4j2.xml');
    const classPath = `${join(folder, 'classes')}:${join(jars, 'lib')}/*`;
    const options = [
      '-Xmx512m',
      '-XX:+UseSerialGC',
      '-XX:TieredStopAtLevel=1',
      '-Duser.timezone=UTC',
      `-Dlog4j2.configurationFile=${log}`,
    ];
    this.#process = spawn('java', [...options, '-cp', classPath, program], { stdio: 'pipe' });
    this.#process.stderr.resume();
    createInterface({ input: this.#process.stdout }).on('line', (line) => {
      this.#waiting.shift()?.resolve(JSON.parse(line));
    });
    this.#process.on('exit', (code) => {
      for (const { reject } of this.#waiting.splice(0)) {
        reject(new Error(`The judge has ended with ${code}.`));
      }
    });
  }

  functions(): Promise<Readonly<Record<string, readonly Signature[]>>> {
    return this.#ask({ do: 'functions' });
  }

  evaluate(expression: string, rows: readonly unknown[]): Promise<Evaluated> {
    return this.#ask({ do: 'evaluate', expression, rows });
  }

  pipeline(config: unknown, schema: unknown, rows: readonly unknown[]): Promise<Piped> {
    return this.#ask({ do: 'pipeline', config, schema, rows });
  }

  validateTable(config: unknown, schema: unknown): Promise<Verdict> {
    return this.#ask({ do: 'validateTable', config, schema });
  }

  validateSchema(schema: unknown): Promise<Verdict> {
    return this.#ask({ do: 'validateSchema', schema });
  }

  /**
   * Returns the controller's verdict on a table with its schema; requires a judge that runs
   * ControllerJudge.
   */
  validateTableConfigs(config: object, schema: object): Promise<Verdict> {
    const { tableType } = config as { readonly tableType?: unknown };
    const { schemaName } = schema as { readonly schemaName?: unknown };
    const half = tableType === 'REALTIME' ? 'realtime' : 'offline';
    return this.#ask({ tableName: schemaName, schema, [half]: config });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.stdin.end();
    await ended;
  }

  async #ask<T>(question: object): Promise<T> {
    const answer = new Promise<unknown>((resolve, reject) =>
      this.#waiting.push({ resolve, reject }),
    );
    this.#process.stdin.write(`${JSON.stringify(question)}\n`);
    // The judge's answers have the shapes that are declared above: both are ours.
    return (await answer) as T;
  }
}
