/** Why a file cannot be read, or not to its end. It never leaves this directory but as a finding. */
export class SourceProblem extends Error {
  override readonly name = 'SourceProblem';
  readonly code: string;

  constructor(code: string, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
