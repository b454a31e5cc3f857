/** The part of a page's interface that a reference uses. */
export interface ReferenceRoot {
  querySelectorAll(selector: string): Iterable<unknown>;
}

interface Shown {
  hidden: boolean;
  className: string;
  textContent: string | null;
  readonly dataset: Readonly<Record<string, string | undefined>>;
}

interface Field extends Shown {
  readonly name: string;
  readonly value: string;
  readonly files?: ArrayLike<Blob>;
  disabled: boolean;
  addEventListener(event: string, listener: (event: { preventDefault(): void }) => void): void;
}

interface Form extends Field {
  querySelector(selector: string): unknown;
  querySelectorAll(selector: string): Iterable<unknown>;
}

/**
 * Adds the behaviour of `apiReference`: assembles the request of a form, sends it, and shows the
 * answer as text, never as markup.
 *
 * `/docs` embeds the source text of this function in its page, so it must be self-contained.
 */
export function runReference(
  root: ReferenceRoot,
  send: (address: string, init: RequestInit) => Promise<Response>,
  nowMs: () => number,
): void {
  /** The maximum number of bytes shown: a whole result would exceed the browser's memory. */
  const shownBytes = 262_144;
  for (const form of root.querySelectorAll('form[data-path]') as Iterable<Form>) {
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void tryCall(form);
    });
  }
  for (const filter of root.querySelectorAll('input[type=search]') as Iterable<Field>) {
    filter.addEventListener('input', () => {
      const words = filter.value.trim().toLowerCase();
      for (const each of root.querySelectorAll('[data-words]') as Iterable<Shown>) {
        each.hidden = each.dataset['words']?.includes(words) !== true;
      }
    });
  }

  async function tryCall(form: Form): Promise<void> {
    const button = form.querySelector('button') as Field;
    const status = form.querySelector('output') as Shown;
    const answer = form.querySelector('.answer') as Shown;
    button.disabled = true;
    status.textContent = 'Waiting…';
    answer.hidden = true;
    const startMs = nowMs();
    try {
      const response = await send(...callOf(form));
      const { text, isCut } = await readStart(response);
      const ms = Math.round(nowMs() - startMs);
      const cut = isCut ? ` · the first ${shownBytes / 1024} KiB` : '';
      status.textContent = `${response.status} ${response.statusText} · ${ms} ms${cut}`;
      status.className = response.ok ? 'good' : 'bad';
      answer.textContent = text;
      answer.hidden = text === '';
    } catch (error) {
      status.textContent = `No answer: ${error instanceof Error ? error.message : String(error)}`;
      status.className = 'bad';
    } finally {
      button.disabled = false;
    }
  }

  function callOf(form: Form): [address: string, init: RequestInit] {
    const query = new URLSearchParams();
    const headers: Record<string, string> = {};
    let body: string | FormData | undefined;
    let path = form.dataset['path'] ?? '';
    for (const { name, value, dataset, files } of form.querySelectorAll(
      '[data-in]',
    ) as Iterable<Field>) {
      const place = dataset['in'];
      const file = files?.[0];
      if (place === 'path') path = path.replace(`{${name}}`, () => encodeURIComponent(value));
      if (place === 'query' && value !== '') query.append(name, value);
      if (place === 'header' && value !== '') headers[name] = value;
      if (place === 'body') {
        body = value;
        headers['content-type'] = form.dataset['type'] ?? '';
      }
      if (place === 'file' && file !== undefined) {
        body = new FormData();
        body.append('file', file);
      }
    }
    const init = { method: form.dataset['method'] ?? 'GET', headers, ...(body && { body }) };
    return [query.size === 0 ? path : `${path}?${query.toString()}`, init];
  }

  async function readStart(
    response: Response,
  ): Promise<{ readonly text: string; readonly isCut: boolean }> {
    const type = response.headers.get('content-type') ?? '';
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    let bytes = 0;
    const reader = response.body?.getReader();
    while (reader !== undefined && bytes <= shownBytes) {
      const { value } = (await reader.read()) as { readonly value?: Uint8Array<ArrayBuffer> };
      if (value === undefined) break;
      chunks.push(value);
      bytes += value.byteLength;
    }
    const isCut = bytes > shownBytes;
    if (isCut) await reader?.cancel();
    const text = await new Blob(chunks).slice(0, shownBytes).text();
    return { text: textOf(text, type, bytes), isCut };
  }

  function textOf(text: string, type: string, bytes: number): string {
    if (bytes === 0) return '';
    if (!/json|text|csv|xml/.test(type)) return `${bytes} bytes of ${type}`;
    // Numbers with many digits would lose some.
    if (!type.includes('application/json') || /\d{16}/.test(text)) return text;
    try {
      return JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      return text;
    }
  }
}
