import {
  type CallOptions,
  type ErrorCode,
  isQuireError,
  type JsonValue,
  parseLosslessJson,
  QuireError,
} from '@quire/core';
import type { Finding } from '@quire/core/table-engine';
import { Deadline, unlessAborted, withDeadline } from '@quire/core/wait';
import type { Controller, ControllerAnswer } from '../http/controller.ts';
import { withoutInstances } from '../http/instance-names.ts';
import type { PinotCall } from '../http/pinot-http.ts';
import { parseRefusal } from './parse-refusal.ts';

/** A JSON object of the controller. */
export type Json = Readonly<Record<string, JsonValue>>;

/** The time in which servers must answer calls of the controller. */
export const serversMaxMs = 12_000;

export interface AdminCall {
  readonly method: PinotCall['method'];
  readonly path: string;
  readonly parameters?: Readonly<Record<string, string | undefined>>;
  readonly body?: PinotCall['body'] | Json;
  readonly contentType?: string;
  /** As in `ControllerCall`. */
  readonly timeoutMs?: number;
  /** The error codes of the HTTP statuses of a refusal. */
  readonly errors: Readonly<Record<number, ErrorCode>>;
  /** The call that completes this one, sent if the controller abandons its update of brokers. */
  readonly completion?: AdminCall;
  /**
   * The message of the error when the controller abandons that update; by default, it advises to
   * retry.
   */
  readonly abandonedMessage?: string;
}

/**
 * Matches the message of a controller that abandons an update of the tables of brokers: it commits
 * those of several callers together, and one that cannot be applied makes all of them fail.
 */
const abandonedUpdate = /\bupdating ideal state for resource: brokerResource\b/;
export const becauseOfOthers = 'because of changes to other tables at the same time';

/** A read in progress, and the one that starts after it. */
interface SharedRead {
  readonly current: Promise<Json>;
  next: Promise<Json> | undefined;
}

const late = (): QuireError => new QuireError('REQUEST_TIMED_OUT', 'Servers do not answer.');

/** Calls the controller for tables and related resources. */
export class AdminCalls {
  readonly controller: Controller;
  readonly #reads = new Map<string, SharedRead>();

  constructor(controller: Controller) {
    this.controller = controller;
  }

  get url(): string {
    return this.controller.url;
  }

  /**
   * Returns the parsed answer of the controller; null for an empty answer, a text for one that is
   * not JSON.
   *
   * @throws the call's error code for the status, with the controller's message; TABLE_INVALID has
   *   it as a finding as well
   * @throws UNEXPECTED_RESPONSE for any other status, ENGINE_UNAVAILABLE when the controller does
   *   not answer, or abandons an update of brokers
   */
  async call(
    { method, path, parameters = {}, body, contentType, timeoutMs, errors, ...call }: AdminCall,
    { signal }: CallOptions,
  ): Promise<JsonValue> {
    await this.controller.release(signal);
    const given = Object.entries(parameters).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    const query = given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
    const isDocument =
      typeof body === 'object' && !(body instanceof Uint8Array) && !(Symbol.asyncIterator in body);
    const answer = await this.controller.call({
      method,
      path: `${path}${query}`,
      signal,
      timeoutMs,
      ...(contentType !== undefined && { contentType }),
      ...(body !== undefined && {
        body: isDocument ? encodeJson(body) : (body as PinotCall['body']),
      }),
    });
    if (answer.status >= 200 && answer.status < 300) return parseAnswer(answer.text);
    if (answer.status === 500 && abandonedUpdate.test(answer.text)) {
      if (call.completion !== undefined) return this.call(call.completion, { signal });
      throw new QuireError(
        'ENGINE_UNAVAILABLE',
        call.abandonedMessage ??
          `Apache Pinot abandoned ${method} ${path} ${becauseOfOthers}; retry it.`,
        { cause: new Error(answer.text) },
      );
    }
    throw refusalOf({ method, path, errors }, answer);
  }

  /** Returns an answer that is an object. @throws as `call`; UNEXPECTED_RESPONSE when it is not */
  async object(call: AdminCall, options: CallOptions): Promise<Json> {
    const answer = await this.call(call, options);
    if (isJsonObject(answer)) return answer;
    throw new QuireError(
      'UNEXPECTED_RESPONSE',
      `Apache Pinot answers ${call.method} ${call.path} with something other than a JSON object.`,
    );
  }

