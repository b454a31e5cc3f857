import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** The schemas of an API document, each compiled once. */
export class DocumentSchemas {
  readonly #ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    formats: { binary: true, int32: true, int64: true },
  });
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(document: object) {
    this.#ajv.addSchema(document, 'document');
  }

  /** Returns the problem of a value; the empty text if it matches the schema. */
  problemsOf(schema: object, value: unknown): string {
    const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
    const validate = this.#compiled.get(text) ?? this.#ajv.compile(JSON.parse(text) as object);
    this.#compiled.set(text, validate);
    return validate(value) ? '' : this.#ajv.errorsText(validate.errors);
  }
}
