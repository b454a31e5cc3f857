/** A value of a source row, as in its file or request. */
export type SourceValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | Uint8Array
  | readonly SourceValue[]
  | { readonly [name: string]: SourceValue };

/** A row of a source: values by the name of their field. */
export type SourceRow = Readonly<Record<string, SourceValue>>;