  /** Starts the time in which servers must answer the calls of one caller. */
  serversDeadline({ signal }: CallOptions): Deadline {
    const { clock } = this.controller.http;
    return new Deadline({ clock, signal, timeoutMs: serversMaxMs, error: late });
  }

  /**
   * Returns the answer to a read for which the controller asks the servers; undefined when the
   * deadline is over. If a server hangs, each such call blocks one of the controller's few threads,
   * until the controller answers no calls at all. Therefore only one call of the same read is in
   * progress at a time: callers that arrive in the meantime share the next one.
   *
   * @throws as `object`
   */
  async objectInTime(call: AdminCall, deadline: Deadline): Promise<Json | undefined> {
    try {
      return await unlessAborted(this.#shared(call), deadline.signal);
    } catch (error) {
      if (deadline.isOver || isQuireError(error, 'REQUEST_TIMED_OUT')) return undefined;
      throw error;
    }
  }

  #shared(call: AdminCall): Promise<Json> {
    const key = `${call.path} ${JSON.stringify(call.parameters)}`;
    const running = this.#reads.get(key);
    if (running !== undefined) {
      running.next ??= running.current.then(
        () => this.#start(key, call),
        () => this.#start(key, call),
      );
      return running.next;
    }
    return this.#start(key, call);
  }

  #start(key: string, call: AdminCall): Promise<Json> {
    const { clock } = this.controller.http;
    const current = withDeadline({ clock, timeoutMs: serversMaxMs, error: late }, (signal) =>
      this.object(call, { signal }),
    );
    const read: SharedRead = { current, next: undefined };
    this.#reads.set(key, read);
    const end = (): void => {
      if (read.next === undefined) this.#reads.delete(key);
    };
    current.then(end, end);
    return current;
  }

  /** Returns an answer that is a list of texts. @throws as `object` */
  async names(call: AdminCall, options: CallOptions): Promise<readonly string[]> {
    const answer = await this.call(call, options);
    if (Array.isArray(answer)) return answer.map(String).toSorted();
    throw new QuireError(
      'UNEXPECTED_RESPONSE',
      `Apache Pinot answers ${call.method} ${call.path} with something other than a list.`,
    );
  }
}

export function isJsonObject(value: JsonValue | undefined): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a member that is an object; empty without one. */
export function objectIn(value: Json, name: string): Json {
  const member = value[name];
  return isJsonObject(member) ? member : {};
}

/** Returns a number that may be a text; null for anything else, such as `UNKNOWN`. */
export function numberIn(value: Json, name: string): number | null {
  const member = value[name];
  const number = typeof member === 'string' && member.trim() !== '' ? Number(member) : member;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

export function textIn(value: Json, name: string): string {
  const member = value[name];
  return typeof member === 'string' ? member : '';
}

/** Encodes JSON with all digits of its integers. */
export function encodeJson(value: JsonValue): string {
  return JSON.stringify(value, (_name, each: unknown) =>
    typeof each === 'bigint'
      ? (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(String(each))
      : each,
  );
}

function parseAnswer(text: string): JsonValue {
  if (text.trim() === '') return null;
  try {
    return parseLosslessJson(text);
  } catch {
    return text; // some calls answer with a word
  }
}

function refusalOf(
  { method, path, errors }: Pick<AdminCall, 'method' | 'path' | 'errors'>,
  { status, text }: ControllerAnswer,
): QuireError {
  const answer = parseAnswer(text);
  const words = isJsonObject(answer) ? textIn(answer, 'error') : text;
  const code = errors[status];
  if (code === undefined) {
    return new QuireError(
      'UNEXPECTED_RESPONSE',
      `Apache Pinot answers ${method} ${path} with HTTP ${status}: ${withoutInstances(words)}`,
      originalMessage(words),
    );
  }
  const { path: pointer, message } = parseRefusal(words);
  // Only admins send documents, so their findings have the message unchanged.
  const finding: Finding = { path: pointer, code: 'PINOT', message, severity: 'error' };
  return new QuireError(
    code,
    `Apache Pinot says: ${pointer === '' ? '' : `${pointer}: `}${withoutInstances(message)}`,
    { ...originalMessage(message), ...(code === 'TABLE_INVALID' && { findings: [finding] }) },
  );
}

/**
 * Returns the message as the cause if it names instances, which only admins and the log may see.
 */
function originalMessage(words: string): { readonly cause?: Error; readonly adminHint?: string } {
  if (withoutInstances(words) === words) return {};
  return { cause: new Error(words), adminHint: `Its message: ${words}` };
}
