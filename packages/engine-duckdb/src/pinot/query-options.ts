import { invalid } from './typed.ts';

/**
 * Refuses options of Apache Pinot that would give a query another meaning than it has here; those
 * that say how a cluster is to work mean nothing to one machine, and are passed over.
 *
 * @throws QUERY_INVALID
 */
export function assertOption(name: string, value: string): void {
  if (name.toLowerCase() === 'enablenullhandling' && value.toLowerCase() === 'false') {
    throw invalid(
      'enableNullHandling is false; nulls are nulls here, as with true. Leave the option out, or write coalesce(column, value).',
    );
  }
}
