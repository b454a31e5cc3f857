/**
 * Generated cases are the same in every run of the tests, which depends on the code alone.
 * `QUIRE_SEED=… npx vitest run` tries others.
 */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['QUIRE_SEED'] ?? 7) });
