import { QuireError } from '@quire/core';
import type { Logger } from 'pino';
import type { Environment } from '../environment.ts';

/**
 * Exports the spans of this process with OTLP, if the variables of OpenTelemetry name an endpoint;
 * undefined otherwise. The SDK is loaded only then. Disposing sends the remaining spans.
 *
 * @throws INVALID_SETTING when a variable has a value that is not supported
 */
export async function openTracing(
  variables: Environment['variables'],
  { version, logger }: { readonly version: string; readonly logger: Pick<Logger, 'warn'> },
): Promise<AsyncDisposable | undefined> {
  const isOn =
    variables['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? variables['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
  if (isOn === undefined || isOn === '') return undefined;
  if (variables['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return undefined;
  if (variables['OTEL_TRACES_EXPORTER'] === 'none') return undefined;
  const name = 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL';
  const [variable, protocol = 'http/protobuf'] =
    variables[name] === undefined
      ? ['OTEL_EXPORTER_OTLP_PROTOCOL', variables['OTEL_EXPORTER_OTLP_PROTOCOL']]
      : [name, variables[name]];
  if (protocol !== 'http/protobuf') {
    throw new QuireError(
      'INVALID_SETTING',
      `${variable} = ${protocol} is not supported; expected http/protobuf, which collectors receive on port 4318.`,
    );
  }
  const { startExport } = await import('./export-spans.ts');
  return startExport(variables, { version, logger });
}
