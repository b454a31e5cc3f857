/**
 * Shows the current activity on a terminal, in one line that is rewritten; elsewhere one line for
 * each new activity.
 */
export class Progress {
  readonly #startMs = performance.now();
  readonly #output: NodeJS.WriteStream;
  #shown = '';

  constructor(output: NodeJS.WriteStream) {
    this.#output = output;
  }

  show(text: string): void {
    if (this.#output.isTTY) {
      this.#output.write(
        `\r\u001b[2K${this.#line(text).slice(0, Math.max(20, this.#output.columns - 1))}`,
      );
      return;
    }
    // A change of the percentage alone starts no new line.
    const what = text.replace(/: \d+ %$/, '');
    if (what !== this.#shown) this.#output.write(`${this.#line(what)}\n`);
    this.#shown = what;
  }

  /** Clears the line for other output. */
  clear(): void {
    if (this.#output.isTTY) this.#output.write('\r\u001b[2K');
  }

  #line(text: string): string {
    const seconds = Math.round((performance.now() - this.#startMs) / 1000);
    return `[${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}] ${text}`;
  }
}
