import { basename, dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { systemClock } from '@quire/core';
import type { BulkOutcome, BulkTask, DirectoryContents } from './bulk-work.ts';
import type { BulkAnswer, BulkRequest } from './bulk-worker.ts';

/**
 * How many jobs are handed over at once: enough to keep the thread busy; the others can still be
 * called off.
 */
const handedOverMax = 16;
/**
 * So many small jobs go in one message; with all of them in one, the thread would have nothing to
 * do until the next one comes.
 */
const jobsPerMessage = 4;

/**
 * Which of some threads looks after a directory: always the same one, which remembers what was in
 * it.
 */
export function threadNumberOf(directory: string, threadCount: number): number {
  return threadCount === 0 ? 0 : directory.charCodeAt(directory.length - 1) % threadCount;
}

interface BulkJob {
  readonly task: BulkTask;
  readonly isWanted: () => boolean;
  readonly resolve: (value: BulkOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A thread for calls to the operating system by the thousand, which are made there one after the
 * other, without a trip through the event loop and the thread pool for each: that takes a tenth of
 * the time where these are busy, and none of the event loop's.
 *
 * Starts with the first job; keeps no process alive but while there are jobs.
 */
export class BulkThread {
  #worker: Worker | undefined;
  #isBroken = false;
  #lastNumber = 0;
  readonly #waiting: BulkJob[] = [];
  readonly #handedOver = new Map<number, BulkJob>();
  readonly #underWay = new Set<Promise<unknown>>();
  #isHandingOver = false;

  /** Whether the thread has ended by itself: it is better not to be asked again. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Whether it has jobs: then another one costs little. */
  get isBusy(): boolean {
    return this.#underWay.size > 0;
  }

  /**
   * Looks into directories of one, which are where their paths say; undefined when it was no longer
   * wanted before its turn came.
   */
  look(
    directory: string,
    names: readonly string[],
    isWanted: () => boolean,
  ): Promise<DirectoryContents | undefined> {
    return this.#look(directory, names.join('/'), false, isWanted);
  }

  /**
   * As `look`, into one that may be somewhere else, by symbolic links: somebody must then look
   * closer.
   */
  lookAt(path: string, isWanted: () => boolean): Promise<DirectoryContents | undefined> {
    return this.#look(dirname(path), basename(path), true, isWanted);
  }

  async #look(
    directory: string,
    names: string,
    isChecking: boolean,
    isWanted: () => boolean,
  ): Promise<DirectoryContents | undefined> {
    const contents = await this.#run(
      { kind: 'look', directory, names, isChecking, nowMs: systemClock.nowMs() },
      isWanted,
    );
    return typeof contents === 'object' ? contents : undefined;
  }

  /**
   * Deletes a file; nothing when it is no longer wanted when its turn comes. Its directory stays,
   * for `removeEmpty`.
   *
   * @throws as Node's file system does
   */
  async delete(path: string, isWanted: () => boolean): Promise<void> {
    await this.#run({ kind: 'delete', path }, isWanted);
  }

  /**
   * Deletes the first file of a directory and, if there are only the others then, these and the
   * directory; tells whether all that is done. Not when it is no longer wanted when its turn comes.
   *
   * @throws as Node's file system does
   */
  async deleteFolder(
    directory: string,
    names: readonly string[],
    isWanted: () => boolean,
  ): Promise<boolean> {
    return (
      (await this.#run({ kind: 'deleteFolder', directory, names: names.join('/') }, isWanted)) ===
      true
    );
  }

  /**
   * Removes those of the directories that are empty, and the directories below `root` that this
   * leaves empty.
   */
  async removeEmpty(root: string, paths: readonly string[]): Promise<void> {
    await this.#run({ kind: 'removeEmpty', root, paths }, () => true);
  }

  /** Ends the thread once its jobs are done. */
  async close(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #run(task: BulkTask, isWanted: () => boolean): Promise<BulkOutcome> {
    const running = new Promise<BulkOutcome>((resolve, reject) => {
      this.#waiting.push({ task, isWanted, resolve, reject });
      this.#handOverSoon();
    });
    this.#underWay.add(running);
    const end = (): void => void this.#underWay.delete(running);
    running.then(end, end);
    return running;
  }

  /**
   * Once everything else has had its turn that is ready to go on: what wants a job as well then
   * goes in the same message.
   */
  #handOverSoon(): void {
    if (this.#isHandingOver) return;
    this.#isHandingOver = true;
    setImmediate(() => {
      this.#isHandingOver = false;
      this.#handOver();
    });
  }

  #handOver(): void {
    let message: BulkRequest[] = [];
    while (this.#handedOver.size < handedOverMax) {
      const job = this.#waiting.shift();
      if (job === undefined) break;
      if (!job.isWanted()) {
        job.resolve(undefined);
        continue;
      }
      const number = (this.#lastNumber += 1);
      this.#handedOver.set(number, job);
      message.push({ number, task: job.task });
      if (message.length < jobsPerMessage && isSmall(job.task)) continue;
      this.#send(message);
      message = [];
    }
    if (message.length > 0) this.#send(message);
    if (this.#handedOver.size === 0) this.#worker?.unref();
  }

  #send(message: readonly BulkRequest[]): void {
    const worker = (this.#worker ??= this.#start());
    worker.ref();
    worker.postMessage(message);
  }

  #start(): Worker {
    // Beside this file, and in the same form: source or built.
    const isSource = import.meta.url.endsWith('.ts');
    const script = new URL(isSource ? './bulk-worker.ts' : './bulk-worker.js', import.meta.url);
    // What the process was started with is not for a thread that knows only files. It holds little,
    // and is to stay small.
    const worker = new Worker(script, {
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 },
    });
    worker.on('message', (answers: readonly BulkAnswer[]) => {
      for (const answer of answers) this.#hear(answer);
      this.#handOverSoon();
    });
    worker.on('error', (error) => this.#fail(worker, error));
    worker.on('exit', (code) =>
      this.#fail(worker, new Error(`The thread of the file store ended with code ${code}.`)),
    );
    return worker;
  }

  #hear(answer: BulkAnswer): void {
    const job = this.#handedOver.get(answer.number);
    this.#handedOver.delete(answer.number);
    if (!('errno' in answer)) return job?.resolve(answer.value);
    const { errno, message } = answer;
    return job?.reject(Object.assign(new Error(message), { code: errno, errno: -1 }));
  }

  /** The thread has ended: later calls do without it. */
  #fail(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#isBroken = true;
    const failed = [...this.#handedOver.values()];
    this.#handedOver.clear();
    const cause = error instanceof Error ? error.message : String(error);
    for (const { reject } of failed) {
      reject(Object.assign(new Error(cause), { code: 'EIO', errno: -1 }));
    }
    this.#handOverSoon();
  }
}

function isSmall(task: BulkTask): boolean {
  return (
    task.kind === 'delete' ||
    task.kind === 'deleteFolder' ||
    (task.kind === 'look' && task.isChecking)
  );
}
