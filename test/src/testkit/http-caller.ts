import type { CursorResponse } from '@quire/api';
import type { ServiceAddress } from '@quire/service';

export interface CallOptions {
  readonly method?: string;
  /** The caller; undefined for none. */
  readonly as?: 'ann' | 'bob' | 'root' | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** A response, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  readonly text: string;
  /** The body as JSON; throws when it is not one. */
  json<T = CursorResponse>(): T;
}

/** A server of a test that accepts the calls of a broker: a broker, or a proxy in front of some. */
export abstract class HttpCaller {
  address: ServiceAddress = { host: '', port: 0, url: '' };

  /** Calls the server, as ann by default. */
  async call(path: string, options: CallOptions = {}): Promise<Answer> {
    const as = 'as' in options ? options.as : 'ann';
    const response = await fetch(`${this.address.url}${path}`, {
      method: options.method ?? 'GET',
      headers: {
        'accept-encoding': 'identity',
        ...(as !== undefined && { authorization: `Bearer ${as}-token` }),
        ...(options.body !== undefined && { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(options.body !== undefined && { body: options.body }),
      ...(options.signal !== undefined && { signal: options.signal }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const text = bytes.toString();
    return {
      status: response.status,
      headers: response.headers,
      bytes,
      text,
      json: <T>() => JSON.parse(text) as T,
    };
  }

  query(sql: string, parameters = '', options: CallOptions = {}): Promise<Answer> {
    return this.call(`/query/sql${parameters}`, {
      method: 'POST',
      body: JSON.stringify({ sql }),
      ...options,
    });
  }

  /** Stores the answer of `rows <rowCount>` and returns its id. */
  async stored(rowCount: number, as: 'ann' | 'bob' | 'root' = 'ann'): Promise<string> {
    const answer = await this.query(`rows ${rowCount}`, '?doPaginate=true&numRows=1', { as });
    if (answer.json().exceptions?.length !== 0) {
      throw new Error(`rows ${rowCount} was not stored: ${answer.text}`);
    }
    return answer.json().requestId;
  }
}
